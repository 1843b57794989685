//! The functions of `shaders/float.wgsl` with their twins in [`ctm_isa::float`], and the kernel that
//! runs them all.

use crate::guards::Guards;
use crate::wgsl;
use ctm_isa::float;
use ctm_isa::ops::{Aux, Calc, SWITCH};
use std::sync::Arc;

/// A function of the shader and its twin.
#[derive(Clone)]
pub struct Function {
    /// The name of the twin in [`ctm_isa::float`] or of the operation, with a suffix for variants.
    pub name: String,
    /// The number of operands a, b, c, d that it takes.
    pub operands: usize,
    /// The call in WGSL: a u32 computed from the u32 operands a, b, c, d.
    pub wgsl: String,
    /// The same computation on the CPU.
    pub exact: Arc<dyn Fn([u32; 4]) -> u32 + Send + Sync>,
}

/// The functions that the start-up probe runs. These few demand of a host all that the others
/// demand; each costs a driver milliseconds to compile. The tests run all functions.
const PROBED: [&str; 8] = ["mul", "add", "mad", "sum4", "frc_flushed", "less", "rsq", "sin"];

/// The functions of the mode `exact`: the helpers, then those of the operations.
pub fn functions() -> Vec<Function> {
    let mut functions = helpers();
    for calc in Calc::ALL.iter().map(|calc| calc.facts()) {
        let zero_times: &[&str] = match calc.facts.aux {
            Aux::Own => &[""],
            Aux::ZeroTimes => &["false", "true"],
            // A helper.
            Aux::Modifier => continue,
        };
        // Lowering flushes the operands whose bits the result does not keep.
        let operands = ["a", "b", "c", "d"].iter().enumerate().take(calc.operands);
        let operands: String = operands
            .map(|(n, operand)| {
                if calc.facts.keeps >> n & 1 != 0 {
                    format!("{operand}, ")
                } else {
                    format!("x1k_ftz({operand}), ")
                }
            })
            .collect();
        let mut names = vec![calc.wgsl_exact, calc.wgsl_loose];
        names.dedup();
        // The function for any operand, where that of the operation takes flushed ones; the helpers
        // have some of them already.
        if let Some(any) = calc.wgsl_exact.strip_suffix("_flushed")
            && calc.facts.name == any
            && functions.iter().all(|function| function.name != any)
        {
            names.push(any);
        }
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            for &flag in zero_times {
                let call = format!("x1k_{name}({operands}{flag})");
                // The NaN of a loose result may have any form.
                let loose = name.ends_with("_loose");
                let zero_times = flag == "true";
                let aux = if zero_times { SWITCH } else { 0 };
                functions.push(Function {
                    name: name.to_string() + if zero_times { " with zero times" } else { "" },
                    operands: calc.operands,
                    wgsl: if loose { format!("x1k_canonical({call})") } else { call },
                    exact: Arc::new(move |operands| (calc.exact)(operands, aux)),
                });
            }
        }
    }
    functions
}

/// The functions that the start-up probe runs.
pub fn probed() -> Vec<Function> {
    functions().into_iter().filter(|function| PROBED.contains(&&*function.name)).collect()
}

/// Defines `helpers`, written as `name operands "wgsl" |operands| exact;`.
macro_rules! helpers {
    ($($name:literal $count:literal $wgsl:literal |$p:pat_param| $exact:expr;)*) => {
        /// The functions that are not an operation, in the order of `shaders/float.wgsl`.
        fn helpers() -> Vec<Function> {
            vec![$(Function {
                name: $name.to_string(),
                operands: $count,
                wgsl: $wgsl.to_string(),
                exact: Arc::new(|$p: [u32; 4]| $exact),
            }),*]
        }
    };
}

helpers! {
    "ftz" 1 "x1k_ftz(a)" |[a, ..]| float::ftz(a);
    "is_nan" 1 "select(0u, 1u, x1k_is_nan(a))" |[a, ..]| float::is_nan(a).into();
    "is_zero" 1 "select(0u, 1u, x1k_is_zero(a))" |[a, ..]| float::is_zero(a).into();
    "neg" 1 "x1k_neg(a)" |[a, ..]| float::neg(a);
    "abs" 1 "x1k_abs(a)" |[a, ..]| float::abs(a);
    "nab" 1 "x1k_nab(a)" |[a, ..]| float::nab(a);
    "modify" 2 "x1k_modify(a, b)" |[a, b, ..]| float::modify(a, b);
    "mul" 2 "x1k_mul(a, b, false)" |[a, b, ..]| float::mul(a, b, false);
    "mul with zero times" 2 "x1k_mul(a, b, true)" |[a, b, ..]| float::mul(a, b, true);
    "add" 2 "x1k_add(a, b)" |[a, b, ..]| float::add(a, b);
    "mad" 3 "x1k_mad(a, b, c, false)" |[a, b, c, _]| float::mad(a, b, c, false);
    "mad with zero times" 3 "x1k_mad(a, b, c, true)" |[a, b, c, _]| float::mad(a, b, c, true);
    "product_bare" 2 "x1k_canonical(x1k_flushed(x1k_product_bare(x1k_ftz(a), x1k_ftz(b))))"
        |[a, b, ..]| float::mul(a, b, false);
    "add_bare" 2 "x1k_canonical(x1k_flushed(x1k_add_bare(x1k_ftz(a), x1k_ftz(b))))"
        |[a, b, ..]| float::add(a, b);
    "plus_zero" 1 "x1k_canonical(x1k_plus_zero(x1k_ftz(a)))" |[a, ..]| float::add(a, 0);
    "mad_bare" 3
        "x1k_canonical(x1k_flushed(x1k_add_bare(x1k_flushed(x1k_product_bare(x1k_ftz(a), x1k_ftz(b))), x1k_ftz(c))))"
        |[a, b, c, _]| float::mad(a, b, c, false);
    "floor" 1
        "select(x1k_floor(x1k_ftz(a)), 0u, (a & X1K_EXPONENT) == X1K_EXPONENT)"
        |[a, ..]| if f32::from_bits(a).is_finite() { f32::from_bits(float::ftz(a)).floor().to_bits() } else { 0 };
    "sum3_bare" 3
        "x1k_canonical(x1k_flushed(x1k_sum3_bare(x1k_ftz(a), x1k_ftz(b), x1k_ftz(c), true, true)))"
        |[a, b, c, _]| float::sum(&[a, b, c]);
    "sum3_bare of finite terms" 3
        "x1k_flushed(x1k_sum3_bare(tame(a), tame(b), tame(c), false, true))"
        |[a, b, c, _]| float::sum(&[a, b, c].map(tame));
    "sum4_bare of finite terms without signs" 4
        "x1k_flushed(x1k_sum4_bare(x1k_abs(tame(a)), x1k_abs(tame(b)), x1k_abs(tame(c)), x1k_abs(tame(d)), false, false))"
        |abcd| float::sum(&abcd.map(tame).map(float::abs));
    "min_flushed" 2 "x1k_min_flushed(x1k_ftz(a), x1k_ftz(b))"
        |[a, b, ..]| float::min(float::ftz(a), float::ftz(b));
    "max_flushed" 2 "x1k_max_flushed(x1k_ftz(a), x1k_ftz(b))"
        |[a, b, ..]| float::max(float::ftz(a), float::ftz(b));
    "presub_bias" 1 "x1k_presub_bias(a)" |[a, ..]| float::presub_bias(a);
    "presub_sub" 2 "x1k_presub_sub(a, b)" |[a, b, ..]| float::presub_sub(a, b);
    "presub_add" 2 "x1k_presub_add(a, b)" |[a, b, ..]| float::presub_add(a, b);
    "presub_inv" 1 "x1k_presub_inv(a)" |[a, ..]| float::presub_inv(a);
    "dp3" 4 "x1k_dp3(vec3(a, c, b), vec3(b, d, X1K_ONE), false)"
        |[a, b, c, d]| float::dp3([a, c, b], [b, d, float::ONE], false);
    "dp3 with zero times" 4 "x1k_dp3(vec3(a, c, b), vec3(b, d, a), true)"
        |[a, b, c, d]| float::dp3([a, c, b], [b, d, a], true);
    "dp4" 4 "x1k_dp4(vec4(a, c, a, c), vec4(b, d, d, b), false)"
        |[a, b, c, d]| float::dp4([a, c, a, c], [b, d, d, b], false);
    "dp4 with zero times" 4 "x1k_dp4(vec4(a, c, a, c), vec4(b, d, d, b), true)"
        |[a, b, c, d]| float::dp4([a, c, a, c], [b, d, d, b], true);
    "d2a" 4 "x1k_d2a(vec2(a, c), vec2(b, b), d, false)"
        |[a, b, c, d]| float::d2a([a, c], [b, b], d, false);
    "d2a with zero times" 4 "x1k_d2a(vec2(a, c), vec2(b, b), d, true)"
        |[a, b, c, d]| float::d2a([a, c], [b, b], d, true);
    "omod" 2 "x1k_omod(a, b)" |[a, b, ..]| float::omod(a, b);
    "clamp01" 1 "x1k_clamp01(a)" |[a, ..]| float::clamp01(a);
    "finish" 2 "x1k_finish(a, b)" |[a, b, ..]| float::finish(a, b);
    "inline_constant" 1 "x1k_inline_constant(a)" |[a, ..]| float::inline_constant(a);
    "texel_index" 1 "bitcast<u32>(x1k_texel_index(a))"
        |[a, ..]| float::texel_index(a).cast_unsigned();
    "unorm8" 1 "x1k_unorm8(a)" |[a, ..]| float::unorm8(a);
    "unorm16" 1 "x1k_unorm16(a)" |[a, ..]| float::unorm16(a);
    "from_unorm8" 1 "x1k_from_unorm8(a)" |[a, ..]| float::from_unorm8(a);
    "from_unorm16" 1 "x1k_from_unorm16(a)" |[a, ..]| float::from_unorm16(a);
    "less" 2 "select(0u, 1u, x1k_less(a, b))" |[a, b, ..]| float::less(a, b).into();
    "equal" 2 "select(0u, 1u, x1k_equal(a, b))" |[a, b, ..]| float::equal(a, b).into();
    "compare" 2 "select(0u, 1u, x1k_compare(b, a))" |[a, b, ..]| float::compare(b, a).into();
    "kills" 1 "select(0u, 1u, x1k_kills(a))" |[a, ..]| float::kills(a).into();
    "scale" 2 "x1k_scale(x1k_ftz(a), x1k_ftz(b))" |[a, b, ..]| float::mul(a, b, false);
}

/// A flushed number below 2^126: the function of this name in the kernel.
fn tame(x: u32) -> u32 {
    if float::is_zero(x) || x << 1 >= 253 << 24 { x & float::SIGN } else { x }
}

/// The entry point of [`kernel`].
pub const ENTRY: &str = "probe";

/// A compute shader that runs all `functions` on every tuple of operands.
///
/// Bindings of group 0: 0 `operands: array<vec4<u32>>`, read; 1 `results: array<u32>`, where result
/// `f * tuples + i` is function `f` of tuple `i`. `probe` runs one invocation per tuple, 64 in a
/// workgroup.
pub fn kernel(guards: Guards, functions: &[Function]) -> String {
    let mut text = wgsl::float(guards).join("\n");
    text.push_str(
        "\n\
         fn tame(x: u32) -> u32 {\n\
         \x20   return select(x, x & X1K_SIGN, x1k_is_zero(x) | ((x << 1u) >= (253u << 24u)));\n\
         }\n\
         \n\
         @group(0) @binding(0) var<storage, read> operands: array<vec4<u32>>;\n\
         @group(0) @binding(1) var<storage, read_write> results: array<u32>;\n\
         \n\
         @compute @workgroup_size(64)\n\
         fn probe(\n    \
             @builtin(global_invocation_id) id: vec3<u32>,\n    \
             @builtin(num_workgroups) groups: vec3<u32>,\n\
         ) {\n    \
             x1k_zero = groups.z - 1u;\n    \
             let tuples = arrayLength(&operands);\n    \
             let i = id.x;\n    \
             if i >= tuples {\n        \
                 return;\n    \
             }\n    \
             let tuple = operands[i];\n    \
             let a = tuple.x;\n    \
             let b = tuple.y;\n    \
             let c = tuple.z;\n    \
             let d = tuple.w;\n",
    );
    for (number, function) in functions.iter().enumerate() {
        text.push_str(&format!("    results[{number}u * tuples + i] = {};\n", function.wgsl));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn check(source: &str) {
        let module = naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        )
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    }

    #[test]
    fn every_guard_level_is_valid() {
        for guards in Guards::basic() {
            check(&wgsl::float(guards).join("\n"));
            check(&kernel(guards, &functions()));
        }
        for guards in Guards::ALL {
            check(&wgsl::trimmed(&kernel(guards, &functions()), ENTRY));
        }
    }

    /// The functions that some statements call.
    fn calls(block: &naga::Block, called: &mut Vec<naga::Handle<naga::Function>>) {
        use naga::Statement::{Block, Call, If, Loop, Switch};
        for statement in block {
            match statement {
                Call { function, .. } => called.push(*function),
                Block(block) => calls(block, called),
                If { accept, reject, .. } => {
                    calls(accept, called);
                    calls(reject, called);
                }
                Switch { cases, .. } => cases.iter().for_each(|case| calls(&case.body, called)),
                Loop { body, continuing, .. } => {
                    calls(body, called);
                    calls(continuing, called);
                }
                _ => {}
            }
        }
    }

    /// The kernel with the whole table reaches every function of mode `exact`.
    #[test]
    fn the_table_has_every_function() {
        for guards in Guards::basic() {
            let source = kernel(guards, &functions());
            let module = naga::front::wgsl::parse_str(&source).expect("valid");
            let mut open = Vec::new();
            calls(&module.entry_points[0].function.body, &mut open);
            let mut reached = HashSet::new();
            while let Some(function) = open.pop() {
                if reached.insert(function) {
                    calls(&module.functions[function].body, &mut open);
                }
            }
            let mut compared = 0;
            for (handle, function) in module.functions.iter() {
                let name = function.name.as_deref().unwrap_or_default();
                if name.starts_with("x1k_") {
                    assert!(reached.contains(&handle), "level {guards}: {name} is never compared");
                    compared += 1;
                }
            }
            assert!(compared > 60, "{compared}");
        }
    }

    #[test]
    fn names_are_different() {
        let functions = functions();
        for (i, f) in functions.iter().enumerate() {
            assert!(functions[..i].iter().all(|g| g.name != f.name), "{}", f.name);
        }
    }
}
