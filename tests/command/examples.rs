//! Every example of the README, the pages and the help texts runs as printed, in a folder with the files that they
//! name, and prints what the page shows after it. Jobs that pages show run, too. Examples that need a screen, a GPU,
//! other programs or hours do not run; a test of `crates/cli/src/manual.rs` parses all of them.
//!
//! Other tests run other languages: `lang` (assembly), `capi` (docs/c-api.md), `compiler`, python/tests.

use crate::cli::ctm;
use ctm::array::{Array, Dtype, npy};
use ctm::asm::assemble;
use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::launch::Domain;
use ctm::memory::{ArenaKind, ArenaSizes, Format, Tiling};
use ctm::record::Recording;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Parts of examples that do not run, and why.
const NOT_RUN: [(&str, &str); 23] = [
    ("--dap", "it serves an editor"),
    ("ctm bench", "it measures"),
    ("ctm fuzz --count 2000", "it takes minutes"),
    ("ctm fuzz --compiler", "it takes minutes"),
    ("ctm fuzz --seed 7 --minutes", "it takes minutes"),
    ("ctm fuzz --strength", "it takes minutes"),
    ("--count 12500", "it takes minutes"),
    ("crosscheck kernels/", "it takes minutes"),
    ("crosscheck tests/", "it takes minutes"),
    ("verify tests/", "it takes minutes"),
    ("verify kernels", "another test runs it"),
    ("check invert.toml", "a transcript has its picture"),
    ("ctm card", "another test runs it"),
    ("--engine gpu", "it needs a GPU"),
    ("--adapter ", "it needs a GPU"),
    ("fxc ", "it needs another compiler"),
    ("./game", "it needs a game"),
    ("./client", "it needs a client"),
    ("/usr/", "it writes to the system"),
    ("SLURM", "it needs a cluster"),
    ("cargo ", "it builds"),
    (" JOB", "it has no file name"),
    ("examples/c/", "it needs a client"),
];

/// A folder for examples.
struct Folder(tempfile::TempDir);

impl Folder {
    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Runs a command line; its status and what it prints.
    fn run(&self, line: &str) -> (Option<i32>, String) {
        let folder = Path::new(env!("CARGO_BIN_EXE_ctm")).parent().expect("a folder");
        let path = std::env::var("PATH").expect("text");
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", folder.display()))
            .env_remove("CTM_ADAPTER")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&text).into_owned())
    }

    fn must(&self, line: &str) {
        let (status, text) = self.run(line);
        assert_eq!(status, Some(0), "{line}: {text}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("known").is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).expect("copied");
        }
    }
}

/// Records a client with twelve launches; `change`: in the second one.
fn record(path: &Path, change: u32) {
    let recording = Recording::create(path).expect("a new file");
    let arenas = ArenaSizes { gpu: 1 << 18, gpub: 0, sys: 0, sysc: 0 };
    let mut config = DeviceConfig { arenas, ..DeviceConfig::new(Arc::new(Block::new())) };
    config.recorder = Some(Arc::new(recording.device(&config)));
    let device = Device::open(config).expect("memory");
    let gpu = device.base(ArenaKind::Gpu);
    let image = assemble(BLUR, "blur.dpp").expect("it assembles");
    device.write_memory(gpu, &elf::write(&image)).expect("inside");
    let layout = Layout { pitch: 64, tiling: Tiling::Linear, format: Format::Float32x1 };
    for n in 0..12 {
        let mut words = Builder::new();
        let address = gpu + 0x8000 + if n == 1 { change } else { 0 };
        words
            .append_set_inp_fmt(0, SurfaceFormat { address: gpu + 0x4000, layout, height: 8 })
            .expect("slot 0");
        words.append_set_out_fmt(0, SurfaceFormat { address, layout, height: 8 }).expect("slot 0");
        words.append_set_domain(Domain { i0: 0, j0: 0, i1: 63, j1: 7 }).expect("in range");
        words.append_set_inst_fmt(gpu).expect("aligned");
        words.append_start_program();
        let id = device.submit_words(words.into_words());
        assert!(device.wait(id).expect("a report").error.is_none());
    }
}

const BLUR: &str = ".input photo i0\n.output blurred o0\n.const radius c0\nld r1, photo[r0.rg]\nmul r1, r1, radius.r\n\
                    mov blurred, r1\n";

/// The report of a page.
const REPORT: &str = r#"{ "format": "ctm witness 1", "version": "0.1.0", "job": "job.toml", "browser": "B",
    "adapter": null, "limits": null, "probe": null, "runs": [], "refused": [], "error": "no WebGPU" }"#;

/// A job with passes of the blur.
fn job(program: &str, passes: usize) -> String {
    let mut text = "version = 1\n".to_string();
    for (name, content) in
        [("photo", "fill = [1, 2, 3, 4]\n"), ("result", "save = \"result.npy\"\n")]
    {
        text += &format!(
            "[[buffer]]\nname = \"{name}\"\n{content}format = \"FLOAT32_4\"\nwidth = 8\nheight = 8\n"
        );
    }
    for _ in 0..passes {
        text += &format!(
            "[[pass]]\nprogram = {{ file = \"{program}\" }}\ndomain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}\n\
             constants = {{ float = {{ 0 = [0.5] }} }}\ninputs = {{ 0 = \"photo\" }}\noutputs = {{ 0 = \"result\" }}\n"
        );
    }
    text.replace("[0.5]", "[0.5, 0, 0, 0]")
}

/// A folder with the files that examples name.
fn folder() -> Folder {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    let path = folder.0.path();
    folder.write("blur.dpp", BLUR);
    folder.write("kernel.dpp", BLUR);
    folder.write("old.dpp", "mul r1, r1, c0\nmov o0, r1\n");
    folder.write("new.dpp", "mul r1, r1, -c0\nmov o0, r1\n");
    folder.write("copy.ps", "ps_3_0\ndef c0, 1, 2, 3, 4\nmov oC0, c0\n");
    let plasma = "precision mediump float;\nuniform float time;\nvarying vec2 vUv;\n\
                  void main() { gl_FragColor = vec4(vUv, time, 1.0); }\n";
    let blur = "precision mediump float;\nuniform sampler2D tDiffuse;\nvarying vec2 vUv;\n\
                void main() { gl_FragColor = texture2D(tDiffuse, vUv); }\n";
    folder.write("plasma.frag", plasma);
    folder.write("blur.frag", blur);
    copy(&Path::new(ROOT).join("examples/exercise"), path);
    // An exercise is put into the page at this place.
    let page = r#"<script type="text/plain" id="exercise"></script>"#;
    folder.write("target/web/page/index.html", page);
    folder.write("session.txt", "step\nwhere\n");
    folder.write("fails.txt", "# none\n");
    for report in ["report.json", "reports/a.json", "reports/b.json"] {
        folder.write(report, REPORT);
    }
    folder.write("job.toml", &job("blur.dpp", 2));
    folder.write("old.toml", &job("blur.dpp", 1));
    folder.write("new.toml", &job("blur.dpp", 1));
    for n in 1..4 {
        let text = job("../blur.dpp", 1).replace("result.npy", &format!("result{n}.npy"));
        folder.write(&format!("jobs/case{n}.toml"), &text);
    }
    folder.write("jobs.txt", "jobs/case1.toml\njobs/case2.toml\njobs/case3.toml\n");
    folder.must("ctm asm blur.dpp -o program.elf && ctm asm old.dpp -o old.hex && ctm asm new.dpp -o new.hex");
    folder.must("ctm pack --list jobs.txt -o jobs.pack");
    folder.must("ctm asm old.dpp -o dump --format bin && cp old.hex words.hex");
    folder.write("shader.dpp", "ld r1, i0[r0.rg]\nmul r1, r1, c0\nmov o0, r1\n");
    folder.must("ctm asm shader.dpp -o shader.hex");
    folder.must("mkdir shaders logs && cp old.hex new.hex shaders");
    folder.must("ctm run old.dpp --size 8x8 --save expected.npy && cp expected.npy out.npy");
    folder.must("ctm run old.dpp --size 512x512 --save photo.npy && cp photo.npy texture.npy");
    folder.must("cp photo.npy params.npy");
    let radii = Array { dtype: Dtype::Float32, shape: vec![3], units: vec![0x3f80_0000; 3] };
    let mut bytes = Vec::new();
    npy::write(&radii, &mut bytes).expect("an array");
    fs::write(path.join("radii.npy"), bytes).expect("written");
    let log = Path::new(ROOT).join("tests/mesa/ease_sine_in.default/fp.log");
    fs::copy(&log, path.join("fp.log")).expect("copied");
    fs::copy(&log, path.join("logs/fp.log")).expect("copied");
    folder.must("for n in 1 2 3 4; do cat fp.log; done > old.log; cp old.log new.log");
    for (name, change) in
        [("client.rec", 0), ("other.rec", 0), ("before.rec", 0), ("after.rec", 0x1000)]
    {
        record(&path.join(name), change);
    }
    folder
}

/// A command line, and the lines that a page shows after it.
#[derive(Default)]
struct Example {
    line: String,
    shown: Vec<String>,
}

/// The examples in a page: the lines of its blocks that a shell could run.
fn of_page(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut shell = None;
    let mut open = String::new();
    // Whether the lines are what the last example prints.
    let mut prints = false;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            let is_shell = matches!(language, "" | "sh" | "console");
            shell = if shell.is_some() { None } else { Some(is_shell) };
            prints = false;
            continue;
        }
        if shell != Some(true) {
            continue;
        }
        let command = line.strip_prefix("$ ");
        if prints && command.is_none() {
            examples.last_mut().expect("an example").shown.push(line.to_string());
            continue;
        }
        // What Cargo runs is the command.
        let text = command.unwrap_or(line).replace("cargo run --release -- ", "ctm ");
        let starts =
            ["ctm ", "find ", "printf ", "echo "].iter().any(|word| text.starts_with(word));
        prints = starts && command.is_some();
        if starts || !open.is_empty() {
            open += &text;
            match open.strip_suffix('\\') {
                Some(more) => open = more.to_string(),
                None => {
                    let line = std::mem::take(&mut open);
                    examples.push(Example { line, ..Example::default() });
                }
            }
        }
    }
    examples
}

impl Example {
    /// The first line that a page shows and that is not there, in the same order. Lines about the time or
    /// the engine are those of another machine; `...` stands for what a page leaves out.
    fn missing(&self, printed: &str) -> Option<&str> {
        let differs = ["time ", "engine ", "..."];
        let same = |line: &&String| {
            let line = line.trim();
            let differs = differs.iter().any(|start| line.starts_with(start));
            !line.is_empty() && !differs && !line.contains(" a second)")
        };
        let mut printed = printed.lines().map(str::trim_end);
        let mut shown = self.shown.iter().filter(same).map(|line| line.trim_end());
        shown.find(|&line| !printed.any(|other| other == line))
    }
}

/// The examples of a man page, which are those of the help text.
fn of_manual(text: &str) -> Vec<Example> {
    let blocks = text.split("\n.nf\n").skip(1);
    let blocks = blocks.map(|block| block.split("\n.fi\n").next().unwrap_or_default());
    let plain = |line: &str| {
        let line = line.trim_start_matches("\\&").replace("\\-", "-");
        line.replace("\\*(Aq", "'").replace("\\\\", "\\")
    };
    let lines = blocks.map(plain).filter(|line| line.contains("ctm "));
    lines.map(|line| Example { line, ..Example::default() }).collect()
}

/// Runs the examples of a page in a folder of their own. Returns how many, and what is wrong with some.
fn run(name: &str, text: &str, examples: &[Example]) -> (usize, String) {
    let runs = |Example { line, .. }: &&Example| {
        let on_screen = line.contains("ctm debug") && !line.contains("--batch");
        !on_screen && NOT_RUN.iter().all(|(part, _)| !line.contains(part))
    };
    let examples: Vec<&Example> = examples.iter().filter(runs).collect();
    if examples.is_empty() {
        return (0, String::new());
    }
    let folder = folder();
    for part in ["kernels", "examples/mistakes", "tests/mesa", "tests/vectors/jobs/alu_cmp"] {
        if text.contains(part) {
            copy(&Path::new(ROOT).join(part), &folder.0.path().join(part));
        }
    }
    // What a page shows.
    let block = |language: &str, start: &str| {
        let fence = format!("```{language}\n");
        let mut blocks = text.split(&fence).skip(1);
        let block = blocks.find(|block| block.starts_with(start)).expect("a block");
        block.split("```").next().expect("its end").to_string()
    };
    if name == "docs/compiler.md" {
        folder.write("sum.frag", &block("glsl", "varying vec2 v;"));
    }
    if name == "docs/proofs.md" {
        for (file, channel) in [("tint.frag", "y"), ("shade.frag", "z")] {
            let uniforms = "uniform sampler2D photo; uniform vec3 tint; varying vec2 uv;";
            let main = format!("gl_FragColor = texture2D(photo, uv) * tint.{channel};");
            folder.write(file, &format!("{uniforms}\nvoid main() {{ {main} }}\n"));
        }
    }
    if name == "README.md" {
        folder.write("double.dpp", &block("asm", ".input source i0"));
        folder.write("double.toml", &block("toml", "version = 1"));
    }
    if name == "ctm-report.1" {
        folder.must("ctm batch --list jobs.txt --report report.jsonl");
    }
    if name == "ctm-merge.1" {
        folder.must(
            "for k in 1 2 3; do ctm batch --list jobs.txt --shard $k/3 --report part$k.jsonl; done",
        );
    }
    let mut broken = String::new();
    for example in &examples {
        let line = &example.line;
        let (status, text) = folder.run(line);
        if !matches!(status, Some(0 | 1)) {
            broken += &format!("{name}: {line}\n{status:?} {text}\n");
        } else if let Some(missing) = example.missing(&text) {
            broken += &format!("{name}: {line}\ndoes not print `{missing}`:\n{text}\n");
        }
    }
    (examples.len(), broken)
}

#[test]
fn examples_of_the_pages_run() {
    let mut pages =
        ["README.md", "kernels/README.md", "benches/RESULTS.md"].map(PathBuf::from).to_vec();
    for entry in fs::read_dir(Path::new(ROOT).join("docs")).expect("a folder") {
        pages.push(Path::new("docs").join(entry.expect("an entry").file_name()));
    }
    pages.sort();
    let (mut count, mut broken) = (0, String::new());
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(Path::new(ROOT).join(page)).expect("a page");
        let (ran, wrong) = run(&page.display().to_string(), &text, &of_page(&text));
        count += ran;
        broken += &wrong;
    }
    assert_eq!(broken, "");
    assert!(count > 25, "{count}");
}

/// The blocks of a page in a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    let parts = text.split(fence.as_str());
    parts.skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn jobs_that_pages_show_run() {
    let folder = folder();
    folder.must("cp words.hex p.hex; ctm run old.dpp --size 16x16 --save a.npy --seed 2 && cp a.npy expected.npy");
    folder.must("ctm run old.dpp --size 96x72 --save f.npy && ctm run old.dpp --size 96x72 --image picture.png");
    let hue = "precision mediump float; uniform float threshold; uniform mat3 turn; uniform float weights[3];\n\
               struct Light { vec3 color; }; uniform Light lights[1]; uniform sampler2D tDiffuse; varying vec2 vUv;\n\
               void main() { vec3 c = turn * texture2D(tDiffuse, vUv).rgb * lights[0].color * weights[2];\n\
               gl_FragColor = vec4(c, step(threshold, c.r)); }\n";
    folder.write("hue.frag", hue);
    let mut count = 0;
    for page in ["docs/jobs.md", "docs/compiler.md", "docs/debugging.md"] {
        let text = fs::read_to_string(Path::new(ROOT).join(page)).expect("a page");
        // The first line of a program may say its name.
        for block in blocks(&text, "asm") {
            if let Some((name, _)) = block.strip_prefix("; ").and_then(|rest| rest.split_once('\n'))
            {
                folder.write(name, block);
            }
        }
        for block in blocks(&text, "toml").iter().filter(|text| text.starts_with("version = 1")) {
            // A picture is an input, too.
            folder.write("shown.toml", &block.replace("picture.npy", "picture.png"));
            folder.must("ctm run shown.toml");
            count += 1;
        }
    }
    assert_eq!(count, 4);
}

#[test]
fn a_launch_has_the_name_of_its_recording() {
    let (status, text) = folder().run("ctm profile client.rec --launch 3");
    assert_eq!(status, Some(0), "{text}");
    let start = "client.rec: launch 3 of a recording\n\npass 0: program.elf\n";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn examples_of_the_help_texts_run() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(ctm(folder.path(), &["generate", "man", "man"]).status, 0);
    let mut pages: Vec<PathBuf> = fs::read_dir(folder.path().join("man"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    pages.sort();
    let (mut count, mut broken) = (0, String::new());
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        let name = page.file_name().expect("a name").to_string_lossy();
        let (ran, wrong) = run(&name, &text, &of_manual(&text));
        count += ran;
        broken += &wrong;
    }
    assert_eq!(broken, "");
    assert!(count > 60, "{count}");
}
