//! Functions and declarations outside functions.

use super::declarations::Begun;
use super::{Parser, Read};
use crate::ast::{
    Block, Declaration, Function, Item, Parameter, QualifiedType, Qualifier, Structure,
};
use crate::lexer::Kind;
use ctm_base::text::Span;

impl Parser<'_, '_> {
    /// All of a source.
    pub fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some(token) = self.peek() {
            let start = self.at;
            if self.take(";").is_some() {
                let version = self.version;
                let error = token.span.error(format!("in {version} a `;` declares nothing"));
                let error = error.help("leave it out");
                if version.es {
                    self.found.version(version, error);
                } else if version.number < 460 {
                    // Drivers take it.
                    self.found.warning(error);
                }
                continue;
            }
            if token.is("}") {
                self.at += 1;
                self.found.error(token.span.error("this `}` closes no `{`"));
                continue;
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    let names = self.recover(start);
                    // A `}` that nothing opens is the end of what could not be read.
                    self.take("}");
                    items.push(Item::Wrong(names));
                }
            }
        }
        items
    }

    fn item(&mut self) -> Read<Item> {
        let ty = match self.begin()? {
            Begun::Whole(declaration) => return Ok(Item::Declaration(declaration)),
            Begun::Type(ty) => ty,
        };
        if self.peek().is_some_and(|token| token.kind == Kind::Word)
            && self.ahead(1).is_some_and(|token| token.is("("))
        {
            return Ok(Item::Function(self.function(ty)?));
        }
        Ok(Item::Declaration(Declaration::Variables(self.variables(ty)?)))
    }

    /// A function or prototype from its name on.
    pub fn function(&mut self, result: QualifiedType) -> Read<Function> {
        let name = self.own("the name of a function")?;
        self.expect("(", "the name of a function")?;
        let mut parameters = Vec::new();
        let void = self.is("void") && self.ahead(1).is_some_and(|token| token.is(")"));
        if void {
            self.at += 1;
        }
        while !void && !self.is(")") {
            parameters.push(self.parameter()?);
            if self.take(",").is_none() {
                break;
            }
            if self.is(")") {
                return self.unexpected("a parameter after `,`");
            }
        }
        self.expect(")", "the parameters of a function")?;
        if self.take(";").is_some() {
            return Ok(Function { result, name, parameters, body: None });
        }
        if !self.is("{") {
            return self.unexpected("`{` or `;` after the parameters of a function");
        }
        let body = Some(self.compound()?);
        Ok(Function { result, name, parameters, body })
    }

    fn parameter(&mut self) -> Read<Parameter> {
        let start = self.here();
        let ty = QualifiedType { qualifiers: self.qualifiers()?, ty: self.plain_type()? };
        let named = self.peek().is_some_and(|token| token.kind == Kind::Word);
        let name = if named { Some(self.own("the name of a parameter")?) } else { None };
        // Without a name every version has the dimensions after the type.
        if let Some(first) = ty.ty.dimensions.first().filter(|_| named) {
            self.arrays(first.span);
        }
        let dimensions = self.dimensions()?;
        Ok(Parameter { span: start.to(self.before()), ty, name, dimensions })
    }

    /// A block from its name on.
    pub fn block(&mut self, start: Span, qualifiers: Vec<Qualifier>) -> Read<Block> {
        if !self.version.has(300, 140) && !self.extensions.has("GL_ARB_uniform_buffer_object") {
            let error = self.here().error(format!("{} has no blocks", self.version));
            let help =
                "declare each member on its own, or begin with `#version 140` or `#version 300 es`";
            self.found.version(self.version, error.help(help));
        }
        let name = self.own("the name of a block")?;
        let members = self.members()?;
        let mut instance = None;
        if !self.is(";") {
            let name = self.own("the name of the block's instance or `;`")?;
            instance = Some((name, self.dimensions()?));
        }
        let end = self.semicolon("a block")?;
        Ok(Block { span: start.to(end), qualifiers, name, members, instance })
    }

    /// A structure from `struct` on.
    pub fn structure(&mut self) -> Read<Structure> {
        let start = self.here();
        self.at += 1;
        let name = if self.is("{") { None } else { Some(self.own("the name of a structure")?) };
        let members = self.members()?;
        Ok(Structure { name, members, span: start.to(self.before()) })
    }
}
