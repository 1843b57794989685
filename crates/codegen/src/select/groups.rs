//! Values that share a register: the coordinates of a fetch, which must, and the components of vectors.

use super::{Gathered, Selector};
use crate::code::{Atom, Does, Group, Operand, Source, ValueId};
use crate::graph::{Graph, Id, Op};

impl Selector<'_> {
    /// The coordinates of a fetch, in one register.
    pub(super) fn coordinates(&mut self, nodes: &[Id]) -> Vec<Operand> {
        let key = (self.block, nodes.to_vec());
        let values = match self.coordinates.get(&key) {
            Some(values) => values.clone(),
            None => {
                let values = self.gather(nodes);
                self.coordinates.insert(key, values.clone());
                values
            }
        };
        let operand =
            |value| Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false };
        values.into_iter().map(operand).collect()
    }

    fn gather(&mut self, nodes: &[Id]) -> Vec<ValueId> {
        // Components of one varying or of one fetch are together.
        let together = |graph: &Graph| {
            let key = |id: Id| match graph.op(id) {
                Op::Input(n) => Some((0, n / 4)),
                Op::Texel(_) => Some((1, graph.arg(id, 0))),
                Op::Phi(n) if !self.placement.copied[n as usize] => {
                    Some((2, self.placement.places[self.placement.variable[n as usize]].0.into()))
                }
                _ => None,
            };
            let first = key(nodes[0]);
            first.is_some() && nodes.iter().all(|id| key(*id) == first)
        };
        if nodes.iter().all(|id| *id == nodes[0]) {
            return vec![self.in_register(nodes[0], None); nodes.len()];
        }
        if together(self.graph) {
            return nodes.iter().map(|id| self.in_register(*id, None)).collect();
        }
        // A register that has some of them, and room for the others.
        let room = |known: &Gathered| {
            let missing: Vec<&Id> = nodes
                .iter()
                .filter(|id| !known.values.iter().any(|(other, _)| other == *id))
                .collect();
            let distinct = missing.iter().enumerate().filter(|(n, id)| !missing[..*n].contains(id));
            let count = distinct.count();
            known.block == self.block
                && missing.len() < nodes.len()
                && known.values.len() + count <= 4
        };
        let found = self.gathered.iter().position(room).unwrap_or_else(|| {
            self.code.groups.push(Group { members: 0, strict: true });
            let group = self.code.groups.len() - 1;
            self.gathered.push(Gathered { block: self.block, group, values: Vec::new() });
            self.gathered.len() - 1
        });
        let group = self.gathered[found].group;
        let mut values: Vec<ValueId> = Vec::new();
        for id in nodes {
            let known = self.gathered[found].values.iter().find(|(other, _)| other == id);
            if let Some((_, value)) = known {
                values.push(*value);
                continue;
            }
            let value = self.in_register(*id, Some(group));
            let members = &mut self.code.groups[group].members;
            self.code.values[value].group = Some((group, *members));
            *members += 1;
            self.gathered[found].values.push((*id, value));
            values.push(value);
        }
        values
    }

    /// Puts values of one vector of the source into groups.
    pub(super) fn groups(&mut self) {
        let vectors = &self.graph.vectors;
        let dots = (0..self.graph.size() as Id).filter(|id| {
            matches!(self.graph.op(*id), Op::Dot(_)) && !self.uses[*id as usize].is_empty()
        });
        let sides = dots.flat_map(|id| {
            let args: Vec<Id> = self.graph.node(id).operands().collect();
            [0, 1].map(|side| args.iter().copied().skip(side).step_by(2).collect::<Vec<Id>>())
        });
        let mut lists: Vec<Vec<Id>> = sides.collect();
        lists.extend(vectors.iter().cloned());
        for list in lists {
            let members: Vec<(u8, ValueId)> = list
                .iter()
                .enumerate()
                .filter_map(|(n, id)| {
                    let value = *self.made.get(&self.strip_modifiers(*id).0)?;
                    let made = self.code.values.get(value)?.made?;
                    let lane =
                        matches!(self.code.operations[made].does, Does::Lane(_) | Does::Dot(_));
                    lane.then_some((n as u8, value))
                })
                .collect();
            // Of one block.
            let block = |value: ValueId| {
                self.code.values[value].made.map(|made| self.code.operations[made].block)
            };
            let first = members.first().and_then(|(_, value)| block(*value));
            let members: Vec<(u8, ValueId)> =
                members.into_iter().filter(|(_, value)| block(*value) == first).collect();
            let mut fresh: Vec<(u8, ValueId)> = Vec::new();
            for (n, value) in &members {
                let known = fresh.iter().any(|(_, other)| other == value);
                if self.code.values[*value].group.is_none() && !known {
                    fresh.push((*n, *value));
                }
            }
            if fresh.is_empty() || members.len() < 2 {
                continue;
            }
            // Members that join a group without strict members of others.
            let present = members.iter().find_map(|(_, value)| self.code.values[*value].group);
            let group = match present {
                Some((group, _))
                    if self.code.groups[group].members as usize + fresh.len() <= 4
                        && !self.code.groups[group].strict =>
                {
                    group
                }
                _ if fresh.len() < 2 => continue,
                _ => {
                    self.code.groups.push(Group::default());
                    self.code.groups.len() - 1
                }
            };
            for (n, value) in fresh {
                self.code.groups[group].members += 1;
                self.code.values[value].group = Some((group, n));
            }
        }
    }
}
