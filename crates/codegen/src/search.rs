//! The choice of a schedule for a graph: a few policies and strategies, or a search.

use crate::code::{Code, Policy};
use crate::cost;
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit, check_flow};
use crate::motion;
use crate::placement::Placement;
use crate::rematerialize::rematerialize;
use crate::schedule::{self, Schedule, Strategy};
use crate::select;
use ctm_base::random::Random;
use ctm_base::work::{Ended, Work};

/// Operations of all schedules that are tried.
const MAX_WORK: usize = 4000;

/// Operations of all schedules of a search.
const SEARCH_WORK: usize = 50_000;

/// The least that a try counts.
const LEAST_WORK: usize = 100;

/// The fastest of several schedules; of equal ones the shortest. `long`: after a search.
pub fn best(ir: &Ir, long: bool, budget: &Work<'_>) -> Result<Schedule, Exceeded> {
    let policy = |mad, presubtract_first, presubtract, dot| Policy {
        mad,
        presubtract_first,
        presubtract,
        // A dot product is no sum of products, to the bit.
        dot: dot || ir.graph.keeps_bits(),
    };
    let plain = [policy(false, false, false, true)];
    let policies = [
        policy(true, false, true, true),
        policy(true, true, true, true),
        policy(false, true, true, true),
        policy(true, false, false, true),
        policy(true, false, true, false),
    ];
    let policies = if ir.graph.unoptimized() { &plain[..] } else { &policies[..] };
    let strategies = [
        Strategy { delay: 2, affinity: true, width: 2, frugal: false },
        Strategy { delay: 0, affinity: false, width: 3, frugal: false },
        Strategy { delay: 6, affinity: true, width: 4, frugal: false },
        Strategy { delay: 2, affinity: false, width: 2, frugal: false },
    ];
    let frugal = Strategy { delay: 0, affinity: false, width: 1, frugal: true };
    let placement = budget.timed("code motion", || motion::place(ir, budget))?;
    let ended = |why| {
        let last = ir.flow.blocks.last();
        Limit::Work(why).at(last.map_or(0, |block| block.origin))
    };
    check_flow(ir, &placement)?;
    let mut found: Option<Found> = None;
    let mut failure = Limit::Instructions.at(0);
    let mut work = 0;
    // All policies with one strategy, then the best policy with the others; where registers are too few, all again
    // with as few as possible, and then with what is cheap computed again.
    let first = policies.iter().map(|policy| (Some(*policy), strategies[0], false));
    let others = strategies[1..].iter().map(|strategy| (None, *strategy, false));
    let last = [false, true].into_iter().flat_map(|cheap_again| {
        policies.iter().map(move |policy| (Some(*policy), frugal, cheap_again))
    });
    for (policy, strategy, cheap_again) in first.into_iter().chain(others).chain(last) {
        let crowded = found.is_none() && failure.limit == Limit::Temporaries;
        // Large programs get fewer tries.
        let wanted = if strategy.frugal { crowded } else { work <= MAX_WORK };
        if !wanted {
            continue;
        }
        let Some(policy) = policy.or(found.as_ref().map(|found| found.policy)) else { continue };
        let mut code = match selected(ir, &placement, policy, budget) {
            Ok(code) => code,
            Err(_) if found.is_some() => break,
            Err(why) => return Err(ended(why)),
        };
        if cheap_again {
            rematerialize(&mut code);
        }
        let first = work == 0;
        work += code.operations.len();
        if !first && !strategy.frugal && work > MAX_WORK {
            continue;
        }
        match scheduled(ir, code, strategy, &[], budget) {
            Ok(schedule) => {
                if found.as_ref().is_none_or(|best| cost::of(&schedule) < cost::of(&best.schedule))
                {
                    found = Some(Found { policy, strategy, offsets: Vec::new(), schedule });
                }
            }
            Err(error) => failure = error,
        }
    }
    let found = found.ok_or(failure)?;
    let found = if long { search(ir, &placement, policies, found, budget) } else { found };
    Ok(found.schedule)
}

/// [`select::select`], timed.
pub(crate) fn selected(
    ir: &Ir,
    placement: &Placement,
    policy: Policy,
    budget: &Work<'_>,
) -> Result<Code, Ended> {
    budget.timed("select", || select::select(ir, placement, policy, budget))
}

/// [`schedule::schedule`], timed.
fn scheduled(
    ir: &Ir,
    code: Code,
    strategy: Strategy,
    offsets: &[i8],
    budget: &Work<'_>,
) -> Result<Schedule, Exceeded> {
    budget.timed("schedule", || schedule::schedule(ir, code, strategy, offsets, budget))
}

/// A schedule, and how it came about.
struct Found {
    policy: Policy,
    strategy: Strategy,
    /// The offsets of operations' heights.
    offsets: Vec<i8>,
    schedule: Schedule,
}

/// Changes of policies, strategies and priorities, as long as there is a budget; each that is not worse stays.
fn search(
    ir: &Ir,
    placement: &Placement,
    policies: &[Policy],
    mut found: Found,
    budget: &Work<'_>,
) -> Found {
    let mut work = 0;
    for step in 0.. {
        let mut random = Random::new(&[step]);
        let Found { mut policy, mut strategy, ref offsets, .. } = found;
        let mut offsets = offsets.clone();
        match random.below(8) {
            0 => {
                policy = random.pick(policies);
                offsets.clear();
            }
            1 => {
                strategy = Strategy {
                    delay: random.below(9),
                    affinity: random.chance(50),
                    width: 1 + random.below(5) as usize,
                    frugal: false,
                };
            }
            _ => {}
        }
        let Ok(code) = selected(ir, placement, policy, budget) else { break };
        // Small programs do not get more tries than they have schedules.
        work += code.operations.len().max(LEAST_WORK);
        if work > SEARCH_WORK || code.operations.is_empty() {
            break;
        }
        offsets.resize(code.operations.len(), 0);
        for _ in 0..1 + random.below(4) {
            let n = random.below(offsets.len() as u32) as usize;
            offsets[n] = random.below(13) as i8 - 6;
        }
        let Ok(schedule) = scheduled(ir, code, strategy, &offsets, budget) else { continue };
        if cost::of(&schedule) <= cost::of(&found.schedule) {
            found = Found { policy, strategy, offsets, schedule };
        }
    }
    found
}
