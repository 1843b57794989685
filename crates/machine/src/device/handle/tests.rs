use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use super::*;
use crate::device::testing::*;
use crate::device::{Recorder, SubmitId, Submitted};
use crate::launch::{Domain, Test};
use ctm_lang::elf;

fn config(engine: Fake) -> DeviceConfig {
    DeviceConfig { arenas: SMALL, ..DeviceConfig::new(Arc::new(engine)) }
}

/// An open device with a program in memory.
fn device(engine: Fake) -> Device {
    let device = Device::open(config(engine)).expect("80 KiB and a thread");
    device.write_memory(PROGRAM, &elf::write(&plain())).expect("it fits");
    device
}

/// A gate that blocks launches.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().expect("no panic in it") = true;
        self.0.1.notify_all();
    }
    fn pass(&self) {
        let mut open = self.0.0.lock().expect("no panic in it");
        while !*open {
            open = self.0.1.wait(open).expect("no panic in it");
        }
    }
}

/// Polls until `so` returns true; gives up after far longer than it takes.
fn comes(so: impl Fn() -> bool) -> bool {
    (0..10_000).any(|_| {
        let found = so();
        if !found {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        found
    })
}

fn read_word(device: &Device, address: u32) -> u32 {
    let mut bytes = [0; 4];
    device.read_memory(address, &mut bytes).expect("in memory");
    u32::from_le_bytes(bytes)
}

#[test]
fn ids_count_from_1_and_reports_can_be_had_several_times() {
    let device = device(Fake::counting());
    let ids: Vec<SubmitId> = (0..5).map(|_| device.submit_words(run_once())).collect();
    let numbers: Vec<u64> = ids.iter().map(|id| id.get()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    for &id in ids.iter().rev().chain(&ids) {
        let report = device.wait(id).expect("kept");
        assert_eq!((report.launches, &report.error), (1, &None));
        assert_eq!(device.consumed(id), Some(true));
    }
    assert_eq!(read_word(&device, OUTPUT), 5);
}

#[test]
fn buffers_in_device_memory_are_executed() {
    let device = device(Fake::counting());
    let words = run_once();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    device.write_memory(AREA + 4, &bytes).expect("it fits");
    let id = device.submit(AREA + 4, words.len() as u32).expect("in memory");
    let report = device.wait(id).expect("kept");
    assert_eq!((report.words, report.launches), (words.len(), 1));
    assert_eq!(read_word(&device, OUTPUT), 1);
    // The last words of an arena, and a buffer of no words.
    let end = SYS + 0x4000;
    let id = device.submit(end - 8, 2).expect("in memory");
    assert_eq!(
        device.wait(id).expect("kept").error.as_ref().expect("zeroes").to_string(),
        "word 0 (0x00000000): no command has this command word"
    );
    let id = device.submit(end, 0).expect("nothing is in memory");
    assert_eq!(*device.wait(id).expect("kept"), SubmissionReport::default());
}

#[test]
fn buffers_that_are_not_in_memory_are_refused() {
    let device = device(Fake::counting());
    let cases = [
        (AREA + 2, 4, "command buffer at 0x10008002: the address must be a multiple of 4"),
        (NOWHERE, 4, "command buffer at 0x40000000: its 4 words are not inside one arena"),
        (SYS + 0x3ff8, 3, "command buffer at 0x10013ff8: its 3 words are not inside one arena"),
        (SYS - 4, 2, "command buffer at 0x1000fffc: its 2 words are not inside one arena"),
        (
            AREA,
            u32::MAX,
            "command buffer at 0x10008000: its 4294967295 words are not inside one arena",
        ),
    ];
    for (address, words, message) in cases {
        let error = device.submit(address, words).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    // Refused buffers got no ids.
    assert_eq!(device.submit_words(vec![]).get(), 1);
}

#[test]
fn submissions_run_in_order_and_consumed_does_not_wait() {
    let gate = Gate::default();
    let inside = gate.clone();
    let device = device(Fake::new(move |n, launch, memory| {
        inside.pass();
        assert!(memory.write_u32(OUTPUT + 4 * n as u32, launch.domain.i1));
        Ok(outcome(launch))
    }));
    let ids: Vec<SubmitId> = (0..20)
        .map(|n| {
            device.submit_words(buffer(|b| {
                Ok(b.append_set_out_fmt(0, surface(OUTPUT))?
                    .append_set_inst_fmt(PROGRAM)?
                    .append_set_domain(Domain { i1: n, ..Domain::default() })?
                    .append_start_program())
            }))
        })
        .collect();
    for &id in &ids {
        assert_eq!(device.consumed(id), Some(false));
    }
    let unknown = SubmitId::new(21).expect("not zero");
    assert_eq!(device.consumed(unknown), None);
    gate.open();
    let last = ids[19];
    while device.consumed(last) != Some(true) {
        std::thread::yield_now();
    }
    let seen: Vec<u32> = (0..20).map(|n| read_word(&device, OUTPUT + 4 * n)).collect();
    assert_eq!(seen, (0..20).collect::<Vec<u32>>());
}

#[test]
fn a_submission_that_the_client_did_not_wait_for_may_still_run() {
    let device = device(Fake::counting());
    let wait = |id| device.wait(id).expect("kept");
    let busy = |id| -> Vec<String> { wait(id).hazards.iter().map(ToString::to_string).collect() };
    let start = run_once().len() - 2;
    let idle = vec![0xc000_0900, 0];
    let text = |start: usize, n: u64| {
        format!(
            "word 0 (0xc0030c00): set_out_fmt is not pipelined, but there is no wait_for_idle \
             after the start_program at word {start} of submission {n}, for which the client had \
             not waited: executed after an implied wait"
        )
    };
    let first = device.submit_words(run_once());
    let second = device.submit_words(run_once());
    assert_eq!(busy(second), [text(start, 1)]);
    assert_eq!(busy(first), Vec::<String>::new());
    // The client waits, in both ways.
    let third = device.submit_words(run_once());
    assert!(comes(|| device.consumed(third) == Some(true)));
    let fourth = device.submit_words(run_once());
    // The array waits, or a command comes between that needs no idle array.
    let fifth = device.submit_words([idle.clone(), run_once()].concat());
    device.submit_words(vec![0xc000_1900, 1]);
    let seventh = device.submit_words(run_once());
    assert_eq!(busy(seventh), [text(start + idle.len(), 5)]);
    for id in [third, fourth, fifth] {
        assert_eq!(busy(id), Vec::<String>::new(), "{id}");
    }
}

#[test]
fn unknown_and_forgotten_submissions() {
    let config = DeviceConfig { reports: 2, ..config(Fake::counting()) };
    let device = Device::open(config).expect("80 KiB and a thread");
    let ids: Vec<SubmitId> = (0..4).map(|_| device.submit_words(vec![])).collect();
    assert!(device.wait(ids[3]).is_ok() && device.wait(ids[2]).is_ok());
    assert_eq!(
        device.wait(ids[1]).expect_err("too old").to_string(),
        "submission 2: only the last 2 reports are kept"
    );
    assert_eq!(device.consumed(ids[1]), Some(true));
    let unknown = SubmitId::new(9).expect("not zero");
    assert_eq!(
        device.wait(unknown).expect_err("never made").to_string(),
        "submission 9: no such submission on this device, 4 were made"
    );
    assert_eq!(SubmitId::new(0), None);
}

#[test]
fn state_and_errors_carry_over_as_in_one_pe() {
    let device = device(Fake::counting());
    // A test that needs no buffer.
    let bad = device.submit_words(vec![0xc000_1b00, Test::Never.code(), 0xbad]);
    let good = device.submit_words(run_once());
    assert!(device.wait(bad).expect("kept").error.is_some());
    assert!(device.wait(good).expect("kept").is_clean());
    let engine = Fake::new(|_, launch, memory| {
        assert!(memory.write_u32(OUTPUT, 100 + launch.condition.test.code()));
        Ok(outcome(launch))
    });
    let device = super::tests::device(engine);
    device.submit_words(vec![0xc000_1b00, Test::Never.code(), 0xbad]);
    let id = device.submit_words(run_once());
    assert!(device.wait(id).expect("kept").is_clean());
    assert_eq!(read_word(&device, OUTPUT), 100 + Test::Never.code());
}

#[test]
fn a_panic_of_the_engine_is_an_error_of_its_submission() {
    let device = device(Fake::new(|n, launch, _| {
        assert!(n != 0, "launch {n}");
        Ok(outcome(launch))
    }));
    let first = device.submit_words(run_once());
    let second = device.submit_words(run_once());
    let report = device.wait(first).expect("kept");
    let error = report.error.as_ref().expect("an error").to_string();
    let place = "engine fake: internal error: launch 0 (machine, device/handle/tests.rs:";
    assert!(error.starts_with(place), "{error}");
    assert!(device.wait(second).expect("kept").is_clean());
}

#[test]
fn dropping_a_device_ends_what_runs_and_drops_what_waits() {
    let launches = Arc::new(AtomicU64::new(0));
    let running = Arc::new(AtomicBool::new(false));
    let gate = Gate::default();
    let engine = {
        let (launches, running, gate) = (launches.clone(), running.clone(), gate.clone());
        Fake::new(move |_, launch, _| {
            launches.fetch_add(1, Ordering::SeqCst);
            running.store(true, Ordering::SeqCst);
            gate.pass();
            Ok(outcome(launch))
        })
    };
    let engine: Arc<dyn Engine> = Arc::new(engine);
    let device =
        Device::open(DeviceConfig { arenas: SMALL, ..DeviceConfig::new(Arc::clone(&engine)) })
            .expect("80 KiB and a thread");
    device.write_memory(PROGRAM, &elf::write(&plain())).expect("it fits");
    // The first submission has two launches; the others queue after it.
    let mut words = run_once();
    words.extend([0xc000_0800, 0]);
    device.submit_words(words);
    for _ in 0..100 {
        device.submit_words(run_once());
    }
    while !running.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    let queue = Arc::clone(&device.queue);
    let dropper = std::thread::spawn(move || drop(device));
    // The drop waits for the running launch.
    let closed = comes(|| queue.is_closed());
    gate.open();
    dropper.join().expect("no panic");
    assert!(closed, "the drop closed the queue while the launch ran");
    assert_eq!(launches.load(Ordering::SeqCst), 1);
    assert_eq!(Arc::strong_count(&engine), 1, "the device let go of it");
}

#[test]
fn a_closed_queue_stops_between_commands() {
    // A submission of 1001 launches; the first one is inside the engine when the device closes.
    let started = Gate::default();
    let closing = Gate::default();
    let launches = Arc::new(AtomicU64::new(0));
    let engine = {
        let (started, closing, launches) = (started.clone(), closing.clone(), launches.clone());
        Fake::new(move |_, launch, _| {
            launches.fetch_add(1, Ordering::SeqCst);
            started.open();
            closing.pass();
            Ok(outcome(launch))
        })
    };
    let device = device(engine);
    let mut words = run_once();
    for _ in 0..1000 {
        words.extend([0xc000_0800, 0]);
    }
    device.submit_words(words);
    started.pass();
    device.queue.close();
    closing.open();
    drop(device);
    assert_eq!(launches.load(Ordering::SeqCst), 1);
}

#[test]
fn several_threads_share_a_device() {
    let device = device(Fake::new(|_, launch, memory| {
        // One counter per domain column.
        let place = OUTPUT + 4 * launch.domain.i1;
        let value = memory.read_u32(place).unwrap_or(0);
        assert!(memory.write_u32(place, value + 1));
        Ok(outcome(launch))
    }));
    std::thread::scope(|scope| {
        for t in 0..4 {
            let device = &device;
            scope.spawn(move || {
                let words = buffer(|b| {
                    Ok(b.append_set_out_fmt(0, surface(OUTPUT))?
                        .append_set_inst_fmt(PROGRAM)?
                        .append_set_domain(Domain { i1: t, ..Domain::default() })?
                        .append_start_program())
                });
                for n in 0..100 {
                    let id = device.submit_words(words.clone());
                    assert!(device.wait(id).expect("kept").is_clean());
                    assert!(read_word(device, OUTPUT + 4 * t) > n);
                }
            });
        }
    });
    let seen: Vec<u32> = (0..4).map(|t| read_word(&device, OUTPUT + 4 * t)).collect();
    assert_eq!(seen, [100; 4]);
}

#[test]
fn several_devices_have_memory_of_their_own() {
    let devices: Vec<Device> = (0..4).map(|_| device(Fake::counting())).collect();
    for (n, device) in devices.iter().enumerate() {
        for _ in 0..=n {
            device.submit_words(run_once());
        }
    }
    for (n, device) in devices.iter().enumerate() {
        let last = SubmitId::new(n as u64 + 1).expect("not zero");
        assert!(device.wait(last).expect("kept").is_clean());
        assert_eq!(read_word(device, OUTPUT), n as u32 + 1);
    }
}

#[test]
fn the_host_gets_its_turn_between_submissions() {
    // 501 submissions; the first one runs until the host waits for memory.
    let (started, gate) = (Gate::default(), Gate::default());
    let inside = (started.clone(), gate.clone());
    let device = device(Fake::new(move |n, launch, memory| {
        inside.0.open();
        inside.1.pass();
        assert!(memory.write_u32(OUTPUT, n as u32 + 1));
        Ok(outcome(launch))
    }));
    let ids: Vec<SubmitId> = (0..501).map(|_| device.submit_words(run_once())).collect();
    let last = ids[500];
    started.pass();
    let (waits, seen) = std::thread::scope(|scope| {
        let host = scope.spawn(|| read_word(&device, OUTPUT));
        let waits = comes(|| device.queue.is_awaited());
        gate.open();
        (waits, host.join().expect("no panic"))
    });
    // The host gets memory right after the running submission.
    assert_eq!((waits, seen), (true, 1));
    assert!(device.wait(last).expect("kept").is_clean());
    assert_eq!(read_word(&device, OUTPUT), 501);
}

#[test]
fn what_a_device_is_made_of() {
    let device = device(Fake::counting());
    let names: Vec<_> = device.arenas().iter().map(|a| (a.name(), a.base)).collect();
    assert_eq!(names, [("GPU", GPU), ("SYSc", SYS)]);
    assert_eq!(device.engine().name(), "fake");
    assert_eq!(
        device.write_memory(NOWHERE, &[0]).expect_err("nowhere").to_string(),
        "address 0x40000000: 1 bytes from there are not inside one arena"
    );
    let error = Device::open(DeviceConfig {
        arenas: ArenaSizes { gpu: 1 << 40, ..SMALL },
        ..config(Fake::counting())
    })
    .err()
    .expect("too large");
    assert!(error.to_string().starts_with("the arenas need "), "{error}");
}

/// A recorder whose file takes until a gate opens.
struct Slow {
    started: Gate,
    ready: Gate,
}

impl Recorder for Slow {
    fn wrote(&self, _: &[(u32, &[u8])]) {}
    fn submitted(&self, _: Submitted<'_>) {}
    fn keep(&self) {
        self.started.open();
        self.ready.pass();
    }
}

#[test]
fn clients_submit_while_another_one_waits_for_the_file() {
    let calls: [fn(&Device, SubmitId); 2] = [
        |device, id| assert!(device.wait(id).is_ok()),
        |device, id| {
            assert_eq!(device.cancel(id), Some(false));
        },
    ];
    for call in calls {
        let gates: [Gate; 5] = Default::default();
        let [begin, running, end, started, ready] = gates.clone();
        let engine = Fake::new(move |n, launch, _| {
            let [begin, running, end, ..] = &gates;
            if n == 0 {
                begin.pass();
            } else {
                running.open();
                end.pass();
            }
            Ok(outcome(launch))
        });
        let recorder = Slow { started: started.clone(), ready: ready.clone() };
        let config = DeviceConfig { recorder: Some(Arc::new(recorder)), ..config(engine) };
        let device = Device::open(config).expect("80 KiB and a thread");
        device.write_memory(PROGRAM, &elf::write(&plain())).expect("it fits");
        let first = device.submit_words(run_once());
        device.submit_words(run_once());
        begin.open();
        // The worker is busy, so that only the client writes the file.
        running.pass();
        let submitted = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| call(&device, first));
            started.pass();
            scope.spawn(|| {
                device.submit_words(Vec::new());
                submitted.store(true, Ordering::SeqCst);
            });
            let came = comes(|| submitted.load(Ordering::SeqCst));
            ready.open();
            end.open();
            assert!(came);
        });
    }
}

/// A device whose launches note in which thread they run.
fn noting() -> (Device, Arc<Mutex<Vec<std::thread::ThreadId>>>) {
    let threads = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&threads);
    let engine = Fake::new(move |_, launch, _| {
        noted.lock().expect("no panic in it").push(std::thread::current().id());
        Ok(outcome(launch))
    });
    (device(engine.prompt()), threads)
}

#[test]
fn small_submissions_run_in_the_thread_that_makes_them() {
    let (device, threads) = noting();
    let launch = |domain: Domain| {
        let words = buffer(|b| {
            Ok(b.append_set_out_fmt(0, surface(OUTPUT))?
                .append_set_inst_fmt(PROGRAM)?
                .append_set_domain(domain)?
                .append_start_program())
        });
        let id = device.submit_words(words);
        let at_once = device.consumed(id) == Some(true);
        assert!(device.wait(id).expect("kept").is_clean());
        (at_once, threads.lock().expect("no panic in it").pop().expect("it ran"))
    };
    let here = std::thread::current().id();
    let small = Domain { i0: 0, j0: 0, i1: 15, j1: 15 };
    // The first launch of a program decodes it.
    assert_ne!(launch(small).1, here);
    assert_eq!(launch(small), (true, here));
    assert_ne!(launch(Domain { i1: 4095, ..small }).1, here);
    // Other bytes at the same address are another program.
    let other = elf::write(&with_constants());
    device.write_memory(PROGRAM, &other).expect("it fits");
    assert_ne!(launch(small).1, here);
    // It has flow control.
    assert_ne!(launch(small).1, here);
}

#[test]
fn submissions_of_the_client_that_holds_memory_wait() {
    let (device, threads) = noting();
    let run = || device.submit_words(run_once());
    for _ in 0..2 {
        assert!(device.wait(run()).is_ok());
    }
    let id = device.with_memory(|_| {
        let id = run();
        assert_eq!(device.consumed(id), Some(false));
        id
    });
    assert!(device.wait(id).expect("kept").is_clean());
    assert_eq!(threads.lock().expect("no panic in it").len(), 3);
}

#[test]
fn small_submissions_do_not_overtake_others() {
    let gate = Gate::default();
    let inside = gate.clone();
    let device = device(
        Fake::new(move |n, launch, memory| {
            if n == 1 {
                inside.pass();
            }
            assert!(memory.write_u32(OUTPUT, n as u32 + 1));
            Ok(outcome(launch))
        })
        .prompt(),
    );
    assert!(device.wait(device.submit_words(run_once())).is_ok());
    let many = |n: usize| [run_once(), [0xc000_0800, 0].repeat(n)].concat();
    // Too many launches for this thread, and small ones after it.
    let first = device.submit_words(many(20_000));
    let ids: Vec<SubmitId> = (0..20).map(|_| device.submit_words(run_once())).collect();
    assert!(ids.iter().all(|&id| device.consumed(id) == Some(false)));
    gate.open();
    assert!(device.wait(ids[19]).expect("kept").is_clean());
    assert_eq!(device.consumed(first), Some(true));
    assert_eq!(read_word(&device, OUTPUT), 20_022);
}

#[test]
fn many_threads_submit_to_one_prompt_device() {
    let device = device(Fake::counting().prompt());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..500 {
                    let id = device.submit_words(run_once());
                    if n % 7 == 0 {
                        device.pause(id, std::time::Duration::from_millis(1));
                    }
                    assert!(device.wait(id).expect("kept").is_clean());
                }
            });
        }
    });
    assert_eq!(device.issued(), 2000);
    assert_eq!(read_word(&device, OUTPUT), 2000);
}
