//! The numbers of a job: domain, limits, constants, conditions, temporaries with initial data.

use super::PassCondition;
use super::error::JobError;
use super::loader::Loader;
use super::node::Node;
use super::registers::Registers;
use crate::array::compare::Tolerance;
use ctm_isa::float;
use ctm_isa::isa::FLOAT_CONSTANTS;
use ctm_lang::program::{ConstantKind, NameKind, Program};
use ctm_machine::engine::checked::in_clause;
use ctm_machine::launch::{
    Constants, Domain, FloatMode, Given, Initial, Limits, Location, MAX_BOUND, Test,
};
use ctm_machine::memory::Format;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Reads a domain: four inclusive bounds.
pub fn domain(node: Node<'_>) -> Result<Domain, JobError> {
    let table = node.table("i0 j0 i1 j1")?;
    let bound = |key| table.need(key)?.unsigned(0, MAX_BOUND);
    Ok(Domain { i0: bound("i0")?, j0: bound("j0")?, i1: bound("i1")?, j1: bound("j1")? })
}

/// Reads `[float]`.
pub fn float_mode(root: &Node<'_>) -> Result<FloatMode, JobError> {
    let mode = |mode: Node<'_>| mode.choice(&FloatMode::ALL, FloatMode::name);
    let mode = root.read("float", |node| node.table("mode")?.read("mode", mode))?;
    Ok(mode.flatten().unwrap_or(FloatMode::Exact))
}

/// Reads `[limits]`.
pub fn limits(root: &Node<'_>) -> Result<Limits, JobError> {
    let most = |node: Node<'_>| Ok(node.integer(1, i64::MAX)?.unsigned_abs());
    let limits = root.read("limits", |n| n.table("instructions")?.read("instructions", most))?;
    Ok(limits.flatten().map_or(Limits::default(), |instructions| Limits { instructions }))
}

/// Reads constants, and fills in the program's literals where the job gives no value. Also returns
/// warnings about constants that the program uses but neither gives. `each` has those that differ between
/// repetitions.
pub fn constants<'a>(
    loader: &Loader<'_>,
    node: Option<Node<'a>>,
    each: Option<Node<'a>>,
    program: &Program,
    registers: &mut Registers<'a>,
) -> Result<(Constants, Varying, Vec<String>), JobError> {
    let mut constants = Constants::default();
    let mut varying = Vec::new();
    let mut given = Given::default();
    if let Some(node) = node {
        let table = node.table("float float_file int bool")?;
        let bools = table.get("bool").filter(Node::is_array);
        for (kind, key) in ConstantKind::ALL.map(|kind| (kind, kind.name())) {
            if kind == ConstantKind::Bool && bools.is_some() {
                continue;
            }
            for (n, value) in registers.table(&table, key, program, kind.into())? {
                constants.set(kind, n as usize, constant(&value, kind)?);
                given.add(kind, n as usize);
            }
        }
        if let Some(node) = table.get("float_file") {
            if table.get("float").is_some() {
                return Err(node.conflict("float"));
            }
            let (units, ..) = loader.float_rows(&node, FLOAT_CONSTANTS)?;
            let rows = units.as_chunks::<4>().0;
            constants.float[..rows.len()].copy_from_slice(rows);
            (0..rows.len()).for_each(|n| given.add(ConstantKind::Float, n));
        }
        if let Some(list) = bools {
            // A list sets every boolean constant: those that it does not name are false.
            given.bool = u32::MAX;
            for value in list.array()? {
                constants.bool |= 1 << registers.element(&value, program, NameKind::Bool)?;
            }
        }
    }
    // Those of a shader's uniforms have names: see `shader`.
    let named = program.image().interface.as_ref().into_iter().flat_map(|found| &found.constants);
    named.for_each(|constant| given.add(ConstantKind::Float, constant.addr.into()));
    for kind in ConstantKind::ALL {
        let Some(each) = &each else { break };
        for (n, list) in registers.table(each, kind.name(), program, kind.into())? {
            let n = n as usize;
            // A list of booleans gives those that it does not name, too.
            if given.has(kind, n) && kind != ConstantKind::Bool {
                return Err(list.error("it is given in `constants`, too"));
            }
            let values = list.array()?;
            let values = values.iter().map(|value| constant(value, kind));
            let values: Vec<[u32; 4]> = values.collect::<Result<_, _>>()?;
            given.add(kind, n);
            values.iter().take(1).for_each(|first| constants.set(kind, n, *first));
            varying.push((kind, n, values));
        }
    }
    let warnings = constants.complete(given, program, "the job");
    Ok((constants, varying, warnings))
}

/// Constants with a value for each repetition of a pass.
pub type Varying = Vec<(ConstantKind, usize, Vec<[u32; 4]>)>;

/// The value of a constant, as in a literal of a program. Numbers that are left out are 0.
fn constant(node: &Node<'_>, kind: ConstantKind) -> Result<[u32; 4], JobError> {
    let mut value = [0; 4];
    match kind {
        ConstantKind::Float => return node.channels(),
        ConstantKind::Int => {
            let ranges = [0..=255, 0..=255, -128..=127];
            let numbers = node.numbers(3, "count, aL start, aL step")?;
            for ((value, number), range) in value.iter_mut().zip(&numbers).zip(ranges) {
                *value = number.integer(*range.start(), *range.end())? as u32;
            }
        }
        ConstantKind::Bool => value[0] = node.boolean()?.into(),
    }
    Ok(value)
}

/// Reads a mask: any of the letters r, g, b, a, each at most once; an empty mask is valid.
pub fn mask(node: &Node<'_>) -> Result<u8, JobError> {
    let text = node.string()?;
    let mut mask = 0;
    for letter in text.chars() {
        let bit = "rgba".find(letter).map(|n| 1 << n);
        match bit {
            Some(bit) if mask & bit == 0 => mask |= bit,
            _ => {
                return Err(node.error(format!(
                    "\"{text}\" is not a mask: expected some of the letters r, g, b, a, each at most once"
                )));
            }
        }
    }
    Ok(mask)
}

/// Reads the parts of a condition that both forms share: test, location, value, write. `buffer` is
/// the conditional buffer with its format.
pub fn condition(
    table: &Node<'_>,
    buffer: Option<(usize, Format)>,
) -> Result<PassCondition, JobError> {
    let test = table.need("test")?.choice(&Test::ALL, Test::name)?;
    let location =
        table.need("location")?.choice(&[Location::Dpp, Location::Pe], Location::name)?;
    let value = table.read("value", |node| match buffer {
        Some((_, Format::Uint16x1)) => node.unsigned(0, 0xffff),
        _ => node.float_bits(),
    })?;
    Ok(PassCondition {
        buffer: buffer.map(|(buffer, _)| buffer),
        test,
        location,
        value: value.unwrap_or(0),
        write: table.read("write", |node| node.boolean())?.unwrap_or(true),
    })
}

/// Refuses formats that a conditional buffer cannot have.
pub fn check_condition_format(format: Format) -> Result<(), String> {
    if format.is_basic_single() {
        return Ok(());
    }
    Err(format!("a conditional buffer is FLOAT32_1 or UINT16_1, not {format}"))
}

/// Refuses initial data for a temporary that groups of a program share.
pub fn check_initial(program: &Program, temp: u32, node: &Node<'_>) -> Result<(), JobError> {
    let first = program.sharing().unwrap_or_default().first_clause();
    match (temp as usize).checked_sub(first) {
        None => Ok(()),
        Some(clause) => Err(node.error(in_clause(temp as u8, clause))),
    }
}

/// A temporary with initial data from a file: float32 (height, width, 4), the size of the domain.
pub fn initial(
    loader: &Loader<'_>,
    temp: u32,
    file: &Node<'_>,
    domain: &Domain,
) -> Result<Initial, JobError> {
    let form = (Format::Float32x4, Some(domain.width()), Some(domain.height()));
    let raster = loader.raster(file, form)?;
    Ok(Initial { temp: temp as u8, data: Arc::new(raster.units.as_chunks::<4>().0.to_vec()) })
}

/// A temporary with initial data: `file` as in [`initial`], the same `fill` for all points, or a
/// `plane`: values at point (0, 0), what a column adds, what a row adds.
pub fn initial_in(
    loader: &Loader<'_>,
    temp: u32,
    table: &Node<'_>,
    domain: &Domain,
) -> Result<Initial, JobError> {
    let (key, value) = table.one_of(&["file", "fill", "plane"], "no data")?;
    let (columns, rows) = (domain.i0..=domain.i1, domain.j0..=domain.j1);
    let data = match key {
        "file" => return initial(loader, temp, &value, domain),
        "fill" => vec![value.channels()?; columns.count() * rows.count()],
        _ => {
            let [origin, column, row] =
                value.exactly("values at point (0, 0), steps of a column, steps of a row")?;
            plane(&[origin.channels()?, column.channels()?, row.channels()?], columns, rows)
        }
    };
    Ok(Initial { temp: temp as u8, data: Arc::new(data) })
}

/// The values of a plane at the points of a domain, row by row: the bits of
/// (at (0, 0) + column * i) + row * j, in the chip's arithmetic. The parts are float bits.
pub fn plane(
    plane: &[[u32; 4]; 3],
    columns: RangeInclusive<u32>,
    rows: RangeInclusive<u32>,
) -> Vec<[u32; 4]> {
    let at = |i: u32, j: u32| {
        [0, 1, 2, 3].map(|channel| {
            let [origin, column, row] = plane.map(|part| part[channel]);
            let term = |step, n: u32| float::mul(step, (n as f32).to_bits(), false);
            float::add(float::add(origin, term(column, i)), term(row, j))
        })
    };
    rows.flat_map(|j| columns.clone().map(move |i| at(i, j))).collect()
}

/// Reads the tolerance of an `[[expect]]`.
pub fn tolerance(table: &Node<'_>) -> Result<Tolerance, JobError> {
    let number = |key, max: f64, needed| {
        let value = table.read(key, |node| {
            let value = node.number()?;
            if (0.0..=max).contains(&value) { Ok(value) } else { Err(node.is_not(needed)) }
        })?;
        Ok::<_, JobError>(value.unwrap_or(0.0))
    };
    Ok(Tolerance {
        rtol: number("rtol", f64::MAX, "a number from 0 on")?,
        atol: number("atol", f64::MAX, "a number from 0 on")?,
        ulps: table.read("ulps", |node| node.unsigned(0, u32::MAX))?.unwrap_or(0),
        max_bad: number("max_bad", 1.0, "a fraction from 0 to 1")?,
        bits: table.read("bits", |node| node.boolean())?.unwrap_or(false),
    })
}
