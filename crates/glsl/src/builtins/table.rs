//! The functions of numbers.

use super::Meaning::{self, Compare, Derivative, Impossible, Math, Relational};
use crate::ast::Binary;
use crate::builtins::since::Since;
use crate::constant::Packing;
use naga::DerivativeAxis::{Width, X, Y};
use naga::DerivativeControl;
use naga::MathFunction as M;
use naga::RelationalFunction as R;

/// A line: the name, its signatures, the versions that have them, what they mean.
///
/// In a signature `F`, `I`, `U`, `B` are scalars or vectors of one size, `vec`, `ivec`, `uvec`, `bvec` vectors of one size,
/// `S` is a square matrix, `M` any matrix, `MT` its transpose, `column` and `row` vectors of the size of its columns and rows.
pub struct Line(pub &'static str, pub &'static [&'static str], pub Since, pub Meaning);

const ALL: Since = Since::new(100, 110);
const INTEGERS: Since = Since::new(300, 130);
const DERIVATIVES: Since = Since::new(300, 110).or("GL_OES_standard_derivatives");
const CONTROL: Since = Since::new(0, 450).or("GL_ARB_derivative_control");
const ENCODING: Since =
    Since::new(300, 330).or("GL_ARB_shader_bit_encoding").or2("GL_ARB_gpu_shader5");
const SHADER5: Since = Since::new(310, 400).or("GL_ARB_gpu_shader5");
const PACKING: Since = Since::new(300, 420).or("GL_ARB_shading_language_packing");
const PACKING4: Since =
    Since::new(310, 400).or("GL_ARB_shading_language_packing").or2("GL_ARB_gpu_shader5");

pub const NO_BITS: &str =
    "the machine has no functions on bits: compute with `floor`, `fract`, `mod` and powers of two";
const NO_SAMPLES: &str =
    "the machine interpolates at the middle of a point only: use the varying itself";

#[rustfmt::skip]
pub const LINES: &[Line] = &[
    // Angles.
    Line("radians", &["F(F)"], ALL, Math(M::Radians)),
    Line("degrees", &["F(F)"], ALL, Math(M::Degrees)),
    Line("sin", &["F(F)"], ALL, Math(M::Sin)),
    Line("cos", &["F(F)"], ALL, Math(M::Cos)),
    Line("tan", &["F(F)"], ALL, Math(M::Tan)),
    Line("asin", &["F(F)"], ALL, Math(M::Asin)),
    Line("acos", &["F(F)"], ALL, Math(M::Acos)),
    Line("atan", &["F(F)"], ALL, Math(M::Atan)),
    Line("atan", &["F(F, F)"], ALL, Math(M::Atan2)),
    Line("sinh", &["F(F)"], INTEGERS, Math(M::Sinh)),
    Line("cosh", &["F(F)"], INTEGERS, Math(M::Cosh)),
    Line("tanh", &["F(F)"], INTEGERS, Math(M::Tanh)),
    Line("asinh", &["F(F)"], INTEGERS, Math(M::Asinh)),
    Line("acosh", &["F(F)"], INTEGERS, Math(M::Acosh)),
    Line("atanh", &["F(F)"], INTEGERS, Math(M::Atanh)),
    // Powers.
    Line("pow", &["F(F, F)"], ALL, Math(M::Pow)),
    Line("exp", &["F(F)"], ALL, Math(M::Exp)),
    Line("log", &["F(F)"], ALL, Math(M::Log)),
    Line("exp2", &["F(F)"], ALL, Math(M::Exp2)),
    Line("log2", &["F(F)"], ALL, Math(M::Log2)),
    Line("sqrt", &["F(F)"], ALL, Math(M::Sqrt)),
    Line("inversesqrt", &["F(F)"], ALL, Math(M::InverseSqrt)),
    // Common functions.
    Line("abs", &["F(F)"], ALL, Math(M::Abs)),
    Line("abs", &["I(I)"], INTEGERS, Math(M::Abs)),
    Line("sign", &["F(F)"], ALL, Math(M::Sign)),
    Line("sign", &["I(I)"], INTEGERS, Math(M::Sign)),
    Line("floor", &["F(F)"], ALL, Math(M::Floor)),
    Line("trunc", &["F(F)"], INTEGERS, Math(M::Trunc)),
    Line("round", &["F(F)"], INTEGERS, Math(M::Round)),
    Line("roundEven", &["F(F)"], INTEGERS, Math(M::Round)),
    Line("ceil", &["F(F)"], ALL, Math(M::Ceil)),
    Line("fract", &["F(F)"], ALL, Math(M::Fract)),
    Line("mod", &["F(F, F)", "F(F, float)"], ALL, Meaning::Modulo),
    Line("modf", &["F(F, out F)"], INTEGERS, Meaning::Modf),
    Line("min", &["F(F, F)", "F(F, float)"], ALL, Math(M::Min)),
    Line("min", &["I(I, I)", "I(I, int)", "U(U, U)", "U(U, uint)"], INTEGERS, Math(M::Min)),
    Line("max", &["F(F, F)", "F(F, float)"], ALL, Math(M::Max)),
    Line("max", &["I(I, I)", "I(I, int)", "U(U, U)", "U(U, uint)"], INTEGERS, Math(M::Max)),
    Line("clamp", &["F(F, F, F)", "F(F, float, float)"], ALL, Math(M::Clamp)),
    Line("clamp", &["I(I, I, I)", "I(I, int, int)", "U(U, U, U)", "U(U, uint, uint)"], INTEGERS, Math(M::Clamp)),
    Line("mix", &["F(F, F, F)", "F(F, F, float)"], ALL, Math(M::Mix)),
    Line("mix", &["F(F, F, B)"], INTEGERS, Meaning::Select),
    Line("mix", &["I(I, I, B)", "U(U, U, B)", "B(B, B, B)"],
        Since::new(310, 450).or("GL_EXT_shader_integer_mix"), Meaning::Select),
    Line("step", &["F(F, F)", "F(float, F)"], ALL, Math(M::Step)),
    Line("smoothstep", &["F(F, F, F)", "F(float, float, F)"], ALL, Math(M::SmoothStep)),
    Line("isnan", &["B(F)"], INTEGERS, Relational(R::IsNan)),
    Line("isinf", &["B(F)"], INTEGERS, Relational(R::IsInf)),
    Line("floatBitsToInt", &["I(F)"], ENCODING, Meaning::Bits),
    Line("floatBitsToUint", &["U(F)"], ENCODING, Meaning::Bits),
    Line("intBitsToFloat", &["F(I)"], ENCODING, Meaning::Bits),
    Line("uintBitsToFloat", &["F(U)"], ENCODING, Meaning::Bits),
    Line("fma", &["F(F, F, F)"], Since::new(320, 400).or("GL_ARB_gpu_shader5").or2("GL_EXT_gpu_shader5"), Math(M::Fma)),
    Line("frexp", &["F(F, out I)"], SHADER5, Meaning::Frexp),
    Line("ldexp", &["F(F, I)"], SHADER5, Math(M::Ldexp)),
    // Packing.
    Line("packSnorm2x16", &["uint(vec2)"], PACKING, Meaning::Pack(Packing::Snorm(16))),
    Line("packUnorm2x16", &["uint(vec2)"], PACKING, Meaning::Pack(Packing::Unorm(16))),
    Line("packHalf2x16", &["uint(vec2)"], PACKING, Meaning::Pack(Packing::Half)),
    Line("unpackSnorm2x16", &["vec2(uint)"], PACKING, Meaning::Unpack(Packing::Snorm(16))),
    Line("unpackUnorm2x16", &["vec2(uint)"], PACKING, Meaning::Unpack(Packing::Unorm(16))),
    Line("unpackHalf2x16", &["vec2(uint)"], PACKING, Meaning::Unpack(Packing::Half)),
    Line("packUnorm4x8", &["uint(vec4)"], PACKING4, Meaning::Pack(Packing::Unorm(8))),
    Line("packSnorm4x8", &["uint(vec4)"], PACKING4, Meaning::Pack(Packing::Snorm(8))),
    Line("unpackUnorm4x8", &["vec4(uint)"], PACKING4, Meaning::Unpack(Packing::Unorm(8))),
    Line("unpackSnorm4x8", &["vec4(uint)"], PACKING4, Meaning::Unpack(Packing::Snorm(8))),
    // Geometry.
    Line("length", &["float(F)"], ALL, Math(M::Length)),
    Line("distance", &["float(F, F)"], ALL, Math(M::Distance)),
    Line("dot", &["float(vec, vec)"], ALL, Math(M::Dot)),
    Line("dot", &["float(float, float)"], ALL, Meaning::OfScalars(M::Dot)),
    Line("cross", &["vec3(vec3, vec3)"], ALL, Math(M::Cross)),
    Line("normalize", &["vec(vec)"], ALL, Math(M::Normalize)),
    Line("normalize", &["float(float)"], ALL, Meaning::OfScalars(M::Normalize)),
    Line("faceforward", &["vec(vec, vec, vec)"], ALL, Math(M::FaceForward)),
    Line("faceforward", &["float(float, float, float)"], ALL, Meaning::OfScalars(M::FaceForward)),
    Line("reflect", &["vec(vec, vec)"], ALL, Math(M::Reflect)),
    Line("reflect", &["float(float, float)"], ALL, Meaning::OfScalars(M::Reflect)),
    Line("refract", &["vec(vec, vec, float)"], ALL, Math(M::Refract)),
    Line("refract", &["float(float, float, float)"], ALL, Meaning::OfScalars(M::Refract)),
    // Matrices.
    Line("matrixCompMult", &["S(S, S)"], ALL, Meaning::MultiplyComponents),
    Line("matrixCompMult", &["M(M, M)"], Since::new(300, 120), Meaning::MultiplyComponents),
    Line("outerProduct", &["M(row, column)"], Since::new(300, 120), Meaning::OuterProduct),
    Line("transpose", &["MT(M)"], Since::new(300, 120), Math(M::Transpose)),
    Line("determinant", &["float(S)"], Since::new(300, 150), Math(M::Determinant)),
    Line("inverse", &["S(S)"], Since::new(300, 140), Math(M::Inverse)),
    // Comparisons of vectors.
    Line("lessThan", &["bvec(vec, vec)", "bvec(ivec, ivec)"], ALL, Compare(Binary::Less)),
    Line("lessThan", &["bvec(uvec, uvec)"], INTEGERS, Compare(Binary::Less)),
    Line("lessThanEqual", &["bvec(vec, vec)", "bvec(ivec, ivec)"], ALL, Compare(Binary::LessEqual)),
    Line("lessThanEqual", &["bvec(uvec, uvec)"], INTEGERS, Compare(Binary::LessEqual)),
    Line("greaterThan", &["bvec(vec, vec)", "bvec(ivec, ivec)"], ALL, Compare(Binary::Greater)),
    Line("greaterThan", &["bvec(uvec, uvec)"], INTEGERS, Compare(Binary::Greater)),
    Line("greaterThanEqual", &["bvec(vec, vec)", "bvec(ivec, ivec)"], ALL, Compare(Binary::GreaterEqual)),
    Line("greaterThanEqual", &["bvec(uvec, uvec)"], INTEGERS, Compare(Binary::GreaterEqual)),
    Line("equal", &["bvec(vec, vec)", "bvec(ivec, ivec)", "bvec(bvec, bvec)"], ALL, Compare(Binary::Equal)),
    Line("equal", &["bvec(uvec, uvec)"], INTEGERS, Compare(Binary::Equal)),
    Line("notEqual", &["bvec(vec, vec)", "bvec(ivec, ivec)", "bvec(bvec, bvec)"], ALL, Compare(Binary::NotEqual)),
    Line("notEqual", &["bvec(uvec, uvec)"], INTEGERS, Compare(Binary::NotEqual)),
    Line("any", &["bool(bvec)"], ALL, Relational(R::Any)),
    Line("all", &["bool(bvec)"], ALL, Relational(R::All)),
    Line("not", &["bvec(bvec)"], ALL, Meaning::Not),
    // Integers' bits.
    Line("bitfieldExtract", &["I(I, int, int)", "U(U, int, int)"], SHADER5, Impossible(NO_BITS)),
    Line("bitfieldInsert", &["I(I, I, int, int)", "U(U, U, int, int)"], SHADER5, Impossible(NO_BITS)),
    Line("bitfieldReverse", &["I(I)", "U(U)"], SHADER5, Impossible(NO_BITS)),
    Line("bitCount", &["I(I)", "I(U)"], SHADER5, Impossible(NO_BITS)),
    Line("findLSB", &["I(I)", "I(U)"], SHADER5, Impossible(NO_BITS)),
    Line("findMSB", &["I(I)", "I(U)"], SHADER5, Impossible(NO_BITS)),
    Line("uaddCarry", &["U(U, U, out U)"], SHADER5, Impossible(NO_BITS)),
    Line("usubBorrow", &["U(U, U, out U)"], SHADER5, Impossible(NO_BITS)),
    // Derivatives, and values beside the middle of a point.
    Line("dFdx", &["F(F)"], DERIVATIVES, Derivative(X, DerivativeControl::None)),
    Line("dFdy", &["F(F)"], DERIVATIVES, Derivative(Y, DerivativeControl::None)),
    Line("fwidth", &["F(F)"], DERIVATIVES, Derivative(Width, DerivativeControl::None)),
    Line("dFdxFine", &["F(F)"], CONTROL, Derivative(X, DerivativeControl::Fine)),
    Line("dFdyFine", &["F(F)"], CONTROL, Derivative(Y, DerivativeControl::Fine)),
    Line("fwidthFine", &["F(F)"], CONTROL, Derivative(Width, DerivativeControl::Fine)),
    Line("dFdxCoarse", &["F(F)"], CONTROL, Derivative(X, DerivativeControl::Coarse)),
    Line("dFdyCoarse", &["F(F)"], CONTROL, Derivative(Y, DerivativeControl::Coarse)),
    Line("fwidthCoarse", &["F(F)"], CONTROL, Derivative(Width, DerivativeControl::Coarse)),
    Line("interpolateAtCentroid", &["F(F)"], SHADER5, Impossible(NO_SAMPLES)),
    Line("interpolateAtSample", &["F(F, int)"], SHADER5, Impossible(NO_SAMPLES)),
    Line("interpolateAtOffset", &["F(F, vec2)"], SHADER5, Impossible(NO_SAMPLES)),
    // Noise.
    Line("noise1", &["float(F)"], Since::new(0, 110), Meaning::Zero),
    Line("noise2", &["vec2(F)"], Since::new(0, 110), Meaning::Zero),
    Line("noise3", &["vec3(F)"], Since::new(0, 110), Meaning::Zero),
    Line("noise4", &["vec4(F)"], Since::new(0, 110), Meaning::Zero),
];
