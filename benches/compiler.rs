//! What the compiler makes of shaders: instructions beside Mesa's, and the time it takes.
//!
//! `cargo bench --bench compiler`. The shaders are those of `kernels/glsl`, those of `tests/vectors`, and those of the
//! larger collection of test vectors if there is one; a job with Mesa's program has its listing beside `source.frag`.

use ctm::compiler::{Language, Options, compile};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How often each shader is compiled; the fastest counts.
const TIMES: usize = 5;

struct Row {
    name: String,
    /// Instructions; the reason if the compiler refuses it.
    ours: Result<usize, String>,
    mesa: Option<usize>,
    milliseconds: f64,
}

/// The instructions of a listing: lines of six words.
fn listing(path: &Path) -> Option<usize> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().filter(|line| line.split_whitespace().count() >= 6).count())
}

fn row(name: String, source: &Path, mesa: Option<usize>) -> Row {
    let text = std::fs::read_to_string(source).expect("a source");
    let language = match source.extension() {
        Some(ending) if ending == "wgsl" => Language::Wgsl,
        _ => Language::Glsl,
    };
    let mut best = f64::INFINITY;
    let mut ours = Err(String::new());
    for _ in 0..TIMES {
        let start = Instant::now();
        let compiled = compile(&text, &name, language, &Options::default());
        best = best.min(start.elapsed().as_secs_f64() * 1000.0);
        ours = compiled
            .map(|compiled| compiled.image.words.len())
            .map_err(|errors| errors.errors()[0].message.clone());
    }
    Row { name, ours, mesa, milliseconds: best }
}

fn rows() -> Vec<Row> {
    let root = ctm_testing::files::root();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let kernels = root.join("kernels/glsl");
    let mut rows: Vec<Row> = ["frag", "wgsl"]
        .into_iter()
        .flat_map(|ending| ctm_testing::files::files(&kernels, ending))
        .map(|source| row(stem(&source), &source, None))
        .collect();
    let collections =
        [Some(root.join("tests/vectors")), ctm_testing::files::collection()].into_iter().flatten();
    for collection in collections {
        let sources = ctm_testing::files::files(&collection, "frag");
        for source in sources.iter().filter(|source| source.ends_with("source.frag")) {
            let folder: PathBuf = source.parent().expect("a folder").to_path_buf();
            let mesa =
                listing(&folder.join("m25.hex")).or_else(|| listing(&folder.join("default.hex")));
            let name = stem(&folder);
            if !rows.iter().any(|row| row.name == name) {
                rows.push(row(name, source, mesa));
            }
        }
    }
    rows
}

fn main() {
    let rows = rows();
    println!("| shader | instructions | Mesa | ratio | ms |\n| --- | --- | --- | --- | --- |");
    for Row { name, ours, mesa, milliseconds } in &rows {
        let ratio = match (ours, mesa) {
            (Ok(ours), Some(mesa)) => format!("{:.2}", *ours as f64 / *mesa as f64),
            _ => "-".into(),
        };
        let ours = ours.as_ref().map_or_else(|why| format!("refused: {why}"), usize::to_string);
        let mesa = mesa.map_or("-".to_string(), |mesa| mesa.to_string());
        println!("| {name} | {ours} | {mesa} | {ratio} | {milliseconds:.1} |");
    }
    let ratio = |row: &Row| Some(*row.ours.as_ref().ok()? as f64 / row.mesa? as f64);
    let ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let over = rows.iter().filter(|row| match (&row.ours, row.mesa) {
        (Ok(ours), Some(mesa)) => *ours as f64 > 1.3 * mesa as f64 + 2.0,
        _ => false,
    });
    let mut times: Vec<(f64, &str)> =
        rows.iter().map(|row| (row.milliseconds, row.name.as_str())).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (slowest, which) = times[times.len() - 1];
    println!(
        "\n{} shaders, {} refused; of the {} that Mesa compiled: {mean:.3} of its instructions (geometric mean), {} above \
         1.3 times and two more; {:.1} ms in the median, {slowest:.1} ms at most ({which})",
        rows.len(),
        rows.iter().filter(|row| row.ours.is_err()).count(),
        ratios.len(),
        over.count(),
        times[times.len() / 2].0
    );
}
