//! The way of one point through structured control flow.

use super::{MAX_BLOCKS, Stuck};
use crate::flow::Control;

/// An open branch or loop.
enum Open {
    If(usize),
    Loop { head: usize, breaks: Vec<usize> },
}

/// The way of a point, by the control at the end of each block or instruction.
pub struct Way<'a> {
    controls: &'a [Control],
    /// Where each goes if it does not go on: past its branch or loop, or back.
    targets: Vec<usize>,
    /// The iterations that are left of each open loop, and its number of iterations.
    loops: Vec<(u8, u8)>,
    /// The blocks that ran.
    count: u32,
}

impl<'a> Way<'a> {
    pub fn of(controls: &'a [Control]) -> Way<'a> {
        let mut targets = vec![controls.len(); controls.len()];
        let mut open: Vec<Open> = Vec::new();
        for (n, control) in controls.iter().enumerate() {
            match control {
                Control::Next => {}
                Control::If(_) => open.push(Open::If(n)),
                Control::Else => {
                    if let Some(Open::If(from)) = open.last_mut() {
                        targets[std::mem::replace(from, n)] = n + 1;
                    }
                }
                Control::EndIf => {
                    if let Some(Open::If(from)) = open.pop() {
                        targets[from] = n + 1;
                    }
                }
                Control::Loop(_) => open.push(Open::Loop { head: n + 1, breaks: vec![n] }),
                Control::Break(_) => {
                    let inner = open.iter_mut().rev().find_map(|open| match open {
                        Open::Loop { breaks, .. } => Some(breaks),
                        Open::If(_) => None,
                    });
                    inner.into_iter().for_each(|breaks| breaks.push(n));
                }
                Control::EndLoop => {
                    if let Some(Open::Loop { head, breaks }) = open.pop() {
                        targets[n] = head;
                        breaks.into_iter().for_each(|from| targets[from] = n + 1);
                    }
                }
            }
        }
        Way { controls, targets, loops: Vec::new(), count: 0 }
    }

    /// The place after the block or instruction `n`. `holds`: whether its condition does.
    pub fn next(&mut self, n: usize, holds: bool) -> Result<usize, Stuck> {
        self.count += 1;
        if self.count > MAX_BLOCKS {
            return Err(Stuck::Long);
        }
        let goes_on = match self.controls[n] {
            Control::Next | Control::EndIf => true,
            Control::If(_) => holds,
            Control::Else => false,
            Control::Loop(count) => {
                if count > 0 {
                    self.loops.push((count - 1, count));
                }
                count > 0
            }
            Control::Break(_) => {
                if holds {
                    self.loops.pop();
                }
                !holds
            }
            Control::EndLoop => match self.loops.last_mut() {
                Some((left, _)) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => {
                    self.loops.pop();
                    true
                }
            },
        };
        Ok(if goes_on { n + 1 } else { self.targets[n] })
    }

    /// The iteration of the innermost loop.
    pub fn iteration(&self) -> usize {
        self.loops.last().map_or(0, |(left, count)| usize::from(count - 1 - left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Control::*;

    #[test]
    fn a_point_takes_branches_and_leaves_loops() {
        // 0 loop 3 { 1 if { 2 break } else { 3 } 4 } 5
        let controls = [Loop(3), If(0), Break(0), Else, EndIf, EndLoop, Next];
        let run = |conditions: &[bool]| {
            let (mut way, mut at, mut seen) = (Way::of(&controls), 0, Vec::new());
            let mut conditions = conditions.iter().copied();
            while at < controls.len() {
                let asks = controls[at].condition().is_some();
                seen.push((at, way.iteration()));
                at = way.next(at, asks && conditions.next().unwrap_or(false)).expect("it ends");
            }
            seen
        };
        let around = |n| [(1, n), (4, n), (5, n)];
        let three = [0, 1, 2].map(around).concat();
        assert_eq!(run(&[]), [&[(0, 0)][..], &three, &[(6, 0)]].concat());
        assert_eq!(run(&[false, true, true])[4..], [(1, 1), (2, 1), (6, 0)]);
        let endless = [Loop(255), Loop(255), Loop(255), EndLoop, EndLoop, EndLoop];
        let (mut way, mut at) = (Way::of(&endless), 0);
        let stuck = loop {
            match way.next(at, false) {
                Ok(next) => at = next,
                Err(stuck) => break stuck,
            }
        };
        assert_eq!(stuck, Stuck::Long);
    }
}
