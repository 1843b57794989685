//! Runs a listing for all points of a domain at the same time.
//!
//! The arithmetic is the chip's. A value that depends on a register that nothing has written is
//! undefined: a later pass may change it.

use super::listing::{
    Atom, Component, Destination, Fetch, FetchOp, File, Lane, Line, Op, Operand, Statement, Unit,
    Value,
};
use ctm_isa::float::{self, add, mul};
use ctm_isa::isa::{FieldValue, Presub};
use ctm_machine::engine::{Stop, Stopped};
use ctm_machine::memory::{Wrap, wrap_coordinate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A texture, its elements row by row.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What fetches outside it read.
    pub wrap: Wrap,
    /// The bits of its elements.
    pub texels: Arc<Vec<[u32; 4]>>,
}

/// Everything outside the program that its result depends on.
#[derive(Clone, Debug)]
pub struct Scene {
    /// First column and row of the domain.
    pub first: (u32, u32),
    /// Columns of the domain.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The inputs, a value for each point, row by row.
    pub inputs: BTreeMap<u16, Arc<Vec<[u32; 4]>>>,
    /// The textures of units 0 to 15.
    pub textures: Vec<Option<Texture>>,
}

impl Scene {
    /// The number of points.
    pub fn points(&self) -> usize {
        self.width * self.height
    }
}

/// What a listing is run with besides its [`Scene`].
pub struct Setting<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The value of a component of a constant, as bits.
    pub constant: &'a dyn Fn(u16, u8) -> u32,
    /// Whether SIN and COS count in turns, and what an argument is multiplied with otherwise.
    pub turns: Option<u32>,
    /// The most statements that a run executes: after that, points that are still in a loop are endless.
    pub limit: u64,
    /// What ends the run early.
    pub stop: &'a Stop,
}

/// A component of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Not written.
    Missing,
    /// Depends on a register that nothing has written.
    Undefined,
    /// Its bits.
    Value(u32),
}

/// What a pass gives.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The outputs, numbered as the listing does: for each point its channels.
    pub outputs: BTreeMap<(File, u16), Vec<[Cell; 4]>>,
    /// The points that were killed.
    pub killed: Vec<bool>,
    /// The points whose loops did not end.
    pub endless: Vec<bool>,
    /// Statements executed, each for all points; 0 of machine code.
    pub executed: u64,
}

/// Why a pass or a program has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BisectError {
    /// The search was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The blocks of a listing do not match, machine code cannot run, or the job does not fit.
    #[error("{0}")]
    Reason(String),
}

impl From<String> for BisectError {
    fn from(reason: String) -> BisectError {
        BisectError::Reason(reason)
    }
}

/// A register of all points; `None` is undefined.
type Register = Vec<[Option<u32>; 4]>;

/// The registers that have been written, by number; an empty one has not.
type Registers = Vec<Register>;

/// A block that has begun.
enum Block {
    /// The points before it, and those of its first part.
    If { before: Vec<bool>, taken: Vec<bool> },
    /// The statement after its beginning; the points that began it, left it, or began the next
    /// iteration.
    Loop { start: usize, before: Vec<bool>, left: Vec<bool>, skipped: Vec<bool> },
}

struct Run<'a> {
    setting: &'a Setting<'a>,
    /// Of each [`File`].
    registers: [Registers; File::COUNT],
    outputs: BTreeMap<(File, u16), Vec<[Cell; 4]>>,
    /// `aluresult`.
    flag: Vec<bool>,
    active: Vec<bool>,
    killed: Vec<bool>,
    endless: Vec<bool>,
}

/// Runs a listing.
///
/// # Errors
/// If its blocks do not match, or the run was stopped.
pub fn run(lines: &[Line], setting: &Setting) -> Result<Values, BisectError> {
    let points = setting.scene.points();
    let mut run = Run {
        setting,
        registers: Default::default(),
        outputs: BTreeMap::new(),
        flag: vec![false; points],
        active: vec![true; points],
        killed: vec![false; points],
        endless: vec![false; points],
    };
    let executed = run.all(lines)?;
    Ok(Values { outputs: run.outputs, killed: run.killed, endless: run.endless, executed })
}

fn and(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

fn without(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && !*b).collect()
}

fn join(a: &mut [bool], b: &[bool]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= *b);
}

impl Run<'_> {
    /// Runs all statements. Returns how many were executed.
    fn all(&mut self, lines: &[Line]) -> Result<u64, BisectError> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut at, mut executed) = (0, 0);
        while let Some(line) = lines.get(at) {
            self.setting.stop.check()?;
            at += 1;
            executed += 1;
            let bad = |what| BisectError::Reason(format!("line {}: {what}", line.number));
            match &line.statement {
                Statement::Nothing => {}
                Statement::Compute(units) => self.compute(units),
                Statement::Fetch(fetch) => self.fetch(fetch),
                Statement::Kill(operand) => self.kill(operand),
                Statement::If(lane) => {
                    let holds = |point| {
                        self.lane(lane, point).is_some_and(|x| {
                            let x = float::ftz(x);
                            !float::is_zero(x)
                        })
                    };
                    let test: Vec<bool> = (0..self.active.len()).map(holds).collect();
                    let taken = and(&self.active, &test);
                    let before = std::mem::replace(&mut self.active, taken.clone());
                    blocks.push(Block::If { before, taken });
                }
                Statement::Else => match blocks.pop() {
                    Some(Block::If { before, taken }) => {
                        self.active = remaining(&blocks, &without(&before, &taken));
                        // A second ELSE would find no points.
                        blocks.push(Block::If { taken: before.clone(), before });
                    }
                    _ => return Err(bad("ELSE without IF")),
                },
                Statement::EndIf => match blocks.pop() {
                    Some(Block::If { before, .. }) => self.active = remaining(&blocks, &before),
                    _ => return Err(bad("ENDIF without IF")),
                },
                Statement::Loop => {
                    let none = vec![false; self.active.len()];
                    let before = self.active.clone();
                    let (left, skipped) = (none.clone(), none);
                    blocks.push(Block::Loop { start: at, before, left, skipped });
                }
                Statement::Break | Statement::Continue => {
                    let inner = blocks.iter_mut().rev().find_map(|block| match block {
                        Block::Loop { left, skipped, .. } => Some((left, skipped)),
                        Block::If { .. } => None,
                    });
                    let (left, skipped) =
                        inner.ok_or_else(|| bad("BRK or CONT without BGNLOOP"))?;
                    let set = match line.statement {
                        Statement::Break => left,
                        _ => skipped,
                    };
                    join(set, &self.active);
                    self.active.fill(false);
                }
                Statement::EndLoop => match blocks.last_mut() {
                    Some(Block::Loop { start, before, left, skipped }) => {
                        skipped.fill(false);
                        if executed > self.setting.limit {
                            join(&mut self.endless, &without(before, left));
                            left.clone_from(before);
                        }
                        self.active = without(before, left);
                        if self.active.contains(&true) {
                            at = *start;
                        } else {
                            self.active.clone_from(before);
                            blocks.pop();
                        }
                    }
                    _ => return Err(bad("ENDLOOP without BGNLOOP")),
                },
            }
        }
        if blocks.is_empty() {
            Ok(executed)
        } else {
            let line = lines.last().map_or(0, |line| line.number);
            Err(format!("line {line}: the listing ends inside a block").into())
        }
    }

    /// The value of an atom at a point; `None` if it is undefined.
    fn atom(&self, atom: Atom, point: usize) -> Option<u32> {
        let Component { file, index, channel } = match atom {
            Atom::Unused => return Some(0),
            Atom::Bits(bits) => return Some(bits),
            Atom::Component(component) => component,
        };
        let scene = self.setting.scene;
        match file {
            File::Const => Some((self.setting.constant)(index, channel)),
            File::Input => {
                Some(scene.inputs.get(&index).map_or(0, |input| input[point][usize::from(channel)]))
            }
            File::AluResult => Some(u32::from(self.flag[point]) * 1.0f32.to_bits()),
            File::Temp | File::Output | File::Color | File::Depth => {
                let register = self.registers[file as usize].get(usize::from(index))?;
                register.get(point)?[usize::from(channel)]
            }
        }
    }

    fn lane(&self, lane: &Lane, point: usize) -> Option<u32> {
        let one = 1.0f32.to_bits();
        let bits = match lane.value {
            Value::Atom(atom) => self.atom(atom, point)?,
            Value::Presub(presub, a, b) => {
                let (a, b) = (self.atom(a, point)?, self.atom(b, point)?);
                match presub {
                    Presub::Bias => float::presub_bias(b),
                    Presub::Inv => add(one, float::neg(b)),
                    Presub::Sub => add(a, float::neg(b)),
                    Presub::Add => add(a, b),
                }
            }
        };
        let bits = if lane.abs { float::abs(bits) } else { bits };
        Some(if lane.negate { float::neg(bits) } else { bits })
    }

    fn operand(&self, operand: &Operand, point: usize) -> [Option<u32>; 4] {
        [0, 1, 2, 3].map(|lane| self.lane(&operand[lane], point))
    }

    fn kill(&mut self, operand: &Operand) {
        for point in 0..self.active.len() {
            let kills = |x: Option<u32>| x.is_some_and(float::fast::kills);
            if self.active[point] && self.operand(operand, point).into_iter().any(kills) {
                self.killed[point] = true;
            }
        }
    }

    /// Writes a value of a point, if the point is active.
    fn write(&mut self, write: &Destination, point: usize, value: [Option<u32>; 4]) {
        let points = self.active.len();
        let key = (write.file, write.index);
        let (file, number) = (&mut self.registers[write.file as usize], usize::from(write.index));
        if file.len() <= number {
            file.resize(number + 1, Register::new());
        }
        let register = &mut file[number];
        if register.is_empty() {
            register.resize(points, [None; 4]);
        }
        for channel in (0..4).filter(|channel| write.mask >> channel & 1 != 0) {
            register[point][channel] = value[channel];
        }
        if write.file != File::Temp {
            let missing = || vec![[Cell::Missing; 4]; points];
            let output = self.outputs.entry(key).or_insert_with(missing);
            for channel in (0..4).filter(|channel| write.mask >> channel & 1 != 0) {
                output[point][channel] = value[channel].map_or(Cell::Undefined, Cell::Value);
            }
        }
    }

    fn compute(&mut self, units: &[Unit]) {
        let active: Vec<usize> =
            (0..self.active.len()).filter(|&point| self.active[point]).collect();
        // Both units read before one writes.
        let raw: Vec<Register> = units
            .iter()
            .map(|unit| active.iter().map(|&point| self.result(unit, point)).collect())
            .collect();
        for (n, unit) in units.iter().enumerate() {
            let taken = match unit.op {
                Op::ReplAlpha => units.iter().position(|other| other.op != Op::ReplAlpha),
                _ => Some(n),
            };
            for (at, &point) in active.iter().enumerate() {
                let mut value = taken.map_or([None; 4], |taken| raw[taken][at]);
                if unit.op == Op::ReplAlpha {
                    value = [value[3]; 4];
                }
                let value = value.map(|x| x.map(|x| float::finish(x, unit.finish)));
                for write in &unit.writes {
                    self.write(write, point, value);
                }
                if let Some((channel, compare)) = unit.sets_flag {
                    let number = value[usize::from(channel)].unwrap_or(0);
                    let number = f32::from_bits(float::ftz(number));
                    self.flag[point] = compare.unwrap_or_else(|compare| compare.test(number));
                }
            }
        }
    }

    /// The operand at the first point of the quad and the next one, as the chip's MDH and MDV:
    /// a * b + next a, with b = -1 where a listing has none.
    fn difference(&self, unit: &Unit, point: usize, next: (usize, usize)) -> [Option<u32>; 4] {
        let scene = self.setting.scene;
        let (i0, j0) = (scene.first.0 as usize, scene.first.1 as usize);
        let (i, j) = ((point % scene.width + i0) & !1, (point / scene.width + j0) & !1);
        let at = |i: usize, j: usize| {
            let (i, j) = (i.checked_sub(i0)?, j.checked_sub(j0)?);
            (i < scene.width && j < scene.height).then_some(j * scene.width + i)
        };
        [0, 1, 2, 3].map(|channel| {
            let value = |i, j| self.lane(&unit.operands[0][channel], at(i, j)?);
            let factor = if unit.operands[1][channel].is_used() {
                self.lane(&unit.operands[1][channel], point)?
            } else {
                (-1.0f32).to_bits()
            };
            Some(add(mul(value(i, j)?, factor, true), value(i + next.0, j + next.1)?))
        })
    }

    /// The result of an operation at a point, before the output modifier.
    fn result(&self, unit: &Unit, point: usize) -> [Option<u32>; 4] {
        let (zero, one) = (0, 1.0f32.to_bits());
        let floor = |x| add(x, float::neg(float::frc(x)));
        let minus = |a, b| add(a, float::neg(b));
        // As Mesa compares: the difference is below 0.
        let less = |x, yes, no| float::cmp(no, yes, x);
        let operand = |n: usize| {
            let operand = unit.operands.get(n);
            operand.map_or([Some(0); 4], |operand| self.operand(operand, point))
        };
        let (a, b, c) = (operand(0), operand(1), operand(2));
        let each = |f: &dyn Fn(usize) -> Option<u32>| [0, 1, 2, 3].map(f);
        let unary = |f: &dyn Fn(u32) -> u32| a.map(|a| a.map(f));
        let binary = |f: &dyn Fn(u32, u32) -> u32| each(&|n| Some(f(a[n]?, b[n]?)));
        // One component of each operand, the first that is used. All lanes get the result.
        let first = |n: usize| {
            let used = unit.operands[n].iter().find(|lane| lane.is_used());
            used.map_or(Some(0), |lane| self.lane(lane, point))
        };
        let scalar = |f: &dyn Fn(u32) -> u32| [first(0).map(f); 4];
        let dot = |terms: usize, last: bool| {
            let a = if last { [a[0], a[1], a[2], a[3].and(Some(one))] } else { a };
            let products = (0..terms).map(|n| Some(mul(a[n]?, b[n]?, true)));
            let products = products.collect::<Option<Vec<u32>>>();
            [products.map(|products| float::sum(&products)); 4]
        };
        match unit.op {
            // The other unit's: see `compute`.
            Op::ReplAlpha => [None; 4],
            Op::Sfl => [Some(zero); 4],
            Op::Abs => unary(&float::abs),
            Op::Ceil => unary(&|a| float::neg(floor(float::neg(a)))),
            Op::Cos => scalar(&|a| float::cos(self.turns(a))),
            Op::Ex2 => scalar(&float::ex2),
            Op::Flr => unary(&floor),
            Op::Frc => unary(&float::frc),
            Op::Lg2 => scalar(&float::ln2),
            Op::Lit => {
                let light = |x: Option<u32>| x.map(|x| float::max(x, zero));
                let shine = light(a[1]).zip(a[3]).map(|(y, w)| power(y, w));
                let shine = a[0].zip(shine).map(|(x, s)| if positive(x) { s } else { zero });
                [Some(one), light(a[0]), shine, Some(one)]
            }
            Op::Mov | Op::Swz => a,
            Op::Rcp => scalar(&float::rcp),
            Op::Round => unary(&|a| floor(add(a, 0.5f32.to_bits()))),
            Op::Rsq => scalar(&|a| float::rsq(float::abs(a))),
            Op::Scs => {
                let turn = a[0].map(|x| self.turns(x));
                [turn.map(float::cos), turn.map(float::sin), Some(zero), Some(zero)]
            }
            Op::Sin => scalar(&|a| float::sin(self.turns(a))),
            Op::Ssg => unary(&|a| less(float::neg(a), one, less(a, float::neg(one), zero))),
            Op::Trunc => unary(&|a| {
                let size = floor(float::abs(a));
                less(a, float::neg(size), size)
            }),
            Op::Add => binary(&add),
            Op::Ddx => self.difference(unit, point, (1, 0)),
            Op::Ddy => self.difference(unit, point, (0, 1)),
            Op::Dp2 => dot(2, false),
            Op::Dp3 => dot(3, false),
            Op::Dp4 => dot(4, false),
            Op::Dph => dot(4, true),
            Op::Dst => [Some(one), product(a[1], b[1]), a[2], b[3]],
            Op::Max => binary(&float::max),
            Op::Min => binary(&float::min),
            Op::Mul => each(&|n| product(a[n], b[n])),
            Op::Pow => [first(0).zip(first(1)).map(|(a, b)| power(a, b)); 4],
            Op::Seq => binary(&|a, b| less(float::nab(minus(a, b)), zero, one)),
            Op::Sge => binary(&|a, b| less(minus(a, b), zero, one)),
            Op::Sgt => binary(&|a, b| less(minus(b, a), one, zero)),
            Op::Sle => binary(&|a, b| less(minus(b, a), zero, one)),
            Op::Slt => binary(&|a, b| less(minus(a, b), one, zero)),
            Op::Sne => binary(&|a, b| less(float::nab(minus(a, b)), one, zero)),
            Op::Sub => binary(&minus),
            Op::Xpd => {
                let term = |p: usize, q: usize| {
                    let back = product(a[q], b[p])?;
                    Some(add(product(a[p], b[q])?, float::neg(back)))
                };
                [term(1, 2), term(2, 0), term(0, 1), Some(one)]
            }
            Op::Cmp => each(&|n| {
                let (test, yes, no) =
                    if unit.paired { (c[n]?, b[n], a[n]) } else { (a[n]?, b[n], c[n]) };
                match (yes, no) {
                    (Some(yes), Some(no)) => Some(less(test, yes, no)),
                    // The other argument does not count.
                    _ if f32::from_bits(float::ftz(test)) >= 0.0 => no,
                    _ => yes,
                }
            }),
            Op::Cnd => each(&|n| match (a[n], b[n]) {
                (Some(a), Some(b)) => Some(float::cnd(a, b, c[n]?)),
                _ if f32::from_bits(c[n]?) > 0.5 => a[n],
                _ => b[n],
            }),
            Op::Lrp => each(&|n| {
                let c = c[n]?;
                Some(add(product(a[n], Some(minus(b[n]?, c)))?, c))
            }),
            Op::Mad => each(&|n| Some(add(product(a[n], b[n])?, c[n]?))),
        }
    }

    /// The argument of SIN or COS in turns.
    fn turns(&self, x: u32) -> u32 {
        match self.setting.turns {
            None => x,
            Some(factor) => float::frc(mul(x, factor, true)),
        }
    }

    fn fetch(&mut self, fetch: &Fetch) {
        let scene = self.setting.scene;
        let texture = scene.textures.get(usize::from(fetch.unit)).and_then(Option::as_ref);
        for point in 0..self.active.len() {
            if !self.active[point] {
                continue;
            }
            let [s, t, _, q] = self.operand(&fetch.coordinate, point);
            let texel = texture.map_or(Some([0; 4]), |texture| {
                let (s, t) = (float::ftz(s?), float::ftz(t?));
                let (s, t) = match fetch.op {
                    FetchOp::Txp => {
                        let reciprocal = float::rcp(float::ftz(q?));
                        (mul(s, reciprocal, false), mul(t, reciprocal, false))
                    }
                    FetchOp::Tex | FetchOp::Txb | FetchOp::Txl | FetchOp::Txd => (s, t),
                };
                let texel = |x, size: u32| {
                    let scale = if fetch.unscaled { 1.0 } else { size as f32 };
                    let index = float::texel_index(mul(x, f32::to_bits(scale), false));
                    wrap_coordinate(texture.wrap, index.into(), size) as usize
                };
                let (x, y) = (texel(s, texture.width), texel(t, texture.height));
                Some(texture.texels[y * texture.width as usize + x])
            });
            let clamp = |x| if fetch.saturate { float::clamp01(x) } else { x };
            let moved = |texel: [u32; 4]| fetch.swizzle.map(|from| texel[from.code() as usize]);
            let value = texel.map_or([None; 4], |texel| moved(texel).map(|x| Some(clamp(x))));
            self.write(&fetch.write, point, value);
        }
    }
}

/// The points of `mask` that have not left the innermost loop nor its iteration.
fn remaining(blocks: &[Block], mask: &[bool]) -> Vec<bool> {
    let inner = blocks.iter().rev().find_map(|block| match block {
        Block::Loop { left, skipped, .. } => Some((left, skipped)),
        Block::If { .. } => None,
    });
    match inner {
        Some((left, skipped)) => without(&without(mask, left), skipped),
        None => mask.to_vec(),
    }
}

/// A product; 0 times anything is 0, even if that is undefined.
fn product(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(mul(a, b, true)),
        (Some(x), None) | (None, Some(x)) if float::is_zero(x) => Some(0),
        _ => None,
    }
}

fn power(a: u32, b: u32) -> u32 {
    float::ex2(mul(float::ln2(a), b, true))
}

fn positive(x: u32) -> bool {
    f32::from_bits(float::ftz(x)) > 0.0
}
