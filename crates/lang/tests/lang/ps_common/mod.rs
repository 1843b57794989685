//! An independent reading of ps_3_0: shaders as trees, their text, and an interpreter that runs one
//! point at a time on the float model. It knows nothing of the compiler; docs/ps_3_0.md says what
//! each instruction is expanded to.

use std::fmt::Write;

pub mod generate;
pub mod interpreter;
pub mod run;

pub type Vec4 = [u32; 4];

/// Texels of every sampler: a square of this size.
pub const TEXELS: u32 = 8;
/// Bits that no result has: memory before a run.
pub const POISON: u32 = 0xdead_beef;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reg {
    R(u32),
    V(u32),
    C(u32),
    Position,
    /// v[aL+n].
    RelativeV(u32),
    /// c[aL+n].
    RelativeC(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Src {
    pub reg: Reg,
    pub swizzle: [u8; 4],
    pub neg: bool,
    pub abs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dst {
    R(u32),
    Color(u32),
    Depth,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    pub not: bool,
    pub channel: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cond {
    Bool(u32, bool),
    Predicate(u8, bool),
    Compare(&'static str, Src, Src),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Op {
        op: &'static str,
        sat: bool,
        gate: Option<Gate>,
        dst: Dst,
        mask: u8,
        src: Vec<Src>,
    },
    SetP {
        compare: &'static str,
        gate: Option<Gate>,
        mask: u8,
        src: [Src; 2],
    },
    Fetch {
        op: &'static str,
        gate: Option<Gate>,
        dst: u32,
        mask: u8,
        coordinate: Src,
        sampler: u32,
        swizzle: [u8; 4],
    },
    Kill {
        gate: Option<Gate>,
        reg: Reg,
        mask: u8,
    },
    If(Cond, Vec<Stmt>, Option<Vec<Stmt>>),
    Rep(u32, Vec<Stmt>),
    Loop(u32, Vec<Stmt>),
    Break(Option<Cond>),
    Call(u32, Option<Cond>),
}

/// A shader with everything it runs on, except what differs from point to point.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Values that `def` gives.
    pub defs: Vec<(u32, Vec4)>,
    /// Values of the other constants, c0 on.
    pub floats: Vec<Vec4>,
    /// Integer constants i0 on: count, start, step; true: by `defi`.
    pub ints: Vec<(bool, [i32; 3])>,
    /// Boolean constants b0 on; true first: by `defb`.
    pub bools: Vec<(bool, bool)>,
    pub main: Vec<Stmt>,
    /// Subroutines l0 on; each calls only later ones.
    pub subs: Vec<Vec<Stmt>>,
    pub textures: Vec<Vec<Vec4>>,
}

/// The outputs of a point: `None` where it wrote nothing.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Result {
    pub colors: [[Option<u32>; 4]; 4],
    pub depth: Option<u32>,
    pub killed: bool,
}

const XYZW: [char; 4] = ['x', 'y', 'z', 'w'];

fn letters(channels: impl IntoIterator<Item = u8>) -> String {
    channels.into_iter().map(|n| XYZW[n as usize]).collect()
}

fn mask_text(mask: u8) -> String {
    match mask {
        15 => String::new(),
        mask => format!(".{}", letters((0..4).filter(|n| mask >> n & 1 != 0))),
    }
}

impl Reg {
    pub fn text(self) -> String {
        match self {
            Reg::R(n) => format!("r{n}"),
            Reg::V(n) => format!("v{n}"),
            Reg::C(n) => format!("c{n}"),
            Reg::Position => "vPos".to_string(),
            Reg::RelativeV(n) => format!("v[aL+{n}]"),
            Reg::RelativeC(n) => format!("c{n}[aL]"),
        }
    }
}

impl Src {
    pub fn new(reg: Reg) -> Src {
        Src { reg, swizzle: [0, 1, 2, 3], neg: false, abs: false }
    }
    pub fn text(self) -> String {
        let sign = if self.neg { "-" } else { "" };
        let abs = if self.abs { "_abs" } else { "" };
        let swizzle = match self.swizzle {
            [0, 1, 2, 3] => String::new(),
            [a, b, c, d] if b == c && c == d && a == b => format!(".{}", letters([a])),
            [a, b, c, d] if c == d && b == c => format!(".{}", letters([a, b])),
            other => format!(".{}", letters(other)),
        };
        format!("{sign}{}{abs}{swizzle}", self.reg.text())
    }
}

fn gate_text(gate: Option<Gate>) -> String {
    match gate {
        None => String::new(),
        Some(Gate { not, channel }) => {
            let not = if not { "!" } else { "" };
            let channel = channel.map_or(String::new(), |n| format!(".{}", letters([n])));
            format!("({not}p0{channel}) ")
        }
    }
}

impl Cond {
    /// The end of the instruction's name and its operands.
    fn text(self) -> (String, String) {
        let not = |not: bool| if not { "!" } else { "" };
        match self {
            Cond::Bool(n, inverted) => (String::new(), format!("{}b{n}", not(inverted))),
            Cond::Predicate(n, inverted) => {
                (String::new(), format!("{}p0.{}", not(inverted), letters([n])))
            }
            Cond::Compare(compare, a, b) => {
                (format!("_{compare}"), format!("{}, {}", a.text(), b.text()))
            }
        }
    }
}

/// A number as `def` takes it.
pub fn number(bits: u32) -> String {
    let value = f32::from_bits(bits);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match value.is_finite() {
        true => format!("{value:?}"),
        false if value.is_nan() => format!("{sign}1.#QNAN"),
        false => format!("{sign}1.#INF"),
    }
}

impl Shader {
    pub fn text(&self) -> String {
        let mut text = "ps_3_0\ndcl vPos.xy\n".to_string();
        for n in 0..7 {
            let _ = writeln!(text, "dcl_texcoord{n} v{n}");
        }
        for n in 0..self.textures.len() {
            let _ = writeln!(text, "dcl_2d s{n}");
        }
        for (n, value) in &self.defs {
            let values = value.map(number).join(", ");
            let _ = writeln!(text, "def c{n}, {values}");
        }
        for (n, (defined, [a, b, c])) in self.ints.iter().enumerate() {
            if *defined {
                let _ = writeln!(text, "defi i{n}, {a}, {b}, {c}, 0");
            }
        }
        for (n, (defined, value)) in self.bools.iter().enumerate() {
            if *defined {
                let _ = writeln!(text, "defb b{n}, {value}");
            }
        }
        body(&mut text, &self.main, 0);
        for (n, sub) in self.subs.iter().enumerate() {
            let _ = writeln!(text, "ret\nlabel l{n}");
            body(&mut text, sub, 1);
        }
        if !self.subs.is_empty() {
            text.push_str("ret\n");
        }
        text
    }
}

fn body(text: &mut String, list: &[Stmt], depth: usize) {
    for stmt in list {
        let indent = "  ".repeat(depth);
        let _ = write!(text, "{indent}");
        match stmt {
            Stmt::Op { op, sat, gate, dst, mask, src } => {
                let sat = if *sat { "_sat" } else { "" };
                let dst = match dst {
                    Dst::R(n) => format!("r{n}{}", mask_text(*mask)),
                    Dst::Color(n) => format!("oC{n}{}", mask_text(*mask)),
                    Dst::Depth => "oDepth".to_string(),
                };
                let sources: String = src.iter().map(|src| format!(", {}", src.text())).collect();
                let _ = writeln!(text, "{}{op}{sat} {dst}{sources}", gate_text(*gate));
            }
            Stmt::SetP { compare, gate, mask, src: [a, b] } => {
                let _ = writeln!(
                    text,
                    "{}setp_{compare} p0{}, {}, {}",
                    gate_text(*gate),
                    mask_text(*mask),
                    a.text(),
                    b.text()
                );
            }
            Stmt::Fetch { op, gate, dst, mask, coordinate, sampler, swizzle } => {
                let swizzle = match swizzle {
                    [0, 1, 2, 3] => String::new(),
                    other => format!(".{}", letters(*other)),
                };
                let coordinate = coordinate.text();
                let gradients = match *op {
                    "texldd" => format!(", {coordinate}, r0"),
                    _ => String::new(),
                };
                let _ = writeln!(
                    text,
                    "{}{op} r{dst}{}, {coordinate}, s{sampler}{swizzle}{gradients}",
                    gate_text(*gate),
                    mask_text(*mask),
                );
            }
            Stmt::Kill { gate, reg, mask } => {
                let _ = writeln!(
                    text,
                    "{}texkill {}{}",
                    gate_text(*gate),
                    reg.text(),
                    mask_text(*mask)
                );
            }
            Stmt::If(cond, then, other) => {
                let (end, operands) = cond.text();
                let _ = writeln!(text, "if{end} {operands}");
                body(text, then, depth + 1);
                if let Some(other) = other {
                    let _ = writeln!(text, "{indent}else");
                    body(text, other, depth + 1);
                }
                let _ = writeln!(text, "{indent}endif");
            }
            Stmt::Rep(n, list) => {
                let _ = writeln!(text, "rep i{n}");
                body(text, list, depth + 1);
                let _ = writeln!(text, "{indent}endrep");
            }
            Stmt::Loop(n, list) => {
                let _ = writeln!(text, "loop aL, i{n}");
                body(text, list, depth + 1);
                let _ = writeln!(text, "{indent}endloop");
            }
            Stmt::Break(None) => text.push_str("break\n"),
            Stmt::Break(Some(cond)) => {
                let (end, operands) = cond.text();
                let name = if end.is_empty() { "breakp" } else { "break" };
                let _ = writeln!(text, "{name}{end} {operands}");
            }
            Stmt::Call(n, None) => {
                let _ = writeln!(text, "call l{n}");
            }
            Stmt::Call(n, Some(cond)) => {
                let _ = writeln!(text, "callnz l{n}, {}", cond.text().1);
            }
        }
    }
}
