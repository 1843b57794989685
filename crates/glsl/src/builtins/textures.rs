//! Functions on samplers. A name says which: `texture2DProjLod`, `textureGradOffset`.

use super::since::Since;
use super::{Detail, Meaning, Texture};
use crate::overload::{Direction, Parameter, Signature};
use crate::types::{Sampler, Scalar, Type};

/// The kinds of textures of samplers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The type in the language.
    pub sampler: Sampler,
    /// The name in functions of old: `2D`, `Cube`.
    dimension: &'static str,
    /// The components of a place.
    size: u8,
    /// Whether the place has a layer as well.
    array: bool,
    /// Whether the result is a comparison with a depth.
    shadow: bool,
    /// Whether it has levels of detail.
    levels: bool,
}

const fn kind(sampler: &'static str, dimension: &'static str, size: u8) -> Kind {
    Kind { sampler: Sampler(sampler), dimension, size, array: false, shadow: false, levels: true }
}

const fn array(sampler: &'static str, dimension: &'static str, size: u8) -> Kind {
    Kind { array: true, ..kind(sampler, dimension, size) }
}

const fn shadow(of: Kind) -> Kind {
    Kind { shadow: true, ..of }
}

const fn flat(of: Kind) -> Kind {
    Kind { levels: false, ..of }
}

/// The samplers of floats, and those of depths. Others have `i` or `u` before the name.
const KINDS: [Kind; 18] = [
    kind("sampler2D", "2D", 2),
    flat(kind("sampler2DRect", "2DRect", 2)),
    kind("sampler1D", "1D", 1),
    kind("sampler3D", "3D", 3),
    kind("samplerCube", "Cube", 3),
    array("sampler1DArray", "1DArray", 1),
    array("sampler2DArray", "2DArray", 2),
    array("samplerCubeArray", "CubeArray", 3),
    flat(kind("samplerBuffer", "Buffer", 1)),
    flat(kind("sampler2DMS", "2DMS", 2)),
    flat(array("sampler2DMSArray", "2DMSArray", 2)),
    shadow(kind("sampler1DShadow", "1D", 1)),
    shadow(kind("sampler2DShadow", "2D", 2)),
    shadow(flat(kind("sampler2DRectShadow", "2DRect", 2))),
    shadow(kind("samplerCubeShadow", "Cube", 3)),
    shadow(array("sampler1DArrayShadow", "1DArray", 1)),
    shadow(array("sampler2DArrayShadow", "2DArray", 2)),
    shadow(array("samplerCubeArrayShadow", "CubeArray", 3)),
];

/// The samplers of integers, `i` or `u` and the name of the floats' one.
const INTEGERS: [(&str, &str, &str); 11] = [
    ("isampler1D", "usampler1D", "sampler1D"),
    ("isampler2D", "usampler2D", "sampler2D"),
    ("isampler3D", "usampler3D", "sampler3D"),
    ("isamplerCube", "usamplerCube", "samplerCube"),
    ("isampler1DArray", "usampler1DArray", "sampler1DArray"),
    ("isampler2DArray", "usampler2DArray", "sampler2DArray"),
    ("isampler2DRect", "usampler2DRect", "sampler2DRect"),
    ("isamplerBuffer", "usamplerBuffer", "samplerBuffer"),
    ("isampler2DMS", "usampler2DMS", "sampler2DMS"),
    ("isampler2DMSArray", "usampler2DMSArray", "sampler2DMSArray"),
    ("isamplerCubeArray", "usamplerCubeArray", "samplerCubeArray"),
];

/// The sampler type of a name.
pub fn sampler(name: &str) -> Option<Sampler> {
    let own = KINDS.iter().map(|kind| kind.sampler.0);
    let others = INTEGERS.iter().flat_map(|(int, uint, _)| [*int, *uint]);
    own.chain(others).find(|known| *known == name).map(Sampler)
}

/// Why the machine does not have a sampler, and what to do instead; `None` if it does.
pub fn impossible(sampler: Sampler) -> Option<&'static str> {
    match sampler.0 {
        "sampler2D" | "sampler2DRect" => None,
        name if name.ends_with("Shadow") => Some(
            "the machine does not compare depths: take a `sampler2D`, and compare with `step` or `<=`",
        ),
        name if name.starts_with(['i', 'u']) => Some(
            "the machine's textures have floats: take a `sampler2D`, and convert with `int(...)`",
        ),
        name if name.contains("Cube") => Some(
            "the machine has no cube maps: take a `sampler2D` with the six sides beside each other, or one sampler a side",
        ),
        name if name.contains("3D") || name.contains("Array") => Some(
            "the machine has textures of two dimensions only: take a `sampler2D` with the layers below each other",
        ),
        name if name.contains("MS") => {
            Some("the machine has one sample a place: take a `sampler2D`")
        }
        _ => Some("the machine has textures of two dimensions only: take a `sampler2D` of one row"),
    }
}

/// All kinds of a sampler with the kind of their scalars: of floats, and of integers of the same shape.
fn kinds() -> impl Iterator<Item = (Kind, Scalar)> {
    KINDS.iter().flat_map(|kind| {
        let others = INTEGERS
            .iter()
            .find(|(_, _, float)| *float == kind.sampler.0)
            .map(|(int, uint, _)| [(*int, Scalar::Int), (*uint, Scalar::Uint)]);
        let others = others.into_iter().flatten();
        let others =
            others.map(|(name, scalar)| (Kind { sampler: Sampler(name), ..*kind }, scalar));
        std::iter::once((*kind, Scalar::Float)).chain(others)
    })
}

/// The parts of a function's name after its beginning.
#[derive(Clone, Copy)]
struct Words {
    projected: bool,
    detail: Detail,
    offset: bool,
}

fn words(rest: &str) -> Option<Words> {
    let (projected, rest) = rest.strip_prefix("Proj").map_or((false, rest), |rest| (true, rest));
    let (detail, rest) = if let Some(rest) = rest.strip_prefix("Lod") {
        (Detail::Level, rest)
    } else if let Some(rest) = rest.strip_prefix("Grad") {
        (Detail::Gradients, rest)
    } else {
        (Detail::None, rest)
    };
    let (offset, rest) = rest.strip_prefix("Offset").map_or((false, rest), |rest| (true, rest));
    rest.is_empty().then_some(Words { projected, detail, offset })
}

/// A function on samplers with concrete types.
pub struct Found {
    /// Its types.
    pub signature: Signature,
    /// The versions that have it.
    pub since: Since,
    /// Its operation.
    pub meaning: Meaning,
}

/// The functions on samplers that a name means.
pub fn named(name: &str) -> Vec<Found> {
    let mut found = Vec::new();
    match name {
        "texelFetch" | "texelFetchOffset" => fetches(name == "texelFetchOffset", &mut found),
        "textureSize" => sizes(&mut found),
        "textureGather" | "textureGatherOffset" => {
            gathers(name == "textureGatherOffset", &mut found)
        }
        "textureQueryLod" | "textureQueryLevels" => queries(name == "textureQueryLod", &mut found),
        "texelFetch2D" | "texelFetch2DRect" | "textureSize2D" | "textureSize2DRect" => {
            shader4(name, &mut found)
        }
        _ => {
            let new = name.strip_prefix("texture").and_then(words);
            if let Some(words) = new {
                for (kind, scalar) in kinds() {
                    samples(kind, scalar, words, &mut found);
                }
            } else {
                old(name, &mut found);
            }
        }
    }
    found
}

fn parameters(types: Vec<Type>) -> Vec<Parameter> {
    types.into_iter().map(|ty| Parameter { ty, direction: Direction::In }).collect()
}

/// Adds a function; what the machine does not have is impossible.
fn add(
    found: &mut Vec<Found>,
    kind: Kind,
    types: Vec<Type>,
    result: Type,
    since: Since,
    texture: Texture,
) {
    let meaning = match impossible(kind.sampler) {
        Some(why) => Meaning::Impossible(why),
        None => Meaning::Texture(texture),
    };
    found.push(Found {
        signature: Signature { parameters: parameters(types), result },
        since,
        meaning,
    });
}

fn float(size: u8) -> Type {
    Type::vector(Scalar::Float, size)
}

/// The first versions with a sampler.
fn first(kind: Kind) -> (u16, u16) {
    match kind.dimension {
        "1D" | "1DArray" => (0, 130),
        "2DRect" | "Buffer" => (0, 140),
        "CubeArray" => (320, 400),
        "2DMS" => (310, 150),
        "2DMSArray" => (320, 150),
        _ => (300, 130),
    }
}

/// `texture`, `textureLod` and the like, of ES 3.00 and GLSL 1.30.
fn samples(kind: Kind, scalar: Scalar, words: Words, found: &mut Vec<Found>) {
    let Words { projected, detail, offset } = words;
    let cube = kind.dimension.starts_with("Cube");
    if matches!(kind.dimension, "Buffer" | "2DMS" | "2DMSArray")
        || projected && (cube || kind.array)
        || offset && cube
        || detail == Detail::Level
            && (!kind.levels || kind.shadow && (cube || kind.dimension == "2DArray"))
    {
        return;
    }
    let sampler = Type::Sampler(kind.sampler);
    // A shadow's depth is a separate component; for a row it is the third.
    let size = match (kind.shadow, kind.dimension) {
        (true, "1D") => 3,
        _ => kind.size + u8::from(kind.array) + u8::from(kind.shadow),
    };
    let apart = size > 4;
    let places = match (projected, kind.shadow, kind.size) {
        (false, ..) => vec![size.min(4)],
        (true, true, _) | (true, false, 3) => vec![4],
        (true, false, size) => vec![size + 1, 4],
    };
    let result = if kind.shadow { float(1) } else { Type::Vector(scalar, 4) };
    let (es, desktop) = first(kind);
    let since = Since::new(es, desktop);
    for place in places {
        let mut types = vec![sampler.clone(), float(place)];
        if apart {
            types.push(float(1));
        }
        match detail {
            Detail::Level => types.push(float(1)),
            Detail::Gradients => types.extend([float(kind.size), float(kind.size)]),
            Detail::None | Detail::Bias => {}
        }
        if offset {
            types.push(Type::vector(Scalar::Int, kind.size));
        }
        let texture = |detail| Texture::Sample {
            projected,
            unscaled: kind.dimension == "2DRect",
            offset,
            detail,
        };
        add(found, kind, types.clone(), result.clone(), since, texture(detail));
        let bias = detail == Detail::None
            && kind.levels
            && !apart
            && !(kind.shadow && kind.dimension == "2DArray");
        if bias {
            types.push(float(1));
            add(found, kind, types, result.clone(), since, texture(Detail::Bias));
        }
    }
}

/// `texelFetch`, `texelFetchOffset`.
fn fetches(offset: bool, found: &mut Vec<Found>) {
    for (kind, scalar) in kinds() {
        if kind.shadow
            || kind.dimension.starts_with("Cube")
            || offset && kind.dimension.starts_with("2DMS")
            || offset && kind.dimension == "Buffer"
        {
            continue;
        }
        let (es, desktop) = first(kind);
        let mut types = vec![
            Type::Sampler(kind.sampler),
            Type::vector(Scalar::Int, kind.size + u8::from(kind.array)),
        ];
        if kind.levels || kind.dimension.starts_with("2DMS") {
            types.push(Type::Scalar(Scalar::Int));
        }
        if offset {
            types.push(Type::vector(Scalar::Int, kind.size));
        }
        add(
            found,
            kind,
            types,
            Type::Vector(scalar, 4),
            Since::new(es, desktop),
            Texture::Fetch { offset },
        );
    }
}

/// `textureSize`.
fn sizes(found: &mut Vec<Found>) {
    for (kind, _) in kinds() {
        let (es, desktop) = first(kind);
        let mut types = vec![Type::Sampler(kind.sampler)];
        if kind.levels {
            types.push(Type::Scalar(Scalar::Int));
        }
        let plane = if kind.dimension.starts_with("Cube") { 2 } else { kind.size };
        let result = Type::vector(Scalar::Int, plane + u8::from(kind.array));
        add(found, kind, types, result, Since::new(es, desktop), Texture::Size);
    }
}

const NO_GATHER: &str = "the machine does not gather four elements: take four `texelFetch`";
const NO_QUERY: &str = "the machine has no levels of detail";

/// `textureGather`, which the machine does not have.
fn gathers(offset: bool, found: &mut Vec<Found>) {
    let since = Since::new(310, 400).or("GL_ARB_texture_gather").or2("GL_ARB_gpu_shader5");
    for (kind, scalar) in kinds() {
        if !matches!(kind.dimension, "2D" | "2DRect" | "2DArray" | "Cube")
            || offset && kind.dimension == "Cube"
        {
            continue;
        }
        let mut types = vec![Type::Sampler(kind.sampler), float(kind.size + u8::from(kind.array))];
        if kind.shadow {
            types.push(float(1));
        }
        if offset {
            types.push(Type::Vector(Scalar::Int, 2));
        }
        let impossible = |types| Found {
            signature: Signature { parameters: parameters(types), result: Type::Vector(scalar, 4) },
            since,
            meaning: Meaning::Impossible(NO_GATHER),
        };
        found.push(impossible(types.clone()));
        if !kind.shadow {
            types.push(Type::Scalar(Scalar::Int));
            found.push(impossible(types));
        }
    }
}

/// `textureQueryLod`, `textureQueryLevels`, which the machine does not have.
fn queries(lod: bool, found: &mut Vec<Found>) {
    for (kind, _) in kinds().filter(|(kind, _)| kind.levels) {
        let (types, result, desktop) = if lod {
            (vec![Type::Sampler(kind.sampler), float(kind.size)], float(2), 400)
        } else {
            (vec![Type::Sampler(kind.sampler)], Type::Scalar(Scalar::Int), 430)
        };
        let signature = Signature { parameters: parameters(types), result };
        found.push(Found {
            signature,
            since: Since::new(0, desktop),
            meaning: Meaning::Impossible(NO_QUERY),
        });
    }
}

/// The functions of `GL_EXT_gpu_shader4` that have no bias or level in their name.
fn shader4(name: &str, found: &mut Vec<Found>) {
    let rectangle = name.ends_with("Rect");
    let kind = KINDS[usize::from(rectangle)];
    let since = Since::new(0, 0).or("GL_EXT_gpu_shader4");
    let level = (!rectangle).then_some(Type::Scalar(Scalar::Int));
    if name.starts_with("texelFetch") {
        let types = [Type::Sampler(kind.sampler), Type::Vector(Scalar::Int, 2)]
            .into_iter()
            .chain(level)
            .collect();
        add(found, kind, types, float(4), since, Texture::Fetch { offset: false });
    } else {
        let types = std::iter::once(Type::Sampler(kind.sampler)).chain(level).collect();
        add(found, kind, types, Type::Vector(Scalar::Int, 2), since, Texture::Size);
    }
}

/// `texture2D`, `shadow1DProj`, `texture2DLodEXT` and the like, of ES 1.00 and GLSL up to 4.10.
fn old(name: &str, found: &mut Vec<Found>) {
    let (is_shadow, rest) = match (name.strip_prefix("texture"), name.strip_prefix("shadow")) {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => return,
    };
    // The longest dimension first: `2DRect`, not `2D`.
    for dimension in ["2DRect", "1D", "2D", "3D", "Cube"] {
        let Some(rest) = rest.strip_prefix(dimension) else { continue };
        let suffix =
            ["EXT", "ARB"].into_iter().find(|suffix| rest.ends_with(suffix)).unwrap_or_default();
        let Some(words) = words(&rest[..rest.len() - suffix.len()]) else { return };
        let Some(since) = old_since(dimension, is_shadow, words, suffix) else { return };
        let fits = |(kind, scalar): &(Kind, Scalar)| {
            kind.dimension == dimension && kind.shadow == is_shadow && *scalar == Scalar::Float
        };
        for (kind, scalar) in kinds().filter(fits) {
            let start = found.len();
            samples(kind, scalar, words, found);
            for one in &mut found[start..] {
                one.since = since;
                one.signature.result = float(4);
            }
        }
        return;
    }
}

/// The versions with a function of old.
fn old_since(dimension: &str, shadow: bool, words: Words, suffix: &str) -> Option<Since> {
    let es = matches!(dimension, "2D" | "Cube") && !shadow;
    let rectangle = dimension == "2DRect";
    Some(match (words.detail, suffix, words.offset) {
        (Detail::None, "", false) => {
            let first = if rectangle {
                Since::new(0, 110).or("GL_ARB_texture_rectangle")
            } else {
                Since::new(100 * u16::from(es), 110)
            };
            first.until(100, 410)
        }
        // Of the vertex stage only, before GLSL 1.30.
        (Detail::Level, "", false) if !rectangle => Since::new(0, 130)
            .until(0, 410)
            .or("GL_ARB_shader_texture_lod")
            .or2("GL_EXT_gpu_shader4"),
        (Detail::Level | Detail::Gradients, "EXT", false) if es => {
            Since::new(0, 0).or("GL_EXT_shader_texture_lod")
        }
        (Detail::Gradients, "ARB", false) => Since::new(0, 0).or("GL_ARB_shader_texture_lod"),
        (_, "", _) if !rectangle || words.offset || words.detail == Detail::Gradients => {
            Since::new(0, 0).or("GL_EXT_gpu_shader4")
        }
        _ => return None,
    })
}

/// The name of ES 3.00 and GLSL 1.30 for a function of old: `textureProj` for `texture2DProj`.
pub fn modern(name: &str) -> Option<String> {
    let rest = name.strip_prefix("texture").or_else(|| name.strip_prefix("shadow"))?;
    let rest = ["2DRect", "1D", "2D", "3D", "Cube"]
        .iter()
        .find_map(|dimension| rest.strip_prefix(dimension))?;
    let rest = rest.strip_suffix("EXT").or_else(|| rest.strip_suffix("ARB")).unwrap_or(rest);
    words(rest)?;
    Some(format!("texture{rest}"))
}

/// The names of all functions on samplers that users mean, for "did you mean".
pub const NAMES: [&str; 16] = [
    "texture",
    "textureProj",
    "textureLod",
    "textureOffset",
    "textureGrad",
    "textureProjLod",
    "textureProjOffset",
    "texelFetch",
    "textureSize",
    "texture2D",
    "texture2DProj",
    "texture2DLod",
    "texture2DLodEXT",
    "textureCube",
    "texture2DRect",
    "texture2DRectProj",
];
