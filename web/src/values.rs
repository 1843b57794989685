//! Values by the names of the source: those that a job has, and others for its next launches. Nothing is compiled.

use ctm::float;
use ctm::job::{Job, Pass, shader};
use ctm::launch::IntConstant;
use ctm::program::interface::Kind;
use ctm::program::{ConstantKind, NameKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A uniform, or a constant with a name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// The name in the source; of a constant without one its register.
    pub name: String,
    /// The pass whose program has it.
    pub pass: usize,
    /// `uniform` or `constant`.
    pub of: &'static str,
    /// `float`, `int` or `bool`.
    pub kind: &'static str,
    /// The columns of a matrix; else 1.
    pub columns: usize,
    /// The components of a vector, or of each column.
    pub rows: usize,
    /// Its numbers, column by column: `None` for what is not finite.
    pub numbers: Vec<Option<f32>>,
    /// Whether the source gives it a value.
    pub by_source: bool,
}

/// Numbers for a name, in one pass, or in all passes whose program has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Assignment(String, Vec<f32>, #[serde(default)] Option<usize>);

/// The values that the programs of a job read.
pub fn values(job: &Job) -> Vec<Value> {
    let of = |(n, pass)| match &pass_interface(pass) {
        Some(_) => uniforms(n, pass),
        None => constants(n, pass),
    };
    job.passes.iter().enumerate().flat_map(of).collect()
}

fn pass_interface(pass: &Pass) -> Option<&ctm::program::interface::Interface> {
    pass.program.image().interface.as_deref()
}

fn finite(bits: u32) -> Option<f32> {
    Some(f32::from_bits(bits)).filter(|value| value.is_finite())
}

fn uniforms(n: usize, pass: &Pass) -> Vec<Value> {
    let all = pass_interface(pass).into_iter().flat_map(|shader| &shader.uniforms).enumerate();
    let used = all.filter(|(_, uniform)| uniform.used);
    used.map(|(at, uniform)| Value {
        name: uniform.name.clone(),
        pass: n,
        of: "uniform",
        kind: match uniform.kind {
            Kind::Float => "float",
            Kind::Int => "int",
            Kind::Bool => "bool",
        },
        columns: uniform.columns,
        rows: uniform.rows,
        numbers: shader::current(pass, at).into_iter().map(finite).collect(),
        by_source: uniform.default.is_some(),
    })
    .collect()
}

fn constants(n: usize, pass: &Pass) -> Vec<Value> {
    let (program, image) = (&pass.program, pass.program.image());
    let constant = |kind: ConstantKind, number: u32| {
        let at = number as usize;
        let kept = &pass.constants;
        let (rows, numbers) = match kind {
            ConstantKind::Float => (4, kept.float.get(at)?.map(finite).to_vec()),
            ConstantKind::Int => {
                let IntConstant { count, start, step } = *kept.int.get(at)?;
                (
                    3,
                    [i32::from(count), i32::from(start), i32::from(step)]
                        .map(|n| Some(n as f32))
                        .to_vec(),
                )
            }
            ConstantKind::Bool => (1, vec![Some(f32::from(kept.bool >> number & 1 != 0))]),
        };
        let kind_of = NameKind::from(kind);
        let own =
            kind_of.registers().map_or(String::new(), |(letter, _)| format!("{letter}{number}"));
        let name = image.name_of(kind_of, number).map(str::to_string);
        let by_source = image.literals.iter().any(|one| one.kind == kind && one.addr == number);
        // A literal without a name is a part of an instruction.
        (name.is_some() || !by_source).then(|| Value {
            name: name.unwrap_or(own),
            pass: n,
            of: "constant",
            kind: kind.name(),
            columns: 1,
            rows,
            numbers,
            by_source,
        })
    };
    let all = ConstantKind::ALL.into_iter();
    let all =
        all.flat_map(|kind| program.uses().constants(kind).into_iter().map(move |n| (kind, n)));
    all.filter_map(|(kind, number)| constant(kind, number)).collect()
}

/// Gives names their numbers. A name that no program has, and numbers that do not fit, change nothing.
pub fn assign(job: &mut Job, given: &[Assignment]) {
    for Assignment(name, numbers, only) in given {
        let passes = job.passes.iter_mut().enumerate();
        for (_, pass) in passes.filter(|(n, _)| only.is_none_or(|only| only == *n)) {
            if pass_interface(pass).is_some() {
                assign_uniform(pass, name, numbers);
            } else {
                assign_constant(pass, name, numbers);
            }
        }
    }
}

fn assign_uniform(pass: &mut Pass, name: &str, numbers: &[f32]) {
    let uniforms = pass_interface(pass).into_iter().flat_map(|shader| &shader.uniforms);
    let Some(kind) = uniforms.clone().find(|one| one.name == name).map(|one| one.kind) else {
        return;
    };
    let texts: Vec<String> = numbers
        .iter()
        .map(|&number| match kind {
            Kind::Float => number.to_string(),
            Kind::Int => (number.floor() as i32).to_string(),
            Kind::Bool => (number != 0.0).to_string(),
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // Another count is of a program that was just replaced.
    let _ = shader::set(pass, name, &texts);
}

fn assign_constant(pass: &mut Pass, name: &str, numbers: &[f32]) {
    let Ok((kind, n)) = pass.program.image().register(&ConstantKind::ALL, name) else { return };
    let constants = Arc::make_mut(&mut pass.constants);
    let n = n as usize;
    let whole = |at: usize, low: f32, high: f32| {
        numbers.get(at).map_or(0, |number| number.floor().clamp(low, high) as i32 as u32)
    };
    let value = match kind {
        ConstantKind::Float => {
            let mut value = constants.float.get(n).copied().unwrap_or_default();
            value.iter_mut().zip(numbers).for_each(|(to, number)| *to = number.to_bits());
            value
        }
        ConstantKind::Int => {
            [whole(0, 0.0, 255.0), whole(1, 0.0, 255.0), whole(2, -128.0, 127.0), 0]
        }
        ConstantKind::Bool => [
            u32::from(numbers.first().is_some_and(|number| !float::is_zero(number.to_bits()))),
            0,
            0,
            0,
        ],
    };
    constants.set(kind, n, value);
}
