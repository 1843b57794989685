//! The words of the language: which are keywords, types or reserved, by version.

use crate::version::Version;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The role of a word in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A keyword.
    Keyword,
    /// A type of the language.
    Type,
    /// Reserved: it means nothing and cannot be a name.
    Reserved,
    /// No word of the language.
    Name,
}

use Word::{Keyword, Type};

/// The versions of the columns of ES.
const ES: [u16; 4] = [100, 300, 310, 320];

/// The versions of the columns of the desktop.
const DESKTOP: [u16; 9] = [110, 120, 130, 140, 150, 330, 400, 420, 430];

/// Words; what they are where a column says `K`; the columns of ES and of the desktop: `K` known, `R` reserved, `-` a name.
type Row = (&'static str, Word, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: [Row; 46] = [
    ("const uniform break continue do for while if else in out inout true false discard return struct", Keyword, "KKKK", "KKKKKKKKK"),
    ("void float int bool vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 bvec4 mat2 mat3 mat4 sampler2D samplerCube", Type, "KKKK", "KKKKKKKKK"),
    ("attribute varying", Keyword, "KRRR", "KKKKKKKKK"),
    ("lowp mediump highp precision", Keyword, "KKKK", "-RKKKKKKK"),
    ("invariant", Keyword, "KKKK", "-KKKKKKKK"),
    ("centroid", Keyword, "-KKK", "-KKKKKKKK"),
    ("flat", Keyword, "RKKK", "--KKKKKKK"),
    ("smooth case", Keyword, "-KKK", "--KKKKKKK"),
    ("noperspective", Keyword, "-RRR", "--KKKKKKK"),
    ("layout", Keyword, "-KKK", "---KKKKKK"),
    ("switch default", Keyword, "RKKK", "RRKKKKKKK"),
    ("uint uvec2 uvec3 uvec4", Type, "-KKK", "--KKKKKKK"),
    ("mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4", Type, "-KKK", "-KKKKKKKK"),
    ("sampler1D sampler1DShadow", Type, "RRRR", "KKKKKKKKK"),
    ("sampler3D sampler2DShadow", Type, "RKKK", "KKKKKKKKK"),
    ("samplerCubeShadow sampler2DArray sampler2DArrayShadow isampler2D isampler3D isamplerCube isampler2DArray \
      usampler2D usampler3D usamplerCube usampler2DArray", Type, "-KKK", "--KKKKKKK"),
    ("sampler1DArray sampler1DArrayShadow isampler1D isampler1DArray usampler1D usampler1DArray", Type, "-RRR", "--KKKKKKK"),
    ("sampler2DRect sampler2DRectShadow", Type, "RRRR", "KKKKKKKKK"),
    ("isampler2DRect usampler2DRect", Type, "-RRR", "---KKKKKK"),
    ("sampler3DRect", Type, "RRRR", "RRRRRRRRR"),
    ("samplerBuffer isamplerBuffer usamplerBuffer", Type, "-RRK", "--RKKKKKK"),
    ("sampler2DMS isampler2DMS usampler2DMS", Type, "-RKK", "----KKKKK"),
    ("sampler2DMSArray isampler2DMSArray usampler2DMSArray", Type, "-RRK", "----KKKKK"),
    ("samplerCubeArray samplerCubeArrayShadow isamplerCubeArray usamplerCubeArray", Type, "--RK", "------KKK"),
    ("double dvec2 dvec3 dvec4", Type, "RRRR", "RRRRRRKKK"),
    ("dmat2 dmat3 dmat4 dmat2x2 dmat2x3 dmat2x4 dmat3x2 dmat3x3 dmat3x4 dmat4x2 dmat4x3 dmat4x4", Type, "----", "------KKK"),
    ("hvec2 hvec3 hvec4 fvec2 fvec3 fvec4 asm class union enum typedef template this goto inline noinline public static \
      extern external interface long short half fixed unsigned input output sizeof cast namespace using", Keyword, "RRRR", "RRRRRRRRR"),
    ("packed", Keyword, "R---", "RRR------"),
    ("superp", Keyword, "RRRR", "--RRRRRRR"),
    ("row_major", Keyword, "----", "--RRRRRRR"),
    ("volatile", Keyword, "RRKK", "RRRRRRRKK"),
    ("coherent restrict readonly writeonly", Keyword, "-RKK", "-------KK"),
    ("resource", Keyword, "-RRR", "-------RR"),
    ("atomic_uint", Type, "-RKK", "-------KK"),
    ("patch sample", Keyword, "-RRK", "------KKK"),
    ("subroutine", Keyword, "-RRR", "------KKK"),
    ("precise", Keyword, "--RK", "------KKK"),
    ("common partition active filter", Keyword, "-RRR", "--RRRRRRR"),
    ("image2D iimage2D uimage2D image3D iimage3D uimage3D imageCube iimageCube uimageCube \
      image2DArray iimage2DArray uimage2DArray", Type, "-RKK", "--RRRRRKK"),
    ("image1D iimage1D uimage1D image1DArray iimage1DArray uimage1DArray", Type, "-RRR", "--RRRRRKK"),
    ("imageBuffer iimageBuffer uimageBuffer", Type, "-RRK", "--RRRRRKK"),
    ("image1DShadow image2DShadow image1DArrayShadow image2DArrayShadow", Type, "--RR", "--RRRRRRR"),
    ("image2DRect iimage2DRect uimage2DRect image2DMS iimage2DMS uimage2DMS", Type, "----", "-------KK"),
    ("imageCubeArray iimageCubeArray uimageCubeArray", Type, "--RK", "-------KK"),
    ("image2DMSArray iimage2DMSArray uimage2DMSArray", Type, "--RR", "-------KK"),
    ("buffer shared", Keyword, "--KK", "--------K"),
];

static TABLE: LazyLock<HashMap<&str, &Row>> = LazyLock::new(|| {
    ROWS.iter()
        .flat_map(|row| row.0.split_ascii_whitespace().map(move |word| (word, row)))
        .collect()
});

fn row(word: &str) -> Option<&'static Row> {
    TABLE.get(word).copied()
}

/// The role of a word in a version.
pub fn word(word: &str, version: Version) -> Word {
    let Some((_, kind, es, desktop)) = row(word) else { return Word::Name };
    let (versions, columns) = if version.es { (&ES[..], es) } else { (&DESKTOP[..], desktop) };
    let column = versions.iter().rposition(|from| *from <= version.number).unwrap_or(0);
    match columns.as_bytes().get(column) {
        Some(b'K') => *kind,
        Some(b'R') => Word::Reserved,
        Some(_) | None => Word::Name,
    }
}

/// Whether no version takes the word as a name.
pub fn never_a_name(word: &str) -> bool {
    row(word).is_some_and(|(_, _, es, desktop)| !es.contains('-') && !desktop.contains('-'))
}

/// The versions in which the word is a keyword or a type, as `GLSL 1.30 and GLSL ES 3.00`.
pub fn since(word: &str) -> Option<String> {
    let (_, _, es, desktop) = row(word)?;
    let first = |columns: &str, versions: &[u16], es: bool| {
        let number = *versions.get(columns.find('K')?)?;
        Some(Version { number, es, guessed: false, toy: false }.to_string())
    };
    match (first(desktop, &DESKTOP, false), first(es, &ES, true)) {
        (Some(desktop), Some(es)) => Some(format!("{desktop} and {es}")),
        (desktop, es) => desktop.or(es),
    }
}

#[cfg(test)]
mod tests {
    use super::{DESKTOP, ES, ROWS, Word, since, word};
    use crate::version::Version;

    fn version(number: u16, es: bool) -> Version {
        Version { number, es, guessed: false, toy: false }
    }

    #[test]
    fn every_row_has_all_columns_and_no_word_is_there_twice() {
        let mut all: Vec<&str> = Vec::new();
        for (words, _, es, desktop) in ROWS {
            assert_eq!((es.len(), desktop.len()), (ES.len(), DESKTOP.len()), "{words}");
            all.extend(words.split_ascii_whitespace());
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn words_change_with_the_version() {
        assert_eq!(word("switch", version(100, true)), Word::Reserved);
        assert_eq!(word("switch", version(300, true)), Word::Keyword);
        assert_eq!(word("varying", version(300, true)), Word::Reserved);
        assert_eq!(word("uint", version(120, false)), Word::Name);
        assert_eq!(word("uint", version(460, false)), Word::Type);
        assert_eq!(word("goto", version(330, false)), Word::Reserved);
        assert_eq!(since("uint").as_deref(), Some("GLSL 1.30 and GLSL ES 3.00"));
        assert_eq!(since("noperspective").as_deref(), Some("GLSL 1.30"));
    }
}
