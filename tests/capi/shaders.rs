//! ps_3_0 as a client that knows the original interface only has it: small shaders and what a
//! person says that they do (`shaders.cpp`), on every engine.

use crate::compiler::{Language, build, root, run, succeed};
use crate::engines::engines;

const EXPECTED: &str = "shaders: 213 are right, 0 wrong\n";

fn client(folder: &std::path::Path) -> std::path::PathBuf {
    let source = root().join("tests/capi/shaders.cpp");
    build(Language::Cpp17, &source, folder, &[])
}

#[test]
fn shaders_do_what_a_person_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let client = client(folder.path());
    for engine in engines(false) {
        let found = succeed(&client, &[], &[("CTM_ENGINE", engine)]);
        assert_eq!(found, EXPECTED, "on engine {engine}");
    }
}

/// On the adapter that `CTM_ADAPTER` names, else on a real GPU; see `common` for when this runs.
#[test]
#[ignore = "needs an adapter"]
fn shaders_do_what_a_person_says_on_the_gpu() {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let (adapter, cache) = (variable("CTM_ADAPTER"), variable("CTM_CACHE_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let client = client(folder.path());
    for engine in engines(true) {
        let variables = [
            ("CTM_ENGINE", engine),
            ("CTM_ADAPTER", adapter.as_str()),
            ("CTM_CACHE_DIR", cache.as_str()),
        ];
        let output = run(&client, &[], &variables);
        // Drivers say things on standard error.
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(found, EXPECTED, "on engine {engine}");
        assert!(output.status.success(), "{}", output.status);
    }
}
