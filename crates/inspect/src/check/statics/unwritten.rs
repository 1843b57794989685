//! The temporaries that need a value from outside the program.

use super::dataflow::State;
use super::paths::Paths;
use ctm_isa::isa::{TEMPORARIES, Temps};
use ctm_lang::program::Program;
use ctm_machine::engine::{Stop, Stopped};

/// The channels of temporaries that all paths to a node have written.
#[derive(Clone, PartialEq)]
struct Written([u8; TEMPORARIES]);

impl State for Written {
    fn join(&mut self, other: &Written) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own &= other);
    }
}

/// The temporaries that some path reads before it has written them. Clause temporaries are not among
/// them: they begin with 0.
///
/// # Errors
/// It was stopped.
pub fn unwritten(program: &Program, stop: &Stop) -> Result<Vec<u8>, Stopped> {
    let instructions = program.instructions();
    let first_clause = program.sharing().unwrap_or_default().first_clause();
    let paths = Paths::of(program);
    let reads: Vec<Temps> = instructions.iter().map(Temps::read_by).collect();
    let writes: Vec<Temps> = instructions.iter().map(Temps::written_by).collect();
    let mut found = [false; TEMPORARIES];
    let mut read = |pc: usize, written: &Written| {
        for (temp, channels) in reads[pc].iter() {
            let n = usize::from(temp);
            found[n] |= n < first_clause && channels & !written.0[n] != 0;
        }
    };
    let states = paths.forward(
        Written([0; TEMPORARIES]),
        Written([15; TEMPORARIES]),
        |node, state| {
            if node.active {
                for (temp, channels) in writes[node.pc as usize].iter() {
                    state.0[usize::from(temp)] |= channels;
                }
            }
        },
        stop,
    )?;
    for (node, state) in paths.nodes.iter().zip(&states).filter(|(node, _)| node.active) {
        read(node.pc as usize, state);
    }
    // Instructions on paths that are not known may read whatever they name.
    if paths.cut || paths.gave_up.get() {
        (0..instructions.len()).for_each(|pc| read(pc, &Written([0; TEMPORARIES])));
    }
    Ok((0..TEMPORARIES as u8).filter(|&n| found[usize::from(n)]).collect())
}
