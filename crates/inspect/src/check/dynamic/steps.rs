//! The findings of the checks in one group, step by step.

use super::races::LaunchWrites;
use super::{Checks, Code, observe};
use crate::check::Finding;
use ctm_machine::engine::reference::{GroupRun, Observer};
use ctm_machine::engine::{Checked, LaunchError, Stop, Stopped};
use ctm_machine::memory::Memory;

/// Options of the checks of a group.
pub struct GroupCheck<'a> {
    /// The codes; those that are found without a run are ignored.
    pub codes: &'a [Code],
    /// The writes of the launch, for races; see [`launch_writes`].
    pub writes: Option<&'a LaunchWrites>,
}

/// Runs a launch on all cores and returns its writes; `None` if it can have no race. Memory stays as
/// it is.
///
/// # Errors
/// If it was stopped.
pub fn launch_writes(
    launch: &Checked<'_>,
    memory: &Memory,
    stop: &Stop,
) -> Result<Option<LaunchWrites>, LaunchError> {
    let codes = [Code::WriteRace, Code::ReadRace];
    if Checks::new(launch, 0, &codes).races.is_none() {
        return Ok(None);
    }
    let groups: Vec<u64> = (0..launch.grouping.count()).collect();
    let (_, checks) = observe(launch, 0, memory, &groups, &codes, stop)?;
    Ok(checks.races.map(super::races::Races::into_writes))
}

/// Runs group `n` of a launch with checks. `found` gets each finding with the number of instructions
/// after which it is known, in this order; the count and the first point are those of one step. What
/// is known when the group ends comes with its last instruction. Memory stays as it is.
///
/// # Errors
/// If it was stopped.
pub fn check_group(
    launch: &Checked<'_>,
    memory: &Memory,
    n: u64,
    check: &GroupCheck<'_>,
    stop: &Stop,
    mut found: impl FnMut(u64, Finding),
) -> Result<(), Stopped> {
    let mut checks = Checks::new(launch, 0, check.codes);
    let Some(mut run) = GroupRun::new(launch, memory, n) else { return Ok(()) };
    if check.writes.is_none() {
        checks.races = None;
    }
    checks.begin(run.moment().group);
    while run.moment().end.is_none() {
        run.advance(launch, memory, stop, Some(&mut checks), &mut |_| false)?;
        if !checks.is_empty() {
            let step = checks.found(0, check.writes).findings;
            step.into_iter().for_each(|finding| found(run.moment().steps, finding));
        }
    }
    Ok(())
}
