//! Files that tests read: jobs, listings, and the collection of test vectors.

use std::path::{Path, PathBuf};

/// The folder of the checkout.
pub fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent);
    crates.expect("this crate is two folders below").to_path_buf()
}

/// Jobs under kernels/ that are slow without full optimisation; each has a small variant.
pub const LARGE: [&str; 4] = [
    "mandelbrot/mandelbrot.toml",
    "matmul/matmul.toml",
    "reduce/passes.toml",
    "reduce/reduce.toml",
];

/// Jobs under kernels/ whose groups share registers: only the engines on the CPU run them.
pub const SHARING: [&str; 6] = [
    "barrier/barrier.toml",
    "conflicts/clause.toml",
    "conflicts/global.toml",
    "histogram/histogram.toml",
    "reduce/reduce.toml",
    "reduce/reduce_256.toml",
];

/// Whether a file is one of [`SHARING`].
pub fn is_sharing(job: &Path) -> bool {
    SHARING.iter().any(|name| job.ends_with(name))
}

/// Whether a file is one of [`LARGE`].
pub fn is_large(job: &Path) -> bool {
    LARGE.iter().any(|name| job.ends_with(name))
}

/// All files in a folder and below whose names have this extension, sorted by name.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All job files in a folder of the checkout and below.
pub fn jobs(folder: &str) -> Vec<PathBuf> {
    files(&root().join(folder), "toml")
}

/// The larger collection of test vectors, if there is one: the folder `vectors` in the folder that
/// `CTM_SHARED` names, or else in `shared` beside the checkout. Without one, a test says so and
/// checks nothing; if `CTM_SHARED` is set, the collection must exist.
pub fn collection() -> Option<PathBuf> {
    let named = std::env::var_os("CTM_SHARED").map(PathBuf::from);
    let required = named.is_some();
    let beside = || root().join("../shared");
    let vectors = named.unwrap_or_else(beside).join("vectors");
    if vectors.is_dir() {
        return Some(vectors);
    }
    assert!(!required, "{} is not a folder", vectors.display());
    println!("not checked: {} is not a folder", vectors.display());
    None
}
