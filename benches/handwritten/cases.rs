//! The measured kernels, as jobs of a given size, each with its shader and that shader's bindings.

use ctm::array::npy;
use ctm::array::{Array, Dtype};
use ctm::job::Job;
use std::path::Path;

/// A kernel and the equivalent shader.
pub struct Case {
    pub name: &'static str,
    pub shader: &'static str,
    /// Points across and down.
    pub width: u32,
    pub height: u32,
    /// The job's buffers in the order of the shader's bindings. A name that the job does not have
    /// means room for one number per point.
    pub bindings: &'static [&'static str],
    /// The two bindings that are swapped after each launch.
    pub swap: Option<(usize, usize)>,
    /// Results that must have the same bits in mode exact.
    pub results: &'static [&'static str],
    /// The number of launches in a run.
    pub launches: u32,
    pub job: Job,
}

/// Numbers from 0 up to 1, the same in every run, as binary32 patterns.
fn numbers(seed: u32, count: usize) -> Vec<u32> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as f32 / 16_777_216.0).to_bits()
    };
    std::iter::repeat_with(next).take(count).collect()
}

struct Maker<'a> {
    folder: &'a Path,
}

impl Maker<'_> {
    /// Writes an array of numbers.
    fn floats(&self, file: &str, shape: &[u32]) {
        let shape: Vec<usize> = shape.iter().map(|&n| n as usize).collect();
        let units = numbers(file.len() as u32, shape.iter().product());
        self.save(file, Dtype::Float32, shape, units);
    }

    fn save(&self, file: &str, dtype: Dtype, shape: Vec<usize>, units: Vec<u32>) {
        let array = Array { dtype, shape, units };
        npy::save(&array, &self.folder.join(file)).expect("an array can be written");
    }

    /// A job from a text in which PROGRAM, DOMAIN and SIZE stand for the kernel's program, the
    /// domain, and the width and height of a buffer with one element per point.
    fn job(&self, text: &str, kernel: &str, width: u32, height: u32) -> Job {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let program = format!("{kernel}.dpp");
        std::fs::copy(root.join(kernel).join(&program), self.folder.join(&program))
            .expect("the kernel's program can be copied");
        let domain = format!("{{ i0 = 0, j0 = 0, i1 = {}, j1 = {} }}", width - 1, height - 1);
        let text = text
            .replace("PROGRAM", &format!("{{ file = \"{program}\" }}"))
            .replace("DOMAIN", &domain)
            .replace("SIZE", &format!("width = {width}\nheight = {height}"));
        let file = self.folder.join(format!("{kernel}.toml"));
        std::fs::write(&file, format!("version = 1\n{text}")).expect("a job can be written");
        Job::read(&file).expect("the job is correct")
    }
}

/// The cases whose names contain `filter`. Files are written to `folder`; sizes are multiplied by
/// `scale`.
pub fn cases(folder: &Path, scale: u32, filter: &str) -> Vec<Case> {
    let maker = Maker { folder };
    type Make = fn(&Maker<'_>, u32) -> Case;
    let makers: [(&str, Make); 6] = [
        ("saxpy", saxpy),
        ("matmul", matmul),
        ("mandelbrot", mandelbrot),
        ("jacobi", jacobi),
        ("nbody", nbody),
        ("sobel", sobel),
    ];
    makers
        .iter()
        .filter(|(name, _)| name.contains(filter))
        .map(|(_, make)| make(&maker, scale))
        .collect()
}

fn saxpy(maker: &Maker<'_>, scale: u32) -> Case {
    let (width, height) = (1024 * scale, 1024 * scale);
    maker.floats("x.npy", &[height, width, 4]);
    maker.floats("yy.npy", &[height, width, 4]);
    let text = r#"
        [[buffer]]
        name = "x"
        file = "x.npy"
        format = "FLOAT32_4"
        [[buffer]]
        name = "y"
        file = "yy.npy"
        format = "FLOAT32_4"
        [[buffer]]
        name = "result"
        format = "FLOAT32_4"
        SIZE
        [[pass]]
        program = PROGRAM
        domain = DOMAIN
        constants = { float = { 0 = [2.7182817, 0, 0, 0] } }
        inputs = { 0 = "x", 1 = "y" }
        outputs = { 0 = "result" }
    "#;
    Case {
        name: "saxpy",
        shader: include_str!("saxpy.wgsl"),
        width,
        height,
        bindings: &["x", "y", "result"],
        swap: None,
        results: &["result"],
        launches: 1,
        job: maker.job(text, "saxpy", width, height),
    }
}

/// Always for matrices of 512 x 512: a loop of the kernel runs at most 255 times.
fn matmul(maker: &Maker<'_>, _scale: u32) -> Case {
    let (width, height) = (128, 128);
    maker.floats("a.npy", &[512, 128, 4]);
    maker.floats("bb.npy", &[512, 128, 4]);
    let text = r#"
        [[buffer]]
        name = "a"
        file = "a.npy"
        format = "FLOAT32_4"
        [[buffer]]
        name = "b"
        file = "bb.npy"
        format = "FLOAT32_4"
        [[buffer]]
        name = "c"
        format = "FLOAT32_4"
        width = 128
        height = 512
        pitch = 128
        address = 0x800000
        [[buffer]]
        name = "row0"
        format = "FLOAT32_4"
        SIZE
        pitch = 512
        address = 0x800000
        [[buffer]]
        name = "row1"
        format = "FLOAT32_4"
        SIZE
        pitch = 512
        address = 0x800800
        [[buffer]]
        name = "row2"
        format = "FLOAT32_4"
        SIZE
        pitch = 512
        address = 0x801000
        [[buffer]]
        name = "row3"
        format = "FLOAT32_4"
        SIZE
        pitch = 512
        address = 0x801800
        [[pass]]
        program = PROGRAM
        domain = DOMAIN
        constants = { int = { 0 = [128, 0, 1] } }
        inputs = { 0 = "a", 1 = "b" }
        outputs = { 0 = "row0", 1 = "row1", 2 = "row2", 3 = "row3" }
    "#;
    Case {
        name: "matmul",
        shader: include_str!("matmul.wgsl"),
        width,
        height,
        bindings: &["a", "b", "c"],
        swap: None,
        results: &["c"],
        launches: 1,
        job: maker.job(text, "matmul", width, height),
    }
}

fn mandelbrot(maker: &Maker<'_>, scale: u32) -> Case {
    let (width, height) = (1024 * scale, 768 * scale);
    let text = r#"
        [[buffer]]
        name = "picture"
        format = "FLOAT32_4"
        SIZE
        [[buffer]]
        name = "count"
        format = "UINT16_1"
        SIZE
        [[pass]]
        program = PROGRAM
        domain = DOMAIN
        constants = { float = { 0 = [-2.3, -1.152, 0.003, 0.003] }, int = { 0 = [128, 0, 0] } }
        outputs = { 0 = "picture", 1 = "count" }
    "#;
    Case {
        name: "mandelbrot",
        shader: include_str!("mandelbrot.wgsl"),
        width,
        height,
        bindings: &["picture", "steps"],
        swap: None,
        results: &["picture"],
        launches: 1,
        job: maker.job(text, "mandelbrot", width, height),
    }
}

fn jacobi(maker: &Maker<'_>, scale: u32) -> Case {
    let (width, height) = (1024 * scale, 1024 * scale);
    maker.floats("start.npy", &[height, width]);
    let inner = format!("{{ i0 = 1, j0 = 1, i1 = {}, j1 = {} }}", width - 2, height - 2);
    let text = r#"
        [[buffer]]
        name = "field"
        file = "start.npy"
        format = "FLOAT32_1"
        [[buffer]]
        name = "next"
        file = "start.npy"
        format = "FLOAT32_1"
        [[pass]]
        repeat = 10
        swap = ["field", "next"]
        program = PROGRAM
        domain = INNER
        inputs = { 0 = "field" }
        outputs = { 0 = "next" }
    "#;
    Case {
        name: "jacobi",
        shader: include_str!("jacobi.wgsl"),
        width,
        height,
        bindings: &["field", "next"],
        swap: Some((0, 1)),
        results: &["field"],
        launches: 10,
        job: maker.job(&text.replace("INNER", &inner), "jacobi", width, height),
    }
}

fn nbody(maker: &Maker<'_>, scale: u32) -> Case {
    let (width, height) = (128 * scale, 128 * scale);
    maker.floats("bodies.npy", &[16, 16, 4]);
    maker.floats("velocities.npy", &[height, width, 4]);
    let text = r#"
        [[buffer]]
        name = "bodies"
        file = "bodies.npy"
        format = "FLOAT32_4"
        [[buffer]]
        name = "velocities"
        file = "velocities.npy"
        format = "FLOAT32_4"
        [[buffer]]
        name = "moved"
        format = "FLOAT32_4"
        SIZE
        [[buffer]]
        name = "sped"
        format = "FLOAT32_4"
        SIZE
        [[pass]]
        program = PROGRAM
        domain = DOMAIN
        constants = { float = { 0 = [0.015625, 0.125, 0, 0] } }
        inputs = { 0 = "bodies", 1 = "velocities" }
        outputs = { 0 = "moved", 1 = "sped" }
    "#;
    Case {
        name: "nbody",
        shader: include_str!("nbody.wgsl"),
        width,
        height,
        bindings: &["bodies", "velocities", "moved", "sped"],
        swap: None,
        results: &["moved", "sped"],
        launches: 1,
        job: maker.job(text, "nbody", width, height),
    }
}

fn sobel(maker: &Maker<'_>, scale: u32) -> Case {
    let (width, height) = (1024 * scale, 1024 * scale);
    let texels = numbers(7, (width * height) as usize);
    let texels = texels.into_iter().map(|unit| unit >> 4 & 0xffff).collect();
    let shape = vec![height as usize, width as usize];
    maker.save("picture.npy", Dtype::Uint16, shape, texels);
    let text = r#"
        [[buffer]]
        name = "picture"
        file = "picture.npy"
        format = "UINT16_1"
        tiling = "LINEAR_INP_2X2"
        [[buffer]]
        name = "edges"
        format = "FLOAT32_1"
        SIZE
        [[buffer]]
        name = "gradient"
        format = "FLOAT32_2"
        SIZE
        [[pass]]
        program = PROGRAM
        domain = DOMAIN
        inputs = { 0 = "picture" }
        outputs = { 0 = "edges", 1 = "gradient" }
    "#;
    Case {
        name: "sobel",
        shader: include_str!("sobel.wgsl"),
        width,
        height,
        bindings: &["picture", "edges", "gradient"],
        swap: None,
        results: &["edges", "gradient"],
        launches: 1,
        job: maker.job(text, "sobel", width, height),
    }
}
