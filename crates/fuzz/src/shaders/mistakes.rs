//! Generated shaders with mistakes: the compiler must refuse each, with an error at its line.

use super::generate::generate;
use ctm_base::random::Random;

/// A shader with mistakes.
pub struct Mistaken {
    /// The source.
    pub source: String,
    /// The lines with an error each: the first and the last where it may be, from 1, and what is wrong there.
    pub wrong: Vec<(u32, u32, String)>,
}

/// Types, each with a value.
const TYPES: [(&str, &str); 10] = [
    ("float", "0.5"),
    ("int", "2"),
    ("bool", "true"),
    ("vec2", "vec2(0.5)"),
    ("vec3", "vec3(0.5)"),
    ("vec4", "vec4(0.5)"),
    ("bvec2", "bvec2(true)"),
    ("ivec3", "ivec3(2)"),
    ("mat2", "mat2(1.0)"),
    ("mat3", "mat3(1.0)"),
];

/// Statements that no version takes. `Z` is a name that nothing else has, and so are names that begin with it.
const STATEMENTS: [&str; 66] = [
    // Names.
    "float Z = ZY + 1.0;",
    "ZY = 1.0;",
    "float Z = ZY(1.0);",
    "ZY Z;",
    "{ float Z = 1.0; } float ZZ = Z;",
    "float Z = 1.0; float Z = 2.0;",
    "float Z = 1.0; int Z = 2;",
    "float Z = Z;",
    "float Z = 1.0; Z(1.0);",
    "float gl_Z = 1.0;",
    "float goto = 1.0;",
    "float4 Z = float4(1.0);",
    // Assignments.
    "const float Z = 1.0; Z = 2.0;",
    "const float Z;",
    "float Z = 1.0; Z + 1.0 = 2.0;",
    "1.0 = 2.0;",
    "vec3 Z = vec3(1.0); Z.xx = vec2(1.0);",
    "const vec2 Z = vec2(1.0); Z.x = 2.0;",
    "const int Z = 1; Z++;",
    "float Z = 1.0; (Z + 1.0)++;",
    "gl_FragCoord = vec4(1.0);",
    "gl_FragCoord.x = 1.0;",
    "bool Z = true; Z += true;",
    // Operands.
    "bool Z = !1.0;",
    "bool Z = -true;",
    "float Z = 1.0 % 2.0;",
    "bool Z = true && 1.0;",
    "bool Z = 1 || 2;",
    "bool Z = true; ++Z;",
    "bool Z = vec2(1.0) < vec2(2.0);",
    "bool Z = true < false;",
    "float Z = true ? 1.0 : vec2(1.0);",
    "float Z = 1.0 ? 1.0 : 2.0;",
    "vec2 Z = mat2(1.0) * vec3(1.0);",
    "mat3 Z = mat3(1.0) + mat2(1.0);",
    "bool Z = vec2(1.0) == vec3(1.0);",
    // Parts.
    "float Z = vec2(1.0).z;",
    "vec2 Z = vec3(1.0).xg;",
    "float Z = mat2(1.0).x;",
    "float Z = vec2(1.0)[1.0];",
    "float Z = vec2(1.0)[2];",
    "float Z = vec2(1.0)[-1];",
    "float Z = 1.0; float ZZ = Z[0];",
    "struct Z { float a; }; Z ZZ; ZZ.b = 1.0;",
    "float Z[3]; Z[3] = 1.0;",
    "float Z[0];",
    "float Z[-1];",
    // Calls and constructors.
    "float Z = sin();",
    "float Z = sin(1.0, 2.0);",
    "float Z = clamp(1.0, 2.0);",
    "float Z = sin(true);",
    "float Z = dot(vec2(1.0), vec3(1.0));",
    "vec3 Z = cross(vec2(1.0), vec2(1.0));",
    "vec3 Z = vec3(1.0, 2.0);",
    "vec2 Z = vec2(1.0, 2.0, 3.0);",
    "mat2 Z = mat2(1.0, 2.0);",
    "vec2 Z = vec2();",
    "float Z = saturate(0.5);",
    // Statements.
    "if (1.0) { }",
    "while (1) { }",
    "for (int Z = 0; Z; Z++) { }",
    "do { } while (vec2(1.0));",
    "sampler2D Z;",
    "void Z;",
    "uniform float Z;",
    "; else { }",
];

/// Declarations outside functions that no version takes.
const GLOBALS: [&str; 14] = [
    "float Z() { return true; }",
    "float Z() { return vec2(1.0); }",
    "float Z() { return; }",
    "void Z() { return 1.0; }",
    "float Z(float a) { return Z(a); }",
    "float Z() { return 1.0; } float Z() { return 2.0; }",
    "float Z(float a, float a) { return a; }",
    "float Z() { break; return 1.0; }",
    "float Z() { continue; return 1.0; }",
    "float Z(const float a) { a = 1.0; return a; }",
    "struct Z { float a; float a; };",
    "uniform float Z = ;",
    "uniform float Z; float Z;",
    "Z = 1.0;",
];

/// Two types that differ, without a conversion from the second to the first in any version.
fn unlike(random: &mut Random) -> [(&'static str, &'static str); 2] {
    loop {
        let [a, b] = [random.pick(&TYPES), random.pick(&TYPES)];
        let converts = matches!((a.0, b.0), ("float", "int") | ("vec3", "ivec3"));
        if a.0 != b.0 && !converts {
            return [a, b];
        }
    }
}

/// A wrong statement. `globals`: names that cannot be written.
fn statement(random: &mut Random, globals: &[&str]) -> String {
    match random.below(10) {
        0 => {
            let [(ty, _), (_, value)] = unlike(random);
            format!("{ty} Z = {value};")
        }
        1 => {
            let [(ty, own), (_, value)] = unlike(random);
            format!("{ty} Z = {own}; Z = {value};")
        }
        2 => {
            let [(ty, own), (_, value)] = unlike(random);
            format!("bool Z = {own} == {value}; {ty} ZZ = {value};")
        }
        3 if !globals.is_empty() => {
            let name = random.pick(globals);
            format!("{name} = {name};")
        }
        _ => random.pick(&STATEMENTS).to_string(),
    }
}

/// The generated shader of a seed and an index, with one to four mistakes.
pub fn mistaken(seed: u64, index: u64) -> Mistaken {
    let text = generate(seed, index);
    let mut random = Random::new(&[seed, index, 0x6d69_7374]);
    let mut lines: Vec<(String, Option<String>)> =
        text.lines().map(|line| (line.to_string(), None)).collect();
    let last = |line: &str| line.trim_end_matches(';').rsplit(' ').next().map(str::to_string);
    let globals: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("uniform ") || line.starts_with("varying "))
        .filter_map(last)
        .map(|name| name.split('[').next().unwrap_or_default().to_string())
        .collect();
    let globals: Vec<&str> = globals.iter().map(String::as_str).collect();
    // A token that is missing hides what comes after.
    if random.chance(20) {
        let ends = |line: &str| line.ends_with(';') && line.starts_with(' ');
        let statements: Vec<usize> = (0..lines.len()).filter(|n| ends(&lines[*n].0)).collect();
        let n = random.pick(&statements);
        let mut source = lines;
        source[n].0.pop();
        let source: Vec<String> = source.into_iter().map(|(line, _)| line).collect();
        let line = n as u32 + 1;
        let wrong = vec![(line, line + 1, "a semicolon is missing".to_string())];
        return Mistaken { source: source.join("\n") + "\n", wrong };
    }
    let mut planted = Vec::new();
    for n in 0..random.range(1, 4) {
        let (at, text) = if random.chance(75) {
            // The first line of a block in which statements stand.
            let opens = |line: &str| line.ends_with('{') && !line.contains("switch");
            let blocks: Vec<usize> = (0..lines.len()).filter(|n| opens(&lines[*n].0)).collect();
            (random.pick(&blocks) + 1, statement(&mut random, &globals))
        } else {
            (0, random.pick(&GLOBALS).to_string())
        };
        // A name that a mistake has in common with another is one mistake.
        if planted.contains(&text) {
            continue;
        }
        planted.push(text.clone());
        let text = text.replace("ZZ", &format!("wrong{n}b")).replace('Z', &format!("wrong{n}a"));
        lines.insert(at, (text.clone(), Some(text)));
    }
    let mut wrong = Vec::new();
    for (n, (_, what)) in (1..).zip(&lines) {
        wrong.extend(what.clone().map(|what| (n, n, what)));
    }
    let source: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
    Mistaken { source: source.join("\n") + "\n", wrong }
}
