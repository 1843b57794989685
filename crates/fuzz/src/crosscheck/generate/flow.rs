//! Random programs with flow control: the common statements, nested, and irregular changes to them.

use super::operation::{Pool, exact_move};
use ctm_base::random::Random;
use ctm_isa::isa::{
    AddressOp, AluOp, Body, BranchOp, Fc, FcOp, FieldValue, Instruction, PredSel, RGB, Source,
    Swizzle, Type,
};

/// A loop under construction.
struct Loop {
    /// Whether it is a LOOP rather than a REP.
    has_al: bool,
    /// The number of IFs between the loop and the current position.
    ifs: u8,
    /// BREAKs that need the address after the loop.
    breaks: Vec<usize>,
    /// CONTINUEs that need the address of its end.
    continues: Vec<usize>,
}

/// A subroutine: whether any CALL of it is conditional, and its calls.
struct Subroutine {
    conditional: bool,
    calls: Vec<usize>,
}

/// Writes a program's instructions.
pub(super) struct Writer<'a> {
    pub random: &'a mut Random,
    pub pool: &'a Pool,
    pub code: Vec<Instruction>,
    loops: Vec<Loop>,
    subroutines: Vec<Subroutine>,
    /// The number of IFs around the current position, up to the next loop or subroutine.
    depth: u32,
    /// The number of statements that may still be written.
    left: u32,
}

/// The usual conditions in JUMP_FUNC \[G 36\].
const FUNCTIONS: [u8; 8] = [0x0f, 0xf0, 0x33, 0xcc, 0x55, 0xaa, 0x00, 0xff];

impl<'a> Writer<'a> {
    pub(super) fn new(random: &'a mut Random, pool: &'a Pool, left: u32) -> Self {
        Writer {
            random,
            pool,
            code: Vec::new(),
            loops: Vec::new(),
            subroutines: Vec::new(),
            depth: 0,
            left,
        }
    }

    /// One instruction that is not flow control.
    pub(super) fn simple(&mut self) {
        let out = if self.pool.umrt { 30 } else { 18 };
        let instruction = match self.random.weighted(&[60, out, 18]) {
            0 => self.pool.alu(self.random, Type::Alu),
            1 if self.pool.umrt && self.random.chance(80) => self.scatter(),
            1 => self.pool.alu(self.random, Type::Out),
            _ => self.pool.tex(self.random),
        };
        self.code.push(instruction);
    }

    /// An uncached write of temporary 1, whose channels hold a value and the element that it is
    /// scattered to; usually a valid one.
    fn scatter(&mut self) -> Instruction {
        let mut instruction = exact_move(Type::Out, 1, 0, None);
        instruction.common.write_inactive = self.random.chance(10);
        if self.pool.predicates && self.random.chance(30) {
            let sel = PredSel::from_code(self.random.range(1, 5));
            instruction.common.pred_sel = [sel; 2];
        }
        let value = self.pool.temp(self.random);
        let target = self.random.below(4) as u8;
        let alpha = self.random.chance(92);
        if let Body::Alu(alu) = &mut instruction.body {
            let [rgb, a] = &mut alu.units;
            rgb.target = target;
            rgb.sources[1] = Source { addr: value, constant: false, relative: false };
            if alpha {
                a.inputs[0].swizzle[0] = Swizzle::Zero;
                a.inputs[1].swizzle[0] = Swizzle::Zero;
            }
        }
        instruction
    }

    fn fc(&mut self, op: FcOp, set: impl FnOnce(&mut Fc)) -> usize {
        let mut instruction = Instruction::blank(Type::Fc);
        instruction.common.alu_wait = true;
        let ignore = self.random.chance(50);
        if let Body::Fc(fc) = &mut instruction.body {
            fc.op = op;
            fc.ignore_uncovered = ignore;
            set(fc);
        }
        self.code.push(instruction);
        self.code.len() - 1
    }

    /// A jump of all points, unless `set` changes that.
    fn jump(&mut self, set: impl FnOnce(&mut Fc)) -> usize {
        self.fc(FcOp::Jump, |fc| {
            fc.jump_func = 0xff;
            set(fc);
        })
    }

    fn edit(&mut self, at: usize, set: impl FnOnce(&mut Fc)) {
        if let Some(Instruction { body: Body::Fc(fc), .. }) = self.code.get_mut(at) {
            set(fc);
        }
    }

    fn target(&mut self, at: usize, to: usize) {
        self.edit(at, |fc| fc.jump_addr = to as u16 & 0x1ff);
    }

    fn here(&self) -> usize {
        self.code.len()
    }

    /// Chooses a condition for the next instruction, and writes the instructions that set it. Call
    /// this before that instruction is written, then pass the result to `apply`.
    fn condition(&mut self) -> (u8, PredSel, bool, u8) {
        let kind = self.random.weighted(&[45, 30, 20, 5]);
        match kind {
            // Certainly differs from point to point, at least at first.
            0 if self.random.chance(40) => {
                let channel = self.random.pick(&[Swizzle::R, Swizzle::G]);
                let number = self.random.pick(&[1, 2, 4, 6, 40]);
                let temp = self.random.pick(&[0, 0, 1, 2, 3]);
                self.code.push(below(temp, channel, number));
            }
            0 => {
                let mut test = self.pool.alu(self.random, Type::Alu);
                if self.random.chance(60) {
                    // Differs from point to point.
                    test.common.write_inactive = false;
                    test.common.omask = 0;
                }
                if let Body::Alu(alu) = &mut test.body {
                    alu.alu_wmask = true;
                    make_valid(alu);
                }
                self.code.push(test);
            }
            1 if self.pool.predicates => {
                let mut test = self.pool.alu(self.random, Type::Alu);
                test.common.omask = 15;
                if let Body::Alu(alu) = &mut test.body {
                    make_valid(alu);
                }
                self.code.push(test);
            }
            _ => {}
        }
        let function = match kind {
            0 => self.random.pick(&FUNCTIONS[..2]),
            1 => self.random.pick(&FUNCTIONS[2..4]),
            2 => self.random.pick(&FUNCTIONS[4..]),
            _ => self.random.bits() as u8,
        };
        let sel = if self.pool.predicates {
            self.random.pick(&[PredSel::None, PredSel::R, PredSel::G, PredSel::B, PredSel::A])
        } else {
            PredSel::None
        };
        let invert = self.random.chance(30);
        (function, sel, invert, self.random.below(32) as u8)
    }

    fn apply(&mut self, at: usize, condition: (u8, PredSel, bool, u8)) {
        let (function, sel, invert, boolean) = condition;
        if let Some(instruction) = self.code.get_mut(at) {
            instruction.common.pred_sel[RGB] = sel;
            instruction.common.pred_inv[RGB] = invert;
        }
        self.edit(at, |fc| {
            fc.jump_func = function;
            fc.bool_addr = boolean;
        });
    }

    /// A block of statements.
    pub(super) fn block(&mut self, deep: u32) {
        let statements = self.random.range(1, 5);
        for _ in 0..statements {
            if self.left == 0 || self.here() > 380 {
                return;
            }
            self.left -= 1;
            self.statement(deep);
        }
    }

    fn statement(&mut self, deep: u32) {
        let nest = if deep < 5 { 1 } else { 0 };
        let looping = u32::from(!self.loops.is_empty());
        let weights = [56, 12 * nest, 9 * nest, 12 * nest, 4 * nest, 6 * nest, 9 * looping, 1];
        match self.random.weighted(&weights) {
            1 => self.branch(deep, false),
            2 => self.branch(deep, true),
            3 => self.repeat(deep),
            4 => self.merged(deep),
            5 => self.call(),
            6 => self.leave(),
            7 => self.trap(),
            _ => self.simple(),
        }
    }

    fn enter(&mut self, ifs: i32) {
        self.depth = self.depth.wrapping_add_signed(ifs);
        if let Some(innermost) = self.loops.last_mut() {
            innermost.ifs = innermost.ifs.wrapping_add(ifs as u8);
        }
    }

    fn branch(&mut self, deep: u32, with_else: bool) {
        let condition = self.condition();
        let head = self.fc(FcOp::Jump, |fc| {
            fc.b_op0 = BranchOp::Incr;
            fc.b_op1 = if with_else { BranchOp::Incr } else { BranchOp::None };
        });
        self.apply(head, condition);
        self.enter(1);
        self.block(deep + 1);
        let mut middle = None;
        if with_else {
            let at = self.fc(FcOp::Jump, |fc| {
                fc.b_op1 = BranchOp::Decr;
                fc.b_pop_cnt = 1;
                fc.b_else = true;
            });
            middle = Some(at);
            self.target(head, at + 1);
            self.block(deep + 1);
        }
        self.enter(-1);
        let end = self.end_if(1);
        self.target(middle.unwrap_or(head), end + 1);
    }

    fn end_if(&mut self, count: u8) -> usize {
        let end = self.here();
        self.fc(FcOp::Jump, |fc| {
            fc.jump_any = true;
            fc.b_op0 = BranchOp::Decr;
            fc.b_pop_cnt = count;
            fc.jump_addr = (end as u16 + 1) & 0x1ff;
        })
    }

    /// Nested IFs that share one ENDIF \[G 40\].
    fn merged(&mut self, deep: u32) {
        let count = self.random.range(2, 4) as u8;
        let mut heads = Vec::new();
        for k in 0..count {
            let condition = self.condition();
            let head = self.fc(FcOp::Jump, |fc| {
                fc.b_op0 = BranchOp::Incr;
                fc.b_op1 = if k == 0 { BranchOp::None } else { BranchOp::Decr };
                fc.b_pop_cnt = k;
            });
            self.apply(head, condition);
            heads.push(head);
            self.enter(1);
            self.simple();
        }
        self.block(deep + 1);
        self.enter(-i32::from(count));
        let end = self.end_if(count);
        for head in heads {
            self.target(head, end + 1);
        }
    }

    fn repeat(&mut self, deep: u32) {
        let has_al = self.random.chance(65);
        let number = self.random.below(6) as u8;
        let step = self.random.below(6) as u8;
        let head = self.fc(if has_al { FcOp::Loop } else { FcOp::Rep }, |fc| {
            fc.int_addr = number;
        });
        self.loops.push(Loop { has_al, ifs: 0, breaks: Vec::new(), continues: Vec::new() });
        let outer = std::mem::take(&mut self.depth);
        self.block(deep + 1);
        self.depth = outer;
        let end = self.fc(if has_al { FcOp::EndLoop } else { FcOp::EndRep }, |fc| {
            fc.jump_func = 0xff;
            fc.jump_any = true;
            fc.int_addr = step;
            fc.jump_addr = (head as u16 + 1) & 0x1ff;
        });
        // Guide and Mesa differ in the target of a skipped loop.
        let skip = if self.random.chance(70) { end + 1 } else { end };
        self.target(head, skip);
        if let Some(done) = self.loops.pop() {
            for at in done.breaks {
                self.target(at, end + 1);
            }
            for at in done.continues {
                self.target(at, end);
            }
        }
    }

    /// BREAK or CONTINUE.
    fn leave(&mut self) {
        let is_break = self.random.chance(60);
        let condition = if self.random.chance(60) { Some(self.condition()) } else { None };
        let Some((has_al, ifs)) = self.loops.last().map(|l| (l.has_al, l.ifs)) else {
            return;
        };
        let op = match (is_break, has_al) {
            (true, true) => FcOp::BreakLoop,
            (true, false) => FcOp::BreakRep,
            _ => FcOp::Continue,
        };
        let at = self.fc(op, |fc| {
            fc.jump_func = 0xff;
            fc.b_op1 = BranchOp::Decr;
            fc.b_pop_cnt = ifs & 31;
        });
        if let Some(condition) = condition {
            self.apply(at, condition);
        }
        if let Some(innermost) = self.loops.last_mut() {
            if is_break {
                innermost.breaks.push(at);
            } else {
                innermost.continues.push(at);
            }
        }
    }

    fn call(&mut self) {
        let number = self.random.below(3) as usize;
        while self.subroutines.len() <= number {
            let conditional = self.random.chance(50);
            self.subroutines.push(Subroutine { conditional, calls: Vec::new() });
        }
        let conditional = self.subroutines[number].conditional;
        let condition = (conditional && self.random.chance(70)).then(|| self.condition());
        let at = self.jump(|fc| {
            fc.jump_any = true;
            fc.a_op = AddressOp::Push;
            fc.b_op1 = if conditional { BranchOp::Incr } else { BranchOp::None };
        });
        if let Some(condition) = condition {
            self.apply(at, condition);
        }
        self.subroutines[number].calls.push(at);
    }

    /// The subroutines, after the program's end. They may call later ones.
    pub(super) fn subroutines(&mut self) {
        let mut number = 0;
        while number < self.subroutines.len() {
            let start = self.here();
            let calls = std::mem::take(&mut self.subroutines[number].calls);
            let outer = u8::from(self.subroutines[number].conditional);
            let returns = self.random.below(3) as u8;
            for k in 0..returns {
                self.simple();
                let condition = self.condition();
                let at = self.fc(FcOp::Jump, |fc| {
                    fc.a_op = AddressOp::Pop;
                    fc.b_op0 = BranchOp::Incr;
                    fc.b_op1 = BranchOp::Decr;
                    fc.b_pop_cnt = k + outer;
                });
                self.apply(at, condition);
            }
            self.left = self.left.max(2);
            self.block(4);
            self.jump(|fc| {
                fc.a_op = AddressOp::Pop;
                fc.b_op1 = if returns + outer == 0 { BranchOp::None } else { BranchOp::Decr };
                fc.b_pop_cnt = returns + outer;
            });
            // Calls from inside the subroutine itself get no target: they would recurse.
            for at in calls {
                self.target(at, start);
            }
            number += 1;
        }
    }

    /// Irregular flow control that usually ends in a fault.
    pub(super) fn trap(&mut self) {
        let here = self.here() as u16;
        match self.random.below(9) {
            0 => {
                self.jump(|fc| {
                    fc.jump_any = true;
                    fc.a_op = AddressOp::Push;
                    fc.jump_addr = here;
                });
            }
            1 => {
                let op = self.random.pick(&[FcOp::Loop, FcOp::Rep]);
                self.fc(op, |fc| {
                    fc.int_addr = 1;
                    fc.jump_addr = here + 2;
                });
                self.jump(|fc| fc.jump_addr = here);
            }
            2 => {
                use FcOp::*;
                let op = self.random.pick(&[EndLoop, EndRep, BreakLoop, BreakRep, Continue]);
                self.fc(op, |fc| fc.jump_addr = here + 1);
            }
            3 => {
                self.jump(|fc| fc.a_op = AddressOp::Pop);
            }
            4 => {
                // Points left of column 4 leave the others, one level deeper in each round.
                let test = below(0, Swizzle::R, 4);
                self.code.push(test);
                let at = self.here() as u16;
                self.fc(FcOp::Jump, |fc| {
                    fc.jump_func = 0xf0;
                    fc.b_op0 = BranchOp::Incr;
                    fc.jump_addr = at + 3;
                });
                self.code.push(test);
                self.jump(|fc| fc.jump_addr = at);
            }
            5 => {
                let target = self.random.range(400, 511) as u16;
                self.jump(|fc| fc.jump_addr = target);
            }
            6 => {
                self.jump(|fc| fc.jump_addr = here);
            }
            _ => {
                // A jump back, out of or into arbitrary code.
                let target = self.random.below(here as u32 + 4) as u16;
                let condition = self.condition();
                let at = self.fc(FcOp::Jump, |fc| fc.jump_addr = target & 0x1ff);
                self.apply(at, condition);
            }
        }
    }

    /// Changes fields of flow-control instructions at random; the effect is defined in every case.
    pub(super) fn spoil(&mut self) {
        let slots: Vec<usize> =
            (0..self.code.len()).filter(|&at| matches!(self.code[at].body, Body::Fc(_))).collect();
        if slots.is_empty() {
            return;
        }
        for _ in 0..self.random.range(1, 4) {
            let at = self.random.pick(&slots);
            let len = self.code.len() as u32;
            let (kind, value) = (self.random.below(10), self.random.bits());
            let target = self.random.below(len + 2) as u16 & 0x1ff;
            self.edit(at, |fc| match kind {
                0 => fc.op = FcOp::from_code(value & 7),
                1 => fc.b_else = !fc.b_else,
                2 => fc.jump_any = !fc.jump_any,
                3 => fc.a_op = AddressOp::from_code(value % 3),
                4 => fc.jump_func = value as u8,
                5 => fc.b_pop_cnt = value as u8 & 31,
                6 => fc.b_op0 = BranchOp::from_code(value % 3),
                7 => fc.b_op1 = BranchOp::from_code(value % 3),
                8 => fc.ignore_uncovered = !fc.ignore_uncovered,
                _ => fc.jump_addr = target,
            });
        }
    }
}

/// Sets the ALU result: whether a channel of a temporary is less than a number, which must have an
/// inline code. In r0 it is the point's column or row, unless that was overwritten.
pub(super) fn below(temp: u8, channel: Swizzle, number: u8) -> Instruction {
    let mut instruction = Instruction::blank(Type::Alu);
    instruction.common.alu_result_op = ctm_isa::isa::Comparison::Less;
    if let Body::Alu(alu) = &mut instruction.body {
        alu.alu_wmask = true;
        let rgb = &mut alu.units[RGB];
        rgb.sources[0].addr = temp;
        rgb.inputs[0].swizzle = [channel; 3];
        rgb.sources[1] = Source {
            addr: 0x80 | ctm_lang::asm::inline_code(f32::from(number)).unwrap_or(0),
            constant: false,
            relative: false,
        };
        rgb.inputs[1].swizzle = [Swizzle::One; 3];
        rgb.inputs[2].sel = ctm_isa::isa::Sel::Src1;
        rgb.inputs[2].modifier = ctm_isa::isa::Modifier::Neg;
    }
    instruction
}

/// Replaces invalid codes in a unit that was idle and is now used.
fn make_valid(alu: &mut ctm_isa::isa::Alu) {
    for (unit, valid) in alu.units.iter_mut().zip([Swizzle::R, Swizzle::A]) {
        for swizzle in unit.inputs.iter_mut().flat_map(|input| &mut input.swizzle) {
            if *swizzle == Swizzle::Unused {
                *swizzle = valid;
            }
        }
    }
    let [rgb, alpha] = &mut alu.units;
    if alpha.op.is_reserved() || alpha.op == AluOp::Dp && !rgb.op.is_dot() {
        alpha.op = AluOp::Rcp;
    }
    if rgb.op.is_reserved() || rgb.op == AluOp::Sop && !alpha.op.is_transcendental() {
        rgb.op = AluOp::Mad;
    }
}
