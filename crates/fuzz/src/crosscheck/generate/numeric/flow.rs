//! Branches, loops and calls of programs about numbers.

use super::{RETURNED, TEMPS, Writer, temporary};
use crate::crosscheck::generate::flow::below;
use crate::crosscheck::generate::operation::inline_code;
use ctm_isa::isa::{AddressOp, Body, BranchOp, Fc, FcOp, Instruction, Source, Swizzle, Type};

impl Writer<'_> {
    /// Instructions where points may have gone different ways: they write no inactive points, and read
    /// no other points.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) {
        let before = (self.inactive, self.pool.neighbours);
        (self.inactive, self.pool.neighbours) = (0, false);
        self.depth += 1;
        write(self);
        self.depth -= 1;
        (self.inactive, self.pool.neighbours) = before;
    }

    fn statements(&mut self) {
        for _ in 0..self.random.range(1, 3) {
            self.statement();
        }
    }

    /// Adds an instruction of flow control; returns its number.
    fn fc(&mut self, op: FcOp, set: impl FnOnce(&mut Fc)) -> usize {
        let mut instruction = Instruction::blank(Type::Fc);
        instruction.common.alu_wait = true;
        if let Body::Fc(fc) = &mut instruction.body {
            (fc.op, fc.jump_global) = (op, true);
            set(fc);
        }
        self.code.push(instruction);
        self.code.len() - 1
    }

    fn target(&mut self, at: usize, to: usize) {
        if let Body::Fc(fc) = &mut self.code[at].body {
            fc.jump_addr = to as u16;
        }
    }

    /// Sets the ALU result, differently for different points; returns the function of a jump by it.
    fn condition(&mut self) -> u8 {
        let channel = self.random.pick(&[Swizzle::R, Swizzle::G]);
        let temp = self.random.pick(&[0, self.written.last().copied().unwrap_or(0)]);
        let number = self.random.pick(&[1, 2, 4, 6]);
        self.code.push(below(temp, channel, number));
        self.random.pick(&[0x0f, 0xf0])
    }

    pub(super) fn branch(&mut self) {
        let function = self.condition();
        let otherwise = self.random.chance(50);
        let head = self.fc(FcOp::Jump, |fc| {
            (fc.jump_func, fc.b_op0) = (function, BranchOp::Incr);
            fc.b_op1 = if otherwise { BranchOp::Incr } else { BranchOp::None };
        });
        self.apart(Self::statements);
        let mut jump = head;
        if otherwise {
            jump = self.fc(FcOp::Jump, |fc| {
                (fc.b_op1, fc.b_pop_cnt, fc.b_else) = (BranchOp::Decr, 1, true);
            });
            self.target(head, jump + 1);
            self.apart(Self::statements);
        }
        let end = self.code.len();
        self.fc(FcOp::Jump, |fc| {
            (fc.jump_any, fc.b_op0, fc.b_pop_cnt) = (true, BranchOp::Decr, 1);
            fc.jump_addr = end as u16 + 1;
        });
        self.target(jump, end + 1);
    }

    /// A loop. Most often a register has a literal before it and in some turns, and another number in
    /// the others.
    pub(super) fn repeat(&mut self) {
        let number = self.random.below(4) as u8;
        let carried = self.random.chance(70).then(|| self.random.below(TEMPS) as u8);
        if let Some(carried) = carried {
            self.literal(carried);
        }
        let head = self.fc(FcOp::Rep, |fc| fc.int_addr = number);
        self.apart(|writer| match carried {
            Some(carried) => writer.turn(carried),
            None => writer.statements(),
        });
        let leave = self.random.chance(50).then(|| {
            let function = self.condition();
            let op = self.random.pick(&[FcOp::BreakRep, FcOp::Continue]);
            let at = self.fc(op, |fc| (fc.jump_func, fc.b_op1) = (function, BranchOp::Decr));
            self.apart(|writer| match carried {
                Some(carried) => writer.literal(carried),
                None => writer.statements(),
            });
            (op, at)
        });
        let end = self.fc(FcOp::EndRep, |fc| {
            (fc.int_addr, fc.jump_func, fc.jump_any) = (number, 0xff, true);
            fc.jump_addr = head as u16 + 1;
        });
        self.target(head, end + 1);
        if let Some((op, at)) = leave {
            self.target(at, end + usize::from(op == FcOp::BreakRep));
        }
    }

    /// Reads a register, and then writes it: a product with it, or any other number.
    fn turn(&mut self, carried: u8) {
        let source = self.source();
        let read = self.product([temporary(carried), source]);
        if self.random.chance(40) {
            self.calculate(read);
        }
        let source = self.source();
        if self.random.chance(50) {
            self.product([temporary(carried), source]);
        } else {
            self.load(carried, source);
        }
        self.redirect(carried);
    }

    /// Moves a literal to a register.
    fn literal(&mut self, dest: u8) {
        let source = Source { addr: 0x80 | inline_code(self.random), ..Source::UNUSED };
        self.load(dest, source);
    }

    /// Calls the subroutine; returns what it wrote last.
    pub(super) fn call(&mut self) -> Source {
        let at = self.fc(FcOp::Jump, |fc| {
            (fc.jump_func, fc.jump_any, fc.a_op) = (0xff, true, AddressOp::Push);
        });
        self.calls.push(at);
        self.written.push(RETURNED);
        temporary(RETURNED)
    }

    /// The subroutine, if it is called.
    pub(super) fn subroutine(&mut self) {
        if self.calls.is_empty() {
            return;
        }
        let start = self.code.len();
        for at in std::mem::take(&mut self.calls) {
            self.target(at, start);
        }
        // Without flow control, so that it does not call itself.
        (self.flows, self.inactive, self.pool.neighbours) = (false, 0, false);
        self.apart(Self::statements);
        let source = self.source();
        self.calculate(source);
        self.redirect(RETURNED);
        self.fc(FcOp::Jump, |fc| (fc.jump_func, fc.a_op) = (0xff, AddressOp::Pop));
    }

    /// A jump over a statement that a boolean constant decides. Constants that were moved before its
    /// target are not known after it.
    pub(super) fn skip(&mut self) {
        let number = self.random.below(32) as u8;
        let at = self.fc(FcOp::Jump, |fc| {
            (fc.b_op0, fc.b_op1) = (BranchOp::None, BranchOp::None);
            (fc.jump_func, fc.jump_any, fc.bool_addr) = (0xaa, true, number);
        });
        self.statement();
        self.target(at, self.code.len());
    }
}
