//! The meaning of a shader: names, types, constants and statements are looked at in one walk, which makes a naga module.
//!
//! * `scope`: names; `named`: types as they are written; `qualifiers`.
//! * `declare`, `interface`, `function`: declarations, inputs and outputs, functions; `statement`.
//! * `expression`, `operand`: expressions, their values and places; `operation`, `construct`, `call`, `builtin`: what they do.
//! * `emit`, `lower`, `bodies`: a function, the types and the functions of the module.

mod bodies;
mod builtin;
mod call;
mod construct;
mod declare;
mod emit;
mod expression;
mod flow;
mod function;
mod interface;
mod layout;
mod lower;
mod named;
mod operand;
mod operation;
mod qualifiers;
mod scope;
mod statement;

use crate::ast::{Item, Shader};
use crate::builtins::{Builtins, Texture};
use crate::found::Found;
use crate::types::Type;
use crate::version::Version;
use bodies::Bodies;
use call::Function;
use ctm_base::text::{Diagnostic, Span};
use emit::Body;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{EntryPoint, GlobalVariable, Handle, Module, ShaderStage};
use scope::{Home, Scopes, Symbol, VariableId};
use statement::Around;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The name for the budget.
const PART: &str = "check";

/// Work of a statement or an expression.
const NODE: usize = 50;

/// Work of a function that a call may mean.
const CANDIDATE: usize = 20;

/// Work of a name that may have been meant.
const NEAR: usize = 30;

/// The role of a variable of the module for the shader's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A value of the job.
    Uniform,
    /// A value of each point.
    Varying,
    /// An output; with the number that the source gives.
    Output(Option<u32>),
}

/// A variable of the interface.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The variable.
    pub variable: Handle<GlobalVariable>,
    /// The name in the source.
    pub name: String,
    /// Its role.
    pub storage: Storage,
    /// The name in its declaration; empty if the language declares it.
    pub span: Span,
}

/// A shader that has been checked.
#[derive(Debug)]
pub struct Checked {
    /// The module. All variables are private ones; its only entry point is a fragment shader. Spans are places in the source.
    pub module: Module,
    /// The version of the language.
    pub version: Version,
    /// The variables of the interface, in the order of their declarations; those of the language first.
    pub interface: Vec<Declared>,
    /// The types of samplers: structures of one number, that of the input.
    pub samplers: BTreeSet<Handle<naga::Type>>,
    /// The functions on samplers. Their bodies say nothing.
    pub textures: BTreeMap<Handle<naga::Function>, Texture>,
    /// Uses that are undefined, or allowed only because the version is a guess.
    pub warnings: Vec<Diagnostic>,
}

/// The changes that statements make, as far as they have been looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Effects {
    /// How many changes there are.
    all: usize,
    /// Whether something outside the function changes.
    outside: bool,
}

/// A walk.
struct Checker<'a> {
    source: &'a str,
    shader: &'a Shader,
    version: Version,
    found: Found<'a>,
    builtins: Builtins,
    module: Module,
    types: lower::Types,
    constants: HashMap<(Type, Vec<u32>), Handle<naga::Constant>>,
    bodies: Bodies,
    functions: Vec<Function>,
    textures: Vec<(Handle<naga::Function>, Texture, Vec<Type>)>,
    scopes: Scopes,
    /// The variables that the language or Shadertoy declares, if they are used.
    given: HashMap<&'static str, VariableId>,
    /// The interface, each with its rank among what has no place in the source.
    interface: Vec<(usize, Declared)>,
    /// The first stores to outputs.
    stores: Vec<(VariableId, Span)>,
    /// The names of blocks, whether they are inputs, and their lines.
    blocks: HashMap<(String, bool), usize>,
    /// The number of structures so far.
    structures: usize,
    /// The starts of the source's lines.
    lines: Vec<usize>,
    /// The number of errors before the walk.
    unread: usize,
    /// The function that is made: outside functions, what runs before `main`.
    body: Body,
    /// The functions that it calls.
    calls: Vec<bodies::Call>,
    /// The variables that it changes.
    effects: Effects,
    /// The type of its result.
    result: Type,
    /// Whether it has a `return`.
    returned: bool,
    /// The variables that it writes.
    paths: flow::Paths,
    /// Where `main` is, and what it writes at each of its ends.
    main_writes: Option<(Span, flow::Changes)>,
    /// Whether there is a `discard`.
    discards: bool,
    /// The loops and switches around.
    around: Vec<Around>,
    /// The number of loops around.
    loops: usize,
    /// Whether a function within another has been told.
    told_within: bool,
    in_structure: bool,
    in_parameters: bool,
    /// The role of the block whose members are looked at.
    block_role: qualifiers::Role,
    /// Whether the lack of a precision has been told.
    told_precision: bool,
    /// The last values in brackets with commas between them.
    list: Option<Span>,
    /// The layout of the first declaration of `gl_FragCoord`, and its line.
    fragcoord: Option<([bool; 2], usize)>,
}

/// Checks a shader. `found` has what was found in it before.
///
/// # Errors
/// The errors of the source.
pub fn check(source: &str, shader: &Shader, found: Found<'_>) -> Result<Checked, Vec<Diagnostic>> {
    let version = shader.version;
    let lines = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1));
    let mut checker = Checker {
        source,
        shader,
        version,
        unread: found.errors.len(),
        found,
        builtins: Builtins::new(
            version,
            shader.extensions.0.iter().map(|name| name.to_string()).collect(),
        ),
        module: Module::default(),
        types: lower::Types::default(),
        constants: HashMap::new(),
        bodies: Bodies::default(),
        functions: Vec::new(),
        textures: Vec::new(),
        scopes: Scopes::new(),
        given: HashMap::new(),
        interface: Vec::new(),
        stores: Vec::new(),
        blocks: HashMap::new(),
        structures: 0,
        lines: lines.collect(),
        body: Body::new("main"),
        calls: Vec::new(),
        effects: Effects::default(),
        result: Type::Void,
        returned: false,
        paths: flow::Paths::default(),
        main_writes: None,
        discards: false,
        around: Vec::new(),
        loops: 0,
        told_within: false,
        in_structure: false,
        in_parameters: false,
        block_role: qualifiers::Role::None,
        told_precision: false,
        list: None,
        fragcoord: None,
    };
    for item in &shader.items {
        match item {
            Item::Function(function) => checker.function(function),
            Item::Declaration(declaration) => checker.declaration(declaration),
            Item::Wrong(names) => {
                for name in names {
                    checker.scopes.set(&name.text, Symbol::Nothing);
                }
            }
        }
    }
    checker.entry();
    if version.toy {
        checker.rest_of_toy();
    }
    checker.finish()
}

impl Checker<'_> {
    /// The line of a place, from 1.
    fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|start| *start <= span.start)
    }

    /// Functions that are called and have no body, or that call themselves.
    fn whole(&mut self) {
        self.outputs_have_locations();
        self.sole_outputs();
        for function in &self.functions {
            if let (Some(called), None) = (function.called, function.defined) {
                let error = called.error(format!(
                    "the function `{}` is called here, and has no body",
                    function.name
                ));
                let line = self.line(function.span);
                self.found.error(error.help(format!("it is declared on line {line}; define it")));
            }
        }
        for (handle, span) in self.bodies.recursive() {
            let Some(function) = self.functions.iter().find(|one| one.handle == handle) else {
                continue;
            };
            let error = span.error(format!("the function `{}` calls itself", function.name));
            let help = "the language has no recursion, also through other functions: write a loop";
            self.found.error(error.help(help));
        }
    }

    /// Refuses stores to outputs that exclude each other: `gl_FragColor`, `gl_FragData` and outputs of the source.
    fn sole_outputs(&mut self) {
        let kind = |id: VariableId| match self.scopes.variables[id].name.as_str() {
            "gl_FragColor" => Some("`gl_FragColor`"),
            "gl_FragData" => Some("`gl_FragData`"),
            name if name.starts_with("gl_") => None,
            _ => Some("an output that it declares"),
        };
        let mut stores = self.stores.iter().filter_map(|(id, span)| Some((kind(*id)?, *span)));
        let Some((first, _)) = stores.next() else { return };
        if let Some((other, span)) = stores.find(|(other, _)| *other != first) {
            let error =
                span.error(format!("the shader writes to {other} here, and to {first} before"));
            self.found.error(error.help("write to one of them only"));
        }
    }

    /// Gives arrays from this variable on the size by their use, if they have none, where they are.
    fn size_arrays(&mut self, first: VariableId) {
        for n in first..self.scopes.variables.len() {
            let variable = &mut self.scopes.variables[n];
            let Type::Array(element, None) = &variable.ty else { continue };
            variable.ty = Type::Array(element.clone(), Some(variable.reach.max(1)));
            self.lower_again(n);
        }
    }

    /// Gives a variable of the module or of the function its type.
    fn lower_again(&mut self, id: VariableId) {
        let (ty, home) =
            (self.scopes.variables[id].ty.clone(), self.scopes.variables[id].home.clone());
        let ty = self.lower(&ty);
        match home {
            Home::Global(global) => self.module.global_variables.get_mut(global).ty = ty,
            Home::Local(local) => self.body.function.local_variables.get_mut(local).ty = ty,
            Home::Argument(_) | Home::Constant(_) => {}
        }
    }

    /// The module.
    fn finish(mut self) -> Result<Checked, Vec<Diagnostic>> {
        self.whole();
        if !self.found.errors.is_empty() {
            return Err(self.found.all());
        }
        self.globals_have_values();
        if let Some((main, end)) = self.main_writes.take().filter(|_| !self.version.toy) {
            self.outputs_have_values(main, &end);
        }
        self.size_arrays(0);
        let (functions, becomes) = self.bodies.finish();
        self.module.functions = functions;
        let mut main = self.body.finish();
        bodies::rename(&mut main, &becomes);
        self.module.entry_points.push(EntryPoint {
            name: "main".into(),
            stage: ShaderStage::Fragment,
            early_depth_test: None,
            workgroup_size: [0; 3],
            workgroup_size_overrides: None,
            function: main,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        let textures = self.textures.iter().filter_map(|(handle, texture, _)| {
            Some((becomes.get(handle.index()).copied().flatten()?, *texture))
        });
        let textures = textures.collect();
        let samplers = self.types.samplers();
        self.interface.sort_by_key(|(rank, declared)| (declared.span.start, *rank));
        let interface = self.interface.into_iter().map(|(_, declared)| declared).collect();
        valid(&self.module).map_err(|error| vec![error])?;
        let (module, version, warnings) = (self.module, self.version, self.found.warnings);
        Ok(Checked { module, version, interface, samplers, textures, warnings })
    }
}

/// Fails where naga finds a mistake in a module: one of this crate.
fn valid(module: &Module) -> Result<(), Diagnostic> {
    let flags = ValidationFlags::all() - ValidationFlags::BINDINGS;
    let Err(error) = Validator::new(flags, Capabilities::all()).validate(module) else {
        return Ok(());
    };
    let span = error.spans().next().and_then(|(span, _)| span.to_range());
    let span = span.map_or(Span::default(), |range| Span::new(range.start, range.end));
    let mut text = error.to_string();
    let mut inner: &dyn std::error::Error = error.as_inner();
    while let Some(source) = inner.source() {
        text = format!("{text}: {source}");
        inner = source;
    }
    let error = span.error("this part of the source is not supported");
    Err(error.help(format!("this is a mistake of the compiler: {text}")))
}
