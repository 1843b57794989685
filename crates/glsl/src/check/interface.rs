//! The interface of a shader: inputs, uniforms, outputs, blocks, and what the language or Shadertoy declares.

use super::flow::Reached;
use super::operand::Operand;
use super::qualifiers::{Qualified, Role, Where};
use super::scope::{Home, Kind, Symbol, Variable, VariableId};
use super::{Checker, Declared, NEAR, PART, Storage};
use crate::ast;
use crate::builtins::{elsewhere, variables};
use crate::constant::Value;
use crate::near;
use crate::types::{Sampler, Scalar, Structure, Type};
use ctm_base::text::{Diagnostic, Span};
use naga::{AddressSpace, GlobalVariable, Handle};
use std::rc::Rc;

/// The variables of Shadertoy: name, scalar, components, elements.
const TOY: [(&str, Scalar, u8, Option<u32>); 15] = [
    ("iResolution", Scalar::Float, 3, None),
    ("iTime", Scalar::Float, 1, None),
    ("iGlobalTime", Scalar::Float, 1, None),
    ("iTimeDelta", Scalar::Float, 1, None),
    ("iFrameRate", Scalar::Float, 1, None),
    ("iFrame", Scalar::Int, 1, None),
    ("iChannelTime", Scalar::Float, 1, Some(4)),
    ("iChannelResolution", Scalar::Float, 3, Some(4)),
    ("iMouse", Scalar::Float, 4, None),
    ("iDate", Scalar::Float, 4, None),
    ("iSampleRate", Scalar::Float, 1, None),
    ("iChannel0", Scalar::Float, 0, None),
    ("iChannel1", Scalar::Float, 0, None),
    ("iChannel2", Scalar::Float, 0, None),
    ("iChannel3", Scalar::Float, 0, None),
];

impl Checker<'_> {
    /// A new variable of the module.
    pub fn new_global(&mut self, name: &str, ty: &Type, span: Span) -> Handle<GlobalVariable> {
        let ty = self.lower(ty);
        let variable = GlobalVariable {
            name: Some(name.to_string()),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        self.module.global_variables.append(variable, super::emit::place(span))
    }

    /// Checks the type and the initial value of an input, output or uniform.
    pub fn possible_at_border(
        &mut self,
        name: &ast::Name,
        ty: &Type,
        qualified: &Qualified,
        value: Option<&Operand>,
    ) {
        let version = self.version;
        let what = match qualified.role {
            Role::Input => "an input",
            Role::Output => "an output",
            Role::Uniform => {
                if let Some(value) = value
                    && !version.has(u16::MAX, 120)
                {
                    let error =
                        value.span.error(format!("in {version} a uniform has no initial value"));
                    self.found.version(version, error.help("give the value when the shader runs"));
                }
                return;
            }
            Role::None | Role::Const | Role::InOut => return,
        };
        if let Some(value) = value {
            let error = value.span.error(format!("{what} has no initial value"));
            let help = match qualified.role {
                Role::Output => "assign the value in `main`",
                _ => "leave it out",
            };
            self.found.error(error.help(help));
        }
        let mut element = ty;
        let mut arrays = 0;
        while let Type::Array(inner, _) = element {
            element = inner;
            arrays += 1;
        }
        let refuse = |this: &mut Self, of: &str, help: &str| {
            let error = name.span.error(format!("{what} cannot be {of}"));
            this.found.error(error.help(help));
        };
        match element {
            Type::Scalar(Scalar::Bool) | Type::Vector(Scalar::Bool, _) => {
                refuse(self, &format!("of type `{element}`"), "take a number, and compare it");
            }
            Type::Matrix(..) if qualified.role == Role::Output => {
                refuse(self, &format!("of type `{element}`"), "declare an output for each column");
            }
            Type::Structure(_) if qualified.role == Role::Output => {
                refuse(self, &format!("of type `{element}`"), "declare an output for each member");
            }
            Type::Structure(_) if !version.has(300, 150) => {
                let error = name.span.error(format!("in {version} {what} cannot be a structure"));
                self.found.version(version, error.help("declare one for each member"));
            }
            _ if qualified.role == Role::Input && ty.facts().integer => {
                if version.has(300, 130) {
                    self.needs_flat(name.span, element, qualified.flat);
                } else {
                    let error = name
                        .span
                        .error(format!("in {version} {what} cannot be of type `{element}`"));
                    self.found.version(version, error.help("take a float, and convert it"));
                }
            }
            _ => {}
        }
        if arrays > 1 && version.es {
            refuse(self, "an array of arrays", "declare one array");
        }
        if let Type::Structure(structure) = element
            && qualified.role == Role::Input
        {
            if arrays > 0 && version.es {
                refuse(self, "an array of structures", "declare one for each member");
            }
            let member = |ty: &Type| matches!(ty, Type::Structure(_) | Type::Array(..));
            let truth = |ty: &Type| ty.scalar() == Some(Scalar::Bool);
            if structure.members.iter().any(|(_, ty)| truth(ty)) {
                refuse(self, "a structure with a `bool`", "take a number, and compare it");
            } else if version.es && structure.members.iter().any(|(_, ty)| member(ty)) {
                let help = "declare one for each member";
                refuse(self, "a structure with arrays or structures", help);
            }
        }
    }

    /// Integers of an input are not interpolated.
    fn needs_flat(&mut self, span: Span, ty: &Type, flat: bool) {
        if !flat {
            let error = match ty {
                Type::Structure(_) => {
                    format!("an input of type `{ty}` has integers, and must be `flat`")
                }
                _ => format!("an input of type `{ty}` must be `flat`"),
            };
            self.found.version(self.version, span.error(error).help("write `flat in`"));
        }
    }

    /// A block.
    pub fn block(&mut self, block: &ast::Block) {
        let version = self.version;
        let qualified = self.qualifiers(&block.qualifiers, Where::Block);
        self.block_role = qualified.role;
        let outer = std::mem::replace(&mut self.in_structure, true);
        let members = self.members(&block.members, Where::BlockMember);
        self.in_structure = outer;
        if !self.scopes.is_global() {
            let error = block.span.error("a block is only allowed at global scope");
            self.found.error(error);
            return;
        }
        let (kind, storage) = match qualified.role {
            Role::Uniform => (Kind::Uniform, Storage::Uniform),
            Role::Input => (Kind::Input, Storage::Varying),
            Role::Output => {
                let error = block.name.span.error("a fragment shader has no blocks of outputs");
                self.found.error(error.help("declare an output variable for each member"));
                (Kind::Output, Storage::Output(None))
            }
            Role::None | Role::Const | Role::InOut => {
                let error = block.name.span.error("a block needs `uniform` or `in` before it");
                self.found.error(error.help("for a structure, write `struct`"));
                (Kind::Uniform, Storage::Uniform)
            }
        };
        let has = match kind {
            Kind::Input => version.has(320, 150),
            _ => version.has(300, 140) || self.extension("GL_ARB_uniform_buffer_object"),
        };
        if !has {
            let error = block.name.span.error(format!("{version} has no such blocks"));
            self.found.version(version, error.help("declare the members outside a block"));
        }
        if let Some(line) = self.blocks.get(&(block.name.text.clone(), kind == Kind::Input)) {
            let error =
                block.name.span.error(format!("there are two blocks `{}`", block.name.text));
            self.found.error(error.help(format!("the other one is on line {line}")));
        }
        let line = self.line(block.name.span);
        self.blocks.insert((block.name.text.clone(), kind == Kind::Input), line);
        // Blocks of inputs and of uniforms may have one name; nothing else at global scope may have it.
        if !matches!(self.scopes.own(&block.name.text), Some(Symbol::Block(_))) {
            self.declare(&block.name, Symbol::Block(block.name.span));
        }
        if members.is_empty() {
            self.found.error(block.span.error("a block needs members"));
        }
        for member in &members {
            if member.ty.facts().sampler {
                let error = member.span.error("a sampler cannot be a member of a block");
                self.found.error(error.help("declare it outside, with `uniform`"));
            }
            if kind == Kind::Input && member.ty.facts().integer {
                self.needs_flat(member.span, &member.ty, member.flat || qualified.flat);
            }
            if member.role != Role::None && member.role != qualified.role {
                let span = member.at.unwrap_or(member.span);
                let error = span.error("this does not fit the block's own qualifier");
                self.found.error(error.help("leave it out"));
            }
        }
        match &block.instance {
            Some((name, dimensions)) => {
                let members = members.into_iter().map(|member| (member.name, member.ty)).collect();
                self.structures += 1;
                let structure = Structure::new(block.name.text.clone(), members, self.structures);
                let ty = self.array_of(Type::Structure(Rc::new(structure)), dimensions);
                if let Type::Array(_, None) = ty {
                    let error =
                        name.span.error(format!("the blocks `{}` need an array size", name.text));
                    self.found.error(error);
                }
                let id = self.border(name, ty, kind, storage);
                if let (Some(id), false) = (id, dimensions.is_empty()) {
                    self.scopes.variables[id].blocks = true;
                }
            }
            None => {
                for member in members {
                    let name = ast::Name { text: member.name, span: member.span };
                    match member.ty {
                        Type::Error => drop(self.declare(&name, Symbol::Nothing)),
                        ty => drop(self.border(&name, ty, kind, storage)),
                    }
                }
            }
        }
    }

    /// A variable of the interface.
    fn border(
        &mut self,
        name: &ast::Name,
        ty: Type,
        kind: Kind,
        storage: Storage,
    ) -> Option<VariableId> {
        let global = self.new_global(&name.text, &ty, name.span);
        let id = self.declare_variable(name, ty, kind, Home::Global(global), true)?;
        let declared =
            Declared { variable: global, name: name.text.clone(), storage, span: name.span };
        self.interface.push((0, declared));
        Some(id)
    }

    /// A variable that the language or Shadertoy declares, by its first use.
    fn given(
        &mut self,
        name: &'static str,
        ty: &Type,
        storage: Storage,
        rank: usize,
    ) -> VariableId {
        let span = Span::default();
        let global = self.new_global(name, ty, span);
        let kind = match storage {
            Storage::Uniform => Kind::Uniform,
            Storage::Varying => Kind::Input,
            Storage::Output(_) => Kind::Output,
        };
        let declared = Declared { variable: global, name: name.to_string(), storage, span };
        self.interface.push((rank, declared));
        let id = self.scopes.add(Variable {
            name: name.to_string(),
            ty: ty.clone(),
            kind,
            home: Home::Global(global),
            span,
            reach: 0,
            written: kind != Kind::Output,
            place: Reached::default(),
            read: None,
            blocks: false,
        });
        self.given.insert(name, id);
        id
    }

    /// A variable or constant that the language or Shadertoy declares.
    pub fn built_in_variable(&mut self, name: &str, span: Span) -> Option<Operand> {
        if let Some(id) = self.given.get(name) {
            return Some(self.variable(*id, span));
        }
        if self.version.toy
            && let Some(id) = self.toy(name)
        {
            return Some(self.variable(id, span));
        }
        let (variable, warning) = match self.builtins.variable(name, span) {
            Ok(found) => found?,
            Err(error) => {
                self.found.error(error);
                return Some(Operand::error(span));
            }
        };
        self.found.all_warnings(warning);
        let storage = match variable.storage {
            variables::Storage::Varying => Storage::Varying,
            variables::Storage::Output(slot) => Storage::Output(slot),
            variables::Storage::Uniform => Storage::Uniform,
            variables::Storage::Constant(value) => {
                return Some(Operand::constant(span, Value::scalar(Scalar::Int, value as u32)));
            }
        };
        let rank = variables::VARIABLES.iter().position(|one| one.name == variable.name);
        let rank = TOY.len() + rank.unwrap_or_default();
        let id = self.given(variable.name, &variable.ty(), storage, rank);
        Some(self.variable(id, span))
    }

    fn toy(&mut self, name: &str) -> Option<VariableId> {
        let rank = TOY.iter().position(|(own, ..)| *own == name)?;
        let (own, scalar, components, elements) = TOY[rank];
        let element = match components {
            0 => Type::Sampler(Sampler("sampler2D")),
            count => Type::vector(scalar, count),
        };
        let ty = match elements {
            Some(_) => Type::Array(Rc::new(element), elements),
            None => element,
        };
        Some(self.given(own, &ty, Storage::Uniform, rank))
    }

    /// The output and the place of a point in Shadertoy's dress.
    pub fn toy_border(&mut self) -> (VariableId, VariableId) {
        let mut border = |name: &'static str, storage: Storage| match self.given.get(name) {
            Some(id) => *id,
            None => {
                let rank = variables::VARIABLES.iter().position(|one| one.name == name);
                let rank = TOY.len() + rank.unwrap_or_default();
                self.given(name, &Type::Vector(Scalar::Float, 4), storage, rank)
            }
        };
        let output = border("gl_FragColor", Storage::Output(Some(0)));
        (output, border("gl_FragCoord", Storage::Varying))
    }

    /// The inputs of Shadertoy can be given, used or not, if the source declares no other thing of that name.
    pub fn rest_of_toy(&mut self) {
        for (name, _, _, elements) in TOY {
            if elements.is_none()
                && !self.given.contains_key(name)
                && self.interface.iter().all(|(_, declared)| declared.name != name)
            {
                self.toy(name);
            }
        }
    }

    /// A declaration of a variable that the language declares: `in vec4 gl_FragCoord;`.
    pub fn redeclares_built_in(&mut self, name: &ast::Name, ty: &Type, role: Role) {
        let known = match self.builtins.variable(&name.text, name.span) {
            Ok(Some((variable, _))) => {
                let (own, word) = match variable.storage {
                    variables::Storage::Varying => {
                        (Role::Input, "an input: write `in`, or `varying`")
                    }
                    variables::Storage::Output(_) => (Role::Output, "an output: write `out`"),
                    variables::Storage::Uniform => (Role::Uniform, "a uniform: write `uniform`"),
                    variables::Storage::Constant(_) => {
                        (Role::Const, "a constant: leave the declaration out")
                    }
                };
                if role != own {
                    let error = name.span.error(format!("`{}` has another qualifier", name.text));
                    self.found.error(error.help(format!("it is {word}")));
                } else if own == Role::Output && name.text != "gl_FragDepth" {
                    let error =
                        name.span.error(format!("`{}` cannot be declared again", name.text));
                    self.found.error(error.help("leave the declaration out, or take another name"));
                }
                variable.ty()
            }
            Ok(None) => {
                let error = name.span.error(format!("the name `{}` begins with `gl_`", name.text));
                self.found.error(error.help("such names are the language's own: take another one"));
                return;
            }
            Err(error) => {
                self.found.error(error);
                return;
            }
        };
        let fits = match (&known, ty) {
            (Type::Array(a, Some(most)), Type::Array(b, count)) => {
                a == b && count.is_none_or(|count| count <= *most)
            }
            (a, b) => a == b,
        };
        if !fits && *ty != Type::Error {
            let error =
                name.span.error(format!("`{}` is of type `{known}`, not `{ty}`", name.text));
            self.found.error(error.help("leave the declaration out"));
        }
    }

    /// The error of a name that means nothing here.
    pub fn unknown_name(&mut self, name: &str, span: Span) -> Diagnostic {
        if name.starts_with("gl_") {
            let error = span.error(format!("the built-in `{name}` is not available"));
            let known = variables::VARIABLES.iter().map(|variable| variable.name);
            return match near::nearest(name, known) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            };
        }
        let error = span.error(format!("there is no variable `{name}`"));
        let own = self.scopes.names().filter_map(|(name, symbol)| match symbol {
            Symbol::Variable(_) => Some(name),
            _ => None,
        });
        let toy = TOY.iter().map(|(name, ..)| *name).filter(|_| self.version.toy);
        let names: Vec<&str> = own.chain(toy).collect();
        self.found.spend(PART, NEAR * names.len(), span);
        error.help(match (near::nearest(name, names.into_iter()), elsewhere::variable(name)) {
            // Short names are all near to each other.
            (Some(near), help) if help.is_none() || name.len() > 3 => {
                format!("did you mean `{near}`?")
            }
            (_, Some(help)) => help.to_string(),
            (_, None) => "declare it first, as in `float a = 0.0;`".to_string(),
        })
    }
}
