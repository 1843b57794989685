"""`run_many`, and programs from words."""

import itertools
import pickle
import threading
import warnings

import numpy as np
import pytest

import ctm

DOMAIN = (0, 0, 6, 4)
MANY = 1024
COPY = ctm.Program("ld r1, i0[r0.rg]\nmov o0, r1")


def message(function, *arguments, **named):
    with pytest.raises(ctm.Error) as raised:
        function(*arguments, **named)
    return str(raised.value), raised.value.key


def words_of(source):
    """The words that the assembler makes, as an array (n, 6)."""
    return np.array([int(word, 16) for word in hex_of(source).split()], "uint32").reshape(-1, 6)


def hex_of(source):
    """The words of an executable, in hexadecimal: `.text` follows the headers, which say where."""
    executable = ctm.assemble(source)
    header = np.frombuffer(executable[52:84], "<u4")
    return " ".join(f"{word:08x}" for word in np.frombuffer(executable[header[1] :][: header[4]], "<u4"))


def launches(count):
    """Launches that differ in program, domain, inputs, outputs and constants."""
    random = np.random.default_rng(5)
    for n in range(count):
        program = ctm.Program.from_words(words_of(f"ld r1, i{n % 3}[r0.rg]\nmad o{n % 2}, r1, c{n % 5}, {n}.0"))
        height, width = 1 + n % 9, 1 + n % 13
        dtype, format = (("float32", "FLOAT32_4"), ("uint8", "UINT8_4"), ("uint16", "UINT16_2"))[n % 3]
        source = random.integers(0, 250, (height, width, 4)).astype(dtype)
        source = source[:, :, :2] if dtype == "uint16" else source
        outputs = {f"o{n % 2}": format if n % 4 else source.copy()}
        yield program, (0, n % 2, width - 1, height - 1), {n % 3: source}, outputs, {f"c{n % 5}": (n, 2, 0.5)}


@pytest.mark.parametrize("engine", ["auto", "block", "reference"])
@pytest.mark.parametrize("mode", ["exact", "fast", "chip"])
def test_many_launches_give_what_runs_give(engine, mode):
    options = dict(engine=engine, mode=mode, stats=True, limit=1000)
    results = ctm.run_many(launches(60), **options)
    assert iter(results) is results
    count = 0
    for (program, domain, inputs, outputs, constants), result in zip(launches(60), results):
        alone = program.run(domain, inputs=inputs, outputs=outputs, constants=constants, **options)
        assert list(result.outputs) == list(alone.outputs)
        for found, expected in zip(result.outputs.values(), alone.outputs.values()):
            assert found.dtype == expected.dtype and found.shape == expected.shape
            assert found.tobytes() == expected.tobytes()
        assert (result.faults, result.statistics) == (alone.faults, alone.statistics)
        assert (result.hazards, result.warnings) == (alone.hazards, alone.warnings)
        # `auto` decides for a batch as a whole.
        assert engine == "auto" or result.ran == alone.ran
        assert (result.launches, result.values) == (1, {})
        count += 1
    assert count == 60
    assert next(results, None) is None


def scaled(n, value):
    return ctm.Program(f"mul o0, r0, {n}.0"), (0, 0, 7, 0), None, {0: "FLOAT32_1"}, value


def test_an_error_is_a_value_in_its_place():
    endless = ctm.Program("top:\n jump -> top\n mov o0, r0")
    unset = ctm.Program("ld r1, i2[r0.rg]\nmov o0, r1", name="unset.dpp")
    given = [
        scaled(1, {}),
        scaled(2, {"c0": "text"}),
        (unset, DOMAIN, {}, {0: "FLOAT32_4"}, {}),
        (endless, DOMAIN, {}, {0: "FLOAT32_4"}, {}),
        ("mov o0, r0", DOMAIN, {}, {0: "FLOAT32_4"}, {}),
        (COPY, (0, 0, 5000, 0), {}, {0: "FLOAT32_4"}, {}),
        (COPY, DOMAIN),
        "abcde",
        None,
        [COPY, DOMAIN, {0: np.zeros((5, 7), "float64")}, {0: "FLOAT32_4"}, {}],
        scaled(3, None),
    ]
    results = list(ctm.run_many(given, limit=100))
    assert len(results) == len(given)
    assert results[0].outputs[0][0, 5] == 5 and results[-1].outputs[0][0, 5] == 15
    (fault,) = results[3].faults
    assert (fault.code, fault.launch) == ("budget", 0)
    errors = {n: result for n, result in enumerate(results) if isinstance(result, Exception)}
    assert {type(error) for error in errors.values()} == {ctm.Error}
    assert {n: error.key for n, error in errors.items()} == {
        1: "constants.c0", 2: None, 4: "program", 5: "domain", 6: "launches", 7: "launches", 8: "launches",
        9: "inputs.0",
    }  # fmt: skip
    # They are what a run raises.
    assert str(errors[1]) == message(given[1][0].run, DOMAIN, outputs={}, constants={"c0": "text"})[0]
    assert str(errors[2]) == message(unset.run, DOMAIN, outputs={0: "FLOAT32_4"})[0]
    assert (errors[2].pc, errors[2].file, errors[2].line) == (0, "unset.dpp", 1)
    assert str(errors[4]) == "program: found 'mov o0, r0', needed a Program"
    needed = "needed a launch: (program, domain, inputs, outputs, constants), or with uniforms, varyings"
    assert str(errors[8]).startswith("launches: found None, " + needed)
    # More than a batch of nothing but errors.
    wrong = ctm.run_many(itertools.repeat(5))
    assert all(isinstance(next(wrong), ctm.Error) for _ in range(2 * MANY))


def test_a_warning_that_is_an_error_is_a_value():
    program = ctm.Program("mul o0, r0, c0")
    launch = (program, DOMAIN, {}, {0: "FLOAT32_1"}, {})
    with pytest.warns(ctm.Warning, match="constant 0, which the caller does not give"):
        (result,) = ctm.run_many([launch])
    assert len(result.warnings) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ctm.Warning)
        (result,) = ctm.run_many([launch])
    assert isinstance(result, ctm.Warning)


def test_launches_are_taken_as_they_are_needed():
    taken = 0

    def endless():
        nonlocal taken
        for n in itertools.count():
            taken += 1
            yield scaled(n % 7, {})

    results = ctm.run_many(endless())
    assert taken == 0
    for n, result in enumerate(itertools.islice(results, 2 * MANY)):
        assert result.outputs[0][0, 5] == 5 * (n % 7)
        # A batch that has run, and the next one.
        assert n < taken <= n + MANY
    # Launches with much memory are fewer: it is 16 MiB for each.
    taken = 0

    def large():
        nonlocal taken
        for _ in range(20):
            taken += 1
            yield COPY, (0, 0, 0, 0), {0: np.zeros((1, 1), "float32")}, {0: np.zeros((1024, 1024, 4), "float32")}, {}

    results = ctm.run_many(large())
    next(results)
    assert taken == 16
    assert sum(1 for _ in results) == 19 and taken == 20
    assert list(ctm.run_many([])) == [] and list(ctm.run_many(iter(()))) == []


def test_what_the_iterable_raises_comes_after_its_launches():
    def broken():
        yield scaled(1, {})
        yield scaled(2, {})
        raise ZeroDivisionError("from the caller")

    results = ctm.run_many(broken())
    assert [next(results).outputs[0][0, 1] for _ in range(2)] == [1, 2]
    with pytest.raises(ZeroDivisionError, match="from the caller"):
        next(results)
    assert list(results) == []


def test_a_signal_does_not_wait():
    def interrupted():
        yield scaled(1, {})
        raise KeyboardInterrupt

    results = ctm.run_many(interrupted())
    with pytest.raises(KeyboardInterrupt):
        next(results)
    assert list(results) == []

    # It stops the batch that runs meanwhile, and programs are assembled beside it.
    def beside():
        endless = ctm.Program("top:\n jump -> top\n mov o0, r0")
        yield from itertools.repeat((endless, DOMAIN, {}, {0: "FLOAT32_4"}, {}), MANY // 2)
        yield scaled(1, {})
        raise KeyboardInterrupt

    results = ctm.run_many(beside(), limit=2**62)
    with pytest.raises(KeyboardInterrupt):
        next(results)
    assert list(results) == []


def test_launches_of_shaders_have_uniforms_and_varyings():
    shader = ctm.Program.compile(
        "uniform float gain; varying vec2 uv; void main() { gl_FragColor = vec4(gain * uv, 0.0, 1.0); }"
    )
    common = (shader, (0, 0, 1, 1), {}, {"gl_FragColor": "FLOAT32_4"}, {})
    first, second = ctm.run_many([(*common, {"gain": 2}, {"uv": [3, 4]}), (*common, None, {"uv": [1, 1]})])
    assert first.outputs["gl_FragColor"][1, 1].tolist() == [6, 8, 0, 1]
    assert second.outputs["gl_FragColor"][1, 1].tolist() == [0, 0, 0, 1] and len(second.warnings) == 1


def test_wrong_options_are_refused_at_once():
    for named, text in (
        (dict(launches=5), "launches: found 5, needed an iterable of launches"),
        (dict(engine="fast"), "engine"),
        (dict(mode="slow"), 'mode: "slow": expected exact, fast or chip'),
        (dict(limit=0), "limit: found 0, needed an integer from 1"),
        (dict(stats=2), "stats: found 2, needed True or False"),
    ):
        assert text in message(lambda: ctm.run_many(**{"launches": [], **named}))[0]


def test_a_result_is_not_asked_for_meanwhile():
    def recursive():
        yield scaled(1, {})
        next(results)

    results = ctm.run_many(recursive())
    assert next(results).outputs[0][0, 1] == 1
    assert "is asking for a result" in message(next, results)[0]


def test_threads_have_iterators_of_their_own():
    expected = [result.outputs["o0"].tobytes() for result in ctm.run_many(itertools.islice(launches(99), 0, None, 2))]
    failed = []

    def work():
        found = [result.outputs["o0"].tobytes() for result in ctm.run_many(itertools.islice(launches(99), 0, None, 2))]
        if found != expected:
            failed.append(found)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed


SOURCE = ".input photo i0\nld r1, photo[r0.rg]\nmad o0, r1, c0, c1.abgr"


@pytest.mark.parametrize(
    "of",
    [
        lambda words: words,
        lambda words: words.astype("int64"),
        lambda words: np.asfortranarray(words),
        lambda words: words.tolist(),
        lambda words: tuple(map(tuple, words.tolist())),
        lambda words: words.tobytes(),
        lambda words: bytearray(words.tobytes()),
    ],
)
def test_words_of_all_types_are_a_program(of):
    words = words_of(SOURCE)
    program = ctm.Program.from_words(of(words), name="some")
    assert program.name == "some" and program.inputs == {"i0": 0}
    source = np.random.default_rng(6).random((5, 7, 4), "float32")
    run = dict(inputs={0: source}, outputs={0: "FLOAT32_4"}, constants={"c0": (1, 2, 3, 4), "c1": (5, 6, 7, 8)})
    expected = ctm.Program(SOURCE).run(DOMAIN, **run).outputs[0]
    assert program.run(DOMAIN, **run).outputs[0].tobytes() == expected.tobytes()
    # The same as a binary.
    binary = ctm.Program(words.tobytes(), kind="bin", name="some")
    for other in (binary, pickle.loads(pickle.dumps(program))):
        assert other.name == "some" and other.disassemble(friendly=False) == program.disassemble(friendly=False)


def test_programs_without_a_container_take_registers():
    # 0 times infinity.
    words = words_of("mul o0, r0, c0")
    run = dict(outputs={0: "FLOAT32_1"}, constants={"c0": float("inf")})
    assert np.isnan(ctm.Program.from_words(words).run((0, 0, 0, 0), **run).outputs[0][0, 0])
    registers = {"US_CONFIG": 2, "US_PIXSIZE": np.uint32(5)}
    made = [
        ctm.Program.from_words(words, registers=registers),
        ctm.Program(words.tobytes(), kind="bin", registers=registers),
        ctm.Program(hex_of("mul o0, r0, c0"), kind="hex", registers=registers, umrt=False),
    ]
    for program in [*made, *pickle.loads(pickle.dumps(made))]:
        assert program.run((0, 0, 0, 0), **run).outputs[0][0, 0] == 0
        assert program.elf() == made[0].elf()
    # The second instruction alone.
    words = words_of("mov r1, r0\nmov o0, 2.0")
    only = ctm.Program.from_words(words, registers={"US_CODE_ADDR": 1 << 16 | 1})
    assert only.run((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, stats=True).statistics["alu"] == 0
    # Uncached writes: of the value r to the element that g and b give.
    words = words_of(".umrt\nmov r1.r, r0.r\nmov r1.gb, r0.0rg\nmov o0.rgb, r1 | mov o0.a, 0")
    uncached = ctm.Program.from_words(words, umrt=True)
    for program in (uncached, pickle.loads(pickle.dumps(uncached))):
        output = program.run((0, 0, 3, 3), outputs={0: np.full((4, 4), 9, "float32")}).outputs[0]
        assert output.tolist() == [[0, 1, 2, 3]] * 4
    sharing = ctm.Program.from_words(words_of("mov o0, r0"), registers={"SQ_GPR_RESOURCE": 4})
    assert pickle.loads(pickle.dumps(sharing)).elf() == sharing.elf()


def test_wrong_words_say_what_is_needed():
    make = ctm.Program.from_words
    rows = "needed integers from 0 to 0xffffffff of shape (n, 6), or bytes"
    good = words_of("mov o0, r0")
    bad = good.copy()
    # Output modifier and address bits of an opcode that does not exist.
    bad[0, 5] |= 0xF
    for words, text in (
        ([], f"words: found float64 (0,), {rows}"),
        (good.ravel(), f"words: found uint32 (6,), {rows}"),
        (good[:, :5], f"words: found uint32 (1, 5), {rows}"),
        (good.astype("float32"), "words: word 0 of instruction 0 is 491525.0, needed an integer from 0 to 0xffffffff"),
        (good.astype("complex64"), f"words: found complex64 (1, 6), {rows}"),
        ("mov", f"words: found 'mov', {rows}"),
        (None, f"words: found None, {rows}"),
        ([[1, 2, 3, 4, 5, -1]], "words: word 5 of instruction 0 is -1, needed an integer from 0 to 0xffffffff"),
        ([[0] * 6, [0, 1 << 32, 0, 0, 0, 0]], "words: word 1 of instruction 1 is 4294967296, needed"),
        (bytes(25), "words: found 25 bytes, needed a multiple of 24"),
        (bytes(513 * 24), "words: found 3078 words, needed at most 3072"),
        (np.broadcast_to(np.uint32(0), (1 << 40, 6)), "needed at most 3072"),
        (b"", "the program has no instructions, expected 1 to 512"),
        (good[:0], "the program has no instructions, expected 1 to 512"),
        (bad, "pc 0"),
    ):
        assert text in message(make, words)[0]
    with pytest.raises(ctm.Error) as raised:
        make(bad)
    assert raised.value.pc == 0
    words = good.tobytes()
    for registers, text in (
        ({"US_CODE": 1}, "registers.US_CODE: there is no such register: expected US_CONFIG, "),
        ({"US_CONFIG": -1}, "registers.US_CONFIG: found -1, needed an integer from 0 to 4294967295"),
        ({"US_CONFIG": 1 << 32}, "registers.US_CONFIG: found 4294967296, needed an integer from 0"),
        ({0: 1}, "registers.0: there is no such register"),
        ([1], "registers: found [1], needed a dict, or another mapping"),
        ({"US_CODE_ADDR": 1 << 16}, "END_ADDR 1 with OFFSET_ADDR 0 is slot 1, expected at most 0"),
    ):
        assert text in message(make, words, registers=registers)[0]
        assert text in message(ctm.Program, words, kind="bin", registers=registers)[0]
    for named in (dict(registers={}), dict(umrt=True)):
        (key,) = named
        text = f"{key}: a program of kind asm brings its own, needed None"
        assert message(ctm.Program, "mov o0, r0", **named) == (text, key)
    assert message(make, words, umrt=2) == ("umrt: found 2, needed True or False", "umrt")
