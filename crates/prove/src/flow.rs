//! Flow control of one point of a group, with conditions for what is not known.
//!
//! A jump is a decision of the whole group, of which one point is known. Where the group can decide
//! either way, the walk takes the way that is no shortcut: it stays at a forward jump and repeats a loop.
//! It owes a proof ([`Debt`]) that the point would be in the same state if the group had taken the other
//! way: that it is inactive until both ways meet, and that its flow state there is the same. Where the walk
//! does not come to the end of the shortcut, the other way is followed to where the walk is.

use crate::Undecided;
use crate::cond::Cond;
use crate::machine::{State, Walk};
use crate::term::Terms;
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, Body, BranchOp, Common, Fc, FcOp, RGB, STACK_DEPTH};

/// One frame of the loop stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub(crate) remaining: u32,
    pub(crate) saved_al: i32,
    pub(crate) broken: Cond,
    continued: Cond,
}

/// The flow state of a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointFlow {
    /// Where the point waits with branch counter n.
    levels: Vec<Cond>,
    pub(crate) frames: Vec<Frame>,
    calls: Vec<u32>,
    /// The loop register: the same for all points.
    pub al: i32,
}

/// The values of an integer constant: count, aL's start and step.
pub type IntConstant = (u8, u8, i8);

/// The group could have taken a shortcut, if `care` held for this point.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Debt {
    /// The pc of the jump.
    pub from: u32,
    /// The pc and the flow state after the shortcut.
    pub to: u32,
    pub flow: PointFlow,
    pub care: Cond,
}

/// Where a group goes on, and in which state the point is there.
struct Way {
    to: u32,
    flow: PointFlow,
}

/// The pc after the end.
pub(crate) const ENDED: u32 = u32::MAX;

/// The decisions of a group.
enum Decision {
    Jumps,
    Stays,
    /// The shortcut is to jump. It does so only if the condition holds for each of its points.
    MayJump(Cond),
    /// The shortcut is to stay.
    MayStay(Cond),
}

impl PointFlow {
    /// Whether the point waits at a branch.
    fn waiting(&self, terms: &mut Terms) -> Cond {
        self.levels.iter().fold(Cond::FALSE, |all, &level| terms.or(all, level))
    }

    /// Whether the point is active.
    pub fn active(&self, terms: &mut Terms) -> Cond {
        let mut idle = self.waiting(terms);
        for frame in &self.frames {
            idle = terms.or(idle, frame.broken);
            idle = terms.or(idle, frame.continued);
        }
        terms.not(idle)
    }

    /// Steps 1 and 2 of docs/assumptions.md. Returns the points that ELSE puts to sleep.
    fn begin(&mut self, terms: &mut Terms, fc: &Fc) -> Cond {
        if let Some(frame) = self.frames.last_mut()
            && matches!(fc.op, FcOp::EndLoop | FcOp::EndRep)
        {
            frame.continued = Cond::FALSE;
        }
        if !fc.b_else {
            return Cond::FALSE;
        }
        let active = self.active(terms);
        match self.levels.first_mut() {
            Some(level) => *level = active,
            None => self.levels.push(active),
        }
        active
    }

    /// Steps 5 to 8. `before`: whether the point waited before step 2; `active`: whether it is active
    /// after it.
    fn end(
        &mut self,
        terms: &mut Terms,
        fc: &Fc,
        constant: IntConstant,
        (before, active, wish): (Cond, Cond, Cond),
        jumped: bool,
    ) -> Result<(), Undecided> {
        use FcOp::*;
        let wishes = terms.and(active, wish);
        if let Some(frame) = self.frames.last_mut() {
            match fc.op {
                BreakLoop | BreakRep => frame.broken = terms.or(frame.broken, wishes),
                Continue => frame.continued = terms.or(frame.continued, wishes),
                Jump | Loop | Rep | EndLoop | EndRep => {}
            }
        }
        let (count, start, step) = constant;
        match (fc.op, jumped) {
            (EndLoop, true) => self.al = self.al.wrapping_add(step.into()),
            (BreakLoop | BreakRep, true) | (EndLoop | EndRep, false) => {
                if let Some(frame) = self.frames.pop()
                    && matches!(fc.op, BreakLoop | EndLoop)
                {
                    self.al = frame.saved_al;
                }
            }
            (Loop | Rep, false) => {
                if self.frames.len() == STACK_DEPTH {
                    return Err(Undecided::Fault);
                }
                self.frames.push(Frame {
                    remaining: count.into(),
                    saved_al: self.al,
                    broken: Cond::FALSE,
                    continued: Cond::FALSE,
                });
                if fc.op == Loop {
                    self.al = start.into();
                }
            }
            (Jump | Loop | Rep | EndRep | Continue, true)
            | (Jump | BreakLoop | BreakRep | Continue, false) => {}
        }
        match if jumped { fc.b_op1 } else { fc.b_op0 } {
            BranchOp::None | BranchOp::Reserved(_) => {}
            BranchOp::Decr => {
                self.levels.drain(..usize::from(fc.b_pop_cnt).min(self.levels.len()));
            }
            BranchOp::Incr => {
                let other = if jumped { terms.not(wish) } else { wish };
                let disagreed = terms.and(active, other);
                let fresh = terms.not(before);
                let first = self.levels.first().copied().unwrap_or(Cond::FALSE);
                let first = terms.and(first, fresh);
                for level in &mut self.levels {
                    *level = terms.and(*level, before);
                }
                self.levels.insert(0, terms.or(first, disagreed));
            }
        }
        while self.levels.last() == Some(&Cond::FALSE) {
            self.levels.pop();
        }
        // A deeper branch counter is a fault.
        if self.levels.len() > BRANCH_LIMIT as usize { Err(Undecided::Fault) } else { Ok(()) }
    }

    /// Forgets what the conditions are where `care` does not hold.
    fn within(&mut self, care: Cond, terms: &mut Terms) {
        let frames = self.frames.iter_mut();
        let masks = frames.flat_map(|frame| [&mut frame.broken, &mut frame.continued]);
        for cond in self.levels.iter_mut().chain(masks) {
            *cond = terms.within(*cond, care);
        }
    }

    /// Whether two states are the same where a condition holds.
    pub(crate) fn same(&self, other: &PointFlow, care: Cond, terms: &mut Terms) -> bool {
        let plain = |flow: &PointFlow| {
            let frames = flow.frames.iter().map(|frame| (frame.remaining, frame.saved_al));
            (flow.al, frames.collect::<Vec<_>>(), flow.calls.clone())
        };
        let conds = |flow: &PointFlow| {
            let mut all: Vec<Cond> =
                flow.frames.iter().flat_map(|frame| [frame.broken, frame.continued]).collect();
            all.extend(&flow.levels);
            all
        };
        let [mut a, mut b] = [conds(self), conds(other)];
        let most = a.len().max(b.len());
        a.resize(most, Cond::FALSE);
        b.resize(most, Cond::FALSE);
        plain(self) == plain(other)
            && a.into_iter().zip(b).all(|(a, b)| {
                let [a, b] = [a, b].map(|cond| terms.and(cond, care));
                a == b
            })
    }
}

impl Walk<'_> {
    /// Whether the point wishes to jump.
    fn wish(&mut self, common: &Common, fc: &Fc) -> Result<Cond, Undecided> {
        let predicate = match common.gates()[0] {
            None => Cond::TRUE,
            Some(bit) if common.pred_inv[RGB] => self.terms.not(self.state.predicates[bit]),
            Some(bit) => self.state.predicates[bit],
        };
        // Only entries that the boolean constant leaves.
        let boolean = self.setup.bools[usize::from(fc.bool_addr) & 31];
        let mut entries = [false; 4];
        for (n, entry) in entries.iter_mut().enumerate() {
            let [no, yes] = [0, 1].map(|boolean| fc.jump_func >> (2 * n + boolean) & 1 != 0);
            *entry = match boolean {
                _ if no == yes => no,
                Some(boolean) => {
                    if boolean {
                        yes
                    } else {
                        no
                    }
                }
                None => return Err(Undecided::Constant("boolean", fc.bool_addr)),
            };
        }
        let truth = |entry: bool| if entry { Cond::TRUE } else { Cond::FALSE };
        let of = |terms: &mut Terms, n: usize| {
            terms.if_else(predicate, truth(entries[n + 1]), truth(entries[n]))
        };
        let [no, yes] = [of(self.terms, 0), of(self.terms, 2)];
        Ok(self.terms.if_else(self.state.alu_result, yes, no))
    }

    /// Executes an FC instruction. Returns the next pc.
    pub(crate) fn flow(&mut self, common: &Common, fc: &Fc) -> Result<u32, Undecided> {
        let from = self.state.pc;
        let flow = self.state.flow.clone();
        let (way, shortcut) = self.step(common, fc, from, flow, Cond::TRUE)?;
        if let Some((Way { to, flow }, care)) = shortcut {
            self.owe(Debt { from, to, flow, care });
        }
        let enters = way.flow.frames.len() > self.state.flow.frames.len();
        self.state.flow = way.flow;
        if enters && self.by_shape { self.whole(fc, way.to) } else { Ok(way.to) }
    }

    /// The next pc and flow state of a group for all of whose points `care` is true, and the shortcut that it could
    /// take instead, with the condition that is true for its points then.
    fn step(
        &mut self,
        common: &Common,
        fc: &Fc,
        pc: u32,
        mut flow: PointFlow,
        care: Cond,
    ) -> Result<(Way, Option<(Way, Cond)>), Undecided> {
        use FcOp::*;
        let next = (pc + 1) & 0x1ff;
        let target = fc.target(self.program.registers().offset());
        let constant = self.int_constant(fc)?;
        let needs_frame = matches!(fc.op, EndLoop | EndRep | BreakLoop | BreakRep | Continue);
        if needs_frame && flow.frames.is_empty() {
            return Err(Undecided::Fault);
        }
        if fc.ignore_uncovered && self.program.uses().neighbours {
            return Err(Undecided::Uncovered);
        }
        let wish = self.wish(common, fc)?;
        let before = flow.waiting(self.terms);
        let swapped = flow.begin(self.terms, fc);
        let active = flow.active(self.terms);
        let [before, swapped, active, wish] =
            [before, swapped, active, wish].map(|cond| self.terms.within(cond, care));
        let decision = self.decide(&mut flow, fc, constant, (active, swapped, wish));
        let known = (before, active, wish);
        if fc.a_op != AddressOp::None && !matches!(decision, Decision::Jumps | Decision::Stays) {
            return Err(Undecided::Unstructured(pc));
        }
        let mut way = |jumped: bool| {
            let mut flow = flow.clone();
            flow.end(self.terms, fc, constant, known, jumped)?;
            Ok::<Way, Undecided>(Way { to: if jumped { target } else { next }, flow })
        };
        let (mut taken, shortcut) = match decision {
            Decision::Jumps => (way(true)?, None),
            Decision::Stays => (way(false)?, None),
            Decision::MayJump(care) => (way(false)?, Some((way(true)?, care))),
            Decision::MayStay(care) => (way(true)?, Some((way(false)?, care))),
        };
        if matches!(decision, Decision::Jumps) {
            let calls = &mut taken.flow.calls;
            match fc.a_op {
                AddressOp::Push if calls.len() == STACK_DEPTH => return Err(Undecided::Fault),
                AddressOp::Push => calls.push(next),
                AddressOp::Pop => taken.to = calls.pop().ok_or(Undecided::Fault)?,
                AddressOp::None | AddressOp::Reserved(_) => {}
            }
        }
        Ok((taken, shortcut))
    }

    /// Whether a group that took the shortcut comes to where the walk is, in the same state, and the point
    /// is inactive until then. All points of the group hold the debt's condition, so that its decisions are
    /// often known.
    fn meets(&mut self, debt: &Debt) -> Result<bool, Undecided> {
        let program = self.program;
        let (mut pc, mut flow) = (debt.to, debt.flow.clone());
        while self.terms.burn() {
            flow.within(debt.care, self.terms);
            if pc == self.state.pc && self.state.flow.same(&flow, debt.care, self.terms) {
                return Ok(true);
            }
            let instruction = program.instructions().get(pc as usize).ok_or(Undecided::Fault)?;
            self.state.results.instructions += 1;
            let next = match &instruction.body {
                Body::Fc(fc) => {
                    let (way, shortcut) =
                        self.step(&instruction.common, fc, pc, flow, debt.care)?;
                    if shortcut.is_some() {
                        return Ok(false);
                    }
                    flow = way.flow;
                    way.to
                }
                Body::Alu(_) | Body::Tex(_) => {
                    let active = flow.active(self.terms);
                    let cared = self.terms.and(active, debt.care);
                    if instruction.common.write_inactive || cared != Cond::FALSE {
                        return Ok(false);
                    }
                    (pc + 1) & 0x1ff
                }
            };
            let ended = pc == program.registers().end();
            pc = if ended { ENDED } else { next };
            if ended {
                flow = PointFlow::default();
            }
        }
        Err(Undecided::TooLarge)
    }

    fn int_constant(&self, fc: &Fc) -> Result<IntConstant, Undecided> {
        let needed = matches!(fc.op, FcOp::Loop | FcOp::Rep | FcOp::EndLoop);
        match self.setup.ints[usize::from(fc.int_addr) & 31] {
            Some(constant) => Ok(constant),
            None if needed => Err(Undecided::Constant("integer", fc.int_addr)),
            None => Ok((0, 0, 0)),
        }
    }

    /// Steps 3 and 4: what groups with this point can decide.
    fn decide(
        &mut self,
        flow: &mut PointFlow,
        fc: &Fc,
        constant: IntConstant,
        (active, swapped, wish): (Cond, Cond, Cond),
    ) -> Decision {
        use Decision::*;
        let terms = &mut *self.terms;
        let voters = terms.or(active, swapped);
        let agrees = terms.and(active, wish);
        let wants = terms.or(agrees, swapped);
        let stay = terms.not(wish);
        let disagrees = terms.and(active, stay);
        let vote = if fc.jump_any {
            match wants {
                Cond::FALSE => Stays,
                Cond::TRUE => Jumps,
                _ => MayStay(terms.not(wants)),
            }
        } else {
            match disagrees {
                Cond::FALSE => Jumps,
                Cond::TRUE => Stays,
                _ => MayJump(terms.not(disagrees)),
            }
        };
        match fc.op {
            FcOp::Jump => vote,
            FcOp::Loop | FcOp::Rep if constant.0 == 0 => Jumps,
            // It also needs a voter.
            FcOp::Loop | FcOp::Rep if voters == Cond::FALSE => Stays,
            FcOp::Loop | FcOp::Rep => match vote {
                Jumps if voters != Cond::TRUE => MayStay(terms.not(voters)),
                MayJump(_) if disagrees == voters => Stays,
                vote => vote,
            },
            FcOp::EndLoop | FcOp::EndRep => {
                let over = |frame: &mut Frame| {
                    frame.remaining = frame.remaining.saturating_sub(1);
                    frame.remaining == 0
                };
                let last = flow.frames.last_mut().is_none_or(over);
                if last { Stays } else { vote }
            }
            FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => {
                let mut waits = flow.waiting(terms);
                if let Some(frame) = flow.frames.last().filter(|_| fc.op != FcOp::Continue) {
                    waits = terms.or(waits, frame.continued);
                }
                let none = terms.not(waits);
                match (vote, none) {
                    (Stays, _) | (_, Cond::FALSE) => Stays,
                    (Jumps, Cond::TRUE) => Jumps,
                    (Jumps | MayStay(_), _) => MayJump(none),
                    (MayJump(care), _) => MayJump(terms.and(care, none)),
                }
            }
        }
    }

    /// Adds a debt. Those of a loop's iterations become one.
    fn owe(&mut self, debt: Debt) {
        let same = |other: &&mut Debt| {
            (other.from, other.to) == (debt.from, debt.to) && other.flow == debt.flow
        };
        match self.state.owed.iter_mut().find(same) {
            Some(other) => other.care = self.terms.or(other.care, debt.care),
            None => self.state.owed.push(debt),
        }
    }

    /// Checks what the walk owes, before the instruction at the pc.
    pub(crate) fn settle(&mut self, write_inactive: bool) -> Result<(), Undecided> {
        let owed = std::mem::take(&mut self.state.owed);
        if owed.is_empty() {
            return Ok(());
        }
        let active = self.state.flow.active(self.terms);
        for debt in owed {
            let State { flow, pc, .. } = &self.state;
            let there = *pc == debt.to && flow.frames.len() == debt.flow.frames.len();
            let kept = if there {
                flow.same(&debt.flow, debt.care, self.terms)
            } else {
                !write_inactive && self.terms.and(active, debt.care) == Cond::FALSE
            };
            if self.terms.is_spent() {
                return Err(Undecided::TooLarge);
            }
            if !kept && !self.meets(&debt)? {
                return Err(Undecided::Unstructured(debt.from));
            }
            if kept && !there {
                self.state.owed.push(debt);
            }
        }
        Ok(())
    }
}
