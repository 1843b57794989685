//! Random GLSL fragment shaders.
//!
//! Every statement, and every brace that opens or closes a block, has a line of its own; every operator has parentheses.
//! [`super::reduce`] relies on both. Every loop ends: a counter limits it, whatever its values are.
//!
//! `statements`: declarations, branches, loops, calls. `expressions`: values.

mod expressions;
mod statements;

use ctm_base::random::Random;
use std::fmt::Write;

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Float,
    Int,
    Bool,
    /// vec2 to vec4.
    Vector(u32),
    /// mat2 to mat4.
    Matrix(u32),
    /// An array of floats or vectors: the components of an element, and the number of elements.
    Array(u32, u32),
}

use Type::{Array, Bool, Float, Int, Matrix, Vector};

impl Type {
    fn name(self) -> String {
        match self {
            Float => "float".into(),
            Array(..) => self.element().name(),
            Int => "int".into(),
            Bool => "bool".into(),
            Vector(n) => format!("vec{n}"),
            Matrix(n) => format!("mat{n}"),
        }
    }

    /// Floating point numbers: one, or a vector.
    fn of(components: u32) -> Type {
        if components == 1 { Float } else { Vector(components) }
    }

    /// The type of an array's elements, or the type itself.
    fn element(self) -> Type {
        match self {
            Array(components, _) => Type::of(components),
            ty => ty,
        }
    }

    /// The text after the name in a declaration.
    fn suffix(self) -> String {
        match self {
            Array(_, count) => format!("[{count}]"),
            Float | Int | Bool | Vector(_) | Matrix(_) => String::new(),
        }
    }
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    writable: bool,
    /// Of a counter: it is never negative, and always below this.
    below: Option<u32>,
}

impl Variable {
    fn new(name: &str, ty: Type, writable: bool) -> Variable {
        Variable { name: name.to_string(), ty, writable, below: None }
    }
}

/// A function of the shader: its name, parameters and result.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    parameters: Vec<Type>,
    /// `None` for a procedure: its first parameters, `changed` of them, are `inout` or `out`.
    result: Option<Type>,
    changed: usize,
    /// The most times that one of its statements runs.
    cost: u32,
}

struct Generator {
    random: Random,
    text: String,
    indent: usize,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    samplers: Vec<String>,
    names: u32,
    /// Statements that may still come.
    left: u32,
    /// The number of times that a statement runs at most.
    repeats: u32,
    /// The most times that a statement of the function runs, those of called functions included.
    cost: u32,
    /// Loops around the statement.
    loops: u32,
    /// The outputs that `main` writes: none for `gl_FragColor`.
    outputs: Option<u32>,
    /// Whether the function is `main`.
    main: bool,
    result: Option<Type>,
}

/// The shader of a seed and an index.
pub fn generate(seed: u64, index: u64) -> String {
    let mut generator = Generator {
        random: Random::new(&[seed, index, 0x676c_736c]),
        text: String::new(),
        indent: 0,
        variables: Vec::new(),
        functions: Vec::new(),
        samplers: Vec::new(),
        names: 0,
        left: 0,
        repeats: 1,
        cost: 1,
        loops: 0,
        outputs: None,
        main: false,
        result: None,
    };
    generator.shader();
    generator.text
}

impl Generator {
    fn below(&mut self, n: u32) -> u32 {
        self.random.below(n)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.chance(percent)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.indent);
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn any_type(&mut self) -> Type {
        match self.random.weighted(&[30, 8, 8, 45, 9]) {
            0 => Float,
            1 => Int,
            2 => Bool,
            3 => Vector(self.random.range(2, 4)),
            _ => Matrix(self.random.range(2, 4)),
        }
    }

    fn array(&mut self) -> Type {
        Array(self.random.range(1, 4), self.random.range(2, 5))
    }

    fn shader(&mut self) {
        for _ in 0..self.random.range(0, 4) {
            let ty = match self.below(100) {
                0..20 => self.array(),
                // For loops that do not become straight code.
                20..30 => Array(self.random.range(1, 4), self.random.range(33, 40)),
                _ => self.any_type(),
            };
            let name = self.name("u");
            self.line(&format!("uniform {} {name}{};", ty.name(), ty.suffix()));
            self.variables.push(Variable::new(&name, ty, false));
        }
        for _ in 0..self.random.weighted(&[50, 35, 15]) {
            let name = self.name("t");
            self.line(&format!("uniform sampler2D {name};"));
            self.samplers.push(name);
        }
        for _ in 0..self.random.range(1, 3) {
            let ty = match self.below(5) {
                0 => Float,
                1 => Matrix(self.random.range(2, 3)),
                n => Vector(n),
            };
            let name = self.name("v");
            self.line(&format!("varying {} {name};", ty.name()));
            self.variables.push(Variable::new(&name, ty, false));
        }
        if self.chance(30) {
            let ty = self.any_type();
            let name = self.name("g");
            let value = self.constant(ty);
            self.line(&format!("{} {name} = {value};", ty.name()));
            self.variables.push(Variable::new(&name, ty, true));
        }
        for _ in 0..self.random.weighted(&[35, 35, 20, 10]) {
            if self.chance(60) { self.function() } else { self.procedure() }
        }
        self.left = self.random.range(2, 14);
        self.outputs = self.chance(30).then(|| self.random.range(1, 3));
        self.main = true;
        self.open("void main()");
        self.statements();
        self.results();
        self.close();
    }

    /// Writes all outputs.
    fn results(&mut self) {
        let names = match self.outputs {
            None => vec!["gl_FragColor".to_string()],
            Some(count) => (0..count).map(|n| format!("gl_FragData[{n}]")).collect(),
        };
        for name in names {
            let color = self.expression(Vector(4), 3);
            self.line(&format!("{name} = {color};"));
        }
    }

    /// A function with a result.
    fn function(&mut self) {
        let result = self.any_type();
        let name = self.name("f");
        let scope = self.variables.len();
        let count = self.random.range(1, 3) as usize;
        let (text, parameters) = self.parameters(&vec![""; count]);
        self.open(&format!("{} {name}({text})", result.name()));
        self.left = self.random.range(0, 3);
        self.result = Some(result);
        self.statements();
        let value = self.expression(result, 2);
        self.line(&format!("return {value};"));
        self.close();
        self.result = None;
        self.variables.truncate(scope);
        let cost = std::mem::replace(&mut self.cost, 1);
        self.functions.push(Function { name, parameters, result: Some(result), changed: 0, cost });
    }

    /// A function that changes its first parameters.
    fn procedure(&mut self) {
        let name = self.name("q");
        let scope = self.variables.len();
        let changed = self.random.range(1, 2) as usize;
        let mut how: Vec<&str> = Vec::new();
        for _ in 0..changed {
            how.push(self.random.pick(&["inout ", "inout ", "out "]));
        }
        how.resize(changed + self.below(3) as usize, "");
        let (text, parameters) = self.parameters(&how);
        self.open(&format!("void {name}({text})"));
        for (n, _) in how.iter().enumerate().filter(|(_, how)| **how == "out ") {
            // It has no value before.
            let Variable { name, ty, .. } = self.variables[scope + n].clone();
            self.fill(&name, ty);
        }
        self.left = self.random.range(1, 4);
        self.statements();
        self.close();
        self.variables.truncate(scope);
        let cost = std::mem::replace(&mut self.cost, 1);
        self.functions.push(Function { name, parameters, result: None, changed, cost });
    }

    /// Parameters, in scope from here: their text, and their types.
    fn parameters(&mut self, how: &[&str]) -> (String, Vec<Type>) {
        let mut types = Vec::new();
        let mut text = Vec::new();
        for how in how {
            let ty = if self.chance(8) { self.array() } else { self.any_type() };
            let name = self.name("p");
            text.push(format!("{how}{} {name}{}", ty.name(), ty.suffix()));
            self.variables.push(Variable::new(&name, ty, true));
            types.push(ty);
        }
        (text.join(", "), types)
    }
}
