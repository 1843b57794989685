//! Random command buffers.

use super::*;
use crate::command::COMMANDS;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

const CASES: u32 = 1000;

/// Words that get far: commands with the right number of parameters, most of them plausible.
pub(super) fn any_buffer() -> impl Strategy<Value = Vec<u32>> {
    let parameter = prop_oneof![
        4 => 0u32..8,
        2 => (0u32..48).prop_map(|n| GPU + n * 0x800),
        2 => (0u32..6, 0u32..4).prop_map(|(f, t)| f << 24 | t << 16 | 0x40),
        1 => Just(0u32),
        1 => Just(NOWHERE),
        1 => any::<u32>(),
    ];
    let parameters = [(); 4].map(|()| parameter.clone());
    let chunk = (0..COMMANDS.len() + 8, parameters, 0..40u32).prop_map(|(n, p, odd)| {
        // Numbers beyond the table stand for more start_program commands.
        let row = COMMANDS.get(n).unwrap_or(Opcode::StartProgram.row());
        let mut words = vec![row.word];
        words.extend(&p[..row.parameters.len()]);
        match row.opcode {
            Opcode::SetInstFmt if p[2] > 2 => words[1] = PROGRAM,
            Opcode::SetParams if p[2] > 2 => words[1] = AREA,
            _ => {}
        }
        match odd {
            0 => drop(words.pop()),
            1 => words.push(p[3]),
            _ => {}
        }
        words
    });
    proptest::collection::vec(chunk, 0..40).prop_map(|chunks| chunks.concat())
}

#[test]
fn random_buffers_never_panic_and_touch_nothing_but_what_they_name() {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    println!("seed: 32 bytes 0xd5");
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[0xd5; 32]);
    let (launches, errors) = (Cell::new(0), Cell::new(0));
    let buffers = proptest::collection::vec(any_buffer(), 1..4);
    let result = TestRunner::new_with_rng(config, rng).run(&buffers, |buffers| {
        // An engine that writes nothing: only read_perf_counters may change memory.
        let engine = Fake::new(|_, launch, _| Ok(outcome(launch)));
        let mut bench = Bench::with(&with_constants(), engine);
        let before: Vec<u8> = bench.memory.slice(GPU, 0x10000).expect("GPU").to_vec();
        bench.run(|b| b.append_set_inst_fmt(PROGRAM));
        let mut written = Vec::new();
        for words in &buffers {
            for parsed in Parser::new(words).flatten() {
                if let Command::ReadPerfCounters { address } = parsed.command {
                    written.push(address);
                }
            }
            let report = bench.words(words);
            launches.set(launches.get() + report.launches);
            errors.set(errors.get() + u64::from(report.error.is_some()));
            if report.error.is_none() {
                prop_assert_eq!(report.words, words.len());
            }
            prop_assert!(report.words <= words.len());
            // Every finding has a message.
            let odd = [texts(&report.warnings), texts(&report.hazards)].concat();
            prop_assert!(odd.iter().all(|text| text.starts_with("word ")), "{:?}", odd);
            prop_assert!(report.error.iter().all(|e| !e.to_string().is_empty()));
        }
        let mut after = bench.memory.slice(GPU, 0x10000).expect("GPU").to_vec();
        for address in written {
            let at = address.wrapping_sub(GPU) as usize;
            if at < after.len() {
                after[at..at + 8].copy_from_slice(&before[at..at + 8]);
            }
        }
        prop_assert!(after == before, "memory changed");
        // The device is usable afterwards. A bad set_params and a condition without a buffer persist,
        // so the test sets good ones.
        let block = [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits);
        for (at, word) in [0, 4, 128, 132].into_iter().zip(block) {
            prop_assert!(bench.memory.write_u32(AREA + at, word));
        }
        bench.memory.write(PROGRAM, &elf::write(&plain())).expect("it fits");
        bench.run(|b| b.append_set_cond_test(Test::Never).append_set_params(AREA));
        let report = bench.words(&run_once());
        prop_assert!(report.error.is_none(), "{:?}", report.error);
        prop_assert_eq!(report.launches, 1);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (launches, errors) = (launches.get(), errors.get());
    println!("{CASES} cases of random buffers: {launches} launches, {errors} errors");
    assert!(launches > 200 && errors > 500, "{launches} {errors}");
}
