//! Sources with changed bytes and tokens.

use ctm_base::random::Random;

/// Words and signs that change what a source means.
const TOKENS: [&str; 48] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<",
    ">",
    "!",
    "&&",
    "||",
    "?",
    ":",
    "#define",
    "#if",
    "#endif",
    "\n",
    "0",
    "1.0",
    "1e38",
    "-1",
    "4294967295",
    "float",
    "vec4",
    "mat3",
    "int",
    "bool",
    "sampler2D",
    "uniform",
    "varying",
    "const",
    "struct",
    "return",
    "break",
    "discard",
    "for",
    "if",
    "main",
    "true",
];

/// A source with one to six changes. Some come from other sources.
pub fn mutate(sources: &[&str], n: usize, seed: u64, index: u64) -> String {
    let mut random = Random::new(&[seed, index, 0x6d75_7461]);
    let mut text = sources[n].to_string();
    for _ in 0..random.range(1, 6) {
        text = match random.weighted(&[30, 60, 10]) {
            0 => bytes(&text, &mut random),
            1 => tokens(&text, &mut random),
            _ => {
                let other = tokens_of(sources[random.below(sources.len() as u32) as usize]);
                let part = piece(&other, &mut random, 30).concat();
                let mut own = tokens_of(&text);
                let at = random.below(own.len() as u32 + 1) as usize;
                own.insert(at, &part);
                own.concat()
            }
        };
    }
    text
}

fn bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = random.below(bytes.len() as u32) as usize;
    match random.below(4) {
        _ if bytes.is_empty() => bytes.push(b' '),
        0 => bytes[at] = random.bits() as u8,
        1 => bytes.insert(at, random.range(32, 126) as u8),
        2 => drop(bytes.remove(at)),
        _ => bytes.truncate(at),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tokens(text: &str, random: &mut Random) -> String {
    let mut own = tokens_of(text);
    if own.is_empty() {
        return text.to_string();
    }
    let at = random.below(own.len() as u32) as usize;
    let other = random.below(own.len() as u32) as usize;
    match random.below(6) {
        0 => drop(own.remove(at)),
        1 => own.insert(at, random.pick(&TOKENS)),
        2 => own[at] = random.pick(&TOKENS),
        3 => own.swap(at, other),
        4 => own[at] = own[other],
        _ => {
            let part: Vec<&str> = piece(&own, random, 20).to_vec();
            for _ in 0..random.range(1, 3) {
                own.splice(at..at, part.iter().copied());
            }
        }
    }
    own.concat()
}

fn piece<'a, 't>(tokens: &'a [&'t str], random: &mut Random, most: u32) -> &'a [&'t str] {
    let start = random.below(tokens.len() as u32) as usize;
    let end = (start + random.range(1, most) as usize).min(tokens.len());
    &tokens[start..end]
}

/// Words, single signs, and the space between them.
fn tokens_of(text: &str) -> Vec<&str> {
    let word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if word(first) {
            rest.find(|letter| !word(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}
