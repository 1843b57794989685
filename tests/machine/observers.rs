//! The reference engine's observers: events in order, the trace of a point, and the claim that
//! flow control treats a point in a group as if it were alone.

use crate::common::{self, Bench};
use ctm::engine::Checked;
use ctm::engine::NoProgress;
use ctm::engine::reference::{Fetched, GroupState, Observer, Reference, Step, Store, Trace};
use ctm::launch::Domain;
use ctm::program::{Image, Program};
use ctm::random::Random;
use ctm_testing::files;
use std::sync::Arc;

#[derive(Default)]
struct Events(Vec<String>);

impl Observer for Events {
    fn begin(&mut self, group: &GroupState) {
        self.0.push(format!("group {:x}", group.covered()));
    }
    fn end(&mut self, _group: &GroupState, faulted: bool) {
        self.0.push(format!("group end {faulted}"));
    }
    fn step(&mut self, step: &Step<'_>) {
        let Step { pc, before, after, .. } = step;
        let red = step.result(0).map(|result| f32::from_bits(result.value[0]));
        self.0.push(format!("step {pc}, from {} to {}: {red:?}", before.pc(), after.pc()));
        if let Some(Fetched { input, meant, read, channels, .. }) = step.fetch(0) {
            let red = f32::from_bits(channels[0]);
            self.0.push(format!("fetch {input} {meant:?} {read:?} {red}"));
        }
        for operand in step.reads(0, 0) {
            let place = operand.place.map_or("inline".to_string(), |place| place.to_string());
            self.0.push(format!("read {place} {}", f32::from_bits(operand.bits)));
        }
        for written in step.writes(0).filter(|written| written.write.channel == 0) {
            let place = written.place.expect("no uncached write");
            let old = before.bits(0, place, &step.launch.constants).map(f32::from_bits);
            self.0.push(format!("write {place} {old:?} {}", f32::from_bits(written.bits)));
        }
    }
    fn stored(&mut self, store: &Store) {
        let Store { point, destination, address, element, .. } = store;
        let mask = element.byte_mask;
        self.0.push(format!("store {point:?} {destination:?} {address:x} {mask:x}"));
    }
}

#[test]
fn events_come_in_order() {
    let mut bench = Bench::new("add r0.r, r0, -1\nld r1, i0[r0.rg]\nadd o0.r, r1, 1", 2, 1);
    bench.input(0, 2, 1, &[0x4000_0000; 8]);
    let mut events = Events::default();
    let Bench { launch, memory, .. } = &mut bench;
    Reference::new()
        .run_observed(&Checked::new(launch).expect("it can run"), memory, &NoProgress, &mut events)
        .expect("runs");
    assert_eq!(
        events.0,
        [
            "group 3",
            "step 0, from 0 to 1: Some(-1.0)",
            "read r0.r 0",
            "write r0.r Some(0.0) -1",
            "step 1, from 1 to 2: None",
            "fetch 0 (-1, 0) (0, 0) 2",
            "read r0.r -1",
            "read r0.g 0",
            "write r1.r Some(0.0) 2",
            "step 2, from 2 to 3: Some(3.0)",
            "read r1.r 2",
            "write o0.r Some(0.0) 3",
            "store (0, 0) Output(0) 10000000 f",
            "store (1, 0) Output(0) 10000010 f",
            "group end false",
        ]
    );
}

#[test]
fn the_trace_of_a_point_shows_sources_results_and_flow() {
    let source = "
        sub alu_result<0, r0.r, 1
        if alu_result
            mov r1.r, 2
        endif
        mov o0.r, r1";
    let mut bench = Bench::new(source, 2, 1);
    let mut lines = Vec::new();
    let Bench { launch, memory, .. } = &mut bench;
    let program = launch.program.clone();
    let mut trace = Trace::new((1, 0), program.image(), |event| lines.push(event.to_string()));
    Reference::new()
        .run_observed(&Checked::new(launch).expect("it can run"), memory, &NoProgress, &mut trace)
        .expect("runs");
    let text = lines.join("\n");
    let want = "\
point (1, 0) starts in slot 1: r0 = 1 (3f800000), 0 (00000000), 0 (00000000), 0 (00000000)
  0  sub alu_result<0, r0.r, 1   # test.dpp:2:9
       A.r = 1 (3f800000)
       B.r = 1 (3f800000)
       C.r = -1 (bf800000)
       ALU result = 0";
    assert!(text.starts_with(want), "{text}");
    for part in [
        "       ALU result = 0",
        "   [inactive, branch counter 0]",
        "       -> pc 2, branch counter 0, 0 loop frame(s), aL 0, 0 address(es)",
        "       -> pc 4, not branch-inactive, 0 loop frame(s), aL 0, 0 address(es)",
        "writes output 0 at 0x10000010: 00 00 00 00",
        "point (1, 0) ends after 5 group instructions: done",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// DP4 reads the alpha unit's own A; what the alpha unit reads stands below it.
#[test]
fn a_trace_shows_what_dp4_reads_beside_mdh() {
    let source = std::fs::read_to_string("tests/debug_sessions/dot_beside.dpp").expect("text");
    let mut bench = Bench::new(&source, 2, 2);
    let Bench { launch, memory, .. } = &mut bench;
    let program = launch.program.clone();
    let mut lines = Vec::new();
    let mut trace = Trace::new((1, 1), program.image(), |event| lines.push(event.to_string()));
    Reference::new()
        .run_observed(&Checked::new(launch).expect("it can run"), memory, &NoProgress, &mut trace)
        .expect("runs");
    let shown: Vec<&str> = lines[4].lines().skip(1).map(str::trim).collect();
    // 1 + 4 + 9 + 400 * 400, and 40 * 400 + 40.
    let want = [
        "A.rgba = 1 (3f800000), 2 (40000000), 3 (40400000), 400 (43c80000)",
        "A of MDH.a = 40 (42200000)",
        "B.rgba = 1 (3f800000), 2 (40000000), 3 (40400000), 400 (43c80000)",
        "C.a = 40 (42200000)",
        "r1.r = 160014 (481c4380)",
        "r6.a = 16040 (467aa000)",
    ];
    assert_eq!(shown, want);
}

/// The pcs that each point executed while it was active.
struct Path {
    points: Vec<Vec<u32>>,
    width: u32,
}

impl Observer for Path {
    fn step(&mut self, step: &Step<'_>) {
        let group = step.before;
        for slot in 0..64 {
            if (group.active() & group.covered()) >> slot & 1 != 0 {
                let (i, j) = group.point(slot);
                self.points[(j * self.width + i) as usize].push(group.pc());
            }
        }
    }
}

/// Runs the program over 8 x 8 points in one group, and over each point alone; the paths must be
/// the same. Inputs 0 to 3 are random, so that points decide differently.
fn same_path_alone(name: &str, program: Arc<Program>, seed: u32) -> usize {
    let mut bench = Bench::new("mov o0, 1", 8, 8);
    println!("{name}: seed {seed}");
    let mut numbers = Random::new(&[seed.into()]);
    let mut random = move || numbers.below(4001) as f32 / 1000.0 - 2.0;
    for slot in 0..4 {
        let data: Vec<u32> = (0..256).map(|_| random().to_bits()).collect();
        bench.input(slot, 8, 8, &data);
    }
    let constants = Arc::make_mut(&mut bench.launch.constants);
    for value in constants.float.iter_mut().flatten() {
        *value = random().to_bits();
    }
    for (constant, count) in constants.int.iter_mut().zip([5, 0, 3, 1]) {
        constant.count = count;
    }
    constants.bool = seed;
    bench.initial(1, {
        let values: Vec<f32> = (0..256).map(|_| random()).collect();
        move |i, j| [0, 1, 2, 3].map(|n| values[(4 * (8 * j + i) + n) as usize])
    });
    for output in 1..4 {
        bench.launch.outputs[output] = bench.launch.outputs[0];
    }
    bench.launch.program = program;
    bench.launch.limits.instructions = 100_000;
    let run = |bench: &mut Bench| {
        let mut path = Path { points: vec![Vec::new(); 64], width: 8 };
        let Bench { launch, memory, .. } = bench;
        let outcome = Reference::new()
            .run_observed(
                &Checked::new(launch).expect("it can run"),
                memory,
                &NoProgress,
                &mut path,
            )
            .expect("runs");
        assert!(outcome.faults.is_empty(), "{name}: {:?}", outcome.faults);
        path.points
    };
    let together = run(&mut bench);
    let initial = bench.launch.initial[0].data.clone();
    let mut different = std::collections::HashSet::new();
    for j in 0..8 {
        for i in 0..8 {
            let point = (8 * j + i) as usize;
            bench.launch.domain = Domain { i0: i, j0: j, i1: i, j1: j };
            bench.launch.initial[0].data = Arc::new(vec![initial[point]]);
            let alone = run(&mut bench);
            assert_eq!(alone[point], together[point], "{name} at ({i}, {j})");
            different.insert(alone[point].clone());
        }
    }
    different.len()
}

#[test]
fn flow_control_of_a_point_does_not_depend_on_its_group() {
    let programs = [
        (
            "if, else, nested",
            "sub p.rg<0, r1, 0
             if p.r
                 if p.g
                     mov r2, 1
                 else
                     mov r2, 2
                 endif
             else
                 mov r2, 3
             endif
             mov o0, r2",
        ),
        (
            "break and continue in nested loops",
            "rep 5
                 add r1.r, r1, 0.5
                 sub alu_result>=0, r1.r, 1
                 if alu_result
                     sub p.r<0, r1.r, 2
                     break if p.r
                 endif
                 sub alu_result<0, r1.g, 0
                 continue if alu_result
                 loop (3, 1, 2)
                     add r1.g, r1.g, -0.25
                     sub alu_result<0, r1.g, 0
                     break if alu_result
                 endloop
             endrep
             mov o0, r1",
        ),
        (
            "conditional call and return",
            "sub p.r<0, r1.r, 0
             call change if p.r
             mov o0, r1
             end
             change:
             sub alu_result<0, r1.g, 0
             ret if alu_result
             mov r1.b, 5
             ret",
        ),
    ];
    let mut paths = 0;
    for (name, source) in programs {
        for seed in 1..20 {
            paths += same_path_alone(name, common::program(source), seed);
        }
    }
    println!("{paths} different paths");
    assert!(paths > 100);
}

/// The flow-control programs of the collection.
#[test]
fn compiled_flow_control_does_not_depend_on_the_group_either() {
    let Some(vectors) = files::collection() else {
        return;
    };
    let text = std::fs::read_to_string(vectors.join("flow.json")).expect("flow.json");
    let programs: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut paths = 0;
    let programs = programs.as_object().expect("an object");
    for (name, words) in programs {
        let words: Vec<[u32; 6]> = words
            .as_array()
            .expect("instructions")
            .iter()
            .map(|instruction| {
                std::array::from_fn(|n| {
                    let word = instruction[n].as_str().expect("a word");
                    u32::from_str_radix(word.trim_start_matches("0x"), 16).expect("hexadecimal")
                })
            })
            .collect();
        let program = Arc::new(Program::new(Image::from_words(words)).expect("valid"));
        for seed in 1..30 {
            paths += same_path_alone(name, program.clone(), seed);
        }
    }
    println!("{} programs, {paths} different paths", programs.len());
    assert_eq!(programs.len(), 10);
}
