//! Loops, branches and exits against their values, as straight code and kept.

use ctm_compiler::{Flow, Language, Options, compile};
use ctm_jobs::job::{Job, RunOptions};
use ctm_lang::asm::{Style, assemble, disassemble};
use ctm_lang::elf;
use ctm_machine::engine::Stop;
use ctm_machine::engine::block::Block;

/// The size of the domain.
const SIZE: usize = 12;

/// Runs `float f(float x, float y)` of GLSL at whole x and y. `two` is 2.
fn run(source: &str, flow: Flow) -> Vec<f32> {
    let source = format!(
        "uniform float two;\n{source}\nvoid main() {{ vec2 p = floor(gl_FragCoord.xy); gl_FragColor = vec4(f(p.x, p.y)); }}"
    );
    let options = Options { flow, ..Options::default() };
    let compiled = compile(&source, "test.frag", Language::Glsl, &options)
        .unwrap_or_else(|error| panic!("{source}\n{error}"));
    let text = disassemble(&compiled.image, Style::Friendly);
    let again = assemble(&text, "text").unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert_eq!(again.words, compiled.image.words, "{text}");
    assert_eq!(again.literals, compiled.image.literals, "{text}");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("test.elf"), elf::write(&compiled.image)).expect("a file");
    let interface = compiled.image.interface.expect("a shader's interface");
    let last = SIZE - 1;
    let mut job = format!(
        "version = 1\n[program]\nfile = \"test.elf\"\n[domain]\ni0 = 0\nj0 = 0\ni1 = {last}\nj1 = {last}\n\
         [[output]]\nslot = 0\nformat = \"FLOAT32_1\"\ninitial = \"ones.npy\"\n"
    );
    let mut ones = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({SIZE}, {SIZE}), }}");
    ones.extend(format!("{header:117}\n").bytes());
    ones.extend([(-1.0f32).to_le_bytes(); SIZE * SIZE].concat());
    std::fs::write(folder.path().join("ones.npy"), ones).expect("a file");
    if let Some(temp) = interface.varyings.iter().find_map(|varying| varying.temp) {
        job += &format!(
            "[[initial]]\ntemp = {temp}\nplane = [[0.5, 0.5, 0.5, 1], [1, 0, 0, 0], [0, 1, 0, 0]]\n"
        );
    }
    let mut job = Job::parse(&job, &folder.path().join("test.toml")).expect("a job");
    for pass in &mut job.passes {
        let held = std::sync::Arc::make_mut(&mut pass.constants);
        for one in &interface.constants {
            held.float[one.addr as usize][one.channel as usize] = 2.0f32.to_bits();
        }
    }
    let result = job.run(&Block::default(), &RunOptions::default(), &Stop::default());
    let result = result.expect("a result");
    assert!(result.faults.is_empty(), "{source}\n{text}");
    let raster = result.raster(0).expect("an output");
    raster.units.iter().map(|bits| f32::from_bits(*bits)).collect()
}

/// Compares a function of GLSL with its values. -1: the point ends without a result.
pub fn check(source: &str, value: impl Fn(f32, f32) -> f32) {
    for flow in [Flow::Chosen, Flow::Flattened, Flow::Structured] {
        let found = run(source, flow);
        for y in 0..SIZE {
            for x in 0..SIZE {
                let wanted = value(x as f32, y as f32);
                let found = found[y * SIZE + x];
                assert!(
                    (found - wanted).abs() <= 1e-4 * wanted.abs(),
                    "{source}\nat {x}, {y}, {flow:?}: {found} instead of {wanted}"
                );
            }
        }
    }
}

#[test]
fn loops_run_as_often_as_they_should() {
    // 0, 1, unknown, above 32, 255 and 65,025 / 255.
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(x); i++) a += y; return a; }",
        |x, y| x * y,
    );
    check(
        "float f(float x, float y) { float a = x; for (int i = 0; i < 255; i++) a += 2.0; return a; }",
        |x, _| x + 510.0,
    );
    check(
        "float f(float x, float y) { float a = x; for (int i = 0; i < 256; i++) a += 2.0; return a; }",
        |x, _| x + 512.0,
    );
    check(
        "float f(float x, float y) { float a = x; for (int i = 0; i < 1000; i++) a += y; return a; }",
        |x, y| x + 1000.0 * y,
    );
    check(
        "float f(float x, float y) { float a = 0.0; float i = 0.0; while (i < x * 100.0) { i += 1.0; a += 2.0; } return a; }",
        |x, _| x * 200.0,
    );
    check(
        "float f(float x, float y) { float a = 0.0; do { a += 1.0; } while (a < x * 30.0); return a; }",
        |x, _| (x * 30.0).max(1.0),
    );
    // `continue` leads to the condition.
    check(
        "float f(float x, float y) { float a = 0.0, i = 0.0; do { i += 1.0; if (i > y) continue; a += 1.0; } while (i < x); return a; }",
        |x, y| x.max(1.0).min(y),
    );
    check(
        "float f(float x, float y) { float a = 0.0, i = 0.0; do { float j = 0.0; a += 1.0; do { if (j == y) continue; a += 1.0; } while (++j < 3.0); if (a > x) continue; a += 1.0; } while (++i < two); return a; }",
        |x, y| {
            let (mut a, mut i) = (0.0, 0.0);
            while i < 2.0 {
                a += 1.0;
                a += [0.0, 1.0, 2.0].iter().filter(|j| **j != y).count() as f32;
                if a <= x {
                    a += 1.0;
                }
                i += 1.0;
            }
            a
        },
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (float i = x; i > 0.0; i -= two) a += 1.0; return a; }",
        |x, _| (x / 2.0).ceil(),
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 5; i < 5; i++) a += y; return a; }",
        |_, _| 0.0,
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(x); i++) for (int j = 0; j < int(y); j++) a += float(i * j); return a; }",
        |x, y| (0..x as i32).flat_map(|i| (0..y as i32).map(move |j| (i * j) as f32)).sum(),
    );
}

#[test]
fn one_of_two_conditions_counts() {
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < 200 && a < x * y; i++) a += two; return a; }",
        |x, y| (x * y / 2.0).ceil() * 2.0,
    );
    check(
        "float f(float x, float y) { float a = 0.0; int i = 0; while (!(a > x * 50.0 || i == 300)) { a += 1.0; i += 3; } return a; }",
        |x, _| (x * 50.0 + 1.0).min(100.0),
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < 260; i++) { a += 1.0; if (a > x * 30.0 && y > 2.0) break; } return a; }",
        |x, y| if y > 2.0 { (x * 30.0 + 1.0).min(260.0) } else { 260.0 },
    );
}

#[test]
fn points_that_have_left_take_no_side_of_a_branch() {
    check(
        "float f(float x, float y) { for (float i = 0.0; i < 4.0; i += 1.0) { if (y != x) continue; if (y >= i) { } else { if (two > 1.0) return 7.0; } } return x; }",
        |x, y| if x == y && y < 3.0 { 7.0 } else { x },
    );
    check(
        "float f(float x, float y) { for (float i = 0.0; i < 4.0; i += 1.0) { if (y != x) continue; if (y >= i) { } else { if (two > 1.0) discard; } } return x; }",
        |x, y| if x == y && y < 3.0 { -1.0 } else { x },
    );
}

#[test]
fn a_loop_may_end_all_points() {
    check(
        "float f(float x, float y) { float a = x; if (x > y) { do { for (float i = 0.0; i < y; i += 1.0) a += 1.0; discard; } while (a < 9.0); } return a; }",
        |x, y| if x > y { -1.0 } else { x },
    );
}

#[test]
fn cells_that_only_keep_each_other_alive_need_no_code() {
    check(
        "float f(float x, float y) { float a = -1.0; for (int i = 0; i < 39; i++) { if (bool(i)) { a -= y; vec2 b = reflect(vec2(x, y), vec2(a, y)); } } return x; }",
        |x, _| x,
    );
}

#[test]
fn values_change_places() {
    check(
        "float f(float x, float y) { float a = x, b = y; for (int i = 0; i < int(two * two); i++) { float t = a; a = b; b = t; } return a + 100.0 * b; }",
        |x, y| x + 100.0 * y,
    );
    check(
        "float f(float x, float y) { float a = x, b = y, c = 7.0; for (int i = 0; i < int(two); i++) { float t = a; a = b; b = c; c = t; } return a + 20.0 * b + 400.0 * c; }",
        |x, y| 7.0 + 20.0 * x + 400.0 * y,
    );
    check(
        "float f(float x, float y) { float a = 0.0, b = 1.0; for (int i = 0; i < int(x); i++) { float t = a + b; a = b; b = t; } return a; }",
        |x, _| {
            let (mut a, mut b) = (0.0, 1.0);
            for _ in 0..x as i32 {
                (a, b) = (b, a + b);
            }
            a
        },
    );
    // What a value was before the loop, or before the last change, counts after it.
    check(
        "float f(float x, float y) { float a = x; float old = a; float last = 0.0; for (int i = 0; i < int(y); i++) { last = a; a = -a + 1.0; } return a + 100.0 * last + 1000.0 * old; }",
        |x, y| {
            let (mut a, mut last) = (x, 0.0);
            for _ in 0..y as i32 {
                (last, a) = (a, 1.0 - a);
            }
            a + 100.0 * last + 1000.0 * x
        },
    );
    check(
        "float f(float x, float y) { vec3 v = vec3(x, y, 1.0); for (int i = 0; i < int(two); i++) { v = v.yzx; if (v.x > 4.0) { v.xy = v.yx; } } return dot(v, vec3(1.0, 16.0, 256.0)); }",
        |x, y| {
            let mut v = [x, y, 1.0];
            for _ in 0..2 {
                v = [v[1], v[2], v[0]];
                if v[0] > 4.0 {
                    v.swap(0, 1);
                }
            }
            v[0] + 16.0 * v[1] + 256.0 * v[2]
        },
    );
}

#[test]
fn what_one_loop_keeps_another_before_it_does_not_overwrite() {
    check(
        "float f(float x, float y) { vec2 v = vec2(x + y, y); float s = y; if (x < 6.0) { int i = -1; while (i < 36) { i++; switch (i * i) { case 0: s = 1.0; } } for (int k = 0; k < 3; k++) { v = vec2(v.x, s); } } return v.x + 100.0 * v.y; }",
        |x, y| x + y + 100.0 * if x < 6.0 { 1.0 } else { y },
    );
}

#[test]
fn exits_leave_what_they_should() {
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(two) * 50; i++) { if (float(i) > x) break; a += 1.0; } return a; }",
        |x, _| x + 1.0,
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(x); i++) { if (mod(float(i), two) < 0.5) continue; a += float(i); } return a; }",
        |x, _| (0..x as i32).filter(|i| i % 2 == 1).sum::<i32>() as f32,
    );
    check(
        "float f(float x, float y) { for (int i = 0; i < int(two) * 20; i++) { if (float(i) * float(i) >= x * y) return float(i); } return -7.0; }",
        |x, y| (x * y).sqrt().ceil(),
    );
    check(
        "float g(float x, float y) { for (float i = 0.0; i < two * 9.0; i += 1.0) { for (float j = 0.0; j < two * 9.0; j += 1.0) { if (i * j > x + y) return i + 20.0 * j; if (j > i + 3.0) break; } } return 0.5; }\nfloat f(float x, float y) { return g(x, y) + g(y, 0.0); }",
        |x, y| {
            let g = |x: f32, y: f32| {
                for i in 0..18 {
                    for j in 0..18 {
                        if (i * j) as f32 > x + y {
                            return i as f32 + 20.0 * j as f32;
                        }
                        if j > i + 3 {
                            break;
                        }
                    }
                }
                0.5
            };
            g(x, y) + g(y, 0.0)
        },
    );
    check(
        "float f(float x, float y) { float a = 0.0; if (x < 3.0) { if (y > 5.0) return 9.0; for (int i = 0; i < int(y); i++) { a += 1.0; if (a > 3.0) return a * 10.0; } } else if (y < 2.0) { a = 5.0; } return a + 0.25; }",
        |x, y| {
            if x < 3.0 {
                if y > 5.0 {
                    9.0
                } else if y > 3.0 {
                    40.0
                } else {
                    y + 0.25
                }
            } else if y < 2.0 {
                5.25
            } else {
                0.25
            }
        },
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(x); i++) { switch (int(y)) { case 0: a += 1.0; break; case 1: continue; case 2: a += 5.0; default: a += 2.0; } a += 100.0; } return a; }",
        |x, y| {
            x * match y as i32 {
                0 => 101.0,
                1 => 0.0,
                2 => 107.0,
                _ => 102.0,
            }
        },
    );
}

#[test]
fn points_end_where_they_should() {
    check(
        "float f(float x, float y) { if (x < 2.0) return 3.0; if (y < 4.0) discard; return y; }",
        |x, y| {
            if x < 2.0 {
                3.0
            } else if y < 4.0 {
                -1.0
            } else {
                y
            }
        },
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(x); i++) { a += y; if (a > 20.0) discard; } return a; }",
        |x, y| if x * y > 20.0 { -1.0 } else { x * y },
    );
    check(
        "float f(float x, float y) { if (y > 3.0) { for (int i = 0; i < int(x); i++) { if (i == 4) discard; if (i == 6) return 1.0; } } return 2.0; }",
        |x, y| if y > 3.0 && x > 4.0 { -1.0 } else { 2.0 },
    );
    check(
        "float f(float x, float y) { for (int i = 0; i < int(x); i++) { if (float(i) == y) break; if (i == 3) discard; } return 2.0; }",
        |x, y| if x > 3.0 && y > 3.0 { -1.0 } else { 2.0 },
    );
}

/// The machine runs killed points on: without a fault, though nothing but the discard ends their loop.
#[test]
fn a_discard_leaves_its_loop() {
    check(
        "float f(float x, float y) { float a = 0.0; if (x > 5.0) { for (float i = 0.0; i < 1.0; i += 0.25) { for (int k = 0; k < 40; k++) { for (int n = 0; n < k; n++) { if (a > 900.0) break; } a += y; } discard; } } return y; }",
        |x, y| if x > 5.0 { -1.0 } else { y },
    );
    check(
        "float f(float x, float y) { float a = x; while (a >= 0.0) { for (int i = 0; i < int(y); i++) a -= 0.25; if (a > 5.0) { discard; } else { a -= 1.0; } } return y; }",
        |x, y| if x > 5.0 + y / 4.0 { -1.0 } else { y },
    );
    check(
        "float f(float x, float y) { float a = 0.0; while (a < 3.0) { for (int i = 0; i < int(y); i++) { if (x > 5.0) discard; } a += 1.0; } return a; }",
        |x, y| if x > 5.0 && y > 0.0 { -1.0 } else { 3.0 },
    );
}

#[test]
fn a_presubtract_reads_what_is_computed() {
    check(
        "float f(float x, float y) { float g = floor(x * 0.5) + 2.0; return g + g == 9.0 ? 1.0 : g + g == 1.0 ? 2.0 : y; }",
        |_, y| y,
    );
    check(
        "float f(float x, float y) { float g = floor(x + 0.5) + 2.0; return g + g == 1.0 ? 0.0 : 3.0; }",
        |_, _| 3.0,
    );
    check(
        "float f(float x, float y) { float g = x * 0.25 + 0.25; return g + g == 1.0 ? 5.0 : y; }",
        |x, y| {
            if x == 1.0 { 5.0 } else { y }
        },
    );
}

#[test]
fn arrays_and_others_in_one_declaration() {
    check(
        "float g[2], h = 3.0; struct S { vec2 p[2], q; float r[2], s; };\nfloat f(float x, float y) { const float k = 2.0, l[2] = float[2](5.0, 6.0), m = 7.0; float p[2], q = y, r[3]; S s; if (x > 3.0) float t[2], u; g[1] = h; s.p[1] = vec2(x, y); s.q = s.p[1].yx; s.r[0] = q; s.s = k + l[1] + m; p[0] = x; p[1] = q; r[2] = p[0] * p[1]; return r[2] + 100.0 * g[1] + s.q.x * s.s + s.r[0]; }",
        |x, y| x * y + 300.0 + 15.0 * y + y,
    );
}

#[test]
fn arrays_in_loops() {
    check(
        "float f(float x, float y) { float a[6]; for (int i = 0; i < 6; i++) a[i] = 0.0; for (int i = 0; i < int(x) * 4; i++) a[int(mod(float(i), 6.0))] += 1.0; return a[int(min(y, 5.0))]; }",
        |x, y| (0..x as i32 * 4).filter(|i| i % 6 == y.min(5.0) as i32).count() as f32,
    );
    check(
        "float f(float x, float y) { float a = 0.0; for (int i = 0; i < int(x); i++) { float t[2]; t[0] = a; t[1] = y; a = t[int(mod(float(i), two))] + 1.0; } return a; }",
        |x, y| (0..x as i32).fold(0.0, |a, i| if i % 2 == 0 { a + 1.0 } else { y + 1.0 }),
    );
}

#[test]
fn arrays_of_arrays() {
    check(
        "float f(float x, float y) { float a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = float(i * 10 + j); return a[1][int(mod(x, 3.0))] + float(a.length() * 100 + a[0].length()); }",
        |x, _| 10.0 + x % 3.0 + 203.0,
    );
    check(
        "struct P { vec2 p; }; float f(float x, float y) { const P[2][3] a = P[2][3](P[3](P(vec2(0.0)), P(vec2(1.0)), P(vec2(2.0))), P[3](P(vec2(3.0)), P(vec2(4.0)), P(vec2(5.0)))); return a[1][2].p.x + x; }",
        |x, _| 5.0 + x,
    );
    // An index is no dimension.
    check(
        "float g(mat2 m[2]) { if (m[0][1].x > 0.0) return m[1][0].y; else m[1][0].y = 7.0; return m[1][0].y; } float f(float x, float y) { mat2 m[2]; m[0] = mat2(x, x, x - 2.0, x); m[1] = mat2(y); m[1][0][1] = 3.0; return g(m); }",
        |x, _| if x > 2.0 { 3.0 } else { 7.0 },
    );
    // These are names.
    check(
        "float f(float x, float y) { mat2 mat; mat[0] = vec2(x, y); mat[1] = vec2(7.0, 8.0); float vec[2][3]; vec[0][2] = 2.0; vec[1][0] = 5.0; return mat[1][0] + vec[1][0] + mat[0][1] * 16.0 + vec[0][2]; }",
        |_, y| 14.0 + y * 16.0,
    );
}

#[test]
fn arrays_of_as_many_elements_as_a_constant_says() {
    check(
        "float f(float x, float y) { const int n = 2 + 2; float a[n]; { const int n = 3; float b[n]; b[2] = 1.0; a[0] = b[2]; } const highp int m = 5; float b[m]; b[4] = y; a[3] = x + float(a.length()); return a[3] + b[m - 1] + a[0]; }",
        |x, y| x + 4.0 + y + 1.0,
    );
}

#[test]
fn parameters_without_names() {
    check(
        "float g(float, const in vec2); float h(float v, vec2) { return v; } float g(float a, const in vec2 b) { return h(a, b) + b.y; } float k(void) { return 1.0; } float f(float x, float y) { return g(x, vec2(y)) + k(); }",
        |x, y| x + y + 1.0,
    );
    let source = "#version 410\nin vec2 v; flat layout(location = 0) in float w;\nlayout(location = 1) out vec4 c;\nvoid main() { c = vec4(v, w, 1.0); }";
    let compiled = compile(source, "test.frag", Language::Glsl, &Options::default());
    assert!(compiled.is_ok(), "{compiled:?}");
}

#[test]
fn any_character_may_be_in_text_that_is_left_out() {
    check(
        "\n#if 0\ndon't \"this\" @\n#elif 1\nfloat f(float x, float y) { return x; }\n#else\n#error don't\n#endif\n",
        |x, _| x,
    );
}

#[test]
fn a_number_and_its_whole_part() {
    check(
        "float f(float x, float y) { precise vec2 w; vec2 r = modf(vec2(x + 0.25, -y - 0.5), w); return r.x + r.y * 8.0 + w.x * 16.0 + w.y * 1024.0; }",
        |x, y| 0.25 - 4.0 + x * 16.0 - y * 1024.0,
    );
}

#[test]
fn minus_zero_is_not_below_zero_where_points_end() {
    check(
        "float f(float x, float y) { float z = x * -two; if (z < y * two) discard; return 1.0; }",
        |x, y| if x == 0.0 && y == 0.0 { 1.0 } else { -1.0 },
    );
}

#[test]
fn a_condition_of_a_counter_before_its_step() {
    // `i == 1` is `i - 1 == 0`, which is the value before `i++`.
    check(
        "float f(float x, float y) { vec4 a = vec4(x); float b = 1.0; int i = -1; do { i++; for (int j = 5; j >= 0; j--) { switch (i) { case 0: a += 2.0; break; case 1: a.w = y; } b = b * y; } b += x; } while (i < 1); return a.z + a.w + b * 0.0; }",
        |x, y| x + 12.0 + y,
    );
}

#[test]
fn parts_of_elements_in_loops() {
    let sources = [
        "vec2 n[3]; for (int i = 0; i < 3; i++) n[i] = vec2(0.0); LOOP n[K].y += 1.0; return n[int(k)].y;",
        "P n[3]; for (int i = 0; i < 3; i++) { n[i].a = 0.0; n[i].b = vec2(0.0); } LOOP n[K].b.y += 1.0; return n[int(k)].b.y;",
        "mat3 n = mat3(0.0); LOOP n[K][1] += 1.0; return n[int(k)][1];",
        "vec2 n[3]; for (int i = 0; i < 3; i++) n[i] = vec2(0.0); LOOP more(n[K]); return n[int(k)].y;",
        "P n[3]; for (int i = 0; i < 3; i++) { n[i].a = 0.0; n[i].b = vec2(0.0); } LOOP more(n[K].b); return n[int(k)].b.y;",
    ];
    for source in sources {
        let source = source.replace("LOOP", "for (int i = 0; i < int(x) * 4; i++)");
        let source = source.replace('K', "int(mod(float(i), k + 1.0))");
        check(
            &format!(
                "struct P {{ float a; vec2 b; }}; void more(inout vec2 v) {{ v.y += 1.0; }} float f(float x, float y) {{ float k = mod(y, 3.0); {source} }}"
            ),
            |x, y| {
                let k = y as i32 % 3;
                (0..x as i32 * 4).filter(|i| i % (k + 1) == k).count() as f32
            },
        );
    }
}

/// The integer constants and whether any source is relative: LOOP with aL or not.
fn relative(source: &str, flow: Flow) -> bool {
    let source = format!("{source}\nvoid main() {{ gl_FragColor = vec4(f()); }}");
    let options = Options { flow, ..Options::default() };
    let compiled = compile(&source, "test.frag", Language::Glsl, &options);
    let compiled = compiled.unwrap_or_else(|error| panic!("{source}\n{error}"));
    disassemble(&compiled.image, Style::Friendly).contains("[aL")
}

#[test]
fn counters_read_constants_relative_to_al() {
    let table = |n: i32| ((n * n) % 17) as f32;
    let list: Vec<String> = (0..40).map(|n| format!("{:?}", table(n))).collect();
    let table_of = |body: &str| {
        format!(
            "float f(float x, float y) {{ float t[40] = float[40]({}); float a = x; {body} return a; }}",
            list.join(", ")
        )
    };
    // Up, down, in steps, beyond the ends.
    check(&table_of("for (int i = 0; i < 40; i++) a += y * t[i];"), |x, y| {
        x + (0..40).map(|i| y * table(i)).sum::<f32>()
    });
    check(&table_of("for (int i = 39; i >= 0; i--) a = a * 0.5 + t[i];"), |x, _| {
        (0..40).rev().fold(x, |a, i| a * 0.5 + table(i))
    });
    check(
        &table_of("for (int i = 1; i < 79; i += 2) a = a * 0.5 + t[i / 2] * t[(i - 1) / 2 + 1];"),
        |x, _| (0..39).fold(x, |a, i| a * 0.5 + table(i) * table(i + 1)),
    );
    check(&table_of("for (int i = -30; i < 70; i++) a = a * 0.5 + t[i];"), |x, _| {
        (-30..70).fold(x, |a, i| a * 0.5 + table(i.clamp(0, 39)))
    });
    // It ends by the values, in the middle.
    check(&table_of("for (int i = 0; i < 40 && a < 99.0; i++) a += y * t[i];"), |x, y| {
        (0..40).fold(x, |a, i| if a < 99.0 { a + y * table(i) } else { a })
    });
    check(
        &table_of(
            "for (int i = 0; i < 40; i++) { if (t[i] == y) continue; if (t[i] * x > 130.0) break; a += t[i]; }",
        ),
        |x, y| {
            let mut a = x;
            for i in 0..40 {
                if table(i) == y {
                    continue;
                }
                if table(i) * x > 130.0 {
                    break;
                }
                a += table(i);
            }
            a
        },
    );
    // The outer loop's counter in an inner loop, and both counters.
    check(
        &table_of(
            "for (int i = 0; i < 35; i++) for (int j = 0; j < int(y); j++) a += t[i] * float(j) + t[39 - i];",
        ),
        |x, y| {
            x + (0..35)
                .flat_map(|i| (0..y as i32).map(move |j| table(i) * j as f32 + table(39 - i)))
                .sum::<f32>()
        },
    );
    check(
        &table_of(
            "for (int i = 0; i < 36; i++) for (int j = 0; j < 36; j++) a = a * 0.5 + t[i] * t[j + 1] + t[(i + j) / 4];",
        ),
        |x, _| {
            let mut a = x;
            for i in 0..36 {
                for j in 0..36 {
                    a = a * 0.5 + table(i) * table(j + 1) + table((i + j) / 4);
                }
            }
            a
        },
    );
    // No counter: the value decides where it goes on; more iterations than one loop has.
    check(
        &table_of(
            "int i = 0; for (int n = 0; n < 36; n++) { a += t[i]; i += a > 9.0 ? 1 : 2; if (i > 39) i = 0; }",
        ),
        |x, _| {
            let (mut a, mut i) = (x, 0);
            for _ in 0..36 {
                a += table(i);
                i += if a > 9.0 { 1 } else { 2 };
                if i > 39 {
                    i = 0;
                }
            }
            a
        },
    );
    check(&table_of("for (int i = 0; i < 300; i++) a = a * 0.5 + t[i];"), |x, _| {
        (0..300).fold(x, |a, i| a * 0.5 + table(i.min(39)))
    });
}

#[test]
fn uniforms_in_arrays_of_structures() {
    // All uniforms are 2.
    check(
        "struct Light { vec3 at; float power; mat3 turn; };\nuniform Light lights[12];\nfloat f(float x, float y) { float a = x; for (int i = 0; i < int(12.0 * two) / 2; i++) { Light l = lights[min(i, 11)]; a += dot(l.turn * l.at, vec3(y, 1.0, 0.0)) * l.power; } return a; }",
        |x, y| x + 12.0 * 24.0 * (y + 1.0),
    );
    check(
        "struct Light { vec3 at; float power; mat3 turn; };\nuniform Light lights[12];\nfloat f(float x, float y) { float a = x; for (int i = 0; i < 12; i++) { if (float(i) > y) break; a += dot(lights[i].turn * lights[i].at, vec3(y, 1.0, 0.0)) * lights[i].power; } return a; }",
        |x, y| x + (y + 1.0) * 24.0 * (y + 1.0),
    );
}

#[test]
fn where_relative_addresses_are_used() {
    let loops = "uniform vec4 u[40];\nfloat f() { float a = 0.0; for (int i = 0; i < 40; i++) a = a * a + dot(u[i], u[39 - i]); return a; }";
    assert!(relative(loops, Flow::Chosen) && relative(loops, Flow::Structured));
    // Unrolled; a variable that counts only if a value says so; the counter of another loop as well.
    let short = loops.replace("i < 40", "i < 4");
    assert!(!relative(&short, Flow::Chosen) && relative(&short, Flow::Structured));
    let by_value = "uniform float u[9]; uniform float w;\nfloat f() { float a = 0.0; int i = 0; for (int n = 0; n < 99; n++) { a += u[i]; if (w > 0.0) i++; } return a; }";
    assert!(!relative(by_value, Flow::Structured));
    // Columns of 255 numbers that do not fit, where CMP's twelve do.
    let large = |count: usize| {
        format!(
            "uniform float a[3]; uniform float b[3]; uniform float c[3]; uniform float d[3];\nfloat f() {{ float s = 1.0; for (int i = 0; i < {count}; i++) {{ int k = i % 3; s = s * 0.3 + a[k] * b[k] + c[k] * d[k]; }} return s; }}"
        )
    };
    assert!(relative(&large(50), Flow::Structured));
    for flow in [Flow::Chosen, Flow::Flattened, Flow::Structured] {
        assert!(!relative(&large(255), flow));
    }
    let both = "uniform float u[9];\nfloat f() { float a = 0.0; for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++) a += u[i + j]; return a; }";
    assert!(!relative(both, Flow::Structured));
}
