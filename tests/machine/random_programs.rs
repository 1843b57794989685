//! Random valid programs: every engine runs them without panic, the same twice, and all engines
//! leave the same memory, faults and statistics.

use crate::common;
use ctm::engine::{Engine, NoProgress, Outcome};
use ctm::isa::table::{
    alu_alpha_addr, alu_alpha_inst, alu_rgb_addr, alu_rgb_inst, alu_rgba_inst, cmn_inst, fc_addr,
    fc_inst, tex_addr, tex_inst,
};
use ctm::isa::{Field, FieldValue, SWIZZLES, Type};
use ctm::launch::{Condition, Domain, Initial, IntConstant, Launch, Location, Test};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling};
use ctm::program::{Image, Program};
use ctm::random::Random;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;
use std::sync::Arc;

crate::gpu_takes_part!();

const SIZES: ArenaSizes = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 1 << 16 };
const BUDGET: u64 = 600;

/// `mov o0, r1`: the end of every program, which jumps may lead to.
const LAST: [u32; 6] =
    [0x0007_8005, 0x0802_0001, 0x0802_0001, 0x0044_0220, 0x0060_c003, 0x0000_0005];

/// One instruction as drawn: its words, a number that weighs its class, another for its details.
type Drawn = ([u32; 6], u8, u32);

fn set(words: &mut [u32; 6], field: &Field, value: u32) {
    let word = &mut words[field.word.index()];
    *word = field.set(*word, value);
}

/// Classes as programs have them, not a quarter each; few registers, so that values flow; jumps
/// inside the program.
fn instruction(&(mut words, class, detail): &Drawn, pc: u32, count: u32) -> [u32; 6] {
    let class = match class {
        0..=119 => Type::Alu,
        120..=169 => Type::Out,
        170..=213 => Type::Tex,
        _ => Type::Fc,
    };
    set(&mut words, &cmn_inst::TYPE, class.code());
    // Most instructions are not predicated and write nothing that is switched off.
    if detail & 3 != 0 {
        set(&mut words, &cmn_inst::RGB_PRED_SEL, 0);
        set(&mut words, &cmn_inst::ALPHA_PRED_SEL, 0);
    }
    if detail & 12 != 0 {
        set(&mut words, &cmn_inst::WRITE_INACTIVE, 0);
    }
    match class {
        Type::Alu | Type::Out => {
            // Temporaries that hold something.
            let addresses = [
                (&alu_rgb_addr::ADDR0, &alu_rgb_addr::ADDR0_CONST),
                (&alu_rgb_addr::ADDR1, &alu_rgb_addr::ADDR1_CONST),
                (&alu_alpha_addr::ADDR0, &alu_alpha_addr::ADDR0_CONST),
                (&alu_alpha_addr::ADDR1, &alu_alpha_addr::ADDR1_CONST),
            ];
            for (n, (address, constant)) in addresses.into_iter().enumerate() {
                if detail >> n & 64 != 0 {
                    set(&mut words, address, detail >> (12 + 3 * n) & 7);
                    set(&mut words, constant, 0);
                }
            }
            for register in [&alu_rgba_inst::RGB_ADDRD, &alu_alpha_inst::ALPHA_ADDRD] {
                if detail & 16 != 0 {
                    set(&mut words, register, detail >> 8 & 7);
                }
            }
            if detail & 32 != 0 {
                set(&mut words, &alu_rgb_inst::OMOD, 0);
            }
        }
        Type::Tex => {
            set(&mut words, &tex_addr::SRC_ADDR, detail >> 8 & 7);
            set(&mut words, &tex_addr::DST_ADDR, detail >> 11 & 7);
            // A kill in every eighth program is enough.
            if detail & 0x70 != 0 && tex_inst::INST.get(words[1]) == 2 {
                set(&mut words, &tex_inst::INST, 1);
            }
        }
        Type::Fc => {
            // Mostly forward branches: whatever the counters do, such a program comes to its end.
            if detail & 0x700 != 0 {
                set(&mut words, &fc_inst::OP, 0);
                set(&mut words, &fc_inst::A_OP, 0);
                let target = pc + 1 + (detail >> 12) % (count - pc);
                set(&mut words, &fc_addr::JUMP_ADDR, target);
            } else {
                set(&mut words, &fc_addr::JUMP_ADDR, (detail >> 12) % count);
            }
            set(&mut words, &fc_inst::B_POP_CNT, 1);
            set(&mut words, &fc_addr::JUMP_GLOBAL, 1);
            set(&mut words, &cmn_inst::RGB_PRED_SEL, 2 + (detail >> 28 & 3));
        }
    }
    words
}

/// The program of these instructions: what the verifier refuses is replaced, field by field.
/// Returns also how many fields that were.
fn valid(mut image: Image) -> (Arc<Program>, u32) {
    let mut repaired = 0;
    for _ in 0..64 {
        let errors = match Program::new(image.clone()) {
            Ok(program) => return (Arc::new(program), repaired),
            Err(errors) => errors,
        };
        for error in errors.errors {
            // The last one says how many are left out.
            let (Some(pc), Some(field)) = (error.pc, error.field) else { continue };
            let changes = if *field == cmn_inst::RGB_OMASK {
                vec![(&cmn_inst::RGB_OMASK, 7), (&cmn_inst::ALPHA_OMASK, 1)]
            } else {
                vec![(field, if field.values == SWIZZLES { 3 } else { 0 })]
            };
            repaired += 1;
            for (field, value) in changes {
                set(&mut image.words[pc as usize], field, value);
            }
        }
    }
    panic!("still refused");
}

/// A deterministic source of data: the cases of a run differ by its seed.
struct Data(Random);

impl Data {
    fn next(&mut self) -> u32 {
        self.0.bits()
    }
    fn below(&mut self, end: u32) -> u32 {
        self.0.below(end)
    }
    /// Mostly numbers that stay finite, sometimes any bits.
    fn float(&mut self) -> u32 {
        match self.below(8) {
            0 => self.next(),
            1 => (self.below(20) as f32).to_bits(),
            _ => (self.below(4096) as f32 / 512.0 - 4.0).to_bits(),
        }
    }
}

/// Every input, output and constant set, in a small memory of random numbers.
fn launch(program: Arc<Program>, data: &mut Data) -> (Launch, Memory) {
    let (i0, j0) = (data.below(9), data.below(5));
    let domain = Domain { i0, j0, i1: i0 + data.below(15), j1: j0 + data.below(11) };
    let mut launch = Launch::new(program, domain);
    launch.limits.instructions = BUDGET;
    launch.out_mask = if data.below(4) == 0 { data.below(16) as u8 } else { 15 };
    let constants = Arc::make_mut(&mut launch.constants);
    for value in constants.float.iter_mut().flatten() {
        *value = data.float();
    }
    for constant in &mut constants.int {
        *constant = IntConstant {
            count: data.below(6) as u8,
            start: data.below(4) as u8,
            step: data.below(5) as i8 - 2,
        };
    }
    constants.bool = data.next();
    let mut memory = Memory::new(&SIZES).expect("1 MiB");
    let base = memory.base(ArenaKind::Gpu);
    let mut place = 0;
    let mut surface = |format: Format, tiling: Tiling, width: u32, height: u32| {
        let surface = Surface::new(base + place, width, height, tiling, format);
        place += 32 << 10;
        surface
    };
    for slot in 0..16 {
        let format = Format::ALL[data.below(9) as usize];
        let tiling = [Tiling::Linear, Tiling::Tiled][data.below(2) as usize];
        launch.inputs[slot] = Some(surface(format, tiling, 32, 1 + data.below(32)));
    }
    for slot in 0..4 {
        let format = if launch.program.umrt() {
            Format::Float32x1
        } else {
            Format::ALL[data.below(9) as usize]
        };
        // Some outputs are smaller than the domain.
        let tiling = [Tiling::Linear, Tiling::Tiled][data.below(2) as usize];
        launch.outputs[slot] = Some(surface(format, tiling, 32, 12 + data.below(4)));
    }
    if data.below(3) == 0 {
        launch.condition = Condition {
            test: Test::from_code(data.below(8)),
            location: [Location::Dpp, Location::Pe][data.below(2) as usize],
            value: data.float(),
            buffer: Some(surface(Format::Float32x1, Tiling::Linear, 32, 16)),
            write: data.below(2) == 0,
        };
    }
    let points = domain.points() as usize;
    for temp in 1..8 {
        let point = |_| std::array::from_fn(|_| data.float());
        let data = Arc::new((0..points).map(point).collect());
        launch.initial.push(Initial { temp, data });
    }
    let words = memory.slice_mut(base, 1 << 20).expect("the arena").as_chunks_mut().0;
    words.fill_with(|| data.float().to_le_bytes());
    (launch, memory)
}

/// The outcome, and memory after it.
type Run = (Outcome, Vec<(u32, Vec<u8>)>);

fn run(engine: &dyn Engine, launch: &Launch, memory: &Memory) -> Run {
    let mut memory = memory.copy().expect("1 MiB");
    let outcome =
        engine.run(launch, &mut memory, &NoProgress).expect("all that a launch needs is set");
    (outcome, common::bytes(&memory))
}

#[test]
fn random_valid_programs_run_the_same_twice_and_on_every_engine() {
    const CASES: u32 = 200;
    println!("seed 0x9a0_11ed");
    let mut runner = TestRunner::new(ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0x9a0_11ed),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let drawn = (
        proptest::collection::vec(any::<Drawn>(), 1..32),
        any::<u64>(),
        any::<(bool, bool, bool)>(),
        any::<bool>(),
    );
    let engines = common::engines();
    let [repaired, instructions, lanes, fetches, killed, divergent, wrote, ended] =
        std::array::from_fn::<_, 8, _>(|_| Cell::new(0u64));
    let add = |counter: &Cell<u64>, n: u64| counter.set(counter.get() + n);
    let result = runner.run(&drawn, |(drawn, seed, umrt, zero)| {
        let count = drawn.len() as u32;
        let words = (0..).zip(&drawn);
        let words = words.map(|(pc, drawn)| instruction(drawn, pc, count));
        let mut image = Image::from_words(words.chain([LAST]).collect());
        image.umrt = umrt == (true, true, true);
        image.registers.us_config = u32::from(zero) << 1;
        let (program, repairs) = valid(image);
        let (mut launch, memory) = launch(program, &mut Data(Random::new(&[seed])));
        launch.statistics = true;
        let first = run(engines[0].as_ref(), &launch, &memory);
        for engine in &engines {
            for time in ["first", "second"] {
                // Both ways where statistics select a different code path.
                launch.statistics = time == "first" || !engine.counts_apart();
                let mut again = run(engine.as_ref(), &launch, &memory);
                if !launch.statistics {
                    again.0.statistics = first.0.statistics;
                }
                prop_assert_eq!(&again.0, &first.0, "{} {}", engine.name(), time);
                prop_assert!(again.1 == first.1, "memory: {} {}", engine.name(), time);
            }
        }
        let statistics = first.0.statistics.expect("asked for");
        add(&repaired, repairs.into());
        add(&instructions, count.into());
        add(&lanes, statistics.lane_instructions);
        add(&fetches, statistics.fetches);
        add(&killed, statistics.killed);
        add(&divergent, statistics.divergent);
        add(&ended, u64::from(first.0.faults.is_empty()));
        add(&wrote, u64::from(first.1 != common::bytes(&memory)));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!(
        "{CASES} programs of {} instructions, {} fields made valid; {} wrote memory, {} had no \
         fault; {} lane instructions, {} fetches, {} points killed, {} divergent instructions; \
         each twice on {} engines",
        instructions.get(),
        repaired.get(),
        wrote.get(),
        ended.get(),
        lanes.get(),
        fetches.get(),
        killed.get(),
        divergent.get(),
        engines.len()
    );
    assert!(wrote.get() > u64::from(CASES) / 4 && ended.get() > u64::from(CASES) / 8);
    assert!(fetches.get() > 1000 && killed.get() > 100 && divergent.get() > 10);
}
