//! Proofs about jobs and programs: counterexamples are results of the engine.

use ctm::compiler::{self, Language};
use ctm::engine::reference::Reference;
use ctm::engine::{NoProgress, Stop};
use ctm::job::{Job, RunOptions};
use ctm::program::Program;
use ctm::prove::{Answer, Options, Pair, PairError, Proof, Set};
use ctm::random::Random;
use ctm::{asm, prove};
use ctm_testing::files;
use std::sync::Arc;

/// A program in assembly or GLSL.
fn program(text: &str) -> Arc<Program> {
    let image = if text.contains("void main") {
        let options = compiler::Options::default();
        compiler::compile(text, "a.frag", Language::Glsl, &options).expect(text).image
    } else {
        asm::assemble(text, "a.dpp").expect(text)
    };
    Arc::new(Program::new(image).expect(text))
}

fn proof(set: Set, a: &str, b: &str) -> Proof {
    let options = Options { set, ..Options::default() };
    Pair::of_programs([program(a), program(b)], true).prove(&options, Stop::never())
}

/// A proof of two programs that differ, whose jobs leave the two results on the reference engine.
fn shown(set: Set, a: &str, b: &str) {
    let proof = proof(set, a, b);
    let Answer::Different { of, .. } = &proof.answer else { panic!("{a}: {}", proof.text()) };
    let shown = proof.shown.as_ref().unwrap_or_else(|| panic!("{a}: {}", proof.text()));
    let folder = tempfile::tempdir().expect("a folder");
    let written = shown.write(folder.path()).expect("written");
    let mut bits = Vec::new();
    for written in written {
        assert_eq!(written.lost, Vec::<String>::new());
        let job = Job::read(&written.job).expect("a job");
        let result = job.run(&Reference, &RunOptions::default(), &NoProgress).expect("it runs");
        let checks = job.check(&result).expect("expectations");
        assert!(!checks.is_empty() && checks.iter().all(|check| check.passed), "{a}");
        let pass = &job.passes[0];
        let slot = of.place.strip_prefix('o').and_then(|rest| rest[..1].parse().ok()).unwrap_or(0);
        let bound = pass.outputs.iter().find(|(bound, _)| *bound == slot);
        let bound = match of.place.as_str() {
            "the conditional value" | "killed" => pass.condition.and_then(|one| one.buffer),
            _ => bound.map(|&(_, output)| output),
        };
        let Some(output) = bound else {
            bits.push(None);
            continue;
        };
        let raster = result.raster(output).expect("an output");
        let [i, j] = shown.point.map(|place| place as usize);
        let channels = raster.format.channels() as usize;
        let element = (j * raster.width as usize + i) * channels;
        let letter = of.place.chars().last().expect("a channel");
        let channel = "rgba".find(letter).unwrap_or(0);
        bits.push(Some(raster.units[element + channel % channels]));
    }
    // What is not written keeps what was there: something else than the other has.
    for (found, wanted) in bits.iter().zip(shown.bits) {
        let is_this = wanted.is_none() || wanted == *found || of.place == "killed";
        assert!(is_this, "{a}: {found:08x?}, {}", proof.text());
    }
    assert_ne!(bits[0], bits[1], "{a}");
}

#[test]
fn counterexamples_are_results_of_engines() {
    for set in Set::ALL {
        let shown = |a: &str, b: &str| shown(set, a, b);
        shown("mul o0, r1, c0", "mul o0, r1, c1");
        shown("add o0, r0, r1", "add o0, r0, r1.grba");
        shown("ld r1, i3[r0.rg]\nmov o0, r1", "ld r1, i3[r0.gr]\nmov o0, r1");
        shown("ld r1, i0(r1.rg)\nmov o0, r1", "ld r1, i0(r1.gr)\nmov o0, r1");
        shown("ld r1, i3[r0.rg]\nmov o0, r1", "ld r1, i4[r0.rg]\nmov o0, r1");
        shown("mdh r2, r1, -1\nmov o0, r2", "mdv r2, r1, -1\nmov o0, r2");
        shown("mov o0.rg, r1", "mov o0.r, r1");
        shown("mov o0, r1\nmov o1, r2", "mov o0, r1\nmov o2, r2");
        shown("texkill r1\nmov o0, r2", "mov o0, r2");
        shown("cmp o0, r1, r2, r3", "cmp o0, r3, r2, r1");
        let scattered = |value| {
            format!(".umrt\nmov r1.r, {value}\nmov r1.gb, r0.rg\nmov o0.rgb, r1 | mov o0.a, 0")
        };
        shown(&scattered("r2.r"), &scattered("r3.r"));
        // Other places; whether it happens; most inputs have no such place.
        shown(&scattered("r2.r"), &scattered("r2.r").replace("gb, r0.rg", "gb, r0.gr"));
        shown(&scattered("r2.r"), &scattered("r2.r").replacen("\n", "\ntexkill r2\n", 1));
        let anywhere = scattered("r2.r").replace("gb, r0.rg", "gb, r3.rg");
        shown(&anywhere, &anywhere.replace("r3.rg", "r3.gr"));
        shown("mov w, r1\nend", "mov w, r2\nend");
        shown("texkill r2\nmov w, r1\nend", "mov w, r1\nend");
        shown("texkill r1\nend", "texkill r2\nend");
        shown("texkill r1\nend", "mov w, r2\nend");
        shown("mov o0.r, r1", &scattered("r2.r"));
    }
    shown(Set::Bits, "add o0, r1, 0", "mov o0, r1");
    let shader = |value| {
        format!(
            "uniform vec3 tint; uniform int n; uniform sampler2D photo; varying vec2 uv;\n\
             void main() {{ gl_FragColor = texture2D(photo, uv) * float(n) + tint.{value}; }}"
        )
    };
    shown(Set::Values, &shader("x"), &shader("y"));
}

/// Bit by bit changed programs of the vectors, against the unchanged ones.
#[test]
fn differences_of_jobs_are_shown() {
    let mut jobs = files::files(&files::root().join("tests/vectors/jobs"), "toml");
    jobs.retain(|path| path.file_stem().is_some_and(|stem| stem == "default"));
    let mut different = 0;
    for seed in 0..300 {
        let mut random = Random::new(&[0x5107, seed]);
        let path = &jobs[random.below(jobs.len() as u32) as usize];
        let job = Job::read(path).expect("a job");
        let mut image = job.passes[0].program.image().clone();
        let n = random.below(image.words.len() as u32) as usize;
        image.words[n][random.below(6) as usize] ^= 1 << random.below(32);
        let Ok(mutant) = Program::new(image) else { continue };
        let other = job.with_program(Arc::new(mutant));
        let Ok(pair) = Pair::of_jobs([&job, &other], Set::Values) else { continue };
        let options = Options { steps: 100_000, samples: 16, ..Options::default() };
        let proof = pair.prove(&options, Stop::never());
        let Answer::Different { of, .. } = &proof.answer else { continue };
        different += 1;
        assert!(proof.shown.is_some(), "{}: {}", of.place, proof.text());
    }
    println!("{different} differ");
    assert!(different > 50);
}

#[test]
fn jobs_that_are_no_side_of_a_proof_are_refused() {
    let job = Job::read(&files::root().join("kernels/saxpy/saxpy.toml")).expect("a job");
    let mut twice = job.clone();
    twice.passes[0].repeat = 2;
    let error = Pair::of_jobs([&job, &twice], Set::Values).err().expect("refused");
    assert!(matches!(error, PairError::Launches { launches: 2, .. }), "{error}");
    let mut fast = job.clone();
    fast.mode = ctm::launch::FloatMode::Fast;
    let error = Pair::of_jobs([&fast, &job], Set::Bits).err().expect("refused");
    assert!(
        error.to_string().ends_with("the rules `bits` are for mode exact, the job has mode fast")
    );
    let pair = prove::Pair::of_jobs([&job, &job], Set::Bits).expect("a pair");
    let proof = pair.prove(&Options::default(), Stop::never());
    assert!(proof.of_jobs && proof.answer == Answer::Proved);
}
