//! The clients of `examples/c` with the sanitizers that come with the C compiler: they see every
//! block that the library gives out or frees, those that nobody frees, and every access of a client.
//! (The library itself is not instrumented; valgrind, where it is installed, looks at it too.)
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::path::PathBuf;

use crate::compiler::{Language, build, root, run, succeed};
use crate::engines::engines;

const FLAGS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

#[test]
fn the_clients_are_clean_under_the_sanitizers() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sources: Vec<PathBuf> = fs::read_dir(root().join("examples/c"))
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .collect();
    sources.sort();
    assert!(sources.len() > 5, "{sources:?}");
    for source in sources {
        let client = build(Language::of(&source), &source, folder.path(), FLAGS);
        for engine in engines(false) {
            // So many submissions, of those clients that count them. Both must be silent.
            let found = succeed(&client, &["100"], &[("CTM_ENGINE", engine)]);
            assert_ne!(found, "", "{}", source.display());
        }
    }
}

/// A client that forgets what it compiled, and one that frees it twice.
const CARELESS: &str = "#include <stdlib.h>\n#include <string.h>\n#include \"amuAsm.h\"\n\
    int main(int count, char **names) {\n\
    AMuint32 size;\n    void *binary;\n    (void)names;\n\
    if (!amuAsmAssemble(\"mov o0, r0\", 10, &size, &binary, NULL)) return 1;\n\
    if (count > 1) {\n    free(binary);\n    free(binary);\n    }\n\
    binary = NULL;\n    return 0;\n}\n";

#[test]
fn the_sanitizers_see_what_the_library_gives() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("careless.c");
    fs::write(&source, CARELESS).expect("a file of the test's own");
    // The second free is too plain for the compiler's warnings; clang has no such warning, and
    // warns of that.
    let quiet: &[&str] = &["-Wno-unknown-warning-option", "-Wno-use-after-free"];
    let flags = [FLAGS, quiet].concat();
    let client = build(Language::C99, &source, folder.path(), &flags);
    for (arguments, expected) in [(&[][..], "LeakSanitizer"), (&["twice"][..], "double-free")] {
        let output = run(&client, arguments, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{said}");
    }
}
