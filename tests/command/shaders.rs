//! Shaders: jobs that `ctm new` makes of them, uniforms by name, fuzzing of the compiler.

use crate::cli::ctm;
use std::fs;

const GAIN: &str = "uniform float gain;\nuniform vec3 tint[2];\nuniform mat2 turn;\n\
    void main() { gl_FragColor = vec4(turn * tint[1].xy, tint[0].z, gain); }\n";

#[test]
fn every_kernel_becomes_a_job_that_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = ctm_testing::files::root().join("kernels/glsl");
    let sources =
        ["frag", "wgsl"].into_iter().flat_map(|ending| ctm_testing::files::files(&kernels, ending));
    let mut count = 0;
    for source in sources {
        let name = source.file_stem().expect("a name").to_str().expect("text");
        let made =
            ctm(folder.path(), &["new", source.to_str().expect("text"), name, "--size", "8x8"]);
        assert_eq!(made.status, 0, "{name}: {}{}", made.out, made.err);
        // Only what it chose for the uniforms.
        let chosen = |line: &str| line.contains(": note: ") && line.contains(": chosen by ");
        assert!(made.err.lines().all(chosen), "{name}: {}", made.err);
        let ran = ctm(folder.path(), &["run", &format!("{name}/job.toml")]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{name}: {}", ran.out);
        count += 1;
    }
    assert!(count > 20, "{count} kernels");
}

#[test]
fn uniforms_are_set_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gain.frag"), GAIN).expect("written");
    let set = ["--set", "gain=2", "--set", "tint=1,2,3,4,5,6", "--set", "turn=1,2,3,4"];
    let run = |first: &[&str]| ctm(folder.path(), &[first, &set[..]].concat());
    let ran = run(&["run", "gain.frag", "--size", "1x1", "--save", "out.npy"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let value = |name: &str| {
        let bytes = fs::read(folder.path().join(name)).expect("saved");
        let array = ctm::array::npy::parse(&bytes).expect("an array");
        array.units.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<f32>>()
    };
    // Columns (1, 2) and (3, 4) times (4, 5).
    assert_eq!(value("out.npy"), [19.0, 28.0, 3.0, 2.0]);
    let made = run(&["new", "gain.frag", "job", "--size", "1x1"]);
    assert_eq!((made.status, made.err.as_str()), (0, ""), "{}", made.out);
    let ran = ctm(folder.path(), &["run", "job/job.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(value("job/gl_FragColor.npy"), [19.0, 28.0, 3.0, 2.0]);
    // The executable is used as the shader is.
    let made = ctm(folder.path(), &["compile", "gain.frag", "-O2", "-o", "gain.elf"]);
    assert_eq!((made.status, made.err.as_str()), (0, ""), "{}", made.out);
    let ran = run(&["run", "gain.elf", "--size", "1x1", "--save", "elf.npy"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert_eq!(value("elf.npy"), [19.0, 28.0, 3.0, 2.0]);
    for (set, message) in [
        ("gain=1,2", "--set gain=1,2: found 2, expected 1, the numbers of `gain`"),
        ("turn=1", "--set turn=1: found 1, expected 4, the numbers of `turn`"),
        ("gain=x", "--set gain=x: x is not a number"),
    ] {
        let ran = ctm(folder.path(), &["run", "gain.frag", "--set", set]);
        assert_eq!(ran.status, 2);
        assert!(ran.err.contains(message.split_once(": ").expect("two").1), "{}", ran.err);
    }
}

#[test]
fn shaders_that_need_special_surfaces_run_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let size = "#version 130\nuniform sampler2D t;\nvoid main() { gl_FragColor = vec4(vec2(textureSize(t, 0)), 0.0, 1.0); }\n";
    let kernel = |body: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n\
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}\n"
        )
    };
    let value = |name: &str| {
        let bytes = fs::read(folder.path().join(name)).expect("saved");
        let array = ctm::array::npy::parse(&bytes).expect("an array");
        array.units.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<f32>>()
    };
    // Only the size of an input; stores anywhere, which go to single floats; a buffer that is read and written.
    for (file, source, out) in [
        ("size.frag", size, "gl_FragColor.npy"),
        ("any.wgsl", &kernel("o[7u - id.x] = f32(id.x);"), "o.npy"),
        ("both.wgsl", &kernel("o[id.x] = o[id.x] + 1.0;"), "new_o.npy"),
    ] {
        fs::write(folder.path().join(file), source).expect("written");
        let ran = ctm(folder.path(), &["run", file, "--size", "8x1", "--save", "out.npy"]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
        let made = ctm(folder.path(), &["new", file, "job", "--size", "8x1"]);
        assert_eq!((made.status, made.err.as_str()), (0, ""), "{}", made.out);
        let ran = ctm(folder.path(), &["run", "job/job.toml"]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
        assert_eq!(value("out.npy"), value(&format!("job/{out}")), "{file}");
        match file {
            "size.frag" => assert_eq!(value("out.npy")[..4], [8.0, 1.0, 0.0, 1.0]),
            "any.wgsl" => assert_eq!(value("out.npy"), [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]),
            _ => assert_ne!(value("job/o.npy"), value("job/new_o.npy")),
        }
        fs::remove_dir_all(folder.path().join("job")).expect("the job's folder");
    }
}

#[test]
fn random_shaders_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    for options in [&["--precise"][..], &[]] {
        let ran = ctm(folder.path(), &[&["fuzz", "--compiler", "--count", "12"], options].concat());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
        assert!(ran.out.contains("12 shaders") && ran.out.ends_with("0 findings\n"), "{}", ran.out);
    }
    fs::create_dir(folder.path().join("sources")).expect("made");
    fs::write(folder.path().join("sources/gain.frag"), GAIN).expect("written");
    let ran = ctm(folder.path(), &["fuzz", "--compiler", "--mutate", "sources", "--count", "50"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let shown = ctm(folder.path(), &["fuzz", "--compiler", "--first", "3", "--show"]);
    assert!(shown.out.contains("void main()"), "{}", shown.out);
}

/// A sampler of a pass interpolates if its buffer says so.
#[test]
fn buffers_of_passes_have_filters() {
    let folder = tempfile::tempdir().expect("a folder");
    let source =
        "uniform sampler2D map;\nvoid main() { gl_FragColor = texture2D(map, vec2(0.5)); }\n";
    fs::write(folder.path().join("map.frag"), source).expect("written");
    let value = |filter: &str, key: &str| {
        let text = format!(
            "version = 1\n[[buffer]]\nname = \"a\"\nformat = \"FLOAT32_1\"\nwidth = 2\nheight = 1\n\
             file = \"a.npy\"\n{filter}[[buffer]]\nname = \"b\"\nformat = \"FLOAT32_4\"\nwidth = 1\nheight = 1\n\
             save = \"b.npy\"\n[[pass]]\nprogram = {{ file = \"map.frag\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 0, j1 = 0 }}\ninputs = {{ {key} = \"a\" }}\noutputs = {{ 0 = \"b\" }}\n"
        );
        fs::write(folder.path().join("job.toml"), text).expect("written");
        let array = ctm::array::Array {
            dtype: ctm::array::Dtype::Float32,
            shape: vec![1, 2],
            units: vec![1.0f32.to_bits(), 3.0f32.to_bits()],
        };
        ctm::array::npy::save(&array, &folder.path().join("a.npy")).expect("written");
        let ran = ctm(folder.path(), &["run", "job.toml"]);
        if ran.status != 0 {
            return Err(ran.err);
        }
        let bytes = fs::read(folder.path().join("b.npy")).expect("saved");
        Ok(f32::from_bits(ctm::array::npy::parse(&bytes).expect("an array").units[0]))
    };
    assert_eq!(value("", "map"), Ok(3.0));
    assert_eq!(value("filter = \"linear\"\n", "map"), Ok(2.0));
    let error = value("filter = \"linear\"\n", "0").expect_err("no name");
    assert!(error.contains("needs the sampler's name as its key"), "{error}");
}

#[test]
fn a_line_of_a_shader_makes_it_no_job() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    for line in ["pass = u;", "program = u;"] {
        let name = line.split(' ').next().unwrap_or_default();
        let text = |more: &str| {
            format!(
                "uniform float u;\nvoid main() {{\nfloat {name};\n{line}\n{more}gl_FragColor = vec4({name});\n}}\n"
            )
        };
        fs::write(dir.join("x.frag"), text("")).expect("written");
        fs::write(dir.join("bad.frag"), text("nothing;\n")).expect("written");
        fs::write(dir.join("x"), text("")).expect("written");
        for (args, status) in [
            (&["run", "x.frag", "--size", "2x2", "--no-save"][..], 0),
            (&["run", "x", "--kind", "glsl", "--size", "2x2", "--no-save"], 0),
            (&["check", "x.frag"], 0),
            (&["profile", "x.frag", "--size", "2x2"], 0),
            (&["export", "x.frag", "--size", "2x2", "--html", "x.html"], 0),
            (&["compare", "x.frag", "x.frag"], 0),
            (&["bench", "x.frag", "--size", "2x2", "--time", "0.001", "--engine", "block"], 0),
            (&["new", "x.frag", name], 0),
            (&["compile", "bad.frag", "-o", "x.elf"], 2),
            (&["compile", "x", "--kind", "glsl", "-o", "x.elf"], 0),
            (&["run", "bad.frag"], 2),
            (&["check", "bad.frag"], 2),
        ] {
            let ran = ctm(dir, args);
            assert_eq!(ran.status, status, "{args:?}: {}", ran.err);
            assert!(!ran.err.contains("found a job"), "{args:?}: {}", ran.err);
            assert!(status == 0 || ran.err.contains("nothing"), "{args:?}: {}", ran.err);
        }
    }
    fs::write(dir.join("none.wgsl"), "@fragment fn main() {}\n").expect("written");
    for option in ["--save", "--image"] {
        let ran = ctm(dir, &["run", "none.wgsl", option, "new"]);
        assert_eq!(ran.status, 2, "{option}: {}", ran.err);
        assert!(ran.err.contains("nothing to save") && !dir.join("new").exists(), "{}", ran.err);
    }
    let ran = ctm(dir, &["export", "none.wgsl", "--html", "new"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert!(ran.err.contains("nothing to compare") && !dir.join("new").exists(), "{}", ran.err);
}

/// A job says what it saves; what neither the job nor a launch fills is an error of the job.
#[test]
fn a_job_saves_only_what_there_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    fs::write(dir.join("none.wgsl"), "@fragment fn main() {}\n").expect("written");
    fs::write(dir.join("p.dpp"), "mov o0, 1\n").expect("written");
    let short = |program: &str, key: &str| {
        format!(
            "version = 1\nprogram = {{ file = \"{program}\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 3, j1 = 3 }}\n\
             [[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n{key}\n"
        )
    };
    // `a` and `b` change places after each launch; no launch sees `c`.
    let long = |saved: &str, key: &str, more: &str| {
        let buffer = |name: &str| {
            let key = if name == saved { key } else { "" };
            let size = "format = \"FLOAT32_4\"\nwidth = 4\nheight = 4";
            format!("[[buffer]]\nname = \"{name}\"\n{size}\n{key}\n")
        };
        let buffers: String = ["a", "b", "c"].map(buffer).concat();
        format!(
            "version = 1\n{buffers}[[pass]]\nprogram = {{ file = \"p.dpp\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 3, j1 = 3 }}\noutputs = {{ 0 = \"a\" }}\n{more}\n"
        )
    };
    for (key, file) in [("save", "s.npy"), ("image", "i.png"), ("animation", "a.png")] {
        let saves = format!("{key} = \"{file}\"");
        let swaps = "swap = [\"a\", \"b\"]\nrepeat = 3";
        let is_animation = key == "animation";
        for (job, saved) in [
            (short("none.wgsl", &saves), false),
            (short("p.dpp", &saves), true),
            (long("c", &saves, swaps), false),
            (long("b", &saves, ""), false),
            (long("a", &saves, ""), true),
            (long("b", &saves, swaps), true),
            // Its name never has what a launch has just written, but has it in the end.
            (long("a", &saves, swaps), !is_animation),
            // What the job brings can be saved.
            (long("c", &format!("{saves}\nfill = [1, 2, 3, 4]"), ""), !is_animation),
        ] {
            fs::write(dir.join("job.toml"), &job).expect("written");
            let ran = ctm(dir, &["run", "job.toml"]);
            let why = ran.err.contains("so there is nothing to save") || is_animation;
            assert!(ran.status == if saved { 0 } else { 2 }, "{job}: {}", ran.err);
            assert!(saved || why && ran.err.contains(key), "{job}: {}", ran.err);
            assert_eq!(fs::remove_file(dir.join(file)).is_ok(), saved, "{job}");
        }
    }
}
