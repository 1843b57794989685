//! Random expressions.

use super::Type::{self, Array, Bool, Float, Int, Matrix, Vector};
use super::{Generator, Variable};

impl Generator {
    /// An index of an array, a vector or a matrix: a number, what depends on a counter, or any value within the limits.
    pub(super) fn index_of(&mut self, ty: Type) -> String {
        let count = match ty {
            Array(_, count) | Vector(count) | Matrix(count) => count,
            Float | Int | Bool => 1,
        };
        let fits = |variable: &&Variable| variable.below.is_some_and(|below| below <= count);
        let counters: Vec<String> =
            self.variables.iter().filter(fits).map(|variable| variable.name.clone()).collect();
        if !counters.is_empty() && self.chance(60) {
            let counter = &counters[self.below(counters.len() as u32) as usize];
            let last = count - 1;
            return match self.below(8) {
                0 => format!("({last} - {counter})"),
                1 => format!("clamp(({counter} * {}), 0, {last})", self.random.range(2, 3)),
                2 => format!("(({counter} + 1) / 2)"),
                _ => counter.clone(),
            };
        }
        if self.chance(40) {
            return self.below(count).to_string();
        }
        let value = self.expression(Int, 1);
        format!("clamp({value}, 0, {})", count - 1)
    }

    pub(super) fn number(&mut self) -> String {
        match self.below(4) {
            0 => self
                .random
                .pick(&["0.0", "1.0", "0.5", "2.0", "-1.0", "4.0", "0.125", "-0.5"])
                .into(),
            1 => format!("{}.0", self.below(9)),
            _ => format!("{}.{:03}", self.below(4), self.below(1000)),
        }
    }

    pub(super) fn constant(&mut self, ty: Type) -> String {
        match ty {
            Float => self.number(),
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
            Array(_, count) => {
                let parts: Vec<String> = (0..count).map(|_| self.constant(ty.element())).collect();
                format!("{}[{count}]({})", ty.name(), parts.join(", "))
            }
        }
    }

    /// A variable of a type, or a part of one.
    fn variable(&mut self, ty: Type) -> Option<String> {
        let fits = |variable: &&Variable| match (ty, variable.ty) {
            (Float, Vector(_) | Array(1, _)) => true,
            (Vector(_), Vector(_)) => true,
            (Vector(n), Matrix(m) | Array(m, _)) => n == m,
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
            (Float, Vector(_)) if self.chance(15) => format!("{name}[{}]", self.index_of(*of)),
            (Float, Vector(n)) => format!("{name}.{}", self.swizzle(1, n)),
            (Float, Array(..)) | (Vector(_), Matrix(_) | Array(..)) => {
                format!("{name}[{}]", self.index_of(*of))
            }
            (Vector(n), Vector(m)) if n != m || self.chance(40) => {
                format!("{name}.{}", self.swizzle(n, m))
            }
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

    /// An expression that is no constant: naga computes constants, and refuses those that are NaN or infinite.
    fn varied(&mut self, ty: Type, depth: u32) -> String {
        let text = self.expression(ty, depth);
        let letters = text.as_bytes();
        // The names of variables and functions are a letter and a number.
        let name = |n: usize| {
            letters[n].is_ascii_lowercase()
                && letters.get(n + 1).is_some_and(u8::is_ascii_digit)
                && !n.checked_sub(1).is_some_and(|before| letters[before].is_ascii_alphanumeric())
        };
        if (0..letters.len()).any(name) {
            return text;
        }
        self.variable(ty).unwrap_or(text)
    }

    fn call(&mut self, name: &str, parameters: &[Type], depth: u32) -> String {
        let arguments: Vec<String> =
            parameters.iter().map(|ty| self.expression(*ty, depth)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    pub(super) fn expression(&mut self, ty: Type, depth: u32) -> String {
        if depth == 0 || self.chance(20) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if self.chance(8)
            && let Some(function) = self.callable(Some(ty))
        {
            return self.call(&function.name, &function.parameters, depth);
        }
        if self.chance(5) && !matches!(ty, Array(..)) {
            let condition = self.expression(Bool, depth);
            let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
            return format!("({condition} ? {a} : {b})");
        }
        match ty {
            Float => self.float(depth),
            Array(..) => self.leaf(ty),
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
                let b = self.varied(if scalar { Float } else { ty }, depth);
                if scalar && self.chance(50) {
                    format!("({b} {operator} {a})")
                } else {
                    format!("({a} {operator} {b})")
                }
            }
            1 => {
                let name = self.random.pick(&one);
                format!("{name}({})", self.varied(ty, depth))
            }
            2 => {
                let name = self.random.pick(&["min", "max", "mod", "pow", "step", "atan"]);
                let a = self.expression(ty, depth);
                format!("{name}({a}, {})", self.varied(ty, depth))
            }
            3 => {
                let name = self.random.pick(&["clamp", "mix", "smoothstep"]);
                if ty != Float && name == "mix" && self.chance(50) {
                    return self.call(name, &[ty, ty, Float], depth);
                }
                if name == "clamp" && self.chance(60) {
                    return format!("clamp({}, 0.0, 1.0)", self.expression(ty, depth));
                }
                let [a, b] = [0; 2].map(|_| self.varied(ty, depth));
                format!("{name}({a}, {b}, {})", self.expression(ty, depth))
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
        match self.random.weighted(&[40, 15, 12, 8, 8, 4]) {
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
                let mask = self.random.pick(&[1, 3, 7, 15, 21, 200, -4]);
                let operator = self.random.pick(&["&", "&", "|", "^"]);
                format!("({} {operator} {mask})", self.expression(Int, depth))
            }
            4 => {
                let (a, b) = (self.expression(Int, depth), self.below(4));
                format!("({a} {} {b})", self.random.pick(&["<<", ">>"]))
            }
            // Of known size, so that programs stay small.
            _ => {
                let operator = self.random.pick(&["&", "|", "^", "<<", ">>"]);
                let (a, b) = (self.expression(Int, depth), self.expression(Int, depth));
                let a = if operator == "&" { a } else { format!("({a} & 31)") };
                format!("({a} {operator} ({b} & 7))")
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
            3 => format!("normalize({})", self.varied(ty, depth)),
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
