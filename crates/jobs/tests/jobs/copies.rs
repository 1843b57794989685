//! Jobs made larger.

use crate::job_common::{directory, parse, run, save};
use ctm_jobs::array::Dtype;
use ctm_jobs::job::Job;
use ctm_machine::engine::block::Block;
use std::fs;

/// A job of 3 x 2 points that adds an input to initial data.
fn job(more: &str) -> Job {
    let dir = directory();
    fs::write(dir.path().join("sum.dpp"), "ld r1, i0[r0.rg]\nadd o0, r1, r2\n").unwrap();
    save(dir.path(), "a.npy", Dtype::Uint8, &[2, 4], (0..8).collect());
    let floats = (0..24).map(|n: u16| (f32::from(n) + 0.5).to_bits()).collect();
    save(dir.path(), "b.npy", Dtype::Float32, &[2, 3, 4], floats);
    parse(
        dir.path(),
        &format!(
            "version = 1
            program = {{ file = \"sum.dpp\" }}
            domain = {{ i0 = 0, j0 = 0, i1 = 2, j1 = 1 }}
            [[input]]
            slot = 0
            file = \"a.npy\"
            format = \"UINT8_1\"
            [[output]]
            slot = 0
            format = \"FLOAT32_4\"
            width = 4
            {more}
            [[initial]]
            temp = 2
            file = \"b.npy\""
        ),
    )
}

#[test]
fn each_copy_does_the_work_of_the_job() {
    let one = job("");
    let expected = run(&one, &Block::new()).raster(1).unwrap();
    // The third column of the output's four is the last of the domain.
    assert!(expected.units[..12].iter().all(|&bits| bits != 0));
    assert!(expected.units[12..16].iter().all(|&bits| bits == 0));
    for (count, across, down) in [(1, 1, 1), (2, 1, 2), (3, 1, 3), (6, 2, 3), (7, 1, 7)] {
        let many = one.copies(count).unwrap();
        let domain = many.passes[0].domain;
        assert_eq!((domain.width(), domain.height()), (3 * across, 2 * down), "{count}");
        let (input, output) = (&many.buffers[0], &many.buffers[1]);
        assert_eq!((input.width, input.height), (4 * across, 2 * down), "{count}");
        assert_eq!((output.width, output.pitch, output.height), (4 * across, 4 * across, 2 * down));
        let raster = run(&many, &Block::new()).raster(1).unwrap();
        for (j, row) in raster.units.chunks(16 * across as usize).enumerate() {
            // Copies of the domain are narrower than those of the buffers, so only the first one's columns are
            // those of the job.
            assert_eq!(row[..12], expected.units[16 * (j % 2)..][..12], "{count}");
        }
    }
}

#[test]
fn copies_that_do_not_fit_are_none() {
    let one = job("");
    // At most 2048 copies down, and fewer across, as pitches have a limit.
    assert!(one.copies(1 << 18).is_some());
    assert!(one.copies(4099).is_none(), "a prime has one arrangement");
    assert!(one.copies(1 << 22).is_none());
    assert!(job("address = 4096").copies(2).is_none());
    let mut empty = one.clone();
    empty.passes[0].domain.j0 = 5;
    assert!(empty.copies(2).is_none());
}
