//! Random statements.

use super::Type::{self, Array, Bool, Float, Int, Matrix, Vector};
use super::{Function, Generator, Variable};

/// Most times that a statement runs, by all loops around it.
const MAX_REPEATS: u32 = 100;

impl Generator {
    pub(super) fn statements(&mut self) {
        while self.left > 0 {
            self.left -= 1;
            self.statement(3);
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

    /// A statement with at most `depth` blocks inside each other.
    fn statement(&mut self, depth: u32) {
        let nested = u32::from(depth > 0);
        let jumps = u32::from(depth < 3);
        let weights = [34, 26, 8 * nested, 8 * nested, 4 * nested, jumps, 2, 6 * jumps, 6];
        match self.random.weighted(&weights) {
            0 => self.declaration(),
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
            3 if self.repeats * 2 <= MAX_REPEATS => self.repetition(depth),
            4 => self.choice(depth),
            5 => self.jump("discard"),
            6 => match self.result {
                Some(ty) => {
                    let value = self.expression(ty, 1);
                    self.jump(&format!("return {value}"));
                }
                None => self.jump("return"),
            },
            7 if self.loops > 0 => {
                let word = self.random.pick(&["break", "break", "continue"]);
                self.jump(word);
            }
            8 => self.call_statement(),
            _ => self.assignment(),
        }
    }

    /// A statement that leaves a block, where a condition holds.
    fn jump(&mut self, word: &str) {
        let condition = self.expression(Bool, 2);
        if self.chance(60) {
            self.line(&format!("if ({condition}) {word};"));
            return;
        }
        let scope = self.variables.len();
        self.open(&format!("if ({condition})"));
        if word == "return" && self.main {
            self.results();
        } else {
            self.assignment();
        }
        self.line(&format!("{word};"));
        self.close();
        self.variables.truncate(scope);
    }

    fn choice(&mut self, depth: u32) {
        if !self.variables.iter().any(|variable| variable.writable) {
            self.declared(Float);
        }
        let selector = self.expression(Int, 1);
        self.open(&format!("switch ({selector})"));
        for n in 0..self.random.range(1, 3) {
            self.line(&format!("case {n}:"));
            // naga takes no case without a statement; a constant is none.
            self.assignment();
            self.block(depth - 1);
            if self.chance(75) {
                self.line("break;");
            }
        }
        self.line("default:");
        self.assignment();
        self.block(depth - 1);
        self.close();
    }

    /// A variable with a value.
    fn declared(&mut self, ty: Type) -> Variable {
        let name = self.name("x");
        if let Array(..) = ty {
            self.line(&format!("{} {name}{};", ty.name(), ty.suffix()));
            self.fill(&name, ty);
        } else {
            let value = self.expression(ty, 3);
            self.line(&format!("{} {name} = {value};", ty.name()));
        }
        let variable = Variable::new(&name, ty, true);
        self.variables.push(variable.clone());
        variable
    }

    fn declaration(&mut self) {
        let ty = if self.chance(12) { self.array() } else { self.any_type() };
        self.declared(ty);
    }

    /// Gives a variable, with all its elements, a value that does not depend on its own.
    pub(super) fn fill(&mut self, name: &str, ty: Type) {
        let own: Vec<Variable> = self.variables.clone();
        self.variables.retain(|variable| variable.name != name);
        match ty {
            Array(_, count) => {
                for n in 0..count {
                    let value = self.expression(ty.element(), 1);
                    self.line(&format!("{name}[{n}] = {value};"));
                }
            }
            Float | Int | Bool | Vector(_) | Matrix(_) => {
                let value = self.expression(ty, 2);
                self.line(&format!("{name} = {value};"));
            }
        }
        self.variables = own;
    }

    /// A loop: short or long, with an end that is known or not.
    fn repetition(&mut self, depth: u32) {
        let (loops, repeats, scope) = (self.loops, self.repeats, self.variables.len());
        let most = MAX_REPEATS / repeats;
        let count = match self.below(10) {
            // More than the machine's counter counts.
            0 if repeats == 1 && self.chance(20) => self.random.range(256, 300),
            // More than become straight code.
            0..3 if most >= 40 => self.random.range(33, 40),
            _ => self.random.range(2, most.clamp(2, 6)),
        };
        // A sum that may end the loop.
        let sum = self.chance(40).then(|| self.declared(Float).name);
        let name = self.name("i");
        let mut counter = Variable::new(&name, Int, false);
        counter.below = Some(count);
        let mut end = None;
        match self.random.weighted(&[40, 20, 8, 8, 12, 12]) {
            0 => self.open(&format!("for (int {name} = 0; {name} < {count}; {name}++)")),
            1 => {
                let limit = self.expression(Int, 1);
                let limit = format!("clamp({limit}, 0, {count})");
                self.open(&format!("for (int {name} = 0; {name} < {limit}; {name}++)"));
            }
            2 => {
                let last = count - 1;
                self.open(&format!("for (int {name} = {last}; {name} >= 0; {name}--)"));
            }
            3 => {
                let step = self.random.pick(&["0.25", "0.5", "1.0"]);
                counter = Variable::new(&name, Float, false);
                let limit = f64::from(count) * step.parse::<f64>().unwrap_or(1.0);
                self.open(&format!(
                    "for (float {name} = 0.0; {name} < {limit:?}; {name} += {step})"
                ));
            }
            4 => {
                let condition = self.expression(Bool, 2);
                self.line(&format!("int {name} = -1;"));
                self.open(&format!("while (({condition}) && ({name} < {}))", count - 1));
                self.line(&format!("{name}++;"));
            }
            _ => {
                let condition = self.expression(Bool, 2);
                self.line(&format!("int {name} = -1;"));
                self.open("do");
                self.line(&format!("{name}++;"));
                end = Some(format!("}} while (({condition}) && ({name} < {}));", count - 1));
            }
        }
        let outside = self.variables.len();
        self.variables.push(counter);
        self.repeats *= count;
        self.cost = self.cost.max(self.repeats);
        self.loops += 1;
        self.block(depth - 1);
        if let Some(sum) = sum {
            let value = match self.element(&name, count) {
                Some(element) if self.chance(70) => element,
                _ => self.expression(Float, 2),
            };
            self.line(&format!("{sum} += {value};"));
            let limit = self.number();
            self.line(&format!("if ({sum} > {limit}) break;"));
            self.block(0);
        }
        match end {
            Some(end) => {
                self.indent -= 1;
                self.line(&end);
            }
            None => self.close(),
        }
        self.variables.truncate(outside.max(scope));
        (self.loops, self.repeats) = (loops, repeats);
    }

    /// A number of a constant array, by a counter below `count` that may be a float.
    fn element(&mut self, counter: &str, count: u32) -> Option<String> {
        let fits = |variable: &&Variable| {
            !variable.writable && matches!(variable.ty, Array(_, most) if most >= count)
        };
        let found: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let Variable { name, ty, .. } = &found[self.below(found.len() as u32) as usize];
        let channel = if ty.element() == Float { "" } else { ".y" };
        Some(format!("{name}[int({counter})]{channel}"))
    }

    /// A function with a result of a type, or a procedure, that does not run too long here.
    pub(super) fn callable(&mut self, result: Option<Type>) -> Option<Function> {
        let fits = |function: &&Function| {
            function.result == result && function.cost * self.repeats <= MAX_REPEATS
        };
        let all: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let function = all[self.below(all.len() as u32) as usize].clone();
        self.cost = self.cost.max(function.cost * self.repeats);
        Some(function)
    }

    /// Calls a procedure with variables that it changes.
    fn call_statement(&mut self) {
        let Some(Function { name, parameters, changed, .. }) = self.callable(None) else {
            return self.assignment();
        };
        let mut arguments: Vec<String> = Vec::new();
        let mut used: Vec<String> = Vec::new();
        for ty in &parameters[..changed] {
            let fits = |variable: &&Variable| {
                let of = variable.ty;
                let part = match ty {
                    Float => matches!(of, Vector(_) | Array(1, _)),
                    Vector(n) => of == Matrix(*n) || of.element() == *ty,
                    Int | Bool | Matrix(_) | Array(..) => false,
                };
                variable.writable && (of == *ty || part) && !used.contains(&variable.name)
            };
            let found: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
            let variable = if found.is_empty() {
                self.declared(*ty)
            } else {
                found[self.below(found.len() as u32) as usize].clone()
            };
            used.push(variable.name.clone());
            arguments.push(match variable.ty {
                of if of == *ty => variable.name,
                Vector(n) => format!("{}.{}", variable.name, &"xyzw"[..n as usize][..1]),
                of => format!("{}[{}]", variable.name, self.index_of(of)),
            });
        }
        for ty in &parameters[changed..] {
            arguments.push(self.expression(*ty, 2));
        }
        self.line(&format!("{name}({});", arguments.join(", ")));
    }

    fn assignment(&mut self) {
        let writable: Vec<Variable> =
            self.variables.iter().filter(|variable| variable.writable).cloned().collect();
        if writable.is_empty() {
            self.declared(Float);
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
                (format!("{name}.{swizzle}"), Type::of(width))
            }
            Vector(_) if self.chance(15) => (format!("{name}[{}]", self.index_of(ty)), Float),
            Matrix(n) if self.chance(40) => {
                let column = format!("{name}[{}]", self.index_of(ty));
                if self.chance(30) {
                    (format!("{column}[{}]", self.index_of(Vector(n))), Float)
                } else {
                    (column, Vector(n))
                }
            }
            Array(n, _) if n > 1 && self.chance(40) => {
                let letter = self.random.pick(&["x", "y"]);
                (format!("{name}[{}].{letter}", self.index_of(ty)), Float)
            }
            Array(..) => (format!("{name}[{}]", self.index_of(ty)), ty.element()),
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
