//! The model as an observer of the reference engine: it writes what it has computed itself.

use super::*;

impl Observer for Model<'_> {
    fn begin(&mut self, group: &GroupState) {
        let launch = self.launch;
        let mut temps: Vec<[Tags; 4]> = (0..128).map(|n| [Tags::one(n); 4]).collect();
        temps[0] = Default::default();
        if launch.interpolants.is_some() {
            temps[1..8].fill(Default::default());
        }
        for initial in &launch.initial {
            temps[initial.temp as usize] = Default::default();
        }
        let slot = Slot {
            temps,
            predicates: [Tags::one(PREDICATES); 4],
            alu_result: Tags::one(ALU_RESULT),
            ..Slot::default()
        };
        self.slots = vec![slot; SLOTS];
        self.dropped.clear();
        assert!(group.executed() == 0);
    }

    fn step(&mut self, step: &Step<'_>) {
        let (group, instruction) = (step.before, step.instruction);
        let common = &instruction.common;
        for slot in &mut self.slots {
            if common.tex_sem_wait {
                slot.fetching.retain(|_, held| !*held);
                slot.sent.retain(|_, held| !*held);
            }
            if common.alu_wait {
                slot.unwaited.clear();
            }
        }
        match &instruction.body {
            Body::Alu(alu) => self.alu(group, common, alu, step.results),
            Body::Tex(tex) => self.tex(group, common, tex),
            Body::Fc(fc) => self.flow(group, common, fc),
        }
        for (slot, fetch) in step.fetches {
            self.load(group, *slot, fetch);
        }
        for &(slot, address) in step.sent {
            self.slots[slot].sent.insert(address, false);
        }
        let acquires = match &instruction.body {
            Body::Tex(tex) => tex.tex_sem_acquire,
            // Targets 1 and 3 of an uncached program.
            Body::Alu(alu) => {
                self.launch.program.umrt()
                    && common.class == Type::Out
                    && common.omask != 0
                    && alu.units[0].target % 2 == 1
            }
            Body::Fc(_) => false,
        };
        if acquires {
            for slot in &mut self.slots {
                slot.fetching
                    .values_mut()
                    .chain(slot.sent.values_mut())
                    .for_each(|held| *held = true);
            }
        }
    }

    fn dropped(&mut self, _group: &GroupState, slot: usize) {
        self.dropped.insert(slot);
    }

    fn stored(&mut self, store: &Store) {
        let Store { point, address, element, .. } = *store;
        let bytes: Vec<u32> = (0..16)
            .filter(|n| element.byte_mask >> n & 1 != 0)
            .map(|n| address.wrapping_add(n))
            .collect();
        for &byte in &bytes {
            self.writers.entry(byte).or_default().insert(point);
        }
        self.accesses.push((point, bytes, true));
    }

    fn end(&mut self, group: &GroupState, faulted: bool) {
        if faulted {
            return;
        }
        let launch = self.launch;
        let umrt = launch.program.umrt();
        for slot in (0..SLOTS).filter(|slot| group.covered() >> slot & 1 != 0) {
            let point = group.point(slot);
            let state = self.slots[slot].clone();
            let condition = &launch.condition;
            if condition.location == Location::Dpp
                && condition.touched().is_some()
                && let Some((tags, pc)) = &state.own_value
            {
                let names: Vec<String> =
                    tags.names().into_iter().map(|name| format!("{name}, condition")).collect();
                if !names.is_empty() {
                    self.events.add(Code::Uninitialised, *pc, "", point, names);
                }
            }
            if self.dropped.contains(&slot) || umrt {
                continue;
            }
            for output in 0..4 {
                let Some(surface) = launch.outputs[output] else { continue };
                if launch.program.uses().outputs >> output & 1 == 0 {
                    continue;
                }
                let mut missing = String::new();
                for lane in 0..surface.format.channels() as usize {
                    if launch.out_mask >> lane & 1 == 0 {
                        continue;
                    }
                    if let Some((tags, pc)) = &state.outputs[output][lane] {
                        self.use_of(*pc, point, tags);
                    }
                    if state.written[output] >> lane & 1 == 0 {
                        missing.push(['r', 'g', 'b', 'a'][lane]);
                    }
                }
                if !missing.is_empty() {
                    let subject = format!("o{output}.{missing}");
                    self.events.add(Code::PointOutput, 0, &subject, point, Vec::new());
                }
            }
        }
    }
}

impl Model<'_> {
    fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        if group.covered() >> slot & 1 == 0 {
            return;
        }
        let surface = self.launch.inputs[fetch.input].expect("a surface");
        let instruction = &self.launch.program.instructions()[group.pc() as usize];
        let common = &instruction.common;
        let point = group.point(slot);
        let (width, height) = (i64::from(surface.width), i64::from(surface.height));
        let edge = if surface.tiling.is_2x2() { 1 } else { 0 };
        let (x, y) = (i64::from(fetch.meant.0), i64::from(fetch.meant.1));
        let outside = x < 0 || y < 0 || x + edge >= width || y + edge >= height;
        let written =
            (0..4).any(|n| common.wmask >> n & 1 != 0 && gate(common, group.predicates(slot), n));
        if outside && written && surface.wrap == Wrap::Clamp {
            let subject = format!("i{}", fetch.input);
            self.events.add(Code::ClampedFetch, group.pc(), &subject, point, Vec::new());
        }
        // The bytes that it reads.
        let place = |v: i64, size: i64| match surface.wrap {
            Wrap::Clamp => v.clamp(0, (size - 1).max(0)) as u32,
            Wrap::Repeat => v.rem_euclid(size.max(1)) as u32,
        };
        let mut bytes = Vec::new();
        for dy in 0..=edge {
            for dx in 0..=edge {
                let address = surface.address(place(x + dx, width), place(y + dy, height));
                let size = surface.format.bytes_per_element();
                bytes.extend((0..size).map(|n| address.wrapping_add(n)));
            }
        }
        let address = surface.address(fetch.read.0, fetch.read.1);
        let words: BTreeSet<u32> =
            (0..surface.format.bytes_per_element()).map(|n| address.wrapping_add(n) & !3).collect();
        let sent = words.iter().find_map(|word| self.slots[slot].sent.get(word).copied());
        if let Some(held) = sent {
            let rule = if held { "TEX_SEM_WAIT" } else { "TEX_SEM_ACQUIRE" };
            let subject = format!("memory, {rule}");
            self.events.add(Code::StaleRead, group.pc(), &subject, point, Vec::new());
        }
        self.accesses.push((point, bytes, false));
    }
}
