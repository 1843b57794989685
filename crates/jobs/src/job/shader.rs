//! Shaders in jobs: values by the names of the source.
//!
//! The compiler says where the program expects its numbers ([`Interface`]); this module puts those of the job there.

use super::error::JobError;
use super::node::Node;
use super::{Buffer, Pass};
use ctm_isa::float;
use ctm_lang::program::interface::{INVOCATION, Interface, Kind, Scalar, Uniform, Varying, Width};
use ctm_lang::program::{ConstantKind, Image, NameKind, Program};
use ctm_machine::launch::{Constants, Domain, Given, Initial};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The values of uniforms, as bits: by the index of the uniform, column by column.
#[derive(Default)]
pub struct Uniforms(HashMap<usize, Vec<u32>>);

impl Uniforms {
    /// Reads `uniforms` of a job or a pass. Returns notes on uniforms that the program does not use.
    pub fn read(table: &Node<'_>, image: &Image) -> Result<(Uniforms, Vec<String>), JobError> {
        let mut uniforms = Uniforms::default();
        let mut notes = Vec::new();
        let given = table.keyed("uniforms")?;
        let Some(interface) = &image.interface else {
            return match table.get("uniforms") {
                Some(node) => {
                    Err(node.error("the program is not a shader: its constants are in [constants]"))
                }
                None => Ok((uniforms, notes)),
            };
        };
        for (name, value) in given {
            uniforms.assign(interface, name, &value, &mut notes)?;
        }
        Ok((uniforms, notes))
    }

    /// Gives a uniform, all elements of an array, or members of a structure their values.
    fn assign(
        &mut self,
        interface: &Interface,
        name: &str,
        value: &Node<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(), JobError> {
        if let Some(n) = interface.uniforms.iter().position(|uniform| uniform.name == name) {
            let uniform = &interface.uniforms[n];
            if !uniform.used {
                notes.push(unused_uniform(name));
            }
            if self.0.insert(n, numbers(uniform, value)?).is_some() {
                return Err(value.error(format!("the uniform `{name}` is given twice")));
            }
            return Ok(());
        }
        let within = |open: &str| {
            interface
                .uniforms
                .iter()
                .any(|uniform| uniform.name.starts_with(&format!("{name}{open}")))
        };
        if within("[0]") {
            let elements = value.array()?;
            let element = |n: usize| format!("{name}[{n}]");
            let is = |name: &str| {
                let of = |uniform: &Uniform| {
                    uniform.name == name
                        || uniform.name.starts_with(&format!("{name}."))
                        || uniform.name.starts_with(&format!("{name}["))
                };
                interface.uniforms.iter().any(of)
            };
            let count = (0..).take_while(|n| is(&element(*n))).count();
            if elements.len() != count {
                return Err(value
                    .wrong_count(elements.len(), &format!("{count}, the elements of `{name}`")));
            }
            for (n, value) in elements.iter().enumerate() {
                self.assign(interface, &element(n), value, notes)?;
            }
            return Ok(());
        }
        if within(".") {
            for (member, value) in value.members()? {
                self.assign(interface, &format!("{name}.{member}"), &value, notes)?;
            }
            return Ok(());
        }
        if interface.samplers.iter().any(|sampler| sampler.name == name) {
            return Err(value.error(format!(
                "`{name}` is a sampler: it takes an [[input]] with name = \"{name}\""
            )));
        }
        let known = names(interface);
        Err(value.error(format!("the shader has no uniform `{name}`; {known}")))
    }

    /// Sets a uniform.
    pub fn set(&mut self, n: usize, bits: Vec<u32>) {
        self.0.insert(n, bits);
    }

    /// The numbers of a uniform, as bits.
    fn value<'a>(&'a self, interface: &'a Interface, n: usize) -> Option<&'a Vec<u32>> {
        self.0.get(&n).or(interface.uniforms[n].default.as_ref())
    }

    /// Fills in what a pass gets from the names of its shader: see [`Uniforms::fill`].
    pub fn complete(&self, pass: &mut Pass, buffers: &[Buffer]) -> Vec<String> {
        let Pass { program, domain, inputs, outputs, constants, initial, .. } = pass;
        let size = |scalar| size(inputs, outputs, buffers, scalar);
        self.fill(program, domain, &size, Arc::make_mut(constants), initial)
    }

    /// Fills in what a launch gets from the names of its shader: constants, and the varyings that have no data yet.
    /// `size` gives the bits of the width or height of an input or output. Returns notes on what has no value.
    pub fn fill(
        &self,
        program: &Program,
        domain: &Domain,
        size: &dyn Fn(Scalar) -> u32,
        constants: &mut Constants,
        initial: &mut Vec<Initial>,
    ) -> Vec<String> {
        let image = program.image();
        let Some(interface) = &image.interface else { return Vec::new() };
        let mut notes = Vec::new();
        let mut missing: Vec<&str> = Vec::new();
        let mut given: Given = constants.given.unwrap_or_default();
        let own =
            |addr: u32| interface.constants.iter().any(|constant| u32::from(constant.addr) == addr);
        for literal in
            image.literals.iter().filter(|one| one.kind == ConstantKind::Float && own(one.addr))
        {
            constants.float[literal.addr as usize] = literal.value;
        }
        for constant in &interface.constants {
            given.add(ConstantKind::Float, constant.addr.into());
            let bits = match constant.scalar {
                Scalar::Uniform(n, component) => {
                    let uniform = &interface.uniforms[n];
                    let value = self.value(interface, n);
                    if value.is_none() && !missing.contains(&uniform.name.as_str()) {
                        missing.push(&uniform.name);
                    }
                    value.map_or(0, |value| value[component])
                }
                Scalar::Size(..) | Scalar::OutputSize(..) => size(constant.scalar),
            };
            constants.float[constant.addr as usize][constant.channel as usize] = bits;
        }
        if constants.given.is_some() {
            constants.given = Some(given);
        }
        for Width { surface, counted } in &interface.widths {
            let counted = match counted {
                Ok(bits) => *bits,
                Err(Scalar::Uniform(n, component)) => {
                    self.value(interface, *n).map_or(0, |value| value[*component])
                }
                Err(other) => size(*other),
            };
            let width = size(*surface);
            if width != 0 && counted != width {
                let [width, counted] = [width, counted].map(f32::from_bits);
                let name = interface.name_of(*surface);
                notes.push(format!(
                    "the kernel counts rows of {counted} elements, and {name} is {width}: `id.y * {counted} + id.x` is taken \
                     for the point's own element all the same"
                ));
            }
        }
        if !missing.is_empty() {
            notes.push(format!("no value for the uniforms {}: they are 0", missing.join(", ")));
        }
        let mut zero: Vec<&str> = Vec::new();
        for varying in &interface.varyings {
            let Some(temp) = varying.temp else { continue };
            if initial.iter().any(|initial| initial.temp == temp) {
                continue;
            }
            let data = match varying.name.as_str() {
                INVOCATION => continue,
                "gl_FragCoord" => positions(domain),
                "gl_FrontFacing" => vec![[float::ONE, 0, 0, 0]; points(domain)],
                name => {
                    zero.push(name);
                    vec![[0; 4]; points(domain)]
                }
            };
            initial.push(Initial { temp, data: Arc::new(data) });
        }
        if !zero.is_empty() {
            notes.push(format!("no [[initial]] for the varyings {}: they are 0", zero.join(", ")));
        }
        notes
    }
}

/// A list of a shader's uniforms.
fn names(interface: &Interface) -> String {
    let known: Vec<&str> = interface.uniforms.iter().map(|uniform| uniform.name.as_str()).collect();
    match known.len() {
        0 => "it has none".to_string(),
        _ => format!("its uniforms are {}", known.join(", ")),
    }
}

/// The bits of the width or height of an input or output, 0 if there is none.
fn size(
    inputs: &[(u32, usize)],
    outputs: &[(u32, usize)],
    buffers: &[Buffer],
    scalar: Scalar,
) -> u32 {
    let (surfaces, own, axis) = match scalar {
        Scalar::Size(input, axis) => (inputs, input, axis),
        Scalar::OutputSize(output, axis) => (outputs, output, axis),
        Scalar::Uniform(..) => return 0,
    };
    let bound = surfaces.iter().find(|(slot, _)| *slot == u32::from(own));
    let buffer = bound.map(|(_, buffer)| &buffers[*buffer]);
    buffer.map_or(0, |buffer| ([buffer.width, buffer.height][axis as usize] as f32).to_bits())
}

/// Sets the constants of a shader that hold the sizes of its inputs and outputs.
pub fn sizes(pass: &mut Pass, buffers: &[Buffer]) {
    let Some(interface) = pass.program.image().interface.clone() else { return };
    let constants = Arc::make_mut(&mut pass.constants);
    for constant in &interface.constants {
        if !matches!(constant.scalar, Scalar::Uniform(..)) {
            constants.float[constant.addr as usize][constant.channel as usize] =
                size(&pass.inputs, &pass.outputs, buffers, constant.scalar);
        }
    }
}

/// The note on a uniform that is given and not used.
fn unused_uniform(name: &str) -> String {
    format!("the shader does not use its uniform `{name}`")
}

fn points(domain: &Domain) -> usize {
    domain.width() as usize * domain.height() as usize
}

/// The positions of points, as gl_FragCoord has them.
fn positions(domain: &Domain) -> Vec<[u32; 4]> {
    let [half, one] = [float::HALF, float::ONE];
    let at = |n: u32| (n as f32 + 0.5).to_bits();
    (domain.j0..=domain.j1)
        .flat_map(|j| (domain.i0..=domain.i1).map(move |i| [at(i), at(j), half, one]))
        .collect()
}

/// Gives a uniform of a shader its numbers, column by column, or all elements of an array of uniforms. Returns a note on a
/// uniform that the program does not use; `None` if the program is no shader.
///
/// # Errors
/// The shader has no such uniform. A value that is not one of the uniform's kind, or another count.
pub fn set(pass: &mut Pass, name: &str, values: &[&str]) -> Option<Result<Option<String>, String>> {
    let interface = pass.program.image().interface.clone()?;
    let element = |other: &str| {
        let rest = other.strip_prefix(name).and_then(|rest| rest.strip_prefix('['));
        rest.is_some_and(|rest| rest.ends_with(']') && rest.matches('[').count() == 0)
    };
    let uniforms: Vec<(usize, &Uniform)> = interface
        .uniforms
        .iter()
        .enumerate()
        .filter(|(_, uniform)| uniform.name == name || element(&uniform.name))
        .collect();
    let [(_, first), ..] = uniforms[..] else {
        let known = names(&interface);
        return Some(Err(format!("the shader has no uniform `{name}`; {known}")));
    };
    let size = first.columns * first.rows;
    let count = size * uniforms.len();
    if values.len() != count {
        return Some(Err(format!(
            "found {}, expected {count}, the numbers of `{name}`",
            values.len()
        )));
    }
    let mut bits = Vec::new();
    for value in values {
        match number(first.kind, value) {
            Ok(one) => bits.push(one),
            Err(error) => return Some(Err(error)),
        }
    }
    let constants = Arc::make_mut(&mut pass.constants);
    for constant in &interface.constants {
        if let Scalar::Uniform(n, component) = constant.scalar
            && let Some(at) = uniforms.iter().position(|(other, _)| *other == n)
            && let Some(bits) = bits.get(at * size + component)
        {
            constants.float[constant.addr as usize][constant.channel as usize] = *bits;
        }
    }
    let used = uniforms.iter().any(|(_, uniform)| uniform.used);
    Some(Ok((!used).then(|| unused_uniform(name))))
}

/// The bits of a number of a kind.
fn number(kind: Kind, text: &str) -> Result<u32, String> {
    match kind {
        Kind::Bool => match text {
            "true" | "1" => Ok(float::ONE),
            "false" | "0" => Ok(0),
            _ => Err(format!("{text} is not true or false")),
        },
        Kind::Int => {
            let most = Kind::LARGEST_INT;
            let value = text.parse::<i32>().ok().filter(|value| (-most..=most).contains(value));
            let value = value.ok_or_else(|| format!("{text} is not an integer up to {most}"))?;
            Ok((value as f32).to_bits())
        }
        Kind::Float => float_bits(text),
    }
}

/// The bits of a float: a number in the range of binary32, `inf`, `nan`, or the bits as `0x...`.
///
/// # Errors
/// The text is neither.
pub fn float_bits(text: &str) -> Result<u32, String> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).map_err(|_| format!("{text} is not a number"));
    }
    let value: f32 = text.parse().map_err(|_| format!("{text} is not a number"))?;
    if value.is_infinite() && text.contains(|letter: char| letter.is_ascii_digit()) {
        return Err(format!("{text} is not in the range of binary32"));
    }
    Ok(value.to_bits())
}

/// The numbers of a uniform in a pass, column by column. Those that the program does not read are the source's or an
/// [`example`].
pub fn current(pass: &Pass, n: usize) -> Vec<u32> {
    let Some(interface) = &pass.program.image().interface else { return Vec::new() };
    let uniform = &interface.uniforms[n];
    let (width, height) = (pass.domain.width() as f32, pass.domain.height() as f32);
    let mut bits = uniform.default.clone().unwrap_or_else(|| example(uniform, width, height));
    for constant in &interface.constants {
        if let Scalar::Uniform(other, component) = constant.scalar
            && other == n
        {
            bits[component] =
                pass.constants.float[constant.addr as usize][constant.channel as usize];
        }
    }
    bits
}

/// The bits of a uniform's value, column by column.
fn numbers(uniform: &Uniform, value: &Node<'_>) -> Result<Vec<u32>, JobError> {
    let Uniform { name, kind, columns, rows, .. } = uniform;
    let one = |node: &Node<'_>| match kind {
        Kind::Bool => match node.boolean() {
            Ok(value) => Ok(f32::from(value).to_bits()),
            Err(_) => {
                node.float_bits().map(|bits| if float::is_zero(bits) { 0 } else { float::ONE })
            }
        },
        Kind::Int => {
            let most = i64::from(Kind::LARGEST_INT);
            Ok((node.integer(-most, most)? as f32).to_bits())
        }
        Kind::Float => node.float_bits(),
    };
    let vector = |node: &Node<'_>| {
        let elements =
            if *rows == 1 && !node.is_array() { vec![node.clone()] } else { node.array()? };
        if elements.len() != *rows {
            return Err(
                node.wrong_count(elements.len(), &format!("{rows}, the components of `{name}`"))
            );
        }
        elements.iter().map(one).collect::<Result<Vec<u32>, JobError>>()
    };
    if *columns == 1 {
        return vector(value);
    }
    let lists = value.array()?;
    if lists.len() != *columns {
        return Err(
            value.wrong_count(lists.len(), &format!("{columns} lists, the columns of `{name}`"))
        );
    }
    Ok(lists.iter().map(vector).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Whether a table of an input or a buffer asks for interpolation.
pub fn interpolates(table: &Node<'_>) -> Result<bool, JobError> {
    let Some(filter) = table.get("filter") else { return Ok(false) };
    match filter.string()? {
        "linear" => Ok(true),
        "nearest" => Ok(false),
        _ => Err(filter.is_not("one of nearest, linear")),
    }
}

/// The samplers of `[[input]]` tables that interpolate.
pub fn linear(inputs: &[Node<'_>]) -> Result<Vec<String>, JobError> {
    let mut names = Vec::new();
    for table in inputs {
        if interpolates(table)? {
            match table.get("name") {
                Some(name) => names.push(name.string()?.to_string()),
                None => {
                    let text = "a filter needs the sampler's name: name = \"...\"";
                    return Err(table.error_at("filter", text));
                }
            }
        }
    }
    Ok(names)
}

/// The samplers of a `[[pass]]` that interpolate: those that read one of these buffers.
pub fn linear_in(pass: &Node<'_>, buffers: &HashSet<String>) -> Result<Vec<String>, JobError> {
    let mut names = Vec::new();
    let mut read = |name: &str, node: &Node<'_>| {
        if buffers.contains(node.string()?) {
            if name.parse::<u32>().is_ok() {
                let text = "a buffer with a filter needs the sampler's name as its key";
                return Err(node.error(text));
            }
            names.push(name.to_string());
        }
        Ok(())
    };
    for (name, node) in pass.keyed("inputs")? {
        read(name, &node)?;
    }
    if let Some(each) = pass.get("each") {
        for (name, list) in each.keyed("inputs")? {
            list.array()?.iter().try_for_each(|node| read(name, node))?;
        }
    }
    Ok(names)
}

/// A note if a table names a sampler or a varying that the shader declares and does not use: such a table has no effect.
pub fn unused(table: &Node<'_>, image: &Image, kind: NameKind) -> Option<String> {
    let interface = image.interface.as_ref()?;
    let name = table.get("name")?.string().ok()?.to_string();
    let unused = match kind {
        NameKind::Input => {
            interface.samplers.iter().any(|sampler| sampler.name == name && !sampler.used)
        }
        NameKind::Temp => {
            interface.varyings.iter().any(|varying| varying.name == name && varying.temp.is_none())
        }
        _ => false,
    };
    unused.then(|| format!("the shader declares `{name}`, and does not use it"))
}

/// Whether the picture of a buffer has row 0 at the bottom: a GLSL shader wrote it last.
pub fn upward(passes: &[Pass], buffer: usize) -> bool {
    let wrote =
        passes.iter().rev().find(|pass| pass.outputs.iter().any(|(_, output)| *output == buffer));
    wrote.is_some_and(|pass| is_upward(pass.program.image()))
}

/// Whether rows begin at the bottom for a program: a GLSL shader.
pub fn is_upward(image: &Image) -> bool {
    image.interface.as_ref().is_some_and(|interface| interface.upward)
}

/// Data for a shader without a job: colours and positions from 0 to 1 over the domain, time 1, the size of the domain where
/// a name asks for it.
pub fn sensible(pass: &mut Pass, buffers: &[Buffer]) {
    let Some(interface) = pass.program.image().interface.clone() else { return };
    let (width, height) = (pass.domain.width(), pass.domain.height());
    let mut uniforms = Uniforms::default();
    for (n, uniform) in
        interface.uniforms.iter().enumerate().filter(|(_, uniform)| uniform.default.is_none())
    {
        uniforms.set(n, example(uniform, width as f32, height as f32));
    }
    pass.initial.clear();
    for varying in &interface.varyings {
        let Some(temp) = varying.temp else { continue };
        let Some(plane) = plane(varying, width as f32, height as f32) else { continue };
        let value = |i: u32, j: u32| {
            plane.map(|[origin, column, row]| {
                (origin + column * i as f32 + row * j as f32).to_bits()
            })
        };
        let data = (0..height).flat_map(|j| (0..width).map(move |i| value(i, j)));
        pass.initial.push(Initial { temp, data: Arc::new(data.collect()) });
    }
    uniforms.complete(pass, buffers);
}

/// At most this many uniforms are named with the values that [`example`] chose.
const MOST_CHOSEN: usize = 8;

/// A note on the uniforms that have their [`example`] because nothing gives them a value: neither the source nor one of the
/// names `set`, of a uniform or of an array of them. `None` if there is none.
pub fn chosen(pass: &Pass, set: &[&str]) -> Option<String> {
    let interface = pass.program.image().interface.as_ref()?;
    let is_set = |name: &str| {
        let element = |rest: &str| rest.is_empty() || rest.starts_with('[');
        set.iter().any(|set| name.strip_prefix(set).is_some_and(element))
    };
    let uniforms = interface.uniforms.iter().enumerate();
    let unset = uniforms
        .filter(|(_, one)| one.used && one.default.is_none() && !is_set(&one.name))
        .map(|(n, one)| {
            let numbers = current(pass, n).into_iter().map(|bits| f32::from_bits(bits).to_string());
            match &numbers.collect::<Vec<_>>()[..] {
                [number] => format!("{} = {number}", one.name),
                numbers => format!("{} = ({})", one.name, numbers.join(", ")),
            }
        });
    let mut unset: Vec<String> = unset.collect();
    let more = unset.len().saturating_sub(MOST_CHOSEN);
    unset.truncate(MOST_CHOSEN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!unset.is_empty())
        .then(|| format!("{}{more}: chosen by name and type, nothing sets them", unset.join(", ")))
}

/// Values for a varying, by its name: for each component the value at column and row 0, and what each
/// column and each row adds. `None`: it has a value where the job gives none.
pub fn plane(varying: &Varying, width: f32, height: f32) -> Option<[[f32; 3]; 4]> {
    if matches!(varying.name.as_str(), "gl_FragCoord" | "gl_FrontFacing" | INVOCATION) {
        return None;
    }
    let name = varying.name.to_lowercase();
    let constant = |value: [f32; 4]| value.map(|value| [value, 0.0, 0.0]);
    Some(if name.contains("color") || name.contains("tint") {
        constant([1.0; 4])
    } else if name.contains("normal") {
        constant([0.0, 0.0, 1.0, 0.0])
    } else {
        let [_, _, blue, alpha] = constant([0.0, 0.0, 0.0, 1.0]);
        [[0.5 / width, 1.0 / width, 0.0], [0.5 / height, 0.0, 1.0 / height], blue, alpha]
    })
}

/// A value for a uniform, by its name and type.
pub fn example(uniform: &Uniform, width: f32, height: f32) -> Vec<u32> {
    let name = uniform.name.to_lowercase();
    let Uniform { columns, rows, kind, .. } = uniform;
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let value: Vec<f32> = match (*columns, *rows) {
        (1, 2 | 3) if has(&["resolution", "size", "viewport"]) && !has(&["texel", "inv"]) => {
            vec![width, height, 1.0]
        }
        (1, 2) if has(&["texel", "inv", "delta", "direction"]) => vec![1.0 / width, 1.0 / height],
        (1, 2 | 4) if has(&["mouse"]) => vec![0.5 * width, 0.5 * height, 0.0, 0.0],
        (1, 3) if has(&["light", "dir", "position", "eye", "camera"]) => vec![0.5, 0.7, 1.0],
        (1, _) if *kind == Kind::Int => vec![1.0; *rows],
        (1, _) if *kind == Kind::Bool => vec![0.0; *rows],
        (1, 4) => vec![0.8, 0.6, 0.4, 1.0],
        (1, 1) if has(&["time", "aspect", "ratio", "opacity", "exposure", "scale"]) => vec![1.0],
        (1, 1) if has(&["width"]) => vec![width],
        (1, 1) if has(&["height"]) => vec![height],
        (1, _) => vec![0.5; *rows],
        _ => (0..columns * rows).map(|n| f32::from(n / rows == n % rows)).collect(),
    };
    value[..columns * rows].iter().map(|value| value.to_bits()).collect()
}
