//! The playground's module: requests of a page in, answers out. docs/browser.md describes the page.
//!
//! * [`page`]: what a page has open, and its requests; `source`: files to a job, errors with their places;
//!   `code`: instructions beside the source; `run`: a run and its pictures; `play`: frame after
//!   frame; `values`: values by the names of the source; `form`: the form of a job, and
//!   changes of its text; `step`: the debugger; `proof`: programs that are proved equal to those at the start.
//! * `exports`: the functions of the WebAssembly module. `message`: the bytes that cross them.
//!
//! It opens no file and knows nothing of WebGPU.

mod code;
#[cfg(target_arch = "wasm32")]
mod exports;
mod form;
pub mod message;
pub mod page;
mod play;
mod proof;
mod run;
mod source;
mod step;
#[cfg(test)]
mod tests;
mod values;
