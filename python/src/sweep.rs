//! The launches of [`Program::map`](crate::program).

use crate::arguments::Arguments;
use crate::array::row;
use crate::error::Fail;
use ctm::engine::LaunchError;
use ctm::launch::Launch;
use ctm::memory::Memory;
use ctm::memory::array::swap_channels;
use ctm::sweep::{Launches, Slot};
use std::sync::Arc;

impl Launches for Arguments {
    type Unit = u8;
    type Error = Fail;

    fn bytes(&self) -> u64 {
        Arguments::bytes(self)
    }

    fn start(&self) -> Result<(Launch, Memory), Fail> {
        Ok((self.launch.clone(), self.memory()?))
    }

    fn set(&self, n: usize, slot: &mut Slot) -> Result<(), Fail> {
        if self.constants.iter().any(|constant| constant.many) {
            let constants = Arc::make_mut(&mut slot.launch.constants);
            for constant in self.constants.iter().filter(|constant| constant.many) {
                constant.set(n, constants);
            }
        }
        for input in &self.inputs {
            if let Some(content) = input.content.as_ref().filter(|content| content.count.is_some())
            {
                content.store(n, &mut slot.memory, &input.surface)?;
            }
        }
        for (_, output) in self.outputs.iter().filter(|_| slot.used) {
            let surface = &output.surface;
            match &output.content {
                Some(content) => content.store(0, &mut slot.memory, surface)?,
                None => {
                    let length = surface.width * surface.format.bytes_per_element();
                    for y in 0..surface.height {
                        row(&mut slot.memory, surface, y, length as usize)?.fill(0);
                    }
                }
            }
        }
        Ok(())
    }

    fn read(&self, output: usize, slot: &mut Slot, to: &mut [u8]) -> Result<(), Fail> {
        let surface = &self.outputs[output].1.surface;
        let length = (surface.width * surface.format.bytes_per_element()) as usize;
        for (y, to) in (0..).zip(to.chunks_exact_mut(length)) {
            to.copy_from_slice(row(&mut slot.memory, surface, y, length)?);
            swap_channels(surface.format, to);
        }
        Ok(())
    }

    fn failed(&self, n: usize, error: LaunchError) -> Fail {
        Fail::of_launch(&format!("launch {n}: "), &error, self.launch.program.image())
    }
}
