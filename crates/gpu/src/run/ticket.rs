//! A launch that runs on the GPU, until its outcome is known.

use ctm_machine::engine::checked::Pending;
use ctm_machine::engine::{Checked, Outcome, Ran, Statistics, Why};
use ctm_machine::launch::Location;
use ctm_shade::abi::results::LaunchResult;

/// A launch that runs.
pub(super) struct Ticket {
    /// Groups and points, if they are known and the shader does not report them.
    groups_and_points: Option<(u64, u64)>,
    /// The part of the launch that the outcome needs.
    pending: Pending,
}

impl Ticket {
    /// The ticket of a launch whose results have its groups and points.
    pub(super) fn of(launch: &Checked, ran: Ran) -> Ticket {
        Ticket { groups_and_points: None, pending: launch.pending(ran) }
    }

    /// The ticket of a launch that runs as a translated shader.
    pub(super) fn of_shader(launch: &Checked, why: Option<Why>) -> Ticket {
        let pending = launch.pending(Ran { engine: Ran::SHADER, why, gpu: None });
        let condition = &launch.condition;
        // Otherwise the shader counts.
        let known = condition.location != Location::Pe || !condition.test.reads_buffer();
        let groups_and_points = known.then(|| (launch.grouping.count(), launch.domain.points()));
        Ticket { groups_and_points, pending }
    }

    /// The outcome of the launch.
    pub(super) fn outcome(&self, mut result: LaunchResult) -> Outcome {
        if let Some((groups, points)) = self.groups_and_points {
            result.statistics = Statistics { groups, points, ..result.statistics };
        }
        result.outcome(self.pending.clone())
    }
}
