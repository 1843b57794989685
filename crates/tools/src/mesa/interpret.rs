//! Runs a listing for all points of a domain together.
//!
//! The arithmetic is the chip's. Each value knows whether it was rounded, and each point whether a rounded
//! value decided its way. A value that depends on a register that nothing has written is undefined: a later
//! pass may change it.

use super::listing::{
    Atom, Component, Destination, Fetch, FetchOp, File, Lane, Line, Op, Operand, Statement, Unit,
    Value,
};
use super::number::Number;
use super::operations::{self, Lanes};
use ctm_isa::float;
use ctm_isa::isa::FieldValue;
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
    /// The rule for fetches outside it.
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

/// The settings of a run of a listing besides its [`Scene`].
pub struct Setting<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The constants by number; those above are 0.
    pub constants: &'a [[Number; 4]],
    /// Whether SIN and COS count in turns, and what an argument is multiplied with otherwise.
    pub turns: Option<u32>,
    /// The most statements that a run executes: after that, points that are still in a loop are endless.
    pub limit: u64,
    /// The stop that ends the run early.
    pub stop: &'a Stop,
    /// The point whose steps are kept.
    pub watched: Option<usize>,
}

/// The effect of a statement at the point that is watched.
#[derive(Clone, Debug)]
pub struct Step {
    /// The index of the statement.
    pub statement: usize,
    /// The values that it wrote: the file (`AluResult` for the flag), the channel, and the value.
    pub written: Vec<(File, u8, Number)>,
}

/// A component of an output; `None` is not written.
pub type Cell = Option<Number>;

/// The results of a pass.
#[derive(Clone, Debug)]
pub struct Values {
    /// The outputs, numbered as the listing does: for each point its channels.
    pub outputs: BTreeMap<(File, u16), Vec<[Cell; 4]>>,
    /// The points that were killed.
    pub killed: Vec<bool>,
    /// The points whose loops did not end.
    pub endless: Vec<bool>,
    /// The steps of the watched point.
    pub steps: Vec<Step>,
    /// The points whose way a rounded value decided.
    pub rounded: Vec<bool>,
    /// The points whose way an undefined value decided.
    pub undefined: Vec<bool>,
    /// Statements executed, each for all points; 0 of machine code.
    pub executed: u64,
}

impl Values {
    /// The state of `points` points before anything runs.
    pub fn of(points: usize) -> Values {
        let none = || vec![false; points];
        let (killed, endless, rounded, undefined) = (none(), none(), none(), none());
        let (outputs, steps) = (BTreeMap::new(), Vec::new());
        Values { outputs, killed, endless, rounded, undefined, steps, executed: 0 }
    }
}

/// Errors of a pass or a program without a result.
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

/// A register of all points.
type Register = Vec<[Number; 4]>;

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
    /// The results so far.
    values: Values,
    /// `aluresult`.
    flag: Vec<Number>,
    active: Vec<bool>,
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
        values: Values::of(points),
        flag: vec![Number::UNDEFINED; points],
        active: vec![true; points],
    };
    run.values.executed = run.all(lines)?;
    Ok(run.values)
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
            if self.setting.watched.is_some_and(|point| self.active[point]) {
                self.values.steps.push(Step { statement: at - 1, written: Vec::new() });
            }
            match &line.statement {
                Statement::Nothing => {}
                Statement::Compute(units) => self.compute(units),
                Statement::Fetch(fetch) => self.fetch(fetch),
                Statement::Kill(operand) => self.kill(operand),
                Statement::If(lane) => {
                    let mut taken = self.active.clone();
                    for (point, taken) in taken.iter_mut().enumerate().filter(|(_, taken)| **taken)
                    {
                        let test = self.lane(lane, point);
                        self.decides(point, test);
                        *taken = test.bits.is_some_and(|bits| !float::is_zero(bits));
                    }
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
                            join(&mut self.values.endless, &without(before, left));
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

    /// Notes that a value decides the way of a point.
    fn decides(&mut self, point: usize, test: Number) {
        self.values.rounded[point] |= !test.exact;
        self.values.undefined[point] |= test.bits.is_none();
    }

    /// The value of an atom at a point.
    fn atom(&self, atom: Atom, point: usize) -> Number {
        let Component { file, index, channel } = match atom {
            Atom::Unused => return Number::ZERO,
            Atom::Bits(bits) => return Number::exact(bits),
            Atom::Component(component) => component,
        };
        let scene = self.setting.scene;
        match file {
            File::Const => {
                let constant = self.setting.constants.get(usize::from(index));
                constant.map_or(Number::ZERO, |constant| constant[usize::from(channel)])
            }
            File::Input => {
                let input = scene.inputs.get(&index);
                Number::exact(input.map_or(0, |input| input[point][usize::from(channel)]))
            }
            File::AluResult => self.flag[point],
            File::Temp | File::Output | File::Color | File::Depth => {
                let register = self.registers[file as usize].get(usize::from(index));
                let values = register.and_then(|register| register.get(point));
                values.map_or(Number::UNDEFINED, |values| values[usize::from(channel)])
            }
        }
    }

    fn lane(&self, lane: &Lane, point: usize) -> Number {
        let value = match lane.value {
            Value::Atom(atom) => self.atom(atom, point),
            Value::Presub(op, a, b) => {
                Number::presubtract(op, self.atom(a, point), self.atom(b, point))
            }
        };
        let value = if lane.abs { value.map(float::abs) } else { value };
        if lane.negate { value.negated() } else { value }
    }

    fn operand(&self, operand: &Operand, point: usize) -> [Number; 4] {
        [0, 1, 2, 3].map(|lane| self.lane(&operand[lane], point))
    }

    fn kill(&mut self, operand: &Operand) {
        let active = (0..self.active.len()).filter(|&point| self.active[point]);
        for point in active.collect::<Vec<_>>() {
            for test in self.operand(operand, point) {
                self.decides(point, test);
                self.values.killed[point] |= test.bits.is_some_and(float::fast::kills);
            }
        }
    }

    /// Writes a value of a point, if the point is active.
    fn write(&mut self, write: &Destination, point: usize, value: [Number; 4]) {
        let points = self.active.len();
        let key = (write.file, write.index);
        let (file, number) = (&mut self.registers[write.file as usize], usize::from(write.index));
        if file.len() <= number {
            file.resize(number + 1, Register::new());
        }
        let register = &mut file[number];
        if register.is_empty() {
            register.resize(points, [Number::UNDEFINED; 4]);
        }
        for channel in (0..4).filter(|channel| write.mask >> channel & 1 != 0) {
            register[point][channel] = value[channel];
        }
        if self.setting.watched == Some(point)
            && let Some(step) = self.values.steps.last_mut()
        {
            let channels = (0..4).filter(|channel| write.mask >> channel & 1 != 0);
            step.written.extend(channels.map(|n| (write.file, n, value[usize::from(n)])));
        }
        if write.file != File::Temp {
            let missing = || vec![[None; 4]; points];
            let output = self.values.outputs.entry(key).or_insert_with(missing);
            for channel in (0..4).filter(|channel| write.mask >> channel & 1 != 0) {
                output[point][channel] = Some(value[channel]);
            }
        }
    }

    fn compute(&mut self, units: &[Unit]) {
        let active: Vec<usize> =
            (0..self.active.len()).filter(|&point| self.active[point]).collect();
        // Both units read before one writes.
        let result = |unit| {
            let lanes = operations::needed(unit);
            let point = |&point| operations::result(&At { run: self, point }, unit, lanes);
            active.iter().map(point).collect()
        };
        let raw: Vec<Register> = units.iter().map(result).collect();
        for (n, unit) in units.iter().enumerate() {
            let taken = match unit.op {
                Op::ReplAlpha => units.iter().position(|other| other.op != Op::ReplAlpha),
                _ => Some(n),
            };
            for (at, &point) in active.iter().enumerate() {
                let mut value = taken.map_or([Number::UNDEFINED; 4], |taken| raw[taken][at]);
                if unit.op == Op::ReplAlpha {
                    value = [value[3]; 4];
                }
                let value = value.map(|x| x.finished(unit.finish));
                for write in &unit.writes {
                    self.write(write, point, value);
                }
                if let Some((channel, compare)) = unit.sets_flag {
                    let holds = |x| u32::from(x) * float::ONE;
                    self.flag[point] = match compare {
                        Ok(always) => Number::exact(holds(always)),
                        Err(compare) => value[usize::from(channel)]
                            .map(|x| holds(compare.test(f32::from_bits(float::ftz(x))))),
                    };
                    if self.setting.watched == Some(point)
                        && let Some(step) = self.values.steps.last_mut()
                    {
                        step.written.push((File::AluResult, 0, self.flag[point]));
                    }
                }
            }
        }
    }

    /// The operand at the first point of the quad and the next one, as the chip's MDH and MDV:
    /// a * b + next a, with b = -1 where a listing has none. Where points of the quad have left, it is as
    /// uncertain as if it was rounded.
    fn difference(&self, unit: &Unit, point: usize, next: (usize, usize)) -> [Number; 4] {
        let scene = self.setting.scene;
        let (i0, j0) = (scene.first.0 as usize, scene.first.1 as usize);
        let (i, j) = ((point % scene.width + i0) & !1, (point / scene.width + j0) & !1);
        let at = |i: usize, j: usize| {
            let (i, j) = (i.checked_sub(i0)?, j.checked_sub(j0)?);
            (i < scene.width && j < scene.height).then_some(j * scene.width + i)
        };
        [0, 1, 2, 3].map(|channel| {
            let value = |i, j| match at(i, j) {
                Some(point) => {
                    let value = self.lane(&unit.operands[0][channel], point);
                    Number { exact: value.exact && self.active[point], ..value }
                }
                None => Number::UNDEFINED,
            };
            let factor = if unit.operands[1][channel].is_used() {
                self.lane(&unit.operands[1][channel], point)
            } else {
                Number::ONE.negated()
            };
            value(i, j).times(factor).plus(value(i + next.0, j + next.1))
        })
    }

    fn fetch(&mut self, fetch: &Fetch) {
        let scene = self.setting.scene;
        let texture = scene.textures.get(usize::from(fetch.unit)).and_then(Option::as_ref);
        for point in 0..self.active.len() {
            if !self.active[point] {
                continue;
            }
            let [s, t, _, q] = self.operand(&fetch.coordinate, point);
            let (s, t) = match fetch.op {
                FetchOp::Txp => (s.times(q.reciprocal()), t.times(q.reciprocal())),
                FetchOp::Tex | FetchOp::Txb | FetchOp::Txl | FetchOp::Txd => (s, t),
            };
            let place = s.with(t, |_, _| 0);
            let texel = match (texture, s.bits, t.bits) {
                (None, ..) => [Number::ZERO; 4],
                (Some(texture), Some(s), Some(t)) => {
                    let texel = |x, size: u32| {
                        let scale = if fetch.unscaled { 1.0 } else { size as f32 };
                        let index = float::texel_index(float::mul(
                            float::ftz(x),
                            f32::to_bits(scale),
                            false,
                        ));
                        wrap_coordinate(texture.wrap, index.into(), size) as usize
                    };
                    let (x, y) = (texel(s, texture.width), texel(t, texture.height));
                    let texel = texture.texels[y * texture.width as usize + x];
                    texel.map(|bits| Number::exact(bits).decided_by(place))
                }
                _ => [place; 4],
            };
            let value = fetch.swizzle.map(|from| {
                let value = texel[from.code() as usize];
                if fetch.saturate { value.finished(8) } else { value }
            });
            self.write(&fetch.write, point, value);
        }
    }
}

/// The values of a point.
struct At<'a> {
    run: &'a Run<'a>,
    point: usize,
}

impl Lanes for At<'_> {
    type Value = Number;

    fn literal(&self, bits: u32) -> Number {
        Number::exact(bits)
    }

    fn undefined(&self) -> Number {
        Number::UNDEFINED
    }

    fn lane(&self, lane: &Lane) -> Number {
        self.run.lane(lane, self.point)
    }

    fn turns(&self, x: Number) -> Number {
        match self.run.setting.turns {
            None => x,
            Some(factor) => x.times(Number::rounded(factor)).fraction(),
        }
    }

    fn difference(&self, unit: &Unit, next: (usize, usize)) -> [Number; 4] {
        self.run.difference(unit, self.point, next)
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
