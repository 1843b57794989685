//! Conditions that change something, and conditions beside a NaN.

use crate::flow::check;

#[test]
fn the_right_side_of_a_logical_operator_runs_only_if_it_decides() {
    check(
        "float f(float x, float y) { float a = 0.0; bool b = x > 3.0 && a++ < y; return b ? a + 10.0 : a; }",
        |x, y| match (x > 3.0, y > 0.0) {
            (true, true) => 11.0,
            (true, false) => 1.0,
            (false, _) => 0.0,
        },
    );
    check(
        "float f(float x, float y) { float a = 0.0; if (x > 5.0 || y > 5.0 && (a += 1.0) > two || y > 9.0 && ++a > 0.0) a += 10.0; return a; }",
        |x, y| match (x > 5.0, y > 5.0, y > 9.0) {
            (true, ..) => 10.0,
            (false, true, true) => 12.0,
            (false, true, false) => 1.0,
            (false, false, _) => 0.0,
        },
    );
    check(
        "bool g(inout float a) { a += 1.0; return a > two; } float f(float x, float y) { float a = x; bool b = y > x && g(a) && g(a); return a; }",
        |x, y| match (y > x, x + 1.0 > 2.0) {
            (true, true) => x + 2.0,
            (true, false) => x + 1.0,
            (false, _) => x,
        },
    );
    check(
        "vec2 s = vec2(0.0); bool g(float a) { s.y = a; return true; } bool h(float a) { return g(a * two); } float f(float x, float y) { x > y && h(x); return s.y; }",
        |x, y| if x > y { 2.0 * x } else { 0.0 },
    );
    check(
        "bool g() { discard; return true; } float f(float x, float y) { if (x > y || g()) return 1.0; return 2.0; }",
        |x, y| if x > y { 1.0 } else { -1.0 },
    );
    check(
        "float f(float x, float y) { float i = 0.0; while (i < x && ++i < y) { } return i; }",
        |x, y| {
            let mut i = 0.0;
            while i < x && {
                i += 1.0;
                i < y
            } {}
            i
        },
    );
    check(
        "float f(float x, float y) { float i = 0.0, n = 0.0; do { if (n++ == y) continue; n += 2.0; } while (i < x && ++i < 5.0); return i + n; }",
        |x, y| {
            let (mut i, mut n) = (0.0f32, 0.0f32);
            loop {
                n += 1.0;
                if n - 1.0 != y {
                    n += 2.0;
                }
                if i < x {
                    i += 1.0;
                    if i < 5.0 {
                        continue;
                    }
                }
                return i + n;
            }
        },
    );
}

/// A comparison with a NaN holds, unless it is `>=` or `<=`.
#[test]
fn a_loop_ends_by_its_counter_beside_a_nan() {
    check(
        "float f(float x, float y) { float a = 0.0, n = log(-two - x); for (int i = 0; n > x && i < 40; i++) { a += two; } return a; }",
        |_, _| 80.0,
    );
    check(
        "float f(float x, float y) { float a = 0.0, n = log(-two - x); int i = -1; while (!(n < x || i == int(y)) || i < 40) { i++; a += y; if (a > 30.0) break; } return a; }",
        |_, y| {
            let mut a = 0.0;
            for _ in 0..41 {
                a += y;
                if a > 30.0 {
                    break;
                }
            }
            a
        },
    );
    check(
        "float f(float x, float y) { float a = 0.0, n = log(-two - x); for (int j = 0; j < 34; j++) { int i = -1; while (n > x && i < 1) { i++; a += y; if (a > 1000.0) break; } } return a; }",
        |_, y| 68.0 * y,
    );
}
