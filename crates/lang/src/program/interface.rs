//! The uniforms, varyings, samplers and outputs of a shader, by the names of its source.

use serde::{Deserialize, Serialize};

/// The varying that has the place of a point, column and row: temporary 0, as the machine starts it.
pub const INVOCATION: &str = "global_invocation_id";

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A float.
    Float,
    /// An integer, as a whole float.
    Int,
    /// A boolean, as 0 or 1.
    Bool,
}

impl Kind {
    /// The largest integer: floats have all whole numbers up to it.
    pub const LARGEST_INT: i32 = 1 << 24;
}

/// A uniform, an element of a uniform array, or a member of a uniform structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uniform {
    /// The name, as in `light.color` and `weights[3]`.
    pub name: String,
    /// The kind of its numbers.
    pub kind: Kind,
    /// The columns of a matrix; else 1.
    pub columns: usize,
    /// The components of a vector, or of each column.
    pub rows: usize,
    /// The value that the source gives, column by column, as bits of floats.
    pub default: Option<Vec<u32>>,
    /// Whether the program reads some of it.
    pub used: bool,
}

/// A value of each point: a varying, an element of an array, or a column of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Varying {
    /// The name, as in `vUv` and `gl_TexCoord[0]`.
    pub name: String,
    /// The number of components.
    pub rows: usize,
    /// The kind of its numbers.
    pub kind: Kind,
    /// The temporary that must hold it at the start; `None` if the program does not use it.
    pub temp: Option<u8>,
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampler {
    /// The name, as in `tDiffuse` and `maps[1]`.
    pub name: String,
    /// The input, 0 to 15.
    pub input: u8,
    /// Whether the program fetches from it.
    pub used: bool,
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The name.
    pub name: String,
    /// The output, 0 to 3.
    pub slot: u8,
}

/// A number that the job provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// A component of a uniform: its index, and the index of the component, column by column.
    Uniform(usize, usize),
    /// The width (0) or height (1) of an input.
    Size(u8, u8),
    /// The width (0) or height (1) of an output.
    OutputSize(u8, u8),
}

/// A channel of a float constant that the job fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// The constant.
    pub addr: u8,
    /// Its channel.
    pub channel: u8,
    /// The number that it holds.
    pub scalar: Scalar,
}

/// A width that a kernel counts with, in `b[id.y * width + id.x]`. It must be that of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Width {
    /// The width of the surface: [`Scalar::Size`] or [`Scalar::OutputSize`].
    pub surface: Scalar,
    /// The width in the kernel: the bits of a literal, or a number of the job.
    pub counted: Result<u32, Scalar>,
}

/// Everything that a shader takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The uniforms that are no samplers.
    pub uniforms: Vec<Uniform>,
    /// The varyings.
    pub varyings: Vec<Varying>,
    /// The samplers.
    pub samplers: Vec<Sampler>,
    /// The outputs.
    pub outputs: Vec<Output>,
    /// The numbers that the graph can name.
    pub scalars: Vec<Scalar>,
    /// The channels of constants where the program expects its numbers.
    pub constants: Vec<Constant>,
    /// Row 0 of a picture is the bottom one, as in OpenGL.
    pub upward: bool,
    /// Widths that must be those of surfaces.
    pub widths: Vec<Width>,
}

impl Interface {
    /// A part with an index out of range, if any.
    pub fn broken(&self) -> Option<&'static str> {
        let scalar = |scalar: &Scalar| match *scalar {
            Scalar::Uniform(n, component) => (self.uniforms.get(n)).is_some_and(|uniform| {
                (uniform.columns.checked_mul(uniform.rows)).is_some_and(|count| component < count)
            }),
            Scalar::Size(input, axis) => input < 16 && axis < 2,
            Scalar::OutputSize(slot, axis) => slot < 4 && axis < 2,
        };
        let counted = |width: &Width| width.counted.as_ref().err().is_none_or(scalar);
        let uniform = |uniform: &Uniform| {
            let count = (1..=4).contains(&uniform.rows) && (1..=4).contains(&uniform.columns);
            let default = uniform.default.as_ref().map(Vec::len);
            count && default.is_none_or(|length| length == uniform.columns * uniform.rows)
        };
        let varying = |varying: &Varying| {
            (1..=4).contains(&varying.rows) && varying.temp.is_none_or(|temp| temp < 128)
        };
        [
            ("a uniform", self.uniforms.iter().all(uniform)),
            ("a varying", self.varyings.iter().all(varying)),
            ("a sampler", self.samplers.iter().all(|sampler| sampler.input < 16)),
            ("an output", self.outputs.iter().all(|output| output.slot < 4)),
            ("a number", self.scalars.iter().all(scalar)),
            ("a constant", self.constants.iter().all(|one| one.channel < 4 && scalar(&one.scalar))),
            ("a width", self.widths.iter().all(|width| scalar(&width.surface) && counted(width))),
        ]
        .into_iter()
        .find_map(|(part, sound)| (!sound).then_some(part))
    }

    /// The index of a number.
    pub fn scalar(&mut self, scalar: Scalar) -> u32 {
        let found = self.scalars.iter().position(|other| *other == scalar);
        found.unwrap_or_else(|| {
            self.scalars.push(scalar);
            self.scalars.len() - 1
        }) as u32
    }

    /// The name of a number: `color.g`, `matrix[1].r`, `textureSize(map).r`.
    pub fn name_of(&self, scalar: Scalar) -> String {
        let letter = |n: usize| ctm_isa::isa::LETTERS[n % 4];
        match scalar {
            Scalar::Uniform(n, component) => {
                let Uniform { name, columns, rows, .. } = &self.uniforms[n];
                match (columns, rows) {
                    (1, 1) => name.clone(),
                    (1, _) => format!("{name}.{}", letter(component)),
                    _ => format!("{name}[{}].{}", component / rows, letter(component % rows)),
                }
            }
            Scalar::Size(input, axis) => {
                let sampler = self.samplers.iter().find(|sampler| sampler.input == input);
                let name = sampler.map_or("", |sampler| &sampler.name);
                format!("textureSize({name}).{}", letter(axis.into()))
            }
            Scalar::OutputSize(slot, axis) => {
                let output = self.outputs.iter().find(|output| output.slot == slot);
                let name = output.map_or("", |output| &output.name);
                format!("textureSize({name}).{}", letter(axis.into()))
            }
        }
    }
}
