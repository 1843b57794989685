//! The surfaces of a job: `[[input]]`, `[[output]]`, `[condition]`, `[[buffer]]`.

use super::error::{JobError, in_file};
use super::loader::Loader;
use super::node::Node;
use super::shared::{Form, Units};
use super::{Buffer, Content, Pass, Pictures, Role};
use crate::array::{self, Array, Dtype, Raster, WrongArray, npy, png};
use ctm_machine::memory::surface::{MAX_SIZE, default_pitch};
use ctm_machine::memory::{
    ALIGNMENT, ArenaSizes, Format, MemoryError, Surface, Tiling, Wrap, translate,
};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

pub const INPUT_KEYS: &str =
    "slot name file fill width height format tiling pitch address wrap filter";
pub const OUTPUT_KEYS: &str = "slot name format tiling width height pitch address mask initial save image animation fps scale range";
pub const CONDITION_KEYS: &str =
    "test location value format tiling file fill width height pitch address write save";
pub const BUFFER_KEYS: &str = "name file fill format tiling width height pitch address wrap filter save image animation fps scale range";

/// Largest width and height: row and column numbers have 12 bits \[G 5-6\], so anything beyond
/// would wrap around to the beginning. A pitch may be larger.
pub(super) const MAX_EXTENT: u32 = translate::COORDINATE + 1;

impl Buffer {
    /// Reads a surface's table, whose keys have been checked. `size` is the width and height to use
    /// where the file gives none.
    pub(super) fn read(
        loader: &Loader<'_>,
        table: &Node<'_>,
        role: Role,
        name: String,
        size: Option<(u32, u32)>,
    ) -> Result<Buffer, JobError> {
        let format = table.need("format")?.choice(&Format::ALL, Format::name)?;
        let tilings = match role {
            Role::Input(_) | Role::Named => &Tiling::ALL[..],
            // Excludes the tilings for 2x2 fetches.
            Role::Output(_) | Role::Condition => &Tiling::ALL[..2],
        };
        let tiling = table.read("tiling", |node| node.choice(tilings, Tiling::name))?;
        let tiling = tiling.unwrap_or(Tiling::Linear);
        if matches!(role, Role::Input(_)) {
            check_2x2(tiling, format).map_err(|p| table.error_at("tiling", p))?;
        }
        let given = |key, max| table.read(key, |node| node.unsigned(1, max));
        let (width, height) = (given("width", MAX_EXTENT)?, given("height", MAX_EXTENT)?);
        // An output keeps its default size even with a file; any other surface takes the size of
        // its file.
        let (file_key, keeps_size) = match role {
            Role::Output(_) => ("initial", true),
            _ => ("file", false),
        };
        let (file, fill) = (table.get(file_key), table.get("fill"));
        let size = size.filter(|_| keeps_size || file.is_none());
        let (width, height) = (width.or(size.map(|s| s.0)), height.or(size.map(|s| s.1)));
        let mut of_picture = false;
        let (content, width, height) = if let Some(file) = file {
            if let Some(fill) = fill {
                return Err(fill.conflict("file"));
            }
            let (units, width, height) = loader.units(&file, (format, width, height))?;
            of_picture = loader.is_picture(&file)?;
            (Content::Array(units), width, height)
        } else {
            let content = match fill {
                Some(fill) => Content::Fill(fill_units(&fill, format)?),
                None if matches!(role, Role::Input(_)) => {
                    return Err(
                        table.missing("file", " unless `fill`, `width` and `height` are given")
                    );
                }
                None => Content::Zero,
            };
            let context = " where no file gives it";
            let width = width.ok_or_else(|| table.missing("width", context))?;
            (content, width, height.ok_or_else(|| table.missing("height", context))?)
        };
        let mut surface = Surface::new(0, 0, height, tiling, format);
        surface.pitch =
            given("pitch", MAX_SIZE)?.unwrap_or_else(|| default_pitch(tiling, format, width));
        let bytes = surface.byte_size(surface.pitch.max(width), height);
        Ok(Buffer {
            name,
            role,
            format,
            tiling,
            width,
            height,
            pitch: surface.pitch,
            address: table.read("address", |node| address(&node, bytes))?,
            wrap: table.read("wrap", |n| n.choice(&Wrap::ALL, Wrap::name))?.unwrap_or(Wrap::Clamp),
            content,
            of_picture,
            save: table.read("save", |node| loader.path(&node))?,
            pictures: Pictures::read(loader, table)?,
            location: table.location(&["address", "save", "image", "animation"]),
        })
    }

    /// The surface at a byte address.
    pub fn surface(&self, base: u32) -> Surface {
        Surface {
            width: self.width,
            wrap: self.wrap,
            ..Surface::new(base, self.pitch, self.height, self.tiling, self.format)
        }
    }

    /// The bytes it needs from its address on, including those for writes between the width and the
    /// pitch.
    pub fn bytes(&self) -> u64 {
        self.surface(0).byte_size(self.pitch.max(self.width), self.height)
    }

    /// The warning about its pitch, if any.
    pub(super) fn warning(&self) -> Option<String> {
        if let Some(text) = self.surface(0).pitch_warning() {
            return Some(format!("{}: {text}", self.name));
        }
        (self.pitch < self.width).then(|| {
            format!(
                "{}: pitch {} is less than the width {}: rows overlap",
                self.name, self.pitch, self.width
            )
        })
    }

    /// A warning if points of a pass write this output between its width and its pitch. For the
    /// machine, which knows only the pitch, that is not a fault, but those values are never read
    /// back.
    pub(super) fn beyond_width(&self, pass: &Pass, slot: u32) -> Option<String> {
        let last = pass.domain.i1;
        let written = pass.program.uses().outputs >> slot & 1 != 0 && !pass.program.umrt();
        let unseen = written && !pass.domain.is_empty() && last >= self.width && last < self.pitch;
        unseen.then(|| {
            format!(
                "{}: the domain ends with column {last}, the width is {}: what it writes beyond \
                 lies in the padding of the pitch, {}, and is not saved",
                self.name, self.width, self.pitch
            )
        })
    }
}

/// Refuses 2x2 fetches of several channels.
pub fn check_2x2(tiling: Tiling, format: Format) -> Result<(), MemoryError> {
    Surface::new(0, 4, 1, tiling, format).validate_input()
}

fn address(node: &Node<'_>, bytes: u64) -> Result<u32, JobError> {
    let address = node.unsigned(0, u32::MAX)?;
    let size = ArenaSizes::default().gpu;
    let problem = if !address.is_multiple_of(ALIGNMENT) {
        format!("0x{address:x} is not a multiple of {ALIGNMENT}")
    } else if u64::from(address) + bytes > size {
        format!(
            "0x{address:x} and {bytes} bytes from there do not fit the GPU arena of {size} bytes"
        )
    } else {
        return Ok(address);
    };
    Err(node.error(problem))
}

/// The stored units of `fill`: one per channel, or always four, or a bare number for a format of
/// one channel.
fn fill_units(node: &Node<'_>, format: Format) -> Result<[u32; 4], JobError> {
    let channels = format.channels() as usize;
    let values = if node.is_array() { node.array()? } else { vec![node.clone()] };
    if values.len() != channels && values.len() != 4 {
        return Err(node.wrong_count(values.len(), &format!("{channels} for {format}")));
    }
    let mut units = [0; 4];
    for (unit, value) in units.iter_mut().zip(&values) {
        *unit = if format.is_float() {
            value.float_bits()?
        } else {
            value.unsigned(0, format.max_unit())?
        };
    }
    Ok(units)
}

impl Loader<'_> {
    /// Reads the array in a file.
    pub(super) fn array(&self, node: &Node<'_>) -> Result<(PathBuf, Array), JobError> {
        let (path, bytes) = self.read(node, npy::MAX_FILE)?;
        let array = npy::parse(&bytes).map_err(|error| node.error(in_file(&path, error)))?;
        Ok((path, array))
    }

    /// Reads the array or the picture in a file as a raster.
    pub(super) fn raster(&self, node: &Node<'_>, form: Form) -> Result<Raster, JobError> {
        let (path, bytes) = self.read(node, npy::MAX_FILE)?;
        let fail = |error: &dyn Display| node.error(in_file(&path, error));
        let fitting = if png::is_png(&bytes) {
            let raster = png::read(&bytes, form.0).map_err(|error| fail(&error))?;
            let found = format!("a picture of {} x {}", raster.width, raster.height);
            fitting(raster, form, found)
        } else {
            into_raster(npy::parse_no_picture(&bytes).map_err(|error| fail(&error))?, form)
        };
        fitting.map_err(|error| fail(&error))
    }

    /// Whether a file is a picture; only one that is named so is read for this.
    fn is_picture(&self, node: &Node<'_>) -> Result<bool, JobError> {
        let path = self.path(node)?;
        let named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        Ok(named && png::is_png(&self.read(node, npy::MAX_FILE)?.1))
    }

    /// Reads the array of a surface: its units, width and height.
    fn units(&self, node: &Node<'_>, form: Form) -> Result<Units, JobError> {
        self.shared.array(&self.path(node)?, Some(form), || {
            let raster = self.raster(node, form)?;
            Ok((Arc::new(raster.units), raster.width, raster.height))
        })
    }

    /// Reads the values of float constants: an array of shape (n, 4), with n at most `max`.
    pub(super) fn float_rows(&self, node: &Node<'_>, max: usize) -> Result<Units, JobError> {
        self.shared.array(&self.path(node)?, None, || {
            let (path, array) = self.array(node)?;
            match array.shape[..] {
                [n, 4] if n <= max && array.dtype == Dtype::Float32 => {
                    Ok((Arc::new(array.units), 4, n as u32))
                }
                _ => {
                    let found = array.describe();
                    let needed = format!("float32 (n, 4) with n from 0 to {max}");
                    Err(node.error(in_file(&path, WrongArray { found, needed })))
                }
            }
        })
    }
}

/// Converts an array to a raster of a format; the width and height must match if they are given.
pub(super) fn into_raster(
    array: Array,
    (format, width, height): Form,
) -> Result<Raster, WrongArray> {
    let found = array.describe();
    fitting(array.into_raster(format)?, (format, width, height), found)
}

/// The raster, if its width and height match those that are given; `found` describes it.
fn fitting(
    raster: Raster,
    (format, width, height): Form,
    found: String,
) -> Result<Raster, WrongArray> {
    let fits = |want: Option<u32>, n| want.is_none_or(|w| w == n) && (1..=MAX_EXTENT).contains(&n);
    if fits(width, raster.width) && fits(height, raster.height) {
        return Ok(raster);
    }
    let size = |want: Option<u32>| want.map_or(format!("1 to {MAX_EXTENT}"), |w| w.to_string());
    Err(WrongArray {
        found,
        needed: format!(
            "{} with height {} and width {}",
            array::needed(format),
            size(height),
            size(width)
        ),
    })
}
