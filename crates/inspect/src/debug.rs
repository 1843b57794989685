//! Debugging: a session over the launches of a job that runs both ways.
//!
//! Groups of points are independent of each other and deterministic, so a position is a launch, a
//! group and a step. The session runs one group at a time on the reference engine. Going back
//! restores a checkpoint and runs forward.
//!
//! * `plan`: the launches of a job; `kept`: checkpoints, thinned as they age; `launches`: memory
//!   before each launch, and its groups.
//! * `session`: positions, stops, the point that is looked at; `movement`: how it moves;
//!   `seek`: to a place, wherever it is.
//! * `stops`: breakpoints and what else stops a run; `expression`: conditions and watches.
//! * `findings`: what the checks of `ctm check` find in a group, by step.
//! * `why`: where a value came from; `elements`: who wrote what a fetch reads.
//! * `variables`: those of the source, with their values and places.
//! * `show`: the state of a point, the group and the program as text; `data`: what is around them.
//! * `commands`: the commands of `ctm debug`, a line of text each.
//!
//! The module writes no file and prints nothing.

mod commands;
mod data;
mod detector;
mod elements;
mod error;
mod expression;
mod findings;
mod kept;
mod launches;
mod movement;
mod plan;
mod ranges;
mod seek;
mod session;
mod show;
mod stops;
mod variables;
mod why;

pub use commands::{Reply, Verb, complete, execute, help};
pub use error::DebugError;
pub use expression::{Expression, Lane, Value};
pub use movement::{Direction, Goal, Halt};
pub use plan::Plan;
pub use session::{Position, Session};
pub use stops::{Cause, Location, StopPoint};
pub use variables::{Component, Found, SourceVariable};
pub use why::Node;
