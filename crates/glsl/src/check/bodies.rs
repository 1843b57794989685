//! The functions of a module: while they are made, in the order of their declarations; at the end, each before its callers.

use naga::{Arena, Block, Expression, Function, Handle, Span, Statement};

/// A function.
#[derive(Default)]
struct Body {
    /// The function, once it is defined.
    function: Option<Function>,
    /// The functions that it calls.
    calls: Vec<Handle<Function>>,
}

/// The functions so far.
#[derive(Default)]
pub struct Bodies {
    /// Gives the handles.
    handles: Arena<Function>,
    bodies: Vec<Body>,
}

impl Bodies {
    /// A handle for a function that is defined later.
    pub fn reserve(&mut self) -> Handle<Function> {
        self.bodies.push(Body::default());
        self.handles.append(Function::default(), Span::UNDEFINED)
    }

    /// Defines a function.
    pub fn define(
        &mut self,
        handle: Handle<Function>,
        function: Function,
        calls: Vec<Handle<Function>>,
    ) {
        if let Some(body) = self.bodies.get_mut(handle.index()) {
            *body = Body { function: Some(function), calls };
        }
    }

    /// A function that calls itself, through others or not; its handle.
    pub fn recursive(&self) -> Option<Handle<Function>> {
        let order = self.order();
        let done: Vec<bool> = {
            let mut done = vec![false; self.bodies.len()];
            order.iter().for_each(|n| done[*n] = true);
            done
        };
        // From one that is left, follow the calls of others that are left: the way meets itself in a circle.
        let mut at = self.handles.iter().map(|(handle, _)| handle).find(|at| !done[at.index()])?;
        let mut seen = vec![false; self.bodies.len()];
        while !std::mem::replace(&mut seen[at.index()], true) {
            at = *self.bodies[at.index()].calls.iter().find(|call| !done[call.index()])?;
        }
        Some(at)
    }

    /// The functions, each after those that it calls; those that call themselves are left out.
    fn order(&self) -> Vec<usize> {
        let mut waits: Vec<usize> = self.bodies.iter().map(|body| body.calls.len()).collect();
        let mut callers = vec![Vec::new(); self.bodies.len()];
        for (n, body) in self.bodies.iter().enumerate() {
            body.calls.iter().for_each(|call| callers[call.index()].push(n));
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
