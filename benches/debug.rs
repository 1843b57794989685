//! The time that a debug session takes to step back, deep inside a group.
//!
//! `cargo bench --bench debug`: after 10^6 and 2^24 instructions of one group, single steps back, and
//! steps back over random distances.

use ctm::asm::assemble;
use ctm::debug::{Direction, Goal, Halt, Plan, Session};
use ctm::engine::Stop;
use ctm::launch::{Domain, Launch};
use ctm::memory::{ArenaSizes, Memory};
use ctm::program::Program;
use ctm::random::Random;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SOURCE: &str = "\
again: mad r1, r0, r1, r0
       add r2.rgb, r1, r2 | rcp r2.a, r1.a
       dp4 r3.r, r1, r2
       jump -> again
       end
";

/// Goes back and returns the time that it took.
fn back(session: &mut Session<'_>, steps: u64) -> Duration {
    let start = Instant::now();
    let halt = session.run(Direction::Back, &Goal::Steps(steps));
    assert_eq!(halt.expect("it runs"), Halt::Goal);
    start.elapsed()
}

fn milliseconds(times: &mut [Duration]) -> String {
    times.sort();
    let of = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, last) = (times[times.len() / 2], times[times.len() - 1]);
    format!("{:.1} ms, at most {:.1} ms", of(median), of(last))
}

fn main() {
    let image = assemble(SOURCE, "bench.dpp").expect("it is right");
    let program = Arc::new(Program::new(image).expect("it is valid"));
    let mut launch = Launch::new(program, Domain { i0: 0, j0: 0, i1: 7, j1: 7 });
    launch.limits.instructions = 1 << 40;
    let memory = Memory::new(&ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 0 });
    let plan = Plan::of_launch(launch, memory.expect("memory"));
    let mut session = Session::new(&plan, Stop::new()).expect("a session");
    for depth in [1_000_000, 1 << 24] {
        let start = Instant::now();
        session.go_to_step(depth).expect("there is such a step");
        println!("step {depth}: {:.1} s forward", start.elapsed().as_secs_f64());
        let mut single: Vec<Duration> = (0..2000).map(|_| back(&mut session, 1)).collect();
        println!("  one step back: {}", milliseconds(&mut single));
        let mut random = Random::new(&[depth]);
        let mut far = Vec::new();
        for _ in 0..30 {
            session.go_to_step(depth).expect("there is such a step");
            far.push(back(&mut session, u64::from(random.logarithmic(1, 900_000))));
        }
        println!("  up to 900000 steps back: {}", milliseconds(&mut far));
    }
}
