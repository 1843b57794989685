use super::*;
use crate::launch::{Domain, Location, Test};
use crate::memory::{format_word, parse_format_word};

mod random;

/// Parses a whole buffer. Returns the commands before the first error, and the error.
fn parse(words: &[u32]) -> (Vec<Parsed>, Option<CommandError>) {
    let mut commands = Vec::new();
    for next in Parser::new(words) {
        match next {
            Ok(parsed) => commands.push(parsed),
            Err(error) => return (commands, Some(error)),
        }
    }
    (commands, None)
}

/// The only command of a buffer, and its warnings as text.
fn one(words: &[u32]) -> (Command, Vec<String>) {
    let (commands, error) = parse(words);
    assert_eq!((commands.len(), error), (1, None), "{words:x?}");
    let parsed = &commands[0];
    assert_eq!((parsed.offset, parsed.words), (0, words.len()));
    let warnings = parsed.warnings.iter().map(ToString::to_string).collect();
    (parsed.command, warnings)
}

fn error(words: &[u32]) -> String {
    parse(words).1.expect("an error").to_string()
}

const INIT: u32 = 0xc001_0200;
const READ: u32 = 0xc001_0500;
const IDLE: u32 = 0xc000_0900;

// ---- the table ----

#[test]
fn the_table_is_complete_and_in_order() {
    assert_eq!(COMMANDS.len(), 29, "27 of the Guide, set_params and set_shared");
    for (n, row) in COMMANDS.iter().enumerate() {
        assert_eq!(row.word >> 30, 3, "{}", row.name);
        assert_eq!(row.word & 0xff, 0, "{}", row.name);
        assert_eq!(row.word >> 8 & 0xff, n as u32 + 2, "{}", row.name);
        assert_eq!(row.opcode as usize, n);
        assert!(!row.parameters.is_empty() && row.parameters.len() <= 4);
        assert_eq!(Opcode::from_word(row.word), Some(row.opcode));
        assert_eq!(Opcode::from_name(row.name), Some(row.opcode));
        assert_eq!(row.opcode.to_string(), row.name);
        let padded = matches!(row.opcode, Opcode::InitPerfCounters | Opcode::ReadPerfCounters);
        assert_eq!(row.has_padded_form(), padded, "{}", row.name);
        if !padded {
            assert_eq!(row.announced_parameters(), row.parameters.len(), "{}", row.name);
        }
    }
    assert_eq!(Opcode::from_name("start"), None);
}

#[test]
fn the_commands_that_are_not_pipelined() {
    let names: Vec<_> = COMMANDS.iter().filter(|r| !r.pipelined).map(|r| r.name).collect();
    assert_eq!(
        names,
        [
            "read_perf_counters",
            "set_inst_fmt",
            "set_inp_fmt",
            "set_out_fmt",
            "set_cond_out_fmt",
            "set_constf_fmt",
            "set_consti_fmt",
            "set_constb_fmt",
            "set_params",
            "set_shared",
        ]
    );
}

#[test]
fn near_misses_of_command_words_are_unknown() {
    for row in COMMANDS {
        for bit in 0..32 {
            let word = row.word ^ 1 << bit;
            let known = COMMANDS.iter().any(|r| r.word == word);
            assert_eq!(Opcode::from_word(word).is_some(), known, "{word:08x}");
        }
    }
    assert_eq!(Opcode::from_word(0xc000_0100), None);
    assert_eq!(Opcode::from_word(0xc000_0000), None);
}

// ---- words to commands ----

#[test]
fn every_command_from_its_words() {
    let word = 0x0401_0040; // FLOAT32_4, TILED, pitch 64
    let layout = Layout { pitch: 64, tiling: Tiling::Tiled, format: Format::Float32x4 };
    let surface = SurfaceFormat { address: 0x1000_0800, layout, height: 0x1fff };
    let domain = Domain { i0: 1, j0: 2, i1: 0xfff, j1: 4 };
    let packed = ConstantFormat { address: 0x800, layout: None };
    let spread = ConstantFormat { address: 0x800, layout: Some(layout) };
    let cases: &[(&[u32], Command)] = &[
        (&[INIT, 1], Command::InitPerfCounters { enable: true }),
        (&[INIT, 0], Command::InitPerfCounters { enable: false }),
        (&[0xc000_0300, 0], Command::StartPerfCounters),
        (&[0xc000_0400, 0], Command::StopPerfCounters),
        (&[READ, 0x1800], Command::ReadPerfCounters { address: 0x1800 }),
        (&[0xc000_0600, 0xffff_ffff], Command::SetCondVal { value: u32::MAX }),
        (&[0xc003_0700, 1, 2, 0xfff, 4], Command::SetDomain(domain)),
        (&[0xc000_0800, 0], Command::StartProgram),
        (&[IDLE, 0], Command::WaitForIdle),
        (&[0xc001_0a00, 0x800, 0], Command::SetInstFmt { address: 0x800 }),
        (&[0xc003_0b00, 15, 0x1000_0800, word, 0x1fff], Command::SetInpFmt { index: 15, surface }),
        (&[0xc003_0c00, 3, 0x1000_0800, word, 0x1fff], Command::SetOutFmt { index: 3, surface }),
        (&[0xc002_0d00, 0x1000_0800, word, 0x1fff], Command::SetCondOutFmt(surface)),
        (&[0xc001_0e00, 0x800, 0], Command::SetConstfFmt(packed)),
        (&[0xc001_0e00, 0x800, word], Command::SetConstfFmt(spread)),
        (&[0xc001_0f00, 0x800, 0], Command::SetConstiFmt(packed)),
        (&[0xc001_1000, 0x800, 0], Command::SetConstbFmt(packed)),
        (&[0xc000_1100, 0], Command::InvInstCache),
        (&[0xc000_1200, 0], Command::InvConstfCache),
        (&[0xc000_1300, 0], Command::InvConstiCache),
        (&[0xc000_1400, 0], Command::InvConstbCache),
        (&[0xc000_1500, 0], Command::InvCondOutCache),
        (&[0xc000_1600, 0], Command::InvInpCache),
        (&[0xc000_1700, 0], Command::FlushOutCache),
        (&[0xc000_1800, 0], Command::FlushCondOutCache),
        (&[0xc000_1900, 10], Command::SetOutMask { mask: 10 }),
        (&[0xc000_1a00, 0], Command::SetCondOutMask { write: false }),
        (&[0xc000_1b00, 6], Command::SetCondTest(Test::NotEqual)),
        (&[0xc000_1c00, 0], Command::SetCondLoc(Location::Dpp)),
        (&[0xc000_1c00, 1], Command::SetCondLoc(Location::Pe)),
        (&[0xc000_1d00, 0x800], Command::SetParams { address: 0x800 }),
        (&[0xc001_1e00, 0x2000_0004, 7], Command::SetShared { resource: 0x2000_0004, simds: 7 }),
    ];
    for (words, command) in cases {
        assert_eq!(one(words), (*command, vec![]), "{words:x?}");
        let mut encoded = vec![7];
        command.encode(&mut encoded).expect("all values are valid");
        assert_eq!(&encoded[1..], *words);
        assert_eq!(command.opcode().word(), words[0]);
    }
    for row in COMMANDS {
        assert!(cases.iter().any(|(_, c)| c.opcode() == row.opcode), "{} is not covered", row.name);
    }
    // All of them in sequence, by offset.
    let words: Vec<u32> = cases.iter().flat_map(|(words, _)| words.iter().copied()).collect();
    let (commands, error) = parse(&words);
    assert_eq!(error, None);
    let mut offset = 0;
    for (parsed, (words, command)) in commands.iter().zip(cases) {
        assert_eq!((parsed.offset, parsed.words), (offset, words.len()));
        assert_eq!(parsed.command, *command);
        offset += words.len();
    }
    assert_eq!(commands.len(), cases.len());
}

#[test]
fn an_empty_buffer_has_no_commands() {
    assert_eq!(parse(&[]), (vec![], None));
}

// ---- the padded forms ----

#[test]
fn a_word_that_is_no_command_before_one_that_is_pads() {
    for (word, parameter) in [(INIT, 1), (READ, 0x800)] {
        // Padded, then another command; padded at the end; not padded, both ways.
        for (words, first) in [
            (&[word, parameter, 0, IDLE, 0][..], 3),
            (&[word, parameter, 0], 3),
            (&[word, parameter, IDLE, 0], 2),
            (&[word, parameter], 2),
        ] {
            let (commands, error) = parse(words);
            assert_eq!(error, None, "{words:x?}");
            assert_eq!(commands[0].words, first, "{words:x?}");
            assert_eq!(commands.len(), if words.len() > 3 { 2 } else { 1 });
            assert_eq!(commands[0].warnings, []);
        }
    }
}

#[test]
fn two_words_that_are_no_commands_do_not_pad() {
    let (commands, error) = parse(&[INIT, 1, 5, 6, IDLE, 0]);
    assert_eq!((commands.len(), commands[0].words), (1, 2));
    assert_eq!(
        error.expect("5 is no command").to_string(),
        "word 2 (0x00000005): no command has this command word"
    );
}

#[test]
fn padding_that_looks_like_a_command_is_one() {
    // wait_for_idle takes any next word as its parameter.
    let (commands, error) = parse(&[INIT, 1, IDLE, IDLE]);
    assert_eq!((commands.len(), error), (2, None));
    assert_eq!(commands[1].command, Command::WaitForIdle);
}

#[test]
fn the_padded_form_of_read_keeps_its_first_parameter() {
    assert_eq!(
        one(&[READ, 0x1000, 0x2000]),
        (
            Command::ReadPerfCounters { address: 0x1000 },
            vec![
                "word 2 (0x00002000): read_perf_counters: the word that pads it is ignored"
                    .to_string()
            ]
        )
    );
}

// ---- warnings ----

#[test]
fn reserved_bits_are_reported_and_ignored() {
    let cases: &[(&[u32], Command, &str)] = &[
        (
            &[INIT, 0xfffe],
            Command::InitPerfCounters { enable: false },
            "word 1 (0x0000fffe): init_perf_counters flags: reserved bits 0x0000fffe are ignored",
        ),
        (
            &[0xc000_0800, 7],
            Command::StartProgram,
            "word 1 (0x00000007): start_program reserved: reserved bits 0x00000007 are ignored",
        ),
        (
            &[0xc003_0700, 0, 0, 0x1005, 3],
            Command::SetDomain(Domain { i0: 0, j0: 0, i1: 5, j1: 3 }),
            "word 3 (0x00001005): set_domain i1: reserved bits 0x00001000 are ignored",
        ),
        (
            &[0xc000_1900, 0x1f],
            Command::SetOutMask { mask: 15 },
            "word 1 (0x0000001f): set_out_mask mask: reserved bits 0x00000010 are ignored",
        ),
        (
            &[0xc000_1b00, 0x8],
            Command::SetCondTest(Test::Never),
            "word 1 (0x00000008): set_cond_test test: reserved bits 0x00000008 are ignored",
        ),
        (
            &[0xc001_0e00, 0x800, 0x8000_0003],
            Command::SetConstfFmt(ConstantFormat { address: 0x800, layout: None }),
            "word 2 (0x80000003): set_constf_fmt format: reserved bits 0x80000003 are ignored",
        ),
        (
            &[0xc002_0d00, 0, 0x0200_0008, 0x2001],
            Command::SetCondOutFmt(SurfaceFormat {
                address: 0,
                layout: Layout { pitch: 8, tiling: Tiling::Linear, format: Format::Float32x1 },
                height: 1,
            }),
            "word 3 (0x00002001): set_cond_out_fmt height: reserved bits 0x00002000 are ignored",
        ),
        (
            &[0xc001_0a00, 0x1234, 0],
            Command::SetInstFmt { address: 0x1000 },
            "word 1 (0x00001234): set_inst_fmt address: bits 10:0 are ignored, addresses are \
             multiples of 2048",
        ),
        (
            &[0xc001_0a00, 0x1000, 0x0400_0040],
            Command::SetInstFmt { address: 0x1000 },
            "word 2 (0x04000040): set_inst_fmt format: the program image is packed from its \
             address, the format is ignored",
        ),
    ];
    for (words, command, warning) in cases {
        assert_eq!(one(words), (*command, vec![warning.to_string()]));
    }
}

#[test]
fn warnings_come_in_word_order() {
    let (_, warnings) = one(&[0xc003_0b00, 0, 1, 0x0200_000a, 0xffff_e001]);
    assert_eq!(
        warnings,
        [
            "word 2 (0x00000001): set_inp_fmt address: bits 10:0 are ignored, addresses are \
             multiples of 2048",
            "word 3 (0x0200000a): set_inp_fmt format: reserved bits 0x00000002 are ignored",
            "word 4 (0xffffe001): set_inp_fmt height: reserved bits 0xffffe000 are ignored",
        ]
    );
}

// ---- errors ----

#[test]
fn errors_name_place_word_and_command() {
    let cases: &[(&[u32], &str)] = &[
        (&[0xdead_beef], "word 0 (0xdeadbeef): no command has this command word"),
        (
            &[0xc003_0700, 1, 2],
            "word 0 (0xc0030700): set_domain has 4 parameter(s), but 2 word(s) are left in the buffer",
        ),
        (
            &[0xc000_0800],
            "word 0 (0xc0000800): start_program has 1 parameter(s), but 0 word(s) are left in the \
             buffer",
        ),
        (
            &[0xc003_0b00, 0, 0, 0x0900_0040, 1],
            "word 3 (0x09000040): set_inp_fmt format: data format 9 is reserved, 0 to 8 are defined",
        ),
        (
            &[0xc001_0a00, 0, 0x0f00_0000],
            "word 2 (0x0f000000): set_inst_fmt format: data format 15 is reserved, 0 to 8 are defined",
        ),
        (&[0xc003_0b00, 16, 0, 0, 1], "word 1 (0x00000010): set_inp_fmt index: expected 0 to 15"),
        (&[0xc003_0c00, 4, 0, 0, 1], "word 1 (0x00000004): set_out_fmt index: expected 0 to 3"),
        (
            &[0xc001_0e00, 0, 0x0200_0040],
            "word 2 (0x02000040): set_constf_fmt format: a FLOAT32_1 element has 4 bytes, a \
             constant of this kind 16",
        ),
        (
            &[0xc001_0f00, 0, 0x8400_0040],
            "word 2 (0x84000040): set_consti_fmt format: a FLOAT32_4 element has 16 bytes, a \
             constant of this kind 4",
        ),
        (
            &[0xc001_1000, 0, 0x0000_0040],
            "word 2 (0x00000040): set_constb_fmt format: a UINT16_1 element has 2 bytes, a \
             constant of this kind 4",
        ),
    ];
    for (words, message) in cases {
        assert_eq!(error(words), *message);
        // The same after other commands: the commands come first, and only the offset changes.
        let after = [&[IDLE, 0, IDLE, 0], *words].concat();
        let (commands, error) = parse(&after);
        assert_eq!(commands.len(), 2);
        let (at, text) = message.split_once(" (").expect("a place");
        let at: usize = at["word ".len()..].parse().expect("a number");
        assert_eq!(error.expect("an error").to_string(), format!("word {} ({text}", at + 4));
    }
}

#[test]
fn nothing_follows_an_error() {
    let mut parser = Parser::new(&[IDLE, 0, 1, IDLE, 0]);
    assert!(matches!(parser.next(), Some(Ok(_))));
    assert!(matches!(parser.next(), Some(Err(_))));
    assert_eq!((parser.next(), parser.next()), (None, None));
    assert_eq!(parser.position(), 2);
}

// ---- commands to words ----

#[test]
fn values_that_do_not_fit_are_refused_and_nothing_is_appended() {
    let good = SurfaceFormat {
        address: 0x800,
        layout: Layout { pitch: 16, tiling: Tiling::Linear, format: Format::Float32x2 },
        height: 8,
    };
    let domain = Domain { i1: 4096, ..Domain::default() };
    let mut odd_pitch = good;
    odd_pitch.layout.pitch = 6;
    let constants = ConstantFormat { address: 0, layout: Some(good.layout) };
    let cases = [
        (Command::SetDomain(domain), "set_domain i1 is 4096, expected 0 to 4095"),
        (
            Command::SetInpFmt { index: 16, surface: good },
            "set_inp_fmt index is 16, expected 0 to 15",
        ),
        (Command::SetOutFmt { index: 4, surface: good }, "set_out_fmt index is 4, expected 0 to 3"),
        (
            Command::SetOutFmt { index: 0, surface: SurfaceFormat { address: 0x801, ..good } },
            "set_out_fmt address is 2049, expected a multiple of 2048",
        ),
        (
            Command::SetCondOutFmt(SurfaceFormat { height: 8192, ..good }),
            "set_cond_out_fmt height is 8192, expected 0 to 8191",
        ),
        (
            Command::SetCondOutFmt(odd_pitch),
            "set_cond_out_fmt pitch is 6, expected a multiple of 4 from 0 to 8188",
        ),
        (Command::SetConstfFmt(constants), "set_constf_fmt element size is 8, expected 16"),
        (Command::SetConstbFmt(constants), "set_constb_fmt element size is 8, expected 4"),
        (Command::SetOutMask { mask: 16 }, "set_out_mask mask is 16, expected 0 to 15"),
        (Command::SetParams { address: 1 }, "set_params address is 1, expected a multiple of 2048"),
    ];
    for (command, message) in cases {
        let mut builder = Builder::new();
        builder.append_wait_for_idle();
        let error = builder.append(&command).expect_err(message);
        assert_eq!(error.to_string(), message);
        assert_eq!(builder.words(), [IDLE, 0]);
    }
}

#[test]
fn the_builder_has_a_method_for_every_command() {
    let surface = SurfaceFormat {
        address: 0x800,
        layout: Layout { pitch: 16, tiling: Tiling::Linear, format: Format::Float32x1 },
        height: 8,
    };
    let constants = ConstantFormat { address: 0x1000, layout: None };
    let build = || -> Result<Builder, EncodeError> {
        let mut b = Builder::new();
        b.append_init_perf_counters(true)
            .append_start_perf_counters()
            .append_stop_perf_counters()
            .append_read_perf_counters(0x800)?
            .append_set_cond_val(1)
            .append_set_domain(Domain::default())?
            .append_start_program()
            .append_wait_for_idle()
            .append_set_inst_fmt(0x800)?
            .append_set_inp_fmt(1, surface)?
            .append_set_out_fmt(1, surface)?
            .append_set_cond_out_fmt(surface)?
            .append_set_constf_fmt(constants)?
            .append_set_consti_fmt(constants)?
            .append_set_constb_fmt(constants)?
            .append_inv_inst_cache()
            .append_inv_constf_cache()
            .append_inv_consti_cache()
            .append_inv_constb_cache()
            .append_inv_cond_out_cache()
            .append_inv_inp_cache()
            .append_flush_out_cache()
            .append_flush_cond_out_cache()
            .append_set_out_mask(15)?
            .append_set_cond_out_mask(true)
            .append_set_cond_test(Test::Less)
            .append_set_cond_loc(Location::Pe)
            .append_set_params(0x800)?
            .append_set_shared(0x2000_0004, 7)?;
        Ok(b)
    };
    let builder = build().expect("all values are valid");
    let (commands, error) = parse(builder.words());
    assert_eq!(error, None);
    let opcodes: Vec<_> = commands.iter().map(|p| p.command.opcode()).collect();
    let all: Vec<_> = COMMANDS.iter().map(|row| row.opcode).collect();
    assert_eq!(opcodes, all);
    assert!(commands.iter().all(|p| p.warnings.is_empty()));
    assert_eq!(&builder.to_bytes()[..8], [0, 2, 1, 0xc0, 1, 0, 0, 0]);
}

#[test]
fn layouts_are_what_the_format_word_says() {
    let layout = Layout { pitch: 8188, tiling: Tiling::TiledInp2x2, format: Format::Uint16x1 };
    let word = format_word(layout.pitch, layout.tiling, layout.format).expect("encodable");
    let parsed = parse_format_word(word).expect("valid");
    assert_eq!((parsed.pitch, parsed.reserved_bits), (8188, 0));
    let surface = SurfaceFormat { address: 0x800, layout, height: 9 }.surface();
    assert_eq!(
        (surface.base, surface.pitch, surface.width, surface.height),
        (0x800, 8188, 8188, 9)
    );
}
