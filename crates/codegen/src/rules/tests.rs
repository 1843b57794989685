//! Each rule against the machine's arithmetic.

use crate::evaluate::Machine;
use crate::graph::{Graph, Id, Op, Rules};
use ctm_isa::arithmetic::{Arithmetic, Operations};
use ctm_isa::float;

/// Values that rules meet: signs of zero, infinities, NaN, the borders of the normals, ordinary numbers.
const VALUES: [f32; 17] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -3.75,
    1e-38,
    -1e-38,
    3e38,
    -3e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    0.3,
    -7.25,
];

/// The value of a node for values of the inputs.
fn value(graph: &Graph, id: Id, inputs: &[f32]) -> u32 {
    let node = graph.node(id);
    match node.op {
        Op::Literal(bits) => bits,
        Op::Input(n) => float::ftz(inputs[n as usize].to_bits()),
        op => {
            let operands = node.operands().map(|id| value(graph, id, inputs));
            let result = op.apply(&mut Machine::of(graph), &operands.collect::<Vec<_>>());
            result.unwrap_or_else(|| panic!("{op:?} is not in these tests"))
        }
    }
}

/// Compares what a rule makes with the operation itself. An exact rule keeps every bit, but those of a NaN; an allowed one
/// keeps ordinary values within `bound`.
fn check(
    name: &str,
    precise: bool,
    bound: f32,
    with: impl Fn(&mut Graph, Id, Id) -> Id,
    without: impl Fn(&mut Graph, Id, Id) -> Id,
) {
    let mut graph = Graph::new(if precise { Rules::Exact } else { Rules::All });
    let [a, b] = [0, 1].map(|n| graph.intern(Op::Input(n), &[]));
    let (ruled, plain) = (with(&mut graph, a, b), without(&mut graph, a, b));
    assert_ne!(ruled, plain, "{name}: no rule applies");
    for x in VALUES {
        for y in VALUES {
            let [got, want] = [ruled, plain].map(|id| value(&graph, id, &[x, y]));
            let [gotten, wanted] = [got, want].map(f32::from_bits);
            if precise {
                let both_nan = gotten.is_nan() && wanted.is_nan();
                assert!(got == want || both_nan, "{name}: {x} {y}: {gotten} instead of {wanted}");
            } else {
                let ordinary =
                    |v: f32| v.is_finite() && (v == 0.0 || (1e-30..1e30).contains(&v.abs()));
                if [x, y, gotten, wanted].into_iter().all(ordinary) {
                    let error = (gotten - wanted).abs();
                    assert!(
                        error <= bound * wanted.abs().max(1.0),
                        "{name}: {x} {y}: {gotten} instead of {wanted}"
                    );
                }
            }
        }
    }
}

/// A node without rules.
fn raw(graph: &mut Graph, op: Op, operands: &[Id]) -> Id {
    graph.intern(op, operands)
}

#[test]
fn exact_rules_keep_every_bit() {
    let n = |graph: &mut Graph, value: f32| graph.number(value);
    check(
        "--a",
        true,
        0.0,
        |g, a, _| {
            let x = g.neg(a);
            g.neg(x)
        },
        |g, a, _| {
            let x = raw(g, Op::Neg, &[a]);
            raw(g, Op::Neg, &[x])
        },
    );
    check(
        "-(a * literal)",
        true,
        0.0,
        |g, a, _| {
            let k = n(g, 3.0);
            let x = g.mul(a, k);
            g.neg(x)
        },
        |g, a, _| {
            let k = n(g, 3.0);
            let x = raw(g, Op::Mul, &[a, k]);
            raw(g, Op::Neg, &[x])
        },
    );
    check(
        "abs(-a)",
        true,
        0.0,
        |g, a, _| {
            let x = g.neg(a);
            g.abs(x)
        },
        |g, a, _| {
            let x = raw(g, Op::Neg, &[a]);
            raw(g, Op::Abs, &[x])
        },
    );
    check(
        "a + -0",
        true,
        0.0,
        |g, a, _| {
            let z = n(g, -0.0);
            g.add(a, z)
        },
        |g, a, _| {
            let z = n(g, -0.0);
            raw(g, Op::Add, &[a, z])
        },
    );
    check("a + a", true, 0.0, |g, a, _| g.add(a, a), |g, a, _| raw(g, Op::Add, &[a, a]));
    check(
        "a * 1",
        true,
        0.0,
        |g, a, _| {
            let k = n(g, 1.0);
            g.mul(a, k)
        },
        |g, a, _| {
            let k = n(g, 1.0);
            raw(g, Op::Mul, &[a, k])
        },
    );
    check(
        "a * -1",
        true,
        0.0,
        |g, a, _| {
            let k = n(g, -1.0);
            g.mul(a, k)
        },
        |g, a, _| {
            let k = n(g, -1.0);
            raw(g, Op::Mul, &[a, k])
        },
    );
    check(
        "1/-a",
        true,
        0.0,
        |g, a, _| {
            let x = g.neg(a);
            g.rcp(x)
        },
        |g, a, _| {
            let x = raw(g, Op::Neg, &[a]);
            raw(g, Op::Rcp, &[x])
        },
    );
    check("min(a, a)", true, 0.0, |g, a, _| g.min(a, a), |g, a, _| raw(g, Op::Min, &[a, a]));
    check(
        "cmp(a, a, b)",
        true,
        0.0,
        |g, a, b| g.cmp(a, a, b),
        |g, a, b| raw(g, Op::Cmp, &[a, a, b]),
    );
    check(
        "selects on one condition",
        true,
        0.0,
        |g, a, b| {
            let k = n(g, 2.0);
            let x = g.cmp(a, k, b);
            g.cmp(x, a, b)
        },
        |g, a, b| {
            let k = n(g, 2.0);
            let x = raw(g, Op::Cmp, &[a, k, b]);
            raw(g, Op::Cmp, &[x, a, b])
        },
    );
}

#[test]
fn allowed_rules_keep_ordinary_values() {
    let n = |graph: &mut Graph, value: f32| graph.number(value);
    check(
        "-a * b",
        false,
        0.0,
        |g, a, b| {
            let x = g.neg(a);
            g.mul(x, b)
        },
        |g, a, b| {
            let x = raw(g, Op::Neg, &[a]);
            raw(g, Op::Mul, &[x, b])
        },
    );
    check(
        "a + 0",
        false,
        0.0,
        |g, a, _| {
            let z = n(g, 0.0);
            g.add(a, z)
        },
        |g, a, _| {
            let z = n(g, 0.0);
            raw(g, Op::Add, &[a, z])
        },
    );
    check(
        "a - a",
        false,
        0.0,
        |g, a, _| g.sub(a, a),
        |g, a, _| {
            let x = raw(g, Op::Neg, &[a]);
            raw(g, Op::Add, &[a, x])
        },
    );
    check(
        "(a + literal) + literal",
        false,
        1e-6,
        |g, a, _| {
            let k = n(g, 2.0);
            let x = g.add(a, k);
            let k = n(g, 0.25);
            g.add(x, k)
        },
        |g, a, _| {
            let k = n(g, 2.0);
            let x = raw(g, Op::Add, &[a, k]);
            let k = n(g, 0.25);
            raw(g, Op::Add, &[x, k])
        },
    );
    check(
        "(a * literal) * literal",
        false,
        1e-6,
        |g, a, _| {
            let k = n(g, 3.0);
            let x = g.mul(a, k);
            let k = n(g, 0.7);
            g.mul(x, k)
        },
        |g, a, _| {
            let k = n(g, 3.0);
            let x = raw(g, Op::Mul, &[a, k]);
            let k = n(g, 0.7);
            raw(g, Op::Mul, &[x, k])
        },
    );
    check(
        "a - floor(a)",
        false,
        0.0,
        |g, a, _| {
            let x = g.floor(a);
            g.sub(a, x)
        },
        |g, a, _| {
            let f = raw(g, Op::Frc, &[a]);
            let f = raw(g, Op::Neg, &[f]);
            let x = raw(g, Op::Add, &[a, f]);
            let x = raw(g, Op::Neg, &[x]);
            raw(g, Op::Add, &[a, x])
        },
    );
    check(
        "min(max(a, 0), 1)",
        false,
        0.0,
        |g, a, _| {
            let z = n(g, 0.0);
            let x = g.max(a, z);
            let k = n(g, 1.0);
            g.min(x, k)
        },
        |g, a, _| {
            let z = n(g, 0.0);
            let x = raw(g, Op::Max, &[a, z]);
            let k = n(g, 1.0);
            raw(g, Op::Min, &[x, k])
        },
    );
    check(
        "max(a, -a)",
        false,
        0.0,
        |g, a, _| {
            let x = g.neg(a);
            g.max(a, x)
        },
        |g, a, _| {
            let x = raw(g, Op::Neg, &[a]);
            raw(g, Op::Max, &[a, x])
        },
    );
    check(
        "frc(a + whole)",
        false,
        1e-6,
        |g, a, _| {
            let k = n(g, 3.0);
            let x = g.add(a, k);
            g.frc(x)
        },
        |g, a, _| {
            let k = n(g, 3.0);
            let x = raw(g, Op::Add, &[a, k]);
            raw(g, Op::Frc, &[x])
        },
    );
    check(
        "1/(1/a)",
        false,
        1e-6,
        |g, a, _| {
            let x = g.rcp(a);
            g.rcp(x)
        },
        |g, a, _| {
            let x = raw(g, Op::Rcp, &[a]);
            raw(g, Op::Rcp, &[x])
        },
    );
    for root in [Graph::root, Graph::sqrt] {
        check(
            "1/sqrt(a)",
            false,
            1e-6,
            |g, a, _| {
                let x = root(g, a);
                g.rcp(x)
            },
            |g, a, _| {
                let r = raw(g, Op::Rsq, &[a]);
                let x = raw(g, Op::Mul, &[a, r]);
                raw(g, Op::Rcp, &[x])
            },
        );
    }
    check(
        "2^log2(a)",
        false,
        1e-5,
        |g, a, _| {
            let x = g.ln2(a);
            g.ex2(x)
        },
        |g, a, _| {
            let x = raw(g, Op::Ln2, &[a]);
            raw(g, Op::Ex2, &[x])
        },
    );
    check(
        "cmp of a multiple",
        false,
        0.0,
        |g, a, b| {
            let k = n(g, -2.0);
            let c = g.mul(b, k);
            g.cmp(a, b, c)
        },
        |g, a, b| {
            let k = n(g, -2.0);
            let c = raw(g, Op::Mul, &[b, k]);
            raw(g, Op::Cmp, &[a, b, c])
        },
    );
}

#[test]
fn what_is_never_below_zero_needs_no_choice() {
    let ops = [Op::Abs, Op::Frc, Op::Ex2, Op::Clamp, Op::Rsq, Op::Mul];
    for (precise, op) in [false, true].into_iter().flat_map(|precise| ops.map(|op| (precise, op))) {
        let mut graph = Graph::new(if precise { Rules::Exact } else { Rules::All });
        let a = graph.intern(Op::Input(0), &[]);
        let operands = if op == Op::Mul { vec![a, a] } else { vec![a] };
        let of = graph.intern(op, &operands);
        for x in VALUES {
            let value = value(&graph, of, &[x]);
            let taken = Arithmetic::not_negative(&graph, of);
            let counts = precise || x.is_normal() && !f32::from_bits(value).is_nan();
            assert!(!taken || !counts || float::compare(2, value), "{op:?} of {x}");
        }
    }
}

#[test]
fn conditions_are_those_of_the_numbers() {
    // A NaN is below zero where a test says "not at least".
    for (precise, x) in [false, true].into_iter().flat_map(|precise| VALUES.map(|x| (precise, x))) {
        for y in VALUES {
            let mut graph = Graph::new(if precise { Rules::Exact } else { Rules::All });
            let [a, b] = [0, 1].map(|n| graph.intern(Op::Input(n), &[]));
            let [p, q] = [graph.below(a), graph.not_below(b)];
            let (yes, no) = (!float::compare(2, x.to_bits()), float::compare(2, y.to_bits()));
            let both = graph.and(p, q);
            let either = graph.or(p, q);
            let not = graph.not(p);
            let same = [graph.below(b)].map(|other| (graph.and(p, other), graph.or(p, other)))[0];
            let other = !no;
            for (id, expected) in [
                (both, yes && no),
                (either, yes || no),
                (not, !yes),
                (same.0, yes && other),
                (same.1, yes || other),
            ] {
                let got = f32::from_bits(value(&graph, id, &[x, y]));
                assert_eq!(got, f32::from(expected), "{x} {y}, precise {precise}");
            }
            let [five, six] = [5.0, 6.0].map(|value| graph.number(value));
            let chosen = graph.select(both, five, six);
            assert_eq!(
                f32::from_bits(value(&graph, chosen, &[x, y])),
                if yes && no { 5.0 } else { 6.0 }
            );
        }
    }
}

#[test]
fn a_nan_of_a_condition_that_an_earlier_one_decides_does_not_count() {
    for not_below in [false, true] {
        let mut graph = Graph::new(Rules::All);
        let inputs = [0, 1, 2].map(|n| graph.intern(Op::Input(n), &[]));
        let tests = inputs.map(|x| if not_below { graph.not_below(x) } else { graph.below(x) });
        let [a, b, c] = tests;
        let (both, either) = (graph.and(a, b), graph.or(a, b));
        let (all, any) = (graph.and(both, c), graph.or(either, c));
        let number = |holds: bool| if holds == not_below { 1.0 } else { -1.0 };
        for (id, first) in [(all, false), (any, true)] {
            for last in [false, true] {
                let got = value(&graph, id, &[number(first), f32::NAN, number(last)]);
                assert_eq!(f32::from_bits(got), f32::from(first), "{not_below} {first} {last}");
            }
        }
    }
}

#[test]
fn a_shared_product_does_not_serve_a_statement_whose_own_is_part_of_another() {
    let mut graph = Graph::new(Rules::All);
    let v = graph.intern(Op::Input(0), &[]);
    let [three, five, seven] = [3.0, 5.0, 7.0].map(|value| graph.number(value));
    graph.origin = 30;
    let shared = Operations::mul(&mut graph, v, three);
    graph.origin = 40;
    let own = Operations::mul(&mut graph, v, three);
    let product = Operations::mul(&mut graph, own, five);
    graph.origin = 50;
    let further = Operations::mul(&mut graph, product, seven);
    graph.settle();
    assert_eq!(own, shared);
    assert_eq!(graph.origins_of(shared), [30]);
    assert_eq!((graph.origins_of(product), graph.folded_origins_of(product)), (&[40][..], &[][..]));
    assert_eq!(
        (graph.origins_of(further), graph.folded_origins_of(further)),
        (&[50][..], &[40][..])
    );
}
