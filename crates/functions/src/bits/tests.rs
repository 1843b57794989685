use super::Functions;
use crate::number::{Number, Numbers};
use ctm_isa::arithmetic::Operations;
use naga::BinaryOperator::{And, ExclusiveOr, InclusiveOr, ShiftLeft, ShiftRight};
use naga::{BinaryOperator, Scalar, TypeInner};

const LARGE: i64 = (1 << 24) - 1;

fn of(op: BinaryOperator, scalar: Scalar, a: Number, b: Number) -> f32 {
    let mut functions = Functions { graph: &mut Numbers };
    let ty = TypeInner::Scalar(scalar);
    let value = functions.binary(op, &[ty.clone(), ty], &[a], &[b]).unwrap();
    f32::from_bits(value[0].bits)
}

/// All pairs of hard whole numbers, of which some are literals: the result is that of integers of 64 bits.
#[test]
fn bits_are_those_of_integers() {
    let mut numbers: Vec<i64> = vec![0, 5, 10, 0x5555, 0xaaaa, 0x5a_5a5a, 0xff_0000, 0x7f_ffff];
    numbers.extend((0..24).flat_map(|n| [1 << n, (1 << n) - 1, LARGE - (1 << n)]));
    numbers.extend(numbers.clone().into_iter().map(|n| !n));
    let given = |n: i64| Number::given((n as f32).to_bits());
    for a in &numbers {
        for b in &numbers {
            let expected = [(And, a & b), (InclusiveOr, a | b), (ExclusiveOr, a ^ b)];
            for (op, value) in expected {
                let literal = Numbers.number(*b as f32);
                let scalar = if a.min(b) >= &0 { Scalar::U32 } else { Scalar::I32 };
                for [x, y] in [[given(*a), given(*b)], [given(*a), literal], [literal, given(*a)]] {
                    assert_eq!(of(op, scalar, x, y), value as f32, "{a} {op:?} {b}");
                }
            }
        }
        for n in 0..32 {
            for places in [given(n), Numbers.number(n as f32)] {
                let value = of(ShiftRight, Scalar::I32, given(*a), places);
                assert_eq!(value, (a >> n) as f32, "{a} >> {n}");
                let value = of(ShiftLeft, Scalar::I32, given(*a), places);
                assert_eq!(value, (a << n) as f32, "{a} << {n}");
            }
        }
    }
}
