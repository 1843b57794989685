//! SPIR-V with float controls: what naga writes, with the execution modes that make a driver keep
//! denormals, round to nearest even, and keep signed zeros, Inf and NaN; and with decorations that keep it
//! from contracting.
//!
//! naga has no way to ask for these. The pass adds words to a module and changes none.

use crate::device::float_controls::FloatControls;
use naga::back::spv;
use spirv::{Capability, Decoration, ExecutionMode, Op};

/// The words before the first instruction: magic, version, generator, bound, schema.
const HEADER: usize = 5;

/// The version of the modules: Vulkan 1.2 takes it, and it has float controls without an extension.
const VERSION: (u8, u8) = (1, 5);

/// The execution modes of float controls.
fn modes(controls: FloatControls) -> impl Iterator<Item = (Capability, ExecutionMode)> {
    let denormals = (Capability::DenormPreserve, ExecutionMode::DenormPreserve);
    controls.denorm_preserve.then_some(denormals).into_iter().chain([
        (Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE),
        (Capability::SignedZeroInfNanPreserve, ExecutionMode::SignedZeroInfNanPreserve),
    ])
}

/// The SPIR-V of an entry point of a WGSL shader, with float controls. `zeroed`: workgroup memory
/// starts with zeros. `bindings` has the numbers of group 0's bindings, ascending. wgpu numbers them
/// without gaps, and so does the result. Loops and buffers are treated as wgpu treats the engine's other
/// shaders: accesses are bounded, loops are not.
///
/// # Errors
/// The compiler's message.
pub fn compile(
    wgsl: &str,
    entry: &str,
    zeroed: bool,
    bindings: &[u32],
    controls: FloatControls,
) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    // The shaders are assembled for what the adapter has.
    let info = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::all(),
    )
    .validate(&module)
    .map_err(|error| error.emit_to_string(wgsl))?;
    let place = |(binding, &number): (u32, &u32)| {
        let info = spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None };
        (naga::ResourceBinding { group: 0, binding: number }, info)
    };
    let mut options = options(zeroed);
    options.binding_map = (0..).zip(bindings).map(place).collect();
    let words = spv::write_vec(&module, &info, &options, Some(&pipeline(entry)))
        .map_err(|error| error.to_string())?;
    controlled(&words, controls).ok_or_else(|| "naga wrote a module that cannot be read".into())
}

fn options(zeroed: bool) -> spv::Options<'static> {
    let restrict = naga::proc::BoundsCheckPolicy::Restrict;
    spv::Options {
        lang_version: VERSION,
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: naga::proc::BoundsCheckPolicies {
            index: restrict,
            buffer: restrict,
            image_load: restrict,
            binding_array: restrict,
        },
        zero_initialize_workgroup_memory: if zeroed {
            spv::ZeroInitializeWorkgroupMemoryMode::Polyfill
        } else {
            spv::ZeroInitializeWorkgroupMemoryMode::None
        },
        force_loop_bounding: false,
        ..spv::Options::default()
    }
}

fn pipeline(entry: &str) -> spv::PipelineOptions {
    spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: entry.into() }
}

/// A part of a module. Parts come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Capabilities,
    Extensions,
    EntryPoints,
    Modes,
    Names,
    Decorations,
    Rest,
}

impl Section {
    fn of(op: Op) -> Section {
        match op {
            Op::Capability => Section::Capabilities,
            Op::Extension | Op::ExtInstImport | Op::MemoryModel => Section::Extensions,
            Op::EntryPoint => Section::EntryPoints,
            Op::ExecutionMode | Op::ExecutionModeId => Section::Modes,
            Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => Section::Names,
            Op::Name | Op::MemberName | Op::ModuleProcessed => Section::Names,
            Op::Decorate | Op::MemberDecorate | Op::DecorateId | Op::DecorateString => {
                Section::Decorations
            }
            _ => Section::Rest,
        }
    }
}

/// Whether an instruction computes a float product, quotient or sum.
fn is_arithmetic(op: Op) -> bool {
    let scalar = matches!(op, Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod);
    scalar || (Op::VectorTimesScalar..=Op::Dot).contains(&op)
}

/// The instructions of a module; `None` in place of one that does not end within the module or has an
/// unknown opcode.
fn instructions(words: &[u32]) -> impl Iterator<Item = Option<(Op, &[u32])>> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let found = Op::from_u32(first & 0xffff).zip(
            rest.split_at_checked((first >> 16) as usize).filter(|(words, _)| !words.is_empty()),
        );
        rest = found.map_or(&[], |(_, (_, after))| after);
        Some(found.map(|(op, (words, _))| (op, words)))
    })
}

fn instruction(op: Op, operands: &[u32]) -> impl Iterator<Item = u32> {
    let length = operands.len() as u32 + 1;
    std::iter::once(length << 16 | op as u32).chain(operands.to_vec())
}

/// A module with float controls on its entry points and without contraction; `None` if it is not a
/// module.
fn controlled(words: &[u32], controls: FloatControls) -> Option<Vec<u32>> {
    let mut capabilities = Vec::new();
    let mut execution_modes = Vec::new();
    let mut decorations = Vec::new();
    for (capability, _) in modes(controls) {
        capabilities.extend(instruction(Op::Capability, &[capability as u32]));
    }
    for found in instructions(words) {
        match found? {
            // Execution model, function, name, interface.
            (Op::EntryPoint, words) => {
                for (_, mode) in modes(controls) {
                    let operands = [*words.get(2)?, mode as u32, 32];
                    execution_modes.extend(instruction(Op::ExecutionMode, &operands));
                }
            }
            // Type, result, operands.
            (op, words) if is_arithmetic(op) => {
                let operands = [*words.get(2)?, Decoration::NoContraction as u32];
                decorations.extend(instruction(Op::Decorate, &operands));
            }
            _ => {}
        }
    }
    let mut out = words.get(..HEADER)?.to_vec();
    let mut added = [
        (Section::Capabilities, capabilities),
        (Section::Modes, execution_modes),
        (Section::Decorations, decorations),
    ]
    .into_iter()
    .peekable();
    for (op, words) in instructions(words).flatten() {
        while let Some((_, words)) = added.next_if(|(part, _)| *part < Section::of(op)) {
            out.extend(words);
        }
        out.extend(words);
    }
    // A module without functions ends before the last parts.
    out.extend(added.flat_map(|(_, words)| words));
    Some(out)
}

#[cfg(test)]
mod tests;
