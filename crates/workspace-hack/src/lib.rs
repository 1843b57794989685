//! Empty: its Cargo.toml is what it is for.
