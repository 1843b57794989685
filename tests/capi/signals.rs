//! A client that signals interrupt while engines compute in its thread.
#![cfg(unix)]

use crate::compiler::{Language, build, root, run};
use crate::engines::engines;

#[test]
fn signals_and_clients_see_the_floats_of_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = root().join("tests/capi/signals.c");
    let client = build(Language::C99, &source, folder.path(), &[]);
    let results = engines(false).map(|engine| {
        let output = run(&client, &[], &[("CTM_ENGINE", engine)]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{engine}: {errors}");
        (engine, output.stdout)
    });
    let results: Vec<_> = results.collect();
    for (engine, bits) in &results {
        assert_eq!(bits.len(), 16 * 16 * 16);
        assert!(bits == &results[0].1, "{engine} and {} differ", results[0].0);
    }
}
