//! Tests that need an adapter for themselves: here it has no memory left, which no other test of the process may
//! meet. See `common` for when these tests run.

use ctm::engine::gpu::{AdapterChoice, Gpu, GpuError};
use wgpu::BufferUsages;

#[test]
#[ignore = "needs an adapter"]
fn memory_that_runs_out_is_an_error_and_the_device_lives_on() {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
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
    gpu.buffer("a small one", 64, BufferUsages::STORAGE).expect("memory again");
}
