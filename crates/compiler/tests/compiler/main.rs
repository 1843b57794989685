//! The compiler: languages and refusals, flow control, kernels, shaders with known results.

mod conditions;
mod corpus;
mod explain;
mod flow;
mod kernels;
mod languages;
mod vectors;
