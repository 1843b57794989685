//! The temporaries that need a value from outside the program.

use super::paths::Paths;
use ctm_isa::isa::{TEMPORARIES, Temps};
use ctm_lang::program::Program;
use ctm_machine::engine::{Stop, Stopped};

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
    let mut read = |pc: usize, written: &[u8; TEMPORARIES]| {
        for (temp, channels) in reads[pc].iter() {
            let n = usize::from(temp);
            found[n] |= n < first_clause && channels & !written[n] != 0;
        }
    };
    // What all paths to a node have written.
    let join = |state: &mut [u8; TEMPORARIES], other: &[u8; TEMPORARIES]| {
        state.iter_mut().zip(other).for_each(|(own, other)| *own &= other);
    };
    let states = paths.forward(
        [0; TEMPORARIES],
        [15; TEMPORARIES],
        join,
        |node, state| {
            if node.active {
                for (temp, channels) in writes[node.pc as usize].iter() {
                    state[usize::from(temp)] |= channels;
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
        (0..instructions.len()).for_each(|pc| read(pc, &[0; TEMPORARIES]));
    }
    Ok((0..TEMPORARIES as u8).filter(|&n| found[usize::from(n)]).collect())
}
