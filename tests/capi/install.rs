//! The library as docs/c-api.md says to install, compile and link it.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::compiler::{LIBRARY_PATH, installer, libraries, root};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The library's name for the dynamic linker.
fn soname() -> String {
    let parts: Vec<&str> = VERSION.split('.').collect();
    format!("libctm.so.{}.{}", parts[0], parts[1])
}

/// The lines of the blocks of docs/c-api.md in a language.
fn documented(language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("docs/c-api.md")).expect("readable");
    let mut lines = Vec::new();
    for block in text.split(&format!("```{language}\n")).skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        lines.extend(block.lines().map(str::to_string));
    }
    lines
}

fn succeeded(what: &str, output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{what}\n{out}{err}");
    out
}

/// Runs a line of shell in the root of the package, for what is installed below `prefix`.
fn shell(line: &str, prefix: &Path) -> String {
    let output = Command::new("sh")
        .args(["-ec", line])
        .current_dir(root())
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .env(LIBRARY_PATH, prefix.join("lib"))
        // As the document says: a client without shared libraries cannot load a driver.
        .env("CTM_ENGINE", "block")
        .env_remove("CTM_ADAPTER")
        .output()
        .expect("a shell");
    succeeded(line, &output)
}

fn has(tool: &str, arguments: &[&str]) -> bool {
    let found = Command::new(tool).args(arguments).output();
    found.is_ok_and(|output| output.status.success())
}

/// A C and a C++ client, and what they print.
const CLIENTS: [(&str, &str, &str); 2] = [
    ("cc", "saxpy.c", "saxpy: 4096 results are right\n"),
    ("c++", "upload.cpp", "upload: 7680 results are right\n"),
];

/// Every line of the document, with clients and folders of the test's own.
#[test]
fn the_documents_commands_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("usr");
    let program = folder.path().join("client").display().to_string();
    let empty = folder.path().join("empty.c");
    fs::write(&empty, "int main(void) { return 0; }\n").expect("written");
    let links_statically = has("cc", &["-static", &empty.display().to_string(), "-o", &program]);
    let has_pkg_config = has("pkg-config", &["--version"]);
    let mut clients = Vec::new();
    for line in documented("sh") {
        if line == "packaging/install.sh --prefix /usr/local" {
            let output = installer(&prefix).output().expect("a shell");
            let said = succeeded(&line, &output);
            let at = prefix.display();
            assert_eq!(said, format!("installed libctm {VERSION} below {at}\n"));
        } else if line.starts_with("ldconfig ") {
            // How the library is found: `shell` says it.
        } else if !has_pkg_config || line.contains(" -static ") && !links_statically {
            println!("not run, a tool or the static C library is missing: {line}");
        } else {
            for (compiler, source, expected) in CLIENTS {
                let line = line
                    .replace("cc ", &format!("{compiler} "))
                    .replace("client.c", &format!("examples/c/{source}"))
                    .replace("-o client", &format!("-o {program}"))
                    .replace("/usr/local", &prefix.display().to_string());
                shell(&line, &prefix);
                assert_eq!(shell(&program, &prefix), expected, "{line}");
                let needed = shell(&format!("readelf -d {program}"), &prefix);
                clients.push((compiler, needed.contains(&format!("[{}]", soname()))));
            }
        }
    }
    if has_pkg_config && links_statically {
        let shared = [true, false, false];
        let expected = shared.into_iter().flat_map(|shared| [("cc", shared), ("c++", shared)]);
        assert!(clients.iter().copied().eq(expected), "{clients:?}");
        let version = shell("pkg-config --modversion ctm", &prefix);
        assert_eq!(version.trim(), VERSION);
    }
    for header in fs::read_dir(root().join("include")).expect("readable") {
        let name = header.expect("readable").file_name();
        assert!(prefix.join("include").join(&name).exists(), "{name:?}");
    }
    for name in ["ctm.pc", "ctm-config.cmake", "ctm-config-version.cmake"] {
        let folder = match name {
            "ctm.pc" => "lib/pkgconfig",
            _ => "lib/cmake/ctm",
        };
        let filled = fs::read_to_string(prefix.join(folder).join(name)).expect("installed");
        assert!(!filled.contains('@'), "{filled}");
    }
}

#[test]
fn the_shared_library_has_a_name_and_a_version() {
    let libraries = libraries();
    let dynamic = Command::new("readelf")
        .arg("-d")
        .arg(libraries.join("libctm.so"))
        .output()
        .expect("readelf comes with every C compiler");
    let dynamic = succeeded("readelf", &dynamic);
    let expected = format!("Library soname: [{}]", soname());
    assert!(dynamic.contains(&expected), "{dynamic}");
    let link = |name: &str| fs::read_link(libraries.join(name)).expect("a link");
    assert_eq!(link("libctm.so").as_os_str(), &*soname());
    let file = format!("libctm.so.{VERSION}");
    assert_eq!(link(&soname()).as_os_str(), &*file);
    assert!(libraries.join(file).is_file());
}

#[test]
fn packages_are_staged_and_have_their_own_folder_for_libraries() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = installer(Path::new("/opt/ctm"))
        .args(["--libdir", "lib/arch"])
        .env("DESTDIR", folder.path())
        .output();
    succeeded("install.sh", &output.expect("a shell"));
    let lib = folder.path().join("opt/ctm/lib/arch");
    assert!(lib.join("libctm.a").exists() && lib.join(soname()).exists());
    let read = |name: &str| fs::read_to_string(lib.join(name)).expect("installed");
    let pc = read("pkgconfig/ctm.pc");
    assert!(pc.starts_with("prefix=/opt/ctm\n"), "{pc}");
    assert!(pc.contains("\nlibdir=${prefix}/lib/arch\n"), "{pc}");
    // From lib/arch/cmake/ctm to the prefix.
    let config = read("cmake/ctm/ctm-config.cmake");
    assert!(config.contains("{CMAKE_CURRENT_LIST_DIR}/../../../..\""), "{config}");
    assert!(config.contains("/lib/arch/libctm.a\""), "{config}");
}

/// Every file below a folder, links among them.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("readable") {
            let entry = entry.expect("readable");
            if entry.file_type().expect("known").is_dir() {
                folders.push(entry.path())
            } else {
                let path = entry.path();
                let path = path.strip_prefix(folder).expect("it is below");
                found.insert(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn the_command_is_installed_with_its_pages_and_all_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("usr");
    succeeded("install.sh", &installer(&prefix).output().expect("a shell"));
    let output = installer(&prefix).args(["--only", "command"]).output().expect("a shell");
    let expected = format!("installed ctm {VERSION} below {}\n", prefix.display());
    assert_eq!(succeeded("install.sh", &output), expected);
    let installed = files(&prefix);
    for name in [
        "bin/ctm",
        "share/man/man1/ctm.1",
        "share/man/man1/ctm-mesa-bisect.1",
        "share/bash-completion/completions/ctm",
        "share/fish/vendor_completions.d/ctm.fish",
        "share/zsh/site-functions/_ctm",
        "lib/libctm.a",
    ] {
        assert!(installed.contains(name), "{name}: {installed:?}");
    }
    let output = Command::new(prefix.join("bin/ctm")).arg("--version").output().expect("installed");
    assert_eq!(succeeded("ctm", &output), format!("ctm {VERSION}\n"));
    // What others put there stays.
    fs::write(prefix.join("share/man/man1/other.1"), "").expect("room");
    let uninstall = |parts: &[&str]| {
        let output = Command::new(root().join("packaging/install.sh"))
            .args(["--uninstall", "--prefix", &prefix.display().to_string()])
            .args(parts)
            .output();
        succeeded("install.sh", &output.expect("a shell"))
    };
    let below = prefix.display();
    assert_eq!(uninstall(&["--only", "command"]), format!("removed command below {below}\n"));
    assert!(files(&prefix).contains("lib/libctm.a"));
    assert_eq!(uninstall(&[]), format!("removed library and command below {below}\n"));
    assert_eq!(files(&prefix), BTreeSet::from(["share/man/man1/other.1".to_string()]));
    // Twice does no harm.
    uninstall(&[]);
}

#[test]
fn the_installer_explains_itself() {
    let output = Command::new(root().join("packaging/install.sh")).arg("--help").output();
    let help = succeeded("install.sh --help", &output.expect("a shell"));
    for option in
        ["--prefix DIR", "--libdir DIR", "--profile NAME", "--only PART", "--uninstall", "DESTDIR"]
    {
        assert!(help.contains(option), "{option}: {help}");
    }
}

#[test]
fn arguments_of_the_installer_are_checked() {
    for (arguments, expected) in [
        (&["--only", "man"][..], "install.sh: --only man: expected library or command\n"),
        (&["--prefix", "usr"], "install.sh: --prefix usr: expected an absolute path\n"),
        (
            &["--libdir", "/lib64"],
            "install.sh: --libdir /lib64: expected a path below the prefix, such as lib64\n",
        ),
        (
            &["--prefix", "/opt/a b"],
            "install.sh: /opt/a b, lib: expected paths without spaces, |, & and \\\n",
        ),
        (&["--prefix"], "install.sh: --prefix: expected a value; --help lists all options\n"),
        (&["--target", "x"], "install.sh: --target: there is no such option; --help lists all\n"),
    ] {
        let output = Command::new(root().join("packaging/install.sh"))
            .args(arguments)
            .output()
            .expect("a shell");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    }
}

/// The lines of the document in a project, with both libraries, in C and C++.
#[test]
fn cmake_finds_both_libraries() {
    if !has("cmake", &["--version"]) {
        println!("not run: cmake is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = libraries().parent().expect("a prefix").display().to_string();
    let lines = documented("cmake");
    let series = soname().replace("libctm.so.", "");
    assert_eq!(lines[0], format!("find_package(ctm {series} REQUIRED)"));
    let mut project = format!(
        "cmake_minimum_required(VERSION 3.10)\nproject(clients C CXX)\n\
         find_package(ctm {series}9 QUIET)\nif(ctm_FOUND)\n\
         message(FATAL_ERROR \"another minor version was found\")\nendif()\n{}\n",
        lines[0]
    );
    for (library, suffix) in [("ctm::ctm", "shared"), ("ctm::static", "static")] {
        for (_, source, _) in CLIENTS {
            let name = source.replace('.', "_") + "_" + suffix;
            let source = root().join("examples/c").join(source);
            let source = source.display().to_string();
            for line in &lines[1..] {
                let line = line
                    .replace("client.c", &source)
                    .replace("(client ", &format!("({name} "))
                    .replace("ctm::ctm", library);
                project += &(line + "\n");
            }
        }
    }
    fs::write(folder.path().join("CMakeLists.txt"), project).expect("written");
    let build = folder.path().join("build");
    for arguments in [
        &["-S", ".", "-B", "build", &format!("-DCMAKE_PREFIX_PATH={prefix}")][..],
        &["--build", "build"],
    ] {
        let output = Command::new("cmake").args(arguments).current_dir(folder.path()).output();
        succeeded("cmake", &output.expect("it was found"));
    }
    for (_, source, expected) in CLIENTS {
        for suffix in ["shared", "static"] {
            let name = source.replace('.', "_") + "_" + suffix;
            // CMake leaves the library's path in the program.
            let client = build.join(&name);
            let output = Command::new(client).output().expect("built");
            assert_eq!(succeeded(&name, &output), expected);
        }
    }
}

/// The shared library shows to the linker the functions of the headers, and nothing else.
#[test]
fn the_shared_library_exports_the_declared_names_only() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "-P"])
        .arg(libraries().join("libctm.so"))
        .output()
        .expect("nm comes with every C compiler");
    let text = String::from_utf8_lossy(&output.stdout);
    let exported: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut headers = String::new();
    for entry in fs::read_dir(root().join("include")).expect("readable") {
        headers += &fs::read_to_string(entry.expect("readable").path()).expect("readable");
    }
    assert!(exported.len() > 25, "{exported:?}");
    for name in exported {
        assert!(headers.contains(&format!("{name}(")), "{name} is in no header");
    }
}
