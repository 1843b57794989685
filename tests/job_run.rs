//! What a job does when it runs: bindings, swaps, state from pass to pass, contents, files.

use ctm::array::{Array, Dtype, npy};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, Fault, FaultCode, LaunchError, Outcome, Progress, Statistics};
use ctm::job::{IgnoreProgress, Job, JobResult, RunOptions, RunProgress};
use ctm::launch::{FloatMode, Launch, Test};
use ctm::memory::{ArenaKind, Format, Memory, Surface, Tiling, array};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// One OUT instruction that writes constant 0 to output 0.
const PROGRAM: &str = "00078005 08020100 08020100 00db0220 00c0c000 20490000\n";

/// Remembers the launches, and does one thing to memory: output 0 gets input 0 plus 1 in all its
/// (small) numbers, at the elements that both have. Without an input, output 0 counts up.
#[derive(Default)]
struct Fake {
    launches: Mutex<Vec<Launch>>,
    /// What every launch reports.
    outcome: Outcome,
}

impl Engine for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn adapter(&self) -> Option<String> {
        Some("card".to_string())
    }
    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        self.launches.lock().unwrap().push(launch.clone());
        if let Some(out) = launch.outputs[0] {
            let from = launch.inputs[0].unwrap_or(out);
            let mut data = array::read_array(memory, &from, from.width, from.height).unwrap();
            data.iter_mut().for_each(|v| *v += 1);
            array::write_array(memory, &out, out.width, out.height, &data).unwrap();
        }
        progress.groups(1, 1);
        Ok(self.outcome.clone())
    }
}

impl Fake {
    fn launches(&self) -> Vec<Launch> {
        self.launches.lock().unwrap().clone()
    }
}

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("p.hex"), PROGRAM).unwrap();
    dir
}

fn save(dir: &Path, name: &str, dtype: Dtype, shape: &[usize], units: Vec<u32>) {
    let shape = shape.to_vec();
    npy::save(
        &Array {
            dtype,
            shape,
            units,
        },
        &dir.join(name),
    )
    .unwrap();
}

fn parse(dir: &Path, text: &str) -> Job {
    match Job::parse(text, &dir.join("job.toml")) {
        Ok(job) => job,
        Err(error) => panic!("{error}"),
    }
}

fn run(job: &Job, engine: &dyn Engine) -> JobResult {
    job.run(engine, &RunOptions::default(), &IgnoreProgress)
        .unwrap()
}

fn units(job: &Job, result: &JobResult, name: &str) -> Vec<u32> {
    result.raster(job.buffer(name).unwrap()).unwrap().units
}

const SHORT: &str = "version = 1
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 2, j1 = 1 }
";

#[test]
fn the_short_form_is_one_launch_with_all_defaults() {
    let dir = directory();
    save(
        dir.path(),
        "a.npy",
        Dtype::Uint16,
        &[4, 5],
        (0..20).collect(),
    );
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
        Some(Surface {
            width: 5,
            ..Surface::new(base, 16, 4, Tiling::Linear, Format::Uint16x1)
        })
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
    assert_eq!(launch.condition, ctm::launch::Condition::default());
    assert_eq!(launch.limits.instructions, 1 << 24);
    assert_eq!(launch.mode, FloatMode::Exact);
    assert!(!launch.statistics);
    assert_eq!(
        (result.engine, result.adapter.as_deref()),
        ("fake", Some("card"))
    );
    assert_eq!(result.launches, 1);
    assert_eq!(units(&job, &result, "input 7"), (0..20).collect::<Vec<_>>());
    assert_eq!(result.memory.arena(ArenaKind::Gpu).unwrap().size, 256 << 20);
}

#[test]
fn all_keys_reach_the_launch() {
    let dir = directory();
    save(
        dir.path(),
        "v.npy",
        Dtype::Float32,
        &[2, 3, 4],
        (0..24).collect(),
    );
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
            temp = 127
            file = \"v.npy\""
        ),
    );
    let fake = Fake::default();
    let result = run(&job, &fake);
    let launch = &fake.launches()[0];
    let bits = f32::to_bits;
    assert_eq!(
        launch.constants.float[0],
        [bits(1.0), bits(-2.5), 0x7fc0_0001, bits(1e-40)]
    );
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
    assert_eq!(launch.initial.len(), 1);
    assert_eq!(launch.initial[0].temp, 127);
    assert_eq!(launch.initial[0].data[5], [20, 21, 22, 23]);
    assert_eq!(launch.inputs[0].unwrap().wrap, ctm::memory::Wrap::Repeat);
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

    let options = RunOptions {
        mode: Some(FloatMode::Exact),
        instructions: Some(5),
        statistics: true,
    };
    job.run(&fake, &options, &IgnoreProgress).unwrap();
    let launch = &fake.launches()[1];
    assert_eq!(launch.mode, FloatMode::Exact);
    assert_eq!(launch.limits.instructions, 5);
    assert!(launch.statistics);
}

#[test]
fn an_empty_mask_is_a_mask_and_a_float_file_holds_constants() {
    let dir = directory();
    save(
        dir.path(),
        "c.npy",
        Dtype::Float32,
        &[2, 4],
        (1..9).collect(),
    );
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

/// Two named buffers of one element, 100 and 200.
fn buffers(dir: &Path) -> String {
    for (name, unit) in [("a", 100), ("b", 200)] {
        save(
            dir,
            &format!("{name}.npy"),
            Dtype::Uint16,
            &[1, 1],
            vec![unit],
        );
    }
    let mut text = "version = 1\n".to_string();
    for name in ["a", "b"] {
        text += &format!(
            "[[buffer]]\nname = \"{name}\"\nformat = \"UINT16_1\"\nfile = \"{name}.npy\"\n\
             save = \"{name}_out.npy\"\n"
        );
    }
    text
}

const PASS: &str = "[[pass]]
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }
";

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
        (
            launch.inputs[0].unwrap().base,
            launch.outputs[0].unwrap().base,
        )
    };
    assert_eq!(launches.len(), 3);
    assert_eq!(at(0), at(2));
    assert_eq!(at(0), (at(1).1, at(1).0));
    // Files are of the names as well.
    let files = job.save(&mut result).unwrap();
    assert_eq!(
        files,
        [dir.path().join("a_out.npy"), dir.path().join("b_out.npy")]
    );
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
         {PASS}inputs = {{ 0 = \"a\" }}\noutputs = {{ 1 = \"b\" }}\nmask = \"r\"\n\
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
        (
            launch.inputs.iter().flatten().count(),
            launch.outputs.iter().flatten().count(),
        )
    };
    assert_eq!(
        launches.iter().map(bound).collect::<Vec<_>>(),
        [(1, 1), (2, 1), (2, 1)]
    );
    assert_eq!(
        launches.iter().map(|l| l.out_mask).collect::<Vec<_>>(),
        [1, 1, 0]
    );
    assert_eq!(
        launches
            .iter()
            .map(|l| l.constants.bool)
            .collect::<Vec<_>>(),
        [2, 0, 0]
    );
    assert_eq!(
        launches.iter().map(|l| l.initial.len()).collect::<Vec<_>>(),
        [1, 0, 0]
    );
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
        fn run(
            &self,
            _: &Launch,
            _: &mut Memory,
            _: &dyn Progress,
        ) -> Result<Outcome, LaunchError> {
            Ok(Outcome::default())
        }
    }
    let result = run(&job, &Idle);
    assert_eq!(result.memory.arena(ArenaKind::Gpu).unwrap().size, 512 << 20);
    let mut huge = "version = 1\n".to_string();
    for n in 0..8 {
        huge += &format!(
            "[[buffer]]\nname = \"{n}\"\nformat = \"FLOAT32_4\"\nwidth = 8191\nheight = 8191\n"
        );
    }
    huge += PASS;
    let error = parse(dir.path(), &huge)
        .run(&Idle, &RunOptions::default(), &IgnoreProgress)
        .unwrap_err();
    assert_eq!(
        error
            .to_string()
            .replace(&format!("{}/", dir.path().display()), ""),
        "job.toml: the arenas need 4361551872 bytes of address space, 32 bits address 4294967296"
    );
}

#[test]
fn faults_hazards_and_statistics_of_all_launches_are_put_together() {
    let dir = directory();
    let mut fake = Fake::default();
    let fault = Fault {
        count: 2,
        i: 5,
        j: 6,
        order: 1,
        pc: 3,
        slot: 0,
        word: 0,
    };
    fake.outcome.faults.add(FaultCode::Budget, fault);
    fake.outcome.groups = 3;
    fake.outcome.points = 10;
    fake.outcome.hazards = vec!["reads and writes overlap".to_string()];
    fake.outcome.statistics = Some(Statistics {
        groups: 3,
        points: 10,
        alu: 3,
        lane_instructions: 100,
        ..Statistics::default()
    });
    let job = parse(
        dir.path(),
        &format!("{}{PASS}repeat = 4", buffers(dir.path())),
    );
    let options = RunOptions {
        statistics: true,
        ..RunOptions::default()
    };
    struct Calls(Mutex<Vec<(u64, u64, u64, u64)>>);
    impl RunProgress for Calls {
        fn at(&self, launch: u64, launches: u64, done: u64, total: u64) {
            let mut calls = self.0.lock().unwrap();
            calls.push((launch, launches, done, total));
        }
    }
    let calls = Calls(Mutex::default());
    let result = job.run(&fake, &options, &calls).unwrap();
    assert_eq!(
        result.faults.get(FaultCode::Budget),
        Some(&Fault { count: 8, ..fault })
    );
    assert_eq!(result.hazards, ["reads and writes overlap"]);
    assert_eq!((result.groups, result.launches), (12, 4));
    let statistics = result.statistics.unwrap();
    assert_eq!((statistics.alu, statistics.lane_instructions), (12, 400));
    assert_eq!(result.points, 40);
    assert_eq!(result.clocks, Some(4 * 204));
    assert_eq!(
        calls.0.into_inner().unwrap(),
        [(0, 4, 1, 1), (1, 4, 1, 1), (2, 4, 1, 1), (3, 4, 1, 1)]
    );

    // Without them nothing is made up.
    fake.outcome.statistics = None;
    let result = job.run(&fake, &options, &IgnoreProgress).unwrap();
    assert!(result.statistics.is_none() && result.clocks.is_none());
    assert!(result.pi_per_second().is_none());
    assert_eq!(result.points, 40);
}

#[test]
fn expected_faults_do_not_fail_a_job_and_missing_ones_do() {
    let dir = directory();
    let mut fake = Fake::default();
    let fault = Fault {
        count: 1,
        i: 0,
        j: 0,
        order: 0,
        pc: 9,
        slot: 0,
        word: 0,
    };
    fake.outcome.faults.add(FaultCode::Budget, fault);
    let check = |expect: &str, engine: &Fake| {
        let job = parse(dir.path(), &format!("{SHORT}{expect}"));
        let checks = job.check(&run(&job, engine)).unwrap();
        checks
            .into_iter()
            .map(|c| (c.passed, c.text))
            .collect::<Vec<_>>()
    };
    let text = "budget: the group ran over its instruction budget: once at point (0, 0), pc 9";
    assert_eq!(check("", &fake), [(false, text.to_string())]);
    assert_eq!(
        check("[[expect]]\nfault = \"budget\"", &fake),
        [(true, text.to_string())]
    );
    assert_eq!(
        check("[[expect]]\nfault = \"budget\"", &Fake::default()),
        [(false, "fault budget: it did not occur".to_string())]
    );
}

#[test]
fn checks_compare_and_bad_expected_files_are_errors() {
    let dir = directory();
    save(dir.path(), "one.npy", Dtype::Uint16, &[1, 1, 1], vec![101]);
    save(
        dir.path(),
        "two.npy",
        Dtype::Uint16,
        &[1, 2],
        vec![101, 102],
    );
    fs::write(dir.path().join("junk.npy"), "junk").unwrap();
    let check = |file: &str, more: &str| {
        let text = format!(
            "{}{PASS}inputs = {{ 0 = \"a\" }}\noutputs = {{ 0 = \"b\" }}\n\
             [[expect]]\nbuffer = \"b\"\nfile = \"{file}\"\n{more}",
            buffers(dir.path())
        );
        let job = parse(dir.path(), &text);
        match job.check(&run(&job, &Fake::default())) {
            Ok(checks) => format!("{} {}", checks[0].passed, checks[0].text),
            Err(error) => error
                .to_string()
                .replace(&format!("{}/", dir.path().display()), ""),
        }
    };
    assert_eq!(check("one.npy", ""), "true buffer b: all 1 values equal");
    assert_eq!(
        check("a.npy", ""),
        "false buffer b: 1 of 1 values differ (100.00%), first at point (0, 0): got 101 (0x0065), \
         want 100 (0x0064); worst error 1e0"
    );
    assert_eq!(
        check("a.npy", "atol = 1"),
        "true buffer b: all 1 values equal within the tolerance; worst error 1e0"
    );
    assert_eq!(
        check("none.npy", ""),
        "job.toml:17: expect[0].file: cannot read none.npy: No such file or directory (os error 2)"
    );
    assert_eq!(
        check("junk.npy", ""),
        "job.toml:17: expect[0].file: junk.npy: it is no .npy file"
    );
    assert_eq!(
        check("two.npy", ""),
        "job.toml:17: expect[0].file: two.npy: found uint16 (1, 2), needed uint16 (height, width) \
         or (height, width, 1) for UINT16_1 with height 1 and width 1"
    );
}

#[test]
fn a_launch_that_is_refused_names_its_pass() {
    let dir = directory();
    let message = |text: &str| {
        parse(dir.path(), text)
            .run(&Reference::new(), &RunOptions::default(), &IgnoreProgress)
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

#[test]
fn a_container_brings_its_own_registers_and_literals() {
    use ctm::program::{ConstantKind, Image, Literal};
    const ROW: [u32; 4] = [0x3f80_0000, 0x4000_0000, 0x4040_0000, 0x4080_0000];
    let dir = directory();
    let words = PROGRAM
        .split_whitespace()
        .map(|w| u32::from_str_radix(w, 16).unwrap());
    let words: Vec<u32> = words.collect();
    let mut image = Image::from_words(vec![words.try_into().unwrap()]);
    let mut literal = |kind, addr, value| image.literals.push(Literal { kind, addr, value });
    literal(ConstantKind::Float, 0, ROW);
    literal(ConstantKind::Float, 1, [5, 6, 7, 8]);
    literal(ConstantKind::Int, 2, [9, 1, 0xffff_fffd, 0]);
    literal(ConstantKind::Bool, 4, [1, 0, 0, 0]);
    fs::write(dir.path().join("p.elf"), ctm::elf::write(&image)).unwrap();
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
    assert_eq!(constants.bool, 0b10001);

    // And it runs: constant 0 everywhere, in the saved file too.
    let mut result = run(&job, &Reference::new());
    assert_eq!(units(&job, &result, "output 0"), ROW.repeat(6));
    let files = job.save(&mut result).unwrap();
    assert_eq!(
        files,
        [dir.path().join("out.png"), dir.path().join("out.npy")]
    );
    let saved = npy::parse(&fs::read(&files[1]).unwrap()).unwrap();
    assert_eq!(saved.shape, [2, 3, 4]);
    assert_eq!(saved.units, ROW.repeat(6));

    for extra in ["umrt = false", "registers = { US_CONFIG = 2 }"] {
        let text = text.replace("p.elf\"", &format!("p.elf\", {extra}"));
        let error = Job::parse(&text, &dir.path().join("job.toml")).unwrap_err();
        let key = extra.split(' ').next().unwrap();
        assert_eq!(
            error
                .to_string()
                .replace(&format!("{}/", dir.path().display()), ""),
            format!(
                "job.toml:2: program.{key}: p.elf brings its own: only programs without a \
                 container take it"
            )
        );
    }
}

#[test]
fn a_job_runs_again_with_the_same_memory() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/exact/passes_00");
    let job = Job::read(&dir.join("job.toml")).unwrap();
    let (first, second) = (run(&job, &Reference::new()), run(&job, &Reference::new()));
    for (a, b) in first.memory.arenas().iter().zip(second.memory.arenas()) {
        assert_eq!(a, b);
        let len = 1 << 20;
        assert_eq!(
            first.memory.slice(a.base, len),
            second.memory.slice(b.base, len)
        );
    }
    assert_eq!(first.surfaces, second.surfaces);
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let dir = directory();
    let short = |text: String| text.replace(&format!("{}/", dir.path().display()), "");
    let read = |name: &str| short(Job::read(&dir.path().join(name)).unwrap_err().to_string());
    assert_eq!(
        read("none.toml"),
        "none.toml: cannot read none.toml: No such file or directory (os error 2)"
    );
    fs::write(dir.path().join("bytes.toml"), [0xff, 0xfe]).unwrap();
    assert_eq!(read("bytes.toml"), "bytes.toml: the file is not UTF-8 text");

    let text =
        format!("{SHORT}[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nsave = \"no/such/out.npy\"");
    let job = parse(dir.path(), &text);
    let mut result = run(&job, &Reference::new());
    let error = short(job.save(&mut result).unwrap_err().to_string());
    assert_eq!(
        error.split(" at path").next(),
        Some(
            "job.toml:4: output[0].save: cannot write no/such/out.npy: No such file or directory \
             (os error 2)"
        )
    );
}
