//! The work of one run of the interpreter: the launches of a pack, or the groups of one launch.

use crate::abi::encode::Ready;
use crate::abi::launch::LaunchRecord;
use crate::abi::places::Places;
use crate::plan::Data;
use crate::plan::prepared::Prepared;
use crate::variant::Variant;
use ctm_machine::engine::groups::SLOTS;
use ctm_machine::memory::Memory;
use std::collections::HashMap;
use std::sync::Arc;

/// Launches that run together: their records and code, and the groups of each.
pub struct Work {
    /// The shader.
    pub variant: Variant,
    /// The amount of work.
    pub effort: u64,
    /// Everything that shaders read, except memory.
    pub code: Vec<[u32; 4]>,
    /// The initial data of temporaries.
    data: Vec<Arc<Data>>,
    /// The launches.
    pub launches: Vec<LaunchRecord>,
    /// The number of groups of each launch.
    pub groups: Vec<u64>,
    /// Log entries that a group can need besides those for faults.
    pub log_entries: u64,
    /// Whether a dispatch whose log was too small may run again.
    pub repeatable: bool,
    /// The most micro-operations of a group in one dispatch.
    pub slice: u32,
    /// The largest number of rows and uniforms of a program.
    pub rows: u32,
    /// The most micro-operations that a group executes in one dispatch.
    pub steps: u64,
}

impl Work {
    /// The work of launches. They share the code of a program. `slice`: the most vec4s of micro-operations
    /// that a group takes in one dispatch. `variant` returns the shader for the launches, of which there is
    /// this much to do.
    ///
    /// # Errors
    /// The errors of `variant`.
    pub fn new<E>(
        launches: &[(&Prepared, &Memory)],
        slice: u32,
        variant: impl FnOnce(&[&Prepared], u64) -> Result<Variant, E>,
    ) -> Result<Work, E> {
        let plans = || launches.iter().map(|(plan, _)| *plan);
        let groups: Vec<u64> = plans().map(|plan| plan.groups).collect();
        let most = u64::from(slice);
        let steps = plans().map(|plan| plan.operations().map_or(most, |all| all.min(most)));
        let steps = steps.max().unwrap_or(0);
        let mut programs: HashMap<*const Ready, u32> = HashMap::new();
        let (mut code, mut records): (Vec<[u32; 4]>, Vec<LaunchRecord>) = Default::default();
        let (mut data, mut starts): (Vec<Arc<Data>>, _) = (Vec::new(), 0);
        for (plan, memory) in launches {
            let program = *programs.entry(Arc::as_ptr(&plan.ready)).or_insert_with(|| {
                let at = code.len() as u32;
                code.extend(&plan.encoded().words);
                at
            });
            let (record, mut own) = plan.record(memory, program, code.len() as u32);
            code.append(&mut own);
            records.push(LaunchRecord { number: records.len() as u32, starts, ..record });
            data.extend(plan.starts().cloned());
            starts += plan.starts().map(|data| data.len() as u32).sum::<u32>();
        }
        let count: u64 = groups.iter().sum();
        let effort = (code.len() / records.len().max(1)) as u64 * count;
        Ok(Work {
            variant: variant(&plans().collect::<Vec<_>>(), effort)?,
            effort,
            code,
            data,
            launches: records,
            groups,
            log_entries: plans().map(Prepared::log_entries).max().unwrap_or(0),
            repeatable: plans().any(|plan| plan.logs),
            slice,
            rows: plans().map(|plan| plan.encoded().rows).max().unwrap_or(0),
            steps,
        })
    }

    /// The initial data of temporaries, in the order of `starts`.
    pub fn data(&self) -> Vec<&Arc<Data>> {
        self.data.iter().collect()
    }

    /// Puts the places of the launches' surfaces into the records. `copied`: some of them are in copies.
    #[must_use]
    pub fn at(mut self, copied: bool, places: &[Places]) -> Work {
        self.variant.memory.copies = copied;
        for (launch, places) in self.launches.iter_mut().zip(places) {
            places.locate(launch);
        }
        self
    }

    /// The most point-instructions of a dispatch of some groups, counted in micro-operations.
    pub fn most(&self, groups: u64) -> u64 {
        (groups * SLOTS as u64).saturating_mul(self.steps)
    }
}
