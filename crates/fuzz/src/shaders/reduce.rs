//! A shorter source that still shows a finding. It knows lines, brackets and commas, and nothing else of GLSL: what is no
//! shader any more shows nothing, and is not kept.

/// Leaves out lines, and replaces expressions by their parts or by numbers, as long as the source still `shows`. Tries at
/// most `tries` sources.
pub fn reduce(source: &str, shows: &mut dyn FnMut(&str) -> bool, tries: u32) -> String {
    let mut reducer = Reducer { best: source.to_string(), shows, left: tries };
    loop {
        let before = reducer.best.len();
        reducer.lines();
        reducer.expressions();
        if reducer.left == 0 || reducer.best.len() >= before {
            return reducer.best;
        }
    }
}

struct Reducer<'a> {
    best: String,
    shows: &'a mut dyn FnMut(&str) -> bool,
    left: u32,
}

impl Reducer<'_> {
    fn offer(&mut self, source: String) -> bool {
        if self.left == 0 || source == self.best {
            return false;
        }
        self.left -= 1;
        let better = (self.shows)(&source);
        if better {
            self.best = source;
        }
        better
    }

    /// Leaves out runs of lines with whole blocks, and blocks' first and last lines.
    fn lines(&mut self) {
        let mut size = self.best.lines().count().max(1);
        while size > 0 {
            let mut at = 0;
            while at < self.best.lines().count() {
                let lines: Vec<&str> = self.best.lines().collect();
                let end = (at + size).min(lines.len());
                let kept = || lines[..at].iter().chain(&lines[end..]);
                let text = kept().map(|line| format!("{line}\n")).collect();
                let whole = depths(&lines[at..end].concat()).is_some_and(|depth| depth == 0);
                if !(whole && self.offer(text)) {
                    at += size.div_ceil(2);
                }
            }
            size /= 2;
        }
        let mut at = 0;
        while at < self.best.lines().count() {
            let lines: Vec<&str> = self.best.lines().collect();
            let close = (at + 1..lines.len())
                .find(|end| depths(&lines[at..=*end].concat()) == Some(0))
                .filter(|_| lines[at].ends_with('{'));
            if let Some(close) = close {
                let kept = lines.iter().enumerate().filter(|(n, _)| *n != at && *n != close);
                let text = kept.map(|(_, line)| format!("{line}\n")).collect();
                if self.offer(text) {
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Replaces each bracket, with the name before it, by one of its parts or by a number.
    fn expressions(&mut self) {
        let mut at = 0;
        while at < self.best.len() {
            let Some((start, end)) = bracket(&self.best, at) else {
                at += 1;
                continue;
            };
            let inside = parts(&self.best[at + 1..end - 1]);
            let whole = start..end;
            let numbers = [
                "1.0".to_string(),
                "1".to_string(),
                "true".to_string(),
                "vec2(1.0)".to_string(),
                "vec3(1.0)".to_string(),
                "vec4(1.0)".to_string(),
            ];
            let replaced = inside.into_iter().chain(numbers).any(|part| {
                let shorter = part.len() < whole.len();
                let text =
                    format!("{}{part}{}", &self.best[..whole.start], &self.best[whole.end..]);
                shorter && self.offer(text)
            });
            at = if replaced { start } else { at + 1 };
        }
    }
}

/// The depth of braces after a text; `None` if one closes that is not open.
fn depths(text: &str) -> Option<i32> {
    text.chars().try_fold(0, |depth, letter| match letter {
        '{' => Some(depth + 1),
        '}' => (depth > 0).then_some(depth - 1),
        _ => Some(depth),
    })
}

/// The bracket that opens at an offset: where the name before it starts, and its end.
fn bracket(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if bytes[at] != b'(' {
        return None;
    }
    let mut depth = 0;
    let length = bytes[at..].iter().position(|byte| {
        depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
        depth == 0
    })?;
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = at - bytes[..at].iter().rev().take_while(|byte| name(byte)).count();
    Some((start, at + length + 1))
}

/// The parts of a text between commas and operators with spaces around them, outside brackets.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for word in text.split_inclusive([' ', ',', '(', ')']) {
        let last = parts.len() - 1;
        let own = word.trim_end();
        let operator = [
            "+", "-", "*", "/", "%", "&", "&&", "||", "^^", "<", ">", "<=", ">=", "==", "!=", "?",
            ":", "<<", ">>",
        ]
        .contains(&own);
        if depth == 0 && operator {
            parts.push(String::new());
            continue;
        }
        depth += word.matches('(').count() as i32 - word.matches(')').count() as i32;
        match word.strip_suffix(',').filter(|_| depth == 0) {
            Some(word) => {
                parts[last].push_str(word);
                parts.push(String::new());
            }
            None => parts[last].push_str(word),
        }
    }
    let trimmed = parts.into_iter().map(|part| part.trim().to_string());
    trimmed.filter(|part| !part.is_empty()).collect()
}
