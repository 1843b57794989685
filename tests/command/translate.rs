//! `ctm translate`.

use std::path::Path;
use std::process::{Command, Output};

fn ctm(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .expect("ctm runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_program_becomes_readable_text() {
    let output = ctm(&["translate", "kernels/saxpy/saxpy.dpp"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shader = text(&output.stdout);
    for part in [
        "@workgroup_size(8, 8, 1)",
        "// Input 0: FLOAT32_4, LINEAR, 64 x 64, pitch 64, clamped.",
        "x1k_mad_flushed(",
        "// Output 0: FLOAT32_4.",
    ] {
        assert!(shader.contains(part), "{part}\n{shader}");
    }
    let fast = ctm(&["translate", "kernels/saxpy/saxpy.dpp", "--mode", "fast", "--size", "9x1"]);
    let shader = text(&fast.stdout);
    assert!(shader.contains("fast_mad("), "{shader}");
    assert!(shader.contains("@workgroup_size(64, 1, 1)"), "{shader}");
}

#[test]
fn a_job_shows_each_of_its_shaders_once() {
    let output = ctm(&["translate", "kernels/nbody/nbody.toml", "--print", "stats"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stats = text(&output.stdout);
    assert_eq!(stats.matches("launch ").count(), 1, "{stats}");
    let loops = stats.lines().find(|line| line.starts_with("loops"));
    assert_eq!(loops.map(|line| line.split_whitespace().nth(1)), Some(Some("2")));
}

#[test]
fn what_is_not_translated_is_told() {
    let output = ctm(&["translate", "kernels/scatter/scatter.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "kernels/scatter/scatter.toml: launch 0 is not translated: uncached writes have an order \
         among points that a translated program does not keep\n"
    );
    let output = ctm(&["translate", "kernels/saxpy/saxpy.dpp", "--size", "0x4"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("it is columns x rows, each 1 to 4096, such as 512x512"));
}
