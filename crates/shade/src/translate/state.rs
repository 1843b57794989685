//! The facts of a launch that a translation depends on.

mod sizes;

use crate::guards::Guards;
use crate::translate::flush::Fact;
use ctm_isa::float::ONE;
use ctm_isa::ops::{Aux, is_set};
use ctm_lang::program::ConstantKind;
use ctm_machine::engine::Checked;
use ctm_machine::engine::Why;
use ctm_machine::engine::checked::{Reader, Writer, touched_span};
use ctm_machine::launch::{FloatMode, IntConstant, Launch, Location, Test};
use ctm_machine::lower::{Lowered, NO_ROW, Operand, RowOp};
use ctm_machine::memory::{Format, Surface, Tiling, Wrap, translate};
pub use sizes::{Sizes, of_texels as texels};
use std::ops::Range;

/// Everything in a launch that a translated program has as literals. Two launches of a program with
/// equal states can use one shader. All their other data are in their [`crate::translate::Record`]s.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The arithmetic.
    pub mode: FloatMode,
    /// The guards for the adapter's arithmetic.
    pub guards: Guards,
    /// Columns and rows of a group.
    pub tile: (u32, u32),
    /// The integer constants that the program uses, by number; the others are 0.
    pub ints: [u32; 32],
    /// The boolean constants that the program uses; the others are 0.
    pub bools: u32,
    /// The inputs that the program fetches from.
    pub inputs: [Option<Input>; 16],
    /// The outputs that the program writes.
    pub outputs: [Option<Output>; 4],
    /// The conditional operation, unless it always passes and writes nothing.
    pub condition: Option<Conditional>,
    /// Temporaries that start with data of the point.
    pub initial: Vec<u8>,
    /// Temporaries 1 to 7 start with interpolants.
    pub interpolants: bool,
    /// The most instructions that a group may execute.
    pub limit: u64,
    /// The most iterations that all loops of a point may make together; `None`: no limit.
    pub iterations: Option<u64>,
    /// Whether every slot of every group is covered until the end.
    pub all_covered: bool,
    /// The values of the uniforms that are known: those that depend only on the program's own
    /// literals, unchanged by the launch; or all of them.
    pub uniforms: Vec<Option<u32>>,
    /// Whether all other uniforms that ZERO_TIMES_ANYTHING_EQUALS_ZERO products read are normal
    /// numbers in this launch. It is one fact for all, so that a program has at most two shaders for
    /// it, whatever constants it gets.
    pub normal: bool,
    /// The bounds of all uniforms that are not known.
    pub sizes: Sizes,
    /// The bounds of the initial data of temporaries.
    pub starts: Sizes,
    /// The bounds of the float surfaces that the program fetches from.
    pub texels: Sizes,
}

/// An input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The number of times that the columns and the rows of the domain's groups, counted from 0,
    /// fit onto the input, rounded down to 4, 2, 1 or 0. 0 means that some lie outside it.
    pub fits: (u32, u32),
    /// The format of an element.
    pub format: Format,
    /// The layout of elements in memory.
    pub tiling: Tiling,
    /// The rule for fetches outside.
    pub wrap: Wrap,
    /// The number of elements in a row, as fetches see it.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// Distance between rows, in elements.
    pub pitch: u32,
    /// The window that holds it.
    pub window: u8,
    /// Whether the launch writes the same elements, each at its own place. Reads see a copy from
    /// before the launch. A point that fetches another point's element is reported.
    pub in_place: bool,
}

/// An output, or the conditional buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// The format of an element.
    pub format: Format,
    /// Whether elements are stored in tiles.
    pub tiled: bool,
    /// Distance between rows, in elements.
    pub pitch: u32,
    /// Channels that are written.
    pub mask: u8,
    /// The window that holds it.
    pub window: u8,
    /// Pitch and height, if the domain has points outside.
    pub bounds: Option<(u32, u32)>,
}

/// The conditional operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conditional {
    /// The comparison of values.
    pub test: Test,
    /// The requests that are tested.
    pub location: Location,
    /// Whether values that pass are written.
    pub write: bool,
    /// The buffer.
    pub buffer: Option<Output>,
}

/// The caller's options for a translation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// See [`State::guards`].
    pub guards: Guards,
    /// In mode `fast`, whether float constants become literals: the shader then serves only these
    /// values. In mode `exact` no number of a program is a literal.
    pub specialise_floats: bool,
    /// The number of iterations after which the adapter's driver may end the loops of a vector of
    /// points, all iterations of all loops counted. Mesa's llvmpipe does so after 65535.
    pub iterations: Option<u64>,
    /// The bound of the numbers in the float surfaces that the launch fetches from, see [`texels`].
    pub texels: Sizes,
    /// Whether everything is in one window, including the copies of what the launch both reads and
    /// writes. Otherwise these are in a second window.
    pub packed: bool,
}

impl State {
    /// The state of a launch, in a memory that consists of `ranges`.
    ///
    /// # Errors
    /// The reason why no translation can run the launch.
    pub fn of(launch: &Checked, ranges: &[Range<u64>], options: &Options) -> Result<State, Why> {
        if launch.mode == FloatMode::Chip {
            return Err(Why::new(
                "mode chip",
                "mode chip has no shaders; the block engine runs it",
            ));
        }
        let lowered = &*launch.lowered;
        if lowered.needs.uncached {
            return Err(Why::new(
                "uncached writes",
                "uncached writes have an order among points that a translated program does not keep",
            ));
        }
        if launch.program.sharing().is_some() {
            return Err(Why::new(
                "data sharing",
                "groups share registers; the block engine runs them in their order",
            ));
        }
        let grouping = launch.grouping;
        let uses = launch.program.uses();
        inside(launch, ranges)?;
        separate(launch)?;
        let in_place = launch.in_place();
        let copies = copied(launch);
        let is_copied = |reader| copies.iter().any(|&n| launch.reads[n].by == reader);
        let window = |reader: Reader| u8::from(!options.packed && is_copied(reader));

        // The last positions in groups, including points outside the domain.
        let reach =
            (launch.domain.i1 | (grouping.width - 1), launch.domain.j1 | (grouping.height - 1));
        let mut inputs = [None; 16];
        for (n, input) in inputs.iter_mut().enumerate() {
            if lowered.needs.inputs >> n & 1 == 0 {
                continue;
            }
            let Some(surface) = &launch.inputs[n] else {
                return Err(not_set("input", n));
            };
            *input = Some(Input {
                fits: (fits(surface.width, reach.0), fits(surface.height, reach.1)),
                format: surface.format,
                tiling: surface.tiling,
                wrap: surface.wrap,
                width: surface.width.max(1),
                height: surface.height.max(1),
                pitch: surface.pitch,
                window: window(Reader::Input(n)),
                in_place: in_place >> n & 1 != 0,
            });
        }
        let mut outputs = [None; 4];
        for (n, output) in outputs.iter_mut().enumerate() {
            if uses.outputs >> n & 1 == 0 {
                continue;
            }
            let Some(surface) = &launch.outputs[n] else {
                return Err(not_set("output", n));
            };
            let mask = launch.out_mask & ((1 << surface.format.channels()) - 1);
            *output = (mask != 0).then(|| own(launch, surface, mask, 0));
        }
        let condition = &launch.condition;
        let touched = condition.touched();
        let condition =
            (condition.test != Test::Always || touched.is_some()).then(|| Conditional {
                test: condition.test,
                location: condition.location,
                write: condition.write && touched.is_some(),
                buffer: touched.map(|surface| own(launch, &surface, 1, window(Reader::Condition))),
            });
        let row = |temp: u8| {
            let first = 4 * usize::from(temp);
            let rows = lowered.temp_rows.get(first..first + 4).unwrap_or(&[]);
            rows.iter().any(|&row| row != NO_ROW)
        };
        let mut initial: Vec<u8> = Vec::new();
        for one in launch.initial.iter().filter(|one| row(one.temp)) {
            // If two set one temporary, the later one counts.
            initial.retain(|&temp| temp != one.temp);
            initial.push(one.temp);
        }
        let values = lowered.resolve(&launch.constants);
        let uniforms = known(launch, lowered, &values, options.specialise_floats);
        let normal = normal(lowered, &uniforms, &values);
        let others = uniforms.iter().zip(&values).filter(|(known, _)| known.is_none());
        let sizes = Sizes::of(others.map(|(_, &bits)| bits));
        let given = launch.initial.iter().filter(|one| initial.contains(&one.temp));
        let starts = given.map(|one| sizes::of_data(&one.data)).min().unwrap_or(Sizes::Any);
        let floats = |input: &Input| input.format.bytes_per_channel() == 4;
        let texels = if inputs.iter().flatten().any(floats) { options.texels } else { Sizes::Any };
        let used = |n: usize| uses.int_constants >> n & 1 != 0;
        let domain = &launch.domain;
        let (width, height) = (grouping.width, grouping.height);
        Ok(State {
            mode: launch.mode,
            guards: options.guards,
            tile: (width, height),
            ints: std::array::from_fn(|n| {
                let constant = launch.constants.int[n];
                if used(n) { constant.to_word() } else { 0 }
            }),
            bools: launch.constants.bool & uses.bool_constants,
            inputs,
            outputs,
            condition,
            initial,
            interpolants: launch.interpolants.is_some(),
            limit: launch.limits.instructions,
            iterations: options.iterations,
            all_covered: domain.i0.is_multiple_of(width)
                && domain.j0.is_multiple_of(height)
                && (domain.i1 + 1).is_multiple_of(width)
                && (domain.j1 + 1).is_multiple_of(height)
                && !lowered.needs.kill
                && condition.is_none_or(|c| c.location != Location::Pe),
            uniforms,
            normal,
            sizes,
            starts,
            texels,
        })
    }

    /// Whether a point's own conditional value can matter.
    pub fn reads_own(&self) -> bool {
        self.condition.is_some_and(|condition| {
            condition.location == Location::Dpp && condition.buffer.is_some()
        })
    }

    /// The facts that are certain of a uniform.
    pub fn fact(&self, uniform: u32) -> Fact {
        let known = self.uniforms.get(uniform as usize).copied().flatten();
        known.map_or(self.sizes.fact(), Fact::constant)
    }

    /// The facts that are certain of a channel of a texel that is fetched from an input.
    pub fn texel(&self, input: u16, channel: usize) -> Fact {
        let input = self.inputs[usize::from(input)];
        input.map_or(Fact::UNKNOWN, |input| input.texel(channel, self.texels))
    }

    /// Whether ZERO_TIMES_ANYTHING_EQUALS_ZERO can change a product. It changes products of 0 with
    /// Inf or NaN. A product of a normal number, or of a number with itself, is never one of these.
    pub fn zero_times(&self, op: &RowOp) -> bool {
        let [a, b, ..] = op.operands;
        let normal = |operand: Operand| {
            let index = operand.index() as usize;
            let known = self.uniforms.get(index).copied().flatten();
            let is_normal = |bits| f32::from_bits(bits).is_normal();
            operand.is_uniform() && known.map_or(self.normal, is_normal)
        };
        let size = |operand: Operand| operand.0 & !(Operand::ABS | Operand::NEG);
        has_zero_rule(op) && !normal(a) && !normal(b) && size(a) != size(b)
    }

    /// The integer constants.
    pub fn int_constants(&self) -> [IntConstant; 32] {
        self.ints.map(IntConstant::from_word)
    }
}

impl Input {
    /// See [`State::texel`].
    fn texel(&self, channel: usize, floats: Sizes) -> Fact {
        // In the 2x2 mode each channel is the first one of a texel.
        let channel = if self.tiling.is_2x2() { 0 } else { channel };
        match self.format.bytes_per_channel() {
            _ if channel >= self.format.channels() as usize => {
                Fact::constant(if channel == 3 { ONE } else { 0 })
            }
            1 => Fact::normalised(8),
            2 => Fact::normalised(16),
            _ => floats.fact(),
        }
    }
}

/// The values of the uniforms that depend only on the program's own literals, or of all.
fn known(launch: &Launch, lowered: &Lowered, values: &[u32], all: bool) -> Vec<Option<u32>> {
    let literals = &launch.program.image().literals;
    let is_own = |(n, channel): (u8, u8)| {
        let now = launch.constants.float[usize::from(n)][usize::from(channel & 3)];
        literals.iter().any(|literal| {
            literal.kind == ConstantKind::Float
                && literal.addr == u32::from(n)
                && literal.value[usize::from(channel & 3)] == now
        })
    };
    let is_known = |uniform| all || lowered.depends_only_on(uniform, &is_own);
    let uniforms = lowered.uniforms.iter().zip(values);
    uniforms.map(|(uniform, &value)| is_known(uniform).then_some(value)).collect()
}

/// Whether the uniforms of products with the zero rule that are not `known` are normal numbers.
fn normal(lowered: &Lowered, known: &[Option<u32>], values: &[u32]) -> bool {
    let products = lowered.ops.iter().filter(|op| has_zero_rule(op));
    let mut factors = products.flat_map(|op| op.read().take(2));
    factors.all(|operand| {
        let index = operand.index() as usize;
        let is_normal = || f32::from_bits(values[index]).is_normal();
        !operand.is_uniform() || known[index].is_some() || is_normal()
    })
}

/// Whether an operation has a product with the zero rule.
fn has_zero_rule(op: &RowOp) -> bool {
    op.op.facts().aux == Aux::ZeroTimes && is_set(op.aux)
}

/// The number of times that the columns or rows from 0 to the last possible one fit onto an axis.
/// There are few possible results, so that domains of many sizes share a shader.
fn fits(size: u32, last: u32) -> u32 {
    let times = size / last.saturating_add(1);
    times.checked_ilog2().map_or(0, |log2| 1 << log2.min(2))
}

/// A surface of which each point touches only its own element.
fn own(launch: &Launch, surface: &Surface, mask: u8, window: u8) -> Output {
    let domain = &launch.domain;
    let fits = domain.i1 < surface.pitch && domain.j1 < surface.height;
    Output {
        format: surface.format,
        tiled: surface.tiling.is_tiled(),
        pitch: surface.pitch,
        mask,
        window: window & 3,
        bounds: (!fits).then_some((surface.pitch, surface.height)),
    }
}

fn not_set(kind: &str, n: usize) -> Why {
    Why::new("surface not set", format!("{kind} {n} is not set"))
}

/// Checks that everything that is touched is in memory, so that no access needs a check.
fn inside(launch: &Checked, ranges: &[Range<u64>]) -> Result<(), Why> {
    let inside = |span: &Range<u64>| {
        span.is_empty()
            || ranges.iter().any(|range| range.start <= span.start && span.end <= range.end)
    };
    let reads = launch.reads.iter().map(|read| (read.by.name(), &read.span));
    let writes = launch.writes.iter().map(|written| (written.by.name(), &written.span));
    match reads.chain(writes).find(|(_, span)| !inside(span)) {
        Some((what, _)) => {
            Err(Why::new("outside memory", format!("{what} reaches outside memory")))
        }
        None => Ok(()),
    }
}

/// The numbers of the launch's reads that read from a copy made before it, because it writes these bytes.
pub fn copied(launch: &Checked) -> Vec<usize> {
    let writes_condition = launch.writes.iter().any(|written| written.by == Writer::Condition);
    let is_copied = |reader| {
        // If the conditional buffer is written, it must be read where it is written.
        let shared = reader == Reader::Condition && writes_condition;
        !shared && launch.overlaps.iter().any(|overlap| overlap.reader == reader)
    };
    (0..launch.reads.len()).filter(|&n| is_copied(launch.reads[n].by)).collect()
}

/// Checks that no two points write one byte.
fn separate(launch: &Checked) -> Result<(), Why> {
    for (n, written) in launch.writes.iter().enumerate() {
        let shared = |what| Err(Why::new("shared memory", format!("memory is shared: {what}")));
        let name = written.by.name();
        if !written.surface.elements_disjoint() {
            return shared(format!("elements of {name} share bytes"));
        }
        let mut others = launch.writes[..n].iter();
        if let Some(other) = others.find(|other| !apart(launch, &written.surface, &other.surface)) {
            return shared(format!("{} and {name} are both written", other.by.name()));
        }
    }
    Ok(())
}

/// Whether it is certain that points of the domain that each touch their own element of two
/// surfaces touch no common 32-bit word.
fn apart(launch: &Launch, a: &Surface, b: &Surface) -> bool {
    let word = |span: Range<u64>| (span.start & !3)..((span.end + 3) & !3);
    let spans = [a, b].map(|surface| word(touched_span(launch, surface, true)));
    if spans[0].end <= spans[1].start || spans[1].end <= spans[0].start {
        return true;
    }
    // Rows that interleave: linear layouts with the same distance between rows, and different
    // columns in each row. Addresses must not wrap around the end of the address space.
    if a.tiling.is_tiled()
        || b.tiling.is_tiled()
        || spans.iter().any(|s| s.end - s.start >= 1 << 32)
    {
        return false;
    }
    let stride = |surface: &Surface| {
        let n = translate::linear_word_log2(surface.format.bytes_log2());
        u64::from((surface.pitch & translate::PITCH) >> n) << 5
    };
    let row = stride(a);
    if row == 0 || row != stride(b) {
        return false;
    }
    let columns = |surface: &Surface| {
        let first = u64::from(launch.domain.i0);
        let end = u64::from(surface.pitch.min(launch.domain.i1 + 1));
        let log2 = surface.format.bytes_log2();
        let base = u64::from(surface.base & !31);
        ((base + (first << log2)) & !3)..((base + (end.max(first) << log2) + 3) & !3)
    };
    let (a, b) = (columns(a), columns(b));
    // Positions of b relative to a, on a circle of one row.
    let (a_len, b_len) = (a.end - a.start, b.end - b.start);
    let distance = (b.start + row - a.start % row) % row;
    distance >= a_len && distance + b_len <= row
}
