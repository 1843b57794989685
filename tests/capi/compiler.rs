//! Compiling and running C and C++ against the library that this test belongs to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// A language with its compiler and the standard that headers and clients must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C99,
    Cpp98,
    Cpp17,
}

impl Language {
    pub fn of(path: &Path) -> Language {
        match path.extension().and_then(|e| e.to_str()) {
            Some("c") => Language::C99,
            _ => Language::Cpp98,
        }
    }

    /// `CC` and `CXX` choose others than the system's.
    fn compiler(self) -> OsString {
        let (variable, default) = match self {
            Language::C99 => ("CC", "cc"),
            _ => ("CXX", "c++"),
        };
        std::env::var_os(variable).unwrap_or_else(|| default.into())
    }

    fn standard(self) -> &'static str {
        match self {
            Language::C99 => "-std=c99",
            Language::Cpp98 => "-std=c++98",
            Language::Cpp17 => "-std=c++17",
        }
    }
}

/// Where the package lies.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the C libraries, built and installed by the script of docs/c-api.md, in the
/// profile of this test: `cargo build` alone makes only the Rust library.
pub fn libraries() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let install = || {
        let prefix = build_folder().join("capi");
        let mut command = installer(&prefix);
        let output = command.output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{errors}");
        prefix.join("lib")
    };
    FOLDER.get_or_init(install).clone()
}

/// target/PROFILE, where this test is target/PROFILE/deps/TEST.
fn build_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a file");
    let folder = test.ancestors().nth(2).expect("it is in a build folder");
    folder.to_path_buf()
}

/// The command that installs the C library below a prefix.
pub fn installer(prefix: &Path) -> Command {
    let folder = build_folder();
    let release = folder.ends_with("release");
    let mut command = Command::new(root().join("packaging/install.sh"));
    command
        .args(["--profile", if release { "release" } else { "dev" }])
        .args(["--only", "library", "--prefix"])
        .arg(prefix)
        .env("CARGO", env!("CARGO"))
        // Of tests/times.sh: Cargo would build everything again.
        .env_remove("RUSTC_BOOTSTRAP")
        .env("CARGO_TARGET_DIR", folder.parent().expect("a build folder"));
    command
}

/// Compiles with all warnings as errors. `arguments` come last.
pub fn compile(language: Language, source: &Path, arguments: &[OsString]) {
    let compiler = language.compiler();
    let mut command = Command::new(&compiler);
    command
        .arg(language.standard())
        .args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .arg("-I")
        .arg(root().join("include"))
        .arg(source)
        .args(arguments);
    let output = command.output().unwrap_or_else(|error| {
        panic!(
            "the C interface cannot be tested without a C and a C++ compiler: {}: {error}",
            compiler.to_string_lossy()
        )
    });
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles without linking.
pub fn check(language: Language, source: &Path) {
    compile(language, source, &["-fsyntax-only".into()]);
}

/// Compiles and links with the shared library to a program in `folder`.
pub fn build(language: Language, source: &Path, folder: &Path, defines: &[&str]) -> PathBuf {
    let libraries = libraries();
    let name = source.file_stem().expect("a source has a name");
    let program = folder.join(name);
    let mut rpath = OsString::from("-Wl,-rpath,");
    rpath.push(&libraries);
    let mut arguments: Vec<OsString> = defines.iter().map(Into::into).collect();
    arguments.extend(["-o".into(), program.clone().into()]);
    arguments.extend(["-L".into(), libraries.into(), "-lctm".into(), "-lpthread".into()]);
    arguments.push(rpath);
    compile(language, source, &arguments);
    program
}

/// Cargo sets it for tests, to folders where an older library may lie.
pub const LIBRARY_PATH: &str =
    if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };

/// Runs a program with variables of the environment and nothing of CTM's from outside.
pub fn run(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CTM_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).envs(variables.iter().copied());
    command.env(LIBRARY_PATH, libraries());
    let output = command.output();
    output.unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Runs a program that must succeed and say nothing on standard error; what it prints.
pub fn succeed(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let output = run(program, arguments, variables);
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(
        output.status.success() && err.is_empty(),
        "{} {arguments:?} {variables:?}: {}\n{out}{err}",
        program.display(),
        output.status
    );
    out
}
