//! Random GLSL fragment shaders.
//!
//! Every statement, and every brace that opens or closes a block, has a line of its own; every operator has parentheses.
//! [`super::reduce`] relies on both. All shaders have a program: loops are short and their ends are constants.

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

    // Expressions.

    /// An index of an array of 3.
    fn index(&mut self) -> String {
        if self.chance(50) {
            return self.below(3).to_string();
        }
        let value = self.expression(Int, 1);
        format!("clamp({value}, 0, 2)")
    }

    fn number(&mut self) -> String {
        match self.below(4) {
            0 => self
                .random
                .pick(&["0.0", "1.0", "0.5", "2.0", "-1.0", "4.0", "0.125", "-0.5"])
                .into(),
            1 => format!("{}.0", self.below(9)),
            _ => format!("{}.{:03}", self.below(4), self.below(1000)),
        }
    }

    fn constant(&mut self, ty: Type) -> String {
        match ty {
            Float | Array => self.number(),
            Int => self.below(6).to_string(),
            Bool => self.random.pick(&["true", "false"]).into(),
            Vector(n) => {
                let parts: Vec<String> = (0..n).map(|_| self.number()).collect();
                format!("vec{n}({})", parts.join(", "))
            }
            Matrix(n) => {
                let parts: Vec<String> = (0..n * n).map(|_| self.number()).collect();
                format!("mat{n}({})", parts.join(", "))
            }
        }
    }

    /// A variable of a type, or a part of one.
    fn variable(&mut self, ty: Type) -> Option<String> {
        let fits = |variable: &&Variable| match (ty, variable.ty) {
            (Float, Vector(_) | Array) => true,
            (Vector(_), Vector(_)) => true,
            (Vector(n), Matrix(m)) => n == m,
            (a, b) => a == b,
        };
        let found: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
        if found.is_empty() {
            return None;
        }
        // The newest more often, so that values depend on each other.
        let n = found.len() as u32;
        let at = if self.chance(50) { n - 1 - self.below(n.min(3)) } else { self.below(n) };
        let Variable { name, ty: of, .. } = &found[at as usize];
        Some(match (ty, *of) {
            (Float, Vector(n)) => format!("{name}.{}", self.swizzle(1, n)),
            (Float, Array) => format!("{name}[{}]", self.index()),
            (Vector(n), Vector(m)) if n != m || self.chance(40) => {
                format!("{name}.{}", self.swizzle(n, m))
            }
            (Vector(_), Matrix(m)) => format!("{name}[{}]", self.below(m)),
            _ => name.clone(),
        })
    }

    fn swizzle(&mut self, count: u32, of: u32) -> String {
        let letters = self.random.pick(&["xyzw", "rgba"]).as_bytes();
        (0..count).map(|_| letters[self.below(of) as usize] as char).collect()
    }

    fn leaf(&mut self, ty: Type) -> String {
        if self.chance(80)
            && let Some(variable) = self.variable(ty)
        {
            return variable;
        }
        self.constant(ty)
    }

    fn call(&mut self, name: &str, parameters: &[Type], depth: u32) -> String {
        let arguments: Vec<String> =
            parameters.iter().map(|ty| self.expression(*ty, depth)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn expression(&mut self, ty: Type, depth: u32) -> String {
        if depth == 0 || self.chance(20) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if self.chance(8) {
            let fits: Vec<Function> =
                self.functions.iter().filter(|function| function.result == ty).cloned().collect();
            if !fits.is_empty() {
                let function = &fits[self.below(fits.len() as u32) as usize];
                return self.call(&function.name, &function.parameters, depth);
            }
        }
        if self.chance(5) && ty != Array {
            let condition = self.expression(Bool, depth);
            let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
            return format!("({condition} ? {a} : {b})");
        }
        match ty {
            Float | Array => self.float(depth),
            Int => self.int(depth),
            Bool => self.bool(depth),
            Vector(n) => self.vector(n, depth),
            Matrix(n) => self.matrix(n, depth),
        }
    }

    /// An operator or a function of floats or of vectors, by components.
    fn componentwise(&mut self, ty: Type, depth: u32) -> String {
        let one = [
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "exp",
            "log",
            "exp2",
            "log2",
            "sqrt",
            "inversesqrt",
            "abs",
            "sign",
            "floor",
            "ceil",
            "fract",
            "radians",
            "degrees",
            "abs",
            "fract",
            "trunc",
        ];
        match self.random.weighted(&[40, 12, 12, 6, 5]) {
            0 => {
                let operator = self.random.pick(&["+", "-", "*", "*", "+", "-", "/"]);
                let scalar = ty != Float && self.chance(30);
                let a = self.expression(ty, depth);
                let b = self.expression(if scalar { Float } else { ty }, depth);
                if scalar && self.chance(50) {
                    format!("({b} {operator} {a})")
                } else {
                    format!("({a} {operator} {b})")
                }
            }
            1 => {
                let name = self.random.pick(&one);
                self.call(name, &[ty], depth)
            }
            2 => {
                let name = self.random.pick(&["min", "max", "mod", "pow", "step", "atan"]);
                self.call(name, &[ty, ty], depth)
            }
            3 => {
                let name = self.random.pick(&["clamp", "mix", "smoothstep"]);
                if ty != Float && name == "mix" && self.chance(50) {
                    return self.call(name, &[ty, ty, Float], depth);
                }
                if name == "clamp" && self.chance(60) {
                    return format!("clamp({}, 0.0, 1.0)", self.expression(ty, depth));
                }
                self.call(name, &[ty, ty, ty], depth)
            }
            // The space keeps `- -1.0` from being a decrement.
            _ => format!("(- {})", self.expression(ty, depth)),
        }
    }

    fn float(&mut self, depth: u32) -> String {
        let n = self.random.range(2, 4);
        let vector = Vector(n);
        match self.random.weighted(&[60, 10, 4, 4, 4, 3, 1]) {
            0 => self.componentwise(Float, depth),
            1 => self.call("dot", &[vector, vector], depth),
            2 => self.call("length", &[vector], depth),
            3 => self.call("float", &[Int], depth),
            4 => self.call("float", &[Bool], depth),
            5 => self.call("distance", &[vector, vector], depth),
            _ => self.call("determinant", &[Matrix(n.min(3))], depth),
        }
    }

    fn int(&mut self, depth: u32) -> String {
        match self.random.weighted(&[40, 15, 12, 8, 8]) {
            0 => {
                let operator = self.random.pick(&["+", "-", "*"]);
                let (a, b) = (self.expression(Int, depth), self.expression(Int, depth));
                format!("({a} {operator} {b})")
            }
            1 => self.call("int", &[Float], depth),
            2 => {
                let operator = self.random.pick(&["/", "%"]);
                let a = self.expression(Int, depth);
                format!("({a} {operator} {})", self.random.range(1, 7))
            }
            3 => {
                let mask = self.random.pick(&[1, 3, 7, 15]);
                format!("({} & {mask})", self.expression(Int, depth))
            }
            _ => {
                let (a, b) = (self.expression(Int, depth), self.below(4));
                format!("({a} {} {b})", self.random.pick(&["<<", ">>"]))
            }
        }
    }

    fn bool(&mut self, depth: u32) -> String {
        let n = self.random.range(2, 4);
        match self.random.weighted(&[50, 25, 8, 10, 8, 4]) {
            0 => {
                let operator = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let ty = if self.chance(25) { Int } else { Float };
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("({a} {operator} {b})")
            }
            1 => {
                let operator = self.random.pick(&["&&", "||", "^^"]);
                let (a, b) = (self.expression(Bool, depth), self.expression(Bool, depth));
                format!("({a} {operator} {b})")
            }
            2 => format!("(!{})", self.expression(Bool, depth)),
            3 => {
                let all = self.random.pick(&["all", "any"]);
                let name = self.random.pick(&[
                    "lessThan",
                    "greaterThan",
                    "lessThanEqual",
                    "equal",
                    "notEqual",
                ]);
                format!("{all}({})", self.call(name, &[Vector(n), Vector(n)], depth))
            }
            4 => self.call("bool", &[Int], depth),
            _ => {
                let (a, b) = (self.expression(Vector(n), depth), self.expression(Vector(n), depth));
                format!("({a} == {b})")
            }
        }
    }

    fn vector(&mut self, n: u32, depth: u32) -> String {
        let ty = Vector(n);
        let texture = if self.samplers.is_empty() { 0 } else { 12 };
        match self.random.weighted(&[55, 14, texture, 5, 8, 4, 2, 4]) {
            0 => self.componentwise(ty, depth),
            1 => {
                let mut parts = Vec::new();
                let mut left = n;
                while left > 0 {
                    let width = self.random.range(1, left);
                    let part = if width == 1 { Float } else { Vector(width) };
                    parts.push(self.expression(part, depth));
                    left -= width;
                }
                if parts.len() == 1 {
                    parts.remove(0)
                } else {
                    format!("vec{n}({})", parts.join(", "))
                }
            }
            2 => {
                let which = self.below(self.samplers.len() as u32) as usize;
                let sampler = self.samplers[which].clone();
                let (name, coordinates) = match self.below(8) {
                    0 => ("texture2DProj", self.expression(Vector(3), depth)),
                    _ => ("texture2D", self.expression(Vector(2), depth)),
                };
                let swizzle = self.swizzle(n, 4);
                format!("{name}({sampler}, {coordinates}).{swizzle}")
            }
            3 => self.call("normalize", &[ty], depth),
            4 => {
                let (matrix, vector) =
                    (self.expression(Matrix(n), depth), self.expression(ty, depth));
                if self.chance(70) {
                    format!("({matrix} * {vector})")
                } else {
                    format!("({vector} * {matrix})")
                }
            }
            5 if n == 3 => self.call("cross", &[ty, ty], depth),
            6 => self.call("refract", &[ty, ty, Float], depth),
            _ => {
                let name = self.random.pick(&["reflect", "faceforward"]);
                let parameters = if name == "reflect" { vec![ty; 2] } else { vec![ty; 3] };
                self.call(name, &parameters, depth)
            }
        }
    }

    fn matrix(&mut self, n: u32, depth: u32) -> String {
        let ty = Matrix(n);
        match self.random.weighted(&[25, 15, 20, 10, 6, 6, 3]) {
            0 => {
                let columns = vec![Vector(n); n as usize];
                self.call(&format!("mat{n}"), &columns, depth)
            }
            1 => self.call(&format!("mat{n}"), &[Float], depth),
            2 => {
                let operator = self.random.pick(&["+", "-", "*"]);
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("({a} {operator} {b})")
            }
            3 => {
                let (a, b) = (self.expression(ty, depth), self.expression(Float, depth));
                format!("({a} * {b})")
            }
            4 => self.call("transpose", &[ty], depth),
            5 => self.call("matrixCompMult", &[ty, ty], depth),
            _ => self.call("inverse", &[Matrix(n)], depth.min(1)),
        }
    }
}
