//! Rewrites `crates/isa/src/float/tables.rs` and `shaders/float_tables.wgsl`, the coefficients of the
//! transcendentals.

#[path = "../crates/isa/src/float/tests/generate.rs"]
mod generate;

fn main() -> std::io::Result<()> {
    let root = env!("CARGO_MANIFEST_DIR");
    for (name, text) in [
        ("crates/isa/src/float/tables.rs", generate::text()),
        ("shaders/float_tables.wgsl", generate::wgsl()),
    ] {
        std::fs::write(format!("{root}/{name}"), text)?;
        println!("wrote {root}/{name}");
    }
    Ok(())
}
