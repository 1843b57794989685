//! The pass on small modules, and on the product's own shaders, by their words.

use super::*;
use crate::probe::{functions, kernel};
use ctm_shade::guards::Guards;
use ctm_shade::variant::Variant;
use ctm_shade::wgsl::trimmed;
use std::collections::HashMap;

const WITH_DENORMALS: FloatControls = FloatControls { denorm_preserve: true };
const WITHOUT: FloatControls = FloatControls { denorm_preserve: false };

/// A module of one entry point with integers only.
const WITHOUT_FLOATS: &str = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n\
    @compute @workgroup_size(64) fn main() { x[1] = x[0] * 3u; }";

/// Products and sums of scalars and vectors, and operations that are none.
const ARITHMETIC: &str = "@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>;\n\
    @compute @workgroup_size(64) fn main() {\n\
        let a = x[0] * x[1] + x[2];\n\
        let b = (x[3].x - x[4].y) / x[5].z;\n\
        let c = dot(a, x[6]) * a;\n\
        let d = select(-a, abs(c), a < c);\n\
        x[7] = d + floor(b) + vec4<f32>(bitcast<vec4<i32>>(d) * 3);\n\
    }";

fn ops(words: &[u32]) -> Vec<(Op, Vec<u32>)> {
    instructions(words)
        .map(|found| {
            let (op, words) = found.expect("whole instructions");
            (op, words[1..].to_vec())
        })
        .collect()
}

/// Checks everything that the pass promises: the module is the given one with some instructions more,
/// which are the right ones in the right parts.
fn check(plain: &[u32], controls: FloatControls) -> usize {
    let words = controlled(plain, controls).expect("a module");
    let (before, after) = (ops(plain), ops(&words));
    assert_eq!(words[..HEADER], plain[..HEADER]);
    // Parts come in their order. (Functions and types are all in the last one.)
    assert!(after.is_sorted_by_key(|(op, _)| Section::of(*op)), "{after:?}");
    // Nothing is lost, and the additions are these.
    let mut rest = before.iter().peekable();
    let added: Vec<&(Op, Vec<u32>)> =
        after.iter().filter(|found| rest.next_if(|next| next == found).is_none()).collect();
    assert_eq!(rest.next(), None);
    let entries: Vec<u32> =
        before.iter().filter(|(op, _)| *op == Op::EntryPoint).map(|(_, w)| w[1]).collect();
    assert_eq!(entries.len(), 1);
    let names = [(4464, 4459), (4467, 4462), (4466, 4461)];
    let names = if controls.denorm_preserve { &names[..] } else { &names[1..] };
    let capabilities = names.iter().map(|(capability, _)| (Op::Capability, vec![*capability]));
    let modes = names.iter().map(|(_, mode)| (Op::ExecutionMode, vec![entries[0], *mode, 32]));
    let types: HashMap<u32, u32> = before
        .iter()
        .filter_map(|(op, w)| match op {
            Op::TypeFloat => Some((w[0], w[0])),
            Op::TypeVector => Some((w[0], w[1])),
            _ => None,
        })
        .collect();
    let floats: Vec<u32> =
        before.iter().filter(|(op, _)| *op == Op::TypeFloat).map(|(_, w)| w[0]).collect();
    let is_float = |ty: u32| types.get(&ty).is_some_and(|scalar| floats.contains(scalar));
    // Every operation with a float result that is not a move, a choice, a conversion or a call of a
    // function (of GLSL's, naga's or our own) or a change of sign.
    let arithmetic: Vec<u32> = before
        .iter()
        .filter(|(op, w)| {
            !matches!(
                op,
                Op::Load
                    | Op::Bitcast
                    | Op::Select
                    | Op::Constant
                    | Op::ConstantComposite
                    | Op::CompositeConstruct
                    | Op::CompositeExtract
                    | Op::ConstantNull
                    | Op::ConvertSToF
                    | Op::ConvertUToF
                    | Op::ExtInst
                    | Op::FunctionCall
                    | Op::FunctionParameter
                    | Op::Function
                    | Op::FNegate
                    | Op::Phi
                    | Op::Undef
                    | Op::CompositeInsert
                    | Op::VectorShuffle
                    | Op::TypeVector
                    | Op::TypeFloat
                    | Op::Variable
            ) && w.len() > 2
                && is_float(w[0])
        })
        .map(|(_, w)| w[1])
        .collect();
    let decorations = arithmetic.iter().map(|id| (Op::Decorate, vec![*id, 42]));
    let expected: Vec<_> = capabilities.chain(modes).chain(decorations).collect();
    assert_eq!(added, expected.iter().collect::<Vec<_>>());
    arithmetic.len()
}

fn plain(wgsl: &str, entry: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).expect("WGSL");
    let info = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    )
    .validate(&module)
    .expect("valid");
    let options = options(true);
    let pipeline = pipeline(entry);
    spv::write_vec(&module, &info, &options, Some(&pipeline)).expect("SPIR-V")
}

#[test]
fn a_small_module_gets_modes_and_decorations() {
    // Two of the first line, two of the second, two of the third, two of the last.
    assert_eq!(check(&plain(ARITHMETIC, "main"), WITH_DENORMALS), 8);
    assert_eq!(check(&plain(ARITHMETIC, "main"), WITHOUT), 8);
}

#[test]
fn a_module_without_floats_gets_only_modes() {
    assert_eq!(check(&plain(WITHOUT_FLOATS, "main"), WITHOUT), 0);
}

/// The pass is part of what the engine runs.
#[test]
fn compiled_modules_have_float_controls() {
    let words = compile(ARITHMETIC, "main", true, &[0], WITHOUT).expect("it compiles");
    assert_eq!(Some(words), controlled(&plain(ARITHMETIC, "main"), WITHOUT));
}

#[test]
fn the_products_shaders_get_modes_and_decorations() {
    let guards = Guards::Preserved;
    let probe = plain(&trimmed(&kernel(guards, &functions()), "probe"), "probe");
    // The host's product and its sum: see float_host.wgsl.
    assert_eq!(check(&probe, WITH_DENORMALS), 2);
    let interpreter = Variant { guards, ..Variant::everything() }.source();
    assert!(check(&plain(&interpreter, "main"), WITHOUT) >= 2);
}

#[test]
fn what_is_no_module_is_refused() {
    let words = plain(WITHOUT_FLOATS, "main");
    assert_eq!(controlled(&[], WITHOUT), None);
    assert_eq!(controlled(&words[..3], WITHOUT), None);
    assert_eq!(controlled(&words[..HEADER + 1], WITHOUT), None);
    // Of no length, beyond the end, unknown.
    for bad in [0, 9 << 16 | 17, 1 << 16 | 0xfffe] {
        let mut words = words.clone();
        words.push(bad);
        assert_eq!(controlled(&words, WITHOUT), None, "{bad:x}");
    }
}

#[test]
fn errors_are_those_of_the_compiler() {
    let error = compile("fn main( {}", "main", true, &[], WITHOUT).expect_err("no WGSL");
    assert!(error.starts_with("error: expected "), "{error}");
    let error =
        compile(WITHOUT_FLOATS, "other", true, &[0], WITHOUT).expect_err("no such function");
    assert_eq!(error, "The requested entry point couldn't be found");
}
