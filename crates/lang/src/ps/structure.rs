//! The structure of a shader: its blocks, its main program and subroutines, and their calls.

use super::table::{Jump, Op};
use ctm_base::text::{BlockKind, Blocks, Diagnostic, Parsed, Span};
use ctm_isa::isa::STACK_DEPTH;
use std::collections::BTreeMap;

/// The region of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Region {
    #[default]
    Main,
    /// After a `ret`.
    Between,
    /// Inside the subroutine with this label.
    Subroutine(u32, Span),
}

/// A call of a subroutine.
pub(super) struct Call {
    /// The calling subroutine; `None` for the main program.
    pub from: Option<u32>,
    pub to: u32,
    pub span: Span,
}

/// The open blocks, the labels and the calls so far.
#[derive(Default)]
pub(super) struct Structure {
    pub blocks: Blocks<()>,
    pub region: Region,
    pub labels: BTreeMap<u32, Span>,
    pub calls: Vec<Call>,
}

impl Structure {
    /// Checks that a statement other than `label` is allowed here.
    pub fn reachable(&self, op: Op, span: Span) -> Parsed<()> {
        if self.region == Region::Between && op != Op::Flow(Jump::Label) {
            return Err(span
                .error("this is never executed")
                .help("after `ret` only subroutines may follow, and each begins with `label l#`"));
        }
        Ok(())
    }

    /// Checks that aL has a value here. A subroutine may be called from a loop.
    pub fn needs_loop_counter(&self, span: Span) -> Parsed<()> {
        if self.region == Region::Main && !self.blocks.contains(BlockKind::Loop) {
            return Err(span.error("aL has a value only inside `loop`"));
        }
        Ok(())
    }

    /// The subroutine of the current statement.
    pub fn caller(&self) -> Option<u32> {
        match self.region {
            Region::Subroutine(label, _) => Some(label),
            _ => None,
        }
    }

    /// Reports invalid calls: of missing labels, recursive ones, and calls nested too deep.
    pub fn check_calls(&self, errors: &mut Vec<Diagnostic>) {
        for call in &self.calls {
            if !self.labels.contains_key(&call.to) {
                errors.push(call.span.error(format!("there is no `label l{}`", call.to)));
            }
        }
        if !errors.is_empty() {
            return;
        }
        // Visits subroutines in the order of their calls, each with its depth.
        let mut waiting: BTreeMap<u32, usize> = self.labels.keys().map(|&l| (l, 0)).collect();
        for call in self.calls.iter().filter(|call| call.from.is_some()) {
            *waiting.entry(call.to).or_default() += 1;
        }
        let mut ready: Vec<(Option<u32>, usize)> = vec![(None, 0)];
        ready.extend(waiting.iter().filter(|(_, n)| **n == 0).map(|(&l, _)| (Some(l), 1)));
        let mut depths: BTreeMap<u32, usize> = BTreeMap::new();
        while let Some((from, depth)) = ready.pop() {
            for call in self.calls.iter().filter(|call| call.from == from) {
                let deepest = depths.entry(call.to).or_default();
                *deepest = (*deepest).max(depth + 1);
                if *deepest > STACK_DEPTH {
                    errors.push(call.span.error(format!("calls nest deeper than {STACK_DEPTH}")));
                    return;
                }
                if from.is_some()
                    && let Some(count) = waiting.get_mut(&call.to)
                {
                    *count -= 1;
                    if *count == 0 {
                        ready.push((Some(call.to), *deepest));
                    }
                }
            }
        }
        let in_circle = |label: &u32| waiting.get(label).is_some_and(|count| *count > 0);
        if let Some(call) = self
            .calls
            .iter()
            .find(|call| call.from.as_ref().is_some_and(in_circle) && in_circle(&call.to))
        {
            errors.push(
                call.span.error(format!("l{} calls itself, directly or through others", call.to)),
            );
        }
    }
}
