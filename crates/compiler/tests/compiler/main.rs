//! The compiler: languages and refusals, flow control, kernels, shaders with known results.

mod builtins;
mod conditions;
mod corpus;
mod depth;
mod effects;
mod explain;
mod fetches;
mod flow;
mod forms;
mod invalid;
mod kernels;
mod languages;
mod lines;
mod point;
mod ps;
mod remedies;
mod rules;
mod stopping;
mod values;
mod vectors;
mod verify;
