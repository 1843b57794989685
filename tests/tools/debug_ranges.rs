//! Bounds that the debugger shows beside values: each value of each point that runs is in its range.

use ctm::debug::{Direction, Goal, Plan, Session};
use ctm::engine::Stop;
use ctm::job::{Job, RunOptions};
use std::path::Path;

/// The steps of a group that are looked at.
const STEPS: u64 = 400;

/// Jobs with branches, loops, fetches, predicates, several passes, and places with signs.
const JOBS: [&str; 8] = [
    "glsl/sdf_shapes",
    "glsl/phong",
    "glsl/mandelbrot_orbit",
    "glsl/blur",
    "mandelbrot/mandelbrot",
    "sobel/sobel",
    "jacobi/jacobi",
    "../tests/debug_sessions/bounded",
];

#[test]
fn every_value_is_in_its_range() {
    let (mut inside, mut narrow, mut signed, mut constant) = (0, 0, 0, 0);
    for name in JOBS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("kernels/{name}.toml"));
        let job = Job::read(&path).expect("a job");
        let plan = Plan::of_job(&job, &RunOptions::default()).expect("memory");
        let mut session = Session::new(&plan, Stop::new()).expect("a session");
        // A group at the edge, and one inside.
        for group in [0, session.launch().grouping.count() / 2] {
            session.go_to_group(0, group).expect("a group");
            for _ in 0..STEPS {
                let moment = session.moment();
                if moment.end.is_some() {
                    break;
                }
                let points = moment.group.active() & moment.group.covered();
                // A slot that runs: the places of variables are the same for all of them.
                let running = (0..64).find(|slot| points >> slot & 1 != 0);
                let variables = running.map(|slot| session.variables_of(slot)).unwrap_or_default();
                for found in
                    variables.iter().flat_map(|one| &one.components).flat_map(|one| &one.found)
                {
                    let Some(range) = session.range_of(found) else { continue };
                    signed += u64::from(found.place.starts_with(['-', '|']));
                    constant += u64::from(found.place.starts_with('c'));
                    for slot in (0..64).filter(|slot| points >> slot & 1 != 0) {
                        let bits = session.bits_at(slot, found);
                        let (at, place) = (session.place(), &found.place);
                        assert!(range.contains(bits), "{name}: {bits:08x} of {place} at {at}");
                    }
                }
                for (temp, channel) in (0..32).flat_map(|n| (0..4).map(move |c| (n, c))) {
                    let Some(range) = session.range(temp, channel) else { continue };
                    narrow += u64::from(range.numbers() != Some((0.0, 0.0)));
                    for slot in (0..64).filter(|slot| points >> slot & 1 != 0) {
                        let bits = moment.group.temp(slot, temp.into())[usize::from(channel)];
                        let at = session.place();
                        assert!(range.contains(bits), "{name}: {bits:08x} of r{temp} at {at}");
                        inside += 1;
                    }
                }
                session.run(Direction::Forward, &Goal::Steps(1)).expect("runs");
            }
        }
    }
    assert!(inside > 100_000 && narrow > 5000, "{inside} values, {narrow} ranges");
    assert!(signed > 0 && constant > 0, "{signed} signed places, {constant} constants");
}
