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
    /// The channels of outputs.
    pub outputs: Vec<OutputChannel>,
    /// The interface of the shader: uniforms, varyings, samplers, outputs.
    pub interface: Interface,
}

/// A channel of an output.
#[derive(Clone, Copy, Debug)]
pub struct OutputChannel {
    /// The output.
    pub slot: u8,
    /// The channel, 0 R to 3 A.
    pub channel: u8,
    /// Its value.
    pub value: Id,
    /// The offset of the source of the store.
    pub origin: u32,
}

impl Ir {
    /// A measure by which programs of one source differ: nodes, blocks and constant arrays.
    pub fn size(&self) -> [usize; 3] {
        [self.graph.size(), self.flow.blocks.len(), self.flow.arrays.len()]
    }
}
