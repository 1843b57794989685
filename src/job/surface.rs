//! The surfaces of a job: `[[input]]`, `[[output]]`, `[condition]`, `[[buffer]]`.

use super::error::{JobError, Problem};
use super::parse::Loader;
use super::shared::{Form, Units};
use super::table::{Node, Table};
use super::{Buffer, Content, Pass, Role};
use crate::array::{self, Array, Dtype, Raster, WrongArray, npy};
use crate::memory::surface::{MAX_SIZE, default_pitch};
use crate::memory::{ALIGNMENT, ArenaSizes, Format, Surface, Tiling, Wrap, translate};
use std::sync::Arc;

pub const INPUT_KEYS: &[&str] =
    &["slot", "file", "fill", "width", "height", "format", "tiling", "pitch", "address", "wrap"];
pub const OUTPUT_KEYS: &[&str] = &[
    "slot", "format", "tiling", "width", "height", "pitch", "address", "mask", "initial", "save",
    "image",
];
pub const CONDITION_KEYS: &[&str] = &[
    "test", "location", "value", "format", "tiling", "file", "fill", "width", "height", "pitch",
    "address", "write", "save",
];
pub const BUFFER_KEYS: &[&str] = &[
    "name", "file", "fill", "format", "tiling", "width", "height", "pitch", "address", "wrap",
    "save", "image",
];

/// Largest width and height: row and column numbers have 12 bits \[G 5-6\], so anything beyond
/// would wrap around to the beginning. A pitch may be larger.
const MAX_EXTENT: u32 = translate::COORDINATE + 1;

impl Buffer {
    /// Reads a surface's table, whose keys have been checked. `size` is the width and height to use
    /// where the file gives none.
    pub(super) fn read(
        loader: &Loader<'_>,
        table: &Table<'_>,
        role: Role,
        name: String,
        size: Option<(u32, u32)>,
    ) -> Result<Buffer, JobError> {
        let format =
            table.need("format")?.choice(&Format::ALL.map(|format| (format.name(), format)))?;
        let all = Tiling::ALL.map(|tiling| (tiling.name(), tiling));
        let tilings = match role {
            Role::Input(_) | Role::Named => &all[..],
            // Excludes the tilings for 2x2 fetches.
            Role::Output(_) | Role::Condition => &all[..2],
        };
        let tiling = match table.get("tiling") {
            Some(node) => node.choice(tilings)?,
            None => Tiling::Linear,
        };
        if matches!(role, Role::Input(_)) {
            check_2x2(tiling, format).map_err(|p| table.error_at("tiling", p))?;
        }
        let given = |key, max| -> Result<Option<u32>, JobError> {
            table.get(key).map(|node| node.unsigned(1, max)).transpose()
        };
        let (width, height) = (given("width", MAX_EXTENT)?, given("height", MAX_EXTENT)?);
        let file_key = match role {
            Role::Output(_) => "initial",
            _ => "file",
        };
        let file = table.get(file_key);
        let fill = table.get("fill");
        let (content, width, height) = match (&file, &fill) {
            (Some(_), Some(fill)) => {
                return Err(fill.error(Problem::Conflict { other: "file" }));
            }
            (Some(file), None) => {
                // An output keeps its default size even with a file; any other surface takes the
                // size of its file.
                let defaults = match role {
                    Role::Output(_) => size,
                    _ => None,
                };
                let width = width.or(defaults.map(|s| s.0));
                let height = height.or(defaults.map(|s| s.1));
                let (units, width, height) = loader.units(file, (format, width, height))?;
                (Content::Array(units), width, height)
            }
            (None, fill) => {
                let content = match fill {
                    Some(fill) => Content::Fill(fill_units(fill, format)?),
                    None if matches!(role, Role::Input(_)) => {
                        return Err(table.error(
                            "file",
                            Problem::Missing {
                                context: " unless `fill`, `width` and `height` are given",
                            },
                        ));
                    }
                    None => Content::Zero,
                };
                let missing =
                    |key| table.error(key, Problem::Missing { context: " where no file gives it" });
                let width = width.or(size.map(|s| s.0));
                let height = height.or(size.map(|s| s.1));
                (
                    content,
                    width.ok_or_else(|| missing("width"))?,
                    height.ok_or_else(|| missing("height"))?,
                )
            }
        };
        let mut surface = Surface::new(0, 0, height, tiling, format);
        surface.pitch = match given("pitch", MAX_SIZE)? {
            Some(pitch) => pitch,
            None => default_pitch(tiling, format, width),
        };
        let bytes = surface.byte_size(surface.pitch.max(width), height);
        let address = table.get("address").map(|node| address(&node, bytes)).transpose()?;
        let wrap = match table.get("wrap") {
            Some(node) => node.choice(&Wrap::ALL.map(|wrap| (wrap.name(), wrap)))?,
            None => Wrap::Clamp,
        };
        Ok(Buffer {
            name,
            role,
            format,
            tiling,
            width,
            height,
            pitch: surface.pitch,
            address,
            wrap,
            content,
            save: loader.path(table.get("save"))?,
            image: loader.path(table.get("image"))?,
            place: table.place(),
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

    /// Warnings about it.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(text) = self.surface(0).pitch_warning() {
            warnings.push(format!("{}: {text}", self.name));
        } else if self.pitch < self.width {
            warnings.push(format!(
                "{}: pitch {} is less than the width {}: rows overlap",
                self.name, self.pitch, self.width
            ));
        }
        warnings
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
pub fn check_2x2(tiling: Tiling, format: Format) -> Result<(), Problem> {
    Surface::new(0, 4, 1, tiling, format).validate_input()?;
    Ok(())
}

fn address(node: &Node<'_>, bytes: u64) -> Result<u32, JobError> {
    let address = node.unsigned(0, u32::MAX)?;
    let size = ArenaSizes::default().gpu;
    if !address.is_multiple_of(ALIGNMENT) {
        let address = address.into();
        return Err(node.error(Problem::Alignment { address }));
    }
    if u64::from(address) + bytes > size {
        return Err(node.error(Problem::Beyond { address: address.into(), bytes, size }));
    }
    Ok(address)
}

/// The stored units of `fill`: one per channel, or always four, or a bare number for a format of
/// one channel.
fn fill_units(node: &Node<'_>, format: Format) -> Result<[u32; 4], JobError> {
    let channels = format.channels() as usize;
    let values = if node.is_array() {
        node.array()?
    } else if channels == 1 {
        vec![node.clone()]
    } else {
        return Err(
            node.error(Problem::Count { found: 1, needed: format!("{channels} for {format}") })
        );
    };
    if values.len() != channels && values.len() != 4 {
        return Err(node.error(Problem::Count {
            found: values.len(),
            needed: format!("{channels} for {format}"),
        }));
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
    fn array(&self, node: &Node<'_>) -> Result<(std::path::PathBuf, Array), JobError> {
        let (path, bytes) = self.read(node, npy::MAX_FILE)?;
        match npy::parse(&bytes) {
            Ok(array) => Ok((path, array)),
            Err(error) => Err(node.error(Problem::Npy { path, error })),
        }
    }

    /// Reads the array in a file as a raster; the width and height must match if they are given.
    pub(super) fn raster(
        &self,
        node: &Node<'_>,
        format: Format,
        width: Option<u32>,
        height: Option<u32>,
    ) -> Result<Raster, JobError> {
        let (path, array) = self.array(node)?;
        into_raster(array, format, width, height)
            .map_err(|error| node.error(Problem::Array { path, error }))
    }

    /// Reads the array of a surface: its units, width and height.
    fn units(&self, node: &Node<'_>, form: Form) -> Result<Units, JobError> {
        let path = self.path_of(node)?;
        if let Some(known) = self.shared.surface(&path, form) {
            return Ok(known);
        }
        let (format, width, height) = form;
        let raster = self.raster(node, format, width, height)?;
        let units = (Arc::new(raster.units), raster.width, raster.height);
        self.shared.keep_surface(&path, form, &units);
        Ok(units)
    }

    /// Reads the values of float constants: an array of shape (n, 4), with n at most `max`.
    pub(super) fn float_rows(&self, node: &Node<'_>, max: usize) -> Result<Arc<Array>, JobError> {
        let path = self.path_of(node)?;
        if let Some(known) = self.shared.constants(&path) {
            return Ok(known);
        }
        let (path, array) = self.array(node)?;
        match array.shape[..] {
            [n, 4] if n <= max && array.dtype == Dtype::Float32 => {
                let array = Arc::new(array);
                self.shared.keep_constants(&path, &array);
                Ok(array)
            }
            _ => {
                let error = WrongArray {
                    found: array.describe(),
                    needed: format!("float32 (n, 4) with n from 0 to {max}"),
                };
                Err(node.error(Problem::Array { path, error }))
            }
        }
    }
}

/// Converts an array to a raster of a format; the width and height must match if they are given.
pub(super) fn into_raster(
    array: Array,
    format: Format,
    width: Option<u32>,
    height: Option<u32>,
) -> Result<Raster, WrongArray> {
    let found = array.describe();
    let raster = array.into_raster(format)?;
    let fits = |want: Option<u32>, found: u32| want.is_none_or(|w| w == found);
    let possible = |n: u32| (1..=MAX_EXTENT).contains(&n);
    if fits(width, raster.width)
        && fits(height, raster.height)
        && possible(raster.width)
        && possible(raster.height)
    {
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
