//! The library as docs/c-api.md says to compile, link and install it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[path = "capi/compiler.rs"]
#[allow(dead_code)]
mod compiler;
use compiler::{LIBRARY_PATH, libraries, root};

/// The lines of the shell blocks of docs/c-api.md.
fn documented() -> Vec<String> {
    let text = fs::read_to_string(root().join("docs/c-api.md")).expect("readable");
    let mut lines = Vec::new();
    for block in text.split("```sh\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        lines.extend(block.lines().map(str::to_string));
    }
    lines
}

/// Runs a line of shell in the root of the package.
fn shell(line: &str, folder: &Path) -> String {
    let output = Command::new("sh")
        .args(["-ec", line])
        .current_dir(root())
        .env("PKG_CONFIG_PATH", folder.join("usr/lib/pkgconfig"))
        .env(LIBRARY_PATH, libraries())
        .output()
        .expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every line of the document, with a client and folders of the test's own.
#[test]
#[cfg(target_os = "linux")]
fn the_documents_commands_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display();
    let has_pkg_config = Command::new("pkg-config").arg("--version").output().is_ok();
    let mut prefix = String::new();
    let mut clients = 0;
    for line in documented() {
        let line = line
            .replace("client.c", "examples/c/saxpy.c")
            .replace("-o client", &format!("-o {path}/client"))
            .replace("target/release", &libraries().display().to_string())
            .replace("/usr/local", &format!("{path}/usr"))
            // Libraries with all they need to be debugged are large.
            .replace("install -m 755", "ln -s");
        if line.starts_with("prefix=") {
            prefix = line + "\n";
        } else if line.starts_with("cargo rustc ") {
            // `libraries` does so, in the profile of the tests.
        } else if line.starts_with("LD_LIBRARY_PATH=") || line.starts_with("ldconfig") {
            // How the libraries are found: `shell` says it.
        } else if line.contains("libctm.a ") && line.starts_with("cc ") {
            // A test in capi.rs links with these, and it takes its time.
            let template = fs::read_to_string(root().join("ctm.pc.in")).expect("readable");
            let mut lines = template.lines();
            let private = lines.find_map(|line| line.strip_prefix("Libs.private: "));
            let expected = format!("libctm.a {} -o", private.expect("the line is there"));
            assert!(line.contains(&expected), "{line}");
        } else if line.contains("pkg-config") && !has_pkg_config {
            println!("not run, pkg-config is not installed: {line}");
        } else {
            shell(&format!("{prefix}{line}"), folder.path());
            if line.contains("-o ") {
                let client = format!("{path}/client");
                let found = shell(&client, folder.path());
                assert_eq!(found, "saxpy: 4096 results are right\n", "{line}");
                fs::remove_file(client).expect("it was just run");
                clients += 1;
            }
        }
    }
    assert_eq!(clients, if has_pkg_config { 2 } else { 1 });
    for name in ["include/ctm.h", "lib/libctm.so", "lib/libctm.a"] {
        assert!(folder.path().join("usr").join(name).exists(), "{name}");
    }
    let filled = folder.path().join("usr/lib/pkgconfig/ctm.pc");
    let filled = fs::read_to_string(filled).expect("installed");
    assert!(!filled.contains('@'), "{filled}");
}

/// What the shared library shows to the linker is what the headers declare, and nothing else.
#[test]
#[cfg(target_os = "linux")]
fn the_shared_library_exports_the_declared_names_only() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "-P"])
        .arg(libraries().join("libctm.so"))
        .output()
        .expect("nm comes with every C compiler");
    let text = String::from_utf8_lossy(&output.stdout);
    let exported: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut headers = String::new();
    for entry in fs::read_dir(root().join("include")).expect("readable") {
        headers += &fs::read_to_string(entry.expect("readable").path()).expect("readable");
    }
    assert!(exported.len() > 25, "{exported:?}");
    for name in exported {
        assert!(
            headers.contains(&format!("{name}(")),
            "{name} is in no header"
        );
    }
}
