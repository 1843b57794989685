//! Tests of the mode `exact` against independent models and the documented cases.

mod judge;

use super::*;

#[test]
fn tables_are_fresh() {
    assert_eq!(include_str!("../tables.rs"), generate::text());
}

#[test]
fn border_of_the_normal_numbers() {
    assert_eq!(mul(0x3f7f_ffff, 0x0080_0000, false), 0x0080_0000);
    assert_eq!(omod(0x00ff_ffff, 4), 0x0080_0000);
    assert_eq!(omod(0x017f_ffff, 5), 0x0080_0000);
    assert_eq!(omod(0x01ff_ffff, 6), 0x0080_0000);
}

#[test]
fn transcendental_anchors() {
    let f = |x: f32| x.to_bits();
    assert_eq!(rcp(f(3.0)), f(1.0 / 3.0));
    assert_eq!(rcp(f(-4.0)), f(-0.25));
    assert_eq!(rsq(f(16.0)), f(0.25));
    assert_eq!(rsq(f(2.0)), f(0.5f32.sqrt()));
    assert_eq!(ex2(f(-3.0)), f(0.125));
    assert_eq!(ex2(f(0.5)), f(2f32.sqrt()));
    assert_eq!(ln2(f(0.125)), f(-3.0));
    assert_eq!(sin(f(-0.25)), f(-1.0));
    assert_eq!(sin(f(-0.5)), 0);
    assert_eq!(cos(f(0.5)), f(-1.0));
    assert_eq!(cos(f(0.75)), 0);
}

/// RCP depends on the fraction alone, but for the exponent that it inserts: all fractions are all
/// arguments. The largest odd numbers' reciprocals are the hard ones.
#[test]
fn rcp_is_correctly_rounded() {
    for fraction in 0..=FRACTION {
        let argument = ONE | fraction;
        let wanted = f32::from_bits(argument).recip().to_bits();
        assert_eq!(rcp(argument), wanted, "rcp(0x{argument:08x})");
    }
}
