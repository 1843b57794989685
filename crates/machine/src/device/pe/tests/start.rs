//! start_program: the program, the constants, the interpolants.

use super::*;
use crate::command::ConstantFormat;
use crate::device::{LoadError, ProgramLoader};
use ctm_lang::program::Program;

fn start_error(bench: &mut Bench) -> String {
    let launches = bench.engine.launches().len();
    let report = bench.run(|b| Ok(b.append_wait_for_idle().append_start_program()));
    assert_eq!((report.launches, report.words), (0, 4));
    let after = bench.engine.launches().len();
    assert_eq!(after, launches, "nothing reached the engine");
    report.error.expect("an error").to_string()
}

fn packed(address: u32) -> ConstantFormat {
    ConstantFormat { address, layout: None }
}

// ---- the program ----

#[test]
fn there_must_be_a_program() {
    let mut bench = Bench::new(&plain());
    assert_eq!(
        start_error(&mut bench),
        "word 2 (0xc0000800): start_program: set_inst_fmt was never given"
    );
    bench.run(|b| b.append_set_inst_fmt(NOWHERE));
    assert_eq!(
        start_error(&mut bench),
        "word 2 (0xc0000800): start_program: the program's address 0x40000000 is outside all arenas"
    );
    bench.run(|b| b.append_set_inst_fmt(AREA));
    assert_eq!(
        start_error(&mut bench),
        "word 2 (0xc0000800): start_program: program at 0x10008000: the first bytes at offset 0x0 \
         are [00, 00, 00, 00], expected [7f, 45, 4c, 46] (an ELF file)"
    );
}

#[test]
fn an_invalid_program_is_refused() {
    let mut image = plain();
    image.words[0][5] |= 0xf; // a reserved operation of the RGB unit
    let mut bench = Bench::new(&image);
    bench.run(|b| b.append_set_inst_fmt(PROGRAM));
    let message = start_error(&mut bench);
    let expected = Program::new(image).expect_err("reserved").to_string();
    assert_eq!(
        message,
        format!("word 2 (0xc0000800): start_program: program at 0x10000000: {expected}")
    );
}

#[test]
fn a_program_may_end_with_its_arena_but_not_behind_it() {
    let bytes = elf::write(&plain());
    let mut bench = Bench::new(&plain());
    // The last multiple of 2 KiB in SYSc.
    let last = SYS + 0x3800;
    bench.memory.write(last, &bytes).expect("it fits");
    bench.run(|b| b.append_set_inst_fmt(last));
    let report = bench.run(|b| Ok(b.append_start_program()));
    assert!(report.is_clean(), "{:?}", report.error);

    let long = Image::from_words(vec![plain().words[0]; 100]);
    let bytes = elf::write(&long);
    assert!(bytes.len() > 0x800);
    let mut bench = Bench::new(&plain());
    bench.memory.write(last, &bytes[..0x800]).expect("it fits");
    bench.run(|b| b.append_set_inst_fmt(last));
    let message = start_error(&mut bench);
    assert!(
        message.starts_with("word 2 (0xc0000800): start_program: program at 0x10013800: ")
            && message.ends_with("expected at most 0x800, the end of the file"),
        "{message}"
    );
}

#[test]
fn the_program_is_what_memory_holds_now_and_is_decoded_once() {
    let mut bench = Bench::new(&plain());
    bench.words(&run_once());
    bench.words(&run_once());
    // Overwritten without inv_inst_cache: the emulator is coherent.
    let other = with_constants();
    let mut put = |address, image| {
        bench.memory.write(address, &elf::write(image)).expect("it fits");
    };
    put(PROGRAM, &other);
    // The first program, at another address.
    put(AREA, &plain());
    bench.run(|b| Ok(b.append_start_program()));
    bench.memory.write(PROGRAM, &elf::write(&plain())).expect("it fits");
    bench.run(|b| Ok(b.append_start_program()));
    bench.run(|b| Ok(b.append_set_inst_fmt(AREA)?.append_start_program()));
    let programs: Vec<_> = bench.engine.launches().into_iter().map(|l| l.program).collect();
    assert_eq!(programs.len(), 5);
    assert_eq!(programs[2].image(), &other);
    for n in [1, 3, 4] {
        assert!(Arc::ptr_eq(&programs[0], &programs[n]), "launch {n}");
    }
}

#[test]
fn a_program_that_changes_in_one_bit_is_decoded_again() {
    let mut bench = Bench::new(&plain());
    bench.words(&run_once());
    let mut image = plain();
    let mut instruction = ctm_isa::isa::Instruction::decode(&image.words[0]);
    instruction.common.omask = 3;
    image.words[0] = instruction.encode();
    bench.memory.write(PROGRAM, &elf::write(&image)).expect("it fits");
    bench.run(|b| Ok(b.append_start_program()));
    assert_eq!(bench.engine.last().program.image(), &image);
}

#[test]
fn the_verifiers_warnings_come_when_a_program_is_decoded() {
    let mut image = plain();
    let mut last = ctm_isa::isa::Instruction::decode(&image.words[0]);
    last.common.tex_sem_wait = false;
    image.words[0] = last.encode();
    let expected = Program::new(image.clone()).expect("valid");
    assert_eq!(expected.warnings().len(), 1);
    let mut bench = Bench::new(&image);
    let report = bench.words(&run_once());
    assert_eq!(
        texts(&report.warnings),
        [format!(
            "word 10 (0xc0000800): start_program: program, pc 0: {}",
            expected.warnings()[0].text
        )]
    );
    assert_eq!(bench.words(&run_once()).warnings, []);
}

/// Any 24 bytes are a program.
struct Raw;

impl ProgramLoader for Raw {
    fn load(&self, available: &[u8]) -> Result<(usize, Program), LoadError> {
        if available.len() < 24 {
            return Err(LoadError::Other("24 bytes needed".to_string()));
        }
        let mut words = [0; 6];
        for (word, bytes) in words.iter_mut().zip(available.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok((24, Program::new(Image::from_words(vec![words]))?))
    }
}

#[test]
fn other_loaders_can_be_used() {
    let Bench { mut pe, mut memory, engine, .. } = Bench::new(&plain());
    let words = plain().words[0];
    for (n, word) in words.iter().enumerate() {
        assert!(memory.write_u32(AREA + 4 * n as u32, *word));
    }
    let context = Context { loader: &Raw, ..Context::new(&engine) };
    let buffer = buffer(|b| Ok(b.append_set_inst_fmt(AREA)?.append_start_program()));
    let report = pe.execute(&buffer, &mut memory, &context);
    assert!(report.is_clean(), "{:?}", report.error);
    assert_eq!(engine.last().program.image().words, [words]);
}

#[test]
fn what_the_engine_refuses_ends_the_submission() {
    let engine = Fake::new(|_, _, _| {
        let (name, place, uses) = ("input 3".into(), "pc 7".into(), "fetches from it");
        Err(LaunchError::NotSet { name, pc: 7, place, uses })
    });
    let mut bench = Bench::with(&plain(), engine);
    let mut words = run_once();
    words.extend([0xc000_1900, 1]);
    let report = bench.words(&words);
    assert_eq!(
        report.error.expect("refused").to_string(),
        "word 10 (0xc0000800): start_program: input 3 was never set, but the instruction at pc 7 \
         fetches from it"
    );
    assert_eq!((report.launches, report.words), (0, 12));
    assert_eq!(bench.pe.state().out_mask, 15);
}

#[test]
fn an_empty_domain_is_the_engines_business() {
    let mut bench = Bench::new(&with_constants());
    let empty = Domain { i0: 5, i1: 4, ..Domain::default() };
    let report = bench.run(|b| {
        Ok(b.append_set_domain(empty)?
            .append_set_inst_fmt(PROGRAM)?
            .append_set_constf_fmt(packed(NOWHERE))?
            .append_start_program())
    });
    // There is no point to charge for the constants outside memory.
    assert!(report.is_clean());
    assert_eq!(bench.engine.last().domain, empty);
}

// ---- constants ----

#[test]
fn constants_come_packed_from_their_bases() {
    let mut bench = Bench::new(&with_constants());
    let (float, int, bool) = (AREA, AREA + 0x1000, AREA + 0x1800);
    for n in 0..256u32 * 4 {
        assert!(bench.memory.write_u32(float + 4 * n, 0xf000_0000 + n));
    }
    for n in 0..32u32 {
        assert!(bench.memory.write_u32(int + 4 * n, 0xaa80_0300 | n));
        assert!(bench.memory.write_u32(bool + 4 * n, 1 << n));
    }
    let report = bench.run(|b| {
        Ok(b.append_set_inst_fmt(PROGRAM)?
            .append_set_constf_fmt(packed(float))?
            .append_set_consti_fmt(packed(int))?
            .append_set_constb_fmt(packed(bool))?
            .append_start_program())
    });
    assert!(report.is_clean() && report.warnings.is_empty(), "{report:?}");
    let constants = bench.engine.last().constants;
    assert_eq!(constants.float[3], [0xf000_000c, 0xf000_000d, 0xf000_000e, 0xf000_000f]);
    assert_eq!(constants.float[5][0], 0xf000_0014);
    assert_eq!(constants.int[2], IntConstant { count: 2, start: 3, step: -128 });
    assert_eq!(constants.bool, 1 << 1);
}

#[test]
fn constants_with_a_format_are_elements_of_row_0() {
    let mut bench = Bench::new(&with_constants());
    let layout = |tiling, format| Some(Layout { pitch: 64, tiling, format });
    let float = ConstantFormat { address: AREA, layout: layout(Tiling::Tiled, Format::Float32x4) };
    let bool =
        ConstantFormat { address: AREA + 0x1000, layout: layout(Tiling::Tiled, Format::Uint8x4) };
    // Tiled FLOAT32_4 in row 0: x0 is bit 4, x1 bit 5, x2 bit 7: c3 is at 0x30, c5 at 0x90.
    assert!(bench.memory.write_u32(AREA + 0x30, 33));
    assert!(bench.memory.write_u32(AREA + 0x90, 55));
    // Tiled four-byte elements: x0 is bit 2.
    assert!(bench.memory.write_u32(AREA + 0x1004, 0x100));
    let report = bench.run(|b| {
        Ok(b.append_set_inst_fmt(PROGRAM)?
            .append_set_constf_fmt(float)?
            .append_set_consti_fmt(packed(AREA + 0x1800))?
            .append_set_constb_fmt(bool)?
            .append_start_program())
    });
    assert!(report.is_clean() && report.warnings.is_empty(), "{report:?}");
    let constants = bench.engine.last().constants;
    assert_eq!((constants.float[3][0], constants.float[5][0]), (33, 55));
    assert_eq!(constants.bool, 2);
}

#[test]
fn constants_without_a_base_read_0_with_a_warning() {
    let mut bench = Bench::new(&with_constants());
    let report = bench.words(&run_once());
    let ours: Vec<String> = report
        .warnings
        .iter()
        .map(ToString::to_string)
        .filter(|text| text.contains("constant(s)"))
        .collect();
    assert_eq!(
        ours,
        [
            "word 10 (0xc0000800): start_program: float constant(s) 3, 5 read 0: set_constf_fmt \
             was never given",
            "word 10 (0xc0000800): start_program: integer constant(s) 2 read 0: set_consti_fmt \
             was never given",
            "word 10 (0xc0000800): start_program: boolean constant(s) 1 read 0: set_constb_fmt \
             was never given",
        ]
    );
    assert!(report.is_clean());
    assert_eq!(*bench.engine.last().constants, Default::default());
    // A program that uses no constants needs no formats.
    let mut bench = Bench::new(&plain());
    assert_eq!(bench.words(&run_once()).warnings, []);
}

#[test]
fn constants_outside_memory_are_faults_of_the_first_point() {
    let mut bench = Bench::new(&with_constants());
    // System memory ends in the middle of the float constants, between c3 and c5.
    let sizes = crate::memory::ArenaSizes { sysc: 0x850, ..SMALL };
    let mut memory = Memory::new(&sizes).expect("66 KiB");
    memory.write(PROGRAM, &elf::write(&with_constants())).expect("it fits");
    assert!(memory.write_u32(SYS + 0x800 + 16 * 3, 33));
    bench.memory = memory;
    let report = bench.run(|b| {
        Ok(b.append_set_domain(Domain { i0: 4, j0: 5, i1: 6, j1: 7 })?
            .append_set_inst_fmt(PROGRAM)?
            .append_set_constf_fmt(packed(SYS + 0x800))?
            .append_set_consti_fmt(packed(NOWHERE))?
            .append_set_constb_fmt(packed(SYS))?
            .append_start_program())
    });
    assert_eq!((&report.error, report.launches), (&None, 1));
    let fault = report.faults.get(FaultCode::ConstantOutsideMemory).expect("two of them");
    // The integer comes first, because pc 1 names it before pc 3 names c5.
    assert_eq!(*fault, Fault { count: 2, i: 4, j: 5, order: 0, pc: 1, slot: 2, word: NOWHERE + 8 });
    let constants = bench.engine.last().constants;
    assert_eq!((constants.float[3][0], constants.float[5]), (33, [0; 4]));
    assert_eq!(constants.int[2], IntConstant::default());
}

// ---- interpolants ----

fn write_vertices(memory: &mut Memory, address: u32, positions: [[f32; 2]; 3]) {
    for (v, [x, y]) in positions.into_iter().enumerate() {
        let vertex = address + 128 * v as u32;
        assert!(memory.write_u32(vertex, x.to_bits()));
        assert!(memory.write_u32(vertex + 4, y.to_bits()));
        for n in 0..28u32 {
            let value = n as f32 + 0.5 * x + 2.0 * y;
            assert!(memory.write_u32(vertex + 16 + 4 * n, value.to_bits()));
        }
    }
}

#[test]
fn set_params_gives_planes_until_the_next_one() {
    let mut bench = Bench::new(&plain());
    let triangle = [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]];
    write_vertices(&mut bench.memory, AREA, triangle);
    bench.run(|b| b.append_set_params(AREA));
    for _ in 0..2 {
        let report = bench.words(&run_once());
        assert!(report.is_clean(), "{:?}", report.error);
        let planes = bench.engine.last().interpolants.expect("set");
        for (n, plane) in planes.as_flattened().iter().enumerate() {
            assert_eq!(plane.map(f32::from_bits), [n as f32, 0.5, 2.0]);
        }
    }
    // The block is read when a program starts, like all data that commands refer to by address.
    for v in 0..3 {
        let word = AREA + 128 * v + 16;
        assert!(bench.memory.write_u32(word, 1.0f32.to_bits()));
    }
    bench.words(&run_once());
    let planes = bench.engine.last().interpolants.expect("set");
    assert_eq!(planes[0][0], [0x3f80_0000, 0, 0]);
}

#[test]
fn three_vertices_on_a_line_end_the_submission() {
    let mut bench = Bench::new(&plain());
    let line = [[0.0, 0.0], [1.0, 1.0], [2.5, 2.5]];
    write_vertices(&mut bench.memory, AREA, line);
    bench.run(|b| b.append_set_params(AREA)?.append_set_inst_fmt(PROGRAM));
    assert_eq!(
        start_error(&mut bench),
        "word 2 (0xc0000800): start_program: set_params: the vertices (0, 0), (1, 1), (2.5, 2.5) \
         lie on a line"
    );
    bench.run(|b| b.append_set_params(NOWHERE));
    assert_eq!(
        start_error(&mut bench),
        "word 2 (0xc0000800): start_program: the 384 bytes of set_params at 0x40000000 are not \
         inside one arena"
    );
}
