//! The conversion of errors.

use crate::memory::{GpuError, ResidentError, in_part};

#[test]
fn what_came_in_part_is_no_lack_of_memory() {
    let none = GpuError::OutOfMemory { what: "a buffer".into(), bytes: 7 };
    assert_eq!(
        in_part(none.into()).to_string(),
        "reading memory back: the driver failed: a part of it is on the host; then out of GPU \
         memory: a buffer needs 7 bytes"
    );
    let lost = ResidentError::Gpu(GpuError::Lost { adapter: "A".into(), reason: "gone".into() });
    assert_eq!(in_part(lost.clone()), lost);
}
