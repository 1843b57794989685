//! Bounds that the debugger shows beside values: each value of each point that runs is in its range.

use ctm::debug::{Direction, Goal, Plan, Session};
use ctm::engine::Stop;
use ctm::job::{Job, RunOptions};
use std::path::Path;

/// The steps of a group that are looked at.
const STEPS: u64 = 400;

/// Jobs with branches, loops, fetches, predicates and several passes.
const JOBS: [&str; 7] = [
    "glsl/sdf_shapes",
    "glsl/phong",
    "glsl/mandelbrot_orbit",
    "glsl/blur",
    "mandelbrot/mandelbrot",
    "sobel/sobel",
    "jacobi/jacobi",
];

#[test]
fn every_value_is_in_its_range() {
    let (mut inside, mut narrow) = (0, 0);
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
}
