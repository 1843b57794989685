//! The files that a job reads and writes, and the memory that it takes, without reading those
//! files.

use super::node::Node;
use super::pictures::{MOST_FRAMES, numbered};
use super::{JobText, MAX_FILE, SharedFiles};
use crate::array::png;
use ctm_lang::program::Sharing;
use ctm_machine::launch::Shared;
use ctm_machine::memory::surface::default_pitch;
use ctm_machine::memory::{Format, Surface, Tiling, translate};
use std::io::Read;
use std::path::{Path, PathBuf};
use toml_spanner::{Arena, Table};

/// The files that a job names, relative to the folder of the job file, and the memory it takes.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct JobFiles {
    /// Programs and arrays that it loads, without those of `[[expect]]`. None if it comes from a pack.
    #[serde(skip)]
    pub reads: Vec<PathBuf>,
    /// The arrays of `[[expect]]`.
    pub expected: Vec<PathBuf>,
    /// The masks of `[[expect]]`.
    pub masks: Vec<PathBuf>,
    /// Arrays and pictures that it saves.
    pub writes: Vec<PathBuf>,
    /// About how many bytes of memory the job takes at most while it is read, runs and is saved:
    /// its surfaces, and the arrays read from files and written to files.
    pub bytes: u64,
}

impl JobFiles {
    /// The files that the text of a job names; `file` is the job file. Invalid text gives whatever
    /// can be recognised in it: [`super::Job::parse`] reports the errors.
    pub fn of(text: &str, file: &Path) -> JobFiles {
        JobText::new(text.to_string(), file).files()
    }

    /// Those of the top of a tree; `size` is the length of its text in bytes.
    pub(super) fn of_root(root: &Node<'_>, file: &Path, size: usize) -> JobFiles {
        let mut files = JobFiles::default();
        let base = file.parent().unwrap_or(Path::new(""));
        files.bytes = bytes(root, base) + PER_BYTE_OF_TEXT * size as u64;
        let named = |node: Node<'_>| node.string().ok().map(|name| base.join(name));
        files.reads = reads(root, base);
        let frames = frames(root);
        for table in SURFACES.into_iter().flat_map(|key| root.tables(key)) {
            let values = |keys: &'static [&str]| keys.iter().filter_map(|key| table.get(key));
            for path in values(&["save", "image", "animation"]).filter_map(named) {
                match numbered(&path, 0) {
                    Some(_) => files.writes.extend((0..frames).filter_map(|n| numbered(&path, n))),
                    None => files.writes.push(path),
                }
            }
        }
        let sharing = root.get("sharing").and_then(|table| table.get("save"));
        files.writes.extend(sharing.and_then(named));
        for table in root.tables("expect") {
            files.expected.extend(table.get("file").and_then(named));
            files.masks.extend(table.get("mask").and_then(named));
        }
        files
    }

    /// A number that depends on the text of a job and on the contents of the files that it reads,
    /// and not on their paths. An unreadable file counts as an empty one.
    pub fn digest(&self, text: &str, shared: &SharedFiles) -> u128 {
        let mut all = md5::Context::new();
        all.consume(md5::compute(text).0);
        for path in &self.reads {
            all.consume(shared.digest(path));
        }
        u128::from_be_bytes(all.finalize().0)
    }
}

/// Whether a text has the structure of a job: its top level has a program or passes. A text with syntax errors needs
/// the head of such a table: other lines may be those of a program.
pub fn is_job(text: &str) -> bool {
    if text.len() as u64 > MAX_FILE {
        return false;
    }
    let arena = Arena::new();
    if let Ok(tree) = toml_spanner::parse(text, &arena) {
        return has_job(tree.table());
    }
    has_job_line(text, false)
}

/// Whether the top of a tree is that of a job.
pub(super) fn has_job(tree: &Table<'_>) -> bool {
    ["program", "pass"].iter().any(|key| tree.contains_key(key))
}

/// [`is_job`] for a text with syntax errors. If the text should be TOML (`toml`), a line that gives a program or a pass
/// is enough: it is rather a job with an error than none.
pub(super) fn has_job_line(text: &str, toml: bool) -> bool {
    let lines: &[&str] = if toml { &["program=", "pass=", "program."] } else { &[] };
    text.lines().any(|line| {
        let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        ["[program]", "[[pass]]"].iter().chain(lines).any(|start| line.starts_with(start))
    })
}

/// The programs and arrays that a job loads, without those of `[[expect]]`. `base` is its folder.
pub(super) fn reads(root: &Node<'_>, base: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = of_launch(root.clone()).collect();
    for table in SURFACES.into_iter().flat_map(|key| root.tables(key)) {
        all.extend(["file", "initial"].into_iter().filter_map(|key| table.get(key)));
    }
    all.extend(root.tables("pass").flat_map(of_launch));
    all.extend(root.get("sharing").and_then(|table| table.get("initial")));
    all.extend(initials(root));
    all.into_iter().filter_map(|node| node.string().ok().map(|name| base.join(name))).collect()
}

/// The program of a launch, and the file of its constants.
fn of_launch(table: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let keys = [("program", "file"), ("constants", "float_file")];
    keys.into_iter().filter_map(move |(key, name)| table.get(key)?.get(name))
}

/// The keys of surfaces.
const SURFACES: [&str; 4] = ["input", "output", "condition", "buffer"];

/// The approximate memory per byte of a job's text once it is parsed.
const PER_BYTE_OF_TEXT: u64 = 16;

/// The files of temporaries with initial data, in both forms.
fn initials<'a>(root: &Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let short = root.tables("initial").filter_map(|table| table.get("file"));
    let passes = root.tables("pass").filter_map(|pass| pass.get("initial"));
    short.chain(passes.flat_map(|table| table.values()))
}

/// See [`JobFiles::bytes`].
fn bytes(root: &Node<'_>, base: &Path) -> u64 {
    let file = |node: Option<Node<'_>>| {
        let path = node.and_then(|node| node.string().ok().map(|name| base.join(name)));
        path.map_or(0, |path| stored_bytes(&path))
    };
    let last = |key| Some(number(root.get("domain")?.get(key))?.saturating_add(1));
    let default = (last("i1"), last("j1"));
    let frames = frames(root);
    // Surfaces follow each other from address 0 on; some have fixed addresses.
    let (mut surfaces, mut end, mut arrays) = (0u64, 0u64, 0u64);
    for (key, table) in SURFACES.into_iter().flat_map(|key| root.tables(key).map(move |t| (key, t)))
    {
        let default = match key {
            "output" | "condition" => default,
            _ => (None, None),
        };
        let stored = file(table.get("file").or(table.get("initial")));
        let (bytes, units) = surface(&table, default, stored);
        surfaces = surfaces.saturating_add(bytes);
        end = end.max(u64::from(number(table.get("address")).unwrap_or(0)) + bytes);
        // The file's bytes, and its values for as long as the job exists; or the values to be
        // saved.
        let written = ["save", "image", "animation"];
        if stored != 0 || written.iter().any(|key| table.get(key).is_some()) {
            arrays = arrays.saturating_add(units).saturating_add(stored);
        }
        let scale = u64::from(number(table.get("scale")).unwrap_or(1).clamp(1, 64));
        let numbered = |node: Node<'_>| numbered(Path::new(node.string().ok()?), 0);
        let each =
            table.get("animation").is_some() || table.get("image").and_then(numbered).is_some();
        if each || scale > 1 {
            // Three bytes for each pixel of each frame. A value takes four.
            let pictures = units.saturating_mul(scale * scale);
            arrays = arrays.saturating_add(pictures.saturating_mul(if each { frames } else { 1 }));
        }
    }
    for value in initials(root) {
        arrays = arrays.saturating_add(file(Some(value)).saturating_mul(2));
    }
    if let Some(table) = root.get("sharing") {
        // The programs say how many registers there are. Two copies exist during a launch.
        let simds = number(table.get("simds")).unwrap_or(1).clamp(1, Shared::MOST_SIMDS);
        let most = Shared::new(Sharing(Sharing::MOST_GLOBALS), 1).size() as u64 * 16;
        arrays = arrays.saturating_add(2 * most * u64::from(simds));
    }
    surfaces.max(end).saturating_add(arrays)
}

/// The most pictures for each launch that a buffer can have.
fn frames(root: &Node<'_>) -> u64 {
    let repeat = |pass: Node<'_>| {
        let each = pass.get("each").map_or(0, |each| longest(&each));
        u64::from(number(pass.get("repeat")).unwrap_or(1)).max(each)
    };
    root.tables("pass").map(repeat).fold(0, u64::saturating_add).clamp(1, MOST_FRAMES)
}

/// The length of the longest list of values in `each`.
fn longest(each: &Node<'_>) -> u64 {
    let lists = each.values().into_iter().flat_map(|kind| kind.values());
    lists.filter_map(|list| Some(list.array().ok()?.len() as u64)).max().unwrap_or(0)
}

/// About how many bytes the array in a file has.
fn stored_bytes(path: &Path) -> u64 {
    let mut start = [0; 24];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    match png::size(&start).filter(|_| read.is_ok()) {
        // Up to four channels of 32 bits.
        Some((width, height)) => u64::from(width) * u64::from(height) * 16,
        None => std::fs::metadata(path).map_or(0, |about| about.len()),
    }
}

/// The bytes of a surface in memory, and as 32-bit values; `stored` is the size of its file.
fn surface(table: &Node<'_>, default: (Option<u32>, Option<u32>), stored: u64) -> (u64, u64) {
    let Ok(format) = table.need("format").and_then(|node| node.choice(&Format::ALL, Format::name))
    else {
        return (stored, stored);
    };
    let tiling = table.get("tiling").and_then(|n| n.choice(&Tiling::ALL, Tiling::name).ok());
    let tiling = tiling.unwrap_or(Tiling::Linear);
    let size = u64::from(format.bytes_per_element());
    let most = translate::COORDINATE + 1;
    // Without a given size, an array has no more rows than elements, and at most `most` rows.
    let elements = u32::try_from(stored / size).unwrap_or(u32::MAX);
    let width = number(table.get("width")).or(default.0);
    let height = number(table.get("height")).or(default.1);
    let (width, height) = match (width, height) {
        (Some(width), Some(height)) => (width, height),
        (Some(width), None) => (width, (elements / width.max(1)).saturating_add(1)),
        (None, Some(height)) => ((elements / height.max(1)).saturating_add(1), height),
        (None, None) => {
            let rows = elements.min(most);
            ((elements / rows.max(1)).saturating_add(1), rows)
        }
    };
    let (width, height) = (width.min(most), height.min(most));
    let pitch = number(table.get("pitch")).unwrap_or_else(|| default_pitch(tiling, format, width));
    let place = Surface::new(0, pitch.min(2 * most), height, tiling, format);
    let values = u64::from(width) * u64::from(height) * u64::from(format.channels());
    (place.byte_size(place.pitch.max(width), height), 4 * values)
}

/// A non-negative number.
fn number(node: Option<Node<'_>>) -> Option<u32> {
    node?.unsigned(0, u32::MAX).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: Vec<PathBuf>) -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    }

    fn of(text: &str) -> (Vec<String>, Vec<String>) {
        let files = JobFiles::of(text, Path::new("dir/job.toml"));
        (names(files.reads), names(files.writes))
    }

    #[test]
    fn expectations_name_arrays_and_masks() {
        let text = "[[expect]]
            file = \"e.npy\"
            [[expect]]
            file = \"/f.npy\"
            mask = \"m.npy\"
            [[expect]]
            fault = \"budget\"";
        let files = JobFiles::of(text, Path::new("dir/job.toml"));
        assert_eq!(names(files.expected), ["dir/e.npy", "/f.npy"]);
        assert_eq!(names(files.masks), ["dir/m.npy"]);
    }

    #[test]
    fn the_short_form_names_its_files() {
        let (reads, writes) = of("version = 1
            program = { file = \"p.hex\" }
            constants = { float_file = \"/c.npy\" }
            input = [{ slot = 0, file = \"a.npy\" }, { slot = 1, fill = 0 }]
            initial = [{ temp = 3, file = \"t.npy\" }]
            [[output]]
            initial = \"o.npy\"
            save = \"o0.npy\"
            image = \"o0.png\"
            [condition]
            file = \"k.npy\"
            save = \"k2.npy\"
            [[expect]]
            file = \"e.npy\"");
        assert_eq!(
            reads,
            ["dir/p.hex", "/c.npy", "dir/a.npy", "dir/o.npy", "dir/k.npy", "dir/t.npy"]
        );
        assert_eq!(writes, ["dir/o0.npy", "dir/o0.png", "dir/k2.npy"]);
    }

    #[test]
    fn the_long_form_names_its_files() {
        let (reads, writes) = of("version = 1
            [[buffer]]
            file = \"a.npy\"
            save = \"b.npy\"
            [[pass]]
            program.file = \"p.dpp\"
            constants.float_file = \"c.npy\"
            initial = { 1 = \"x.npy\", 2 = \"y.npy\" }");
        assert_eq!(reads, ["dir/a.npy", "dir/p.dpp", "dir/c.npy", "dir/x.npy", "dir/y.npy"]);
        assert_eq!(writes, ["dir/b.npy"]);
    }

    #[test]
    fn memory_is_that_of_surfaces_and_arrays() {
        let of = |text: &str| {
            let all = JobFiles::of(text, Path::new("job.toml")).bytes;
            all - PER_BYTE_OF_TEXT * text.len() as u64
        };
        const MIB: u64 = 1 << 20;
        let buffer = "[[buffer]]\nformat = \"FLOAT32_4\"\nwidth = 0x400\nheight = 1024\n";
        assert_eq!(of(buffer), 16 * MIB);
        assert_eq!(of(&buffer.repeat(3)), 48 * MIB);
        // Saved values exist twice.
        assert_eq!(of(&format!("{buffer}save = \"a.npy\"\n")), 32 * MIB);
        assert_eq!(of(&format!("{buffer}address = 0x8000000\n")), 144 * MIB);
        assert_eq!(of(&format!("{buffer}pitch = 2048\n")), 32 * MIB);
        // Each byte becomes a 32-bit value.
        let bytes = buffer.replace("FLOAT32_4", "UINT8_4");
        assert_eq!(of(&format!("{bytes}image = \"a.png\"\n")), 20 * MIB);
        // An output is as large as the domain.
        let short = "domain = { i0 = 0, j0 = 0, i1 = 1023, j1 = 1023 }\n[[output]]\nslot = 0\n";
        assert_eq!(of(&format!("{short}format = \"FLOAT32_1\"\n")), 4 * MIB);
    }

    #[test]
    fn a_job_takes_no_more_memory_than_its_text_says() {
        let root = ctm_testing::files::root();
        for folder in ["kernels", "tests/vectors/jobs"] {
            let mut jobs = 0;
            let mut folders = vec![root.join(folder)];
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(folder).expect("a folder") {
                    let path = entry.expect("an entry").path();
                    if path.is_dir() {
                        folders.push(path);
                        continue;
                    }
                    let Ok(job) = crate::job::Job::read(&path) else {
                        continue;
                    };
                    jobs += 1;
                    let text = crate::job::Job::text(&path, &crate::job::SharedFiles::new())
                        .expect("text");
                    let surfaces: u64 = job.buffers.iter().map(crate::job::Buffer::bytes).sum();
                    let said = JobFiles::of(&text, &path).bytes;
                    assert!(surfaces <= said, "{}: {surfaces}, {said}", path.display());
                }
            }
            assert!(jobs > 10, "{jobs}");
        }
    }

    #[test]
    fn other_text_names_none() {
        assert_eq!(JobFiles::of("= 3", Path::new("x")), JobFiles::default());
        let odd = "input = 3\noutput = [1, {save = 2}]\npass = {initial = 1}";
        let files = JobFiles::of(odd, Path::new("x"));
        assert_eq!((files.reads, files.writes), (Vec::new(), Vec::new()));
        let odd = "domain = {i1 = 1e3}\noutput = {width = -1, height = 1, format = 3}";
        assert_eq!(JobFiles::of(odd, Path::new("x")).bytes, PER_BYTE_OF_TEXT * odd.len() as u64);
    }
}
