//! `ctm new`.

use super::outputs::{Output, Outputs};
use super::sampled::{Made, Sampled, file_name};
use super::{Exit, programs};
use anyhow::{Context, bail};
use ctm_engine::Stop;
use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::shader::{current, plane};
use ctm_jobs::job::{Content, Role, SharedFiles};
use ctm_lang::program::interface::{Kind, Uniform};
use ctm_lang::program::{ConstantKind, Image, NameKind, Registers};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Write a job that runs a program, to edit.
///
/// The job has everything that the program uses, with data from a seed, as `ctm run PROGRAM` makes
/// them: constants, arrays for its inputs, planes for the temporaries that it reads before it writes
/// them, and outputs that are saved.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm new shader.hex                    writes shader/job.toml and its arrays
  ctm new blur.dpp blur --size 512x512 --input photo=photo.npy --set radius=3
  ctm run shader/job.toml

Exit status: 0 done, 2 bad usage or bad input.")]
pub struct Args {
    /// The program.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The folder of the job; it is made if it is missing, and must not hold a job. Default: the
    /// program's name without its extension
    #[arg(value_name = "FOLDER")]
    folder: Option<Output>,
    #[command(flatten)]
    sampled: Sampled,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let anywhere = SharedFiles::new();
    if programs::is_job(&args.program, args.sampled.kind(), &anywhere)? {
        bail!("{}: found a job, needed a program", args.program.display());
    }
    let made = args.sampled.job(&args.program, &anywhere, Stop::never())?;
    args.sampled.tell_filled(&args.program, &made);
    let stem = args.program.file_stem().context("a program has a name")?;
    let folder = args.folder.clone().unwrap_or_else(|| Output::from(PathBuf::from(stem)));
    let folder = Outputs::new(&anywhere).folder("FOLDER", &folder)?;
    let name = args.program.file_name().context("a program has a name")?;
    let name = name
        .to_str()
        .with_context(|| format!("{}: the name is not UTF-8", args.program.display()))?;
    let mut new = vec![
        ("job.toml".to_string(), text(&made, name).into_bytes()),
        (name.to_string(), programs::read(&args.program, &anywhere)?),
    ];
    for buffer in &made.job.buffers {
        if let (Role::Input(slot), Content::Array(units)) = (&buffer.role, &buffer.content) {
            let mut shape = vec![buffer.height as usize, buffer.width as usize];
            shape.extend(Some(buffer.format.channels() as usize).filter(|channels| *channels > 1));
            let array = Array { dtype: Dtype::of(buffer.format), shape, units: units.to_vec() };
            let mut bytes = Vec::new();
            npy::write(&array, &mut bytes)?;
            new.push((file_name(&made.loaded.image, NameKind::Input, *slot, "npy"), bytes));
        }
    }
    // The program may be there already.
    let path = |name: &str| folder.path().join(name);
    new.retain(|(name, bytes)| {
        !path(name).is_file() || programs::read(&path(name), &anywhere).ok().as_ref() != Some(bytes)
    });
    if let Some(path) = new.iter().map(|(name, _)| path(name)).find(|path| path.exists()) {
        bail!("{}: it exists; `ctm new` replaces no file", path.display());
    }
    folder.write_all(&new)?;
    let file = path("job.toml").display().to_string();
    super::print(format!("wrote {}\n", super::escaped_line(&file)))?;
    Ok(Exit::Done)
}

/// The job file.
fn text(made: &Made, name: &str) -> String {
    let (job, pass) = (&made.job, &made.job.passes[0]);
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!(
        "version = 1\nabout = {}\n\n[program]\nfile = {}\n",
        quoted(&format!("{name}, {}", job.about)),
        quoted(name)
    );
    let mut line = |args: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{args}");
    };
    if made.loaded.programs > 1 {
        line(format_args!("index = {}", made.loaded.index));
    }
    if !made.loaded.kind.has_container() {
        line(format_args!("[program.registers]"));
        let mut registers = *pass.program.registers();
        for (name, word) in Registers::NAMES.into_iter().zip(registers.words_mut()) {
            line(format_args!("{name} = 0x{word:08x}"));
        }
    }
    let domain = &pass.domain;
    line(format_args!(
        "\n[domain]\ni0 = {}\nj0 = {}\ni1 = {}\nj1 = {}",
        domain.i0, domain.j0, domain.i1, domain.j1
    ));
    let (uses, image) = (pass.program.uses(), pass.program.image());
    let (width, height) = (domain.width() as f32, domain.height() as f32);
    let uniforms = image.interface.iter().flat_map(|shader| &shader.uniforms);
    let mut title = "\n[uniforms]\n";
    for (n, uniform) in uniforms.enumerate().filter(|(_, uniform)| uniform.used) {
        let bits = current(pass, n);
        let (key, value) = (table_key(&uniform.name), uniform_value(uniform, &bits));
        line(format_args!("{title}{key} = {value}"));
        title = "";
    }
    let constants = &pass.constants;
    for kind in ConstantKind::ALL {
        // What a shader's constants hold is made of its uniforms.
        let shader = image.interface.is_some();
        let numbers = if shader { Vec::new() } else { uses.constants(kind) };
        if !numbers.is_empty() {
            line(format_args!("\n[constants.{}]", kind.name()));
        }
        for n in numbers {
            let at = n as usize;
            let value = match kind {
                ConstantKind::Float => channels(constants.float[at]),
                ConstantKind::Int => {
                    let int = constants.int[at];
                    format!("[{}, {}, {}]", int.count, int.start, int.step)
                }
                ConstantKind::Bool => (constants.bool >> n & 1 != 0).to_string(),
            };
            line(format_args!("{} = {value}", key(image, kind.into(), n)));
        }
    }
    // A register by its name, or by its number in `key`.
    let register = |kind, n, key| match name_of(image, kind, n) {
        Some(name) => format!("name = {}", quoted(name)),
        None => format!("{key} = {n}"),
    };
    let inputs =
        pass.inputs.iter().map(|(slot, _)| file_name(image, NameKind::Input, *slot, "npy"));
    let inputs: Vec<String> = inputs.collect();
    for buffer in &job.buffers {
        match buffer.role {
            Role::Input(slot) => line(format_args!(
                "\n[[input]]\n{}\nformat = \"{}\"\nfile = \"{}\"\nwrap = \"{}\"",
                register(NameKind::Input, slot, "slot"),
                buffer.format,
                file_name(image, NameKind::Input, slot, "npy"),
                buffer.wrap.name()
            )),
            Role::Output(slot) => {
                // What a kernel reads and writes has one name: its input stays as it is.
                let mut file = file_name(image, NameKind::Output, slot, "npy");
                if inputs.contains(&file) {
                    file.insert_str(0, "new_");
                }
                line(format_args!(
                    "\n[[output]]\n{}\nformat = \"{}\"\nsave = \"{file}\"",
                    register(NameKind::Output, slot, "slot"),
                    buffer.format,
                ));
            }
            Role::Condition | Role::Named => {}
        }
    }
    for varying in image.interface.iter().flat_map(|shader| &shader.varyings) {
        if let (Some(_), Some(plane)) = (varying.temp, plane(varying, width, height)) {
            let part = |n: usize| channels(plane.map(|component| component[n].to_bits()));
            line(format_args!(
                "\n[[initial]]\nname = {}\nplane = [{}, {}, {}]",
                quoted(&varying.name),
                part(0),
                part(1),
                part(2)
            ));
        }
    }
    for initial in pass.initial.iter().filter(|_| image.interface.is_none()) {
        let [origin, column, row] =
            made.sample.varying(initial.temp.into()).map(|part| channels(part.map(f32::to_bits)));
        line(format_args!(
            "\n[[initial]]\n{}\nplane = [{origin}, {column}, {row}]",
            register(NameKind::Temp, initial.temp.into(), "temp"),
        ));
    }
    text
}

/// The name of a register, if a job finds the register by it.
fn name_of(image: &Image, kind: NameKind, number: u32) -> Option<&str> {
    let found = |name: &&str| image.register(&[kind], name).is_ok_and(|found| found.1 == number);
    image.name_of(kind, number).filter(found)
}

/// The key of a register in a table of a job.
fn key(image: &Image, kind: NameKind, number: u32) -> String {
    name_of(image, kind, number).map_or_else(|| number.to_string(), table_key)
}

/// A name as a key of a table.
fn table_key(name: &str) -> String {
    let bare = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if bare { name.to_string() } else { serde_json::Value::from(name).to_string() }
}

/// A uniform's value in a job: a number, a list, or the list of a matrix's columns.
fn uniform_value(uniform: &Uniform, bits: &[u32]) -> String {
    let number = |bits: &u32| match uniform.kind {
        Kind::Float => format!("{:?}", f32::from_bits(*bits)),
        Kind::Int | Kind::Bool => format!("{}", f32::from_bits(*bits)),
    };
    let list = |parts: Vec<String>| match &parts[..] {
        [one] => one.clone(),
        _ => format!("[{}]", parts.join(", ")),
    };
    let columns = bits.chunks(uniform.rows.max(1));
    list(columns.map(|column| list(column.iter().map(number).collect())).collect())
}

/// The channels of a value in a job file, without zeros at the end; bit patterns where a number would
/// not say all.
fn channels(bits: [u32; 4]) -> String {
    let count = bits.iter().rposition(|&bits| bits != 0).map_or(1, |last| last + 1);
    let numbers = bits[..count].iter().map(|&bits| match f32::from_bits(bits) {
        value if value.is_finite() => format!("{value:?}"),
        _ => format!("\"0x{bits:08x}\""),
    });
    let numbers: Vec<String> = numbers.collect();
    if count == 1 { numbers.concat() } else { format!("[{}]", numbers.join(", ")) }
}
