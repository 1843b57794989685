//! Registers that groups share, in job files.

use crate::job_common::{self, parse, run, save};
use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::{Job, RunOptions, SharedFiles};
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Engine, FaultCode, Stop};
use std::fs;
use std::path::Path;

/// Adds 1 to g0.r in each lane, and shows it.
const COUNT: &str = ".sharing global=2 clause=1\nadd g0.r, g0.r, 1\nmov o0.r, g0.r\n";
/// A program without shared registers.
const PLAIN: &str = "mov o0.r, 7\n";

/// A folder with programs.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("count", COUNT),
        ("plain", PLAIN),
        ("other", ".sharing global=3 clause=1\nmov o0.r, g0.r\n"),
        ("clause", ".sharing clause=2\nmov ct0.r, r0.r\nmov o0.r, ct0.r\n"),
    ] {
        fs::write(dir.path().join(format!("{name}.dpp")), text).expect("written");
    }
    dir
}

/// A job of one pass over 16 x 8 points: two groups.
fn short(program: &str) -> String {
    format!(
        "version = 1\nprogram = {{ file = \"{program}.dpp\" }}\n\
         domain = {{ i0 = 0, j0 = 0, i1 = 15, j1 = 7 }}\n\
         output = [{{ slot = 0, format = \"FLOAT32_1\" }}]\n"
    )
}

/// A job of several passes.
fn passes(programs: &[&str]) -> String {
    let mut text = "version = 1\n[[buffer]]\nname = \"a\"\nformat = \"FLOAT32_1\"\nwidth = 16\n\
                    height = 8\n"
        .to_string();
    for program in programs {
        text += &format!(
            "[[pass]]\nprogram = {{ file = \"{program}.dpp\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 15, j1 = 7 }}\noutputs = {{ 0 = \"a\" }}\n"
        );
    }
    text
}

fn error(dir: &Path, text: &str) -> String {
    let job = Job::parse(text, Path::new("job.toml"));
    let error = match job {
        // Files are relative to the job's folder.
        Ok(_) => panic!("no error in {text}"),
        Err(error) if error.to_string().contains("cannot read") => {
            match Job::parse(text, &dir.join("job.toml")) {
                Ok(_) => panic!("no error in {text}"),
                Err(error) => error.to_string(),
            }
        }
        Err(error) => error.to_string(),
    };
    error.replace(&format!("{}/", dir.display()), "")
}

fn engines() -> [Box<dyn Engine>; 2] {
    [Box::new(Reference::new()), Box::new(Block::new())]
}

fn registers(simds: usize, globals: usize, value: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..simds * globals * 64 * 4).map(value).collect()
}

#[test]
fn registers_live_from_pass_to_pass() {
    let dir = folder();
    // Bit for bit: also a NaN with a payload, in a channel that no instruction touches.
    let bits = |n: usize| if n.is_multiple_of(4) { 5f32.to_bits() } else { 0x7fa0_0000 + n as u32 };
    let shape = [2, 2, 64, 4];
    save(dir.path(), "start.npy", Dtype::Float32, &shape, registers(2, 2, bits));
    // A pass without shared registers lies between.
    let sharing = "[sharing]\nsimds = 2\ninitial = \"start.npy\"\nsave = \"end.npy\"\n";
    let text = passes(&["count", "plain", "count"]).replace("outputs", "repeat = 3\noutputs");
    let job = parse(dir.path(), &format!("{text}{sharing}"));
    for engine in engines() {
        let mut result = run(&job, engine.as_ref());
        job.save(&mut result).expect("written");
        let bytes = fs::read(dir.path().join("end.npy")).expect("an array");
        let found = npy::parse(&bytes).expect("an array");
        // Six launches; each SIMD has one group, which adds 1 to register 0.
        let counted = |n: usize| match n % 512 {
            at if at < 256 && at.is_multiple_of(4) => 11f32.to_bits(),
            _ => bits(n),
        };
        let units = registers(2, 2, counted);
        let expected = Array { dtype: Dtype::Float32, shape: shape.to_vec(), units };
        assert!(found == expected, "{}", engine.name());
        assert_eq!(job_common::units(&job, &result, "a"), vec![11f32.to_bits(); 128]);
    }
}

#[test]
fn without_a_table_there_is_one_simd_with_zeros() {
    let dir = folder();
    let job = parse(dir.path(), &passes(&["count"]));
    for engine in engines() {
        let result = run(&job, engine.as_ref());
        let shared = result.shared.as_ref().expect("registers");
        assert_eq!((shared.simds, shared.globals.len()), (1, 128));
        // The two groups of a pair add before either shows the sum.
        assert_eq!(job_common::units(&job, &result, "a"), vec![2f32.to_bits(); 128]);
    }
    assert!(run(&parse(dir.path(), &passes(&["plain"])), &Block::new()).shared.is_none());
}

#[test]
fn words_have_shared_registers_by_a_register_of_the_job() {
    let dir = folder();
    let image = ctm_lang::asm::assemble(COUNT, "count").expect("a program");
    fs::write(dir.path().join("count.hex"), ctm_lang::raw::write_hex(&image)).expect("written");
    let registers = "\n[program.registers]\nSQ_GPR_RESOURCE = 0x10000002\n";
    let text = short("count").replace("program = { file = \"count.dpp\" }\n", "");
    let program = "[program]\nfile = \"count.hex\"\n";
    let job = parse(dir.path(), &format!("{text}{program}{registers}"));
    let sharing = job.passes[0].program.sharing().expect("the flag");
    assert_eq!((sharing.globals(), sharing.clauses()), (2, 1));
    // 0 is the flag without registers; nothing is none.
    let none = registers.replace("0x10000002", "0");
    let text = format!("{text}{program}");
    fs::write(dir.path().join("count.hex"), ctm_lang::raw::write_hex(&plain_image()))
        .expect("written");
    assert!(parse(dir.path(), &format!("{text}{none}")).passes[0].program.sharing().is_some());
    assert!(parse(dir.path(), &text).passes[0].program.sharing().is_none());
}

fn plain_image() -> ctm_lang::program::Image {
    ctm_lang::asm::assemble(PLAIN, "plain").expect("a program")
}

#[test]
fn registers_are_compared_and_blessed() {
    let dir = folder();
    let one = |n: usize| if n < 256 && n.is_multiple_of(4) { 2f32.to_bits() } else { 0 };
    save(dir.path(), "right.npy", Dtype::Float32, &[1, 2, 64, 4], registers(1, 2, one));
    let off = |n: usize| if n == 20 { 2.5f32.to_bits() } else { one(n) };
    save(dir.path(), "wrong.npy", Dtype::Float32, &[1, 2, 64, 4], registers(1, 2, off));
    let verdict = |expect: &str| {
        let job = parse(dir.path(), &format!("{}{expect}", short("count")));
        let checks = job.check(&run(&job, &Block::new())).expect("comparable");
        (checks[0].passed, checks[0].text.clone())
    };
    let expect = "[[expect]]\nshared = true\nfile = \"right.npy\"\nbits = true\n";
    assert!(verdict(expect).0);
    let (passed, text) = verdict(&expect.replace("right", "wrong"));
    assert!(!passed && text.starts_with("shared: "), "{text}");
    assert!(verdict(&expect.replace("right", "wrong").replace("bits = true", "atol = 0.5")).0);

    let saved = format!("{}[sharing]\nsave = \"end.npy\"\n", short("count"));
    let file = dir.path().join("job.toml");
    fs::write(&file, &saved).expect("written");
    let shared = SharedFiles::new();
    let job = Job::read_shared(&file, &shared, Stop::never()).expect("a job");
    let blessing =
        job.blessing(&run(&job, &Block::new()), &shared, Stop::never()).expect("a blessing");
    let names: Vec<_> = blessing.arrays.iter().filter_map(|(path, _)| path.file_name()).collect();
    assert_eq!(names, ["job.output0.npy", "job.shared.npy"]);
    assert!(blessing.text.expect("a text").contains("shared = true\nfile = \"job.shared.npy\""));
}

#[test]
fn every_mistake_in_a_job_has_its_message() {
    let dir = folder();
    let at = dir.path();
    save(at, "small.npy", Dtype::Float32, &[1, 2, 64, 3], vec![0; 384]);
    save(at, "t.npy", Dtype::Float32, &[8, 16, 4], vec![0; 512]);
    let check = |text: String, expected: &str| assert_eq!(error(at, &text), expected);
    check(
        format!("{}[sharing]\nsimds = 2\n", short("plain")),
        "job.toml:5: sharing: no program of the job uses data sharing",
    );
    check(
        passes(&["count", "plain", "other"]),
        "job.toml:15: pass[2]: its program asks for 3 global registers and 1 clause temporaries, \
         that of the pass in line 7 for 2 and 1; all programs of a job have the same ones",
    );
    for key in ["initial", "save"] {
        check(
            format!("{}[sharing]\n{key} = \"x.npy\"\n", short("clause")),
            &format!("job.toml:6: sharing.{key}: the programs of the job have no global registers"),
        );
    }
    for program in ["clause", "plain"] {
        check(
            format!("{}[[expect]]\nshared = true\nfile = \"x.npy\"\n", short(program)),
            "job.toml:6: expect[0].shared: the programs of the job have no global registers",
        );
    }
    check(
        format!("{}[[expect]]\nshared = false\nfile = \"x.npy\"\n", short("count")),
        "job.toml:6: expect[0].shared: false is not possible here: leave the key out, or write true",
    );
    check(
        format!("{}[[expect]]\nshared = true\noutput = 0\nfile = \"x.npy\"\n", short("count")),
        "job.toml:6: expect[0].shared: it cannot stand together with output",
    );
    for simds in ["0", "65"] {
        check(
            format!("{}[sharing]\nsimds = {simds}\n", short("count")),
            &format!("job.toml:6: sharing.simds: {simds} is out of range: 1 to 64 are allowed"),
        );
    }
    check(
        format!("{}[sharing]\nsimd = 1\n", short("count")),
        "job.toml:6: sharing.simd: unknown key; the keys here are simds, initial, save",
    );
    check(
        format!("{}[sharing]\ninitial = \"small.npy\"\n", short("count")),
        "job.toml:6: sharing.initial: small.npy: found float32 (1, 2, 64, 3), needed float32 (1, 2, 64, 4)",
    );
    check(
        format!("{}[[initial]]\ntemp = 127\nfile = \"t.npy\"\n", short("count")),
        "job.toml:6: initial[0].temp: initial data for temporary 127, which is clause temporary 0",
    );
    check(
        passes(&["clause"]) + "initial = { 126 = \"t.npy\" }\n",
        "job.toml:11: pass[0].initial.126: initial data for temporary 126, which is clause temporary 0",
    );
    check(
        short("count").replace(" }\ndomain", ", registers = { SQ_GPR_RESOURCE = 2 } }\ndomain"),
        "job.toml:2: program.registers: count.dpp brings its own: only programs without a container take it",
    );
    let image = plain_image();
    fs::write(at.join("plain.hex"), ctm_lang::raw::write_hex(&image)).expect("written");
    check(
        short("plain")
            .replace("plain.dpp\" }", "plain.hex\", registers = { SQ_GPR_RESOURCE = 0x81 } }"),
        "job.toml:2: program.file: plain.hex: SQ_GPR_RESOURCE is 0x00000081: NUM_GLOBAL 129, expected at most 128",
    );
    check(
        format!("{}[sharing]\nsave = \"count.dpp\"\n", short("count")),
        "job.toml:6: sharing.save: count.dpp is its program, which would be replaced",
    );
}

#[test]
fn the_wrong_array_is_refused_when_it_is_compared() {
    let dir = folder();
    save(dir.path(), "x.npy", Dtype::Float32, &[2, 2, 64, 4], vec![0; 1024]);
    let expect = "[[expect]]\nshared = true\nfile = \"x.npy\"\n";
    let job = parse(dir.path(), &format!("{}{expect}", short("count")));
    let error = job.check(&run(&job, &Block::new())).expect_err("another shape").to_string();
    let error = error.replace(&format!("{}/", dir.path().display()), "");
    assert_eq!(
        error,
        "job.toml:7: expect[0].file: x.npy: found float32 (2, 2, 64, 4), needed float32 (1, 2, 64, 4)"
    );
}

/// The even group of a pair waits for a value that only a group of the next pair writes.
#[test]
fn the_budget_ends_a_barrier_that_waits_for_a_later_pair() {
    let dir = folder();
    let program = ".sharing global=1\nsub p.r >= 0, r0.r, 16\n(p.r) mov g0.r, 1\nagain:\n\
                   sub alu_result < 0, g0.r, 1\njump -> again if alu_result\nmov o0.r, g0.r\n";
    fs::write(dir.path().join("wait.dpp"), program).expect("written");
    // Three groups on one SIMD: the third is alone in the second pair.
    let text = short("wait").replace("i1 = 15", "i1 = 23") + "limits = { instructions = 500 }\n";
    let job = parse(dir.path(), &text);
    for engine in engines() {
        let result = run(&job, engine.as_ref());
        let fault = result.faults.get(FaultCode::Budget).expect("a fault");
        assert_eq!((fault.count, fault.i, fault.j), (2, 0, 0), "{}", engine.name());
        // The third group goes its way, and only it writes.
        let row: Vec<f32> = job_common::units(&job, &result, "output 0")[..24]
            .iter()
            .map(|bits| f32::from_bits(*bits))
            .collect();
        assert_eq!(row[..16], [0.0; 16]);
        assert_eq!(row[16..], [1.0; 8]);
    }
    // On two SIMDs the first and the third group are a pair, and the second one waits in vain.
    let job = parse(dir.path(), &format!("{text}[sharing]\nsimds = 2\n"));
    for engine in engines() {
        let result = run(&job, engine.as_ref());
        let fault = result.faults.get(FaultCode::Budget).expect("a fault");
        assert_eq!((fault.count, fault.i, fault.j), (1, 8, 0), "{}", engine.name());
    }
}

#[test]
fn global_registers_conflict_and_clause_temporaries_do_not() {
    let kernels = ctm_testing::files::root().join("kernels/conflicts");
    let [global, clause] = ["global", "clause"].map(|name| {
        let job = Job::read(&kernels.join(format!("{name}.toml"))).expect("a job");
        let options = RunOptions { statistics: true, ..RunOptions::default() };
        let run = |engine: &dyn Engine| {
            let result =
                job.run(engine, &options, &ctm_machine::engine::NoProgress).expect("it runs");
            let statistics = result.statistics.expect("asked for");
            (statistics, result.clocks.expect("asked for"))
        };
        let both = engines().map(|engine| run(engine.as_ref()));
        assert_eq!(both[0], both[1], "{name}");
        both[0]
    });
    // 32 pairs, each with one step in which both groups add.
    assert_eq!((global.0.shared_conflicts, clause.0.shared_conflicts), (32, 0));
    assert_eq!((global.0.shared_reads, global.0.shared_writes), (2 * 4096, 4096));
    assert_eq!((clause.0.shared_reads, clause.0.shared_writes), (2 * 4096, 4096));
    assert_eq!(global.1 - clause.1, 32);
}
