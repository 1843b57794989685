//! Readers of steps: checks, the profile, the debugger. They run programs on the CPU, and know no GPU and no command
//! line.

pub mod check;
pub mod debug;
pub mod profile;
