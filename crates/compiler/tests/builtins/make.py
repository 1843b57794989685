#!/usr/bin/env python3
# Run `python3 make.py` in any folder (needs mpmath: `pip install mpmath`): writes glsl.tsv, wgsl.tsv and refused.tsv here.
"""The rows of the tables; meaning.py holds what each function and operator means."""
import pathlib
from meaning import *

HEADER = """\
# What the built-in functions and operators of {language} mean, from the words of {standards}.
# make.py writes this file; it takes nothing from the compiler or the evaluator that the file is there to check.
#
# Columns, separated by tabs:
#   1 function or operator (for a constructor or conversion, the type; `?:` is the selection operator)
#   2 signature: result(arguments), in the language's own type names{out}
#   3 arguments: components separated by spaces, arguments by ` ; `, matrices column by column
#   4 expected: components in the same manner; `a|b` where the standard allows either
#   5 tolerance, for each component: `exact`; `rel X`: |got - expected| <= X * |expected|; `abs X`: |got - expected| <= X
#   6 {section}
# Numbers: shortest decimals of float32 values; 0 and -0 are equal. Expected values have 200 bits, then round to float32.
#
# Tolerances follow WGSL's table (15.7.4, Floating Point Accuracy), whose figures are Vulkan's and, where GLSL gives any,
# GLSL's (4.7.1, Range and Precision): + - * correctly rounded (exact where float32 holds the result, else 1 ULP),
# / 2.5 ULP, exp and exp2 (3 + 2|x|) ULP, log and log2 3 ULP or 2^-21 in [0.5, 2], inverse square root 2 ULP,
# sin and cos 2^-11 in [-pi, pi], atan 4096 ULP, asin 6.81e-5, acos 6.77e-5, tanh 1e-5; the others inherit the error of
# their formula, which the script carries through it. n ULP is counted at the expected value.
# Bounds of this table's own, where the standard gives none: sin and cos outside [-pi, pi] 2^-10; asinh of large negative
# numbers has the bound of the positive; determinant 2^-20 of the product of the columns' absolute sums; inverse 2^-17 of the
# largest entry. A remainder of floats whose quotient is whole is exact where the divisor is a power of two, and may
# else be off by the divisor, as the quotient may fall 2.5 ULP short.
# Left out: division by zero, % of negative integers in GLSL, domains without a meaning (pow of a negative number,
# smoothstep with edge0 >= edge1, atan of two zeros), integers beyond 2^20, derivatives, textures, bit operations.
"""
GLSL_HEADER = HEADER.format(
    language="GLSL", standards="the GLSL ES 1.00 and 3.00 and GLSL 1.20 to 4.60 specifications",
    out="; an `out` argument has no value in column 3\n#     and its value follows the result's in column 4",
    section="section, and the first version of each family that has the function with these types")
WGSL_HEADER = HEADER.format(
    language="WGSL", standards="the WGSL specification", section="section",
    out=";\n#     modf.fract and the like are members of the result")

# Versions: E1 is in all; E3 from ES 3.00 and GLSL 1.30 on.
def e1(s): return f"ES 1.00 {s}; GLSL 1.20"
def e3(s): return f"ES 3.00 {s}; GLSL 1.30"
def w(name): return f"17.5 {name}"


HALVES = [0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, -3.5]
ROUND = [0, *HALVES, 1, -1, 2, -3, 0.25, -0.25, 0.75, -0.75, 0.49999997, -0.49999997, 2.4999998, 2.5000002, 1e-5, -1e-5,
         3.1415927, -7.3, 1000.5, -1001.5, 262143.5, -262144.5, 1048576, -1048576]
ANGLES = [0, 1e-4, -1e-4, 0.01, 0.1, -0.1, 0.5, -0.5, 1, -1, 1.5, -1.5, 2, -2, 2.5, -2.5, 3, -3, 3.1415925, -3.1415925]
UNIT = [0, 1e-4, -1e-4, 0.001, -0.001, 0.01, -0.01, 0.1, -0.1, 0.25, 0.5, -0.5, 0.7071068, -0.75, 0.9, -0.9, 0.99, -0.99,
        0.9999, -0.9999, 1, -1]
REAL = [0, 1e-4, -1e-4, 0.001, 0.01, -0.01, 0.1, -0.1, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 5, -5, 10, -10]
POSITIVE = [9.536743e-07, 1e-4, 0.01, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9999, 1, 1.0001, 1.5, 2, 3, 4, 9, 10, 16, 100, 1000, 65536,
            1048576]
POWERS = [0, 0.5, 1, -1, 2, -2, 3, 4, 8, 10, 16, -10, 20, -20, 0.1, -0.1, 1.5, -2.5, 7.75, 1e-4]
SIGNED = [0, 0.5, -0.5, 1, -1, 2.5, -2.5, 1e-5, -1e-5, 3.1415927, -1048576, 1048576, 0.1, -7]
INTS = [0, 1, -1, 2, -2, 7, -7, 100, -255, 1000, 65535, -65536, 1048576, -1048576]
UINTS = [0, 1, 2, 3, 7, 255, 256, 65535, 1000000, 1048576]


def numeric():
    # Angles and trigonometry.
    angles = [0, 1, -1, 45, 90, -90, 180, 270, 360, -360, 1000, 0.5, 57.29578, 1e-4]
    each(("radians", e1("8.1")), ("radians", w("radians")), "f>f", scaled(mp.pi / 180), angles)
    each(("degrees", e1("8.1")), ("degrees", w("degrees")), "f>f", scaled(180 / mp.pi),
         [0, 1, -1, 0.5, 3.1415927, -3.1415927, 1.5707964, 0.7853982, 6.2831855, 100, -20, 1e-4])
    for name, f, far in (("sin", sin, trig(mp.sin, True)), ("cos", cos, trig(mp.cos, True))):
        each((name, e1("8.1")), (name, w(name)), "f>f", f, ANGLES)
        each((name, e1("8.1")), (name, w(name)), "f>f", far, [4, -4, 5, 6.25, -6.25, 10, -20, 100], vectors=False)
    each(("tan", e1("8.1")), ("tan", w("tan")), "f>f", tan,
         [0, 0.01, -0.01, 0.1, -0.1, 0.5, -0.5, 0.7853982, 1, -1, 1.25, -1.25, 1.5, 2, -2, 2.5, 3, -3])
    for name, f in (("asin", asin), ("acos", acos)):
        each((name, e1("8.1")), (name, w(name)), "f>f", f, UNIT)
    each(("atan", e1("8.1")), ("atan", w("atan")), "f>f", atan, REAL + [1.7320508, 100, -1000, 1048576])
    each(("atan", e1("8.1")), ("atan2", w("atan2")), "ff>f", atan2,
         [(1, 1), (1, -1), (-1, 1), (-1, -1), (0.5, 2), (2, -0.5), (-2, 0.5), (-0.5, -2), (1, 1e-4), (-1, -1e-4), (1e-4, 1),
          (1e-4, -1), (-1e-4, -1), (0, 1), (0, -1), (1, 0), (-1, 0), (3, 4), (-1000, 3), (3, 1048576), (1048576, -1)])
    for name, f, inputs in (("sinh", sinh, REAL), ("cosh", cosh, REAL), ("tanh", tanh, REAL), ("asinh", asinh, REAL + [-1000, 1000]),
                            ("acosh", acosh, [1, 1.0001, 1.01, 1.1, 1.25, 1.5, 2, 2.5, 3, 5, 10, 100, 1000]),
                            ("atanh", atanh, [x for x in UNIT if abs(x) < 1])):
        each((name, e3("8.1")), (name, w(name)), "f>f", f, inputs)

    # Exponentials.
    each(("pow", e1("8.2")), ("pow", w("pow")), "ff>f", power,
         [(2, 3), (2, -3), (2, 0.5), (2, 10), (3, 2), (10, 3), (10, -2), (0.5, 2), (0.5, -1.5), (1, 20), (1.5, 1.5), (4, 0.5), (9, -0.5),
          (7, 1), (7, 0), (0, 2), (0, 0.5), (0.1, 3), (100, 2), (1048576, 0.25), (1e-4, 0.5)])
    each(("exp", e1("8.2")), ("exp", w("exp")), "f>f", exp, POWERS[:10] + [-10, 12, -13, 0.1, -0.1, 1.5, -2.5, 7.75, 1e-4, -1e-4])
    each(("exp2", e1("8.2")), ("exp2", w("exp2")), "f>f", exp2, POWERS)
    each(("log", e1("8.2")), ("log", w("log")), "f>f", log, POSITIVE)
    each(("log2", e1("8.2")), ("log2", w("log2")), "f>f", log2, POSITIVE)
    each(("sqrt", e1("8.2")), ("sqrt", w("sqrt")), "f>f", sqrt, [0] + POSITIVE)
    each(("inversesqrt", e1("8.2")), ("inverseSqrt", w("inverseSqrt")), "f>f", inversesqrt, POSITIVE)

    # Common functions of one argument.
    each(("abs", e1("8.3")), ("abs", w("abs")), "f>f", absolute, SIGNED)
    each(("abs", e3("8.3")), ("abs", w("abs")), "i>i", absolute, INTS)
    each(None, ("abs", w("abs")), "u>u", absolute, UINTS)
    each(("sign", e1("8.3")), ("sign", w("sign")), "f>f", sgn, SIGNED)
    each(("sign", e3("8.3")), ("sign", w("sign")), "i>i", sgn, INTS)
    for name, f, since in (("floor", floor, e1), ("ceil", ceil, e1), ("trunc", trunc, e3), ("fract", fract, e1)):
        each((name, since("8.3")), (name, w(name)), "f>f", f, ROUND)
    each(("round", e3("8.3")), None, "f>f", round_any, ROUND)
    each(("roundEven", e3("8.3")), ("round", w("round")), "f>f", round_even, ROUND)
    each(None, ("saturate", w("saturate")), "f>f", saturate, SIGNED + [0.25, 0.99999994, 1.0000001, 100])
    each(None, ("quantizeToF16", w("quantizeToF16 (rounds to 16 bits)")), "f>f", half_float,
         [0, 1, -1, 0.5, 1.5, 0.1, -0.1, 0.3333333, 1.0004883, 1.0009766, 2049, 2048, -4097, 65504, 3.1415927, 100.06, 6.1035156e-05])
    each(("isnan", e3("8.3")), None, "f>b", lambda x: bool(mp.isnan(x.v)), [0, 1, -1, 0.5, 1048576, -1e-5, 3e38, -3e38])
    each(("isinf", e3("8.3")), None, "f>b", lambda x: bool(mp.isinf(x.v)), [0, 1, -1, 0.5, 1048576, -1e-5, 3e38, -3e38])
    splits = [0, 0.5, -0.5, 1, -1, 1.5, -3, 0.25, 0.49999997, -7.3, 1e-5, 3.1415927, 1000.5, 1048576, -1048576]
    each(None, ("modf.fract", w("modf")), "f>f", lambda x: x - trunc(x), ROUND)
    each(None, ("modf.whole", w("modf")), "f>f", trunc, ROUND)
    parts(("modf", e3("8.3")), "f>f,f", lambda x: (x - trunc(x), trunc(x)), ROUND)
    each(None, ("frexp.fract", w("frexp")), "f>f", lambda x: frexp(x)[0], splits)
    each(None, ("frexp.exp", w("frexp")), "f>i", lambda x: frexp(x)[1], splits)
    parts(("frexp", "ES 3.10 8.3; GLSL 4.00"), "f>f,i", frexp, splits)
    each(("ldexp", "ES 3.10 8.3; GLSL 4.00"), ("ldexp", w("ldexp")), "fi>f", lambda x, k: N(mp.ldexp(x.v, k)),
         [(1, 0), (1, 1), (1, -1), (1.5, 3), (-1.5, 3), (0.1, 4), (-0.75, -4), (0.5, 20), (0, 5), (1048576, -20), (3.1415927, 2), (-7, 10)])

    # Common functions of more arguments.
    pairs = [(0, 0), (1, 2), (2, 1), (-1, 1), (1, -1), (-2, -3), (0.5, 0.25), (0.1, -0.1), (1e-5, 2e-5), (1048576, -1048576), (-0.5, 0), (3, 3)]
    ipairs = [(0, 0), (1, 2), (2, 1), (-1, 1), (5, -7), (-2, -3), (1048576, -1048576), (100, 99), (-1, 0), (3, 3)]
    upairs = [(0, 0), (1, 2), (2, 1), (7, 0), (1048576, 1048575), (100, 99), (255, 256), (3, 3)]
    both = ["vv", "vs"]
    for name, f in (("min", minimum), ("max", maximum)):
        each((name, e1("8.3"), both), (name, w(name)), "ff>f", f, pairs)
        each((name, e3("8.3"), both), (name, w(name)), "ii>i", f, ipairs)
        each((name, e3("8.3"), both), (name, w(name)), "uu>u", f, upairs)
    both = ["vvv", "vss"]
    each(("clamp", e1("8.3"), both), ("clamp", w("clamp")), "fff>f", clamp,
         [(0, 0, 1), (1, 0, 1), (0.5, 0, 1), (-0.5, 0, 1), (1.5, 0, 1), (5, -2, 3), (-5, -2, 3), (-2, -2, 3), (2, 2, 2), (1e-5, 0.1, 0.2),
          (1048576, -10, 10), (-7, -100, -8)])
    each(("clamp", e3("8.3"), both), ("clamp", w("clamp")), "iii>i", clamp,
         [(0, 0, 1), (5, -2, 3), (-5, -2, 3), (1, -2, 3), (7, 7, 7), (1048576, 0, 255), (-3, -1000, -4), (-9, -8, 8)])
    each(("clamp", e3("8.3"), both), ("clamp", w("clamp")), "uuu>u", clamp,
         [(0, 0, 1), (5, 2, 3), (1, 2, 3), (7, 7, 7), (1048576, 0, 255), (200, 0, 255), (9, 10, 11), (3, 0, 3)])
    each(("mix", e1("8.3"), ["vvv", "vvs"]), ("mix", w("mix"), ["vvv", "vvs"]), "fff>f", mix,
         [(0, 1, 0.5), (0, 1, 0), (0, 1, 1), (2, 4, 0.25), (4, 2, 0.25), (-1, 1, 0.5), (1, 3, -0.5), (1, 3, 1.5), (10, -10, 0.75),
          (0.1, 0.3, 0.5), (1000, 1, 0.1), (-0.5, 0.25, 0.3)])
    each(("step", e1("8.3"), ["vv", "sv"]), ("step", w("step")), "ff>f", step,
         [(0, 0), (0, 1), (0, -1), (1, 0.5), (1, 1), (1, 1.5), (-1, -2), (-1, -1), (0.1, 0.1), (0.1, 0.099999994), (0.5, 0.50000006),
          (100, 99.99999), (-1048576, 0)])
    each(("smoothstep", e1("8.3"), ["vvv", "ssv"]), ("smoothstep", w("smoothstep")), "fff>f", smoothstep,
         [(0, 1, 0), (0, 1, 1), (0, 1, 0.5), (0, 1, 0.25), (0, 1, 0.1), (0, 1, 0.9), (0, 1, -3), (0, 1, 3), (-1, 1, 0), (-1, 1, 0.5),
          (2, 10, 4), (2, 10, 9), (-10, -2, -4), (0.1, 0.2, 0.15), (0, 1000, 1)])
    each(("mod", e1("8.3"), ["vv", "vs"]), None, "ff>f", mod, REMAINDERS)
    each(("fma", "ES 3.20 8.3; GLSL 4.00"), ("fma", w("fma")), "fff>f", lambda a, b, c: a * b + c,
         [(1, 2, 3), (0, 5, -1), (-2, 3, 6), (0.5, 0.5, 0.25), (1.5, -2.5, 1), (0.1, 0.2, 0.3), (1000, 1000, -1), (-0.25, 8, 2.5), (3, 3, -9),
          (1e-4, 1e-4, 1)])
    for kind in "fiub":
        a, b = (True, False) if kind == "b" else (3, 7)
        cases = [(a, b, False), (a, b, True), (b, a, False), (b, a, True)] + ([] if kind in "bu" else [(-5, 9, True), (-5, 9, False)])
        since = e3("8.3") if kind == "f" else "ES 3.10 8.3; GLSL 4.50"
        each(("mix", since), ("select", "17.3 select", ["vvv", "vvs"]), f"{kind}{kind}b>{kind}", lambda x, y, c: y if c else x, cases)


REMAINDERS = [(5.5, 2), (-5.5, 2), (5.5, -2), (-5.5, -2), (7, 4), (-7, 4), (7, -4), (-7, -4), (8, 4), (-8, 4), (0.75, 0.5), (-0.25, 1), (0.25, -1),
              (0, 3), (1, 3), (-1, 3), (5, 3), (-5, 3), (6, 3), (-6, 3), (10.5, 3), (-10.5, 3), (1000.25, 8), (-1000.25, 8), (100, 7), (-100, 7),
              (1, 1048576), (-1, 1048576), (4.5, 1.5)]


def parts(gl, kinds, f, inputs):
    """Rows of a GLSL function with an out argument: the first member of f's pair is its result, the second the argument."""
    (arg, outs), name, section = kinds.split(">"), *gl
    first, second = outs.split(",")
    inputs = [num(arg, x) for x in inputs]
    for n, groups in ((1, [[x] for x in inputs]), *((n, [inputs[1:n + 1]]) for n in (2, 3, 4))):
        for g in groups:
            width = "" if n == 1 else str(n)
            row("glsl", name, [first + width, arg + width, "out " + second + width], [g], [list(x) for x in zip(*map(f, g))], section)


V = {1: [[3], [-4], [0.5], [1], [2], [-0.25]],
     2: [[3, 4], [-4, 3], [1, 0], [0.5, -0.25], [0.1, 0.7], [1000, -2000], [-5, 12], [0, -1]],
     3: [[1, 2, 2], [-2, 1, 2], [0, 0, 1], [0.5, -0.25, 1], [0.1, 0.7, -0.3], [1000, -2000, 500], [2, 3, -6], [0, 1, 0]],
     4: [[1, 1, 1, 1], [2, 4, -5, 6], [0, 0, 0, -2], [0.5, -0.25, 1, 2], [0.1, 0.7, -0.3, 0.2], [1000, -2000, 500, 1], [1, -1, 1, 1], [1, 3, 5, 1]]}


def geometry():
    for n in (1, 2, 3, 4):
        t = "f" if n == 1 else f"f{n}"
        vs = [v[0] for v in V[n]] if n == 1 else V[n]
        two = [(vs[k], vs[(k + 1) % len(vs)]) for k in range(len(vs))]
        scalar = (lambda f: lambda *a: f(*[[x] for x in a])) if n == 1 else (lambda f: f)
        first = (lambda f: lambda *a: f(*[[x] for x in a])[0]) if n == 1 else (lambda f: f)
        also = n > 1  # WGSL has length and distance of scalars, but not the others.
        e = e1("8.4")
        whole(("length", e), ("length", w("length")), ["f", t], scalar(length), [(v,) for v in vs])
        whole(("distance", e), ("distance", w("distance")), ["f", t, t], scalar(distance), two)
        whole(("dot", e), also and ("dot", w("dot")), ["f", t, t], scalar(dot), two)
        whole(("normalize", e), also and ("normalize", w("normalize")), [t, t], first(normalize), [(v,) for v in vs])
        near = [(vs[0], vs[1], vs[2 % len(vs)]), (vs[1], vs[2], vs[3]), (vs[2], vs[3], vs[0]), (vs[3], vs[0], vs[1]), (vs[4], vs[5], vs[4])]
        whole(("faceforward", e), also and ("faceForward", w("faceForward")), [t, t, t, t], first(faceforward),
              [c for c in near if dot(*[[N(x) for x in (v if n > 1 else [v])] for v in c[1:]]).v])
        axis = 1 if n == 1 else [0.0] * (n - 1) + [1]
        slanted = 1 if n == 1 else [0.6, 0.8] + [0.0] * (n - 2)
        units = [axis, slanted] + ([] if n == 1 else [[1] + [0.0] * (n - 1)])
        whole(("reflect", e), also and ("reflect", w("reflect")), [t, t, t], first(reflect), [(v, u) for v in vs[:4] for u in units])
        rays = [-1, 1] if n == 1 else [[0.6] + [0.0] * (n - 2) + [-0.8], [0.8] + [0.0] * (n - 2) + [-0.6], [0.0] * (n - 1) + [-1],
                                       [0.28] + [0.0] * (n - 2) + [0.96]]
        whole(("refract", e), also and ("refract", w("refract")), [t, t, t, "f"], first3(refract) if n == 1 else refract,
              [(r, u, (1, 0.75, 1.5, 2)[(p + q + h) % 4]) for p, r in enumerate(rays) for q, u in enumerate(units[:2]) for h in (0, 2)])
    e = e1("8.4")
    whole(("cross", e), ("cross", w("cross")), ["f3", "f3", "f3"], cross,
          [([1, 0, 0], [0, 1, 0]), ([0, 1, 0], [0, 0, 1]), ([0, 0, 1], [1, 0, 0]), ([0, 1, 0], [1, 0, 0]), ([1, 2, 3], [4, 5, 6]), ([2, -3, 5], [7, 11, -13]),
           ([0.5, -0.25, 1], [1.5, 2, -4]), ([1, 2, 3], [2, 4, 6]), ([0.1, 0.7, -0.3], [0.3, -0.2, 0.9]), ([1000, -2000, 500], [3, 1, 4])])
    for k, n in (("i", 2), ("i", 3), ("i", 4), ("u", 2), ("u", 3), ("u", 4)):
        s = 1 if k == "u" else -1
        whole(None, ("dot", w("dot")), [k, f"{k}{n}", f"{k}{n}"], lambda a, b: sum(x * y for x, y in zip(a, b)),
              [([1, 2, 3, 4][:n], [5, 6 * s * s, 7, 8][:n]), ([10 * s * s, s * s * 3, 0, 2][:n], [s * 4 if s < 0 else 4, 100, 9, 1][:n])])


def first3(f): return lambda i, n, eta: f([i], [n], eta)[0]


M = [2, -1, 0.5, 3, 1, 4, -2, 0.25, 5, -3, 1.5, 2, -0.5, 6, 1, -4]
M2 = [1, 3, -2, 0.5, 4, -1, 2, 2, -3, 5, 0.25, 1, 6, -0.75, 2, 1]
GOOD = {2: [[4, 7, 2, 6], [1, 2, 3, 4], [2, 0, 0, 0.5], [0, -1, 1, 0]],
        3: [[2, 0, 1, 1, 3, 0, 0, 1, 4], [1, 2, 3, 0, 1, 4, 5, 6, 0], [2, 0, 0, 0, 4, 0, 0, 0, -8], [0, 0, 1, 1, 0, 0, 0, 1, 0]],
        4: [[4, 1, 0, 0, 1, 3, 1, 0, 0, 1, 5, 1, 1, 0, 1, 2], [2, 0, 0, 0, 0, 4, 0, 0, 0, 0, -8, 0, 0, 0, 0, 0.5],
            [1, 0, 2, 0, 0, 3, 0, 1, 2, 0, 1, 0, 0, 1, 0, 4], [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]]}
SHAPES = [(c, r) for c in (2, 3, 4) for r in (2, 3, 4)]


def ms(c, r): return e1("5.11") if c == r else "ES 3.00 5.10; GLSL 1.20"
def entrywise(op): return lambda a, b: [[op(x, y) for x, y in zip(p, q)] for p, q in zip(a, b)]
def entries(op): return lambda a, s: [[op(x, s) for x in p] for p in a]
def swapped(f): return lambda s, a: f(a, s)


def matrices():
    wg = "8.7 Arithmetic Expressions"
    for c, r in SHAPES:
        t, n = f"m{c}{r}", c * r
        a, b = M[:n], M2[:n]
        s, sec = ms(c, r), e1("8.5") if c == r else "ES 3.00 8.6; GLSL 1.20"
        v, u = [1, -2, 0.5, 3], [0.1, 0.7, -0.3, 0.2]
        whole(("matrixCompMult", sec), None, [t, t, t], entrywise(lambda x, y: x * y), [(a, b)])
        whole(("transpose", "ES 3.00 8.6; GLSL 1.20"), ("transpose", w("transpose")), [f"m{r}{c}", t], transpose, [(a,)])
        whole(("outerProduct", "ES 3.00 8.6; GLSL 1.20"), None, [t, f"f{r}", f"f{c}"], outer, [(v[:r], M[:c])])
        whole(("*", s), ("*", wg), [f"f{r}", t, f"f{c}"], mat_vec, [(a, v[:c]), (b, u[:c])])
        whole(("*", s), ("*", wg), [f"f{c}", f"f{r}", t], vec_mat, [(v[:r], a), (u[:r], b)])
        for k in (2, 3, 4):
            square = ms(c, r) if c == r == k else ms(2, 3)
            whole(("*", square), ("*", wg), [f"m{k}{r}", t, f"m{k}{c}"], mat_mat, [(a, M2[:k * c])])
        for op, f in (("+", lambda x, y: x + y), ("-", lambda x, y: x - y)):
            whole((op, s), (op, wg), [t, t, t], entrywise(f), [(a, b)])
            whole(c == r and (op, s), None, [t, t, "f"], entries(f), [(a, 2.5)])
            whole(c == r and (op, s), None, [t, "f", t], swapped(entries(lambda x, y, f=f: f(y, x))), [(2.5, a)])
        whole(("*", s), ("*", wg), [t, t, "f"], entries(lambda x, y: x * y), [(b, -0.5)])
        whole(("*", s), ("*", wg), [t, "f", t], swapped(entries(lambda x, y: x * y)), [(2, a)])
        whole(("/", s), None, [t, t, "f"], entries(lambda x, y: x / y), [(b, -3)])
        whole(("/", s), None, [t, "f", t], swapped(entries(lambda x, y: y / x)), [(2, a)])
        whole(("/", s), None, [t, t, t], entrywise(lambda x, y: x / y), [(b, a)])
        whole(("-", s), None, [t, t], lambda m: [[-x for x in p] for p in m], [(a,), (b,)])
        same, e = lambda x, y: [p.v for p in flat(x)] == [p.v for p in flat(y)], s.replace("5.11", "5.9").replace("5.10", "5.9")
        first, last = [a[0] + 1] + a[1:], a[:-1] + [a[-1] + 1]
        whole(("==", e), None, ["b", t, t], same, [(a, a), (a, first), (a, last)])
        whole(("!=", e), None, ["b", t, t], lambda x, y: not same(x, y), [(a, a), (a, last)])
        constructors(c, r)
    for n in (2, 3, 4):
        cases = [(m,) for m in GOOD[n]]
        whole(("determinant", "ES 3.00 8.6; GLSL 1.50"), ("determinant", w("determinant")), ["f", f"m{n}{n}"], determinant,
              cases + [(M[:n * n],), (M2[:n * n],)])
        whole(("inverse", "ES 3.00 8.6; GLSL 1.40"), None, [f"m{n}{n}", f"m{n}{n}"], inverse, cases)


def constructors(c, r):
    """Constructors of matrices with c columns and r rows."""
    t, n = f"m{c}{r}", c * r
    s = "ES 1.00 5.4.2; GLSL 1.20" if c == r else "ES 3.00 5.4.2; GLSL 1.20"
    wg = f"17.1 mat{c}x{r}"
    def name(lang): return spell(lang, t)
    columns = lambda *x: [list(x[k * r:k * r + r]) for k in range(c)]
    whole((name("glsl"), s), (name("wgsl"), wg), [t] + ["f"] * n, columns, [M[:n]])
    whole((name("glsl"), s), (name("wgsl"), wg), [t] + [f"f{r}"] * c, lambda *x: list(x), [[M[k * r:k * r + r] for k in range(c)]])
    whole((name("glsl"), s), None, [t, "f"], lambda x: [[x if j == k else ZERO for j in range(r)] for k in range(c)], [(1,), (-2.5,)])
    for k, j in (s for s in SHAPES if s == (c, r) or s in ((2, 2), (3, 3), (4, 4), (2, 3), (4, 3))):
        def cut(m): return [[m[p][q] if p < k and q < j else N(int(p == q)) for q in range(r)] for p in range(c)]
        whole((name("glsl"), "ES 3.00 5.4.2; GLSL 1.20"), (k, j) == (c, r) and (name("wgsl"), wg), [t, f"m{k}{j}"], cut, [(M[:k * j],)])


def relations():
    g, e = "5.9", e1("8.6")
    compare = {"<": ("lessThan", lambda x, y: x < y), "<=": ("lessThanEqual", lambda x, y: x <= y), ">": ("greaterThan", lambda x, y: x > y),
               ">=": ("greaterThanEqual", lambda x, y: x >= y), "==": ("equal", lambda x, y: x == y), "!=": ("notEqual", lambda x, y: x != y)}
    values = {"f": [(0, 0), (1, 2), (2, 1), (-1, 1), (-2, -3), (0.1, 0.1), (0.1, 0.099999994), (1, 1.0000001), (1048576, -1048576), (-0.5, 0), (0, 1e-5), (3, 3)],
              "i": [(0, 0), (1, 2), (2, 1), (-1, 1), (-2, -3), (1048576, 1048575), (-1048576, 0), (3, 3)],
              "u": [(0, 0), (1, 2), (2, 1), (1048576, 1048575), (7, 0), (3, 3)],
              "b": [(True, True), (True, False), (False, True), (False, False)]}
    for op, (name, test) in compare.items():
        for k, cases in values.items():
            if k == "b" and op not in ("==", "!="):
                continue
            f = lambda x, y, test=test: bool(test(plain(x), plain(y)))
            since = e3 if k == "u" else e1
            each((op, since(g)), None, f"{k}{k}>b", f, cases, vectors=False)
            each(None, (op, "8.8 Comparison Expressions"), f"{k}{k}>b", f, cases)
            for n in (2, 3, 4):
                a, b = [c[0] for c in cases[:n]], [c[1] for c in cases[:n]]
                x, y = [c[0] for c in cases[-n:]], [c[1] for c in cases[-n:]]
                lanes = lambda p, q, f=f: [f(i, j) for i, j in zip(p, q)]
                types = [f"{k}{n}"] * 2
                section = f"ES 3.00 8.7; GLSL 1.30" if k == "u" else e
                whole((name, section), None, [f"b{n}", *types], lanes, [(a, b), (x, y)])
                if op in ("==", "!="):
                    same = lambda p, q, want=op == "==": all(plain(i) == plain(j) for i, j in zip(p, q)) == want
                    last = a[:-1] + [not a[-1] if k == "b" else a[-1] + 5]
                    whole((op, since(g)), None, ["b", *types], same, [(a, a), (a, last)])
    for n in (2, 3, 4):
        for bits in [b for b in itertools.product((False, True), repeat=n) if n < 4 or sum(b) != 2]:
            whole(("any", e), ("any", "17.3 any"), ["b", f"b{n}"], any, [(list(bits),)])
            whole(("all", e), ("all", "17.3 all"), ["b", f"b{n}"], all, [(list(bits),)])
    for n in (2, 3, 4):
        for bits in ([True, False, True, True], [False, False, True, False]):
            whole(("not", e), ("!", "8.6 Logical Expressions"), [f"b{n}", f"b{n}"], lambda v: [not x for x in v], [(bits[:n],)])
    both = [(True, True), (True, False), (False, True), (False, False)]
    for op, f in (("&&", lambda x, y: x and y), ("||", lambda x, y: x or y), ("^^", lambda x, y: x != y)):
        each((op, e1(g)), op != "^^" and (op, "8.6 Logical Expressions") or None, "bb>b", f, both, vectors=False)
    for op, f in (("&", lambda x, y: x and y), ("|", lambda x, y: x or y)):
        each(None, (op, "8.6 Logical Expressions"), "bb>b", f, both)
    each(("!", e1(g)), ("!", "8.6 Logical Expressions"), "b>b", lambda x: not x, [True, False], vectors=False)
    each(None, ("all", "17.3 all"), "b>b", lambda x: x, [True, False], vectors=False)
    each(None, ("any", "17.3 any"), "b>b", lambda x: x, [True, False], vectors=False)
    for t, a, b in (("f", 3, -7.5), ("i", 3, -7), ("u", 3, 7), ("b", True, False), ("f2", [1, 2], [3, 4]), ("f3", [1, 2, 3], [3, 4, 5]),
                    ("f4", [1, 2, 3, 4], [3, 4, 5, 6]), ("i3", [1, -2, 3], [3, 4, 5]), ("b2", [True, False], [False, True]),
                    ("m22", [1, 2, 3, 4], [5, 6, 7, 8])):
        whole(("?:", (e3 if t == "u" else e1)(g)), None, [t, "b", t, t], lambda c, x, y: x if c else y, [(True, a, b), (False, a, b)])


def arithmetic():
    wg, both = "8.7 Arithmetic Expressions", ["vv", "vs", "sv"]
    floats = [(1, 2), (0.5, -0.25), (-1.5, 2.5), (3, -3), (0.1, 0.2), (1000.5, 0.25), (1048576, -1), (-7, -9), (1e-4, 1e-4), (0.3333333, 3), (100, 7)]
    ints = [(1, 2), (7, 3), (-7, 3), (7, -3), (-7, -3), (100, 10), (-8, 4), (999, 1000), (-999, 1000), (1023, 1024), (-1, 2), (0, 5), (12345, -67)]
    uints = [(7, 3), (100, 10), (1000, 999), (5, 5), (12345, 67), (65535, 16), (1, 1), (1048576, 2)]
    for op, f, i in (("+", lambda x, y: x + y, lambda x, y: x + y), ("-", lambda x, y: x - y, lambda x, y: x - y),
                     ("*", lambda x, y: x * y, lambda x, y: x * y), ("/", lambda x, y: x / y, idiv)):
        each((op, e1("5.9"), both), (op, wg, both), "ff>f", f, floats)
        each((op, e1("5.9"), both), (op, wg, both), "ii>i", i, ints)
        small = [p for p in uints if p[0] * p[1] <= 2 ** 20] if op == "*" else uints
        each((op, e3("5.9"), ["vv"] if op == "-" else both), (op, wg, ["vv"] if op == "-" else both), "uu>u", i, small)
    each(("/", e1("5.9")), ("/", wg), "ff>f", lambda x, y: x / y, [(1, 3), (-1, 3), (22, 7), (1, 1048576), (1048576, 3), (6, 3), (1, 10), (-0.75, 0.5), (0, 9)],
         vectors=False)
    each(("%", e3("5.9"), both), None, "ii>i", irem, [(7, 3), (8, 4), (0, 5), (100, 7), (3, 10), (1048575, 1000), (6, 6), (9, 1), (12345, 67)])
    each(("%", e3("5.9"), both), ("%", wg, both), "uu>u", irem, [(7, 3), (8, 4), (0, 5), (100, 7), (3, 10), (1048575, 1000), (6, 6), (9, 1), (12345, 67)])
    each(None, ("%", wg, both), "ii>i", irem, [*ints, (8, 4), (-8, 3), (1048575, -1000), (-12345, 67)])
    each(None, ("%", wg, both), "ff>f", rem, REMAINDERS)
    each(("-", e1("5.9")), ("-", wg), "f>f", lambda x: -x, SIGNED)
    each(("-", e1("5.9")), ("-", wg), "i>i", lambda x: -x, INTS)
    each(("+", e1("5.9")), None, "f>f", lambda x: x, SIGNED)
    each(("+", e1("5.9")), None, "i>i", lambda x: x, INTS)


def conversions():
    fractions = [0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.99999994, -0.99999994, 1, -1, 2.9999998, 7.75, -7.75, 1000.9, 1048575.9, -1048575.9]
    to = {"f": {"i": (INTS, N), "u": (UINTS, N), "b": ([True, False], lambda x: N(int(x))), "f": (SIGNED, lambda x: x)},
          "i": {"f": (fractions, lambda x: int(trunc(x).v)), "u": (UINTS, int), "b": ([True, False], int), "i": (INTS, int)},
          "u": {"f": ([x for x in fractions if x >= 0], lambda x: int(trunc(x).v)), "i": ([x for x in INTS if x >= 0], int),
                "b": ([True, False], int), "u": (UINTS, int)},
          "b": {"f": ([0, 1, -1, 0.5, -0.25, 1e-4, 1048576], lambda x: x.v != 0), "i": ([0, 1, -1, 2, 1048576], bool), "u": ([0, 1, 2, 1048576], bool),
                "b": ([True, False], bool)}}
    for t, sources in to.items():
        for a, (inputs, f) in sources.items():
            since = e3 if "u" in (t, a) else e1
            gl, wg = SCALARS["glsl"][t], SCALARS["wgsl"][t]
            each((gl, since("5.4.1")), (wg, f"17.1 {wg}"), f"{a}>{t}", f, inputs, vectors=False)
            for n in (2, 3, 4):
                one = [num(a, x) for x in (inputs * 4)[1:5]][:n]
                gn, wn = spell("glsl", f"{t}{n}"), spell("wgsl", f"{t}{n}")
                whole((gn, since("5.4.2")), (wn, "17.1 " + wn), [f"{t}{n}", f"{a}{n}"], lambda v, f=f: [f(x) for x in v],
                      [([plain(x) for x in one],), ([plain(x) for x in one[::-1]],)])
                whole((gn, since("5.4.2")), a == t and (wn, "17.1 " + wn), [f"{t}{n}", a], lambda x, n=n, f=f: [f(x)] * n, [(x,) for x in inputs[1:3]])
    each(None, ("u32", "17.1 u32"), "f>u", lambda x: max(0, int(trunc(x).v)), [-0.5, -1, -1.5, -1000], vectors=False)
    parts_of = {2: [[1, 1]], 3: [[1, 1, 1], [2, 1], [1, 2]], 4: [[1, 1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2], [2, 2], [3, 1], [1, 3]]}
    for k, values in (("f", [1.5, -2, 0.25, 7]), ("i", [1, -2, 3, -4]), ("u", [1, 2, 3, 4]), ("b", [True, False, False, True])):
        since = e3 if k == "u" else e1
        for n, splits in parts_of.items():
            gn, wn = spell("glsl", f"{k}{n}"), spell("wgsl", f"{k}{n}")
            for split in splits:
                cuts = [sum(split[:j]) for j in range(len(split))]
                args = [values[c:c + m] if m > 1 else values[c] for c, m in zip(cuts, split)]
                whole((gn, since("5.4.2")), (wn, "17.1 " + wn), [f"{k}{n}"] + [f"{k}{m}" if m > 1 else k for m in split], lambda *x: flat(list(x)), [args])
            for longer in range(n + 1, 5):
                whole((gn, since("5.4.2")), None, [f"{k}{n}", f"{k}{longer}"], lambda v, n=n: v[:n], [(values[:longer],)])
        if k != "f":
            continue
        whole(("vec3", e1("5.4.2")), None, ["f3", "f2", "i"], lambda v, i: [*v, N(i)], [([0.5, 1], 3)])
        whole(("vec4", e1("5.4.2")), None, ["f4", "b", "i2", "f"], lambda b, v, f: [N(int(b)), *map(N, v), f], [(True, [2, -3], 0.5)])
        whole(("ivec3", e1("5.4.2")), None, ["i3", "f", "b", "i"], lambda f, b, i: [int(trunc(f).v), int(b), i], [(-2.75, True, 9)])


def bits():
    both, wg = ["vv", "vs", "sv"], "8.9 Bit Expressions"
    ints = [(12, 10), (-1, 255), (-7, 3), (1234567, -7654321), (-8388608, 8388607), (5592405, 11184810), (16777215, -16777216), (0, -1), (-3, -5)]
    uints = [(12, 10), (16777215, 255), (5592405, 11184810), (8388608, 8388607), (1234567, 7654321), (0, 16777215), (1, 1)]
    for op, f in (("&", lambda x, y: x & y), ("|", lambda x, y: x | y), ("^", lambda x, y: x ^ y)):
        each((op, e3("5.9"), both), (op, wg), "ii>i", f, ints)
        each((op, e3("5.9"), both), (op, wg), "uu>u", f, uints)
    left = [(1, 0), (3, 4), (-5, 7), (1023, 13), (-1, 23), (0, 31)]
    right = [(1234567, 0), (1234567, 5), (-1234567, 5), (-1, 31), (16777215, 23), (7, 12)]
    for op, f, cases in (("<<", lambda x, y: x << y, left), (">>", lambda x, y: x >> y, right)):
        natural = [(x, y) for x, y in cases if x >= 0]
        each((op, e3("5.9"), ["vv", "vs"]), None, "ii>i", f, cases)
        each((op, e3("5.9"), ["vv", "vs"]), (op, wg), "uu>u", f, natural)
        each(None, (op, wg), "iu>i", f, cases)


def refused():
    """Operations on bits, which the machine does not have: (language, function, signature)."""
    out = []
    def add(lang, name, *types): out.append(f"{lang}\t{name}\t{spell(lang, types[0])}({','.join(spell(lang, t) for t in types[1:])})")
    for n in ("", "2", "3", "4"):
        f, i, u = "f" + n, "i" + n, "u" + n
        for name, r, a in (("floatBitsToInt", i, f), ("floatBitsToUint", u, f), ("intBitsToFloat", f, i), ("uintBitsToFloat", f, u)):
            add("glsl", name, r, a)
        for t in (i, u):
            add("glsl", "bitfieldExtract", t, t, "i", "i")
            add("glsl", "bitfieldInsert", t, t, t, "i", "i")
            add("glsl", "bitfieldReverse", t, t)
            for name in ("bitCount", "findLSB", "findMSB"):
                add("glsl", name, i, t)
            add("wgsl", "extractBits", t, t, "u", "u")
            add("wgsl", "insertBits", t, t, t, "u", "u")
            for name in ("countLeadingZeros", "countOneBits", "countTrailingZeros", "firstLeadingBit", "firstTrailingBit", "reverseBits"):
                add("wgsl", name, t, t)
            if t[0] == "u":  # of an int it is -1 - x
                add("glsl", "~", t, t)
                add("wgsl", "~", t, t)
        add("glsl", "uaddCarry", u, u, u, "out " + u)
        add("glsl", "usubBorrow", u, u, u, "out " + u)
        for name, r, t in (("f32", f, i), ("f32", f, u), ("i32", i, f), ("i32", i, u), ("u32", u, f), ("u32", u, i)):
            add("wgsl", f"bitcast<{spell('wgsl', r)}>", r, t)
    for name in ("packSnorm2x16", "packUnorm2x16", "packHalf2x16"):
        add("glsl", name, "u", "f2")
        add("glsl", "un" + name, "f2", "u")
    for name in ("packUnorm4x8", "packSnorm4x8"):
        add("glsl", name, "u", "f4")
        add("glsl", "un" + name, "f4", "u")
    for name, t in (("4x8snorm", "f4"), ("4x8unorm", "f4"), ("2x16snorm", "f2"), ("2x16unorm", "f2"), ("2x16float", "f2"), ("4xI8", "i4"), ("4xU8", "u4")):
        add("wgsl", "pack" + name, "u", t)
        add("wgsl", "unpack" + name, t, "u")
    for name, t in (("pack4xI8Clamp", "i4"), ("pack4xU8Clamp", "u4")):
        add("wgsl", name, "u", t)
    add("wgsl", "dot4U8Packed", "u", "u", "u")
    add("wgsl", "dot4I8Packed", "i", "u", "u")
    return out


def write(name, header, rows):
    (pathlib.Path(__file__).parent / name).write_text(header + "\n".join(dict.fromkeys(rows)) + "\n")


if __name__ == "__main__":
    for section in (numeric, geometry, matrices, relations, arithmetic, bits, conversions):
        section()
    write("glsl.tsv", GLSL_HEADER, ROWS["glsl"])
    write("wgsl.tsv", WGSL_HEADER, ROWS["wgsl"])
    write("refused.tsv", "# Operations on bits, which the machine lacks: a program that uses one must be refused with an error.\n"
          "# Columns: language, function or operator, signature. make.py writes this file.\n", refused())
