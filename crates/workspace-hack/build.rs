//! Without a build script Cargo ignores `[build-dependencies]`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
