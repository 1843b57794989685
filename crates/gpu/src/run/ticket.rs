//! A launch that runs on the GPU, until its outcome is known.

use crate::run::executor::{self, Done};
use ctm_machine::engine::GpuError;
use ctm_machine::engine::checked::Pending;
use ctm_machine::engine::{Checked, Outcome, Ran, Statistics, Why};
use ctm_machine::launch::Location;
use ctm_shade::abi::results::LaunchResult;

/// A launch that runs.
pub(super) struct Ticket {
    /// The numbers of the executor's work.
    pub work: Vec<u64>,
    /// Groups and points, if they are known and the shader does not report them.
    pub groups_and_points: Option<(u64, u64)>,
    /// What the outcome needs.
    pub pending: Pending,
}

impl Ticket {
    /// The ticket of a launch whose results have its groups and points.
    pub(super) fn of(launch: &Checked, ran: Ran, work: Vec<u64>) -> Ticket {
        Ticket { work, groups_and_points: None, pending: launch.pending(ran) }
    }

    /// The ticket of a launch that runs as a translated shader.
    pub(super) fn of_shader(launch: &Checked, why: Option<Why>, work: Vec<u64>) -> Ticket {
        let pending = launch.pending(Ran { engine: Ran::SHADER, why });
        let condition = &launch.condition;
        // Otherwise the shader counts.
        let known = condition.location != Location::Pe || !condition.test.reads_buffer();
        let groups_and_points = known.then(|| (launch.grouping.count(), launch.domain.points()));
        Ticket { work, groups_and_points, pending }
    }

    /// The outcome of the launch.
    pub(super) fn outcome(&self, mut result: LaunchResult) -> Outcome {
        if let Some((groups, points)) = self.groups_and_points {
            result.statistics = Statistics { groups, points, ..result.statistics };
        }
        result.outcome(self.pending.clone())
    }

    /// The outcome, from the results of its work.
    pub(super) fn take(&self, done: &mut Done) -> Result<Outcome, GpuError> {
        let mut result = LaunchResult::default();
        for &number in &self.work {
            result.merge(executor::only(done, number)?);
        }
        Ok(self.outcome(result))
    }
}
