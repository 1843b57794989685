//! The words of GLSL that the rewriting knows: built-in variables and functions, keywords, Shadertoy's names.

use super::Storage;

/// Prefix of the names that the rewriting makes.
pub const PREFIX: &str = "ctm_";

/// The built-in variables: name, type, what it is.
pub const BUILTINS: [(&str, &str, &str, Storage); 11] = [
    ("gl_FragColor", "vec4", "", Storage::Output(Some(0))),
    ("gl_FragData", "vec4", "[4]", Storage::Output(Some(0))),
    ("gl_FragCoord", "vec4", "", Storage::Varying),
    ("gl_FrontFacing", "bool", "", Storage::Varying),
    ("gl_PointCoord", "vec2", "", Storage::Varying),
    ("gl_TexCoord", "vec4", "[8]", Storage::Varying),
    ("gl_Color", "vec4", "", Storage::Varying),
    ("gl_SecondaryColor", "vec4", "", Storage::Varying),
    ("gl_FogFragCoord", "float", "", Storage::Varying),
    ("gl_FragStencilRefARB", "int", "", Storage::Output(None)),
    ("gl_SampleMask", "int", "[1]", Storage::Output(None)),
];

/// The functions that naga lacks, mostly those on samplers: the names in sources, the one in naga's text, its overloads.
pub const FUNCTIONS: [(&[&str], &str, &str); 10] = [
    (
        &["matrixCompMult"],
        "ctm_matrixCompMult",
        "mat2 ctm_matrixCompMult(mat2 a, mat2 b) { return mat2(a[0] * b[0], a[1] * b[1]); } \
         mat3 ctm_matrixCompMult(mat3 a, mat3 b) { return mat3(a[0] * b[0], a[1] * b[1], a[2] * b[2]); } \
         mat4 ctm_matrixCompMult(mat4 a, mat4 b) { return mat4(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]); } ",
    ),
    (
        &["modf"],
        "ctm_modf",
        "float ctm_modf(float a, out float w) { w = trunc(a); return a - w; } \
         vec2 ctm_modf(vec2 a, out vec2 w) { w = trunc(a); return a - w; } \
         vec3 ctm_modf(vec3 a, out vec3 w) { w = trunc(a); return a - w; } \
         vec4 ctm_modf(vec4 a, out vec4 w) { w = trunc(a); return a - w; } ",
    ),
    (
        &["texture", "texture2D", "texture2DRect", "texture2DEXT"],
        "ctm_texture",
        "vec4 ctm_texture(S s, vec2 p) { return vec4(0.0); } vec4 ctm_texture(S s, vec2 p, float b) { return vec4(0.0); } \
         vec4 ctm_texture(R s, vec2 p) { return vec4(0.0); } ",
    ),
    (
        &["textureProj", "texture2DProj", "texture2DRectProj"],
        "ctm_textureProj",
        "vec4 ctm_textureProj(S s, vec3 p) { return vec4(0.0); } vec4 ctm_textureProj(S s, vec4 p) { return vec4(0.0); } \
         vec4 ctm_textureProj(S s, vec3 p, float b) { return vec4(0.0); } vec4 ctm_textureProj(S s, vec4 p, float b) { return vec4(0.0); } \
         vec4 ctm_textureProj(R s, vec3 p) { return vec4(0.0); } vec4 ctm_textureProj(R s, vec4 p) { return vec4(0.0); } ",
    ),
    (
        &["textureLod", "texture2DLod", "texture2DLodEXT", "texture2DLodARB"],
        "ctm_textureLod",
        "vec4 ctm_textureLod(S s, vec2 p, float l) { return vec4(0.0); } ",
    ),
    (
        &["textureProjLod", "texture2DProjLod", "texture2DProjLodEXT"],
        "ctm_textureProjLod",
        "vec4 ctm_textureProjLod(S s, vec3 p, float l) { return vec4(0.0); } \
         vec4 ctm_textureProjLod(S s, vec4 p, float l) { return vec4(0.0); } ",
    ),
    (
        &["textureGrad", "texture2DGradEXT", "texture2DGrad", "texture2DGradARB"],
        "ctm_textureGrad",
        "vec4 ctm_textureGrad(S s, vec2 p, vec2 x, vec2 y) { return vec4(0.0); } ",
    ),
    (
        &["texelFetch", "texelFetch2D"],
        "ctm_texelFetch",
        "vec4 ctm_texelFetch(S s, ivec2 p, int l) { return vec4(0.0); } vec4 ctm_texelFetch(R s, ivec2 p) { return vec4(0.0); } ",
    ),
    (
        &["textureSize", "textureSize2D"],
        "ctm_textureSize",
        "ivec2 ctm_textureSize(S s, int l) { return ivec2(0); } ivec2 ctm_textureSize(R s) { return ivec2(0); } ",
    ),
    (
        &["textureOffset"],
        "ctm_textureOffset",
        "vec4 ctm_textureOffset(S s, vec2 p, ivec2 o) { return vec4(0.0); } ",
    ),
];

/// The variables of Shadertoy.
pub const TOY: [(&str, &str, &str); 15] = [
    ("iResolution", "vec3", ""),
    ("iTime", "float", ""),
    ("iGlobalTime", "float", ""),
    ("iTimeDelta", "float", ""),
    ("iFrameRate", "float", ""),
    ("iFrame", "int", ""),
    ("iChannelTime", "float", "[4]"),
    ("iChannelResolution", "vec3", "[4]"),
    ("iMouse", "vec4", ""),
    ("iDate", "vec4", ""),
    ("iSampleRate", "float", ""),
    ("iChannel0", "ctm_sampler2D", ""),
    ("iChannel1", "ctm_sampler2D", ""),
    ("iChannel2", "ctm_sampler2D", ""),
    ("iChannel3", "ctm_sampler2D", ""),
];

/// Words without an effect here.
pub const QUALIFIERS: [&str; 9] = [
    "flat",
    "smooth",
    "noperspective",
    "centroid",
    "invariant",
    "precise",
    "highp",
    "mediump",
    "lowp",
];

/// Words that may be names in a source and are keywords or types for naga.
pub const RESERVED: &str = " sample buffer shared subroutine patch coherent volatile restrict readonly writeonly resource \
    double sampler samplerShadow texture1D texture3D textureCube texture2D texture2DArray texture2DMS image1D image2D image3D \
    textureCubeArray itexture2D utexture2D iimage2D uimage2D dvec2 dvec3 dvec4 attribute varying texture precise centroid \
    smooth flat noperspective float16_t f16vec2 f16vec3 f16vec4 ";

/// Functions of GLSL that a source may define itself.
pub const OVERRIDABLE: &str = " radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow exp log exp2 \
    log2 sqrt inversesqrt abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step smoothstep isnan \
    isinf fma length distance dot cross normalize faceforward reflect refract matrixCompMult outerProduct transpose \
    determinant inverse lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual any all not dFdx dFdy fwidth \
    noise1 noise2 noise3 noise4 ldexp frexp bitCount saturate ";

/// Functions that naga's front end does not compute in constants.
pub const NOT_CONSTANT: [&str; 13] = [
    "determinant",
    "faceforward",
    "frexp",
    "inverse",
    "isinf",
    "isnan",
    "ldexp",
    "mix",
    "outerProduct",
    "reflect",
    "refract",
    "smoothstep",
    "transpose",
];

/// Whether a list has a word.
pub fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}
