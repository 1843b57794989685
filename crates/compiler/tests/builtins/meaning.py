"""The meaning of each built-in function and operator of GLSL and WGSL, written from the standards' words.

Nothing here may come from the project's own compiler or evaluator: the table is there to contradict them.
Values are mpmath numbers of 200 bits. Each carries a bound of its error (class N), which follows the accuracy
tables: a result's bound is its own error plus what its operands' errors make of it.
"""
import itertools
import mpmath as mp

mp.mp.prec = 200
ROWS = {"glsl": [], "wgsl": []}


class Undefined(Exception):
    """The standard gives these arguments no single meaning: no row is written."""


def f32(v):
    """The float32 nearest to v."""
    with mp.workprec(24):
        return +mp.mpf(v)


def ulp(v):
    """The spacing of float32 numbers at v."""
    v = abs(mp.mpf(v))
    return mp.mpf(0) if v == 0 else mp.ldexp(1, int(mp.floor(mp.log(v, 2) + mp.mpf(2) ** -100)) - 23)


class N:
    """A number v that a program may miss by up to e."""

    def __init__(self, v, e=0):
        self.v, self.e = mp.mpf(v), mp.mpf(e)

    @staticmethod
    def rounded(v, e, ulps=1):
        """A result with `ulps` of its own error; a correctly rounded one (1 ULP) is exact where float32 holds it."""
        exact = ulps == 1 and e == 0 and f32(v) == v
        return N(v, 0 if exact else e + ulps * ulp(abs(v) + e))

    def __neg__(self):
        return N(-self.v, self.e)

    def __add__(self, o):
        return N.rounded(self.v + o.v, self.e + o.e)

    def __sub__(self, o):
        return N.rounded(self.v - o.v, self.e + o.e)

    def __mul__(self, o):
        return N.rounded(self.v * o.v, abs(self.v) * o.e + abs(o.v) * self.e + self.e * o.e)

    def __truediv__(self, o):
        if abs(o.v) <= o.e:
            raise Undefined
        q = self.v / o.v
        return N.rounded(q, (self.e + abs(q) * o.e) / (abs(o.v) - o.e), 2.5)

    def __lt__(self, o):
        return self.v < o.v

    def through(self, f, own, low=-mp.inf):
        """f of the number, f rising or falling throughout; own(result) is the function's own error."""
        v = f(self.v)
        ends = [abs(f(max(self.v + s * self.e, low)) - v) for s in (-1, 1)] if self.e else [0]
        return N(v, max(ends) + own(v))


ZERO, ONE, TWO, THREE, HALF = N(0), N(1), N(2), N(3), N(0.5)
POW2 = {mp.ldexp(1, k) for k in range(-40, 41)}


def sgn(x):
    v = x.v if isinstance(x, N) else x
    s = (v > 0) - (v < 0)
    return N(s) if isinstance(x, N) else s


def floor(x): return N(mp.floor(x.v))
def ceil(x): return N(mp.ceil(x.v))
def trunc(x): return N(sgn(x).v * mp.floor(abs(x.v)))
def fract(x): return x - floor(x)
def absolute(x): return N(abs(x.v)) if isinstance(x, N) else abs(x)


def round_even(x):
    k, d = mp.floor(x.v), x.v - mp.floor(x.v)
    return N(k + 1 if d > 0.5 or (d == 0.5 and int(k) % 2) else k)


def round_any(x):
    """GLSL's round: a half goes up or down, as the implementation likes."""
    return (floor(x), ceil(x)) if x.v - mp.floor(x.v) == 0.5 else round_even(x)


def quotient(x, y):
    """x / y, which mod and % cut off: (quotient, may it miss a whole number that it is?)."""
    q = x.v / y.v
    near = abs(q - mp.nint(q))
    if 0 < near < 8 * ulp(q):
        raise Undefined
    return q, near == 0 and abs(y.v) not in POW2 and q != 0


def mod(x, y):
    q, doubtful = quotient(x, y)
    return (ZERO, y) if doubtful else x - y * N(mp.floor(q))


def rem(x, y):
    q, doubtful = quotient(x, y)
    return (ZERO, N(sgn(x).v * abs(y.v))) if doubtful else x - y * trunc(N(q))


def idiv(a, b): return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
def irem(a, b): return a - b * idiv(a, b)
def minimum(a, b): return b if b < a else a
def maximum(a, b): return b if a < b else a


def clamp(x, lo, hi):
    if not isinstance(x, N) or x.e == 0:
        return minimum(maximum(x, lo), hi)
    v, a, b = [min(max(t, lo.v), hi.v) for t in (x.v, x.v - x.e, x.v + x.e)]
    return N(v, max(b - v, v - a))


def saturate(x): return clamp(x, ZERO, ONE)
def mix(x, y, a): return x * (ONE - a) + y * a
def step(edge, x): return ZERO if x < edge else ONE


def smoothstep(a, b, x):
    t = saturate((x - a) / (b - a))
    return t * t * (THREE - TWO * t)


def half_float(x):
    """quantizeToF16: correctly rounded, so either neighbour where a 16-bit float does not hold x."""
    if x.v == 0:
        return x
    unit = mp.ldexp(1, int(mp.floor(mp.log(abs(x.v), 2) + mp.mpf(2) ** -100)) - 10)
    lo, hi = mp.floor(x.v / unit) * unit, mp.ceil(x.v / unit) * unit
    return N(lo) if lo == hi else (N(lo), N(hi))


def frexp(x):
    m, e = mp.frexp(x.v)
    return N(m), int(e)


# Exponential functions: exp and exp2 (3 + 2|x|) ULP; log and log2 3 ULP, or 2^-21 in [0.5, 2]; inversesqrt 2 ULP.
def exp(x): return x.through(mp.exp, lambda v: (3 + 2 * (abs(x.v) + x.e)) * ulp(v))
def exp2(x): return x.through(lambda t: mp.power(2, t), lambda v: (3 + 2 * (abs(x.v) + x.e)) * ulp(v))
def log_error(x): return lambda v: mp.ldexp(1, -21) if 0.5 <= x.v <= 2 else 3 * ulp(v)


def log_of(x, base):
    if x.v <= x.e:
        raise Undefined
    return x.through(lambda t: mp.log(t, base), log_error(x))


def log(x): return log_of(x, mp.e)
def log2(x): return log_of(x, 2)
def inversesqrt(x): return x.through(lambda t: 1 / mp.sqrt(t), lambda v: 2 * ulp(v))


def sqrt(x):
    """Inherits 1 / inversesqrt(x); the root of 0 is 0."""
    if x.v <= x.e:
        return x.through(mp.sqrt, lambda v: 0, 0)
    return N(mp.sqrt(x.v), (ONE / inversesqrt(x)).e)


def power(x, y):
    if x.v == 0 and y.v > 0:
        return ZERO
    return exp2(y * log2(x))


# Trigonometry: sin and cos 2^-11 within [-pi, pi]; atan 4096 ULP.
def trig(f, beyond):
    return lambda x: N(f(x.v), mp.ldexp(1, -10 if beyond else -11))


sin, cos = trig(mp.sin, False), trig(mp.cos, False)
def tan(x): return sin(x) / cos(x)
def atan(x): return N(mp.atan(x.v), 4096 * ulp(mp.atan(x.v)))


def atan2(y, x):
    v = mp.atan2(y.v, x.v)
    return N(v, 4096 * ulp(v) + (abs(x.v) * y.e + abs(y.v) * x.e) / (x.v ** 2 + y.v ** 2))


def asin(x): return N(mp.asin(x.v), max(mp.mpf("6.81e-5"), atan2(x, sqrt(ONE - x * x)).e))
def acos(x): return N(mp.acos(x.v), max(mp.mpf("6.77e-5"), atan2(sqrt(ONE - x * x), x).e))
def sinh(x): return N(mp.sinh(x.v), ((exp(x) - exp(-x)) * HALF).e)
def cosh(x): return N(mp.cosh(x.v), ((exp(x) + exp(-x)) * HALF).e)
def tanh(x): return N(mp.tanh(x.v), max(mp.mpf("1e-5"), (sinh(x) / cosh(x)).e))
def acosh(x): return log(x + sqrt(x * x - ONE))
def atanh(x): return log((ONE + x) / (ONE - x)) * HALF


def asinh(x):
    """The standard's log(x + sqrt(x * x + 1)) has no bound for large negative x; the odd function takes that of |x|."""
    return N(mp.asinh(x.v), log(absolute(x) + sqrt(x * x + ONE)).e)


def scaled(c): return lambda x: N(c, ulp(c) / 2) * x


# Vectors and matrices. A matrix is a list of columns.
def total(terms):
    """A sum in any order: each addition but the exact may lose one ULP of the sum of the absolute terms."""
    s = list(itertools.accumulate(terms, lambda a, b: a + b))[-1]
    return s if s.e == 0 else N(s.v, sum(t.e for t in terms) + (len(terms) - 1) * ulp(sum(abs(t.v) for t in terms)))


def dot(a, b): return total([x * y for x, y in zip(a, b)])
def length(a): return sqrt(dot(a, a))
def sub(a, b): return [x - y for x, y in zip(a, b)]
def distance(a, b): return length(sub(a, b))
def normalize(a): return [x / length(a) for x in a]
def cross(a, b): return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
def faceforward(n, i, nref): return n if dot(nref, i).v < 0 else [-x for x in n]


def reflect(i, n):
    d = TWO * dot(n, i)
    return [x - d * y for x, y in zip(i, n)]


def refract(i, n, eta):
    d = dot(n, i)
    k = ONE - eta * eta * (ONE - d * d)
    if abs(k.v) <= 4 * k.e:
        raise Undefined
    if k.v < 0:
        return [ZERO] * len(i)
    t = eta * d + sqrt(k)
    return [eta * x - t * y for x, y in zip(i, n)]


def transpose(m): return [list(row) for row in zip(*m)]
def mat_vec(m, v): return [dot(row, v) for row in transpose(m)]
def vec_mat(v, m): return [dot(col, v) for col in m]
def mat_mat(a, b): return [mat_vec(a, col) for col in b]
def outer(c, r): return [[x * y for x in c] for y in r]
def numbers(m): return mp.matrix([[x.v for x in row] for row in transpose(m)])


def determinant(m):
    """No standard bounds this: 2^-20 of the sum of the absolute terms, so that any order of elimination passes."""
    size = 1
    for col in m:
        size *= sum(abs(x.v) for x in col)
    return N(mp.det(numbers(m)), size * mp.ldexp(1, -20))


def inverse(m):
    """No standard bounds this either: 2^-17 of the largest entry."""
    a = mp.inverse(numbers(m))
    bound = max(abs(x) for x in a) * mp.ldexp(1, -17)
    return [[N(a[r, c], bound) for r in range(a.rows)] for c in range(a.cols)]


# Writing rows. A type is a letter (f, i, u, b) and a width ("f3"; no width: scalar), or m, columns and rows ("m23").
SCALARS = {"glsl": {"f": "float", "i": "int", "u": "uint", "b": "bool"},
           "wgsl": {"f": "f32", "i": "i32", "u": "u32", "b": "bool"}}
PREFIX = {"f": "", "i": "i", "u": "u", "b": "b"}


def spell(lang, t):
    if t.startswith("out "):
        return "out " + spell(lang, t[4:])
    if t[0] == "m":
        c, r = t[1:]
        return f"mat{c}x{r}<f32>" if lang == "wgsl" else f"mat{c}" if c == r else f"mat{c}x{r}"
    if len(t) == 1:
        return SCALARS[lang][t]
    return f"vec{t[1]}<{SCALARS[lang][t[0]]}>" if lang == "wgsl" else f"{PREFIX[t[0]]}vec{t[1]}"


def literal(v):
    """The shortest decimal that reads back as the same float32."""
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, int):
        return str(v)
    if not mp.isfinite(v):
        return str(float(v))
    x = f32(v)
    digits = next(s for s in (mp.nstr(x, d) for d in range(1, 10)) if f32(mp.mpf(s)) == x)
    return repr(float(digits) + 0.0)


def flat(x):
    return [c for part in x for c in flat(part)] if isinstance(x, list) else [x]


def plain(x): return x.v if isinstance(x, N) else x


def tolerance(values):
    """exact, or the tighter of one relative and one absolute bound that allow each component its own error."""
    pairs = [(abs(n.v), n.e + abs(f32(n.v) - n.v)) for n in values if isinstance(n, N)]
    if all(e == 0 for _, e in pairs):
        return "exact"
    top = max(e for _, e in pairs)
    def up(v): return "%.2e" % float(v * mp.mpf("1.005"))
    if all(v for v, _ in pairs):
        rel = max(e / v for v, e in pairs)
        if rel < 0.01 and sum(rel * v for v, _ in pairs) <= top * len(pairs):
            return "rel " + up(rel)
    return "abs " + up(top)


def row(lang, name, types, args, results, section):
    """types: [result, argument, ...]; args and results: one list (or nested list) or scalar for each argument or result."""
    def part(p, cell):
        return " ".join(cell(c) for c in flat(p))
    def cell(c):
        return "|".join(literal(plain(a)) for a in c) if isinstance(c, tuple) else literal(plain(c))
    tol = tolerance([a for c in flat(results) for a in (c if isinstance(c, tuple) else (c,))])
    signature = f"{spell(lang, types[0])}({','.join(spell(lang, t) for t in types[1:])})"
    ROWS[lang].append("\t".join([
        name, signature, " ; ".join(part(a, cell) for a in args), " ; ".join(part(r, cell) for r in results), tol, section]))


def num(kind, x): return N(f32(mp.mpf(str(x)))) if kind == "f" else x


def each(gl, wg, kinds, f, inputs, vectors=True):
    """Rows of a function that works component by component: all inputs as scalars, then a row or two a width and shape.
    gl, wg: (name, section, shapes) or None; a shape has v or s for each argument. kinds: as "ff>f"."""
    args, res = kinds.split(">")
    inputs = [tuple(num(k, x) for k, x in zip(args, i if isinstance(i, tuple) else (i,))) for i in inputs]
    for lang, spec in (("glsl", gl), ("wgsl", wg)):
        if spec is None:
            continue
        name, section = spec[:2]
        for i in inputs:
            attempt(lang, name, [res, *args], [list(i)], [f], section, scalar=True)
        shapes = spec[2] if len(spec) > 2 else ["v" * len(args)]
        wanted = 2 if args == "f" else 1
        for n, shape in itertools.product((2, 3, 4) if vectors else (), shapes):
            groups = [inputs[k:k + n] for k in range(0, len(inputs) - n + 1, n)]
            groups = groups[::max(1, len(groups) // 2 - 1)] + groups
            types = [f"{res}{n}"] + [a + (str(n) if s == "v" else "") for a, s in zip(args, shape)]
            done = 0
            for g in groups:
                lanes = [[i[k] if s == "v" else g[0][k] for k, s in enumerate(shape)] for i in g]
                done += attempt(lang, name, types, lanes, [f], section, shape=shape)
                if done == wanted:
                    break
            assert done, (name, types)


def attempt(lang, name, types, lanes, fs, section, scalar=False, shape=None):
    try:
        out = [f(*lane) for f in fs for lane in lanes]
    except Undefined:
        return 0
    if scalar:
        args = lanes[0]
    else:
        args = [[lane[k] for lane in lanes] if s == "v" else lanes[0][k] for k, s in enumerate(shape)]
    row(lang, name, types, args, [out], section)
    return 1


def whole(gl, wg, types, f, inputs):
    """Rows of a function of whole vectors or matrices, with these types [result, argument, ...]."""
    for lang, spec in (("glsl", gl), ("wgsl", wg)):
        for args in inputs if spec else ():
            try:
                args = [shaped(t, a) for t, a in zip([t for t in types[1:] if not t.startswith("out ")], args)]
                row(lang, spec[0], types, args, [f(*args)], spec[1])
            except Undefined:
                pass


def shaped(t, a):
    if t[0] == "m":
        c, r = int(t[1]), int(t[2])
        return [[num("f", a[k * r + j]) for j in range(r)] for k in range(c)]
    return [num(t[0], x) for x in a] if len(t) > 1 else num(t[0], a)
