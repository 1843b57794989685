//! The intermediate form of a shader: what a front end makes and the passes take.

use crate::flow::FlowGraph;
use crate::graph::{Graph, Id};
use ctm_lang::program::interface::Interface;

/// A shader whose functions are inlined.
pub struct Ir {
    /// The operations.
    pub graph: Graph,
    /// The blocks.
    pub flow: FlowGraph,
    /// Output, channel, value.
    pub outputs: Vec<(u8, u8, Id)>,
    /// The interface of the shader: uniforms, varyings, samplers, outputs.
    pub interface: Interface,
}

impl Ir {
    /// A measure by which programs of one source differ: nodes, blocks and constant arrays.
    pub fn size(&self) -> [usize; 3] {
        [self.graph.size(), self.flow.blocks.len(), self.flow.arrays.len()]
    }
}
