//! The pictures of a job: after the run, or after each launch that writes a buffer.

use super::error::JobError;
use super::loader::Loader;
use super::node::Node;
use super::{Buffer, Content, Job, JobResult, Pass, shader};
use crate::array::Raster;
use crate::array::picture::{MOST_BYTES, Picture};
use ctm_isa::isa::OUTPUTS;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

/// One of the files of a buffer's pictures.
pub(super) type FileOf = fn(&Pictures) -> Option<&PathBuf>;

/// The file of the picture.
pub(super) const IMAGE: FileOf = |pictures| pictures.image.as_ref();

/// The file of the animation.
pub(super) const ANIMATION: FileOf = |pictures| pictures.animation.as_ref();

/// The most frames of a buffer.
pub const MOST_FRAMES: u64 = 4096;

/// The pictures of a buffer.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pictures {
    /// The file for its picture after the run. With `%d` in the name: the files for one after each launch
    /// that writes the buffer, counted from 0.
    pub image: Option<PathBuf>,
    /// The file for an animation, with a frame after each launch that writes the buffer.
    pub animation: Option<PathBuf>,
    /// Frames of the animation for each second.
    pub frames_per_second: u16,
    /// The side of the square that shows an element, in pixels.
    pub scale: u32,
    /// The values that are black and white.
    pub range: [f32; 2],
}

impl Default for Pictures {
    fn default() -> Pictures {
        Pictures {
            image: None,
            animation: None,
            frames_per_second: 10,
            scale: 1,
            range: [0.0, 1.0],
        }
    }
}

impl Pictures {
    /// Reads the keys of pictures of a table.
    pub(super) fn read(loader: &Loader<'_>, table: &Node<'_>) -> Result<Pictures, JobError> {
        let default = Pictures::default();
        let range = table.read("range", |node| {
            let [low, high] = node.exactly("the values that are black and white")?;
            let range = [low.float_bits()?, high.float_bits()?].map(f32::from_bits);
            if range[0] < range[1] && (range[1] - range[0]).is_finite() {
                Ok(range)
            } else {
                Err(node.is_not("a range: two numbers, the lower one first"))
            }
        })?;
        let fps = table.read("fps", |node| node.unsigned(1, 1000))?.map(|fps| fps as u16);
        let scale = table.read("scale", |node| node.unsigned(1, 64))?;
        let pictures = Pictures {
            image: table.read("image", |node| loader.path(&node))?,
            animation: table.read("animation", |node| loader.path(&node))?,
            frames_per_second: fps.unwrap_or(default.frames_per_second),
            scale: scale.unwrap_or(default.scale),
            range: range.unwrap_or(default.range),
        };
        if pictures.image.is_none() && pictures.animation.is_none() {
            let unused = ["fps", "scale", "range"].into_iter().find_map(|key| table.get(key));
            if let Some(node) = unused {
                return Err(node.error("there is no picture: `image` or `animation` is missing"));
            }
        }
        Ok(pictures)
    }

    /// Whether there is a picture for each launch.
    pub fn of_each_launch(&self) -> bool {
        let numbered = |image: &PathBuf| numbered(image, 0).is_some();
        self.animation.is_some() || self.image.as_ref().is_some_and(numbered)
    }

    /// The picture of an array.
    pub fn of(&self, raster: &Raster) -> Picture {
        let picture = match self.range {
            [0.0, 1.0] => Picture::of(raster),
            [low, high] => Picture::in_range(raster, low, high),
        };
        if self.scale == 1 { picture } else { picture.enlarged(self.scale) }
    }
}

/// Rows of `length` units in the opposite order.
pub fn turned(units: &[u32], length: u32) -> Vec<u32> {
    units.rchunks_exact(length.max(1) as usize).flatten().copied().collect()
}

/// File `n` of a path whose name has `%d`, or `%0Nd` for at least N digits; `None` if it has neither.
pub fn numbered(path: &Path, n: u64) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (before, rest) = name.split_once('%')?;
    let (digits, after) = rest.split_once('d')?;
    let width: usize = match digits {
        "" => 0,
        _ => digits.strip_prefix('0')?.parse().ok().filter(|width| *width < 10)?,
    };
    Some(path.with_file_name(format!("{before}{n:0width$}{after}")))
}

/// A launch that leaves something new in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The launch, from 0.
    pub launch: u64,
    /// The index of the buffer whose place its name has after the launch.
    pub place: usize,
}

/// A file of pictures: its key, its path, and its picture or its frames.
pub(super) type PictureFile = (&'static str, PathBuf, Vec<Picture>);

impl Job {
    /// The launches that leave something new under the name of a buffer, at most one more than
    /// [`MOST_FRAMES`].
    pub(super) fn frames(&self, buffer: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut places: Vec<usize> = (0..self.buffers.len()).collect();
        let (mut outputs, mut condition) = ([None; OUTPUTS], None);
        let mut launch = 0;
        for pass in &self.passes {
            let before = frames.len();
            let mut repetition = 0;
            while repetition < pass.repeat {
                for &(slot, name) in &pass.outputs {
                    outputs[slot as usize] = Some(places[name]);
                }
                if let Some(of) = &pass.condition {
                    condition = of.buffer.filter(|_| of.write).map(|name| places[name]);
                }
                if let Some((a, b)) = pass.swap {
                    places.swap(a, b);
                }
                let place = Some(places[buffer]);
                let written = |slot: usize| pass.program.uses().outputs >> slot & 1 != 0;
                let mut slots = (0..OUTPUTS).filter(|&slot| outputs[slot] == place);
                if slots.any(written) || condition == place {
                    frames.push(Frame { launch, place: places[buffer] });
                    if frames.len() as u64 > MOST_FRAMES {
                        return frames;
                    }
                }
                (launch, repetition) = (launch + 1, repetition + 1);
                // All repeats after two launches.
                if repetition == 2 && frames.len() == before {
                    let rest = (pass.repeat - 2) & !1;
                    (launch, repetition) = (launch + u64::from(rest), repetition + rest);
                }
            }
        }
        frames
    }

    /// The buffers that share the picture file of a buffer, each with the index, in their order.
    pub(super) fn beside(&self, buffer: usize, file: FileOf) -> Vec<usize> {
        let of = |n: usize| file(&self.buffers[n].pictures);
        (0..self.buffers.len()).filter(|&n| of(n) == of(buffer)).collect()
    }

    /// Turns pictures that a shader reads whose rows begin at the bottom.
    pub(super) fn turn_pictures(&mut self) {
        for (n, buffer) in self.buffers.iter_mut().enumerate().filter(|(_, of)| of.of_picture) {
            let reads = |pass: &&Pass| {
                let each = pass.each.inputs.iter().flat_map(|(_, buffers)| buffers);
                pass.inputs.iter().map(|(_, buffer)| buffer).chain(each).any(|&buffer| buffer == n)
            };
            let mut readers = self.passes.iter().filter(reads);
            if let Content::Array(units) = &mut buffer.content
                && readers.any(|pass| shader::is_upward(pass.program.image()))
            {
                *units = Arc::new(turned(units, buffer.width * buffer.format.channels()));
            }
        }
    }

    /// The picture of a buffer's array: upright, if a shader wrote it whose rows begin at the bottom.
    pub fn picture(&self, buffer: usize, raster: &Raster) -> Picture {
        let picture = self.buffers[buffer].pictures.of(raster);
        if shader::upward(&self.passes, buffer) { picture.upward() } else { picture }
    }

    /// The pictures to take after launches, each with the index of its buffer, in the order of launches.
    pub(super) fn all_frames(&self) -> Peekable<vec::IntoIter<(Frame, usize)>> {
        let buffers = self.buffers.iter().enumerate();
        let buffers = buffers.filter(|(_, buffer)| buffer.pictures.of_each_launch());
        let mut frames: Vec<(Frame, usize)> =
            buffers.flat_map(|(n, _)| self.frames(n).into_iter().map(move |of| (of, n))).collect();
        frames.sort_by_key(|(of, n)| (of.launch, *n));
        frames.into_iter().peekable()
    }

    /// The picture files of a buffer, each with its key and its picture or frames: with the pictures of later buffers
    /// of the same file beside it. Empty if the file is that of an earlier buffer.
    pub(super) fn picture_files(
        &self,
        n: usize,
        result: &JobResult,
    ) -> Result<Vec<PictureFile>, JobError> {
        let frames = |file: FileOf| -> Vec<Picture> {
            let beside = self.beside(n, file);
            let frame = |at: usize| {
                let frames = beside.iter().map(|&other| result.frames[other][at].clone());
                Picture::beside(&frames.collect::<Vec<_>>())
            };
            (0..result.frames[n].len()).map(frame).collect()
        };
        let first = |file: FileOf| {
            let path = file(&self.buffers[n].pictures);
            path.filter(|_| self.beside(n, file).first() == Some(&n))
        };
        let mut files = Vec::new();
        if let Some(path) = first(IMAGE) {
            if numbered(path, 0).is_some() {
                for (at, frame) in frames(IMAGE).into_iter().enumerate() {
                    let path = numbered(path, at as u64);
                    files.extend(path.map(|path| ("image", path, vec![frame])));
                }
            } else {
                let mut all = Vec::new();
                for other in self.beside(n, IMAGE) {
                    let buffer = &self.buffers[other];
                    let raster = result
                        .raster(other)
                        .map_err(|e| self.error_at(&buffer.location, "image", e))?;
                    all.push(self.picture(other, &raster));
                }
                files.push(("image", path.clone(), vec![Picture::beside(&all)]));
            }
        }
        if let Some(path) = first(ANIMATION) {
            files.push(("animation", path.clone(), frames(ANIMATION)));
        }
        Ok(files)
    }

    /// For each buffer, whether a launch may write what its name has at the end. At an address of its own a buffer may
    /// share its place with another one.
    pub fn written(&self) -> Vec<bool> {
        // Outputs stay bound for later passes.
        let slots = self.passes.iter().fold(0, |slots, pass| slots | pass.program.uses().outputs);
        let mut swaps = vec![Vec::new(); self.buffers.len()];
        let mut names = Vec::new();
        for pass in &self.passes {
            if let Some((a, b)) = pass.swap {
                swaps[a].push(b);
                swaps[b].push(a);
            }
            let outputs = pass.outputs.iter().filter(|output| slots >> output.0 & 1 != 0);
            names.extend(outputs.map(|output| output.1));
            let condition = pass.condition.iter().filter(|of| of.write);
            names.extend(condition.filter_map(|of| of.buffer));
        }
        let mut written = vec![false; self.buffers.len()];
        while let Some(name) = names.pop() {
            if !std::mem::replace(&mut written[name], true) {
                names.extend(&swaps[name]);
            }
        }
        for (written, buffer) in written.iter_mut().zip(&self.buffers) {
            *written |= buffer.address.is_some();
        }
        written
    }

    /// Refuses files of buffers that nothing fills: neither the job nor a launch.
    pub(super) fn check_saves(&self) -> Result<(), JobError> {
        for (buffer, written) in self.buffers.iter().zip(self.written()) {
            let Pictures { image, animation, .. } = &buffer.pictures;
            let files = [("save", &buffer.save), ("image", image), ("animation", animation)];
            let key = files.into_iter().find_map(|(key, file)| file.as_ref().map(|_| key));
            if let Some(key) = key.filter(|_| matches!(buffer.content, Content::Zero) && !written) {
                let text = "no launch writes it, so there is nothing to save";
                return Err(self.error_at(&buffer.location, key, text));
            }
        }
        Ok(())
    }

    /// Refuses pictures that take too much memory, and side by side those of different numbers.
    pub(super) fn check_pictures(&self) -> Result<(), JobError> {
        let mut all = 0u64;
        for (n, buffer) in self.buffers.iter().enumerate() {
            let Pictures { scale, image, .. } = &buffer.pictures;
            let key = if image.is_some() { "image" } else { "animation" };
            let fail = |problem: String| Err(self.error_at(&buffer.location, key, problem));
            let each = buffer.pictures.of_each_launch();
            let taken = if each { self.frames(n) } else { Vec::new() };
            let frames = if each { taken.len() as u64 } else { 1 };
            let form = |place: usize| {
                let Buffer { width, height, format, .. } = self.buffers[place];
                (width, height, format.channels() == 1)
            };
            if frames == 0 {
                let swaps = self.passes.iter().filter_map(|pass| pass.swap);
                let other = swaps
                    .filter_map(|(a, b)| [(a, b), (b, a)].into_iter().find(|pair| pair.0 == n))
                    .find(|&(_, other)| !self.frames(other).is_empty());
                return fail(match other {
                    Some((_, other)) => {
                        let name = &self.buffers[other].name;
                        format!("after `swap` the launches write `{name}`: put `{key}` there")
                    }
                    None => "no launch writes it, so it has no pictures".to_string(),
                });
            }
            if taken.iter().any(|frame| form(frame.place) != form(taken[0].place)) {
                return fail("its pictures differ in size or kind: it changes places".to_string());
            }
            if frames > MOST_FRAMES {
                return fail(format!("more than {MOST_FRAMES} launches write it, each a picture"));
            }
            if each || *scale > 1 {
                let pixels = u64::from(buffer.width) * u64::from(buffer.height);
                all = all.saturating_add(3 * pixels * u64::from(scale * scale) * frames);
            }
            if all > MOST_BYTES {
                let (all, most) = (all >> 20, MOST_BYTES >> 20);
                return fail(format!("the pictures of the job take {all} MiB, at most {most}"));
            }
            for file in [IMAGE, ANIMATION] {
                if !each || file(&buffer.pictures).is_none() {
                    continue;
                }
                for other in self.beside(n, file) {
                    let others = self.frames(other).len();
                    if others as u64 != frames {
                        let name = &self.buffers[other].name;
                        return fail(format!(
                            "it has {frames} pictures, and {name} beside it has {others}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Buffer {
    /// The files of its pictures, each with its key; `frames` is the number of launches that write it.
    pub(super) fn files_of_pictures(
        &self,
        frames: impl Fn() -> u64,
    ) -> Vec<(&'static str, PathBuf)> {
        let Pictures { image, animation, .. } = &self.pictures;
        let images = image.iter().flat_map(|image| match numbered(image, 0) {
            None => vec![image.clone()],
            Some(_) => (0..frames()).filter_map(|n| numbered(image, n)).collect(),
        });
        let images = images.map(|file| ("image", file));
        images.chain(animation.iter().map(|file| ("animation", file.clone()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_replace_a_place_in_the_name() {
        let of =
            |path: &str, n| numbered(Path::new(path), n).map(|path| path.display().to_string());
        assert_eq!(of("a%d/life-%d.png", 12).as_deref(), Some("a%d/life-12.png"));
        assert_eq!(of("life%03d.png", 7).as_deref(), Some("life007.png"));
        assert_eq!(of("life%03d.png", 1234).as_deref(), Some("life1234.png"));
        for plain in ["life.png", "100%.png", "a%3d.png", "a%s.png", "a%0xd.png", "%099d.png"] {
            assert_eq!(of(plain, 1), None, "{plain}");
        }
    }
}
