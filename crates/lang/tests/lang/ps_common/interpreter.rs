//! The interpreter: one point at a time, on the float model.

use super::{Cond, Dst, Gate, Reg, Result, Shader, Src, Stmt, TEXELS, Vec4};
use ctm_isa::float;
use ctm_isa::isa::{Comparison, FieldValue};

impl Shader {
    /// Runs one point.
    pub fn point(&self, position: [u32; 2], inputs: [Vec4; 7]) -> Result {
        let mut constants = [[0; 4]; 256];
        for (n, value) in self.floats.iter().enumerate() {
            constants[n] = *value;
        }
        for (n, value) in &self.defs {
            constants[*n as usize] = *value;
        }
        let mut point = Point {
            shader: self,
            constants,
            position: [(position[0] as f32).to_bits(), (position[1] as f32).to_bits(), 0, 0],
            inputs,
            temps: [[0; 4]; 32],
            predicate: [false; 4],
            counter: 0,
            result: Result::default(),
        };
        point.body(&self.main);
        if point.result.killed {
            return Result { killed: true, ..Result::default() };
        }
        point.result
    }
}

struct Point<'s> {
    shader: &'s Shader,
    constants: [Vec4; 256],
    position: Vec4,
    inputs: [Vec4; 7],
    temps: [Vec4; 32],
    predicate: [bool; 4],
    counter: i32,
    result: Result,
}

const LARGEST: u32 = 0x7f7f_ffff;

/// 1 / (2 pi), rounded.
fn turns() -> u32 {
    ((0.5 / std::f64::consts::PI) as f32).to_bits()
}

/// a cmp b: the sign of a rounded difference.
fn compare(name: &str, a: u32, b: u32) -> bool {
    let difference = |a, b| float::add(a, float::neg(b));
    match name {
        "lt" => float::less(difference(a, b), 0),
        "gt" => float::less(difference(b, a), 0),
        "ge" => float::compare(Comparison::GreaterEqual.code(), difference(a, b)),
        "le" => float::compare(Comparison::GreaterEqual.code(), difference(b, a)),
        "eq" => float::is_zero(difference(a, b)),
        "ne" => !float::is_zero(difference(a, b)),
        other => panic!("{other}"),
    }
}

/// The result of an instruction, for all four channels; true: an argument bit for bit.
pub fn evaluate(op: &str, src: &[Vec4], rows: &[Vec4]) -> (bool, Vec4) {
    let mul = |a, b| float::mul(a, b, false);
    let [a, b, c] = [0, 1, 2].map(|n| src.get(n).copied().unwrap_or_default());
    let each = |f: &dyn Fn(usize) -> u32| [0, 1, 2, 3].map(f);
    let three = |v: Vec4| [v[0], v[1], v[2]];
    let minus = float::neg;
    match op {
        "mov" => (true, a),
        "abs" => (true, a.map(float::abs)),
        "min" => (true, each(&|n| float::min(a[n], b[n]))),
        "max" => (true, each(&|n| float::max(a[n], b[n]))),
        "cmp" => (true, each(&|n| float::cmp(b[n], c[n], a[n]))),
        "add" => (false, each(&|n| float::add(a[n], b[n]))),
        "sub" => (false, each(&|n| float::add(a[n], minus(b[n])))),
        "mul" => (false, each(&|n| mul(a[n], b[n]))),
        "mad" => (false, each(&|n| float::add(mul(a[n], b[n]), c[n]))),
        "lrp" => {
            let one = |n: usize| float::add(mul(a[n], float::add(b[n], minus(c[n]))), c[n]);
            (false, each(&one))
        }
        "frc" => (false, a.map(float::frc)),
        "dp2add" => {
            let sum = float::d2a([a[0], a[1]], [b[0], b[1]], c[0], false);
            (false, [sum; 4])
        }
        "dp3" => (false, [float::dp3(three(a), three(b), false); 4]),
        "dp4" => (false, [float::dp4(a, b, false); 4]),
        "rcp" => (false, [float::rcp(a[0]); 4]),
        "rsq" => (false, [float::rsq(float::abs(a[0])); 4]),
        "exp" => (false, [float::ex2(a[0]); 4]),
        "log" => (false, [float::ln2(float::abs(a[0])); 4]),
        "pow" => {
            let log = float::max(minus(LARGEST), float::ln2(float::abs(a[0])));
            (false, [float::ex2(mul(log, b[0])); 4])
        }
        "nrm" => {
            let length = float::rsq(float::dp3(three(a), three(a), false));
            let length = float::min(LARGEST, length);
            (false, each(&|n| mul(a[n], length)))
        }
        "crs" => {
            let one = |n: usize| {
                let (l, r) = ((n + 1) % 3, (n + 2) % 3);
                float::add(mul(a[l], b[r]), minus(mul(a[r], b[l])))
            };
            (false, [one(0), one(1), one(2), 0])
        }
        "sincos" => {
            let angle = mul(a[0], turns());
            (false, [float::cos(angle), float::sin(angle), 0, 0])
        }
        "m3x2" | "m3x3" | "m3x4" => {
            let row =
                |n: usize| rows.get(n).map_or(0, |row| float::dp3(three(a), three(*row), false));
            (false, each(&row))
        }
        "m4x3" | "m4x4" => {
            let row = |n: usize| rows.get(n).map_or(0, |row| float::dp4(a, *row, false));
            (false, each(&row))
        }
        other => panic!("{other}"),
    }
}

impl Point<'_> {
    fn register(&self, reg: Reg) -> Vec4 {
        let relative = |n: u32| (n as i32 + self.counter) as usize;
        match reg {
            Reg::R(n) => self.temps[n as usize],
            Reg::V(n) => self.inputs[n as usize],
            Reg::C(n) => self.constants[n as usize],
            Reg::Position => self.position,
            Reg::RelativeV(n) => self.inputs[relative(n)],
            Reg::RelativeC(n) => self.constants[relative(n)],
        }
    }

    fn read(&self, src: Src) -> Vec4 {
        let value = self.register(src.reg);
        src.swizzle.map(|channel| {
            let bits = value[channel as usize];
            let bits = if src.abs { float::abs(bits) } else { bits };
            if src.neg { float::neg(bits) } else { bits }
        })
    }

    /// The channels that a gate leaves open.
    fn open(&self, gate: Option<Gate>) -> [bool; 4] {
        match gate {
            None => [true; 4],
            Some(Gate { not, channel }) => [0, 1, 2, 3].map(|n| {
                let bit = self.predicate[channel.map_or(n, usize::from)];
                bit != not
            }),
        }
    }

    fn holds(&self, cond: Cond) -> bool {
        match cond {
            Cond::Bool(n, not) => self.shader.bools[n as usize].1 != not,
            Cond::Predicate(n, not) => self.predicate[n as usize] != not,
            Cond::Compare(name, a, b) => compare(name, self.read(a)[0], self.read(b)[0]),
        }
    }

    /// True: a `break` leaves the loop around.
    fn body(&mut self, list: &[Stmt]) -> bool {
        list.iter().any(|stmt| self.stmt(stmt) || self.result.killed)
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Op { op, sat, gate, dst, mask, src } => {
                let values: Vec<Vec4> = src.iter().map(|src| self.read(*src)).collect();
                let rows: Vec<Vec4> = match (op.starts_with('m') && op.contains('x'), src.get(1)) {
                    (true, Some(src)) if *op != "max" => (0..4)
                        .map(|n| {
                            let reg = match src.reg {
                                Reg::R(m) => Reg::R((m + n).min(31)),
                                Reg::C(m) => Reg::C((m + n).min(255)),
                                other => other,
                            };
                            self.read(Src { reg, ..*src })
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                let (exact, mut result) = evaluate(op, &values, &rows);
                if *sat {
                    result = result.map(|bits| float::clamp01(float::omod(bits, 0)));
                } else if !exact {
                    result = result.map(|bits| float::omod(bits, 0));
                }
                let open = self.open(*gate);
                if *dst == Dst::Depth {
                    if open[0] {
                        self.result.depth = Some(result[0]);
                    }
                    return false;
                }
                for n in (0..4).filter(|&n| mask >> n & 1 != 0 && open[n]) {
                    match dst {
                        Dst::R(m) => self.temps[*m as usize][n] = result[n],
                        Dst::Color(m) => self.result.colors[*m as usize][n] = Some(result[n]),
                        Dst::Depth => {}
                    }
                }
            }
            Stmt::SetP { compare: name, gate, mask, src: [a, b] } => {
                let (a, b) = (self.read(*a), self.read(*b));
                let open = self.open(*gate);
                for n in (0..4).filter(|&n| mask >> n & 1 != 0 && open[n]) {
                    self.predicate[n] = compare(name, a[n], b[n]);
                }
            }
            Stmt::Fetch { op, gate, dst, mask, coordinate, sampler, swizzle } => {
                let [s, t, _, q] = self.read(*coordinate);
                let scale = |x: u32| match *op {
                    "texldp" => float::mul(x, float::rcp(q), false),
                    _ => x,
                };
                let texel = |x: u32| float::texel_index(scale(x)).clamp(0, TEXELS as i32 - 1);
                let (x, y) = (texel(s) as usize, texel(t) as usize);
                let found = self.shader.textures[*sampler as usize][y * TEXELS as usize + x];
                let open = self.open(*gate);
                for n in (0..4).filter(|&n| mask >> n & 1 != 0 && open[n]) {
                    self.temps[*dst as usize][n] = found[swizzle[n] as usize];
                }
            }
            Stmt::Kill { gate, reg, mask } => {
                let value = self.register(*reg);
                let open = self.open(*gate);
                self.result.killed |=
                    (0..4).any(|n| mask >> n & 1 != 0 && open[n] && float::less(value[n], 0));
            }
            Stmt::If(cond, then, other) => {
                return match (self.holds(*cond), other) {
                    (true, _) => self.body(then),
                    (false, Some(other)) => self.body(other),
                    (false, None) => false,
                };
            }
            Stmt::Rep(n, list) => {
                for _ in 0..self.shader.ints[*n as usize].1[0] {
                    if self.body(list) {
                        break;
                    }
                }
            }
            Stmt::Loop(n, list) => {
                let [count, start, step] = self.shader.ints[*n as usize].1;
                let outer = std::mem::replace(&mut self.counter, start);
                for _ in 0..count {
                    if self.body(list) {
                        break;
                    }
                    self.counter += step;
                }
                self.counter = outer;
            }
            Stmt::Break(cond) => return cond.is_none_or(|cond| self.holds(cond)),
            Stmt::Call(n, cond) => {
                if cond.is_none_or(|cond| self.holds(cond)) {
                    self.body(&self.shader.subs[*n as usize]);
                }
            }
        }
        false
    }
}
