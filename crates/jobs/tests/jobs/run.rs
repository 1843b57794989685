//! A job's run: bindings, swaps, state from pass to pass, contents.

use crate::job_common::{Fake, PASS, PROGRAM, SHORT, buffers, directory, parse, run, save, units};
use ctm_jobs::array::{Dtype, npy};
use ctm_jobs::job::{Job, RunOptions};
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Checked, Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm_machine::launch::{Domain, FloatMode, Launch, Test};
use ctm_machine::memory::{ArenaKind, Format, Memory, Surface, Tiling};
use std::fs;

#[test]
fn the_short_form_is_one_launch_with_all_defaults() {
    let dir = directory();
    save(dir.path(), "a.npy", Dtype::Uint16, &[4, 5], (0..20).collect());
    let job = parse(
        dir.path(),
        &format!(
            "{SHORT}
            [[input]]
            slot = 7
            file = \"a.npy\"
            format = \"UINT16_1\"
            [[output]]
            slot = 2
            format = \"FLOAT32_2\"
            tiling = \"TILED\"
            [[output]]
            slot = 0
            format = \"FLOAT32_4\"
            width = 4
            height = 9
            pitch = 6
            address = 0x200000"
        ),
    );
    let fake = Fake::default();
    let result = run(&job, &fake);
    let launch = &fake.launches()[0];
    let base = result.memory.base(ArenaKind::Gpu);
    assert_eq!(
        launch.inputs[7],
        Some(Surface { width: 5, ..Surface::new(base, 16, 4, Tiling::Linear, Format::Uint16x1) })
    );
    assert_eq!(
        launch.outputs[2],
        Some(Surface {
            width: 3,
            ..Surface::new(base + 2048, 16, 2, Tiling::Tiled, Format::Float32x2)
        })
    );
    assert_eq!(
        launch.outputs[0],
        Some(Surface {
            width: 4,
            ..Surface::new(base + 0x20_0000, 6, 9, Tiling::Linear, Format::Float32x4)
        })
    );
    assert_eq!(launch.inputs.iter().flatten().count(), 1);
    assert_eq!(launch.outputs.iter().flatten().count(), 2);
    assert_eq!(launch.out_mask, 15);
    assert_eq!(launch.condition, ctm_machine::launch::Condition::default());
    assert_eq!(launch.limits.instructions, 1 << 24);
    assert_eq!(launch.mode, FloatMode::Exact);
    assert!(!launch.statistics);
    assert_eq!((result.engine, result.adapter.as_deref()), ("fake", Some("card")));
    assert_eq!(result.launches, 1);
    assert_eq!(units(&job, &result, "input 7"), (0..20).collect::<Vec<_>>());
    // Up to the end of the last surface: nine rows of 96 bytes from 0x200000 on.
    assert_eq!(result.memory.arena(ArenaKind::Gpu).unwrap().size, 0x20_0800);
    assert_eq!(result.memory.arenas().len(), 1);
}

#[test]
fn all_keys_reach_the_launch() {
    let dir = directory();
    save(dir.path(), "v.npy", Dtype::Float32, &[2, 3, 4], (0..24).collect());
    let job = parse(
        dir.path(),
        &format!(
            "{SHORT}
            float = {{ mode = \"fast\" }}
            limits = {{ instructions = 99 }}
            [constants]
            float = {{ 0 = [1, -2.5, \"0x7fc00001\", 1e-40], 255 = [16777217, inf, -inf, -0.0] }}
            int = {{ 31 = [255, 254, -128] }}
            bool = [0, 31, 3]
            [[input]]
            slot = 0
            fill = [10, 20, 30, 40]
            width = 2
            height = 2
            format = \"UINT8_4\"
            wrap = \"repeat\"
            [[output]]
            slot = 0
            format = \"UINT8_4\"
            mask = \"bg\"
            width = 2
            height = 2
            [condition]
            test = \"GREATER\"
            location = \"PE\"
            format = \"UINT16_1\"
            value = 77
            fill = 5
            width = 9
            height = 3
            write = false
            [[initial]]
            temp = 3
            fill = [0.5, -0.0, 1e-40, 7]
            [[initial]]
            temp = 4
            plane = [[1, 2, 3, 4], [0.5, 0, 0, -1], [0, 10, 0, 0.25]]
            [[initial]]
            temp = 127
            file = \"v.npy\""
        ),
    );
    let fake = Fake::default();
    let result = run(&job, &fake);
    let launch = &fake.launches()[0];
    let bits = f32::to_bits;
    assert_eq!(launch.constants.float[0], [bits(1.0), bits(-2.5), 0x7fc0_0001, bits(1e-40)]);
    assert_eq!(
        launch.constants.float[255],
        [bits(16_777_216.0), 0x7f80_0000, 0xff80_0000, 0x8000_0000]
    );
    let int = launch.constants.int[31];
    assert_eq!((int.count, int.start, int.step), (255, 254, -128));
    assert_eq!(launch.constants.bool, 1 << 31 | 0b1001);
    assert_eq!(launch.out_mask, 0b0110);
    assert_eq!(launch.mode, FloatMode::Fast);
    assert_eq!(launch.limits.instructions, 99);
    assert_eq!(launch.initial.iter().map(|initial| initial.temp).collect::<Vec<_>>(), [3, 4, 127]);
    let Domain { i0, j0, .. } = launch.domain;
    let width = launch.domain.width();
    let points = (width * launch.domain.height()) as usize;
    assert_eq!(*launch.initial[0].data, vec![[bits(0.5), 1 << 31, bits(1e-40), bits(7.0)]; points]);
    assert_eq!(launch.initial[1].data.len(), points);
    for (n, value) in (0..).zip(launch.initial[1].data.iter()) {
        let (i, j) = ((i0 + n % width) as f32, (j0 + n / width) as f32);
        let want = [1.0 + 0.5 * i, 2.0 + 10.0 * j, 3.0, 4.0 - i + 0.25 * j];
        assert_eq!(*value, want.map(bits), "point {n}");
    }
    assert_eq!(launch.initial[2].data[5], [20, 21, 22, 23]);
    assert_eq!(launch.inputs[0].unwrap().wrap, ctm_machine::memory::Wrap::Repeat);
    assert_eq!(launch.condition.test, Test::Greater);
    assert_eq!(launch.condition.value, 77);
    assert!(!launch.condition.write);
    assert_eq!(launch.condition.buffer.unwrap().format, Format::Uint16x1);
    assert_eq!(units(&job, &result, "condition"), [5; 27]);
    assert_eq!(
        units(&job, &result, "output 0"),
        [11, 21, 31, 41].repeat(4),
        "the fill, in channel order, as the engine saw it, plus 1"
    );

    let options =
        RunOptions { mode: Some(FloatMode::Exact), instructions: Some(5), statistics: true };
    job.run(&fake, &options, &NoProgress).unwrap();
    let launch = &fake.launches()[1];
    assert_eq!(launch.mode, FloatMode::Exact);
    assert_eq!(launch.limits.instructions, 5);
    assert!(launch.statistics);
}

#[test]
fn an_empty_mask_is_a_mask_and_a_float_file_holds_constants() {
    let dir = directory();
    save(dir.path(), "c.npy", Dtype::Float32, &[2, 4], (1..9).collect());
    let job = parse(
        dir.path(),
        &format!(
            "{SHORT}
            constants = {{ float_file = \"c.npy\" }}
            output = [{{ slot = 0, format = \"UINT16_1\", mask = \"\" }}]"
        ),
    );
    let fake = Fake::default();
    run(&job, &fake);
    let launch = &fake.launches()[0];
    assert_eq!(launch.out_mask, 0);
    assert_eq!(launch.constants.float[1], [5, 6, 7, 8]);
    assert_eq!(launch.constants.float[2], [0; 4]);
}

#[test]
fn what_changes_places_with_a_written_name_is_written() {
    let dir = directory();
    let buffer = |name| {
        format!("[[buffer]]\nname = \"{name}\"\nformat = \"FLOAT32_4\"\nwidth = 1\nheight = 1\n")
    };
    let buffers = ["a", "b", "c", "d", "e", "f"].map(buffer).concat();
    // `b` gets what `a` holds by way of `c`; `d` and `e` exchange zeros.
    let text = format!(
        "version = 1\n{buffers}address = 0x100000\n{PASS}outputs = {{ 0 = \"a\" }}\nswap = [\"b\", \"c\"]
        {PASS}swap = [\"c\", \"a\"]\n{PASS}swap = [\"d\", \"e\"]"
    );
    let job = parse(dir.path(), &text);
    assert_eq!(job.written(), [true, true, true, false, false, true]);
}

#[test]
fn swapped_names_change_places_after_each_repetition_and_stay() {
    let dir = directory();
    let text = format!(
        "{}{PASS}repeat = 3\nswap = [\"a\", \"b\"]\ninputs = {{ 0 = \"a\" }}\noutputs = {{ 0 = \"b\" }}",
        buffers(dir.path())
    );
    let job = parse(dir.path(), &text);
    let fake = Fake::default();
    let mut result = run(&job, &fake);
    // 100 -> 101 -> 102 -> 103, in turn in the second and the first surface; after the third
    // swap the name "a" means the second surface, which was written last.
    assert_eq!(units(&job, &result, "a"), [103]);
    assert_eq!(units(&job, &result, "b"), [102]);
    let launches = fake.launches();
    let at = |n: usize| {
        let launch: &Launch = &launches[n];
        (launch.inputs[0].unwrap().base, launch.outputs[0].unwrap().base)
    };
    assert_eq!(launches.len(), 3);
    assert_eq!(at(0), at(2));
    assert_eq!(at(0), (at(1).1, at(1).0));
    // Files are of the names as well.
    let files = job.save(&mut result).unwrap();
    assert_eq!(files, [dir.path().join("a_out.npy"), dir.path().join("b_out.npy")]);
    let saved = |n: usize| npy::parse(&fs::read(&files[n]).unwrap()).unwrap();
    assert_eq!((saved(0).units, saved(1).units), (vec![103], vec![102]));
    assert_eq!(saved(0).shape, [1, 1]);

    // The next pass sees them swapped.
    let more = format!("{text}\n{PASS}outputs = {{ 0 = \"b\" }}\ninputs = {{ 0 = \"b\" }}");
    let job = parse(dir.path(), &more);
    let result = run(&job, &Fake::default());
    assert_eq!(units(&job, &result, "a"), [103]);
    assert_eq!(units(&job, &result, "b"), [103]);
}

#[test]
fn device_state_stays_from_pass_to_pass_but_constants_do_not() {
    let dir = directory();
    save(dir.path(), "v.npy", Dtype::Float32, &[1, 1, 4], vec![0; 4]);
    let text = format!(
        "{}[[buffer]]\nname = \"z\"\nformat = \"FLOAT32_1\"\nwidth = 1\nheight = 1\n\
         {PASS}inputs = {{ 0 = \"a\" }}\noutputs = {{ 0 = \"b\" }}\nmask = \"r\"\n\
         constants = {{ bool = [1] }}\ninitial = {{ 3 = \"v.npy\" }}\n\
         condition = {{ buffer = \"z\", test = \"LESS\", location = \"DPP\", value = 2, write = false }}\n\
         {PASS}inputs = {{ 1 = \"b\" }}\n\
         {PASS}mask = \"\"\ncondition = {{ test = \"ALWAYS\", location = \"PE\" }}\n",
        buffers(dir.path())
    );
    let fake = Fake::default();
    run(&parse(dir.path(), &text), &fake);
    let launches = fake.launches();
    let bound = |launch: &Launch| {
        (launch.inputs.iter().flatten().count(), launch.outputs.iter().flatten().count())
    };
    assert_eq!(launches.iter().map(bound).collect::<Vec<_>>(), [(1, 1), (2, 1), (2, 1)]);
    assert_eq!(launches.iter().map(|l| l.out_mask).collect::<Vec<_>>(), [1, 1, 0]);
    assert_eq!(launches.iter().map(|l| l.constants.bool).collect::<Vec<_>>(), [2, 0, 0]);
    assert_eq!(launches.iter().map(|l| l.initial.len()).collect::<Vec<_>>(), [1, 0, 0]);
    assert_eq!(launches[0].condition.test, Test::Less);
    assert_eq!(launches[0].condition.value, 2.0f32.to_bits());
    assert_eq!(launches[1].condition, launches[0].condition);
    assert_eq!(launches[2].condition.test, Test::Always);
    assert_eq!(launches[2].condition.buffer, None);
    assert!(launches[2].condition.write);
}

#[test]
fn surfaces_keep_off_given_addresses_and_share_memory_where_they_are_told_to() {
    let dir = directory();
    save(dir.path(), "a.npy", Dtype::Uint16, &[1, 1], vec![7]);
    let job = parse(
        dir.path(),
        &format!(
            "{SHORT}
            [[input]]
            slot = 1
            file = \"a.npy\"
            format = \"UINT16_1\"
            [[input]]
            slot = 0
            file = \"a.npy\"
            format = \"UINT16_1\"
            address = 0
            [[output]]
            slot = 0
            width = 1
            height = 1
            format = \"UINT16_1\"
            address = 0"
        ),
    );
    let fake = Fake::default();
    let result = run(&job, &fake);
    let launch = &fake.launches()[0];
    let base = result.memory.base(ArenaKind::Gpu);
    assert_eq!(launch.inputs[0].unwrap().base, base);
    assert_eq!(launch.outputs[0].unwrap().base, base);
    assert_eq!(launch.inputs[1].unwrap().base, base + 2048);
    // The output's zeros did not overwrite the input's 7.
    assert_eq!(units(&job, &result, "output 0"), [8]);
}

#[test]
fn the_arena_grows_where_surfaces_need_it() {
    let dir = directory();
    let mut text = SHORT.to_string();
    for slot in 0..4 {
        text += &format!(
            "[[output]]\nslot = {slot}\nformat = \"FLOAT32_4\"\nwidth = 4096\nheight = 2048\n"
        );
    }
    let job = parse(dir.path(), &text);
    struct Idle;
    impl Engine for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }
        fn run_checked(
            &self,
            _: &Checked<'_>,
            _: &mut Memory,
            _: &dyn Progress,
        ) -> Result<Outcome, LaunchError> {
            Ok(Outcome::default())
        }
    }
    let result = run(&job, &Idle);
    assert_eq!(result.memory.arena(ArenaKind::Gpu).unwrap().size, 512 << 20);
    let mut huge = "version = 1\n".to_string();
    for n in 0..16 {
        huge += &format!(
            "[[buffer]]\nname = \"{n}\"\nformat = \"FLOAT32_4\"\nwidth = 4096\nheight = 4095\n"
        );
    }
    huge += PASS;
    let error =
        parse(dir.path(), &huge).run(&Idle, &RunOptions::default(), &NoProgress).unwrap_err();
    assert_eq!(
        error.to_string().replace(&format!("{}/", dir.path().display()), ""),
        "job.toml: the arenas need 4361027584 bytes of address space, 32 bits address 4294967296"
    );
}

#[test]
fn a_launch_that_is_refused_names_its_pass() {
    let dir = directory();
    let message = |text: &str| {
        parse(dir.path(), text)
            .run(&Reference::new(), &RunOptions::default(), &NoProgress)
            .unwrap_err()
            .to_string()
            .replace(&format!("{}/", dir.path().display()), "")
    };
    assert_eq!(
        message(SHORT),
        "job.toml:2: program: output 0 was never set, but the instruction at pc 0 writes it"
    );
    assert_eq!(
        message(&format!("{}{PASS}repeat = 7", buffers(dir.path()))),
        "job.toml:12: pass[0]: repetition 0 of 7: output 0 was never set, but the instruction at \
         pc 0 writes it"
    );
}

/// An output for a job whose outputs play no part.
const OUTPUT_0: &str = "output = [{ slot = 0, format = \"FLOAT32_4\" }]\n";

#[test]
fn a_container_brings_its_own_registers_and_literals() {
    use ctm_lang::program::{ConstantKind, Image, Literal};
    const ROW: [u32; 4] = [0x3f80_0000, 0x4000_0000, 0x4040_0000, 0x4080_0000];
    let dir = directory();
    let words = PROGRAM.split_whitespace().map(|w| u32::from_str_radix(w, 16).unwrap());
    let words: Vec<u32> = words.collect();
    let mut image = Image::from_words(vec![words.try_into().unwrap()]);
    let mut literal = |kind, addr, value| image.literals.push(Literal { kind, addr, value });
    literal(ConstantKind::Float, 0, ROW);
    literal(ConstantKind::Float, 1, [5, 6, 7, 8]);
    literal(ConstantKind::Int, 2, [9, 1, 0xffff_fffd, 0]);
    literal(ConstantKind::Bool, 0, [0, 0, 0, 0]);
    literal(ConstantKind::Bool, 4, [1, 0, 0, 0]);
    fs::write(dir.path().join("p.elf"), ctm_lang::elf::write(&image)).unwrap();
    let text = SHORT.replace("p.hex", "p.elf");
    let job = parse(
        dir.path(),
        &format!(
            "{text}constants = {{ float = {{ 1 = [0, 0, 0, 0] }}, bool = [0] }}\n\
             output = [{{ slot = 0, format = \"FLOAT32_4\", save = \"out.npy\", image = \"out.png\" }}]"
        ),
    );
    let fake = Fake::default();
    run(&job, &fake);
    let constants = &fake.launches()[0].constants;
    assert_eq!(constants.float[0], ROW);
    assert_eq!(constants.float[1], [0; 4], "the job's own value");
    let int = constants.int[2];
    assert_eq!((int.count, int.start, int.step), (9, 1, -3));
    assert_eq!(constants.bool, 0b1, "the job's own list");
    let without = parse(dir.path(), &format!("{text}{OUTPUT_0}"));
    let fake = Fake::default();
    run(&without, &fake);
    assert_eq!(fake.launches()[0].constants.bool, 0b10000);
    let none = parse(dir.path(), &format!("{text}{OUTPUT_0}constants.bool = []\n"));
    let fake = Fake::default();
    run(&none, &fake);
    assert_eq!(fake.launches()[0].constants.bool, 0);

    // And it runs: constant 0 everywhere, in the saved file too.
    let mut result = run(&job, &Reference::new());
    assert_eq!(units(&job, &result, "output 0"), ROW.repeat(6));
    let files = job.save(&mut result).unwrap();
    assert_eq!(files, [dir.path().join("out.png"), dir.path().join("out.npy")]);
    let saved = npy::parse(&fs::read(&files[1]).unwrap()).unwrap();
    assert_eq!(saved.shape, [2, 3, 4]);
    assert_eq!(saved.units, ROW.repeat(6));

    for extra in ["umrt = false", "registers = { US_CONFIG = 2 }"] {
        let text = text.replace("p.elf\"", &format!("p.elf\", {extra}"));
        let error = Job::parse(&text, &dir.path().join("job.toml")).unwrap_err();
        let key = extra.split(' ').next().unwrap();
        assert_eq!(
            error.to_string().replace(&format!("{}/", dir.path().display()), ""),
            format!(
                "job.toml:2: program.{key}: p.elf brings its own: only programs without a \
                 container take it"
            )
        );
    }
}

#[test]
fn a_job_runs_again_with_the_same_memory() {
    let dir = ctm_testing::files::root().join("tests/vectors/exact/passes_00");
    let job = Job::read(&dir.join("job.toml")).unwrap();
    let (first, second) = (run(&job, &Reference::new()), run(&job, &Reference::new()));
    for (a, b) in first.memory.arenas().iter().zip(second.memory.arenas()) {
        assert_eq!(a, b);
        let len = 1 << 20;
        assert_eq!(first.memory.slice(a.base, len), second.memory.slice(b.base, len));
    }
    assert_eq!(first.surfaces, second.surfaces);
}
