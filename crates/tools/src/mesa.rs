//! Mesa's r300 compiler: what a `RADEON_DEBUG=fp` log shows of it.
//!
//! The log has the compiler's program after each pass. [`bisect`](bisect::bisect) interprets these
//! listings and finds the first pass that changes what the program computes.
//!
//! * `log`: the programs of a log, their passes and declarations. `parse`: the text of a listing to the
//!   data of `listing`.
//! * `interpret`: runs a listing, on values that know whether they were rounded (`number`). `operations`: what each operation computes. `constants`: which value each constant has in each pass. `machine`:
//!   the words at the log's end, on the reference engine. `fetches`: the swizzles that only they have.
//! * `trials`: the inputs that they run with. `outcome`: how two results differ. `bisect`: finds the pass. `parting`: where machine code does
//!   not what its listing says.
//! * [`proofs`]: proves each pass equal to the one before. `symbolic`: runs a listing on terms.
//!
//! Everything here follows what logs show; no code is Mesa's.

mod align;
pub mod bisect;
mod constants;
mod fetches;
mod interpret;
mod listing;
pub mod log;
mod machine;
mod number;
mod operations;
mod outcome;
mod parse;
mod parting;
pub mod proofs;
mod symbolic;
mod trials;

pub use align::align;
pub use parse::ListingError;
pub use parting::Parting;
