//! The intermediate form of a shader: what a front end makes and the passes take.

use crate::code::Constant;
use crate::flow::{BlockId, FlowGraph};
use crate::graph::{Graph, Id};
use ctm_lang::program::interface::{Interface, Kind, Scalar};

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
    /// The variables of the source.
    pub variables: Vec<Declared>,
    /// The stores to them, in the order of the source's execution.
    pub stores: Vec<Store>,
    /// The registers of a program whose caller sets them by their numbers: its image has no interface then.
    pub registers: Option<Registers>,
}

/// The registers that belong to the caller of a program. A varying is the temporary of its number.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// The float constant of each uniform. Literals are in others, from the highest down.
    pub constants: Vec<u8>,
}

/// A variable of the source.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// The function that declares it; empty for a global variable.
    pub function: String,
    /// The offset of the source of its declaration.
    pub origin: u32,
    /// The kind of its scalars; float for a structure.
    pub kind: Kind,
    /// The number of its scalars.
    pub components: u32,
}

/// A store to a component of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// An index of [`Ir::variables`].
    pub variable: usize,
    /// The component.
    pub component: u32,
    /// The offset of the source of the store.
    pub origin: u32,
    /// The block that makes it.
    pub block: BlockId,
    /// The value; `None` if not every point that runs the block stores it.
    pub value: Option<Id>,
    /// No statement stores: a branch or a loop leaves this value.
    pub joined: bool,
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
    /// The constant that holds a scalar of the interface.
    pub fn constant(&self, n: u32) -> Constant {
        let scalar = self.interface.scalars.get(n as usize);
        match (&self.registers, scalar) {
            (Some(registers), Some(Scalar::Uniform(uniform, component))) => {
                Constant::Register(registers.constants[*uniform], *component as u8)
            }
            _ => Constant::Uniform(n),
        }
    }

    /// A measure by which programs of one source differ: nodes, blocks and constant arrays.
    pub fn size(&self) -> [usize; 3] {
        [self.graph.size(), self.flow.blocks.len(), self.flow.arrays.len()]
    }
}
