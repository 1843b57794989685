//! Random commands and random words.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    println!("seed: 32 bytes 0x5a");
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[0x5a; 32]);
    TestRunner::new_with_rng(config, rng)
}

fn any_layout() -> impl Strategy<Value = Layout> {
    (0u32..2048, 0usize..4, 0usize..Format::ALL.len()).prop_map(|(pitch, tiling, format)| Layout {
        pitch: pitch * 4,
        tiling: Tiling::ALL[tiling],
        format: Format::ALL[format],
    })
}

/// A command, from a row of the table and random parameters.
fn any_command() -> impl Strategy<Value = Command> {
    let surface = (0u32..1 << 21, any_layout(), 0u32..8192)
        .prop_map(|(a, layout, height)| SurfaceFormat { address: a << 11, layout, height });
    (0..COMMANDS.len(), any::<[u32; 4]>(), surface).prop_map(|(row, v, surface)| {
        let address = v[0] & !0x7ff;
        let constants = |format| ConstantFormat {
            address,
            layout: (v[1] & 1 != 0).then_some(Layout {
                format,
                pitch: surface.layout.pitch.max(4),
                ..surface.layout
            }),
        };
        match COMMANDS[row].opcode {
            Opcode::InitPerfCounters => Command::InitPerfCounters { enable: v[0] & 1 != 0 },
            Opcode::StartPerfCounters => Command::StartPerfCounters,
            Opcode::StopPerfCounters => Command::StopPerfCounters,
            Opcode::ReadPerfCounters => Command::ReadPerfCounters { address },
            Opcode::SetCondVal => Command::SetCondVal { value: v[0] },
            Opcode::SetDomain => {
                let [i0, j0, i1, j1] = v.map(|x| x & 0xfff);
                Command::SetDomain(Domain { i0, j0, i1, j1 })
            }
            Opcode::StartProgram => Command::StartProgram,
            Opcode::WaitForIdle => Command::WaitForIdle,
            Opcode::SetInstFmt => Command::SetInstFmt { address },
            Opcode::SetInpFmt => Command::SetInpFmt { index: v[0] as u8 & 15, surface },
            Opcode::SetOutFmt => Command::SetOutFmt { index: v[0] as u8 & 3, surface },
            Opcode::SetCondOutFmt => Command::SetCondOutFmt(surface),
            Opcode::SetConstfFmt => Command::SetConstfFmt(constants(Format::Float32x4)),
            Opcode::SetConstiFmt => Command::SetConstiFmt(constants(Format::Uint8x4)),
            Opcode::SetConstbFmt => Command::SetConstbFmt(constants(Format::Float32x1)),
            Opcode::InvInstCache => Command::InvInstCache,
            Opcode::InvConstfCache => Command::InvConstfCache,
            Opcode::InvConstiCache => Command::InvConstiCache,
            Opcode::InvConstbCache => Command::InvConstbCache,
            Opcode::InvCondOutCache => Command::InvCondOutCache,
            Opcode::InvInpCache => Command::InvInpCache,
            Opcode::FlushOutCache => Command::FlushOutCache,
            Opcode::FlushCondOutCache => Command::FlushCondOutCache,
            Opcode::SetOutMask => Command::SetOutMask { mask: v[0] as u8 & 15 },
            Opcode::SetCondOutMask => Command::SetCondOutMask { write: v[0] & 1 != 0 },
            Opcode::SetCondTest => Command::SetCondTest(Test::from_code(v[0])),
            Opcode::SetCondLoc => {
                Command::SetCondLoc(if v[0] & 1 == 0 { Location::Dpp } else { Location::Pe })
            }
            Opcode::SetParams => Command::SetParams { address },
            Opcode::SetShared => Command::SetShared { resource: v[0] & 0xf000_00ff, simds: v[1] },
        }
    })
}

#[test]
fn commands_survive_encoding() {
    let strategy = proptest::collection::vec(any_command(), 0..40);
    runner(300)
        .run(&strategy, |commands| {
            let mut builder = Builder::new();
            for command in &commands {
                builder.append(command).expect("all values are valid");
            }
            let (parsed, error) = parse(builder.words());
            prop_assert_eq!(error, None);
            prop_assert!(parsed.iter().all(|p| p.warnings.is_empty()));
            let again: Vec<_> = parsed.iter().map(|p| p.command).collect();
            prop_assert_eq!(&again, &commands);
            Ok(())
        })
        .expect("no counterexample");
    println!("300 buffers of up to 39 random commands survived encoding");
}

#[test]
fn random_words_never_panic_and_what_is_parsed_encodes_to_the_same_meaning() {
    let parameter = prop_oneof![
        6 => 0u32..20,
        1 => any::<u32>(),
        2 => (0u32..8).prop_map(|format| format << 24 | 0x40),
    ];
    let chunk = (0..COMMANDS.len(), [(); 4].map(|()| parameter.clone()), 0..20u32).prop_map(
        |(n, parameters, odd)| {
            let row = &COMMANDS[n];
            let mut words = vec![row.word];
            words.extend(&parameters[..row.parameters.len()]);
            match odd {
                0 => drop(words.pop()),
                1 => words.push(parameters[0]),
                2 => words[0] ^= 1 << (parameters[0] & 31),
                _ => {}
            }
            words
        },
    );
    let strategy = proptest::collection::vec(chunk, 0..60).prop_map(|chunks| chunks.concat());
    let (mut commands, mut errors) = (0u64, 0u64);
    let cell = std::cell::RefCell::new((&mut commands, &mut errors));
    runner(2000)
        .run(&strategy, |words| {
            let (parsed, error) = parse(&words);
            let mut position = 0;
            for p in &parsed {
                prop_assert_eq!(p.offset, position);
                position += p.words;
                let mut encoded = Vec::new();
                p.command.encode(&mut encoded).expect("parsed values are valid");
                prop_assert_eq!(encoded.len(), p.command.opcode().row().words());
                prop_assert_eq!(one(&encoded), (p.command, vec![]));
            }
            match &error {
                Some(error) => {
                    prop_assert_eq!(error.word, words[error.offset]);
                    prop_assert!(error.offset >= position);
                    prop_assert!(!error.to_string().is_empty());
                }
                None => prop_assert_eq!(position, words.len()),
            }
            let mut counts = cell.borrow_mut();
            *counts.0 += parsed.len() as u64;
            *counts.1 += u64::from(error.is_some());
            Ok(())
        })
        .expect("no counterexample");
    println!("2000 random buffers: {commands} commands, {errors} errors");
    assert!(commands > 5000 && errors > 1000, "{commands} {errors}");
}
