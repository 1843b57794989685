//! `[ranges]`: what a job says of the values of its inputs, constants and temporaries, for `ctm check --ranges`.

use super::error::JobError;
use super::node::Node;
use super::registers::Registers;
use ctm_lang::program::interface::{Interface, Scalar};
use ctm_lang::program::{NameKind, Program};

/// Bounds of a channel of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// An input, a float constant, or a temporary with initial data.
    pub kind: NameKind,
    /// Its number.
    pub number: u32,
    /// The channel, 0 to 3.
    pub channel: u8,
    /// No value is below.
    pub low: f32,
    /// No value is above.
    pub high: f32,
}

/// The kinds of registers that a range is for.
const KINDS: [NameKind; 3] = [NameKind::Input, NameKind::Float, NameKind::Temp];

/// A channel of a register.
type Channel = (NameKind, u32, u8);

/// Reads `[ranges]` of a launch: registers, or names of a shader, each with `[low, high]` for all channels or a list of
/// those of the first channels.
pub fn read<'a>(
    table: &Node<'a>,
    program: &Program,
    registers: &mut Registers<'a>,
) -> Result<Vec<ValueRange>, JobError> {
    let mut all: Vec<ValueRange> = Vec::new();
    for (name, node) in table.keyed("ranges")? {
        let named = program.image().interface.as_ref().and_then(|shader| named(shader, name));
        let places = match named {
            Some(places) => places,
            None => {
                let (kind, number) = registers.any(&node, program, &KINDS, name)?;
                (0..4).map(|channel| (kind, number, channel)).collect()
            }
        };
        let pairs = node.array()?;
        let all_alike = pairs.first().is_none_or(|first| !first.is_array());
        if !all_alike && pairs.len() > places.len() {
            let needed = format!("at most {}, the numbers of `{name}`", places.len());
            return Err(node.wrong_count(pairs.len(), &needed));
        }
        for (n, (kind, number, channel)) in places.into_iter().enumerate() {
            let Some(pair) = (if all_alike { Some(&node) } else { pairs.get(n) }) else { break };
            let [low, high] = pair.exactly("the least and the greatest value")?;
            let [low, high] = [low.float_bits()?, high.float_bits()?].map(f32::from_bits);
            if low.is_nan() || high.is_nan() || low > high {
                return Err(pair.is_not("a range: two numbers, the least one first"));
            }
            let is_twice = all
                .iter()
                .any(|known| (known.kind, known.number, known.channel) == (kind, number, channel));
            if is_twice {
                return Err(node.error("the register has another range in this table"));
            }
            all.push(ValueRange { kind, number, channel, low, high });
        }
    }
    Ok(all)
}

/// The places of a uniform's or a varying's numbers, and the channels of a sampler.
fn named(shader: &Interface, name: &str) -> Option<Vec<Channel>> {
    if let Some(n) = shader.uniforms.iter().position(|uniform| uniform.name == name) {
        let mut places: Vec<(usize, Channel)> = shader
            .constants
            .iter()
            .filter_map(|constant| match constant.scalar {
                Scalar::Uniform(of, component) if of == n => {
                    Some((component, (NameKind::Float, constant.addr.into(), constant.channel)))
                }
                Scalar::Uniform(..) | Scalar::Size(..) | Scalar::OutputSize(..) => None,
            })
            .collect();
        places.sort_unstable_by_key(|(component, _)| *component);
        return Some(places.into_iter().map(|(_, place)| place).collect());
    }
    let of = |kind, number, count| (0..count).map(|channel| (kind, number, channel)).collect();
    if let Some(varying) = shader.varyings.iter().find(|varying| varying.name == name) {
        let temp = varying.temp?;
        return Some(of(NameKind::Temp, temp.into(), varying.rows as u8));
    }
    let sampler = shader.samplers.iter().find(|sampler| sampler.name == name)?;
    Some(of(NameKind::Input, sampler.input.into(), 4))
}
