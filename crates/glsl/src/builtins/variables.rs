//! Built-in variables and constants.

use super::since::{COMPATIBILITY, Since};
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// What a built-in variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// An input.
    Varying,
    /// An output with its number, if it has a fixed one.
    Output(Option<u32>),
    /// A constant with its value.
    Constant(i32),
}

/// A built-in variable or constant.
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The type of it or of its elements.
    scalar: Scalar,
    size: u8,
    /// The number of elements, if it is an array.
    elements: Option<u32>,
    /// What it is.
    pub storage: Storage,
    /// The versions that have it.
    pub since: Since,
}

impl Variable {
    /// Its type.
    pub fn ty(&self) -> Type {
        let element = Type::vector(self.scalar, self.size);
        match self.elements {
            Some(count) => Type::Array(Rc::new(element), Some(count)),
            None => element,
        }
    }
}

const fn variable(
    name: &'static str,
    scalar: Scalar,
    size: u8,
    elements: Option<u32>,
    storage: Storage,
    since: Since,
) -> Variable {
    Variable { name, scalar, size, elements, storage, since }
}

/// A constant of the desktop versions up to one, and of a version of ES.
const fn constant(name: &'static str, value: i32, since: Since) -> Variable {
    variable(name, Scalar::Int, 1, None, Storage::Constant(value), since)
}

/// The number of outputs.
pub const OUTPUTS: u32 = 4;

const OLD: Since = Since::new(0, 110);

/// Fixed functions, which the core profile does not have.
const FIXED: Since = OLD.until(0, 130).or(COMPATIBILITY);

/// The built-in variables and constants of fragment shaders. Numbers of the machine where it has some: 16 inputs, 4 outputs,
/// 256 constants of four floats; else the least that the language allows.
#[rustfmt::skip]
pub const VARIABLES: &[Variable] = &[
    variable("gl_FragColor", Scalar::Float, 4, None, Storage::Output(Some(0)), Since::new(100, 110).until(100, 410)),
    variable("gl_FragData", Scalar::Float, 4, Some(OUTPUTS), Storage::Output(Some(0)), Since::new(100, 110).until(100, 410)),
    variable("gl_FragCoord", Scalar::Float, 4, None, Storage::Varying, Since::new(100, 110)),
    variable("gl_FrontFacing", Scalar::Bool, 1, None, Storage::Varying, Since::new(100, 110)),
    variable("gl_PointCoord", Scalar::Float, 2, None, Storage::Varying, Since::new(100, 120)),
    variable("gl_TexCoord", Scalar::Float, 4, Some(8), Storage::Varying, FIXED),
    variable("gl_Color", Scalar::Float, 4, None, Storage::Varying, FIXED),
    variable("gl_SecondaryColor", Scalar::Float, 4, None, Storage::Varying, FIXED),
    variable("gl_FogFragCoord", Scalar::Float, 1, None, Storage::Varying, FIXED),
    variable("gl_FragStencilRefARB", Scalar::Int, 1, None, Storage::Output(None), Since::new(0, 0).or("GL_ARB_shader_stencil_export")),
    variable("gl_SampleMask", Scalar::Int, 1, Some(1), Storage::Output(None), Since::new(320, 400).or("GL_ARB_sample_shading").or2("GL_OES_sample_variables")),
    constant("gl_MaxDrawBuffers", OUTPUTS as i32, Since::new(100, 110)),
    constant("gl_MaxTextureImageUnits", 16, Since::new(100, 110)),
    constant("gl_MaxCombinedTextureImageUnits", 32, Since::new(100, 110)),
    constant("gl_MaxVertexTextureImageUnits", 16, Since::new(100, 110)),
    constant("gl_MaxVertexAttribs", 16, Since::new(100, 110)),
    constant("gl_MaxVertexUniformVectors", 256, Since::new(100, 410)),
    constant("gl_MaxFragmentUniformVectors", 256, Since::new(100, 410)),
    constant("gl_MaxVaryingVectors", 15, Since::new(100, 410).until(100, u16::MAX)),
    constant("gl_MaxVertexOutputVectors", 16, Since::new(300, 0)),
    constant("gl_MaxFragmentInputVectors", 15, Since::new(300, 0)),
    constant("gl_MinProgramTexelOffset", -8, Since::new(300, 130)),
    constant("gl_MaxProgramTexelOffset", 7, Since::new(300, 130)),
    constant("gl_MaxTextureCoords", 8, FIXED),
    constant("gl_MaxTextureUnits", 16, FIXED),
    constant("gl_MaxLights", 8, FIXED),
    constant("gl_MaxClipPlanes", 8, FIXED),
    constant("gl_MaxClipDistances", 8, Since::new(0, 130)),
    constant("gl_MaxVertexUniformComponents", 1024, OLD),
    constant("gl_MaxFragmentUniformComponents", 1024, OLD),
    constant("gl_MaxVaryingFloats", 64, OLD),
    constant("gl_MaxVaryingComponents", 64, Since::new(0, 130)),
    constant("gl_MaxVertexOutputComponents", 64, Since::new(0, 150)),
    constant("gl_MaxGeometryInputComponents", 64, Since::new(0, 150)),
    constant("gl_MaxGeometryOutputComponents", 128, Since::new(0, 150)),
    constant("gl_MaxFragmentInputComponents", 128, Since::new(0, 150)),
    constant("gl_MaxGeometryTextureImageUnits", 16, Since::new(0, 150)),
    constant("gl_MaxGeometryOutputVertices", 256, Since::new(0, 150)),
    constant("gl_MaxGeometryTotalOutputComponents", 1024, Since::new(0, 150)),
    constant("gl_MaxGeometryUniformComponents", 1024, Since::new(0, 150)),
    constant("gl_MaxGeometryVaryingComponents", 64, Since::new(0, 150)),
];

/// The built-in variable of a name, of any version.
pub fn named(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|variable| variable.name == name)
}
