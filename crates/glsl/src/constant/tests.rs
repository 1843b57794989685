use super::*;
use crate::ast::{Binary, Unary};
use crate::constructors::{Constructed, Plan};
use crate::types::{Structure, named};

fn int(value: i32) -> Value {
    Value::scalar(Scalar::Int, value as u32)
}

fn floats(ty: &str, values: &[f32]) -> Value {
    let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
    Value::new(named(ty).expect("a type"), bits)
}

fn of(op: Binary, a: &Value, b: &Value) -> Value {
    binary(op, a, b, &a.ty).expect("a value")
}

/// ES 3.00, 4.1.3: integers have 32 bits and wrap.
#[test]
fn integers_wrap() {
    assert_eq!(of(Binary::Add, &int(i32::MAX), &int(1)), int(i32::MIN));
    assert_eq!(
        of(Binary::Multiply, &int(1_103_515_245), &int(12_345)),
        int(1_103_515_245i32.wrapping_mul(12_345))
    );
    assert_eq!(of(Binary::Divide, &int(i32::MIN), &int(-1)), int(i32::MIN));
    assert_eq!(of(Binary::Divide, &int(-7), &int(2)), int(-3));
    assert_eq!(of(Binary::Modulo, &int(-7), &int(2)), int(-1));
    assert_eq!(of(Binary::Divide, &int(5), &int(0)), int(0));
    assert_eq!(of(Binary::ShiftRight, &int(-8), &int(1)), int(-4));
    assert_eq!(of(Binary::ShiftLeft, &int(1), &int(31)), int(i32::MIN));
    assert_eq!(of(Binary::ExclusiveOr, &int(0x7fff_0001), &int(0x0f0f_0f0f)), int(0x70f0_0f0e));
    assert_eq!(
        unary(Unary::Minus, &Value::scalar(Scalar::Uint, 1)),
        Some(Value::scalar(Scalar::Uint, u32::MAX))
    );
    assert_eq!(unary(Unary::Invert, &int(5)), Some(int(-6)));
}

/// Infinities and NaN are values.
#[test]
fn floats_may_be_infinite() {
    let [one, zero] = [1.0, 0.0].map(Value::float);
    let infinite = of(Binary::Divide, &one, &zero);
    assert_eq!(infinite, Value::float(f32::INFINITY));
    let nan = of(Binary::Subtract, &infinite, &infinite);
    assert!(f32::from_bits(nan.scalars()[0]).is_nan());
    // Which integer they become is open.
    assert!(
        [infinite, nan].iter().all(|value| value.convert(&Type::Scalar(Scalar::Int)).is_some())
    );
}

#[test]
fn conversions_round_towards_zero() {
    let to = |value: f32, ty: &str| Value::float(value).convert(&named(ty).expect("a type"));
    assert_eq!(to(-2.7, "int"), Some(int(-2)));
    assert_eq!(to(2.7, "uint"), Some(Value::scalar(Scalar::Uint, 2)));
    assert_eq!(to(-0.0, "bool"), Some(Value::bool(false)));
    assert_eq!(to(0.5, "bool"), Some(Value::bool(true)));
    assert_eq!(
        int(-1).convert(&named("uint").expect("a type")),
        Some(Value::scalar(Scalar::Uint, u32::MAX))
    );
    assert_eq!(
        Value::bool(true).convert(&named("float").expect("a type")),
        Some(Value::float(1.0))
    );
}

/// Members, elements and components, of values within values.
#[test]
fn parts_of_parts() {
    let vec2 = named("vec2").expect("a type");
    let inside = Type::Structure(Rc::new(Structure::new(
        "S".into(),
        vec![("n".into(), Type::Scalar(Scalar::Int)), ("v".into(), vec2.clone())],
        0,
    )));
    let array = Type::Array(Rc::new(inside.clone()), Some(2));
    let make = |ty: &Type, operands: Vec<Type>, arguments: &[Value]| {
        let constructed =
            Constructed { ty: ty.clone(), plan: Plan::Members, operands, warnings: Vec::new() };
        construct(&constructed, arguments).expect("a value")
    };
    let one = |n: i32, a: f32, b: f32| {
        make(&inside, vec![int(0).ty, vec2.clone()], &[int(n), floats("vec2", &[a, b])])
    };
    let value = make(&array, vec![inside.clone(); 2], &[one(1, 2.0, 3.0), one(4, 5.0, 6.0)]);
    let second = value.index(1).expect("an element");
    assert_eq!(second, one(4, 5.0, 6.0));
    let vector = second.part(&Selector::Member(1)).expect("a member");
    assert_eq!(vector, floats("vec2", &[5.0, 6.0]));
    assert_eq!(
        vector.part(&Selector::Components(vec![1, 0, 1])),
        Some(floats("vec3", &[6.0, 5.0, 6.0]))
    );
    assert_eq!(value.index(2), None);
    assert_eq!(value.index(-1), None);
    assert_eq!(value.composition().len(), 2);
    let equal = |other: &Value| binary(Binary::Equal, &value, other, &Type::Scalar(Scalar::Bool));
    assert_eq!(equal(&value), Some(Value::bool(true)));
    let other = make(&array, vec![inside.clone(); 2], &[one(1, 2.0, 3.0), one(4, 5.0, 7.0)]);
    assert_eq!(equal(&other), Some(Value::bool(false)));
}

/// Sizes grow with the source, not with each line.
#[test]
fn doubling_ends() {
    let mut value = floats("vec4", &[1.0; 4]);
    let mut rounds = 0;
    loop {
        let ty = Type::Array(Rc::new(value.ty.clone()), Some(2));
        let constructed = Constructed {
            ty,
            plan: Plan::Members,
            operands: vec![value.ty.clone(); 2],
            warnings: Vec::new(),
        };
        let Some(next) = construct(&constructed, &[value.clone(), value.clone()]) else { break };
        value = next;
        rounds += 1;
    }
    assert_eq!(rounds, 10);
}
