//! GLSL of all versions as the GLSL that naga reads.
//!
//! The tokens are rewritten after the preprocessor; each keeps its place in the source. The shader's interface
//! (uniforms, varyings, outputs, built-in variables) becomes global variables: the compiler knows their names,
//! so they need no layout and may have any type. A sampler becomes a structure of a number, and the
//! functions on samplers become functions that the compiler knows by their names.

mod arrays;
mod declarations;
pub mod guard;
mod logic;
mod loops;
mod once;
mod parameters;
mod rewritten;
mod scopes;
mod words;

pub use rewritten::{Declared, Rewritten, Storage};
pub use words::PREFIX;

use crate::lexer::{Kind, Token};
use crate::preprocess::preprocess;
use ctm_base::text::{Parsed, Span};
use std::collections::HashSet;
use words::{BUILTINS, FUNCTIONS, NOT_CONSTANT, OVERRIDABLE, QUALIFIERS, RESERVED, TOY, listed};

/// Rewrites a source.
pub fn rewrite(source: &str) -> Parsed<Rewritten> {
    let preprocessed = preprocess(source)?;
    guard::tokens(&preprocessed.tokens)?;
    guard::brackets(&preprocessed.tokens)?;
    guard::structures(&preprocessed.tokens)?;
    let tokens = once::rewrite(scopes::rewrite(preprocessed.tokens))?;
    let tokens = declarations::rewrite(logic::rewrite(loops::rewrite(tokens)?));
    let tokens = parameters::rewrite(arrays::rewrite(tokens)?);
    // Rewriting makes brackets.
    guard::tokens(&tokens)?;
    let functions = functions(&tokens);
    if !functions.contains("main") && !functions.contains("mainImage") {
        let error =
            Span::new(source.len(), source.len()).error("the shader has no function `main`");
        return Err(error.help("a shader of Shadertoy has `mainImage` instead"));
    }
    let mut this = Rewriter {
        tokens: &tokens,
        at: 0,
        out: Rewritten::default(),
        functions,
        used: HashSet::new(),
        starts: Vec::new(),
    };
    while this.at < tokens.len() {
        this.global()?;
    }
    Ok(this.finish())
}

/// The names of the functions that a source defines or declares.
fn functions(tokens: &[Token<'_>]) -> HashSet<String> {
    let mut depth = 0usize;
    let mut found = HashSet::new();
    for (n, token) in tokens.iter().enumerate() {
        match &*token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {
                let before = n.checked_sub(1).map(|n| &tokens[n]);
                if depth == 0
                    && token.kind == Kind::Word
                    && tokens.get(n + 1).is_some_and(|next| next.is("("))
                    && before.is_some_and(|before| before.kind == Kind::Word || before.is("]"))
                {
                    found.insert(token.text.to_string());
                }
            }
        }
    }
    found
}

struct Rewriter<'t, 's> {
    tokens: &'t [Token<'s>],
    at: usize,
    out: Rewritten,
    functions: HashSet<String>,
    /// The names of built-in variables and functions in use.
    used: HashSet<&'static str>,
    /// Global variables with the values that `main` sets: the text, and where its tokens come from.
    starts: Vec<Start>,
}

/// A global variable, the text of its value, and where the tokens of that come from.
type Start = (String, String, Vec<(usize, Span)>);

/// The depth of brackets after a token.
fn nesting(depth: usize, token: &Token<'_>) -> usize {
    match &*token.text {
        "(" | "[" | "{" => depth + 1,
        ")" | "]" | "}" => depth.saturating_sub(1),
        _ => depth,
    }
}

impl<'t, 's> Rewriter<'t, 's> {
    fn peek(&self, ahead: usize) -> Option<&'t Token<'s>> {
        self.tokens.get(self.at + ahead)
    }

    fn next_is(&self, text: &str) -> bool {
        self.peek(0).is_some_and(|token| token.is(text))
    }

    /// The index after the bracket that closes the one at `open`.
    fn closed(&self, open: usize) -> usize {
        let mut depth = 0;
        for (n, token) in self.tokens.iter().enumerate().skip(open) {
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return n + 1;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// A declaration or a function.
    fn global(&mut self) -> Parsed<()> {
        let mut storage = None;
        let mut location = None;
        let start = self.at;
        while let Some(token) = self.peek(0) {
            match &*token.text {
                "layout" => {
                    let end = self.closed(self.at + 1);
                    let inside = &self.tokens[self.at..end];
                    let at = inside.iter().position(|token| token.is("location"));
                    location = location.or_else(|| inside.get(at? + 2)?.text.parse().ok());
                    self.at = end;
                    continue;
                }
                "uniform" => storage = Some(Storage::Uniform),
                "varying" | "in" | "attribute" => storage = Some(Storage::Varying),
                "out" => storage = Some(Storage::Output(location)),
                "precision" => {
                    self.skip_statement();
                    return Ok(());
                }
                ";" => {}
                word if QUALIFIERS.contains(&word) => {}
                "sample" if storage.is_some() || self.peek(1).is_some_and(|next| next.is("in")) => {
                }
                _ => break,
            }
            self.at += 1;
        }
        let qualified = self.at > start;
        let Some(token) = self.peek(0) else { return Ok(()) };
        match storage {
            _ if token.text.starts_with("gl_") && qualified => {
                self.skip_statement();
                Ok(())
            }
            None if self.initializes() => {
                // A constant, too, whose value naga cannot know.
                while self
                    .peek(0)
                    .is_some_and(|token| token.is("const") || QUALIFIERS.contains(&&*token.text))
                {
                    self.at += 1;
                }
                self.variables()
            }
            None => self.plain(),
            Some(storage) => self.border(storage),
        }
    }

    fn skip_statement(&mut self) {
        while let Some(token) = self.peek(0) {
            self.at += 1;
            if token.is(";") {
                break;
            }
        }
    }

    /// Whether the statement initialises global variables when the shader starts.
    fn initializes(&self) -> bool {
        let rest = &self.tokens[self.at..];
        let decides = rest.iter().find(|token| matches!(&*token.text, "(" | "{" | "=" | ";"));
        let list = rest.windows(2).find(|two| two[0].is("=")).is_some_and(|two| two[1].is("{"));
        decides.is_some_and(|token| token.is("="))
            && !list
            && (!rest[0].is("const") || self.computes(rest))
    }

    /// Whether these tokens begin with values of constants that naga's front end cannot compute: elements, choices, and
    /// results of such constants and functions. It takes the index of an element for another expression.
    fn computes(&self, rest: &[Token<'_>]) -> bool {
        let (mut depth, mut value) = (0usize, false);
        for (n, token) in rest.iter().enumerate() {
            depth = nesting(depth, token);
            let called = rest.get(n + 1).is_some_and(|next| next.is("("));
            let word = &*token.text;
            match word {
                ";" => break,
                "=" if depth == 0 => value = true,
                "," if depth == 0 => value = false,
                _ if !value => {}
                "?" => return true,
                // The brackets of a type precede its values: `float[2](a, b)`.
                "[" => {
                    let after = rest.get(self.closed(self.at + n) - self.at);
                    if !after.is_some_and(|after| after.is("(") || after.is("[")) {
                        return true;
                    }
                }
                _ if called => {
                    if NOT_CONSTANT.contains(&word)
                        || self.functions.contains(word)
                        || FUNCTIONS.iter().any(|(names, ..)| names.contains(&word))
                    {
                        return true;
                    }
                }
                _ => {
                    let known = self.renamed(self.at + n);
                    if self.starts.iter().any(|(name, ..)| *name == known) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Global variables with values, which naga takes only where they are constant: `main` sets them.
    fn variables(&mut self) -> Parsed<()> {
        self.token()?;
        let (mut depth, mut name) = (0usize, None);
        while let Some(token) = self.peek(0) {
            depth = nesting(depth, token);
            if depth == 0 && token.is("=") {
                self.at += 1;
                self.start(name.clone().unwrap_or_default())?;
                continue;
            }
            if depth == 0 && token.kind == Kind::Word && name.is_none() {
                name = Some(self.renamed(self.at));
            }
            self.token()?;
            match &*token.text {
                "," if depth == 0 => name = None,
                ";" => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// The value of a global variable goes to `main`, with its place in the source.
    fn start(&mut self, name: String) -> Parsed<()> {
        let (text, map) = (self.out.text.len(), self.out.map.len());
        let mut depth = 0usize;
        while let Some(token) = self.peek(0) {
            depth = nesting(depth, token);
            if depth == 0 && matches!(&*token.text, "," | ";") {
                break;
            }
            self.token()?;
        }
        let value = self.out.text.split_off(text);
        let map = self.out.map.split_off(map).into_iter();
        self.starts.push((name, value, map.map(|(at, span)| (at - text, span)).collect()));
        Ok(())
    }

    /// A statement that declares no interface variable.
    fn plain(&mut self) -> Parsed<()> {
        let (mut depth, mut function) = (0usize, false);
        while let Some(token) = self.peek(0) {
            match &*token.text {
                "(" if depth == 0 => function = true,
                "=" if depth == 0 => function = false,
                _ => {}
            }
            match &*token.text {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let ends = depth == 0 && (token.is(";") || token.is("}") && function);
            self.token()?;
            if ends {
                break;
            }
        }
        Ok(())
    }

    /// A declaration of the interface, after its qualifiers.
    fn border(&mut self, storage: Storage) -> Parsed<()> {
        let Some(first) = self.peek(0) else { return Ok(()) };
        if self.peek(1).is_some_and(|next| next.is("{")) {
            return self.block(storage, first);
        }
        if self.next_is("struct") {
            let open = self.tokens.iter().skip(self.at).position(|token| token.is("{"));
            let end = open.map_or(self.tokens.len(), |open| self.closed(self.at + open));
            while self.at < end {
                self.token()?;
            }
        } else {
            self.token()?;
        }
        self.declarators(storage)
    }

    /// The names of a declaration, up to its semicolon.
    fn declarators(&mut self, storage: Storage) -> Parsed<()> {
        let (mut depth, mut expects) = (0usize, true);
        while let Some(token) = self.peek(0) {
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                "," if depth == 0 => expects = true,
                "=" if depth == 0 => expects = false,
                _ => {}
            }
            if depth == 0 && expects && token.kind == Kind::Word {
                expects = false;
                let name = self.renamed(self.at);
                self.out.push(&name, token.span);
                let declared = Declared { name: token.text.to_string(), storage, span: token.span };
                self.out.declared.insert(name, declared);
                self.at += 1;
                continue;
            }
            let end = depth == 0 && token.is(";");
            self.token()?;
            if end {
                break;
            }
        }
        Ok(())
    }

    /// An interface block.
    fn block(&mut self, storage: Storage, name: &Token<'s>) -> Parsed<()> {
        let end = self.closed(self.at + 1);
        let instance = self.tokens.get(end).filter(|token| token.kind == Kind::Word);
        self.at += 2;
        if instance.is_some() {
            self.out.push("struct", name.span);
            self.out.push(&name.text, name.span);
            self.out.push("{", name.span);
        }
        while self.at + 1 < end {
            match self.peek(0) {
                Some(token) if token.is("layout") => self.at = self.closed(self.at + 1),
                Some(token) if QUALIFIERS.contains(&&*token.text) => self.at += 1,
                Some(_) if instance.is_none() => {
                    self.token()?;
                    self.declarators(storage)?;
                }
                _ => self.token()?,
            }
        }
        self.at = end;
        if instance.is_some() {
            self.out.push("}", name.span);
            self.out.push(";", name.span);
            self.out.push(&name.text, name.span);
            return self.declarators(storage);
        }
        self.skip_statement();
        Ok(())
    }

    /// The name of the word at an index in the rewritten text.
    fn renamed(&self, n: usize) -> String {
        let word = &*self.tokens[n].text;
        let called = self.tokens.get(n + 1).is_some_and(|next| next.is("("));
        let member = n > 0 && self.tokens[n - 1].is(".");
        let own = self.functions.contains(word) && listed(OVERRIDABLE, word) && called;
        if !member && (listed(RESERVED, word) || own)
            || word.starts_with(PREFIX)
            || word.contains("__")
        {
            format!("{}_r", word.replace("__", "_u_"))
        } else if member && listed(RESERVED, word) {
            format!("{word}_r")
        } else {
            word.to_string()
        }
    }

    /// Rewrites a token.
    fn token(&mut self) -> Parsed<()> {
        let token = &self.tokens[self.at];
        let span = token.span;
        self.at += 1;
        if token.kind == Kind::Number {
            let text = &*token.text;
            let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
            let digits = if hexadecimal { text } else { text.trim_end_matches(['f', 'F', 'l']) };
            let float =
                digits.contains(['.', 'e', 'E']) && !hexadecimal || digits.len() < text.len();
            let text = match digits.parse::<f32>() {
                Ok(value) if float => format!("{value:?}"),
                _ => digits.to_string(),
            };
            self.out.push(&text, span);
            return Ok(());
        }
        if token.kind == Kind::Sign {
            self.out.push(&token.text, span);
            // `float[](a, b)`: the number of elements is known.
            if token.is("[")
                && self.next_is("]")
                && let Some(count) = self.count()
            {
                self.out.push(&count.to_string(), span);
            }
            return Ok(());
        }
        let word = &*token.text;
        let called = self.next_is("(");
        if called && !self.functions.contains(word) {
            let known = FUNCTIONS.iter().find(|(names, ..)| names.contains(&word));
            if let Some((_, name, _)) = known {
                self.used.insert(name);
                self.out.push(name, span);
                return Ok(());
            }
            if word.starts_with("texture") || word.starts_with("shadow") {
                return Err(span.error(format!("the function `{word}` is not available")));
            }
        }
        if let Some((name, ..)) = BUILTINS.iter().find(|(name, ..)| *name == word) {
            self.used.insert(name);
            self.out.push(&format!("{PREFIX}{}", &name[3..]), span);
            return Ok(());
        }
        match word {
            "sampler2D" => self.out.push("ctm_sampler2D", span),
            "sampler2DRect" => self.out.push("ctm_sampler2DRect", span),
            "gl_MaxDrawBuffers" => self.out.push("4", span),
            "gl_MaxTextureCoords" | "gl_MaxTextureUnits" | "gl_MaxTextureImageUnits" => {
                self.out.push("8", span)
            }
            "samplerCube" | "sampler3D" | "sampler1D" | "sampler2DShadow" | "sampler2DArray"
            | "isampler2D" | "usampler2D" | "samplerBuffer" | "sampler2DMS"
            | "samplerCubeShadow" | "sampler1DShadow" => {
                let error = span.error(format!("inputs of type {word} are not possible"));
                return Err(
                    error.help("the machine fetches from two-dimensional inputs: sampler2D")
                );
            }
            "double" | "dvec2" | "dvec3" | "dvec4" => {
                return Err(span.error(format!("the machine has no {word}")).help("use float"));
            }
            "gl_FragDepth" | "gl_FragDepthEXT" => {
                let error = span.error("the shader cannot write the depth");
                return Err(error.help("write the value to an output"));
            }
            word if word.starts_with("gl_") => {
                return Err(span.error(format!("the built-in `{word}` is not available")));
            }
            "precision" if self.peek(1).is_some_and(|next| next.kind == Kind::Word) => {
                self.skip_statement()
            }
            "highp" | "mediump" | "lowp" | "invariant" => {}
            "precise" if self.peek(0).is_some_and(|next| next.kind == Kind::Word) => {}
            // A parameter may be `const in`.
            "const" if self.at > 1 && matches!(&*self.tokens[self.at - 2].text, "(" | ",") => {}
            // The real `main` comes last, and calls it.
            "main" if called => self.out.push("ctm_main", span),
            _ => {
                let name = self.renamed(self.at - 1);
                self.out.push(&name, span);
            }
        }
        Ok(())
    }

    /// The number of elements of the array whose empty bracket comes next.
    fn count(&self) -> Option<usize> {
        let mut open = self.at + 1;
        if self.tokens.get(open)?.is("=") {
            // `float a[] = float[](a, b)`
            open += (self.tokens[open..].iter().take(8))
                .position(|token| token.is("(") || token.is("{"))?;
        } else if self.tokens.get(open)?.kind == Kind::Word {
            // `float[] a = float[](a, b)`
            let equal = self.tokens[open..].iter().take(3).position(|token| token.is("="))?;
            open += equal;
            open += (self.tokens[open..].iter().take(8))
                .position(|token| token.is("(") || token.is("{"))?;
        } else if !self.tokens.get(open)?.is("(") {
            return None;
        }
        let end = self.closed(open);
        let (mut depth, mut count) = (0, 1);
        for token in &self.tokens[open..end] {
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => count += 1,
                _ => {}
            }
        }
        Some(count)
    }

    /// Puts the declarations that the text needs before it.
    fn finish(mut self) -> Rewritten {
        let mut head = String::from("#version 450\n");
        let names: HashSet<&str> = self.tokens.iter().map(|token| &*token.text).collect();
        let toy = self.functions.contains("mainImage") && !self.functions.contains("main");
        let samplers = names.iter().any(|name| name.starts_with("sampler2D")) || toy;
        if samplers {
            head.push_str(
                "struct ctm_sampler2D { int unit; }; struct ctm_sampler2DRect { int rectangle; }; ",
            );
        }
        for (_, name, text) in FUNCTIONS.iter().filter(|(_, name, _)| self.used.contains(name)) {
            debug_assert!(text.contains(name));
            if !samplers && (text.contains("(S s") || text.contains("(R s")) {
                continue;
            }
            head.push_str(
                &text.replace("(S s", "(ctm_sampler2D s").replace("(R s", "(ctm_sampler2DRect s"),
            );
        }
        if toy {
            self.used.extend(["gl_FragColor", "gl_FragCoord"]);
            for (name, kind, array) in TOY {
                // One that is not used can be given all the same.
                let wanted = array.is_empty() || names.contains(name);
                if wanted && !self.out.declared.contains_key(name) {
                    head.push_str(&format!("{kind} {name}{array}; "));
                    let declared = Declared {
                        name: name.to_string(),
                        storage: Storage::Uniform,
                        span: Span::default(),
                    };
                    self.out.declared.insert(name.to_string(), declared);
                }
            }
        }
        self.out.push("void main() {", Span::default());
        for (name, text, pieces) in std::mem::take(&mut self.starts) {
            let first = pieces.first().map_or(Span::default(), |(_, span)| *span);
            self.out.push(&format!("{name} ="), first);
            let offset = self.out.text.len();
            self.out.map.extend(pieces.into_iter().map(|(at, span)| (at + offset, span)));
            self.out.text.push_str(&text);
            self.out.push(";", Span::default());
        }
        let call = if toy {
            "vec4 ctm_color = vec4(0.0); mainImage(ctm_color, ctm_FragCoord.xy); ctm_FragColor = ctm_color; }"
        } else {
            "ctm_main(); }"
        };
        self.out.push(call, Span::default());
        for (name, kind, array, storage) in
            BUILTINS.iter().filter(|(name, ..)| self.used.contains(name))
        {
            let own = format!("{PREFIX}{}", &name[3..]);
            head.push_str(&format!("{kind} {own}{array}; "));
            let declared =
                Declared { name: name.to_string(), storage: *storage, span: Span::default() };
            self.out.declared.insert(own, declared);
        }
        head.push('\n');
        for (at, _) in &mut self.out.map {
            *at += head.len();
        }
        self.out.map.insert(0, (0, Span::default()));
        self.out.functions = self.functions;
        self.out.text.insert_str(0, &head);
        self.out
    }
}
