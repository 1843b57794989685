//! Random GLSL fragment shaders.
//!
//! Every statement, and every brace that opens or closes a block, has a line of its own; every operator has parentheses.
//! [`super::reduce`] relies on both. All shaders have a program: loops are short and their ends are constants.

mod expressions;

use ctm_isa::random::Random;
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
    /// float[3].
    Array,
}

use Type::{Array, Bool, Float, Int, Matrix, Vector};

impl Type {
    fn name(self) -> String {
        match self {
            Float | Array => "float".into(),
            Int => "int".into(),
            Bool => "bool".into(),
            Vector(n) => format!("vec{n}"),
            Matrix(n) => format!("mat{n}"),
        }
    }
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    writable: bool,
}

/// A function of the shader: its name, parameters and result.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    parameters: Vec<Type>,
    result: Type,
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
    /// How many times a statement runs.
    repeats: u32,
    /// Loops around the statement.
    loops: u32,
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
        loops: 0,
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

    fn shader(&mut self) {
        for _ in 0..self.random.range(0, 4) {
            let ty = if self.chance(15) { Array } else { self.any_type() };
            let name = self.name("u");
            let array = if ty == Array { "[3]" } else { "" };
            self.line(&format!("uniform {} {name}{array};", ty.name()));
            self.variables.push(Variable { name, ty, writable: false });
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
            self.variables.push(Variable { name, ty, writable: false });
        }
        if self.chance(30) {
            let ty = self.any_type();
            let name = self.name("g");
            let value = self.constant(ty);
            self.line(&format!("{} {name} = {value};", ty.name()));
            self.variables.push(Variable { name, ty, writable: true });
        }
        for _ in 0..self.random.weighted(&[45, 35, 20]) {
            self.function();
        }
        self.left = self.random.range(2, 14);
        self.main = true;
        self.open("void main()");
        self.statements();
        if self.chance(70) {
            let color = self.expression(Vector(4), 3);
            self.line(&format!("gl_FragColor = {color};"));
        } else {
            for n in 0..self.random.range(1, 3) {
                let color = self.expression(Vector(4), 3);
                self.line(&format!("gl_FragData[{n}] = {color};"));
            }
        }
        self.close();
    }

    fn function(&mut self) {
        let result = self.any_type();
        let name = self.name("f");
        let scope = self.variables.len();
        let mut parameters = Vec::new();
        let mut text = Vec::new();
        for _ in 0..self.random.range(1, 3) {
            let ty = self.any_type();
            let parameter = self.name("p");
            text.push(format!("{} {parameter}", ty.name()));
            self.variables.push(Variable { name: parameter, ty, writable: true });
            parameters.push(ty);
        }
        self.open(&format!("{} {name}({})", result.name(), text.join(", ")));
        self.left = self.random.range(0, 3);
        self.main = false;
        self.result = Some(result);
        self.statements();
        let value = self.expression(result, 2);
        self.line(&format!("return {value};"));
        self.close();
        self.result = None;
        self.variables.truncate(scope);
        self.functions.push(Function { name, parameters, result });
    }

    // Statements.

    fn statements(&mut self) {
        while self.left > 0 {
            self.left -= 1;
            self.statement(2);
        }
    }

    fn block(&mut self, depth: u32) {
        let scope = self.variables.len();
        for _ in 0..self.random.range(1, 3) {
            self.left = self.left.saturating_sub(1);
            self.statement(depth);
        }
        self.variables.truncate(scope);
    }

    fn statement(&mut self, depth: u32) {
        let nested = if depth > 0 { 1 } else { 0 };
        match self.random.weighted(&[38, 30, 8 * nested, 6 * nested, 5 * nested, 2, 2, 3]) {
            0 => {
                let ty = if self.chance(8) { Array } else { self.any_type() };
                let name = self.name("x");
                if ty == Array {
                    self.line(&format!("float {name}[3];"));
                    for n in 0..3 {
                        let value = self.expression(Float, 1);
                        self.line(&format!("{name}[{n}] = {value};"));
                    }
                } else {
                    let value = self.expression(ty, 3);
                    self.line(&format!("{} {name} = {value};", ty.name()));
                }
                self.variables.push(Variable { name, ty, writable: true });
            }
            1 => self.assignment(),
            2 => {
                let condition = self.expression(Bool, 2);
                self.open(&format!("if ({condition})"));
                self.block(depth - 1);
                if self.chance(50) {
                    self.close();
                    self.open("else");
                    self.block(depth - 1);
                }
                self.close();
            }
            3 if self.repeats < 8 => self.repetition(depth),
            4 => {
                let selector = self.expression(Int, 1);
                self.open(&format!("switch ({selector})"));
                for n in 0..self.random.range(1, 3) {
                    self.line(&format!("case {n}:"));
                    self.block(depth - 1);
                    if self.chance(75) {
                        self.line("break;");
                    }
                }
                self.line("default:");
                self.block(depth - 1);
                self.close();
            }
            5 if depth < 2 && self.chance(50) => {
                let condition = self.expression(Bool, 2);
                self.line(&format!("if ({condition}) discard;"));
            }
            6 => {
                let condition = self.expression(Bool, 2);
                match self.result {
                    Some(ty) => {
                        let value = self.expression(ty, 1);
                        self.line(&format!("if ({condition}) return {value};"));
                    }
                    None => self.line(&format!("if ({condition}) return;")),
                }
            }
            7 if self.loops > 0 => {
                let condition = self.expression(Bool, 2);
                let word = if self.chance(50) { "break" } else { "continue" };
                self.line(&format!("if ({condition}) {word};"));
            }
            _ => self.assignment(),
        }
    }

    fn repetition(&mut self, depth: u32) {
        let count = self.random.range(2, 4);
        let name = self.name("i");
        let (loops, repeats) = (self.loops, self.repeats);
        let scope = self.variables.len();
        self.open(&format!("for (int {name} = 0; {name} < {count}; {name}++)"));
        self.variables.push(Variable { name, ty: Int, writable: false });
        self.repeats *= count;
        self.loops += 1;
        self.block(depth - 1);
        self.close();
        self.variables.truncate(scope);
        (self.loops, self.repeats) = (loops, repeats);
    }

    fn assignment(&mut self) {
        let writable: Vec<Variable> =
            self.variables.iter().filter(|variable| variable.writable).cloned().collect();
        if writable.is_empty() {
            let (name, value) = (self.name("x"), self.expression(Float, 3));
            self.line(&format!("float {name} = {value};"));
            self.variables.push(Variable { name, ty: Float, writable: true });
            return;
        }
        let Variable { name, ty, .. } =
            writable[self.below(writable.len() as u32) as usize].clone();
        let (target, ty) = match ty {
            Vector(n) if self.chance(40) => {
                let width = self.random.range(1, n);
                let mut letters: Vec<char> = "xyzw"[..n as usize].chars().collect();
                let mut swizzle = String::new();
                for _ in 0..width {
                    let at = self.below(letters.len() as u32) as usize;
                    swizzle.push(letters.remove(at));
                }
                (format!("{name}.{swizzle}"), if width == 1 { Float } else { Vector(width) })
            }
            Vector(n) if self.chance(10) => (format!("{name}[{}]", self.below(n)), Float),
            Matrix(n) if self.chance(40) => (format!("{name}[{}]", self.below(n)), Vector(n)),
            Array => {
                let index = self.index();
                (format!("{name}[{index}]"), Float)
            }
            ty => (name, ty),
        };
        let value = self.expression(ty, 3);
        let operator = match ty {
            Float | Vector(_) if self.chance(30) => self.random.pick(&["+=", "-=", "*="]),
            Int if self.chance(30) => "+=",
            _ => "=",
        };
        self.line(&format!("{target} {operator} {value};"));
    }
}
