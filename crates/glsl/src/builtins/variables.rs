//! Built-in variables, constants and structures.

use super::since::{COMPATIBILITY, Since};
use crate::types::{Scalar, Structure, Type};
use std::rc::Rc;

/// The kinds of built-in variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// An input.
    Varying,
    /// An output with its number, if it has a fixed one.
    Output(Option<u32>),
    /// A constant with its value.
    Constant(i32),
    /// State of OpenGL, which a job gives as the uniforms of the source.
    Uniform,
}

/// A type.
#[derive(Clone, Copy)]
enum Of {
    /// A scalar or vector.
    Vector(Scalar, u8),
    /// A square matrix.
    Matrix(u8),
    /// A structure.
    Structure(&'static Parameters),
}

/// A built-in structure.
pub struct Parameters {
    /// Its name.
    name: &'static str,
    /// The names of the members, and how many floats each has: 1 for a `float`, 4 for a `vec4`.
    members: &'static [(&'static str, u8)],
    /// The versions that have it.
    pub since: Since,
}

impl Parameters {
    /// Its type.
    pub fn ty(&self) -> Type {
        let float = |size| Type::vector(Scalar::Float, size);
        let members = self.members.iter().map(|(name, size)| (name.to_string(), float(*size)));
        // The source numbers its own from 0.
        let rank = STRUCTURES.iter().position(|one| one.name == self.name).unwrap_or_default();
        let (name, id) = (self.name.to_string(), usize::MAX - rank);
        Type::Structure(Rc::new(Structure::new(name, members.collect(), id)))
    }
}

/// A built-in variable or constant.
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The type of it or of its elements.
    of: Of,
    /// The number of elements, if it is an array.
    elements: Option<u32>,
    /// Its kind.
    pub storage: Storage,
    /// The versions that have it.
    pub since: Since,
}

impl Variable {
    /// Its type.
    pub fn ty(&self) -> Type {
        let element = match self.of {
            Of::Vector(scalar, size) => Type::vector(scalar, size),
            Of::Matrix(size) => Type::Matrix(size, size),
            Of::Structure(parameters) => parameters.ty(),
        };
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
    Variable { name, of: Of::Vector(scalar, size), elements, storage, since }
}

/// State of fixed functions.
const fn state(name: &'static str, of: Of, elements: Option<u32>) -> Variable {
    Variable { name, of, elements, storage: Storage::Uniform, since: FIXED }
}

const fn parameters(name: &'static str, members: &'static [(&'static str, u8)]) -> Parameters {
    Parameters { name, members, since: FIXED }
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

/// The numbers of texture coordinates, of texture units, of lights and of planes.
const COORDINATES: u32 = 8;
const UNITS: u32 = 16;
const LIGHTS: u32 = 8;
const PLANES: u32 = 8;

const VEC4: Of = Of::Vector(Scalar::Float, 4);
const MAT4: Of = Of::Matrix(4);

const DEPTH_RANGE: Parameters = Parameters {
    since: Since::new(100, 110),
    ..parameters("gl_DepthRangeParameters", &[("near", 1), ("far", 1), ("diff", 1)])
};
#[rustfmt::skip]
const POINT: Parameters = parameters("gl_PointParameters", &[
    ("size", 1), ("sizeMin", 1), ("sizeMax", 1), ("fadeThresholdSize", 1), ("distanceConstantAttenuation", 1),
    ("distanceLinearAttenuation", 1), ("distanceQuadraticAttenuation", 1),
]);
#[rustfmt::skip]
const MATERIAL: Parameters = parameters("gl_MaterialParameters", &[
    ("emission", 4), ("ambient", 4), ("diffuse", 4), ("specular", 4), ("shininess", 1),
]);
#[rustfmt::skip]
const LIGHT_SOURCE: Parameters = parameters("gl_LightSourceParameters", &[
    ("ambient", 4), ("diffuse", 4), ("specular", 4), ("position", 4), ("halfVector", 4), ("spotDirection", 3),
    ("spotExponent", 1), ("spotCutoff", 1), ("spotCosCutoff", 1), ("constantAttenuation", 1), ("linearAttenuation", 1),
    ("quadraticAttenuation", 1),
]);
const LIGHT_MODEL: Parameters = parameters("gl_LightModelParameters", &[("ambient", 4)]);
const MODEL_PRODUCTS: Parameters = parameters("gl_LightModelProducts", &[("sceneColor", 4)]);
const PRODUCTS: Parameters =
    parameters("gl_LightProducts", &[("ambient", 4), ("diffuse", 4), ("specular", 4)]);
const FOG: Parameters = parameters(
    "gl_FogParameters",
    &[("color", 4), ("density", 1), ("start", 1), ("end", 1), ("scale", 1)],
);

/// The built-in structures.
const STRUCTURES: [&Parameters; 8] = [
    &DEPTH_RANGE,
    &POINT,
    &MATERIAL,
    &LIGHT_SOURCE,
    &LIGHT_MODEL,
    &MODEL_PRODUCTS,
    &PRODUCTS,
    &FOG,
];

/// The built-in structure of a name, of any version.
pub fn structure(name: &str) -> Option<&'static Parameters> {
    STRUCTURES.into_iter().find(|one| one.name == name)
}

/// The built-in variables and constants of fragment shaders. Numbers of the machine where it has some: 16 inputs, 4 outputs,
/// 256 constants of four floats; else the least that the language allows.
#[rustfmt::skip]
pub const VARIABLES: &[Variable] = &[
    variable("gl_FragColor", Scalar::Float, 4, None, Storage::Output(Some(0)), Since::new(100, 110).until(100, 410)),
    variable("gl_FragData", Scalar::Float, 4, Some(OUTPUTS), Storage::Output(Some(0)), Since::new(100, 110).until(100, 410)),
    variable("gl_FragCoord", Scalar::Float, 4, None, Storage::Varying, Since::new(100, 110)),
    variable("gl_FrontFacing", Scalar::Bool, 1, None, Storage::Varying, Since::new(100, 110)),
    variable("gl_PointCoord", Scalar::Float, 2, None, Storage::Varying, Since::new(100, 120)),
    variable("gl_TexCoord", Scalar::Float, 4, Some(COORDINATES), Storage::Varying, FIXED),
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
    constant("gl_MaxTextureCoords", COORDINATES as i32, FIXED),
    constant("gl_MaxTextureUnits", UNITS as i32, FIXED),
    constant("gl_MaxLights", LIGHTS as i32, FIXED),
    constant("gl_MaxClipPlanes", PLANES as i32, FIXED),
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
    Variable { name: "gl_DepthRange", of: Of::Structure(&DEPTH_RANGE), elements: None, storage: Storage::Uniform, since: DEPTH_RANGE.since },
    state("gl_ModelViewMatrix", MAT4, None),
    state("gl_ProjectionMatrix", MAT4, None),
    state("gl_ModelViewProjectionMatrix", MAT4, None),
    state("gl_TextureMatrix", MAT4, Some(COORDINATES)),
    state("gl_NormalMatrix", Of::Matrix(3), None),
    state("gl_ModelViewMatrixInverse", MAT4, None),
    state("gl_ProjectionMatrixInverse", MAT4, None),
    state("gl_ModelViewProjectionMatrixInverse", MAT4, None),
    state("gl_TextureMatrixInverse", MAT4, Some(COORDINATES)),
    state("gl_ModelViewMatrixTranspose", MAT4, None),
    state("gl_ProjectionMatrixTranspose", MAT4, None),
    state("gl_ModelViewProjectionMatrixTranspose", MAT4, None),
    state("gl_TextureMatrixTranspose", MAT4, Some(COORDINATES)),
    state("gl_ModelViewMatrixInverseTranspose", MAT4, None),
    state("gl_ProjectionMatrixInverseTranspose", MAT4, None),
    state("gl_ModelViewProjectionMatrixInverseTranspose", MAT4, None),
    state("gl_TextureMatrixInverseTranspose", MAT4, Some(COORDINATES)),
    state("gl_NormalScale", Of::Vector(Scalar::Float, 1), None),
    state("gl_ClipPlane", VEC4, Some(PLANES)),
    state("gl_Point", Of::Structure(&POINT), None),
    state("gl_FrontMaterial", Of::Structure(&MATERIAL), None),
    state("gl_BackMaterial", Of::Structure(&MATERIAL), None),
    state("gl_LightSource", Of::Structure(&LIGHT_SOURCE), Some(LIGHTS)),
    state("gl_LightModel", Of::Structure(&LIGHT_MODEL), None),
    state("gl_FrontLightModelProduct", Of::Structure(&MODEL_PRODUCTS), None),
    state("gl_BackLightModelProduct", Of::Structure(&MODEL_PRODUCTS), None),
    state("gl_FrontLightProduct", Of::Structure(&PRODUCTS), Some(LIGHTS)),
    state("gl_BackLightProduct", Of::Structure(&PRODUCTS), Some(LIGHTS)),
    state("gl_TextureEnvColor", VEC4, Some(UNITS)),
    state("gl_EyePlaneS", VEC4, Some(COORDINATES)),
    state("gl_EyePlaneT", VEC4, Some(COORDINATES)),
    state("gl_EyePlaneR", VEC4, Some(COORDINATES)),
    state("gl_EyePlaneQ", VEC4, Some(COORDINATES)),
    state("gl_ObjectPlaneS", VEC4, Some(COORDINATES)),
    state("gl_ObjectPlaneT", VEC4, Some(COORDINATES)),
    state("gl_ObjectPlaneR", VEC4, Some(COORDINATES)),
    state("gl_ObjectPlaneQ", VEC4, Some(COORDINATES)),
    state("gl_Fog", Of::Structure(&FOG), None),
];

/// The built-in variable of a name, of any version.
pub fn named(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|variable| variable.name == name)
}
