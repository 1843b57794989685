//! Random valid programs with everything they need to run, deterministic by seed and index.
//!
//! * `operation`: ALU and OUT instructions; `fetch`: TEX; `flow`: nested statements.
//! * `numeric`: programs about numbers.
//! * `shared`: registers that groups share. `surfaces`: memory, domains, conditions.

use ctm_base::named;
mod fetch;
mod flow;
mod numeric;
mod operation;
mod shared;
mod surfaces;

use super::case::{ARENA, Case};
use ctm_base::random::Random;
use ctm_isa::isa::{Body, FcOp, INPUTS, Instruction, MAX_INSTRUCTIONS, OUTPUTS, PredSel, Type};
use ctm_lang::program::{Image, Program, Sharing};
use ctm_machine::launch::{Constants, Domain, Initial, IntConstant, Launch, Limits};
use ctm_machine::memory::{ALIGNMENT, Format, Tiling};
use flow::Writer;
use operation::{Pool, exact_move};
use std::sync::Arc;
use surfaces::Places;

named! {
    /// The parts of the machine that a program uses, weakest first.
    Strength {
        Operations "operations": "One to three ALU operations over hard operands, every result bit visible.";
        Straight "straight": "Straight-line programs with fetches, predicates, several outputs, conditions.";
        Flow "flow": "Nested and irregular flow control, relative addressing, kills, scatter, faults.";
        Shared "shared": "Programs as those of straight and flow whose groups share registers.";
        Numeric "numeric": "Chains over denormals and tiny factors, moves of constants, kills, neighbours.";
    }
}

impl Strength {
    /// The strength of program `index` in a mixed run: of ten programs 4, 3 and 3. The others come
    /// only on demand, so that the indices of a seed keep their programs.
    pub fn of_index(index: u64) -> Strength {
        match index % 10 {
            0 | 3 | 6 | 9 => Strength::Operations,
            1 | 4 | 7 => Strength::Straight,
            _ => Strength::Flow,
        }
    }

    /// Whether mixed runs have programs of it.
    pub fn is_mixed(self) -> bool {
        (0..10).any(|index| Strength::of_index(index) == self)
    }
}

/// Program `index` of a seed. The same arguments always give the same case.
pub fn generate(seed: u64, strength: Strength, index: u64) -> Case {
    // Nearly every try gives a valid program; invalid ones are skipped.
    let mut tries = 0;
    loop {
        if let Some(case) = attempt(seed, strength, index, tries) {
            return case;
        }
        tries += 1;
    }
}

fn attempt(seed: u64, strength: Strength, index: u64, number: u64) -> Option<Case> {
    let mut random = Random::new(&[seed, strength as u64, index, number]);
    let (launch, bytes) = match strength {
        Strength::Operations => operations(&mut random),
        Strength::Straight => straight(&mut random, None),
        Strength::Flow => with_flow(&mut random, None),
        Strength::Shared => {
            let sharing = shared::counts(&mut random);
            let (mut launch, bytes) = (if random.chance(40) {
                straight(&mut random, Some(sharing))
            } else {
                with_flow(&mut random, Some(sharing))
            })?;
            shared::registers(&mut random, &mut launch, sharing);
            Some((launch, bytes))
        }
        Strength::Numeric => numeric::numeric(&mut random),
    }?;
    Some(Case { seed, strength, index, launch, bytes })
}

fn int_constant(random: &mut Random) -> IntConstant {
    IntConstant {
        count: match random.weighted(&[15, 70, 10, 5]) {
            0 => 0,
            1 => random.range(1, 4) as u8,
            2 => random.range(5, 40) as u8,
            _ => 255,
        },
        start: if random.chance(85) { random.below(6) as u8 } else { random.bits() as u8 },
        step: if random.chance(85) { random.range(0, 4) as i8 - 2 } else { random.bits() as i8 },
    }
}

fn constants(random: &mut Random, count: u32) -> Constants {
    let mut constants = Constants::default();
    for n in 0..count as usize {
        for channel in 0..4 {
            constants.float[n][channel] = random.hard();
        }
    }
    // Loops read the first six constants; the second one always runs.
    for constant in &mut constants.int[..6] {
        *constant = int_constant(random);
    }
    constants.int[1].count = constants.int[1].count.max(1);
    constants.bool = random.bits();
    constants
}

/// Start data of a temporary: hard values, coordinates, elements to scatter to.
fn initial(
    random: &mut Random,
    domain: &Domain,
    temp: u8,
    before: Option<&Initial>,
    size: Option<(u32, u32)>,
) -> Initial {
    let points = domain.points() as usize;
    let style = random.below(4);
    let data = (0..points)
        .map(|point| match (size, before, style) {
            (Some((width, height)), ..) => [
                random.hard(),
                random.coordinate(width),
                random.coordinate(height),
                random.pick(&[0, 0, 0x8000_0000, 1]),
            ],
            (None, Some(before), 0 | 1) => before.data[point].map(|x| random.related(x)),
            (None, _, 2) => [0; 4].map(|_| random.coordinate(16)),
            _ => [0; 4].map(|_| random.hard()),
        })
        .collect();
    Initial { temp, data: Arc::new(data) }
}

/// Builds the program; `None` if it is not valid.
fn program(code: &[Instruction], edit: impl FnOnce(&mut Image)) -> Option<Arc<Program>> {
    let mut image = Image::from_words(code.iter().map(Instruction::encode).collect());
    edit(&mut image);
    Program::new(image).ok().map(Arc::new)
}

fn us_config(random: &mut Random) -> u32 {
    random.pick(&[0, 2])
}

/// Memory: numbers that identify their address, with hard values between them.
fn memory(random: &mut Random) -> Vec<u8> {
    let block: Vec<u32> = (0..256).map(|_| random.hard()).collect();
    (0..ARENA / 4)
        .flat_map(|n| {
            let word = match n % 4 {
                1 => block[(n / 4 % 256) as usize],
                _ => (n as f32 / 64.0).to_bits(),
            };
            word.to_le_bytes()
        })
        .collect()
}

fn operations(random: &mut Random) -> Option<(Launch, Vec<u8>)> {
    let corner = (random.below(3), random.below(2));
    let (width, height) = random.pick(&[(8, 8), (64, 1), (32, 2)]);
    let domain =
        Domain { i0: corner.0, j0: corner.1, i1: corner.0 + width - 1, j1: corner.1 + height - 1 };
    let pool = Pool::plain(8, random.chance(40), random.chance(30));
    let mut code = Vec::new();
    for _ in 0..random.pick(&[1, 1, 2, 3]) {
        let class = random.pick(&[Type::Alu, Type::Alu, Type::Out]);
        code.push(pool.alu(random, class));
    }
    let dests: Vec<u8> = code
        .iter()
        .filter_map(Instruction::alu)
        .flat_map(|alu| alu.units.map(|unit| unit.dest))
        .collect();
    // Written temporaries go to the outputs bit for bit. Output D shows the predicates instead.
    let first = random.below(4) as u8;
    for (n, &dest) in dests.iter().rev().take(3).enumerate() {
        code.push(exact_move(Type::Out, dest, (first + n as u8) & 3, None));
    }
    if pool.predicates {
        let mut shown = exact_move(Type::Out, random.below(8) as u8, (first + 3) & 3, None);
        shown.common.pred_sel = [PredSel::Rgba; 2];
        code.push(shown);
    }
    if random.chance(30) {
        // An IF on the ALU result makes it visible, too.
        let mut shown = Instruction::blank(Type::Fc);
        if let Body::Fc(fc) = &mut shown.body {
            fc.op = FcOp::Jump;
            fc.jump_func = 0x0f;
            fc.b_op0 = ctm_isa::isa::BranchOp::Incr;
            fc.jump_addr = code.len() as u16 + 1;
        }
        code.push(shown);
    }
    code.push(exact_move(Type::Out, random.below(8) as u8, first, None));
    let config = us_config(random);
    let program = program(&code, |image| image.registers.us_config = config)?;
    let mut launch = Launch::new(program, domain);
    launch.constants = Arc::new(constants(random, 6));
    let mut places = Places::new(Case::BASE, false);
    for output in &mut launch.outputs {
        *output = Some(places.surface(
            random,
            domain.i1 + 1,
            domain.j1 + 1,
            Format::Float32x4,
            Tiling::Linear,
        ));
    }
    let uninitialised = random.below(8) as u8;
    for temp in (0..8).filter(|&temp| temp != uninitialised) {
        let made = initial(random, &domain, temp, launch.initial.last(), None);
        launch.initial.push(made);
    }
    Some((launch, Vec::new()))
}

/// The setting of a program of the two stronger kinds.
struct Setting {
    domain: Domain,
    pool: Pool,
    places: Places,
}

fn setting(random: &mut Random, odd: bool, many: bool) -> Setting {
    let domain = if many && random.chance(60) {
        shared::domain(random)
    } else {
        surfaces::domain(random, odd)
    };
    let umrt = random.chance(if odd { 18 } else { 6 });
    Setting {
        domain,
        pool: Pool {
            temps: random.range(4, 12),
            constants: 6,
            relative: odd && random.chance(50),
            predicates: random.chance(70),
            outputs: if umrt { 1 } else { random.pick(&[1, 1, 2, 3, 5, 8, 15, 15]) },
            inputs: random.bits() as u16 & random.bits() as u16 & random.bits() as u16,
            umrt,
            own_value: random.chance(25),
            neighbours: random.chance(30),
        },
        places: Places::new(Case::BASE, odd),
    }
}

/// Binds surfaces and the rest of the setting to a program.
fn launch(random: &mut Random, setting: Setting, program: Arc<Program>) -> (Launch, Vec<u8>) {
    let Setting { domain, pool, mut places } = setting;
    let mut launch = Launch::new(program, domain);
    launch.constants = Arc::new(constants(random, pool.constants));
    for slot in 0..INPUTS {
        if pool.inputs >> slot & 1 != 0 {
            launch.inputs[slot] = Some(places.input(random));
        }
    }
    let formats: &[Format] = if pool.umrt { &[Format::Float32x1] } else { &Format::ALL };
    for slot in 0..OUTPUTS {
        if pool.outputs >> slot & 1 != 0 {
            launch.outputs[slot] = Some(places.own(random, &domain, formats));
        }
    }
    if random.chance(if pool.own_value { 80 } else { 20 }) {
        launch.condition = places.condition(random, &domain);
    }
    if pool.umrt
        && places.odd
        && random.chance(10)
        && let Some(output) = &mut launch.outputs[0]
    {
        // Scattered over the end of memory.
        output.base = Case::BASE + ARENA - random.range(1, 4) * ALIGNMENT;
    }
    if random.chance(12) {
        // In place: an output that is also an input, exactly or nearly.
        let inputs: Vec<usize> = (0..INPUTS).filter(|&n| launch.inputs[n].is_some()).collect();
        let output = random.below(4) as usize;
        if let (false, Some(mut surface)) = (inputs.is_empty(), launch.outputs[output])
            && (surface.format.is_basic_single() || !surface.tiling.is_2x2())
        {
            if random.chance(30) {
                surface.height = surface.height.saturating_sub(1).max(1);
            }
            launch.inputs[random.pick(&inputs)] = Some(surface);
        }
    }
    if random.chance(25) {
        launch.out_mask = random.below(16) as u8;
    }
    for temp in 1..pool.temps.min(8) as u8 {
        let size = (temp == 1)
            .then(|| launch.outputs[0].map_or((8, 8), |surface| (surface.pitch, surface.height)));
        if temp != 1 && random.chance(35) {
            continue;
        }
        let size = size.filter(|_| pool.umrt);
        let made = initial(random, &domain, temp, launch.initial.last(), size);
        launch.initial.push(made);
    }
    if random.chance(6) {
        let plane = |random: &mut Random| [random.hard(), random.coordinate(4), random.hard()];
        launch.interpolants = Some(Arc::new([0; 7].map(|_| [0; 4].map(|_| plane(random)))));
    }
    launch.limits = Limits { instructions: u64::from(random.logarithmic(10, 600)) };
    (launch, memory(random))
}

/// Ends a program: moves temporaries to outputs, so that the results are visible.
fn show(random: &mut Random, pool: &Pool, code: &mut Vec<Instruction>) {
    for target in 0..4 {
        if !pool.umrt && pool.outputs >> target & 1 != 0 && random.chance(85) {
            let mut shown = exact_move(Type::Out, pool.temp(random), target, None);
            if pool.predicates && random.chance(30) {
                shown.common.pred_sel = [PredSel::Rgba; 2];
            }
            code.push(shown);
        }
    }
    if code.is_empty() || random.chance(50) {
        code.push(pool.alu(random, Type::Out));
    }
}

fn straight(random: &mut Random, sharing: Option<Sharing>) -> Option<(Launch, Vec<u8>)> {
    let setting = setting(random, false, sharing.is_some());
    let mut writer = Writer::new(random, &setting.pool, 0);
    for _ in 0..writer.random.range(2, 18) {
        writer.simple();
    }
    let mut code = writer.code;
    show(random, &setting.pool, &mut code);
    sharing.iter().for_each(|&sharing| shared::share(random, &mut code, sharing));
    let (config, umrt) = (us_config(random), setting.pool.umrt);
    let program = program(&code, |image| {
        image.registers.us_config = config;
        image.umrt = umrt;
        image.sharing = sharing;
    })?;
    Some(launch(random, setting, program))
}

fn with_flow(random: &mut Random, sharing: Option<Sharing>) -> Option<(Launch, Vec<u8>)> {
    let setting = setting(random, true, sharing.is_some());
    let pool = &setting.pool;
    // Slots before the program: idle, or with instructions that only a wrong jump reaches.
    let before = if random.chance(80) { 0 } else { random.range(1, 9) };
    let statements = random.range(4, 26);
    let mut writer = Writer::new(random, pool, statements);
    for _ in 0..before {
        writer.simple();
    }
    if writer.random.chance(6) {
        writer.trap();
    }
    while writer.code.len() < before as usize + 3 {
        writer.block(0);
        if writer.random.chance(10) {
            writer.trap();
        }
    }
    let mut ending = Vec::new();
    show(writer.random, pool, &mut ending);
    writer.code.append(&mut ending);
    let end = writer.code.len() as u32 - 1;
    writer.subroutines();
    if writer.random.chance(25) {
        writer.spoil();
    }
    let mut code = writer.code;
    if random.chance(2) {
        // All slots are full: jumps beyond the program run on through slot 511 to slot 0.
        code.resize(MAX_INSTRUCTIONS, Instruction::blank(Type::Alu));
    }
    if code.len() > MAX_INSTRUCTIONS {
        return None;
    }
    sharing.iter().for_each(|&sharing| shared::share(random, &mut code, sharing));
    let offset = random.below(before + 1);
    for instruction in &mut code {
        if let Body::Fc(fc) = &mut instruction.body {
            fc.jump_global = offset == 0 || random.chance(50);
            if !fc.jump_global {
                fc.jump_addr = fc.jump_addr.wrapping_sub(offset as u16) & 0x1ff;
            }
        }
    }
    let (config, umrt) = (us_config(random), pool.umrt);
    let program = program(&code, |image| {
        image.registers.us_config = config;
        image.registers.us_code_offset = offset;
        image.registers.us_code_addr = (before - offset) | (end - offset) << 16;
        image.umrt = umrt;
        image.sharing = sharing;
    })?;
    Some(launch(random, setting, program))
}

#[cfg(test)]
mod tests;
