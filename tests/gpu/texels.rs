//! Shaders that leave out flushes because of what is in the surfaces that they read: on the host, on the
//! GPU, and as it changes. See `common` for when these tests run.

use crate::common::{GPU, program};
use crate::same::{difference, surface};
use ctm::engine::gpu::{AdapterChoice, Translated};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress, Session};
use ctm::launch::{Constants, Domain, Launch};
use ctm::memory::{ArenaSizes, Format, Memory};
use std::sync::Arc;

const SIDE: u32 = 32;
const BYTES: u32 = SIDE * SIDE * 16;
const PAGE: u32 = 0x1_0000;

/// Offsets of surfaces, each in pages of its own.
const A: u32 = 0;
const B: u32 = PAGE;
const C: u32 = 2 * PAGE;
const D: u32 = 3 * PAGE;
const E: u32 = 4 * PAGE;
const F: u32 = 5 * PAGE;

const TEXELS: &str = "ld r1, i0[r0.rg]\nld r2, i1[r0.rg]\n";

/// 0 and numbers from 2^-31 to 2^31.
const WIDE: &[u32] = &[0, 1 << 31, 0x3000_0000, 0x4f00_0000, 0xb000_0001, 0x3f80_0000, 0xc000_0003];
/// No denormals.
const CLEAN: &[u32] =
    &[0x0080_0000, 0x8080_0001, 0x7f80_0000, 0xffc0_1234, 0x7f7f_ffff, 0x2000_0000, 0x3f80_0000];
/// Denormals, and what becomes one.
const DIRTY: &[u32] = &[1, 0x807f_ffff, 0x0080_0000, 0x0040_0000, 0x3f00_0000, 0x3f80_0000, 0];

fn engine() -> Translated {
    let choice = AdapterChoice::from_environment();
    Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"))
}

fn memory() -> Memory {
    let sizes = ArenaSizes { gpu: 0x6_0000, gpub: 0, sys: 0, sysc: 0x1000 };
    Memory::new(&sizes).expect("it fits")
}

/// Fills a surface with such numbers, in an order of its own.
fn set(memory: &mut Memory, at: u32, numbers: &[u32], step: u32) {
    for n in 0..BYTES / 4 {
        let number = numbers[(n * step + n / 7) as usize % numbers.len()];
        assert!(memory.write_u32(GPU + at + 4 * n, number));
    }
}

/// Two surfaces in, one or two out.
fn pass(computes: &str, from: [u32; 2], to: &[u32]) -> Launch {
    let program = program(&format!("{TEXELS}{computes}"));
    let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
    let mut launch = Launch::new(program.clone(), domain);
    let mut constants = Constants::with_literals(&program.image().literals);
    // A denormal, for programs that write it.
    constants.float[9] = [3; 4];
    launch.constants = Arc::new(constants);
    for (input, at) in launch.inputs.iter_mut().zip(from) {
        *input = Some(surface(at, SIDE, SIDE, Format::Float32x4));
    }
    for (output, &at) in launch.outputs.iter_mut().zip(to) {
        *output = Some(surface(at, SIDE, SIDE, Format::Float32x4));
    }
    launch
}

/// Products, sums and comparisons; the second output gets the bits as they are.
fn first(from: [u32; 2], to: &[u32; 2]) -> Launch {
    pass("mul r3, r1, r2\nmad r3, r1, r2, r3\nadd r3, r3, r1\nmov o0, r3\nmax o1, r1, r2", from, to)
}

/// The same of what the first one wrote.
fn second(from: [u32; 2], to: u32) -> Launch {
    pass(
        "mul r3, r1, r2\nmin r4, r1, r2\nadd r3, r3, r4\nrcp r5.r, r2.r\nadd o0, r3, r5.r",
        from,
        &[to],
    )
}

/// Launches and changes of the host in turns. Returns all words of memory, again and again.
fn run(engine: &dyn Engine, orders: &[&[u32]]) -> Vec<u32> {
    let see = |memory: &Memory, seen: &mut Vec<u32>| {
        seen.extend((0..6 * PAGE / 4).map(|n| memory.read_u32(GPU + 4 * n).expect("inside")));
    };
    let all = [u64::from(GPU)..u64::from(GPU + 6 * PAGE)];
    fn launch<'a>(session: &mut Box<dyn Session<'a> + 'a>, launch: &Launch) {
        session.launch(launch, &NoProgress).expect("it can run");
    }
    let mut memory = memory();
    let mut session = engine.session(&mut memory);
    let mut seen = Vec::new();
    for (n, numbers) in orders.iter().enumerate() {
        let host = session.memory().expect("it ran");
        set(host, A, numbers, 1);
        set(host, B, numbers, 3);
        launch(&mut session, &first([A, B], &[C, D]));
        launch(&mut session, &second([C, D], E));
        // It writes what it reads.
        launch(&mut session, &pass("add r3, r1, r2\nmul o0, r3, r1", [E, D], &[E]));
        launch(&mut session, &second([E, A], F));
        // Some columns only: the others keep what the host wrote, or what is there.
        let mut part = pass("mul o0, r1, r2", [B, E], &[B]);
        part.domain.i1 = SIDE / 2 - 1;
        launch(&mut session, &part);
        launch(&mut session, &second([B, E], F));
        if n % 2 == 1 {
            // Denormals that no surface had, and bytes of another format.
            launch(&mut session, &pass("mov o0, c9", [E, F], &[C]));
            launch(&mut session, &second([C, C], D));
            let mut bytes = pass("max o0, r1, r2", [E, F], &[E]);
            bytes.outputs[0] = Some(surface(E, SIDE, SIDE, Format::Uint8x4));
            launch(&mut session, &bytes);
            launch(&mut session, &second([E, D], F));
        }
        see(session.view(&all).expect("it ran"), &mut seen);
        // One number of the host's, in what programs wrote.
        let host = session.memory().expect("it ran");
        assert!(host.write_u32(GPU + F + 400, numbers[0]));
        launch(&mut session, &second([F, E], D));
    }
    let view = session.view(&all).expect("it ran");
    see(view, &mut seen);
    for outcome in session.outcomes() {
        outcome.expect("it ran");
    }
    seen
}

#[test]
#[ignore = "needs an adapter"]
fn changing_numbers_give_the_same() {
    let orders: [&[&[u32]]; 5] = [
        &[WIDE, DIRTY, WIDE],
        &[WIDE, CLEAN, WIDE, DIRTY],
        &[CLEAN, DIRTY, CLEAN],
        &[DIRTY, WIDE],
        &[WIDE, WIDE],
    ];
    for order in orders {
        // Each engine has weaker shaders only from its own launches on.
        let found = run(&engine(), order);
        let expected = run(&Reference::new(), order);
        let differs = (0..expected.len()).find(|&n| expected[n] != found[n]);
        let both = differs.map(|n| format!("{n:x}: {:08x} {:08x}", expected[n], found[n]));
        assert_eq!(both, None, "{order:x?}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn a_program_has_at_most_three_shaders_whatever_changes() {
    let engine = engine();
    let launch = first([A, B], &[C, D]);
    let (mut model, mut trial) = (memory(), memory());
    let mut counts = Vec::new();
    for numbers in [WIDE, WIDE, CLEAN, WIDE, DIRTY, WIDE, CLEAN, DIRTY] {
        for memory in [&mut model, &mut trial] {
            set(memory, A, WIDE, 1);
            set(memory, B, numbers, 3);
        }
        Reference::new().run(&launch, &mut model, &NoProgress).expect("it runs");
        engine.run(&launch, &mut trial, &NoProgress).expect("it runs");
        assert_eq!(difference(&model, &trial), None);
        counts.push(engine.compiled());
    }
    assert_eq!(counts, [1, 1, 2, 2, 3, 3, 3, 3]);
}
