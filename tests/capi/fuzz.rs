//! Whatever bytes a client hands over: command buffers, executables, memory, handles, ids. Nothing
//! may crash, hang or be forgotten. `CTM_FUZZ_CASES` and `CTM_FUZZ_SEED` choose more and others.

use crate::c;
use std::ffi::c_void;
use std::ptr::null_mut;

use ctm::command::{COMMANDS, Opcode, ParameterKind};
use ctm::random::Random;

use crate::c::*;
use crate::engines::engines;
use crate::mutate::spoil;

const GPU: u32 = 1 << 17;
const SYSC: u32 = 1 << 18;

/// Where the vertices of a triangle lie.
const VERTICES: u32 = 0x1f000;

fn vertices() -> [u32; 96] {
    let mut words = [0; 96];
    words[32] = 96f32.to_bits();
    words[65] = 96f32.to_bits();
    words
}

/// The sources of the fuzzer's programs: each uses another part of the machine.
const SOURCES: &[&str] = &[
    "ld r1, i0[r0.rg]\nmad o0, r1, c0, c1",
    "ld r1, i3[r0.gr]\nld r2, i15[r1.rg]\nadd o1, r1, r2\nmov w, r0.r\nend",
    "loop n0\n add r1, r1, c[aL+2]\nendloop\nmov o0, r1",
    ".umrt\nmov o0, {3, 0, 0, 0}",
    "texkill r0\nmov o3, c255",
    ".literal c9 1 2 3 4\nmov o0, c9\nmov o2, r3",
];

fn programs() -> Vec<Vec<u8>> {
    SOURCES.iter().map(|source| assemble(source)).collect()
}

struct Fuzzer {
    random: Random,
    programs: Vec<Vec<u8>>,
}

impl Fuzzer {
    /// An address that is mostly inside, and then mostly a good one.
    fn address(&mut self, client: &Client) -> u32 {
        let r = &mut self.random;
        match r.below(16) {
            0 => r.bits(),
            1 => client.info.base_address_gpu.wrapping_sub(r.below(4096)),
            2 => client.sys(SYSC).wrapping_sub(r.below(4096)),
            n if n < 9 => client.info.base_address_gpu + 2048 * r.below(GPU / 2048),
            _ => client.sys(2048 * r.below(SYSC / 2048)),
        }
    }

    /// A format, mostly a good one. 2x2 tilings are for single channels only.
    fn format(&mut self) -> u32 {
        let r = &mut self.random;
        let tiling = if r.below(12) == 0 { r.below(4) } else { r.below(2) };
        match r.below(40) {
            0 => r.bits(),
            1 => 0,
            _ => r.below(9) << 24 | tiling << 16 | (4 * r.below(40)),
        }
    }

    /// The format of a conditional buffer or of uncached writes, mostly.
    fn single(&mut self) -> u32 {
        if self.random.below(20) == 0 {
            self.format()
        } else {
            (2 * self.random.below(2)) << 24
                | self.random.below(2) << 16
                | (4 * self.random.below(20))
        }
    }

    /// One command, most of them good.
    fn command(&mut self, client: &Client, words: &mut Vec<u32>) {
        let row = &COMMANDS[self.random.below(COMMANDS.len() as u32) as usize];
        // What sets the program or the parameters mostly takes a good one away.
        let rare = [Opcode::SetInstFmt, Opcode::SetParams];
        if rare.contains(&row.opcode) && self.random.below(12) != 0 {
            return;
        }
        words.push(row.word);
        for parameter in row.parameters {
            let value = match parameter.kind {
                // The vertices of a triangle lie there.
                ParameterKind::Address
                    if row.opcode == Opcode::SetParams && self.random.below(6) != 0 =>
                {
                    client.sys(VERTICES)
                }
                ParameterKind::Address => self.address(client),
                ParameterKind::Format if row.opcode == Opcode::SetCondOutFmt => self.single(),
                ParameterKind::Format if row.opcode == Opcode::SetInpFmt => self.format(),
                ParameterKind::Format if row.opcode == Opcode::SetOutFmt => self.format(),
                ParameterKind::Format if self.random.below(10) == 0 => self.format(),
                ParameterKind::Format => 0,
                ParameterKind::Index(max) => self.random.below(max + 1),
                // The domain stays small: points cost time.
                _ if row.opcode == Opcode::SetDomain => self.random.below(24),
                ParameterKind::Bits(used) if self.random.below(40) == 0 => {
                    self.random.bits() & !used
                }
                ParameterKind::Bits(used) => self.random.bits() & used,
            };
            words.push(value);
        }
    }

    fn buffer(&mut self, client: &Client) -> Vec<u32> {
        let mut words = Vec::new();
        client.poke_words(VERTICES, &vertices());
        if self.random.below(10) != 0 {
            words.extend([Opcode::SetInstFmt.word(), self.program(client), 0]);
            for n in 0..16 {
                words.extend([Opcode::SetInpFmt.word(), n, self.address(client)]);
                words.extend([self.format(), self.random.below(40)]);
            }
            for n in 0..4 {
                let format = if n == 0 { self.single() } else { self.format() };
                words.extend([Opcode::SetOutFmt.word(), n, self.address(client), format]);
                words.push(self.random.below(40));
            }
            words.extend([Opcode::SetCondOutFmt.word(), self.address(client), self.single()]);
            words.push(self.random.below(40));
        }
        for _ in 0..self.random.below(30) {
            self.command(client, &mut words);
        }
        words.extend([Opcode::StartProgram.word(), 0]);
        if self.random.below(6) == 0 {
            let n = self.random.below(words.len() as u32) as usize;
            words[n] = self.random.bits() | 0x8000_0000;
        }
        if self.random.below(20) == 0 {
            let length = self.random.below(words.len() as u32) as usize;
            words.truncate(length);
        }
        words
    }

    /// Puts a program into memory, a third of them spoilt; its address.
    fn program(&mut self, client: &Client) -> u32 {
        let n = self.random.below(self.programs.len() as u32) as usize;
        let mut bytes = self.programs[n].clone();
        if self.random.below(3) == 0 {
            spoil(&mut self.random, &mut bytes);
        }
        let offset = 0x20000 + 2048 * self.random.below(8);
        client.poke(offset, &bytes);
        // What reads an executable without being told its length.
        let mut block = vec![0u8; 2 << 20];
        block[..bytes.len()].copy_from_slice(&bytes);
        let binary: *const c_void = block.as_ptr().cast();
        // SAFETY: the block is longer than any executable that is accepted.
        unsafe {
            amuAsmDisassemble(binary, None);
            let mut info = amuABIExtractConstants(binary);
            let mut floats = [0u32; 1024];
            let (mut ints, mut bools) = ([0u32; 32], [0u32; 32]);
            amuABISetLiteralConstants(
                info,
                floats.as_mut_ptr().cast(),
                ints.as_mut_ptr().cast(),
                bools.as_mut_ptr().cast(),
            );
            ctm_free_constants(&mut info);
        }
        client.sys(offset)
    }
}

fn number(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(default, |value| value.parse().expect("a number"))
}

fn fuzz(engine: &str, cases: u64) {
    let seed = number("CTM_FUZZ_SEED", 0xc0ffee);
    println!("engine {engine}, CTM_FUZZ_SEED={seed}, {cases} cases");
    let mut fuzzer = Fuzzer { random: Random::new(&[seed]), programs: programs() };
    let mut ends = [0u64; 6];
    let (mut refused, mut closed) = (0, 0);
    let mut errors = std::collections::BTreeMap::new();
    let mut client = Client::with_limit(engine, GPU, SYSC, 1 << 12);
    for _ in 0..cases {
        if fuzzer.random.below(4) == 0 {
            let bytes: Vec<u8> = (0..256).map(|_| fuzzer.random.bits() as u8).collect();
            client.poke(fuzzer.random.below(SYSC - 256), &bytes);
        }
        let words = fuzzer.buffer(&client);
        let id = if fuzzer.random.below(8) == 0 {
            // SAFETY: handles, addresses and sizes may be anything.
            unsafe {
                let (address, size) = (fuzzer.address(&client), fuzzer.random.below(1 << 16));
                amSubmitCommandBuffer(client.device, address, size)
            }
        } else {
            client.submit(0x800 * fuzzer.random.below(8), &words)
        };
        if id == 0 {
            refused += 1;
            assert_ne!(last_error(), "");
            continue;
        }
        if fuzzer.random.below(50) == 0 {
            // With work pending.
            client = Client::with_limit(engine, GPU, SYSC, 1 << 12);
            closed += 1;
            continue;
        }
        client.spin(id);
        let status = client.status(id);
        ends[status as usize] += 1;
        let error = last_error();
        // SAFETY: handles and ids may be anything.
        unsafe {
            let other = fuzzer.random.bits();
            ctm_status(client.device, other);
            amCommandBufferConsumed(other as usize as Handle, other);
            ctm_message(client.device, id, null_mut(), 0);
        }
        last_error();
        // Without the numbers.
        let kind: String = error.chars().filter(|c| !c.is_ascii_digit()).take(90).collect();
        *errors.entry(kind).or_insert(0) += 1;
        if status == c::status(Status::Error) || status == c::status(Status::Fault) {
            assert!(error.starts_with("submission "), "{error}");
            assert!(!error.contains("internal") && !error.contains("panicked"), "{error}");
        }
    }
    let [pending, clean, fault, error, forgotten, none] = ends;
    println!("{errors:#?}");
    println!(
        "{clean} clean, {fault} with faults, {error} errors, {refused} refused, {closed} closed"
    );
    assert_eq!([pending, forgotten, none], [0; 3]);
    assert!(clean > cases / 50 && fault > cases / 50 && error > cases / 50);
    assert!(refused > 0 && closed > 0);
}

#[test]
fn no_bytes_crash_the_block_engine() {
    fuzz("block", number("CTM_FUZZ_CASES", 3000));
}

#[test]
fn no_bytes_crash_the_reference_engine() {
    fuzz("reference", number("CTM_FUZZ_CASES", 1000));
}

/// On the adapter that `CTM_ADAPTER` names, else on a real GPU; see `common` for when this runs.
#[test]
#[ignore = "needs an adapter"]
fn no_bytes_crash_the_interpreter() {
    fuzz("interpreter", number("CTM_FUZZ_CASES", 400));
}

/// As above.
#[test]
#[ignore = "needs an adapter"]
fn no_bytes_crash_translated_programs() {
    fuzz("translated", number("CTM_FUZZ_CASES", 400));
}

/// As above: the engines that consist of several.
#[test]
#[ignore = "needs an adapter"]
fn no_bytes_crash_the_engines_of_several() {
    for engine in ["gpu", "auto"] {
        fuzz(engine, number("CTM_FUZZ_CASES", 200));
    }
}

/// The parts of a submission that runs: command buffer, constants, program, input, all of it
/// written by another thread at the same time.
fn scribble(engine: &str, submissions: u32) {
    const PROGRAM: u32 = 0x2000;
    const CONSTANTS: u32 = 0x4000;
    const INPUT: u32 = 0x6000;
    const OUTPUT: u32 = 0x8000;
    const END: u32 = 0x9000;
    let client = Client::with_limit(engine, GPU, SYSC, 1 << 12);
    let programs = programs();
    let format = 4 << 24 | 16;
    let layout = |address| [address, format, 16];
    let mut words: Vec<u32> = Vec::new();
    words.extend([Opcode::SetInpFmt.word(), 0]);
    words.extend(layout(client.sys(INPUT)));
    words.extend([Opcode::SetOutFmt.word(), 0]);
    words.extend(layout(client.sys(OUTPUT)));
    words.extend([Opcode::SetInstFmt.word(), client.sys(PROGRAM), 0]);
    words.extend([Opcode::SetConstfFmt.word(), client.sys(CONSTANTS), 0]);
    words.extend([Opcode::SetDomain.word(), 0, 0, 15, 15]);
    words.extend([Opcode::StartProgram.word(), 0]);
    let put = || {
        client.poke(PROGRAM, &programs[0]);
        client.poke_words(0, &words);
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    // A handle and an address are numbers to the other thread.
    let (base, size) = (client.info.base_address_cpuc as usize, END as usize);
    let mut ends = [0u32; 6];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(&[7]);
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let at = 4 * random.below(size as u32 / 4) as usize;
                let value = random.bits() >> random.below(32);
                // SAFETY: inside system memory, which lives until the device is closed.
                unsafe { std::ptr::write_volatile((base + at) as *mut u32, value) };
                std::thread::yield_now();
            }
        });
        for n in 0..submissions {
            if n % 2 == 0 {
                put();
            }
            // SAFETY: handles, addresses and sizes may be anything.
            let id =
                unsafe { amSubmitCommandBuffer(client.device, client.sys(0), words.len() as u32) };
            client.spin(id);
            ends[client.status(id) as usize] += 1;
            let error = last_error();
            assert!(!error.contains("internal") && !error.contains("panicked"), "{error}");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    println!("engine {engine}, {submissions} submissions by status: {ends:?}");
    // The device is as usable as before.
    client.poke_words(CONSTANTS, &[0; 8]);
    put();
    // SAFETY: as above.
    let id = unsafe { amSubmitCommandBuffer(client.device, client.sys(0), words.len() as u32) };
    client.spin(id);
    assert_eq!(client.status(id), c::status(Status::Clean), "{}", last_error());
}

#[test]
fn a_client_that_writes_while_a_submission_runs_spoils_only_its_numbers() {
    for engine in engines(false) {
        scribble(engine, 2000);
    }
}

/// See above.
#[test]
#[ignore = "needs an adapter"]
fn a_client_that_writes_while_the_gpu_runs_spoils_only_its_numbers() {
    for engine in engines(true) {
        scribble(engine, 200);
    }
}
