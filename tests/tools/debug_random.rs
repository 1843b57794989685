//! The debugger on random programs: going back and forward, and stops and origins compared with a
//! full trace of the reference engine.

use crate::common::Bench;
use ctm::crosscheck::generate::{Strength, generate};
use ctm::debug::{Cause, Direction, Goal, Halt, Location, Plan, Position, Session};
use ctm::engine::reference::{GroupState, Observer, Reference, Step, Trace, TraceEvent};
use ctm::engine::{Checked, NoProgress, Stop};
use ctm::launch::Launch;
use ctm::memory::Memory;
use ctm::random::Random;

const SEED: u64 = 17;
/// The longest groups that are traced.
const STEPS: u64 = 400;

/// A random program over few groups, with its memory.
fn case(index: u64) -> (Launch, Memory) {
    let mut case = generate(SEED, Strength::of_index(index), index);
    case.launch.limits.instructions = STEPS;
    let memory = case.memory().expect("memory");
    (case.launch, memory)
}

fn sessions(count: u64, mut test: impl FnMut(u64, &mut Session<'_>, &mut Random)) {
    let mut tested = 0;
    for index in 0..count {
        let (launch, memory) = case(index);
        let plan = Plan::of_launch(launch, memory);
        // A launch can have no point that runs.
        let Ok(mut session) = Session::new(&plan, Stop::new()) else { continue };
        test(index, &mut session, &mut Random::new(&[SEED, index]));
        tested += 1;
    }
    assert!(tested * 10 >= count * 9, "{tested} of {count} run");
}

/// Everything that depends on the position.
fn state(session: &Session<'_>) -> (Position, GroupState, u64, (u32, u32)) {
    let moment = session.moment();
    let faults = moment.faults.iter().map(|(_, fault)| fault.count).sum();
    (session.position(), moment.group.clone(), faults, session.point())
}

#[test]
fn back_and_forward_give_the_same_state() {
    let (mut moved, mut crossed) = (0, 0);
    sessions(1000, |index, session, random| {
        for _ in 0..3 {
            let n = u64::from(random.logarithmic(1, 500));
            session.run(Direction::Forward, &Goal::Steps(n)).expect("runs");
            let here = session.position();
            let start = state(session);
            let n = u64::from(random.logarithmic(1, 300));
            let halt = session.run(Direction::Back, &Goal::Steps(n)).expect("runs");
            if halt == Halt::Start {
                // Fewer steps may have been left.
                let first = Position { launch: 0, step: 0, ..session.position() };
                assert_eq!(session.position(), first, "program {index}");
                while session.position() < here {
                    session.run(Direction::Forward, &Goal::Steps(1)).expect("runs");
                }
            } else {
                crossed += u64::from(session.position().group != here.group);
                session.run(Direction::Forward, &Goal::Steps(n)).expect("runs");
            }
            moved += 1;
            assert!(state(session) == start, "program {index}: {here:?}, {n} steps");
        }
    });
    assert!(moved >= 2_700 && crossed > 20, "{moved} {crossed}");
}

/// The state before each instruction of the first group and after its last one.
struct Full {
    states: Vec<GroupState>,
    done: bool,
}

impl Observer for Full {
    fn begin(&mut self, group: &GroupState) {
        if !self.done {
            self.states.push(group.clone());
        }
    }
    fn step(&mut self, step: &Step<'_>) {
        if !self.done && step.fault.is_none() {
            self.states.push(step.after.clone());
        }
    }
    fn end(&mut self, _group: &GroupState, _faulted: bool) {
        self.done = true;
    }
}

fn full(index: u64) -> Vec<GroupState> {
    let (launch, mut memory) = case(index);
    let mut full = Full { states: Vec::new(), done: false };
    Reference::new()
        .run_observed(
            &Checked::new(&launch).expect("it can run"),
            &mut memory,
            &NoProgress,
            &mut full,
        )
        .expect("runs");
    full.states
}

/// All steps of the first group at which the session stops, from the present position on.
fn stops(session: &mut Session<'_>, direction: Direction, group: u64, last: u64) -> Vec<u64> {
    let mut found = Vec::new();
    while let Halt::Stops(_) = session.run(direction, &Goal::Job).expect("runs") {
        let position = session.position();
        if position.group != group || position.step > last {
            break;
        }
        found.push(position.step);
    }
    found
}

#[test]
fn breakpoints_and_watches_agree_with_a_full_trace() {
    let (mut breaks, mut changes) = (0, 0);
    sessions(200, |index, session, random| {
        let states = full(index);
        let last = states.len() as u64 - 1;
        let group = session.position().group;
        let slot = session.slot();
        // Every step has the state of the trace.
        let step = u64::from(random.below(states.len() as u32));
        session.go_to_step(step).expect("there is such a step");
        assert!(*session.moment().group == states[step as usize], "program {index}, step {step}");
        session.go_to_step(0).expect("there is such a step");

        // The last state has no next instruction, or it faults.
        let pc = states[random.below(states.len() as u32) as usize].pc();
        let id = session.add_stop(Cause::At(Location::Pc(pc)), None, None);
        if let Ok(id) = id {
            let at: Vec<u64> = (0..last).filter(|&s| states[s as usize].pc() == pc).collect();
            let want: Vec<u64> = at.iter().copied().filter(|&s| s > 0).collect();
            let found = stops(session, Direction::Forward, group, last - u64::from(last > 0));
            assert_eq!(found, want, "program {index}: pc {pc}");
            breaks += found.len();
            session.go_to_group(0, group).expect("the group");
            session.go_to_step(last).expect("there is such a step");
            let back = stops(session, Direction::Back, group, last);
            assert!(back.iter().eq(at.iter().rev()), "program {index}: {back:?} {at:?}");
            session.remove_stop(id).expect("there is one");
        }

        // A channel that changes, if there is one.
        let differs = |&(n, channel): &(usize, usize)| {
            states
                .iter()
                .any(|state| state.temp(slot, n)[channel] != states[0].temp(slot, n)[channel])
        };
        let all = (0..128).flat_map(|n| (0..4).map(move |channel| (n, channel)));
        let changing: Vec<(usize, usize)> = all.filter(differs).collect();
        let (n, channel) = if changing.is_empty() { (1, 0) } else { random.pick(&changing) };
        let text = format!("r{n}.{}", ['r', 'g', 'b', 'a'][channel]);
        session.go_to_group(0, group).expect("the group");
        session.add_stop(Cause::Change(text.clone()), None, None).expect("a watch");
        let value = |s: u64| states[s as usize].temp(slot, n)[channel];
        let want: Vec<u64> = (1..=last).filter(|&s| value(s) != value(s - 1)).collect();
        let found = stops(session, Direction::Forward, group, last);
        assert_eq!(found, want, "program {index}: {text}");
        changes += found.len();
        session.go_to_group(0, group).expect("the group");
        session.go_to_step(last).expect("there is such a step");
        let back: Vec<u64> = stops(session, Direction::Back, group, last);
        let want: Vec<u64> = want.iter().rev().map(|s| s - 1).collect();
        assert_eq!(back, want, "program {index}: {text}, back");
    });
    assert!(breaks > 100 && changes > 100, "{breaks} {changes}");
}

#[test]
fn origins_agree_with_a_full_trace() {
    let mut compared = 0;
    sessions(200, |index, session, random| {
        let (launch, mut memory) = case(index);
        let checked = Checked::new(&launch).expect("it can run");
        let mut events = Vec::new();
        let mut trace =
            Trace::new(session.point(), launch.program.image(), |event| events.push(event));
        Reference::new()
            .run_observed(&checked, &mut memory, &NoProgress, &mut trace)
            .expect("runs");
        let last = full(index).len() as u64 - 1;
        let step = u64::from(random.below(last as u32 + 1));
        session.go_to_step(step).expect("there is such a step");
        for n in 0..8 {
            let channel = random.pick(&['r', 'g', 'b', 'a']);
            let node = session.why(&format!("r{n}.{channel}")).expect("a tree");
            let steps = events.iter().filter_map(|event| match event {
                TraceEvent::Step(step) => Some(step),
                _ => None,
            });
            let writes = |written: &ctm::engine::reference::Value| {
                written.of == format!("r{n}")
                    && written.lanes.iter().any(|lane| lane.channel == Some(channel))
            };
            let wrote = (0..step)
                .zip(steps)
                .filter(|(_, step)| step.written.iter().any(writes))
                .map(|(n, _)| n)
                .last();
            assert_eq!(node.writer.map(|(at, _)| at), wrote, "program {index}, r{n}.{channel}");
            compared += usize::from(wrote.is_some());
        }
    });
    assert!(compared > 200, "{compared}");
}

/// The states in which groups end.
struct Ends(Vec<GroupState>);

impl Observer for Ends {
    fn end(&mut self, group: &GroupState, _: bool) {
        self.0.push(group.clone());
    }
}

/// A group that shares registers is restored from the state of its SIMD, and steps with its partner.
#[test]
fn groups_that_share_registers_end_as_in_a_run() {
    let (mut groups, mut odd) = (0, 0);
    for index in 0..400 {
        let mut case = generate(SEED, Strength::Shared, index);
        case.launch.limits.instructions = STEPS;
        let mut memory = case.memory().expect("memory");
        let plan = Plan::of_launch(case.launch.clone(), case.memory().expect("memory"));
        let checked = Checked::new(&case.launch).expect("runs");
        let count = checked.grouping.count();
        if count > 24 {
            continue;
        }
        let mut ends = Ends(Vec::new());
        Reference::new().run_observed(&checked, &mut memory, &NoProgress, &mut ends).expect("runs");
        let Ok(mut session) = Session::new(&plan, Stop::new()) else { continue };
        // From the last one on: the registers before it are found by running the others.
        for n in (0..count).rev() {
            if session.go_to_group(0, n).is_err() {
                continue;
            }
            session.run(Direction::Forward, &Goal::GroupEnd).expect("runs");
            let group = session.moment().group.clone();
            let same = |one: &&GroupState| one.point(0) == group.point(0);
            let expected = ends.0.iter().find(same).expect("the group ran");
            assert!(group == *expected, "program {index}, group {n}");
            groups += 1;
            odd += group.parity();
        }
    }
    println!("{groups} groups, {odd} of them odd");
    assert!(groups > 500 && odd > 200, "{groups}, {odd}");
}

#[test]
fn pairs_go_back_and_forward_to_the_same_state() {
    let mut moved = 0;
    for index in 0..150 {
        let mut case = generate(SEED, Strength::Shared, index);
        case.launch.limits.instructions = STEPS;
        let plan = Plan::of_launch(case.launch.clone(), case.memory().expect("memory"));
        if Checked::new(&case.launch).expect("runs").grouping.count() > 24 {
            continue;
        }
        let Ok(mut session) = Session::new(&plan, Stop::new()) else { continue };
        let random = &mut Random::new(&[SEED, index]);
        for _ in 0..3 {
            let forward = u64::from(random.logarithmic(1, 500));
            session.run(Direction::Forward, &Goal::Steps(forward)).expect("runs");
            let start = state(&session);
            let back = u64::from(random.logarithmic(1, 200));
            if session.run(Direction::Back, &Goal::Steps(back)).expect("runs") == Halt::Start {
                continue;
            }
            session.run(Direction::Forward, &Goal::Steps(back)).expect("runs");
            assert!(state(&session) == start, "program {index}");
            moved += 1;
        }
    }
    assert!(moved > 100, "{moved}");
}

/// A run that is stopped leaves the session where it was.
#[test]
fn a_stopped_goto_moves_nothing() {
    let source = "loop 200\nadd r1, r1, 1\nendloop\nmov o0, r1\nend\n";
    let bench = Bench::new(source, 8, 16);
    let plan = Plan::of_launch(bench.launch, bench.memory);
    let stop = Stop::new();
    let mut session = Session::new(&plan, stop.clone()).expect("a session");
    session.run(Direction::Forward, &Goal::GroupEnd).expect("runs");
    session.go_to_step(300).expect("a step");
    let before = state(&session);
    stop.stop();
    assert!(session.go_to_step(2).is_err());
    assert_eq!(state(&session), before);
}
