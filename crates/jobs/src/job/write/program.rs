//! A program with its data as a job in the short form, to edit.

use super::{
    Text, channels, constant, domain, file_name, float, key_of, list, one_or_list, quoted,
};
use crate::array::{Raster, npy};
use crate::job::sample::{Plane, Sample, bits};
use crate::job::shader::{current, plane};
use crate::job::{Content, Job, Role};
use crate::load::Loaded;
use ctm_lang::program::interface::{Kind, Uniform};
use ctm_lang::program::{ConstantKind, Image, NameKind};
use std::io;

/// The files of a job of a program, as [`Job::of_program`] makes it of a sample: `job.toml` and the arrays
/// of its inputs. `name` is the file of the program in the same folder.
///
/// # Errors
/// An array's shape does not fit its contents.
pub fn files(
    job: &Job,
    sample: &Sample,
    loaded: &Loaded,
    name: &str,
) -> io::Result<Vec<(String, Vec<u8>)>> {
    let pass = &job.passes[0];
    let (program, image) = (&pass.program, pass.program.image());
    let mut arrays = Vec::new();
    let mut text = Text::new(format_args!("{name}, {}", job.about));
    text.table("[program]").text("file", name);
    if loaded.programs > 1 {
        text.key("index", loaded.index);
    }
    if !loaded.kind.has_container() {
        text.registers("[program.registers]", program);
    }
    text.block("[domain]", domain(&pass.domain));
    let uniforms = image.interface.iter().flat_map(|shader| &shader.uniforms).enumerate();
    let uniforms = uniforms
        .filter(|(_, uniform)| uniform.used)
        .map(|(n, one)| (key_of(&one.name), uniform_value(one, &current(pass, n))));
    text.block("[uniforms]", uniforms.collect());
    // What a shader's constants hold is made of its uniforms.
    for kind in ConstantKind::ALL.into_iter().filter(|_| image.interface.is_none()) {
        let keys = program.uses().constants(kind).into_iter().map(|n| {
            let key = name_of(image, kind.into(), n).map_or_else(|| n.to_string(), key_of);
            (key, constant(&pass.constants, kind, n))
        });
        text.block(&format!("[constants.{kind}]"), keys.collect());
    }
    for buffer in &job.buffers {
        match buffer.role {
            Role::Input(slot) => {
                let file = file_name(image, NameKind::Input, slot, "npy");
                text.block("[[input]]", vec![register(image, NameKind::Input, slot)])
                    .text("format", buffer.format)
                    .text("file", &file)
                    .text("wrap", buffer.wrap);
                if let Content::Array(units) = &buffer.content {
                    let (format, width, height) = (buffer.format, buffer.width, buffer.height);
                    let raster = Raster { format, width, height, units: units.to_vec() };
                    let mut bytes = Vec::new();
                    npy::write(&raster.into_array(), &mut bytes)?;
                    arrays.push((file, bytes));
                }
            }
            Role::Output(slot) => {
                // What a kernel reads and writes has one name: its input stays as it is.
                let mut file = file_name(image, NameKind::Output, slot, "npy");
                if arrays.iter().any(|(input, _)| *input == file) {
                    file.insert_str(0, "new_");
                }
                text.block("[[output]]", vec![register(image, NameKind::Output, slot)])
                    .text("format", buffer.format)
                    .text("save", file);
            }
            Role::Condition | Role::Named => {}
        }
    }
    for (register, plane) in planes(job, sample) {
        text.block("[[initial]]", vec![register]).key("plane", list(bits(&plane).map(channels)));
    }
    arrays.insert(0, ("job.toml".to_string(), text.0.into_bytes()));
    Ok(arrays)
}

/// The temporaries with initial data: the key that names each, and its plane.
fn planes(job: &Job, sample: &Sample) -> Vec<((&'static str, String), Plane)> {
    let pass = &job.passes[0];
    let image = pass.program.image();
    let Some(shader) = &image.interface else {
        let temps = pass.initial.iter().map(|initial| u32::from(initial.temp));
        let temp = |temp| (register(image, NameKind::Temp, temp), sample.varying(temp));
        return temps.map(temp).collect();
    };
    let (width, height) = (pass.domain.width() as f32, pass.domain.height() as f32);
    let varyings = shader.varyings.iter().filter(|varying| varying.temp.is_some());
    let planes = varyings.filter_map(|varying| {
        let plane = plane(varying, width, height)?;
        let parts = [0, 1, 2].map(|part| plane.map(|component| component[part]));
        Some((("name", quoted(&varying.name)), parts))
    });
    planes.collect()
}

/// The key that names a register: its name, or its number.
fn register(image: &Image, kind: NameKind, n: u32) -> (&'static str, String) {
    let number = if kind == NameKind::Temp { "temp" } else { "slot" };
    name_of(image, kind, n).map_or_else(|| (number, n.to_string()), |name| ("name", quoted(name)))
}

/// The name of a register, if a job finds the register by it.
fn name_of(image: &Image, kind: NameKind, number: u32) -> Option<&str> {
    let found = |name: &&str| image.register(&[kind], name).is_ok_and(|found| found.1 == number);
    image.name_of(kind, number).filter(found)
}

/// A uniform's value: a number, a list, or the list of a matrix's columns.
fn uniform_value(uniform: &Uniform, bits: &[u32]) -> String {
    let number = |bits: &u32| match uniform.kind {
        Kind::Float => float(*bits),
        Kind::Int | Kind::Bool => f32::from_bits(*bits).to_string(),
    };
    let columns = bits.chunks(uniform.rows.max(1));
    one_or_list(columns.map(|column| one_or_list(column.iter().map(number))))
}
