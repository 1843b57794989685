//! The calls of the C interface: what they refuse and what they say, ids, closing, threads.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use ctm::capi::ENGINES;
use ctm::command::Opcode;

use crate::c::*;

const GPU: u32 = 1 << 16;
const SYSC: u32 = 1 << 20;

/// set_inst_fmt, set_out_fmt of 64 floats, set_domain, start_program.
fn run_words(program: u32, output: u32) -> Vec<u32> {
    vec![
        Opcode::SetInstFmt.word(),
        program,
        0,
        Opcode::SetOutFmt.word(),
        0,
        output,
        2 << 24 | 64,
        1,
        Opcode::SetDomain.word(),
        0,
        0,
        63,
        0,
        Opcode::StartProgram.word(),
        0,
    ]
}

#[test]
fn a_device_tells_its_arenas() {
    // Sizes from outside would be the device's: then this runs again without them.
    let outside = std::env::vars_os().map(|(name, _)| name);
    let is_size = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("CTM_ARENA_");
    let sizes: Vec<_> = outside.filter(is_size).collect();
    if !sizes.is_empty() {
        let mut again = std::process::Command::new(std::env::current_exe().expect("a file"));
        again.args(["--exact", "calls::a_device_tells_its_arenas"]);
        for name in sizes {
            again.env_remove(name);
        }
        let output = again.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(" 1 passed;"), "{said}");
        return;
    }
    let name = CString::new("/dev/pcie0").expect("no zero");
    let mut info = empty_info();
    // SAFETY: a string and room for the structure.
    let device = unsafe { amOpenManagedConnection(name.as_ptr(), &mut info) };
    assert!(!device.is_null(), "{}", last_error());
    assert_eq!(
        [info.arena_size_gpu, info.arena_size_gpub, info.arena_size_sys, info.arena_size_sysc],
        [256 << 20, 0, 0, 64 << 20]
    );
    assert_eq!(info.base_address_sys, info.base_address_sysc);
    assert_eq!(info.base_address_gpu % 2048, 0);
    assert_eq!(info.base_address_sysc % 2048, 0);
    assert_eq!(info.base_address_cpu, info.base_address_cpuc);
    assert!(!info.base_address_cpu.is_null());
    let mut again = empty_info();
    // SAFETY: room for the structure.
    unsafe {
        assert_eq!(ctm_device_info(device, &mut again), 1);
        assert_eq!(format!("{again:?}"), format!("{info:?}"));
        amCloseManagedConnection(device);
    }
}

#[test]
fn what_cannot_be_opened_is_null_and_says_why() {
    // SAFETY: strings and structures are alive.
    unsafe {
        for (name, error) in [
            ("/dev/pcie1", "device \"/dev/pcie1\": there is one board, \"/dev/pcie0\""),
            ("", "device \"\": there is one board, \"/dev/pcie0\""),
        ] {
            let name = CString::new(name).expect("no zero");
            assert!(amOpenManagedConnection(name.as_ptr(), null_mut()).is_null());
            assert_eq!(last_error(), error);
        }
        assert!(amOpenManagedConnection(null(), null_mut()).is_null());
        assert_eq!(last_error(), "name is NULL");
        assert!(amOpenManagedConnection(c"\xff".as_ptr(), null_mut()).is_null());
        assert_eq!(last_error(), "name is not UTF-8 text");

        let mut config = std::mem::zeroed::<CtmConfig>();
        assert_eq!(ctm_config_init(null_mut()), 0);
        assert_eq!(last_error(), "config is NULL");
        assert!(ctm_open(&config, null_mut()).is_null());
        assert_eq!(
            last_error(),
            "ctm_config.structSize is \"0\", expected 56, which ctm_config_init sets"
        );
        assert_eq!(ctm_config_init(&mut config), 1);
        config.float_mode = 3;
        assert!(ctm_open(&config, null_mut()).is_null());
        assert_eq!(
            last_error(),
            "ctm_config.floatMode is \"3\", expected CTM_FLOAT_EXACT, CTM_FLOAT_FAST or CTM_FLOAT_CHIP"
        );
        config.float_mode = 1;
        config.engine = c"warp".as_ptr();
        assert!(ctm_open(&config, null_mut()).is_null());
        assert_eq!(
            last_error(),
            "engine \"warp\": expected auto, reference, block, interpreter, translated or gpu"
        );
        config.engine = c"block".as_ptr();
        config.adapter = c"0".as_ptr();
        assert!(ctm_open(&config, null_mut()).is_null());
        assert_eq!(last_error(), "adapter \"0\": engine block runs on the CPU");
        config.adapter = null();
        config.arena_size_gpu = u32::MAX;
        config.arena_size_gpub = u32::MAX;
        assert!(ctm_open(&config, null_mut()).is_null());
        assert_eq!(
            last_error(),
            "the arenas need 8657043456 bytes of address space, 32 bits address 4294967296"
        );
    }
}

#[test]
fn engines_have_names() {
    // SAFETY: indices may be anything; names are strings.
    unsafe {
        for (n, name) in ENGINES.iter().enumerate() {
            let found = CStr::from_ptr(ctm_engine_name(n as u32));
            assert_eq!(found.to_str(), Ok(*name));
        }
        assert!(ctm_engine_name(ENGINES.len() as u32).is_null());
        assert!(ctm_engine_name(u32::MAX).is_null());
        let version = CStr::from_ptr(ctm_version());
        assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
    }
    let client = Client::open("reference", GPU, SYSC, false);
    let mut text = [1u8; 16];
    // SAFETY: the buffer has the size.
    unsafe {
        let length = ctm_device_engine(client.device, text.as_mut_ptr().cast(), 16);
        assert_eq!((length, &text[..10]), (9, &b"reference\0"[..]));
        // Cut so that the zero fits.
        let length = ctm_device_engine(client.device, text.as_mut_ptr().cast(), 4);
        assert_eq!((length, &text[..5]), (9, &b"ref\0r"[..]));
        assert_eq!(ctm_device_engine(client.device, null_mut(), 16), 9);
        assert_eq!(ctm_device_adapter(client.device, text.as_mut_ptr().cast(), 16), 0);
        assert_eq!(text[0], 0);
    }
}

#[test]
fn old_and_made_up_handles_are_refused() {
    let client = Client::open("block", GPU, SYSC, false);
    let old = client.device;
    drop(client);
    let made_up = [1usize, 7, 16, usize::MAX, 0x7fff_0000_0000].map(|n| n as Handle);
    for device in made_up.into_iter().chain([old, null_mut()]) {
        let error = if device.is_null() {
            "device is NULL".to_string()
        } else {
            let handle = device as usize;
            format!("device handle {handle:#x}: no device with this handle is open")
        };
        let mut info = empty_info();
        let mut word = 0u32;
        let mut statistics = CtmStatistics::default();
        let place: *mut c_void = (&raw mut word).cast();
        // SAFETY: handles may be anything; all else is alive.
        unsafe {
            let refused = u32::from(Status::Refused as u8);
            let calls: [(&str, u32, u32); 15] = [
                ("submit", amSubmitCommandBuffer(device, 0, 0), 0),
                ("consumed", amCommandBufferConsumed(device, 1), 1),
                ("info", ctm_device_info(device, &mut info) as u32, 0),
                ("engine", ctm_device_engine(device, null_mut(), 0), 0),
                ("adapter", ctm_device_adapter(device, null_mut(), 0), 0),
                ("words", ctm_submit_words(device, &raw const word, 1), 0),
                ("status", ctm_status(device, 1), refused),
                ("cancel", ctm_cancel(device, 1) as u32, 0),
                ("wait", ctm_wait(device, 1), refused),
                ("idle", ctm_wait_idle(device) as u32, 0),
                ("message", ctm_message(device, 1, null_mut(), 0), 0),
                ("statistics", ctm_get_statistics(device, 1, &mut statistics) as u32, 0),
                ("read", ctm_read(device, 0, place, 4) as u32, 0),
                ("write", ctm_write(device, 0, place, 4) as u32, 0),
                (
                    "close",
                    {
                        amCloseManagedConnection(device);
                        0
                    },
                    0,
                ),
            ];
            for (name, found, expected) in calls {
                assert_eq!(found, expected, "{name}");
            }
            assert_eq!(last_error(), error);
            // Each of them says so.
            amCloseManagedConnection(device);
            assert_eq!(last_error(), error);
            assert_eq!(amCommandBufferConsumed(device, 1), 1);
            assert_eq!(last_error(), error);
            assert_eq!(amSubmitCommandBuffer(device, 0, 0), 0);
            assert_eq!(last_error(), error);
        }
    }
}

#[test]
fn ids_count_and_those_never_given_are_refused() {
    let client = Client::open("block", GPU, SYSC, false);
    for expected in 1..=5 {
        assert_eq!(client.submit(0, &[Opcode::WaitForIdle.word(), 0]), expected);
    }
    for id in 1..=5 {
        client.spin(id);
        assert_eq!(client.status(id), status(Status::Clean));
    }
    for id in [0, 6, u32::MAX] {
        let error =
            format!("submission id {id}: this device has given 5 ids and this is none of them");
        // Nothing is pending, so a client that spins goes on.
        client.spin(id);
        assert_eq!(last_error(), error);
        assert_eq!(client.status(id), status(Status::Refused));
        assert_eq!(last_error(), error);
        assert_eq!(client.message(id), "");
        assert_eq!(last_error(), error);
    }
}

#[test]
fn buffers_outside_memory_are_refused_at_once() {
    let client = Client::open("block", GPU, SYSC, false);
    let submit = |address, words| {
        // SAFETY: handles and addresses may be anything.
        let id = unsafe { amSubmitCommandBuffer(client.device, address, words) };
        (id, last_error())
    };
    let end = client.sys(SYSC);
    for (address, words, error) in [
        (
            client.sys(2),
            1,
            format!(
                "command buffer at 0x{:08x}: the address must be a multiple of 4",
                client.sys(2)
            ),
        ),
        (
            end - 4,
            2,
            format!("command buffer at 0x{:08x}: its 2 words are not inside one arena", end - 4),
        ),
        (
            client.sys(0),
            u32::MAX,
            format!(
                "command buffer at 0x{:08x}: its 4294967295 words are not inside one arena",
                client.sys(0)
            ),
        ),
        (0, 1, "command buffer at 0x00000000: its 1 words are not inside one arena".to_string()),
    ] {
        assert_eq!(submit(address, words), (0, error));
    }
    assert_eq!(submit(end - 4, 1), (1, String::new()));
}

#[test]
fn a_bad_submission_is_consumed_and_says_why() {
    let client = Client::open("block", GPU, SYSC, false);
    let bad = client.submit(0, &[Opcode::WaitForIdle.word(), 0, 0xdead_beef]);
    client.spin(bad);
    assert_eq!(last_error(), "submission 1: word 2 (0xdeadbeef): no command has this command word");
    assert_eq!(client.status(bad), status(Status::Error));
    assert_eq!(
        client.message(bad),
        "error: word 2 (0xdeadbeef): no command has this command word\n"
    );
    // The device goes on, and a good submission has no error.
    let good = client.submit(0x1000, &[Opcode::WaitForIdle.word(), 0]);
    client.spin(good);
    assert_eq!(last_error(), "");
    // SAFETY: handles and ids may be anything.
    assert_eq!(unsafe { ctm_wait(client.device, bad) }, status(Status::Error));
    assert_ne!(last_error(), "");

    // An image that is none, and one that is cut.
    let program = assemble("mov o0, c0");
    client.poke(0x1000, b"\x7fELG");
    let id = client.submit(0, &run_words(client.sys(0x1000), client.sys(0x2000)));
    client.spin(id);
    assert!(
        last_error().starts_with("submission 3: word 13 (0xc0000800): start_program: program at"),
    );
    let address = client.sys(0x1000);
    assert_eq!(
        client.message(id),
        format!(
            "error: word 13 (0xc0000800): start_program: program at 0x{address:08x}: the first \
             bytes at offset 0x0 are [7f, 45, 4c, 47], expected [7f, 45, 4c, 46] (an ELF file)\n"
        )
    );
    // Faults and warnings: no constants, and an output at the end of memory.
    client.poke(0x1000, &program);
    let words = run_words(client.sys(0x1000), client.sys(SYSC - 0x800));
    let id = client.submit(0, &words);
    client.spin(id);
    assert_eq!(client.status(id), status(Status::Clean));
    let message = client.message(id);
    assert!(
        message.contains("float constant(s) 0 read 0: set_constf_fmt was never given"),
        "{message}"
    );
    let id = client.submit(0, &run_words(client.sys(0x1000), 0x4000_0000));
    client.spin(id);
    assert_eq!(client.status(id), status(Status::Fault));
    assert!(last_error().starts_with("submission 5: word 13 (0xc0000800): start_program: "));
}

#[test]
fn memory_is_read_and_written_directly() {
    let client = Client::open("block", GPU, SYSC, false);
    let gpu = client.info.base_address_gpu;
    let data: Vec<u8> = (0..100).collect();
    let mut found = vec![0u8; 100];
    // SAFETY: 100 bytes each.
    unsafe {
        for address in [gpu + 5, client.sys(77)] {
            assert_eq!(ctm_write(client.device, address, data.as_ptr().cast(), 100), 1);
            assert_eq!(ctm_read(client.device, address, found.as_mut_ptr().cast(), 100), 1);
            assert_eq!(found, data);
        }
        assert_eq!(client.peek(77), 0x0302_0100);
        assert_eq!(ctm_read(client.device, gpu, null_mut(), 0), 1);
        assert_eq!(ctm_read(client.device, gpu, null_mut(), 1), 0);
        assert_eq!(last_error(), "to is NULL");
        assert_eq!(ctm_write(client.device, gpu, null(), 1), 0);
        assert_eq!(last_error(), "from is NULL");
        for (address, size) in [(gpu + GPU - 1, 2), (0, 4), (gpu, u32::MAX)] {
            let error = format!(
                "address 0x{address:08x}: {size} bytes from there are not inside one arena"
            );
            assert_eq!(ctm_read(client.device, address, null_mut(), size), 0);
            assert_eq!(last_error(), error);
            assert_eq!(ctm_write(client.device, address, null(), size), 0);
            assert_eq!(last_error(), error);
        }
    }
}

#[test]
fn statistics_are_there_if_they_were_asked_for() {
    let program = assemble("ld r1.r, i0[r0.rg]\nadd o0.r, r1.r, 1");
    for wanted in [false, true] {
        let client = Client::open("reference", GPU, SYSC, wanted);
        client.poke(0x1000, &program);
        let mut words = vec![Opcode::SetInpFmt.word(), 0, client.sys(0x4000), 2 << 24 | 64, 1];
        words.extend(run_words(client.sys(0x1000), client.sys(0x2000)));
        let id = client.submit(0, &words);
        let mut found = CtmStatistics::default();
        // SAFETY: room for the structure.
        let done = unsafe { ctm_get_statistics(client.device, id, &mut found) };
        if wanted {
            assert_eq!(done, 1);
            assert_eq!((found.launches, found.groups, found.points), (1, 1, 64));
            assert_eq!((found.tex, found.fetches, found.out), (1, 64, 1));
            // SAFETY: NULL.
            assert_eq!(unsafe { ctm_get_statistics(client.device, id, null_mut()) }, 0);
            assert_eq!(last_error(), "statistics is NULL");
        } else {
            assert_eq!(done, 0);
            assert_eq!(
                last_error(),
                "submission 1: no statistics were kept; open the device with statistics"
            );
        }
    }
}

#[test]
fn closing_with_work_pending_ends_it_and_frees_those_who_wait() {
    let program = assemble("ld r1.r, i0[r0.rg]\nadd o0.r, r1.r, 1");
    for round in 0..20 {
        let client = Client::open("reference", GPU, SYSC, false);
        client.poke(0x1000, &program);
        let mut words = vec![Opcode::SetInpFmt.word(), 0, client.sys(0x2000), 2 << 24 | 64, 1];
        words.extend(run_words(client.sys(0x1000), client.sys(0x2000)));
        let mut last = client.submit(0, &words);
        for _ in 0..200 {
            // SAFETY: handles and addresses may be anything.
            last =
                unsafe { amSubmitCommandBuffer(client.device, client.sys(0), words.len() as u32) };
        }
        assert_eq!(last, 201);
        let device = client.device as usize;
        let waiters: Vec<_> = (0..3)
            .map(|n| {
                std::thread::spawn(move || {
                    let device = device as Handle;
                    // SAFETY: handles and ids may be anything.
                    unsafe {
                        if n == 0 {
                            while amCommandBufferConsumed(device, last) == 0 {}
                            status(Status::Clean)
                        } else {
                            ctm_wait(device, last)
                        }
                    }
                })
            })
            .collect();
        if round % 2 == 0 {
            std::thread::yield_now();
        }
        drop(client);
        for waiter in waiters {
            let found = waiter.join().expect("no panic in it");
            // The one that runs while its device is closed ends before its next command.
            let ends = [Status::Clean, Status::Error, Status::Refused].map(status);
            assert!(ends.contains(&found), "{found}");
        }
    }
}

#[test]
fn many_threads_share_a_device() {
    let client = Client::open("block", GPU, SYSC, false);
    let device = client.device as usize;
    let base = client.sys(0);
    client.poke_words(0, &[Opcode::WaitForIdle.word(), 0]);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn(move || {
                let device = device as Handle;
                let mut ids = Vec::new();
                for _ in 0..500 {
                    // SAFETY: handles, addresses and ids may be anything.
                    unsafe {
                        let id = amSubmitCommandBuffer(device, base, 2);
                        while amCommandBufferConsumed(device, id) == 0 {}
                        ids.push(id);
                    }
                }
                ids
            })
        })
        .collect();
    let mut all: Vec<u32> = Vec::new();
    for thread in threads {
        let ids = thread.join().expect("no panic in it");
        assert!(ids.is_sorted());
        all.extend(ids);
    }
    all.sort_unstable();
    assert!(all.iter().copied().eq(1..=4000));
}

/// A launch over all of the largest domain, of a program whose groups run into the limit of
/// instructions one by one: it takes days.
fn days(client: &Client) -> u32 {
    client.poke(0x1000, &assemble("again:\njump -> again\nend"));
    let mut words = run_words(client.sys(0x1000), client.sys(0x2000));
    words[11] = 0x0fff_0fff;
    client.submit(0, &words)
}

#[test]
fn a_submission_that_takes_days_is_cancelled() {
    for engine in ["reference", "block"] {
        let client = Client::open(engine, GPU, SYSC, false);
        let id = days(&client);
        let waiting = client.submit(0x800, &[Opcode::WaitForIdle.word(), 0]);
        // SAFETY: handles and ids may be anything.
        unsafe {
            assert_eq!(ctm_status(client.device, id), status(Status::Pending));
            assert_eq!(ctm_cancel(client.device, waiting), 1);
            assert_eq!(ctm_cancel(client.device, id), 1);
            assert_eq!(ctm_wait(client.device, id), status(Status::Error));
            assert_eq!(ctm_wait(client.device, waiting), status(Status::Error));
            assert_eq!(last_error(), "submission 2: the submission was cancelled after 0 words");
            // Nothing is left to stop.
            assert_eq!(ctm_cancel(client.device, id), 1);
            assert_eq!(ctm_cancel(client.device, 7), 0);
            assert_eq!(
                last_error(),
                "submission id 7: this device has given 2 ids and this is none of them"
            );
        }
        assert!(client.message(id).contains(" was cancelled"));
        let good = client.submit(0, &[Opcode::WaitForIdle.word(), 0]);
        client.spin(good);
        assert_eq!(client.status(good), status(Status::Clean));
    }
}

#[test]
fn closing_stops_a_submission_that_takes_days() {
    for engine in ["reference", "block"] {
        let client = Client::open(engine, GPU, SYSC, false);
        for _ in 0..3 {
            days(&client);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        // Closes.
        drop(client);
    }
}

/// Runs this test again in a process that panics at a place; `false` in that process.
fn again(test: &str, asked: &str) -> bool {
    if std::env::var("CTM_PANIC").is_ok_and(|given| given == asked) {
        return false;
    }
    let mut again = std::process::Command::new(std::env::current_exe().expect("a file"));
    again.args(["--exact", &format!("calls::{test}")]).env("CTM_PANIC", asked);
    let output = again.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(" 1 passed;"), "{said}");
    true
}

#[test]
fn a_panic_of_an_engine_is_the_error_of_its_submission() {
    if again("a_panic_of_an_engine_is_the_error_of_its_submission", "launch=pc 0") {
        return;
    }
    for engine in ["block", "reference"] {
        let client = Client::open(engine, GPU, SYSC, false);
        client.poke(0x1000, &assemble("mov o0.r, 1"));
        for _ in 0..2 {
            let id = client.submit(0, &run_words(client.sys(0x1000), client.sys(0x2000)));
            client.spin(id);
            assert_eq!(client.status(id), status(Status::Error));
            let message = client.message(id);
            assert!(message.contains("internal error: CTM_PANIC: launch of pc 0"), "{message}");
            // The device works on.
            let id = client.submit(0x4000, &[Opcode::WaitForIdle.word(), 0]);
            client.spin(id);
            assert_eq!(client.status(id), status(Status::Clean));
        }
    }
}

/// Every function that can fail, with arguments that it would refuse.
#[test]
fn a_panic_in_a_call_is_its_error() {
    if again("a_panic_in_a_call_is_its_error", "call=") {
        return;
    }
    let none: Handle = null_mut();
    // SAFETY: NULL everywhere; nothing is read.
    unsafe {
        let call = |name: &str, result: u32, expected: u32| {
            let error = last_error();
            let start = "internal error: CTM_PANIC: call of  (src/capi/ffi.rs:";
            assert!(error.starts_with(start), "{name}: {error}");
            assert_eq!(result, expected, "{name}");
        };
        let opened = amOpenManagedConnection(null(), null_mut());
        call("amOpenManagedConnection", opened as u32, 0);
        call("ctm_open", ctm_open(null(), null_mut()) as u32, 0);
        call("amuCompOpenCompiler", amuCompOpenCompiler() as u32, 0);
        call("amSubmitCommandBuffer", amSubmitCommandBuffer(none, 0, 0), 0);
        // Refused means that nothing is pending.
        call("amCommandBufferConsumed", amCommandBufferConsumed(none, 1), 1);
        call(
            "amCloseManagedConnection",
            {
                amCloseManagedConnection(none);
                0
            },
            0,
        );
        call(
            "amuCompCloseCompiler",
            {
                amuCompCloseCompiler(none);
                0
            },
            0,
        );
        let (size, binary) = (null_mut(), null_mut());
        let compiled = amuCompCompile(none, null(), 0, null(), null(), null(), size, binary, None);
        call("amuCompCompile", compiled as u32, 0);
        call("amuAsmAssemble", amuAsmAssemble(null(), 0, size, binary, None) as u32, 0);
        call(
            "amuAsmDisassemble",
            {
                amuAsmDisassemble(null(), None);
                0
            },
            0,
        );
        let constants = amuABIExtractConstants(null());
        call("amuABIExtractConstants", constants.user_consts as u32, 0);
        call(
            "amuABISetLiteralConstants",
            {
                amuABISetLiteralConstants(constants, none, none, none);
                0
            },
            0,
        );
        call("ctm_config_init", ctm_config_init(null_mut()) as u32, 0);
        call("ctm_device_info", ctm_device_info(none, null_mut()) as u32, 0);
        call("ctm_device_engine", ctm_device_engine(none, null_mut(), 0), 0);
        call("ctm_device_adapter", ctm_device_adapter(none, null_mut(), 0), 0);
        call("ctm_submit_words", ctm_submit_words(none, null(), 0), 0);
        call("ctm_status", ctm_status(none, 1), status(Status::Refused));
        call("ctm_cancel", ctm_cancel(none, 1) as u32, 0);
        call("ctm_wait", ctm_wait(none, 1), status(Status::Refused));
        call("ctm_wait_idle", ctm_wait_idle(none) as u32, 0);
        call("ctm_message", ctm_message(none, 1, null_mut(), 0), 0);
        call("ctm_get_statistics", ctm_get_statistics(none, 1, null_mut()) as u32, 0);
        call("ctm_read", ctm_read(none, 0, none, 0) as u32, 0);
        call("ctm_write", ctm_write(none, 0, null(), 0) as u32, 0);
        call(
            "ctm_free_constants",
            {
                ctm_free_constants(null_mut());
                0
            },
            0,
        );
    }
}
