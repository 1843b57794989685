//! Rewrites `src/float/tables.rs`, the coefficients of the transcendentals.

#[path = "../src/float/generate.rs"]
mod generate;

fn main() -> std::io::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/float/tables.rs");
    std::fs::write(path, generate::text())?;
    println!("wrote {path}");
    Ok(())
}
