//! The command from end to end: `ctm run`, `ctm verify`, `ctm diff`.

use crate::cli::ctm;
use ctm::array::{Array, Dtype, npy};
use ctm::engine::Statistics;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// One OUT instruction that writes constant 0 to output 0.
const PROGRAM: &str = "00078005 08020100 08020100 00db0220 00c0c000 20490000\n";

/// A job whose output is (0.25, 1, 2, -1) everywhere.
const JOB: &str = "version = 1
about = \"a constant\"
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 9, j1 = 4 }
constants = { float = { 0 = [0.25, 1, 2, -1] } }
[[output]]
slot = 0
format = \"FLOAT32_4\"
save = \"out.npy\"
image = \"out.png\"
";

const ELEMENT: [f32; 4] = [0.25, 1.0, 2.0, -1.0];

fn write(dir: &Path, name: &str, shape: &[usize], values: &[f32]) {
    let array = Array {
        dtype: Dtype::Float32,
        shape: shape.to_vec(),
        units: values.iter().map(|v| v.to_bits()).collect(),
    };
    npy::save(&array, &dir.join(name)).unwrap();
}

/// The job, a good and a bad expectation, and what they need.
fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("p.hex"), PROGRAM).unwrap();
    fs::write(path.join("job.toml"), JOB).unwrap();
    let mut values = ELEMENT.repeat(50);
    write(path, "good.npy", &[5, 10, 4], &values);
    values[4 * 23 + 2] = 2.5;
    write(path, "bad.npy", &[5, 10, 4], &values);
    for name in ["good", "bad"] {
        let expect = format!("[[expect]]\noutput = 0\nfile = \"{name}.npy\"\n");
        fs::write(path.join(format!("{name}.toml")), format!("{JOB}{expect}")).unwrap();
    }
    fs::write(path.join("broken.toml"), JOB.replace("slot", "slto")).unwrap();
    dir
}

#[test]
fn run_prints_a_summary_and_writes_files() {
    let dir = directory();
    let ran = ctm(dir.path(), &["run", "job.toml", "--engine", "block"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "job.toml: a constant");
    assert_eq!(lines[1], "engine block, mode exact: 1 launch, 50 points in 2 groups");
    assert!(lines[2].starts_with("time "), "{}", lines[2]);
    assert_eq!(lines[3..], ["wrote out.png", "wrote out.npy"]);
    let saved = npy::parse(&fs::read(dir.path().join("out.npy")).unwrap()).unwrap();
    assert_eq!(saved.shape, [5, 10, 4]);
    assert_eq!(saved.units, ELEMENT.map(f32::to_bits).repeat(50));
    let picture = fs::read(dir.path().join("out.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG\r\n"));
    let left = fs::read_dir(dir.path()).unwrap();
    let parts = left.filter(|e| {
        let name = e.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".ctm-")
    });
    assert_eq!(parts.count(), 0, "temporary files");
}

/// One model of what bounds a launch, whatever measures it.
#[test]
fn run_and_bench_agree_about_the_card() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for job in ["nbody", "saxpy", "matmul"] {
        let file = format!("kernels/{job}/{job}.toml");
        let common = ["--engine", "block", "--json"];
        let run = [&["run", &file, "--stats", "--no-save"], &common[..]].concat();
        let run: Value = serde_json::from_str(&ctm(root, &run).out).unwrap();
        let bench = [&["bench", &file, "--time", "0.001"], &common[..]].concat();
        let bench: Value = serde_json::from_str(&ctm(root, &bench).out).unwrap();
        let row = &bench["results"][0];
        assert!(run["card_seconds"].as_f64().unwrap() > 0.0);
        for key in ["card_seconds", "card_bound"] {
            assert_eq!(run[key], row[key], "{job} {key}");
        }
    }
}

/// Where nothing could be chosen the summary's line on the engine says why.
#[test]
#[cfg(target_os = "linux")]
fn a_machine_without_a_gpu_is_no_failure() {
    if ctm::engine::gpu::device::adapter::may_have_gpu() {
        println!("not run: there is a GPU");
        return;
    }
    let dir = directory();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(["run", "job.toml", "--no-save"])
        .current_dir(dir.path())
        // It would name one to use all the same.
        .env_remove("CTM_ADAPTER")
        .output()
        .expect("it runs");
    let out = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1], "engine block (no GPU here), mode exact: 1 launch, 50 points in 2 groups");
    assert!(lines[2].starts_with("time "), "{}", out);
    assert_eq!(lines.len(), 3, "{}", out);
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn constants_that_a_job_does_not_give_are_a_warning_in_text_and_json() {
    let dir = directory();
    let job = JOB.replace("float = { 0 =", "float = { 1 =");
    fs::write(dir.path().join("job.toml"), job).unwrap();
    let warning =
        "p.hex: the program uses float constant 0, which the job does not give: it reads 0";
    let args = ["run", "job.toml", "--engine", "block", "--no-save"];
    let ran = ctm(dir.path(), &args);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let line = format!("warning: {warning}");
    assert!(ran.out.lines().any(|found| found == line), "{}", ran.out);
    let ran = ctm(dir.path(), &[&args[..], &["--json"]].concat());
    let object: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(object["warnings"], serde_json::json!([warning]));
}

#[test]
fn run_json_is_one_object_with_the_documented_keys() {
    let dir = directory();
    let ran = ctm(dir.path(), &["run", "job.toml", "--json", "--engine", "block"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let object: Value = serde_json::from_str(&ran.out).unwrap();
    const ALWAYS: [&str; 11] = [
        "engine", "adapter", "mode", "launches", "points", "groups", "seconds", "warnings",
        "hazards", "faults", "files",
    ];
    assert_eq!(keys(&object), ALWAYS);
    assert_eq!(keys(&object["seconds"]), ["compile", "upload", "execute", "readback", "total"]);
    assert_eq!(object["engine"], "block");
    assert_eq!(object["adapter"], Value::Null);
    assert_eq!(object["mode"], "exact");
    assert_eq!(object["launches"], 1);
    assert_eq!(object["points"], 50);
    assert_eq!(object["groups"], 2);
    assert_eq!(object["faults"], serde_json::json!([]));
    assert_eq!(object["files"], serde_json::json!(["out.png", "out.npy"]));
    let parts: f64 = ["compile", "upload", "execute", "readback"]
        .iter()
        .map(|k| object["seconds"][k].as_f64().unwrap())
        .sum();
    assert!((parts - object["seconds"]["total"].as_f64().unwrap()).abs() < 1e-9);

    let args = ["run", "job.toml", "--json", "--stats", "--no-save", "--mode", "fast"];
    let ran = ctm(dir.path(), &args);
    let object: Value = serde_json::from_str(&ran.out).unwrap();
    // The engine is auto: it says what ran.
    let mut all = ALWAYS.to_vec();
    all.extend([
        "ran",
        "instructions",
        "lane_instructions",
        "fetches",
        "divergent",
        "killed",
        "pi_per_second",
        "r580_clocks",
        "card_seconds",
        "card_bound",
    ]);
    assert_eq!(keys(&object), all);
    assert_eq!(object["engine"], "block");
    let ran = &object["ran"][0];
    assert_eq!((&ran["engine"], &ran["launches"]), (&object["engine"], &object["launches"]));
    assert_eq!(object["instructions"], serde_json::json!({"alu": 0, "out": 2, "tex": 0, "fc": 0}));
    assert_eq!(object["lane_instructions"], 50);
    // The counters of the library have the same names; Python shows those.
    for (name, _) in Statistics::default().counters() {
        let shown = object.get(name).or(object["instructions"].get(name)).is_some();
        assert!(shown || name == "tex_fetching" || name.starts_with("shared_"), "{name}");
    }
    assert_eq!(object["r580_clocks"], 203);
    // Four rows of twelve elements and one of ten, 16 bytes each, at 49.6 GB a second.
    let seconds = object["card_seconds"].as_f64().unwrap();
    assert!((seconds * 49.6e9 - 928.0).abs() < 1e-6, "{seconds}");
    assert_eq!(object["card_bound"], "memory");
    assert_eq!(object["files"], serde_json::json!([]));
    assert_eq!(object["mode"], "fast");
}

#[test]
fn a_fault_ends_with_status_1_and_bad_input_with_2() {
    let dir = directory();
    let job = vectors().join("exact/flow_loop_00/job.toml");
    let job = job.to_str().unwrap();
    let ran = ctm(dir.path(), &["run", job, "--limit", "2", "--json"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let object: Value = serde_json::from_str(&ran.out).unwrap();
    let fault = &object["faults"][0];
    assert_eq!(keys(fault), ["code", "count", "i", "j", "pc", "pass", "text"]);
    assert_eq!(fault["code"], "budget");
    let ran = ctm(dir.path(), &["run", job, "--limit", "2"]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.out.contains(
            "fault: budget: the group ran over its budget of 2 instructions (--limit, [limits]): "
        ),
        "{}",
        ran.out
    );

    let ran = ctm(dir.path(), &["run", "broken.toml"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "ctm: broken.toml:7: output[0].slto: unknown key; the keys here are slot, format, tiling, \
         width, height, pitch, address, mask, initial, save, image\n"
    );
    for args in [
        &["run"][..],
        &["run", "job.toml", "--engine", "magic"],
        &["run", "job.toml", "--adapter", "there is no such adapter"],
        &["info", "p.hex", "--adapters"],
        &["info"],
        &["run", "job.toml", "--mode", "double"],
        &["run", "job.toml", "--trace", "1"],
        &["run", "job.toml", "--trace", "1,4096"],
        &["run", "job.toml", "--limit", "0"],
        &["verify"],
        &["verify", "job.toml", "--trace", "1,1"],
        &["diff", "good.npy"],
        &["diff", "good.npy", "bad.npy", "--rtol", "-1"],
        &["diff", "good.npy", "bad.npy", "--bits", "--atol", "1"],
        &["diff", "good.npy", "bad.npy", "--bits", "--ulps", "1"],
        &["diff", "good.npy", "bad.npy", "--max-bad", "1.5"],
        &["fly"],
    ] {
        let ran = ctm(dir.path(), args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(!ran.err.is_empty(), "{args:?}");
    }
}

#[test]
fn trace_prints_one_point() {
    let dir = directory();
    let ran = ctm(dir.path(), &["run", "job.toml", "--trace", "3,2", "--no-save"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with("point (3, 2) starts"), "{}", ran.out);
    assert!(ran.out.contains("0.25 (3e800000)"), "{}", ran.out);
    let ran = ctm(dir.path(), &["run", "job.toml", "--trace", "10,2"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (2, "ctm: --trace 10,2: the point lies in no domain of the job\n")
    );
    // Standard output is the object's alone where it is asked for.
    let args = ["run", "job.toml", "--trace", "3,2", "--no-save", "--json"];
    let ran = ctm(dir.path(), &args);
    serde_json::from_str::<Value>(&ran.out).unwrap();
    let events: Vec<Value> =
        ran.err.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!((&events[0]["event"], &events[0]["pass"]), (&"begin".into(), &0.into()));
    assert_eq!(events[0]["point"], serde_json::json!([3, 2]));
    let steps: Vec<&Value> = events.iter().filter(|event| event["event"] == "step").collect();
    assert!(!steps.is_empty());
    assert_eq!(events[events.len() - 1]["event"], "end");
    // Only some instructions, only some passes.
    let ran = ctm(dir.path(), &[&args[..], &["--pc", "0"]].concat());
    let one = ran.err.lines().filter(|line| line.contains("\"event\":\"step\"")).count();
    assert_eq!(one, steps.iter().filter(|step| step["pc"] == 0).count());
    let ran = ctm(dir.path(), &[&args[..], &["--pass", "1"]].concat());
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (2, "ctm: --pass 1: the job has 1 pass, counted from 0\n")
    );
    for wrong in ["9..4", "512", "a..b", "4.."] {
        let ran = ctm(dir.path(), &[&args[..], &["--pc", wrong]].concat());
        assert_eq!(ran.status, 2, "{wrong}");
        assert!(ran.err.contains("it is one or two numbers from 0 to 511"), "{}", ran.err);
    }
}

#[test]
fn a_trace_and_a_fault_name_lines_names_and_clamped_fetches() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = "\
.input field i0
.temp sum r1
add r0.r, r0, -1
again:
    ld sum.rg, field[r0.rg]
    jump -> again        ; for ever
    mov o0, sum
end
";
    std::fs::write(dir.path().join("k.dpp"), source).expect("a file");
    let job = "version = 1
program = { file = \"k.elf\" }
limits = { instructions = 5 }
domain = { i0 = 0, j0 = 0, i1 = 1, j1 = 0 }
[[input]]
slot = 0
format = \"FLOAT32_4\"
width = 2
height = 1
fill = [1.0, 2.0, 3.0, 4.0]
[[output]]
slot = 0
format = \"FLOAT32_4\"
";
    std::fs::write(dir.path().join("job.toml"), job).expect("a file");
    // The executable has the lines; the source is found beside it.
    assert_eq!(ctm(dir.path(), &["asm", "k.dpp"]).status, 0);
    let ran = ctm(dir.path(), &["run", "job.toml", "--trace", "0,0"]);
    for part in [
        "     again:\n  1  ld r1.rg, i0[r0.rggg] @wait @acquire   # k.dpp:5:5, r1 sum, i0 field\n       input 0 \
         `field` at (-1, 0), clamped to (0, 0): 1 (3f800000), 2 (40000000), ",
        "\n       r1.rg = 1 (3f800000), 2 (40000000)\n",
        "fault: budget: the group ran over its budget of 5 instructions (--limit, [limits]): once at point \
         (0, 0), pc ",
        "k.dpp:",
        "^^",
    ] {
        assert!(ran.out.contains(part), "no {part:?} in\n{}\n{}", ran.out, ran.err);
    }
    assert_eq!(ran.status, 1);
    let ran = ctm(dir.path(), &["run", "job.toml", "--json"]);
    let object: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(object["faults"][0]["file"], "k.dpp");
    assert_eq!(object["faults"][0]["pass"], 0);
    assert!(object["faults"][0]["line"].as_u64().is_some_and(|line| line == 5 || line == 6));
    // A changed source shows no lines.
    std::fs::write(dir.path().join("k.dpp"), "end\n").expect("a file");
    let ran = ctm(dir.path(), &["run", "job.toml"]);
    assert!(ran.out.contains("k.dpp:") && !ran.out.contains("^^"), "{}", ran.out);
    let ran = ctm(dir.path(), &["info", "k.elf"]);
    assert!(ran.out.contains("source        k.dpp (changed or not found)\n"), "{}", ran.out);
    assert!(ran.out.contains("  lines       of 5 instructions; 2 names\n"), "{}", ran.out);
}

const MISMATCH: &str = "output 0: 1 of 200 values differ (0.50%), first at point (3, 2) channel \
     c2: got 2.0 (0x40000000), want 2.5 (0x40200000); worst error 5e-1 (2097152 ULP)";

#[test]
fn verify_prints_a_line_a_file_in_order_and_a_total() {
    let dir = directory();
    let ran = ctm(dir.path(), &["verify", "good.toml"]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "ok   good.toml: 1 check\n1 passed, 0 failed\n", "")
    );
    let ran = ctm(dir.path(), &["verify", "bad.toml", "good.toml", "job.toml"]);
    assert_eq!(ran.status, 1);
    assert_eq!(
        ran.out,
        format!(
            "FAIL bad.toml: {MISMATCH}\nok   good.toml: 1 check\n\
             FAIL job.toml: nothing to check: the job has no [[expect]]\n1 passed, 2 failed\n"
        )
    );
    // A bad file does not keep the others from being checked.
    let ran = ctm(dir.path(), &["verify", "broken.toml", "good.toml", "none.toml"]);
    assert_eq!(ran.status, 2);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("BAD  broken.toml:7: output[0].slto: unknown key"));
    assert_eq!(lines[1], "ok   good.toml: 1 check");
    assert_eq!(
        lines[2..],
        [
            "BAD  none.toml: cannot read it: No such file or directory (os error 2)",
            "1 passed, 2 failed"
        ]
    );
    assert_eq!(ran.err, "ctm: 2 of 3 files could not be run\n");
    // Verifying writes no files.
    assert!(!dir.path().join("out.npy").exists());
}

#[test]
fn verify_reports_as_json_and_junit() {
    let dir = directory();
    let args = ["verify", "good.toml", "bad.toml", "broken.toml", "--json", "--report", "r.xml"];
    let ran = ctm(dir.path(), &args);
    assert_eq!(ran.status, 2);
    let object: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(keys(&object), ["passed", "failed", "failed_as_expected", "results"]);
    assert_eq!((&object["passed"], &object["failed"]), (&1.into(), &2.into()));
    let results = object["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(
        results[1],
        serde_json::json!({
            "file": "bad.toml",
            "ok": false,
            "kind": "mismatch",
            "worst": 0.5,
            "text": MISMATCH,
            "blessed": [],
        })
    );
    assert_eq!(results[0]["worst"], 0.0);
    assert_eq!(results[2]["worst"], Value::Null);
    let xml = fs::read_to_string(dir.path().join("r.xml")).unwrap();
    assert!(xml.contains("tests=\"3\""), "{xml}");
    assert!(xml.contains("failures=\"1\" errors=\"1\""), "{xml}");
    assert!(xml.contains("<testcase name=\"good.toml\""), "{xml}");
    assert!(xml.contains("<failure message=\"output 0: 1 of 200 values differ"), "{xml}");
    assert!(xml.contains("<error message=\"broken.toml:7: "), "{xml}");
}

#[test]
fn verify_finds_the_jobs_of_a_directory() {
    let dir = directory();
    let sub = dir.path().join("sub/deep");
    fs::create_dir_all(&sub).unwrap();
    fs::create_dir(dir.path().join("sub/.hidden")).unwrap();
    for (from, to) in [("good.toml", "b.toml"), ("good.npy", "good.npy"), ("p.hex", "p.hex")] {
        fs::copy(dir.path().join(from), sub.join(to)).unwrap();
    }
    fs::copy(sub.join("b.toml"), dir.path().join("sub/.hidden/x.toml")).unwrap();
    fs::copy(sub.join("b.toml"), sub.join("a.toml")).unwrap();
    fs::write(sub.join("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
    let ran = ctm(dir.path(), &["verify", "sub", "-j", "3"]);
    assert_eq!(
        ran.out,
        "ok   sub/deep/a.toml: 1 check\nok   sub/deep/b.toml: 1 check\n2 passed, 0 failed\n"
    );
    assert_eq!(ran.status, 0);
    let ran = ctm(dir.path(), &["verify", "sub", "bad.toml", "-q"]);
    assert_eq!(ran.out, format!("FAIL bad.toml: {MISMATCH}\n2 passed, 1 failed\n"));
    fs::create_dir(dir.path().join("empty")).unwrap();
    let ran = ctm(dir.path(), &["verify", "empty"]);
    assert_eq!((ran.status, ran.err.as_str()), (2, "ctm: empty: there is no job file in it\n"));
}

#[test]
fn verify_passes_all_test_vectors() {
    let ran = ctm(&vectors(), &["verify", ".", "-q"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    let passed: u32 = ran.out.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(ran.out, format!("{passed} passed, 0 failed\n"));
    assert!(passed > 100, "{passed}");
}

#[test]
fn diff_compares_by_its_tolerances() {
    let dir = directory();
    let diff = |args: &[&str]| {
        let ran = ctm(dir.path(), &[&["diff", "good.npy", "bad.npy"], args].concat());
        (ran.status, ran.out)
    };
    let text = MISMATCH.strip_prefix("output 0: ").unwrap();
    assert_eq!(diff(&[]), (1, format!("different: {text}\n")));
    assert_eq!(diff(&["--bits"]).0, 1);
    assert_eq!(diff(&["--atol", "0.5"]).0, 0);
    assert_eq!(diff(&["--atol", "0.4"]).0, 1);
    assert_eq!(diff(&["--rtol", "0.2"]).0, 0);
    assert_eq!(diff(&["--ulps", "2097152"]).0, 0);
    assert_eq!(diff(&["--ulps", "2097151"]).0, 1);
    assert_eq!(diff(&["--max-bad", "0.005"]), (0, format!("equal: {text}\n")));
    let (status, out) = diff(&["--json"]);
    assert_eq!(status, 1);
    let object: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        object,
        serde_json::json!({
            "equal": false,
            "values": 200,
            "differing": 1,
            "worst": 0.5,
            "worst_ulps": 2_097_152,
            "first": {"index": [2, 3, 2], "got": "2.0 (0x40000000)", "want": "2.5 (0x40200000)"},
        })
    );
    let ran = ctm(dir.path(), &["diff", "good.npy", "good.npy", "--bits"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "equal: all 200 values equal\n"));
    write(dir.path(), "flat.npy", &[200], &[0.0; 200]);
    let ran = ctm(dir.path(), &["diff", "good.npy", "flat.npy"]);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (
            2,
            "ctm: good.npy is float32 (5, 10, 4), flat.npy is float32 (200,): they cannot be \
             compared\n"
        )
    );
    let ran = ctm(dir.path(), &["diff", "good.npy", "p.hex"]);
    assert_eq!((ran.status, ran.err.as_str()), (2, "ctm: p.hex: not a .npy file\n"));
}

#[test]
fn help_teaches() {
    let dir = directory();
    for (command, words) in [
        ("run", ["Examples:", "--trace", "Exit status"]),
        ("verify", ["Examples:", "--report", "Exit status"]),
        ("diff", ["Examples:", "--bits", "Exit status"]),
    ] {
        let ran = ctm(dir.path(), &[command, "--help"]);
        assert_eq!(ran.status, 0);
        for word in words {
            assert!(ran.out.contains(word), "{command}: {word}");
        }
    }
}

/// Help and pages say nothing that the commands contradict.
#[test]
fn pages_and_help_agree_with_the_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The relative tolerance is one of A, the expected program, in both places.
    let help = ctm(root, &["help", "compare"]).out;
    assert!(help.contains("as a factor of the expected value"), "{help}");
    assert!(help.contains("A is the expected program") && help.contains("RTOL * |a|"), "{help}");
    // Every strength has its line.
    let help = ctm(root, &["help", "fuzz"]).out;
    for strength in ctm::crosscheck::Strength::ALL {
        assert!(help.contains(&format!("\n  {:<12} ", strength.name())), "{}", strength.name());
    }
    // Commands with an engine on a GPU name an adapter, so that they run where there is no GPU.
    let page = |name: &str| fs::read_to_string(root.join(name)).expect("a page");
    let pages = ["README.md", "docs/translation.md", "docs/crosscheck.md"].map(page);
    let fuzz = pages.iter().flat_map(|page| page.lines()).filter(|line| line.contains("ctm fuzz "));
    let on_gpu = |line: &&str| line.contains("interpreter") || line.contains("translated");
    let on_gpu: Vec<_> = fuzz.filter(on_gpu).collect();
    assert!(on_gpu.len() >= 2, "{on_gpu:?}");
    assert!(on_gpu.iter().all(|line| line.contains("--adapter ")), "{on_gpu:?}");
    // The tutorial counts no kernels, and says when a group is not 8 x 8.
    let tutorial = page("docs/tutorial.md");
    assert!(!tutorial.contains("nine kernels") && tutorial.contains("64 x 1"), "{tutorial}");
}
