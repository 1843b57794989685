//! Adapters and what happens when one fails. See `common` for when these tests run.

use ctm::engine::gpu::{AdapterChoice, Adapters, Gpu, GpuError};
use wgpu::BufferUsages;

/// The adapter that the tests are to use.
fn open() -> Gpu {
    Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|error| panic!("{error}"))
}

fn lost() -> GpuError {
    GpuError::Lost {
        adapter: open().info.name,
        reason: "it was destroyed".into(),
    }
}

#[test]
#[ignore = "needs an adapter"]
fn an_adapter_is_found_by_its_number_and_its_name() {
    let adapters = Adapters::list();
    let chosen = adapters
        .choose(&AdapterChoice::from_environment())
        .expect("an adapter");
    for info in adapters.infos() {
        println!("{} {:?}", info.line(), info.missing);
        let index = AdapterChoice::Index(info.index);
        assert_eq!(adapters.choose(&index).unwrap().index, info.index);
    }
    assert!(chosen.missing.is_empty());
    let many = AdapterChoice::parse("4711");
    let text = adapters.choose(&many).unwrap_err().to_string();
    assert!(
        text.starts_with("there is no adapter \"4711\"; the adapters are:\n  0: "),
        "{text}"
    );
}

#[test]
#[ignore = "needs an adapter"]
fn errors_of_calls_come_back_from_their_scope() {
    let gpu = open();
    let error = gpu
        .scoped("a copy", |device| {
            let usage = BufferUsages::STORAGE;
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 64,
                usage,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&buffer, 0, &buffer, 32, 16);
            encoder.finish()
        })
        .unwrap_err();
    assert!(
        matches!(&error, GpuError::Validation { what, .. } if what == "a copy"),
        "{error:?}"
    );
    let error = gpu
        .scoped("shader \"x\"", |device| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl("fn f() -> u32 { return 1.5; }".into()),
            })
        })
        .map(|_| ())
        .unwrap_err()
        .in_shader();
    let text = error.to_string();
    assert!(matches!(error, GpuError::Shader { .. }), "{text}");
    assert!(text.contains("return 1.5"), "{text}");
    // Nothing is left behind.
    assert_eq!(gpu.check(), Ok(()));
}

#[test]
#[ignore = "needs an adapter"]
fn errors_outside_of_any_scope_are_told_once() {
    let gpu = open();
    for size in [3, 5] {
        // Mapped buffers have sizes that are multiples of 4.
        let _ = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
    }
    let error = gpu.check().unwrap_err();
    assert!(
        error.to_string().contains('3'),
        "the first of them: {error}"
    );
    assert_eq!(gpu.check(), Ok(()));
}

#[test]
#[ignore = "needs an adapter"]
fn a_buffer_that_is_too_large_is_named_with_its_size() {
    let gpu = open();
    let largest = gpu
        .limits
        .max_storage_buffer_binding_size
        .min(gpu.limits.max_buffer_size);
    let error = gpu
        .buffer("arena 3", largest + 4, BufferUsages::STORAGE)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "adapter {}: the largest buffer in bytes, for arena 3, is {largest}, but {} is needed",
            gpu.info.name,
            largest + 4
        )
    );
}

#[test]
#[ignore = "needs an adapter"]
fn memory_that_runs_out_is_an_error_and_the_device_lives_on() {
    let gpu = open();
    let size = gpu.limits.max_buffer_size;
    let mut kept = Vec::new();
    // A driver that hands out memory only when it is touched may never run out: then there is
    // nothing to see.
    let error = (0..64).find_map(|n| {
        match gpu.buffer(&format!("buffer {n}"), size, BufferUsages::COPY_DST) {
            Ok(buffer) => {
                kept.push(buffer);
                None
            }
            Err(error) => Some(error),
        }
    });
    println!("{} buffers of {size} bytes, then {error:?}", kept.len());
    if let Some(error) = error {
        let what = format!("buffer {}", kept.len());
        assert_eq!(error, GpuError::OutOfMemory { what, bytes: size });
    }
    drop(kept);
    gpu.wait(None).expect("a living device");
    gpu.buffer("a small one", 64, BufferUsages::STORAGE)
        .expect("memory again");
}

#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_is_an_error_everywhere_and_for_ever() {
    let gpu = open();
    let buffer = gpu
        .buffer("b", 64, BufferUsages::COPY_DST | BufferUsages::MAP_READ)
        .expect("memory");
    gpu.queue.write_buffer(&buffer, 0, &[1; 64]);
    gpu.lose();
    assert_eq!(gpu.check(), Err(lost()));
    assert_eq!(gpu.check(), Err(lost()));
    let usage = BufferUsages::STORAGE;
    assert_eq!(gpu.buffer("c", 64, usage).map(|_| ()), Err(lost()));
    // What callers do without looking first does not panic either.
    gpu.queue.write_buffer(&buffer, 0, &[2; 64]);
    gpu.queue.submit([]);
    let (send, told) = std::sync::mpsc::channel();
    buffer
        .slice(..)
        .map_async(wgpu::MapMode::Read, move |result| {
            let _ = send.send(result.is_ok());
        });
    assert_eq!(gpu.wait(None), Err(lost()));
    assert_eq!(told.try_recv(), Ok(false));
    assert_eq!(gpu.poll_once().map(|_| ()), Err(lost()));
    assert_eq!(gpu.check(), Err(lost()));
    // Another one can be opened.
    open().wait(None).expect("a living device");
}
