//! The form of a document: its values, sizes and arrays by name, and changes of the job's text that the form makes. The
//! text stays the truth: a change is one value of it.

use crate::message::{Blob, Blobs};
use crate::run;
use crate::source::{self, File, Held};
use crate::values::{Value, values};
use ctm::array::{Dtype, npy, png};
use ctm::engine::Stop;
use ctm::job::write::edit::{Step, get, remove, set};
use ctm::job::write::{float, one_or_list, program, quoted};
use ctm::job::{Buffer, Content, Job, Pass, Role};
use ctm::memory::Format;
use ctm::program::NameKind;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A change that the form makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Numbers for a uniform or constant, column by column.
    Value { pass: usize, name: String, numbers: Vec<f32> },
    /// The size of the domains of all passes, and of the buffers that have it.
    Size { width: u32, height: u32 },
    /// An array or a picture for a surface.
    File { surface: usize, file: String },
    /// How a shader reads an input: `linear` or `nearest`.
    Filter { surface: usize, filter: String },
    /// Nothing: only a job is made of the program.
    Job,
}

/// A surface of the form.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    name: String,
    /// `input`, `output`, `condition` or `buffer`.
    role: &'static str,
    /// The format of an element.
    format: &'static str,
    width: u32,
    height: u32,
    /// The file with its contents before the run.
    file: Option<String>,
    /// Its content before the run, if that is no file: `seed`, `fill` or `zero`.
    content: &'static str,
    /// The filter of a shader's input.
    filter: Option<String>,
    /// The number of its picture.
    picture: Option<usize>,
}

/// The form of a document.
#[derive(Clone, Debug, Serialize)]
pub struct Form {
    /// Whether a job's text gives each value, by its index.
    values: Vec<Value>,
    given: Vec<bool>,
    surfaces: Vec<Entry>,
    /// The size of the domain, if the form can change it.
    size: Option<[u32; 2]>,
    /// The file that gives it otherwise.
    size_of: Option<String>,
}

/// The result of a change: the job file's name and its text, and files beside it.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    main: String,
    text: String,
    files: Vec<Made>,
}

/// A file that was made.
#[derive(Clone, Debug, Serialize)]
pub struct Made {
    path: String,
    bytes: Blob,
}

/// The form of a job. `text`: the job file; `None`: the job was made of a program.
pub fn form(job: &Job, text: Option<&str>) -> Form {
    let values = values(job);
    let given = values.iter().map(|value| text.is_some_and(|text| is_given(job, text, value)));
    let given = given.collect();
    let pictures = run::shown(job);
    let surfaces = (0..job.buffers.len()).map(|n| entry(job, n, text, &pictures)).collect();
    let size_of = fixing(job, text).first().and_then(|&n| file_of(job, n, text));
    Form { given, surfaces, size: size(job, text), size_of, values }
}

/// The size of the domain of all passes, if a change of it is a change of a few numbers, or of an array.
fn plain_size(job: &Job, text: Option<&str>) -> Option<[u32; 2]> {
    let domain = job.passes[0].domain;
    let size = [domain.width(), domain.height()];
    let is_plain = |(n, pass): (usize, &Pass)| match text {
        None => true,
        Some(text) => {
            let way = |key| [pass_way(job, n), vec![Step::Key("domain"), Step::Key(key)]].concat();
            // Planes of several passes may be of other sizes.
            let has_planes = || (0..pass.initial.len()).any(|n| get(text, &plane(n)).is_some());
            pass.domain == domain
                && ["i1", "j1"].iter().all(|key| get(text, &way(key)).is_some())
                && (pass_way(job, n).is_empty() || !has_planes())
        }
    };
    let fits = job.passes.iter().enumerate().all(is_plain);
    (fits && domain.i0 == 0 && domain.j0 == 0).then_some(size)
}

/// The size of the domain, if a change of numbers changes it: no array of several passes has it.
fn size(job: &Job, text: Option<&str>) -> Option<[u32; 2]> {
    plain_size(job, text).filter(|_| fixing(job, text).is_empty())
}

/// The buffers of a job of several passes that have the size of the domain from an array that both is read and written.
fn fixing(job: &Job, text: Option<&str>) -> Vec<usize> {
    let domain = job.passes[0].domain;
    let is_fixing = |&n: &usize| {
        let Buffer { role, width, height, .. } = job.buffers[n];
        role == Role::Named
            && [width, height] == [domain.width(), domain.height()]
            && file_of(job, n, text).is_some()
    };
    let buffers = 0..job.buffers.len();
    if job.passes.len() == 1 { Vec::new() } else { buffers.filter(is_fixing).collect() }
}

/// The file with a surface's contents before the run.
fn file_of(job: &Job, n: usize, text: Option<&str>) -> Option<String> {
    let of = |key| text.and_then(|text| string(text, &with(surface_way(job, n), key)));
    of("file").or_else(|| of("initial"))
}

/// The way to the plane of a start value in the short form.
fn plane(n: usize) -> [Step<'static>; 3] {
    [Step::Key("initial"), Step::Element(n), Step::Key("plane")]
}

/// A plane over a domain of another size: the values at its corners stay.
fn stretched(
    text: &str,
    [old_width, old_height]: [u32; 2],
    [width, height]: [u32; 2],
) -> Option<String> {
    // Lists of numbers are the same in JSON.
    let [start, column, row]: [Vec<f64>; 3] = serde_json::from_str(text).ok()?;
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for ((start, column), row) in start.iter().zip(column).zip(row) {
        let (per_column, per_row) = (
            column * f64::from(old_width) / f64::from(width),
            row * f64::from(old_height) / f64::from(height),
        );
        // A point is in the middle of its element.
        let start = start + 0.5 * (per_column - column) + 0.5 * (per_row - row);
        for (part, number) in parts.iter_mut().zip([start, per_column, per_row]) {
            part.push(number.to_string());
        }
    }
    Some(format!("[{}]", parts.map(|part| format!("[{}]", part.join(", "))).join(", ")))
}

/// The way to the table of a pass: none in the short form.
fn pass_way(job: &Job, pass: usize) -> Vec<Step<'static>> {
    let is_long = job.buffers.iter().any(|buffer| buffer.role == Role::Named);
    if is_long { vec![Step::Key("pass"), Step::Element(pass)] } else { Vec::new() }
}

/// The way to a value.
fn value_way<'a>(job: &Job, value: &'a Value) -> Vec<Step<'a>> {
    let mut way = pass_way(job, value.pass);
    if value.of == "uniform" {
        way.push(Step::Key("uniforms"));
    } else {
        way.extend([Step::Key("constants"), Step::Key(value.kind)]);
    }
    way.push(Step::Key(&value.name));
    way
}

/// Whether a job's text gives a value, or the array or structure that it is a part of.
fn is_given(job: &Job, text: &str, value: &Value) -> bool {
    let mut way = value_way(job, value);
    if get(text, &way).is_some() {
        return true;
    }
    let whole = value.name.split(['[', '.']).next().unwrap_or_default();
    way.pop();
    way.push(Step::Key(whole));
    // A table of several lines is no value, but it is there.
    get(text, &way).is_some() || set(text, &way, "0").is_err()
}

/// The key of the tables of a role.
fn table_of(role: Role) -> &'static str {
    match role {
        Role::Input(_) => "input",
        Role::Output(_) => "output",
        Role::Condition => "condition",
        Role::Named => "buffer",
    }
}

/// The way to the table of a surface: tables of a role are in the order of the job's buffers.
fn surface_way(job: &Job, n: usize) -> Vec<Step<'static>> {
    let role = table_of(job.buffers[n].role);
    let before = job.buffers[..n].iter().filter(|one| table_of(one.role) == role).count();
    match job.buffers[n].role {
        Role::Condition => vec![Step::Key(role)],
        Role::Input(_) | Role::Output(_) | Role::Named => {
            vec![Step::Key(role), Step::Element(before)]
        }
    }
}

fn with<'a>(mut way: Vec<Step<'a>>, key: &'a str) -> Vec<Step<'a>> {
    way.push(Step::Key(key));
    way
}

/// The string at the end of a way, if it has no escapes.
fn string(text: &str, way: &[Step<'_>]) -> Option<String> {
    let text = get(text, way)?.trim_matches(['"', '\'']);
    Some(text.to_string()).filter(|text| !text.contains('\\'))
}

fn entry(job: &Job, n: usize, text: Option<&str>, pictures: &[usize]) -> Entry {
    let Buffer { role, format, width, height, content, .. } = &job.buffers[n];
    let of = |key| text.and_then(|text| string(text, &with(surface_way(job, n), key)));
    Entry {
        name: name_of(job, n),
        role: table_of(*role),
        format: format.name(),
        width: *width,
        height: *height,
        file: file_of(job, n, text),
        content: match content {
            Content::Zero => "zero",
            Content::Fill(_) => "fill",
            Content::Array(_) => "seed",
        },
        filter: is_sampled(job, n).then(|| of("filter").unwrap_or_else(|| "nearest".to_string())),
        picture: pictures.iter().position(|&shown| shown == n),
    }
}

/// The name of a surface: that of the source for inputs and outputs of a job of one launch.
fn name_of(job: &Job, n: usize) -> String {
    let image = job.passes[0].program.image();
    let found = match job.buffers[n].role {
        Role::Input(slot) => image.name_of(NameKind::Input, slot),
        Role::Output(slot) => image.name_of(NameKind::Output, slot),
        Role::Condition | Role::Named => None,
    };
    found.map_or_else(|| job.buffers[n].name.clone(), str::to_string)
}

/// Whether a surface is an input of a shader in a job of one launch, whose filter can be chosen.
fn is_sampled(job: &Job, n: usize) -> bool {
    let is_input = matches!(job.buffers[n].role, Role::Input(_));
    is_input && job.passes[0].program.image().interface.is_some()
}

/// Changes a document. Its text is not checked here: the next opening says what is wrong.
///
/// # Errors
/// The document is not valid, has nothing like that, or cannot be changed in this way: the reason.
pub fn change(
    main: &str,
    files: &[File],
    given: &Blobs,
    change: &Change,
    stop: &Stop,
    blobs: &mut Blobs,
) -> Result<Changed, String> {
    let mut held = Held::new(files, given);
    let problem = |problems: Vec<source::Problem>| {
        problems.into_iter().next().map_or_else(String::new, |first| first.message)
    };
    let NewJob { name, text, arrays } = if main.ends_with(".toml") {
        NewJob { name: main.to_string(), text: held.text(main)?, arrays: Vec::new() }
    } else {
        let size = match change {
            Change::Size { width, height } => Some((*width, *height)),
            Change::Value { .. } | Change::File { .. } | Change::Filter { .. } | Change::Job => {
                None
            }
        };
        new_job(main, &held, size, stop).map_err(problem)?
    };
    held.add(&name, text.clone().into_bytes());
    for (path, bytes) in &arrays {
        held.add(path, bytes.clone());
    }
    let (job, _) = source::job(&name, &held, stop).map_err(problem)?;
    let text = changed(&job, text, change, &held)?;
    let files = arrays.into_iter().map(|(path, bytes)| Made { path, bytes: blobs.add(&bytes) });
    Ok(Changed { main: name, text, files: files.collect() })
}

/// A job for a program: its name, its text, and its arrays by path.
struct NewJob {
    name: String,
    text: String,
    arrays: Vec<(String, Vec<u8>)>,
}

fn new_job(
    main: &str,
    held: &Held,
    size: Option<(u32, u32)>,
    stop: &Stop,
) -> Result<NewJob, Vec<source::Problem>> {
    let (mut job, sample, loaded, _) = source::of_program(main, held, size, stop)?;
    let failed = |message: String| vec![source::whole(main, message)];
    job.about = "made in the playground".to_string();
    let made = program::files(&job, &sample, &loaded, main);
    let mut made = made.map_err(|error| failed(error.to_string()))?.into_iter();
    let text = made.next().map(|(_, text)| text).unwrap_or_default();
    let mut text = String::from_utf8(text).map_err(|error| failed(error.to_string()))?;
    // What is shown as colours is saved as colours.
    for (n, buffer) in job.buffers.iter().enumerate() {
        if let Some(image) = &buffer.pictures.image {
            let way = with(surface_way(&job, n), "image");
            text = set(&text, &way, &quoted(image.display())).map_err(failed)?;
        }
    }
    let stem = Path::new(main).file_stem().unwrap_or_default().to_string_lossy();
    Ok(NewJob { name: format!("{stem}.toml"), text, arrays: made.collect() })
}

fn changed(job: &Job, text: String, change: &Change, held: &Held) -> Result<String, String> {
    match change {
        Change::Job => Ok(text),
        Change::Value { pass, name, numbers } => {
            let all = values(job);
            let value = all.iter().find(|one| one.pass == *pass && one.name == *name);
            let value = value.ok_or_else(|| format!("no program has the value `{name}`"))?;
            set(&text, &value_way(job, value), &literal(value, numbers))
        }
        Change::Size { width, height } => resized(job, text, *width, *height),
        Change::File { surface, file } => {
            if *surface >= job.buffers.len() {
                return Err("there is no such surface".to_string());
            }
            let bytes = held.bytes(file).ok_or_else(|| format!("{file} is missing"))?;
            let format = format_of(bytes).map_err(|why| format!("{file}: {why}"))?;
            let way = |key| with(surface_way(job, *surface), key);
            let mut text = text;
            for key in ["fill", "width", "height", "pitch"] {
                text = remove(&text, &way(key))?;
            }
            let key =
                if table_of(job.buffers[*surface].role) == "output" { "initial" } else { "file" };
            text = set(&text, &way(key), &quoted(file))?;
            text = set(&text, &way("format"), &quoted(format.name()))?;
            match shape_of(bytes) {
                Some([width, height]) if is_followed(job, *surface, &text) => {
                    resized(job, text, width, height)
                }
                _ => Ok(text),
            }
        }
        Change::Filter { surface, filter } => {
            if !job.buffers.get(*surface).is_some_and(|_| is_sampled(job, *surface)) {
                return Err("there is no such input of a shader".to_string());
            }
            set(&text, &with(surface_way(job, *surface), "filter"), &quoted(filter))
        }
    }
}

/// Numbers as a job's text has them.
fn literal(value: &Value, numbers: &[f32]) -> String {
    let one = |&number: &f32| match value.kind {
        "bool" => (number != 0.0).to_string(),
        "int" => (number.floor() as i64).to_string(),
        _ => float(number.to_bits()),
    };
    let columns = numbers.chunks(value.rows.max(1)).take(value.columns);
    one_or_list(columns.map(|column| one_or_list(column.iter().map(one))))
}

/// A text whose domain has another size, with the uniforms that hold it.
fn resized(job: &Job, text: String, width: u32, height: u32) -> Result<String, String> {
    let Some([old_width, old_height]) = plain_size(job, Some(&text)) else {
        // A job that was just made has its size.
        return Ok(text);
    };
    let mut text = text;
    for pass in 0..job.passes.len() {
        for (key, size) in [("i1", width), ("j1", height)] {
            let last = size.saturating_sub(1).to_string();
            let way = [pass_way(job, pass), vec![Step::Key("domain"), Step::Key(key)]].concat();
            text = set(&text, &way, &last)?;
        }
    }
    for n in 0..job.passes[0].initial.len() {
        let plane_of = get(&text, &plane(n)).map(str::to_string);
        if let Some(stretched) =
            plane_of.and_then(|of| stretched(&of, [old_width, old_height], [width, height]))
        {
            text = set(&text, &plane(n), &stretched)?;
        }
    }
    for (n, buffer) in job.buffers.iter().enumerate() {
        for (key, size) in [("width", width), ("height", height)] {
            let way = with(surface_way(job, n), key);
            let has_size = match buffer.role {
                Role::Output(_) => true,
                Role::Named => [buffer.width, buffer.height] == [old_width, old_height],
                Role::Input(_) | Role::Condition => false,
            };
            if has_size && get(&text, &way).is_some() {
                text = set(&text, &way, &size.to_string())?;
            }
        }
    }
    let old = [Some(old_width as f32), Some(old_height as f32)];
    for value in values(job).iter().filter(|value| value.rows >= 2 && value.columns == 1) {
        let name = value.name.to_lowercase();
        if (name.contains("resolution") || name.contains("size")) && value.numbers[..2] == old {
            let mut numbers: Vec<f32> = value.numbers.iter().map(|n| n.unwrap_or(0.0)).collect();
            (numbers[0], numbers[1]) = (width as f32, height as f32);
            text = set(&text, &value_way(job, value), &literal(value, &numbers))?;
        }
    }
    Ok(text)
}

/// The most columns and rows that a result gets by its input.
const LARGEST: u32 = 1024;

/// Columns and rows of a picture or an array, if a result can have them.
fn shape_of(bytes: &[u8]) -> Option<[u32; 2]> {
    let size = match png::size(bytes) {
        Some((width, height)) => [width, height],
        None => match npy::parse(bytes).ok()?.shape[..] {
            [height, width, ..] => [u32::try_from(width).ok()?, u32::try_from(height).ok()?],
            _ => return None,
        },
    };
    size.iter().all(|size| (1..=LARGEST).contains(size)).then_some(size)
}

/// Whether the domain has the size of a surface: of a filter's only input, or of the array that several passes begin
/// with.
fn is_followed(job: &Job, surface: usize, text: &str) -> bool {
    let Buffer { width, height, .. } = job.buffers[surface];
    let inputs = job.buffers.iter().filter(|one| matches!(one.role, Role::Input(_))).count();
    let is_it = inputs == 1 && is_sampled(job, surface) || fixing(job, Some(text)) == [surface];
    is_it && plain_size(job, Some(text)) == Some([width, height])
}

/// The format that holds an array, or a picture.
fn format_of(bytes: &[u8]) -> Result<Format, String> {
    if png::is_png(bytes) {
        return Ok(Format::Uint8x4);
    }
    let array = npy::parse_no_picture(bytes).map_err(|error| error.to_string())?;
    let channels = match array.shape[..] {
        [_, _] => 1,
        [_, _, channels] => channels,
        _ => 0,
    };
    let fits = |format: &Format| {
        Dtype::of(*format) == array.dtype && format.channels() as usize == channels
    };
    let found = Format::ALL.into_iter().find(fits);
    found.ok_or_else(|| format!("{}: no format holds it", array.describe()))
}
