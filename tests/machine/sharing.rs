//! Shared registers: the order of groups, conflicts and faults, against a model of their own.

use ctm::asm::{Style, assemble, disassemble};
use ctm::engine::block::Block;
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, FaultCode, NoProgress, Outcome};
use ctm::launch::{Constants, Domain, Launch, Limits, Shared};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling};
use ctm::program::{Image, Program, Sharing};
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

/// The engines that run data sharing.
fn engines() -> [Box<dyn Engine>; 2] {
    [Box::new(Reference::new()), Box::new(Block::new())]
}

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % n
    }
}

fn image(source: &str) -> Image {
    assemble(source, "test").unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// A launch of a program with an output of FLOAT32_4.
fn launch(source: &str, domain: Domain, simds: u32) -> Launch {
    let program = Arc::new(Program::new(image(source)).unwrap_or_else(|e| panic!("{e}\n{source}")));
    let mut launch = Launch::new(program.clone(), domain);
    launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
    let width = (domain.i1 + 1).next_multiple_of(4);
    let base = memory().base(ArenaKind::Gpu);
    let surface = Surface::new(base, width, domain.j1 + 1, Tiling::Linear, Format::Float32x4);
    launch.outputs[0] = Some(surface);
    launch.shared = program.sharing().map(|sharing| Shared::new(sharing, simds));
    launch.statistics = true;
    launch
}

fn memory() -> Memory {
    Memory::new(&ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 0 }).expect("room")
}

fn run(engine: &dyn Engine, launch: &Launch) -> (Outcome, Vec<u8>) {
    let mut memory = memory();
    let outcome = engine.run(launch, &mut memory, &NoProgress).expect("it runs");
    (outcome, memory.slice(memory.base(ArenaKind::Gpu), 1 << 20).expect("all of it").to_vec())
}

// The model: programs of sums, on whole numbers that binary32 holds.

/// An operand of the model's programs.
#[derive(Clone, Copy, PartialEq)]
enum Operand {
    Temp(usize),
    Clause(usize),
    Global(usize),
    Relative(usize),
}

/// `add d, a, b` of all four channels, or AR.X := a.
#[derive(Clone, Copy)]
enum Line {
    Add { to: Operand, from: [Operand; 2], gated: bool },
    Address(Operand),
}

struct Written {
    lines: Vec<Line>,
    globals: usize,
    clauses: usize,
}

impl Written {
    fn random(random: &mut Random) -> Written {
        let (globals, clauses) = (1 + random.below(4) as usize, random.below(3) as usize);
        let mut lines = Vec::new();
        for _ in 0..1 + random.below(12) {
            let relative = random.below(2) == 0;
            let mut operand = || match random.below(4) {
                0 | 1 if relative => Operand::Relative(random.below(3) as usize),
                0 | 1 => Operand::Global(random.below(globals as u32) as usize),
                2 if clauses > 0 => Operand::Clause(random.below(clauses as u32) as usize),
                _ => Operand::Temp(1 + random.below(3) as usize),
            };
            let (to, from) = (operand(), [operand(), operand()]);
            lines.push(match random.below(6) {
                0 => Line::Address(Operand::Temp(1 + random.below(3) as usize)),
                n => Line::Add { to, from, gated: n == 1 },
            });
        }
        Written { lines, globals, clauses }
    }

    /// The text. Temporary 1 starts as (i mod 3, ...), and predicate r is j < 5.
    fn text(&self, shift: u32) -> String {
        let name = |operand| match operand {
            Operand::Temp(n) => format!("r{n}"),
            Operand::Clause(n) => format!("ct{n}"),
            Operand::Global(n) => format!("g{n}"),
            Operand::Relative(n) => format!("g[ar.x + {n}]"),
        };
        let mut text = format!(".sharing global={} clause={}\n", self.globals, self.clauses);
        let _ = writeln!(text, "add r1, r0.rrrr, -{shift}\nadd p.rgba<0, r0.gggg, -5");
        for line in &self.lines {
            let _ = match *line {
                Line::Add { to, from: [a, b], gated } => {
                    let gate = if gated { "(p.r) " } else { "" };
                    writeln!(text, "{gate}add {}, {}, {}", name(to), name(a), name(b))
                }
                Line::Address(operand) => {
                    writeln!(text, "mova_floor.exact r3.r, {}.r", name(operand))
                }
            };
        }
        text + "mov o0, r1\n"
    }
}

/// The results of the model.
#[derive(Debug, Default, PartialEq)]
struct Expected {
    /// By SIMD, register and lane.
    globals: Vec<f32>,
    reads: u64,
    writes: u64,
    conflicts: u64,
    faults: u64,
}

/// A point of the model: temporaries 0 to 3, AR.X, the predicate.
#[derive(Clone, Copy, Default)]
struct Point {
    covered: bool,
    temps: [f32; 4],
    ar: i64,
    p: bool,
}

/// The model of a launch over 8 x 8 tiles.
fn model(written: &Written, domain: Domain, simds: usize, shift: u32) -> Expected {
    let mut groups = Vec::new();
    for top in (domain.j0 / 8 * 8..=domain.j1).step_by(8) {
        for left in (domain.i0 / 8 * 8..=domain.i1).step_by(8) {
            let point = |n: u32| {
                let (i, j) = (left + n % 8, top + n / 8);
                let inside = domain.i0 <= i && i <= domain.i1 && domain.j0 <= j && j <= domain.j1;
                let r1 = i as f32 - shift as f32;
                Point { covered: inside, temps: [0.0, r1, 0.0, 0.0], ar: 0, p: j < 5 }
            };
            groups.push((0..64).map(point).collect::<Vec<_>>());
        }
    }
    let mut expected = Expected::default();
    for simd in 0..simds {
        let mut globals = vec![[0.0f32; 64]; written.globals];
        let mut clauses = vec![vec![[0.0f32; 64]; written.clauses]; 2];
        let mut own: Vec<_> = groups.iter().skip(simd).step_by(simds).cloned().collect();
        for pair in own.chunks_mut(2) {
            for line in &written.lines {
                let mut touched = [(HashSet::new(), HashSet::new()), Default::default()];
                for (parity, group) in pair.iter_mut().enumerate() {
                    let clauses = &mut clauses[parity];
                    let (read, wrote) = &mut touched[parity];
                    for (lane, point) in group.iter_mut().enumerate() {
                        let index = |operand, ar: i64| match operand {
                            Operand::Global(n) => Some(n as i64),
                            Operand::Relative(n) => Some(n as i64 + ar),
                            Operand::Temp(_) | Operand::Clause(_) => None,
                        };
                        let inside = |n: i64| (0..written.globals as i64).contains(&n);
                        let value = |operand| match operand {
                            Operand::Temp(n) => point.temps[n],
                            Operand::Clause(n) => clauses[n][lane],
                            Operand::Global(_) | Operand::Relative(_) => {
                                let n = index(operand, point.ar).unwrap_or(-1);
                                if inside(n) { globals[n as usize][lane] } else { 0.0 }
                            }
                        };
                        let (to, from, gated) = match *line {
                            Line::Add { to, from, gated } => (to, from, gated),
                            Line::Address(operand) => {
                                let x = value(operand);
                                (point.ar, point.temps[3]) = (x as i64, x);
                                continue;
                            }
                        };
                        let sum = value(from[0]) + value(from[1]);
                        let passes = !gated || point.p;
                        if let (Operand::Temp(n), true) = (to, passes) {
                            point.temps[n] = sum;
                        }
                        if !point.covered {
                            continue;
                        }
                        let mut outside = false;
                        for operand in from {
                            match index(operand, point.ar) {
                                Some(n) if inside(n) => {
                                    expected.reads += 1;
                                    read.insert((n, lane));
                                }
                                Some(_) => outside = true,
                                None => {
                                    expected.reads +=
                                        u64::from(matches!(operand, Operand::Clause(_)));
                                }
                            }
                        }
                        if passes {
                            match (to, index(to, point.ar)) {
                                (Operand::Clause(n), _) => {
                                    clauses[n][lane] = sum;
                                    expected.writes += 1;
                                }
                                (_, Some(n)) if inside(n) => {
                                    globals[n as usize][lane] = sum;
                                    expected.writes += 1;
                                    wrote.insert((n, lane));
                                }
                                (_, Some(_)) => outside = true,
                                (_, None) => {}
                            }
                        }
                        expected.faults += u64::from(outside);
                    }
                }
                let [(read0, wrote0), (read1, wrote1)] = touched;
                let conflict = !wrote0.is_disjoint(&read1) || !wrote1.is_disjoint(&read0);
                expected.conflicts += u64::from(conflict);
            }
        }
        expected.globals.extend(globals.into_iter().flatten());
    }
    expected
}

/// Random programs without flow control. A sum has its operands as inputs A and C, so equal ones are
/// one operand of the RGB unit and one of the alpha unit.
#[test]
fn pairs_step_as_the_model_says() {
    let mut random = Random(0x19_5eed);
    let mut conflicts = 0;
    for case in 0..100 {
        let mut written = Written::random(&mut random);
        // The model counts operands of one unit.
        for line in &mut written.lines {
            if let Line::Add { from: [a, b], .. } = line
                && a == b
            {
                *b = Operand::Temp(1);
                if *a == *b {
                    *a = Operand::Temp(2);
                }
            }
        }
        let shift = random.below(12);
        let (i0, j0) = (random.below(9), random.below(9));
        let domain = Domain { i0, j0, i1: i0 + random.below(40), j1: j0 + 2 + random.below(20) };
        for simds in [1, 2, 7, 64] {
            let text = written.text(shift);
            let launch = launch(&text, domain, simds);
            let want = model(&written, domain, simds as usize, shift);
            conflicts += want.conflicts;
            for engine in engines() {
                let (outcome, _) = run(&*engine, &launch);
                let name = engine.name();
                let counted = outcome.statistics.expect("asked for");
                let globals = outcome.shared.as_deref().expect("data sharing");
                let fault = outcome.faults.get(FaultCode::Shared);
                // Both units do the same with registers of their own.
                let got = Expected {
                    globals: globals.iter().map(|bits| f32::from_bits(bits[0])).collect(),
                    reads: counted.shared_reads / 2,
                    writes: counted.shared_writes / 2,
                    conflicts: counted.shared_conflicts,
                    faults: fault.map_or(0, |fault| fault.count),
                };
                assert_eq!(got, want, "{name}, case {case}, {simds} SIMDs, {domain:?}\n{text}");
            }
        }
    }
    assert!(conflicts > 500, "{conflicts}");
}

/// The groups of a pair exchange values through a flag: each waits until the other has written.
const BARRIER: &str = "
.sharing global=3
.literal c0 8 0 0 0
sub p.r>=0, r0.r, c0.r
(!p.r) add g0.rgb, r0, 1
(p.r) add g1.rgb, r0, 1
rep 255
(!p.r) max.exact r1.rgb, g1, g1
(p.r) max.exact r1.rgb, g0, g0
sub alu_result>=0, r1.r, 0.5
break if alu_result
endrep
mov o0, r1
";

#[test]
fn the_groups_of_a_pair_can_wait_for_each_other() {
    let domain = Domain { i0: 0, j0: 0, i1: 15, j1: 7 };
    for engine in engines() {
        let launch = launch(BARRIER, domain, 1);
        let (outcome, bytes) = run(&*engine, &launch);
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        for (i, want) in [(0, 9.0), (3, 12.0), (8, 1.0), (15, 8.0)] {
            let red: [u8; 4] = bytes[16 * i..][..4].try_into().expect("four bytes");
            assert_eq!(f32::from_le_bytes(red), want as f32, "{} column {i}", engine.name());
        }
    }
}

/// On two SIMDs the two groups are in different pairs: the first one waits in vain.
#[test]
fn the_budget_ends_a_group_that_waits_for_a_later_pair() {
    let domain = Domain { i0: 0, j0: 0, i1: 23, j1: 7 };
    let forever = ".sharing global=1\nagain:\nsub alu_result<0, g0.r, 1\n\
                   jump -> again if alu_result\nend";
    for engine in engines() {
        let mut launch = launch(forever, domain, 1);
        launch.limits = Limits { instructions: 1000 };
        let (outcome, _) = run(&*engine, &launch);
        let fault = outcome.faults.get(FaultCode::Budget).expect("a fault");
        assert_eq!((fault.count, fault.i, fault.j), (3, 0, 0), "{}", engine.name());
    }
}

#[test]
fn the_fault_names_the_first_register_outside() {
    let domain = Domain { i0: 0, j0: 0, i1: 1, j1: 7 };
    let source = ".sharing global=4\nsub r1, r0.rrrr, 3\nmova_floor.exact r2.r, r1.r\n\
                  add g[ar.x+7].r, g[ar.x+2].r, r1.r\nend";
    for engine in engines() {
        let (outcome, _) = run(&*engine, &launch(source, domain, 1));
        let fault = outcome.faults.get(FaultCode::Shared).expect("a fault");
        assert_eq!(
            fault.text(FaultCode::Shared),
            "shared: a global register outside the program's was read (it gave 0) or written (the \
             write was dropped): 16 times, first at point (0, 0), pc 2 (global register -1)",
            "{}",
            engine.name()
        );
    }
}

#[test]
fn launches_are_refused_with_their_reasons() {
    let domain = Domain::default();
    let good = launch(".sharing global=4 clause=2\nend", domain, 1);
    let refused = |change: &dyn Fn(&mut Launch)| {
        let mut launch = good.clone();
        change(&mut launch);
        let mut memory = memory();
        let error = Reference::new().run(&launch, &mut memory, &NoProgress).expect_err("refused");
        error.to_string()
    };
    let give = |word, simds| {
        move |launch: &mut Launch| {
            launch.shared = Some(Shared { simds, ..Shared::new(Sharing(word), 1) });
        }
    };
    assert_eq!(
        refused(&give(0x2000_0003, 1)),
        "the program asks for 4 global registers and 2 clause temporaries; set_shared gave 3 and 2"
    );
    assert_eq!(refused(&give(0x2000_0004, 65)), "the launch has 65 SIMDs, expected 1 to 64");
    assert_eq!(refused(&give(0x2000_0004, 0)), "the launch has 0 SIMDs, expected 1 to 64");
    assert_eq!(
        refused(&give(0x2000_0004, 2)),
        "the global registers have 512 lanes in all SIMDs, but 256 are given"
    );
    let initial = |launch: &mut Launch| {
        let data = Arc::new(vec![[0; 4]]);
        launch.initial.push(ctm::launch::Initial { temp: 127, data });
    };
    assert_eq!(refused(&initial), "initial data for temporary 127, which is clause temporary 1");
}

#[test]
fn programs_are_refused_with_their_reasons() {
    let errors = |source: &str, change: &dyn Fn(&mut Image)| {
        let mut image = image(source);
        change(&mut image);
        Program::new(image).expect_err("refused").errors[0].to_string()
    };
    let source = ".sharing global=4\nadd r1, g0, 1\nnop\nend";
    let mode = |pc: usize, mode: u32| move |image: &mut Image| image.words[pc][0] |= mode << 28;
    assert_eq!(
        errors(source, &mode(2, 3)),
        "pc 2: US_CMN_INST.INDEX_MODE is 3 on OUT; allowed: 0 PLAIN, 4 LOOP, 5 GLOBAL, 6 GLOBAL_AR_X"
    );
    assert_eq!(
        errors(source, &mode(1, 5)),
        "pc 1: US_CMN_INST.INDEX_MODE is 5 on TEX; allowed: 0 PLAIN"
    );
    assert_eq!(
        errors(source, &|image| image.sharing = Some(Sharing(0x81))),
        "SQ_GPR_RESOURCE is 0x00000081: NUM_GLOBAL 129, expected at most 128"
    );
    let warned = |word| {
        let mut image = image(source);
        image.sharing = Some(Sharing(word));
        let program = Program::new(image).expect("valid");
        program.warnings().iter().map(|warning| warning.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(warned(4), [""; 0]);
    assert_eq!(
        warned(0x100),
        [
            "g0 does not exist; the program has 0 global registers",
            "SQ_GPR_RESOURCE is 0x00000100: the reserved bits 0x00000100 are set; expected 0"
        ]
    );
    let mova = ".sharing\nmova_floor r1.r, r0.r\nend";
    assert_eq!(
        errors(mova, &|image| image.sharing = None),
        "pc 0: US_ALU_RGBA_INST.RGB_OP is 13, which is reserved; \
         allowed: 0 MAD, 1 DP3, 2 DP4, 3 D2A, 4 MIN, 5 MAX, 7 CND, 8 CMP, 9 FRC, 10 SOP, 11 MDH, 12 MDV"
    );
}

#[test]
fn listings_survive() {
    let source = ".sharing global=4 clause=2\nadd r1, g0, g3\nadd g[ar.x+1], g[ar.x], r0\n\
                  mova_floor.exact r1.r, r0.g\nadd ct1, ct0, c[aL+3]\n\
                  max g1.rgb, g1, r2 | min r3.a, g2, g2\nend";
    let image = image(source);
    for style in [Style::Friendly, Style::Explicit] {
        let text = disassemble(&image, style);
        let again = assemble(&text, "again").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!((again.words, again.sharing), (image.words.clone(), image.sharing), "{text}");
    }
    let text = disassemble(&image, Style::Friendly);
    for line in ["add r1, g0, g3", "add g[ar.x+1], g[ar.x], r0", "mova_floor.exact r1.r, r0.g"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
