//! Job files and the arrays that they name. It knows no GPU and no command line.

pub mod array;
pub mod job;
pub mod load;
pub mod sweep;
