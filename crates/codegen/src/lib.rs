#![doc = include_str!("../README.md")]
//! # Design
//! The passes, in order:
//!
//! * The front end makes the nodes of the [`graph`] and the blocks of [`flow`]; together they are an [`ir::Ir`]. The
//!   `rules` simplify nodes as they are made.
//! * `motion` chooses the block of each node (code motion), `variables` the registers of variables.
//! * `select` chooses the operations, those of [`code`], and `copies` inserts the copies into variables.
//! * [`schedule`] packs the operations into instructions, with [`pack`], and allocates registers. [`search`] takes the best
//!   schedule by [`cost`].
//! * [`emit`] makes the image; `predicates` turns short branches into predicated instructions, `structured` writes the
//!   jumps of the others. Its interface has the names of the source.
//! * [`print`](mod@print) shows each form as text, [`read`] reads the graph and its blocks. [`evaluate`] says what each form
//!   computes at a point.
//!
//! The crate knows no source language, no memory, no engines and no job files.

pub mod case;
pub mod code;
mod copies;
pub mod cost;
pub mod emit;
pub mod evaluate;
pub mod explain;
pub mod flow;
pub mod graph;
pub mod ir;
pub mod limits;
pub mod lines;
pub mod locations;
mod motion;
pub mod pack;
mod placement;
mod predicates;
pub mod print;
pub mod read;
mod rematerialize;
pub mod rules;
pub mod schedule;
pub mod search;
mod select;
mod structured;
mod variables;
