//! An expression that changes something runs once, in its order; arguments are copied in and out; a statement is a scope.

use super::flow::check;

#[test]
fn an_index_that_changes_something_is_computed_once() {
    let n = "int n = 0; int next() { n++; return 1; } void add(inout float x) { x += 2.0; } float plus(inout float x) { x += 2.0; return x; } void by(int i, inout float x) { x += float(i); }";
    for body in [
        "vec4 v = vec4(x, y, 3.0, 4.0); v[next()] += 2.0; return v[1] + 10.0 * float(n);",
        "vec4 v = vec4(x, y, 3.0, 4.0); v[next()]++; ++v[next()]; return v[1] + 5.0 * float(n);",
        "vec4 v = vec4(x, y, 3.0, 4.0); add(v[next()]); return v[1] + 10.0 * float(n);",
        "vec4 v = vec4(x, y, 3.0, 4.0); float a = plus(v[next()]); return a + 10.0 * float(n);",
        "vec4 v = vec4(x, y, 3.0, 4.0); if (x >= 0.0) add(v[next()]); else add(v[3]); return v[1] + 10.0 * float(n);",
        "vec4 v = vec4(x, y, 3.0, 4.0); int i = 0; add(v[++i]); v[i++] += 10.0; return v[1] + float(i - 2);",
        "mat2 m = mat2(x, x, x, y); m[next()][next()] += 2.0; return m[1][1] + 5.0 * float(n);",
        "float v[3]; v[0] = x; v[1] = y; int w[2]; w[0] = 0; w[1] = 1; v[w[next()]] += 12.0; return v[1] + float(n - 1);",
        "vec4 v = vec4(x, y, 3.0, 4.0); vec4 w = v; w[next()] += v[next()] += 6.0; return w[1] - v[1] + 6.0 * float(n);",
        "vec4 v = vec4(x, y, 3.0, 4.0); int i = 0; v[i++]; by(i, v[i++]); return v[1] + 11.0 + 5.0 * float(i - 2);",
        "vec4 v = vec4(x, y, 3.0, 4.0); int i = 0; by(i++, v[i++]); return v[1] + 6.0 * float(i);",
        "vec4 v = vec4(x, y, 3.0, 4.0); int i = 1; (v[i++]) += 12.0; return v[1] + float(i - 2);",
        "vec2 v[2]; v[0] = vec2(x); v[1] = vec2(y); v[next()].xy *= 1.0; for (int i = 0; i < 2; ) v[i++].y += 11.0; return v[1].y + float(n);",
    ] {
        check(&format!("{n} float f(float x, float y) {{ n = 0; {body} }}"), |_, y| y + 12.0);
    }
}

#[test]
fn arguments_are_copied_in_and_out() {
    check(
        "float g(inout float a, inout float b) { a = -a; return a == b ? 1.0 : -1.0; } float f(float x, float y) { float a = x + two; return g(a, a) + y; }",
        |_, y| y - 1.0,
    );
    check(
        "float g(inout float a[2], inout float b[2]) { a[0] = -a[0]; return a[0] == b[0] ? 1.0 : -1.0; } float f(float x, float y) { float a[2]; a[0] = x + two; a[1] = y; return g(a, a) + y; }",
        |_, y| y - 1.0,
    );
    check(
        "float s; float g(inout float a) { a += 1.0; s += two; return a; } float f(float x, float y) { s = x; float b = g(s); return b + s + y; }",
        |x, y| 2.0 * x + 2.0 + y,
    );
    // One of several elements, in loops, and one that does not change.
    check(
        "void g(inout vec2 a, vec2 b) { for (int i = 0; i < int(b.x); i++) a.y += b.y; } void h(inout vec2 a) { if (a.x > 100.0) a.x = 0.0; } float f(float x, float y) { vec2 v[3]; v[0] = vec2(x); v[1] = vec2(y); v[2] = vec2(two); for (int i = 0; i < int(x); i++) { g(v[i % 3], vec2(two, y)); h(v[(i + 1) % 3]); } return v[0].y + v[1].y + v[2].y; }",
        |x, y| x + y + 2.0 + x * 2.0 * y,
    );
    check(
        "void g(out float a, float b) { a = b; } float f(float x, float y) { vec3 v = vec3(x, y, two); g(v.z, v.x); g(v.x, v.y + v.z); return v.x + v.z; }",
        |x, y| x + y + x,
    );
}

#[test]
fn a_single_statement_is_a_scope() {
    check(
        "float f(float x, float y) { float a = x; if (y > two) float a = 42.0; else float a = 43.0; for (int i = 0; i < 3; i++) float a = 44.0; while (a < 0.0) float a = 1.0; return a; }",
        |x, _| x,
    );
    check(
        "float f(float x, float y) { float a = x; if (y > two) if (x > two) const float a = 42.0; if (y > two) float[2] a = float[2](1.0, 2.0); return a; }",
        |x, _| x,
    );
}
