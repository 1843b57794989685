//! The functions of a module: while they are made, in the order of their declarations; at the end, each before its callers.

use naga::{Arena, Block, Expression, Function, Handle, Span, Statement};

/// Most calls that are looked at for whether they close a circle.
const MAX_SEARCHES: usize = 64;

/// A function.
#[derive(Default)]
struct Body {
    /// The function, once it is defined.
    function: Option<Function>,
    /// The functions that it calls, and where.
    calls: Vec<Call>,
    /// How many were defined before.
    rank: usize,
}

/// A function that is called, and the place.
pub type Call = (Handle<Function>, ctm_base::text::Span);

/// The functions so far.
#[derive(Default)]
pub struct Bodies {
    /// Gives the handles.
    handles: Arena<Function>,
    bodies: Vec<Body>,
    /// The number of definitions so far.
    defined: usize,
}

impl Bodies {
    /// A handle for a function that is defined later.
    pub fn reserve(&mut self) -> Handle<Function> {
        self.bodies.push(Body::default());
        self.handles.append(Function::default(), Span::UNDEFINED)
    }

    /// Defines a function.
    pub fn define(&mut self, handle: Handle<Function>, function: Function, calls: Vec<Call>) {
        self.defined += 1;
        let rank = self.defined;
        if let Some(body) = self.bodies.get_mut(handle.index()) {
            *body = Body { function: Some(function), calls, rank };
        }
    }

    /// The calls by which functions call themselves, through others or not: of each circle the one that goes back to a
    /// function that comes first. The function that is called, and the place.
    pub fn recursive(&self) -> Vec<Call> {
        let mut waits = vec![true; self.bodies.len()];
        self.order().iter().for_each(|n| waits[*n] = false);
        let left = self.bodies.iter().enumerate().filter(|(n, _)| waits[*n]);
        let back = left.flat_map(|(n, body)| body.calls.iter().map(move |call| (n, *call)));
        back.filter(|(n, (call, _))| {
            waits[call.index()] && self.bodies[call.index()].rank <= self.bodies[*n].rank
        })
        .take(MAX_SEARCHES)
        .filter(|(n, (call, _))| self.reaches(call.index(), *n, &waits))
        .map(|(_, call)| call)
        .collect()
    }

    /// Whether one function calls another, directly or not, by functions that wait.
    fn reaches(&self, from: usize, to: usize, waits: &[bool]) -> bool {
        let mut seen = vec![false; self.bodies.len()];
        let mut open = vec![from];
        while let Some(n) = open.pop() {
            if n == to {
                return true;
            }
            if !std::mem::replace(&mut seen[n], true) {
                let calls = self.bodies[n].calls.iter().map(|(call, _)| call.index());
                open.extend(calls.filter(|call| waits[*call]));
            }
        }
        false
    }

    /// The functions, each after those that it calls; those that call themselves are left out.
    fn order(&self) -> Vec<usize> {
        let mut waits: Vec<usize> = self.bodies.iter().map(|body| body.calls.len()).collect();
        let mut callers = vec![Vec::new(); self.bodies.len()];
        for (n, body) in self.bodies.iter().enumerate() {
            body.calls.iter().for_each(|(call, _)| callers[call.index()].push(n));
        }
        let mut order: Vec<usize> = (0..waits.len()).filter(|n| waits[*n] == 0).collect();
        let mut at = 0;
        while let Some(n) = order.get(at).copied() {
            at += 1;
            for caller in &callers[n] {
                waits[*caller] -= 1;
                if waits[*caller] == 0 {
                    order.push(*caller);
                }
            }
        }
        order
    }

    /// The functions in order, and for each handle so far the one that it becomes.
    pub fn finish(mut self) -> (Arena<Function>, Vec<Option<Handle<Function>>>) {
        let mut arena = Arena::new();
        let mut becomes: Vec<Option<Handle<Function>>> = vec![None; self.bodies.len()];
        for n in self.order() {
            let Some(mut function) = self.bodies[n].function.take() else { continue };
            rename(&mut function, &becomes);
            becomes[n] = Some(arena.append(function, Span::UNDEFINED));
        }
        (arena, becomes)
    }
}

/// Gives the calls of a function their handles.
pub fn rename(function: &mut Function, becomes: &[Option<Handle<Function>>]) {
    let of = |handle: Handle<Function>| becomes.get(handle.index()).copied().flatten();
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::CallResult(called) = expression
            && let Some(handle) = of(*called)
        {
            *called = handle;
        }
    }
    rename_block(&mut function.body, &of);
}

fn rename_block(block: &mut Block, of: &dyn Fn(Handle<Function>) -> Option<Handle<Function>>) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Call { function, .. } => {
                if let Some(handle) = of(*function) {
                    *function = handle;
                }
            }
            Statement::Block(block) => rename_block(block, of),
            Statement::If { accept, reject, .. } => {
                rename_block(accept, of);
                rename_block(reject, of);
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|case| rename_block(&mut case.body, of));
            }
            Statement::Loop { body, continuing, .. } => {
                rename_block(body, of);
                rename_block(continuing, of);
            }
            _ => {}
        }
    }
}
