//! Types, qualifiers, variables and members.

use super::{Failed, Parser, Read};
use crate::ast::{Declaration, Declarator, Dimension, Expression, ExpressionKind, Member, Name};
use crate::ast::{
    Precision, QualifiedType, Qualifier, QualifierKind, TypeBase, TypeSpecifier, Variables,
};
use crate::lexer::{Kind, Token};
use crate::words::{self, Word};
use ctm_base::text::Span;

/// The qualifier of one word.
fn qualifier(word: &str) -> Option<QualifierKind> {
    Some(match word {
        "const" => QualifierKind::Const,
        "attribute" => QualifierKind::Attribute,
        "varying" => QualifierKind::Varying,
        "uniform" => QualifierKind::Uniform,
        "in" => QualifierKind::In,
        "out" => QualifierKind::Out,
        "inout" => QualifierKind::InOut,
        "centroid" => QualifierKind::Centroid,
        "sample" => QualifierKind::Sample,
        "flat" => QualifierKind::Flat,
        "smooth" => QualifierKind::Smooth,
        "noperspective" => QualifierKind::NoPerspective,
        "invariant" => QualifierKind::Invariant,
        "precise" => QualifierKind::Precise,
        "lowp" => QualifierKind::Precision(Precision::Low),
        "mediump" => QualifierKind::Precision(Precision::Medium),
        "highp" => QualifierKind::Precision(Precision::High),
        _ => return None,
    })
}

/// Extensions that bring words.
const EXTENSIONS: [(&str, &[&str]); 4] = [
    (
        "layout",
        &[
            "GL_ARB_explicit_attrib_location",
            "GL_ARB_explicit_uniform_location",
            "GL_ARB_uniform_buffer_object",
            "GL_ARB_fragment_coord_conventions",
            "GL_ARB_shading_language_420pack",
            "GL_ARB_conservative_depth",
            "GL_AMD_conservative_depth",
            "GL_ARB_separate_shader_objects",
        ],
    ),
    ("flat", &["GL_EXT_gpu_shader4"]),
    ("noperspective", &["GL_EXT_gpu_shader4", "GL_NV_shader_noperspective_interpolation"]),
    ("precise", &["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"]),
];

/// The beginnings of declarations.
pub enum Begun {
    /// All of a declaration.
    Whole(Declaration),
    /// The type of variables or of a function.
    Type(QualifiedType),
}

impl Parser<'_, '_> {
    /// Whether the next token is a qualifier. Words of other versions are names unless a keyword is all that fits.
    pub fn qualifier_here(&self, token: &Token<'_>) -> bool {
        if qualifier(&token.text).is_none() && !token.is("layout") {
            return false;
        }
        if self.meaning(token) == Word::Keyword {
            return true;
        }
        let next = self.ahead(1);
        match &*token.text {
            "layout" => next.is_some_and(|next| next.is("(")),
            "invariant" => self.word_ahead(1),
            // `flat varying vec3 v` and `flat vec3 v`; `flat v;` declares a `v` of a type of the source.
            _ => {
                self.word_ahead(1)
                    && (self.word_ahead(2)
                        || next.is_some_and(|next| self.meaning(next) != Word::Name))
            }
        }
    }

    /// A keyword of another version.
    #[inline(never)]
    pub fn foreign(&mut self, word: &str, span: Span) {
        let brought = EXTENSIONS
            .iter()
            .any(|(of, names)| *of == word && names.iter().any(|name| self.extensions.has(name)));
        if brought || words::word(word, self.version) == Word::Keyword {
            return;
        }
        let since = words::since(word).unwrap_or_default();
        let error =
            span.error(format!("`{word}` is a keyword of {since}, not of {}", self.version));
        self.found.version(self.version, error);
    }

    /// The qualifiers before a type.
    pub fn qualifiers(&mut self) -> Read<Vec<Qualifier>> {
        let mut qualifiers = Vec::new();
        while let Some(token) = self.peek() {
            if !self.qualifier_here(token) {
                break;
            }
            self.foreign(&token.text, token.span);
            self.at += 1;
            let kind = match qualifier(&token.text) {
                Some(kind) => kind,
                None => self.layout()?,
            };
            qualifiers.push(Qualifier { span: token.span.to(self.before()), kind });
        }
        Ok(qualifiers)
    }

    /// A layout from its bracket on.
    fn layout(&mut self) -> Read<QualifierKind> {
        self.expect("(", "`layout`")?;
        let mut parts = Vec::new();
        loop {
            // Any word may stand here, `shared` and `packed`, too.
            let Some(token) = self.peek().filter(|_| self.word_ahead(0)) else {
                return self.unexpected("the name of a layout");
            };
            self.at += 1;
            // On the desktop their case does not matter.
            let mut text = token.text.to_string();
            if !self.version.es {
                text.make_ascii_lowercase();
            }
            let name = Name { text, span: token.span };
            let value = match self.take("=") {
                Some(_) => Some(self.deeper(Self::conditional)?),
                None => None,
            };
            parts.push((name, value));
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect(")", "the parts of a layout")?;
        Ok(QualifierKind::Layout(parts))
    }

    /// Qualifiers and type.
    pub fn qualified_type(&mut self) -> Read<QualifiedType> {
        let qualifiers = self.qualifiers()?;
        Ok(QualifiedType { qualifiers, ty: self.type_specifier()? })
    }

    /// A type with its dimensions.
    #[inline(never)]
    pub fn type_specifier(&mut self) -> Read<TypeSpecifier> {
        let ty = self.plain_type()?;
        if let Some(first) = ty.dimensions.first() {
            self.arrays(first.span);
        }
        Ok(ty)
    }

    /// A type with its dimensions, which the version may not have.
    pub fn plain_type(&mut self) -> Read<TypeSpecifier> {
        let start = self.here();
        let base = match self.peek() {
            Some(token) if token.is("struct") => TypeBase::Structure(self.deeper(Self::structure)?),
            Some(token) if self.type_name(token) => {
                self.at += 1;
                TypeBase::Named(Name { text: token.text.to_string(), span: token.span })
            }
            _ => return self.unexpected("a type"),
        };
        let dimensions = self.dimensions()?;
        Ok(TypeSpecifier { span: start.to(self.before()), base, dimensions })
    }

    /// Whether a token can be the name of a type.
    pub fn type_name(&self, token: &Token<'_>) -> bool {
        matches!(self.meaning(token), Word::Name | Word::Type | Word::Reserved)
    }

    /// Types of arrays as `float[2]` are not in every version.
    #[inline(never)]
    pub fn arrays(&mut self, span: Span) {
        if !self.version.has(300, 120) {
            let error = span.error(format!("{} has no types of arrays", self.version));
            let error = error.help("write the array size after the name, as in `float a[2]`");
            self.found.version(self.version, error);
        }
    }

    /// Dimensions of arrays.
    #[inline(never)]
    pub fn dimensions(&mut self) -> Read<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        let mut height = 0;
        while let Some(start) = self.take("[") {
            let mut size = None;
            if !self.is("]") {
                size = Some(Box::new(self.deeper(Self::conditional)?));
                height = height.max(self.height);
            }
            let end = self.expect("]", "the array size")?;
            dimensions.push(Dimension { span: start.to(end), size });
            // Each is a level of the type.
            self.levels(dimensions.len(), start)?;
        }
        self.height = height.max(dimensions.len());
        Ok(dimensions)
    }

    /// The begin of a declaration, or all of one that is neither a function nor variables.
    pub fn begin(&mut self) -> Read<Begun> {
        let start = self.here();
        if self.is("precision") && self.word_ahead(1) {
            return self.precision().map(Begun::Whole);
        }
        let qualifiers = self.qualifiers()?;
        let next = |n: usize, text: &str| self.ahead(n).is_some_and(|token| token.is(text));
        let names = self.name_ahead(0) && (next(1, ";") || next(1, ","));
        if qualifiers.is_empty() {
            // Only a type can follow.
        } else if self.word_ahead(0) && next(1, "{") && !self.is("struct") {
            return Ok(Begun::Whole(Declaration::Block(self.block(start, qualifiers)?)));
        } else if self.is(";") || names {
            let mut names = Vec::new();
            while !self.is(";") {
                names.push(self.name("a name")?);
                if self.take(",").is_none() {
                    break;
                }
            }
            let end = self.semicolon("a declaration")?;
            return Ok(Begun::Whole(Declaration::Again(start.to(end), qualifiers, names)));
        }
        Ok(Begun::Type(QualifiedType { qualifiers, ty: self.type_specifier()? }))
    }

    fn precision(&mut self) -> Read<Declaration> {
        let start = self.here();
        self.foreign("precision", start);
        self.at += 1;
        let word = self.peek().and_then(|token| qualifier(&token.text));
        let Some(QualifierKind::Precision(_)) = word else {
            return self.unexpected("`lowp`, `mediump` or `highp` after `precision`");
        };
        self.at += 1;
        let ty = self.type_specifier()?;
        let end = self.semicolon("a precision")?;
        Ok(Declaration::Precision(start.to(end), ty))
    }

    /// Variables after their type.
    pub fn variables(&mut self, ty: QualifiedType) -> Read<Variables> {
        let mut declarators = Vec::new();
        // After a structure a line with something else begins, if its semicolon is missing.
        let structure = matches!(ty.ty.base, TypeBase::Structure(_));
        let next = |parser: &Self| parser.peek().is_some_and(|token| structure && token.first);
        // The grammar lets a list begin with a type alone: `int, a;`.
        let _ = self.take(",");
        while !(declarators.is_empty() && (self.is(";") || next(self))) {
            declarators.push(self.declarator()?);
            if self.take(",").is_none() {
                break;
            }
        }
        self.semicolon("a declaration")?;
        Ok(Variables { ty, declarators })
    }

    fn declarator(&mut self) -> Read<Declarator> {
        let name = self.declared("the name of a variable")?;
        let dimensions = self.dimensions()?;
        let value = match self.take("=") {
            Some(_) => Some(self.guarded()?),
            None => None,
        };
        Ok(Declarator { name, dimensions, value })
    }

    /// An initial value. After an error the parser continues after the value, so that the variable is known.
    fn guarded(&mut self) -> Read<Expression> {
        let start = self.at;
        let span = self.here();
        match self.initial() {
            Ok(value) => Ok(value),
            Err(Failed) => {
                self.skip_value(start)?;
                let span = span.to(self.before());
                Ok(Expression { span, kind: ExpressionKind::Wrong })
            }
        }
    }

    /// After an error in a value that began at the token `start`: continues at the comma or semicolon that ends it.
    fn skip_value(&mut self, start: usize) -> Read<()> {
        let mut n = start;
        while let Some(token) = self.tokens.get(n) {
            if n >= self.at {
                let keyword = token.first
                    && token.kind == Kind::Word
                    && matches!(self.meaning(token), Word::Keyword | Word::Type);
                if keyword || [")", "]", "}", "{"].iter().any(|sign| token.is(sign)) {
                    return Err(Failed);
                }
                if token.is(",") || token.is(";") {
                    self.at = n;
                    return Ok(());
                }
            }
            let opens = ["(", "[", "{"].iter().any(|sign| token.is(sign));
            let end = self.closings.get(n).copied().filter(|_| opens).unwrap_or(n);
            n = if end < self.tokens.len() { end + 1 } else { n + 1 };
        }
        Err(Failed)
    }

    /// An initial value.
    #[inline(never)]
    pub fn initial(&mut self) -> Read<Expression> {
        let Some(start) = self.take("{") else { return self.assignment() };
        if !self.version.has(u16::MAX, 420)
            && !self.extensions.has("GL_ARB_shading_language_420pack")
        {
            let error = start.error(format!("{} has no lists of initial values", self.version));
            let error = error.help("write a constructor, as in `float[2](1.0, 2.0)`");
            self.found.version(self.version, error);
        }
        let mut values = Vec::new();
        let mut height = 0;
        while !self.is("}") {
            values.push(self.deeper(Self::initial)?);
            height = height.max(self.height);
            if self.take(",").is_none() {
                break;
            }
        }
        let span = start.to(self.expect("}", "the initial values")?);
        self.levels(height + 1, span)?;
        Ok(Expression { span, kind: ExpressionKind::List(values) })
    }

    /// Members in their brackets.
    pub fn members(&mut self) -> Read<Vec<Member>> {
        let open = self.expect("{", "the name of a structure or block")?;
        let mut members = Vec::new();
        while !self.is("}") {
            let start = self.at;
            match self.member() {
                Ok(member) => members.push(member),
                Err(Failed) if self.peek().is_none() => return Err(Failed),
                Err(Failed) => drop(self.recover(start)),
            }
            if self.peek().is_none() {
                return self.fail(open.error("this `{` has no `}`"));
            }
        }
        self.at += 1;
        Ok(members)
    }

    fn member(&mut self) -> Read<Member> {
        let ty = self.qualified_type()?;
        let mut names = Vec::new();
        loop {
            names.push((self.own("the name of a member")?, self.dimensions()?));
            if self.take(",").is_none() {
                break;
            }
        }
        if self.is("=") {
            return self.unexpected("`;` after a member, which has no initial value");
        }
        self.semicolon("a member")?;
        Ok(Member { ty, names })
    }
}
