//! The dispatches of an engine, with what their buffers hold before and afterwards.

use crate::chromium::{Binding, Results, Task};
use ctm::engine::gpu::Gpu;
use ctm::engine::gpu::device::watch::{After, Dispatch, Watch};
use std::sync::Mutex;

/// Keeps the dispatches of a device.
#[derive(Default)]
pub struct Recording(Mutex<Vec<Kept>>);

struct Kept {
    gpu: Gpu,
    wgsl: String,
    entry: &'static str,
    workgroups: [u32; 2],
    /// Each binding's number, and copies of its content before and after the dispatch.
    bindings: Vec<(u32, [wgpu::Buffer; 2])>,
}

/// A dispatch.
pub struct Recorded {
    /// It as a task.
    pub task: Task,
    /// What all its bindings hold afterwards.
    pub after: Results,
}

impl Watch for Recording {
    fn dispatch(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        dispatch: &Dispatch<'_>,
    ) -> After {
        let (wgsl, entry) = (dispatch.shader)();
        let is_declared = |number: u32| wgsl.contains(&format!("@binding({number})"));
        let copy = |size: u64| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let (mut bindings, mut later) = (Vec::new(), Vec::new());
        for (number, (buffer, offset, size)) in dispatch.bindings {
            if is_declared(*number) {
                let [before, after] = [copy(*size), copy(*size)];
                encoder.copy_buffer_to_buffer(buffer, *offset, &before, 0, *size);
                later.push((buffer.clone(), *offset, after.clone(), *size));
                bindings.push((*number, [before, after]));
            }
        }
        let (gpu, workgroups) = (gpu.clone(), dispatch.workgroups);
        let kept = Kept { gpu, wgsl, entry, workgroups, bindings };
        self.0.lock().expect("no panic").push(kept);
        Box::new(move |encoder| {
            for (buffer, offset, after, size) in later {
                encoder.copy_buffer_to_buffer(&buffer, offset, &after, 0, size);
            }
        })
    }
}

impl Recording {
    /// Takes the dispatches so far. All of them must have been submitted.
    pub fn take(&self) -> Vec<Recorded> {
        let kept = std::mem::take(&mut *self.0.lock().expect("no panic"));
        kept.into_iter().map(Kept::read).collect()
    }
}

impl Kept {
    fn read(self) -> Recorded {
        for buffer in self.bindings.iter().flat_map(|(_, both)| both) {
            buffer.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("it is mapped"));
        }
        self.gpu.wait(None).unwrap_or_else(|error| panic!("{error}"));
        let words = |buffer: &wgpu::Buffer| -> Vec<u32> {
            let view = buffer.slice(..).get_mapped_range().expect("it is mapped");
            view.chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect()
        };
        let binding = |(number, [before, _]): &(u32, [wgpu::Buffer; 2])| Binding {
            number: *number,
            words: words(before),
        };
        Recorded {
            task: Task {
                bindings: self.bindings.iter().map(binding).collect(),
                wgsl: self.wgsl.clone(),
                entry: Some(self.entry.to_string()),
                workgroups: self.workgroups,
            },
            after: self
                .bindings
                .iter()
                .map(|(number, [_, after])| (*number, words(after)))
                .collect(),
        }
    }
}
