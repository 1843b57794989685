//! Loads program files of any kind, detected by their content.

use crate::asm::{self, TextErrors};
use crate::elf::{self, ElfError};
use crate::program::{Image, Severity};
use crate::ps;
use crate::raw::{self, RawError};
use ctm_base::clock::Instant;
use ctm_base::named;
use ctm_base::stop::{Stop, Stopped};
use ctm_base::text::{MAX_SOURCE, Mark};
use ctm_base::work::PassTime;
use std::fmt;
use std::time::Duration;

/// Largest program file, in bytes, that jobs and commands read. A Mesa log may hold many programs.
pub const MAX_FILE: u64 = 256 << 20;

/// Largest executable, in bytes: 512 instructions, constants, and what its notes say of the source.
pub const MAX_EXECUTABLE: usize = 4 << 20;

/// The first bytes of a recording of a client, which is neither a program nor a job.
pub const RECORDING: [u8; 8] = *b"CTM-REC\n";

/// The first bytes of a pack of jobs, which is neither a program nor a job.
pub const PACK: [u8; 8] = *b"CTMPACK\n";

/// The first bytes of an executable.
pub const EXECUTABLE: [u8; 4] = *b"\x7fELF";

/// The message of commands that do not take a recording.
pub const IS_RECORDING: &str = "found a recording of a client: `ctm replay FILE` executes it, and \
                                `ctm replay FILE --to-job N DIR` makes its launch N a job";

/// The message of commands that do not take a pack.
pub const IS_PACK: &str = "found a pack of jobs: `ctm batch FILE` runs them";

named! {
    /// The kinds of program file.
    Kind {
        Asm "asm": "Assembly text.";
        Elf "elf": "An executable.";
        Hex "hex": "A listing of hexadecimal words.";
        Bin "bin": "A raw binary: 24 bytes per instruction.";
        Mesa "mesa": "A log of Mesa's `RADEON_DEBUG=fp`.";
        Ps "ps": "Pixel shader assembly of Direct3D 9.";
        Glsl "glsl": "A GLSL fragment shader.";
        Wgsl "wgsl": "A WGSL fragment shader or compute kernel.";
    }
}

impl Kind {
    /// Whether such a file carries its state registers and the uncached-write flag. A job must then
    /// not specify them.
    pub fn has_container(self) -> bool {
        matches!(self, Kind::Asm | Kind::Elf | Kind::Ps | Kind::Glsl | Kind::Wgsl)
    }

    /// The kind that a file's name says: nothing else says that it is a shader.
    pub fn of_name(name: &str) -> Option<Kind> {
        match name.rsplit_once('.')?.1 {
            "frag" | "glsl" => Some(Kind::Glsl),
            "wgsl" => Some(Kind::Wgsl),
            _ => None,
        }
    }
}

/// A program from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The program, not verified.
    pub image: Image,
    /// The kind of the file.
    pub kind: Kind,
    /// The number of programs in the file.
    pub programs: usize,
    /// The index of this program in the file, from 0.
    pub index: usize,
    /// Its name in a log that names its shaders.
    pub name: Option<String>,
    /// The vertex programs of the log, which are left out.
    pub vertex_programs: usize,
    /// Notes on what the file format lost, and notes of a compiler.
    pub notes: Vec<Note>,
    /// The time that it took to read the program: to assemble or compile it, if the file is a source.
    pub compile: Duration,
    /// The times of a compiler's passes; none for files that are no shaders.
    pub passes: Vec<PassTime>,
}

/// A note on a program that was loaded, human-readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The severity: a warning is about the source, a note about what becomes of it.
    pub severity: Severity,
    /// The place in the source, if it is about one.
    pub mark: Option<Mark>,
    /// Its text.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(mark) = self.mark {
            write!(f, "line {}: ", mark.line)?;
        }
        f.write_str(&self.text)
    }
}

impl Loaded {
    /// The index of this program in its file, human-readable; `None` if the file holds only one.
    pub fn which(&self) -> Option<String> {
        let of = |programs| format!("program {} of {programs}, counted from 0", self.index);
        Some(self.programs).filter(|programs| *programs > 1).map(of)
    }
}

/// Errors of loading a program from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A malformed executable.
    #[error("not a valid executable: {0}")]
    // The message includes the inner error, so there is no `source`: it would be printed twice.
    Elf(ElfError),
    /// A malformed listing, binary or log.
    #[error(transparent)]
    Raw(RawError),
    /// Assembly text or a shader with errors.
    #[error(transparent)]
    Asm(#[from] TextErrors),
    /// Bytes that are not text, in a file that must be text.
    #[error("offset {offset:#x}: the file is not UTF-8 text, as kind {} needs", .kind.name())]
    NotText {
        /// The first bad byte.
        offset: usize,
        /// The kind that the file was read as.
        kind: Kind,
    },
    /// More bytes than a program of this kind can have.
    #[error("the file has {size} bytes, expected at most {most}, as a program of kind {} has", .kind.name())]
    TooLarge {
        /// The kind that the file was read as.
        kind: Kind,
        /// The size of the file.
        size: usize,
        /// The largest possible size.
        most: usize,
    },
    /// A recording of a client.
    #[error("{IS_RECORDING}")]
    Recording,
    /// A pack of jobs.
    #[error("{IS_PACK}")]
    Pack,
    /// A shader, which this library does not compile.
    #[error("found a shader of kind {}, which this build of ctm does not compile", .0.name())]
    Shader(Kind),
    /// Reading or compiling was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The file has no program of this index.
    #[error("index {index} is out of range: the file holds {count} program{}, expected an index from 0 to {}",
        if *.count == 1 { "" } else { "s" }, .count - 1)]
    Index {
        /// The requested index.
        index: usize,
        /// The number of programs.
        count: usize,
    },
}

impl From<RawError> for LoadError {
    fn from(error: RawError) -> LoadError {
        match error {
            RawError::Stopped(why) => LoadError::Stopped(why),
            error => LoadError::Raw(error),
        }
    }
}

impl From<ElfError> for LoadError {
    fn from(error: ElfError) -> LoadError {
        LoadError::Elf(error)
    }
}

/// Detects a file's kind by its content.
///
/// An executable has its magic number, a Mesa log one of its headings. Any other file that is not
/// text is a binary. Text that begins with the version of a pixel shader is a shader. Other text is
/// a listing if its first word is hexadecimal with 8 digits or with 0x, or if all its words are
/// hexadecimal. Everything else is assembly.
pub fn detect(bytes: &[u8]) -> Kind {
    if bytes.starts_with(&EXECUTABLE) {
        return Kind::Elf;
    }
    // Test for a log before any kind of text: it may contain anything that the logged program
    // printed.
    let is_mesa = |line: &[u8]| {
        line == raw::MESA_HEADING.as_bytes()
            || line == raw::MESA_INITIAL.as_bytes()
            || line == b"# Radeon Compiler Program"
            || line == b"Fragment Program: before compilation"
    };
    if bytes.split(|&b| b == b'\n').any(|line| is_mesa(line.trim_ascii())) {
        return Kind::Mesa;
    }
    let control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c');
    let Some(text) = beginning(bytes).filter(|text| !text.contains(control)) else {
        return Kind::Bin;
    };
    if ps::is_shader(text) {
        return Kind::Ps;
    }
    let mut tokens = raw::tokens(text).map(|(_, _, token)| token);
    match tokens.next() {
        Some(first) if raw::word(first).is_some() => {
            if first.len() >= 8 || first.starts_with("0x") || tokens.all(|t| raw::word(t).is_some())
            {
                Kind::Hex
            } else {
                Kind::Asm
            }
        }
        _ => Kind::Asm,
    }
}

/// The beginning of a text, at most as long as a source may be; `None` for bytes that are not text.
fn beginning(bytes: &[u8]) -> Option<&str> {
    let start = &bytes[..bytes.len().min(MAX_SOURCE)];
    match std::str::from_utf8(start) {
        Ok(text) => Some(text),
        // The cut is inside a character.
        Err(error) if start.len() < bytes.len() && error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}

/// Loads a program from a file's bytes. `name` is the file's name, for messages about its text.
/// `kind` overrides [`detect`]. `index` selects a program of a file that holds several; without it,
/// the last one is loaded.
///
/// # Errors
/// The file is malformed or too large for its kind, has no program of this index, or loading was stopped.
pub fn load(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    index: Option<usize>,
    stop: &Stop,
) -> Result<Loaded, LoadError> {
    let mut all = load_all(bytes, name, kind, stop)?;
    let count = all.len();
    let which = index.unwrap_or(count.saturating_sub(1));
    if which < count {
        Ok(all.swap_remove(which))
    } else {
        Err(LoadError::Index { index: which, count })
    }
}

/// Loads all programs of a file, in their order: see [`load`].
///
/// # Errors
/// The file is malformed or too large for its kind, or loading was stopped.
pub fn load_all(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    stop: &Stop,
) -> Result<Vec<Loaded>, LoadError> {
    if kind.is_none() && bytes.starts_with(&RECORDING) {
        return Err(LoadError::Recording);
    }
    if kind.is_none() && bytes.starts_with(&PACK) {
        return Err(LoadError::Pack);
    }
    let started = Instant::now();
    let kind = kind.unwrap_or_else(|| detect(bytes));
    // A source says its own limit, and where it is passed; a binary, that of its instructions. A log has none.
    let most = match kind {
        Kind::Elf => MAX_EXECUTABLE,
        Kind::Hex => MAX_SOURCE,
        Kind::Asm | Kind::Bin | Kind::Mesa | Kind::Ps | Kind::Glsl | Kind::Wgsl => usize::MAX,
    };
    if bytes.len() > most {
        return Err(LoadError::TooLarge { kind, size: bytes.len(), most });
    }
    let text = || {
        std::str::from_utf8(bytes)
            .map_err(|error| LoadError::NotText { offset: error.valid_up_to(), kind })
    };
    let one = |image| vec![(image, None, Vec::new())];
    let images = match kind {
        Kind::Elf => one(elf::read(bytes)?),
        Kind::Bin => one(raw::binary(bytes)?),
        Kind::Hex => one(raw::hex(text()?)?),
        Kind::Asm => one(asm::assemble(text()?, name)?),
        Kind::Ps => one(ps::compile(text()?, name)?),
        Kind::Glsl | Kind::Wgsl => return Err(LoadError::Shader(kind)),
        Kind::Mesa => raw::mesa_dumps(&String::from_utf8_lossy(bytes), stop)?
            .into_iter()
            .map(|dump| {
                let notes = mesa_notes(&dump).into_iter();
                let notes =
                    notes.map(|text| Note { severity: Severity::Note, mark: None, text }).collect();
                (dump.image, dump.name, notes)
            })
            .collect(),
    };
    let programs = images.len();
    let vertex_programs = match kind {
        Kind::Mesa => raw::vertex_programs(&String::from_utf8_lossy(bytes)),
        Kind::Asm | Kind::Elf | Kind::Hex | Kind::Bin | Kind::Ps | Kind::Glsl | Kind::Wgsl => 0,
    };
    let compile = started.elapsed();
    let loaded = |(index, (image, name, notes))| Loaded {
        image,
        kind,
        programs,
        index,
        name,
        vertex_programs,
        notes,
        compile,
        passes: Vec::new(),
    };
    Ok(images.into_iter().enumerate().map(loaded).collect())
}

/// Notes on what the log lacks about its program.
fn mesa_notes(dump: &raw::Dump) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(decimals) = dump.decimals {
        notes.push(format!(
            "constants are rounded to {decimals} decimals in the log; --set or a job gives exact ones"
        ));
    }
    if !dump.external.is_empty() {
        let list: Vec<String> = dump.external.iter().map(|n| format!("c{n}")).collect();
        notes.push(format!(
            "the log has no value for {}; --set or a job gives one",
            list.join(", ")
        ));
    }
    if dump.cut {
        notes.push("the log ends inside another program (cut off?)".to_string());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{write_binary, write_hex};

    const LISTING: &str = "R500 Fragment Program:\n--------\n0\t0:CMN_INST   0x00000402:FC\n";

    fn image() -> Image {
        Image::from_words(vec![[0x0007_8005, 0, 0, 1, 2, 3], [4, 5, 6, 7, 8, 9]])
    }

    #[test]
    fn kinds_have_names() {
        let names = ["asm", "elf", "hex", "bin", "mesa", "ps", "glsl", "wgsl"];
        assert_eq!(Kind::ALL.map(Kind::name), names);
        for (name, kind) in [
            ("a.frag", Some(Kind::Glsl)),
            ("b/a.x.glsl", Some(Kind::Glsl)),
            ("a.wgsl", Some(Kind::Wgsl)),
            ("frag", None),
            ("a.dpp", None),
        ] {
            assert_eq!(Kind::of_name(name), kind);
        }
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("ELF"), None);
    }

    #[test]
    fn content_tells_the_kind() {
        let elf = elf::write(&image());
        let hex = write_hex(&image());
        for (bytes, kind) in [
            (&elf[..], Kind::Elf),
            (b"\x7fELF", Kind::Elf),
            (hex.as_bytes(), Kind::Hex),
            (b"# words\n\n0x7 00 # tail", Kind::Hex),
            (b"00078005 oops", Kind::Hex),
            (b"0x78005 oops", Kind::Hex),
            (&write_binary(&image()), Kind::Bin),
            (b"text\x00", Kind::Bin),
            (b"\xff\xfe", Kind::Bin),
            (LISTING.as_bytes(), Kind::Mesa),
            (b"\x1b[0m\xff\nR500 Fragment Program:\n", Kind::Mesa),
            (b"r300: x\r\n# Radeon Compiler Program\r\n", Kind::Mesa),
            (b"ps_3_0\nend", Kind::Ps),
            (b"// fxc\n; x\n/* y\n */ \tPS_2_0", Kind::Ps),
            (b"ps_", Kind::Asm),
            (b"ps_mov r0, r1", Kind::Asm),
            (b"", Kind::Asm),
            (b"# nothing", Kind::Asm),
            (b"add r0, r1, r2", Kind::Asm),
            (b"; a comment\n\tOUT", Kind::Asm),
            ("größe = 1".as_bytes(), Kind::Asm),
        ] {
            assert_eq!(detect(bytes), kind, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn all_kinds_load() {
        let files = [
            (elf::write(&image()), Kind::Elf),
            (write_hex(&image()).into_bytes(), Kind::Hex),
            (write_binary(&image()), Kind::Bin),
        ];
        for (bytes, kind) in files {
            for index in [None, Some(0)] {
                let loaded = load(&bytes, "file", None, index, Stop::never()).expect("well formed");
                assert_eq!(loaded.image, image());
                assert_eq!((loaded.kind, loaded.programs), (kind, 1));
                assert_eq!(loaded.kind.has_container(), kind == Kind::Elf);
            }
        }
        // An explicit kind overrides detection: text can be read as a binary.
        let text = "0123456789abcdef01234567";
        assert_eq!(detect(text.as_bytes()), Kind::Asm);
        let loaded =
            load(text.as_bytes(), "file", Some(Kind::Bin), None, Stop::never()).expect("24 bytes");
        assert_eq!(loaded.image.words[0][0], u32::from_le_bytes(*b"0123"));
    }

    #[test]
    fn a_log_gives_its_last_program_by_default() {
        let log = format!(
            "{LISTING}\nCONST[0] = {{ 0.25 unused 1.0000 2.0 }}\n{}CONST[0] = {{CONST[1].x 0.5 0.5 0.5}}\nCONST[3] = {{CONST[1].x 0.5 0.5 0.5}}\n{}",
            LISTING.replace("0402", "0403"),
            LISTING.replace("0402", "0404"),
        );
        let words = |index| {
            load(log.as_bytes(), "fp.log", None, index, Stop::never())
                .map(|loaded| {
                    assert!(!loaded.kind.has_container());
                    assert_eq!((loaded.kind, loaded.programs), (Kind::Mesa, 3));
                    let notes: Vec<String> = loaded.notes.iter().map(Note::to_string).collect();
                    (loaded.image.words[0][0], notes)
                })
                .map_err(|error| error.to_string())
        };
        assert_eq!(words(Some(0)), Ok((0x402, vec![])));
        assert_eq!(
            words(Some(1)),
            Ok((
                0x403,
                vec!["constants are rounded to 4 decimals in the log; --set or a job gives exact ones".into()]
            ))
        );
        let last = Ok((
            0x404,
            vec!["the log has no value for c0, c3; --set or a job gives one".to_owned()],
        ));
        assert_eq!(words(Some(2)), last);
        assert_eq!(words(None), last);
        assert_eq!(
            words(Some(3)),
            Err(
                "index 3 is out of range: the file holds 3 programs, expected an index from 0 to 2"
                    .into()
            )
        );
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |bytes: &[u8], kind, index| {
            load(bytes, "file", kind, index, Stop::never()).expect_err("malformed").to_string()
        };
        assert_eq!(
            error(&write_binary(&image()), None, Some(1)),
            "index 1 is out of range: the file holds 1 program, expected an index from 0 to 0"
        );
        assert_eq!(
            error(b"\x7fELF", None, None),
            "not a valid executable: truncated: the ELF header at offset 0x0 needs 52 bytes, the file has 4"
        );
        assert_eq!(
            error(b"1 2 \xff", Some(Kind::Hex), None),
            "offset 0x4: the file is not UTF-8 text, as kind hex needs"
        );
        assert_eq!(
            error(b"\xff", None, None),
            "the size of the binary is 1, expected a multiple of 24 bytes, the size of an instruction"
        );
        assert_eq!(
            error(b"00078005", None, None),
            "line 1, column 1: the last instruction, number 0, has 1 of 6 words"
        );
    }

    #[test]
    fn a_size_that_no_program_has_is_refused() {
        let error = |size: usize, kind| {
            let text = vec![b' '; size];
            load(&text, "file", Some(kind), None, Stop::never()).expect_err("blank").to_string()
        };
        assert_eq!(
            error(MAX_SOURCE + 1, Kind::Hex),
            "the file has 1048577 bytes, expected at most 1048576, as a program of kind hex has"
        );
        assert_eq!(
            error(MAX_EXECUTABLE + 1, Kind::Elf),
            "the file has 4194305 bytes, expected at most 4194304, as a program of kind elf has"
        );
        assert_eq!(
            error(MAX_SOURCE, Kind::Hex),
            "the listing holds no instructions, expected 1 to 512"
        );
        assert!(error(MAX_EXECUTABLE, Kind::Elf).starts_with("not a valid executable: "));
        let is_source = |error: String| error.contains("; at most 1048576 are possible");
        assert!([Kind::Asm, Kind::Ps].into_iter().all(|kind| is_source(error(1 << 21, kind))));
    }

    #[test]
    fn the_beginning_of_a_text_tells_its_kind() {
        // The cut is inside one of the characters, or between two.
        for head in ["", " "] {
            let mut bytes = (head.to_string() + &"é".repeat(MAX_SOURCE / 2 + 1)).into_bytes();
            assert_eq!(detect(&bytes), Kind::Asm);
            bytes.push(0);
            assert_eq!(detect(&bytes), Kind::Asm);
            bytes.extend_from_slice(b"\nR500 Fragment Program:\n");
            assert_eq!(detect(&bytes), Kind::Mesa);
            bytes[MAX_SOURCE / 2] = 0;
            assert_eq!(detect(&bytes[..MAX_SOURCE + 2]), Kind::Bin);
        }
    }

    #[test]
    fn a_log_is_read_until_it_is_stopped() {
        let stop = Stop::new();
        let read = || load_all(LISTING.as_bytes(), "fp.log", None, &stop).map(|all| all.len());
        assert!(matches!(read(), Ok(1)));
        stop.stop();
        assert!(matches!(read(), Err(LoadError::Stopped(Stopped::Cancelled))));
    }

    #[test]
    fn no_bytes_make_loading_panic() {
        use proptest::prelude::*;
        use proptest::test_runner::TestRunner;
        const CASES: u32 = 1024;
        let bytes = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..200),
            proptest::collection::vec(any::<u8>(), 24 * 3),
            "[ -~\n]{0,200}".prop_map(String::into_bytes),
        ];
        let mut runner = TestRunner::new(ctm_testing::cases(CASES, 0x10ad));
        let good = std::cell::Cell::new(0);
        runner
            .run(&bytes, |bytes| {
                let detected = load(&bytes, "file", None, None, Stop::never()).is_ok();
                good.set(good.get() + u32::from(detected));
                for kind in Kind::ALL {
                    if let Ok(loaded) = load(&bytes, "file", Some(kind), Some(0), Stop::never()) {
                        prop_assert_eq!(loaded.kind, kind);
                        let _ = crate::program::Program::new(loaded.image);
                    }
                }
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{error}"));
        println!("{CASES} random files, {} of them good", good.get());
        assert!(good.get() > CASES / 8);
    }
}
