//! A point before and after its program: start values, the conditional operation, outputs.

use crate::abi::places::{CONDITION, OUTPUT};
use crate::translate::access::{self, Channel};
use crate::translate::analyse::Written;
use crate::translate::emit::{Emit, STARTS, pe_counts, set_name};
use crate::translate::record::{self, word};
use crate::translate::state::Conditional;
use ctm_isa::isa::LETTERS;
use ctm_machine::launch::{FloatMode, Location, Test};
use ctm_machine::lower::{NO_ROW, OWN_VALUE};
use ctm_machine::memory::Format;
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl Emit<'_> {
    // The beginning of a point.

    pub(super) fn begin(&mut self) {
        let (width, height) = self.state.tile;
        let _ = writeln!(
            self.out,
            "@compute @workgroup_size({width}, {height}, 1)\nfn main(\n    \
             @builtin(workgroup_id) group: vec3<u32>,\n    \
             @builtin(local_invocation_id) local: vec3<u32>,\n    \
             @builtin(local_invocation_index) slot: u32,\n    \
             @builtin(num_workgroups) groups: vec3<u32>,\n) {{"
        );
        self.line("x1k_zero = groups.z - 1u;");
        self.line(&format!("let i = {} + group.x * {width}u + local.x;", word(record::FIRST_I)));
        self.line(&format!("let j = {} + group.y * {height}u + local.y;", word(record::FIRST_J)));
        let domain = |n: u32| word(record::DOMAIN + n);
        let inside = if self.state.all_covered {
            "true".to_string()
        } else {
            format!(
                "(i >= {}) & (j >= {}) & (i <= {}) & (j <= {})",
                domain(0),
                domain(1),
                domain(2),
                domain(3)
            )
        };
        if self.together {
            self.line(&format!("var covered = {inside};"));
        } else if !self.state.all_covered {
            self.line(&format!("if !({inside}) {{ return; }}"));
        }
        if let Some(condition) = self.state.condition
            && condition.location == Location::Pe
        {
            self.condition(&condition, None);
            if self.together {
                self.line("covered = covered & passed;");
            } else {
                self.line("if !passed { return; }");
            }
            if pe_counts(Some(&condition)) {
                self.line("if covered { atomicAdd(&covered_points, 1u); }");
                self.line("workgroupBarrier();");
                self.line("if (slot == 0u) & (atomicLoad(&covered_points) != 0u) {");
                self.line(&format!("    atomicAdd(&{}, 1u);", record::result("GROUPS")));
                self.line(&format!(
                    "    atomicAdd(&{}, atomicLoad(&covered_points));",
                    record::result("POINTS")
                ));
                self.line("}");
            }
        }
        for n in self.inputs.clone() {
            let at = word(record::SURFACES + n as u32);
            self.line(&format!("let input{n} = {at};"));
        }
        for n in self.uniforms.clone() {
            let at = record::float(record::UNIFORMS + n);
            let text = self.lowered.uniforms.get(n as usize);
            let text = text.map_or_else(String::new, ToString::to_string);
            self.line(&format!("let u_{n} = {at}; // {text}"));
        }
        if let Some(fuel) = self.fuel {
            let cost = if fuel.instructions { self.tree.once } else { 0 };
            self.line(&format!("var spent = {cost}u;"));
        }
        if self.bits != 0 {
            for (n, channel) in LETTERS.iter().enumerate() {
                if self.bits >> n & 1 != 0 {
                    self.line(&format!("var p_{channel} = false;"));
                }
            }
            if self.bits >> 4 & 1 != 0 {
                self.line("var alu_result = false;");
            }
        }
        for (n, written) in self.analysis.written.iter().enumerate() {
            if *written == Written::Maybe && self.is_output(n) {
                self.line(&format!("var {} = false;", set_name(n)));
            }
        }
        self.registers();
        let _ = writeln!(self.out);
    }

    pub(super) fn registers(&mut self) {
        if self.state.mode == FloatMode::Exact {
            self.line(&format!("let zero = {};", record::float(record::ZERO)));
        }
        self.starts();
        for (channel, (low, len)) in self.relative.arrays.clone() {
            let letter = LETTERS[usize::from(channel & 3)];
            let zeros = match self.state.mode {
                FloatMode::Exact | FloatMode::Chip => {
                    format!(" = array({})", vec!["zero"; usize::from(len)].join(", "))
                }
                FloatMode::Fast => format!(": array<u32, {len}>"),
            };
            self.line(&format!(
                "var rel_{letter}{zeros}; // r{low}.{letter} to r{}.{letter}",
                low + len - 1
            ));
        }
        let mut started: BTreeMap<u32, String> = BTreeMap::new();
        for temp in 0..128 {
            for channel in 0..4 {
                if self.temp_used(temp, channel)
                    && let Some(value) = self.start_value(temp, channel)
                {
                    let row = self.lowered.temp_rows[4 * temp + channel];
                    started.insert(u32::from(row), value);
                }
            }
        }
        for row in self.used.clone() {
            let name = self.name(row);
            let value = started.remove(&row);
            if self.relative.array_of(self.lowered, row).is_some() {
                if let Some(value) = value {
                    self.line(&format!("{name} = {value};"));
                }
                continue;
            }
            match value {
                Some(value) => self.line(&format!("var {name} = {value};")),
                None => {
                    let zero = self.zero();
                    self.line(&format!("var {name} = {zero};"));
                }
            }
        }
        // Members of an array that no operation names.
        for (row, value) in started {
            if self.relative.array_of(self.lowered, row).is_some() {
                let name = self.name(row);
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    /// Reads the data that temporaries start with.
    fn starts(&mut self) {
        let used = |(_, temp): &(usize, usize)| (0..4).any(|c| self.temp_used(*temp, c));
        let temps = self.state.initial.iter().map(|&temp| usize::from(temp)).enumerate();
        let temps: Vec<(usize, usize)> = temps.filter(used).collect();
        if temps.is_empty() {
            return;
        }
        let [i0, j0, i1, j1] = std::array::from_fn(|n| word(record::DOMAIN + n as u32));
        self.line(&format!("let columns = {i1} - {i0} + 1u;"));
        // Other points have already ended.
        let (column, row) = if self.together && !self.state.all_covered {
            (format!("clamp(i, {i0}, {i1})"), format!("clamp(j, {j0}, {j1})"))
        } else {
            ("i".to_string(), "j".to_string())
        };
        self.line(&format!("let point = ({row} - {j0}) * columns + ({column} - {i0});"));
        for (n, temp) in temps {
            let first = match n {
                0 => String::new(),
                n => format!("{n}u * columns * ({j1} - {j0} + 1u) + "),
            };
            self.line(&format!("let start{temp} = {STARTS}[{first}point];"));
        }
    }

    /// The start value of registers.
    pub(super) fn zero(&self) -> &'static str {
        match self.state.mode {
            FloatMode::Exact | FloatMode::Chip => "zero",
            FloatMode::Fast => "0u",
        }
    }

    pub(super) fn temp_used(&self, temp: usize, channel: usize) -> bool {
        let row = self.lowered.temp_rows.get(4 * temp + channel).copied();
        match row {
            None | Some(NO_ROW) => false,
            Some(row) => {
                let row = u32::from(row);
                self.used.contains(&row) || self.relative.array_of(self.lowered, row).is_some()
            }
        }
    }

    /// The start value of a temporary's channel, if it is not 0.
    pub(super) fn start_value(&self, temp: usize, channel: usize) -> Option<String> {
        if self.state.initial.iter().any(|&t| usize::from(t) == temp) {
            return Some(format!("start{temp}.{}", ["x", "y", "z", "w"][channel]));
        }
        if let Some(at) = self.layout.interpolants
            && (1..=7).contains(&temp)
        {
            let plane = |n: usize| record::float(at + (3 * (4 * (temp - 1) + channel) + n) as u32);
            // Half points are exact in floats.
            let at = |name: &str| format!("bitcast<u32>(f32({name}) + 0.5)");
            return Some(format!(
                "x1k_add(x1k_add({}, x1k_mul({}, {}, false)), x1k_mul({}, {}, false))",
                plane(0),
                plane(1),
                at("i"),
                plane(2),
                at("j")
            ));
        }
        match (temp, channel) {
            (0, 0) => Some("bitcast<u32>(f32(i))".to_string()),
            (0, 1) => Some("bitcast<u32>(f32(j))".to_string()),
            _ => None,
        }
    }

    // The end of a point.

    /// Whether an output channel, or the own conditional value, is used at the end of a point.
    pub(super) fn is_output(&self, number: usize) -> bool {
        if number == usize::from(OWN_VALUE) {
            return self.state.reads_own();
        }
        let output = self.state.outputs[number / 4];
        output.is_some_and(|output| output.mask >> (number % 4) & 1 != 0)
    }

    pub(super) fn end(&mut self) {
        if let Some(fuel) = self.fuel {
            self.line(&format!("if spent > {}u {{ give_up(GAVE_UP_BUDGET); }}", fuel.most));
        }
        let mut guard = self.together.then(|| "covered".to_string());
        if let Some(condition) = self.state.condition
            && condition.location == Location::Dpp
        {
            let own = match self.analysis.written[usize::from(OWN_VALUE)] {
                Written::Never => None,
                Written::Always => Some("true"),
                Written::Maybe => Some("w_set"),
            };
            self.condition(&condition, own);
            guard = Some(match guard {
                Some(guard) => format!("({guard} & passed)"),
                None => "passed".to_string(),
            });
        }
        for n in 0..4 {
            self.output(n, guard.as_deref());
        }
    }

    pub(super) fn output(&mut self, n: usize, guard: Option<&str>) {
        let Some(output) = self.state.outputs[n] else {
            return;
        };
        let channels: [Option<Channel>; 4] = std::array::from_fn(|c| {
            let number = 4 * n + c;
            let row = self.lowered.output_rows[number];
            if !self.is_output(number) || row == NO_ROW {
                return None;
            }
            let condition = match self.analysis.written[number] {
                Written::Never => return None,
                Written::Always => None,
                Written::Maybe => Some(set_name(number)),
            };
            self.used.insert(u32::from(row));
            Some(Channel { value: self.name(u32::from(row)), condition })
        });
        if channels.iter().all(Option::is_none) {
            return;
        }
        self.line(&format!("// Output {n}: {}.", output.format));
        let any = {
            let conditions: Option<Vec<&str>> =
                channels.iter().flatten().map(|channel| channel.condition.as_deref()).collect();
            conditions.map(|conditions| format!("({})", conditions.join(" | ")))
        };
        let at = word(record::SURFACES + (OUTPUT + n) as u32);
        let bounds =
            output.bounds.map(|(pitch, height)| format!("(i < {pitch}u) & (j < {height}u)"));
        if output.format.bytes_per_element() < 4 {
            let mut terms: Vec<String> = guard.map(str::to_string).into_iter().collect();
            terms.extend(any.clone());
            let writes = if terms.is_empty() { "true".to_string() } else { terms.join(" & ") };
            self.line("{");
            self.indent += 1;
            self.line(&format!("let writes = {writes};"));
            if let Some(bounds) = &bounds {
                self.line(&format!("let inside = {bounds};"));
                self.line("if writes & !inside { give_up(GAVE_UP_FAULT); }");
            }
            let write = if bounds.is_some() { "writes & inside" } else { "writes" };
            let unit = self.layout.unit;
            self.line(&access::store_part(&output, unit, &at, &channels, write));
            self.indent -= 1;
            self.line("}");
            return;
        }
        self.line(&match guard {
            Some(guard) => format!("if {guard} {{"),
            None => "{".to_string(),
        });
        self.indent += 1;
        let lines = access::store(&output, self.layout.unit, &at, &channels);
        if let Some(bounds) = bounds {
            self.line(&format!("if {bounds} {{"));
            self.indent += 1;
            for line in lines {
                self.line(&line);
            }
            self.indent -= 1;
            self.line(&match any {
                Some(any) => format!("}} else if {any} {{"),
                None => "} else {".to_string(),
            });
            self.line("    give_up(GAVE_UP_FAULT);");
            self.line("}");
        } else {
            for line in lines {
                self.line(&line);
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    /// The conditional operation; declares `passed`. `own` says when the point's own value counts.
    pub(super) fn condition(&mut self, condition: &Conditional, own: Option<&str>) {
        let _ = writeln!(self.out);
        self.line(&format!(
            "// The conditional operation: {} at location {}.",
            condition.test.name(),
            condition.location.name()
        ));
        let Some(buffer) = condition.buffer else {
            self.line(&format!("let passed = {};", condition.test == Test::Always));
            return;
        };
        let small = buffer.format == Format::Uint16x1;
        let pe = word(record::VALUE);
        let pe = if small { format!("({pe} & 0xffffu)") } else { pe };
        let value = match own {
            None => pe,
            Some(when) => {
                let row = u32::from(self.lowered.own_row);
                self.used.insert(row);
                let own = self.name(row);
                let own = if small { format!("x1k_unorm16({own})") } else { own };
                match when {
                    "true" => own,
                    when => format!("select({pe}, {own}, {when})"),
                }
            }
        };
        let at = word(record::SURFACES + CONDITION as u32);
        let covered = if self.together { "covered" } else { "true" };
        self.line(&format!("let value = {value};"));
        let inside = match buffer.bounds {
            Some((pitch, height)) => format!("(i < {pitch}u) & (j < {height}u)"),
            None => "true".to_string(),
        };
        self.line(&format!("let reachable = {covered} & {inside};"));
        if condition.test.reads_buffer() {
            let element = access::own_unit(&buffer, self.layout.unit, &at);
            self.line("var held = 0u;");
            self.line(&format!("if reachable {{ held = {element}; }}"));
        }
        let (less, equal, greater) = if small {
            ("(value < held)", "(value == held)", "(value > held)")
        } else {
            ("x1k_less(value, held)", "x1k_equal(value, held)", "x1k_less(held, value)")
        };
        let passed = match condition.test {
            Test::Never => "false".to_string(),
            Test::Less => less.to_string(),
            Test::LessEqual => format!("({less} | {equal})"),
            Test::Equal => equal.to_string(),
            Test::GreaterEqual => format!("({greater} | {equal})"),
            Test::Greater => greater.to_string(),
            Test::NotEqual => format!("!{equal}"),
            Test::Always => "true".to_string(),
        };
        self.line(&format!("let passed = {passed};"));
        if buffer.bounds.is_some() {
            let touches = match (condition.test.reads_buffer(), condition.write) {
                (true, _) => "true",
                (false, true) => "passed",
                (false, false) => "false",
            };
            self.line(&format!(
                "if {covered} & !reachable & {touches} {{ give_up(GAVE_UP_FAULT); }}"
            ));
        }
        if !condition.write {
            return;
        }
        if small {
            let mask = "select(0u, 0xffffu, reachable & passed)";
            let unit = self.layout.unit;
            self.line(&access::store_units(&buffer, unit, &at, "value", mask));
        } else {
            let channel = Channel { value: "value".to_string(), condition: None };
            let lines =
                access::store(&buffer, self.layout.unit, &at, &[Some(channel), None, None, None]);
            self.line("if reachable & passed {");
            for line in lines {
                self.line(&format!("    {line}"));
            }
            self.line("}");
        }
        let _ = writeln!(self.out);
    }
}
