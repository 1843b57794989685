//! The passes, from text to text.
//!
//! A file of the folder `passes` has cases. A case begins with `== ` and what it shows, then `pass NAME`; the form before the
//! pass, as [`ctm_codegen::print`](mod@ctm_codegen::print) writes blocks, with the nodes of a block in it; a line `=>`;
//! the form after it. `CTM_BLESS=1` writes what comes out.
//!
//! * `rules`: the nodes that the rules make of the nodes; `exact rules`: only of rules that keep each bit.
//! * `motion`: the blocks of nodes, the registers of variables.
//! * `select`: the operations, with the copies into variables.
//! * `schedule`: the instructions, with their operations and registers.
//! * `emit`: the program, with predicates and jumps.

use ctm_base::stop::Stop;
use ctm_base::work::Work;
use ctm_codegen::flow::{Block, Control, FlowGraph, Phi};
use ctm_codegen::graph::{Fetch, Graph, Id, Op, Rules};
use ctm_codegen::ir::{Ir, OutputChannel};
use ctm_codegen::print::{Form, print};
use ctm_codegen::{emit, search};
use ctm_isa::isa::LETTERS;
use ctm_lang::asm::{Style, disassemble};
use ctm_lang::program::interface::{Interface, Kind, Output, Sampler, Scalar, Uniform, Varying};
use std::collections::HashMap;

/// A form that is read.
struct Reader {
    ir: Ir,
    /// The nodes by their numbers in the text.
    ids: HashMap<String, Id>,
    /// Whether the rules make the nodes.
    ruled: bool,
}

/// The number of a channel's letter.
fn channel(letter: &str) -> u8 {
    let found = LETTERS.iter().position(|one| one.to_string() == letter);
    found.unwrap_or_else(|| panic!("no channel: {letter}")) as u8
}

/// The number after a letter, as in `v3`.
fn number<T: std::str::FromStr>(text: &str, letter: char) -> T {
    let digits = text.strip_prefix(letter).and_then(|digits| digits.parse().ok());
    digits.unwrap_or_else(|| panic!("expected `{letter}` and a number: {text}"))
}

impl Reader {
    fn new(rules: Rules, ruled: bool) -> Reader {
        let flow = FlowGraph { blocks: Vec::new(), ..FlowGraph::default() };
        let (graph, interface) = (Graph::new(rules), Interface::default());
        let (variables, stores) = (Vec::new(), Vec::new());
        let registers = None;
        let ir = Ir { graph, flow, outputs: Vec::new(), interface, variables, stores, registers };
        Reader { ir, ids: HashMap::new(), ruled }
    }

    /// All of a form.
    fn read(mut self, text: &str) -> Ir {
        if !text.starts_with("block") {
            self.ir.flow.blocks.push(Block::new(Control::Next));
        }
        for line in text.lines() {
            self.line(line.trim());
        }
        let flow = &mut self.ir.flow;
        flow.vectors = (0..flow.variables).map(|variable| vec![variable]).collect();
        self.ir
    }

    fn id(&self, name: &str) -> Id {
        *self.ids.get(name).unwrap_or_else(|| panic!("no node {name}"))
    }

    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["block", _] => self.ir.flow.blocks.push(Block::new(Control::Next)),
            ["if", condition] => self.end(Control::If(self.id(condition))),
            ["else"] => self.end(Control::Else),
            ["endif"] => self.end(Control::EndIf),
            ["loop", count] => self.end(Control::Loop(count.parse().expect("a trip count"))),
            ["break", condition] => self.end(Control::Break(self.id(condition))),
            ["endloop"] => self.end(Control::EndLoop),
            ["kill", condition] => {
                let condition = self.id(condition);
                self.last().kills.push((condition, 0));
            }
            [name, "=", value] if name.starts_with('v') => {
                let (variable, value) = (number(name, 'v'), self.id(value));
                self.ir.flow.variables = self.ir.flow.variables.max(variable + 1);
                self.last().assignments.push((variable, value));
            }
            [name, "=", value] if name.starts_with('o') => {
                let (slot, letter) = name.split_once('.').expect("a channel of an output");
                let slot = number(slot, 'o');
                let outputs = &mut self.ir.interface.outputs;
                if outputs.iter().all(|output| output.slot != slot) {
                    outputs.push(Output { name: format!("o{slot}"), slot });
                }
                let (channel, value) = (channel(letter), self.id(value));
                self.ir.outputs.push(OutputChannel { slot, channel, value, origin: 0 });
            }
            [name, "=", op, ref operands @ ..] if name.starts_with('%') => {
                let id = self.node(op, operands);
                self.ids.insert(name.to_string(), id);
            }
            _ => panic!("no line of a form: {line}"),
        }
    }

    fn last(&mut self) -> &mut Block {
        self.ir.flow.blocks.last_mut().expect("a block comes first")
    }

    fn end(&mut self, end: Control) {
        self.last().end = end;
    }

    fn node(&mut self, op: &str, operands: &[&str]) -> Id {
        let interface = &mut self.ir.interface;
        let op = match (op, operands) {
            ("literal", [value]) => Op::Literal(value.parse::<f32>().expect("a float").to_bits()),
            ("uniform", [name]) => {
                let (name, letter) = name.split_once('.').expect("a channel of a uniform");
                let known = interface.uniforms.iter().position(|one| one.name == name);
                let n = known.unwrap_or_else(|| {
                    let (name, kind, default) = (name.to_string(), Kind::Float, None);
                    let one = Uniform { name, kind, columns: 1, rows: 4, default, used: false };
                    interface.uniforms.push(one);
                    interface.uniforms.len() - 1
                });
                Op::Uniform(interface.scalar(Scalar::Uniform(n, channel(letter).into())))
            }
            ("input", [name]) => {
                let (name, letter) = name.split_once('.').expect("a channel of a varying");
                let known = interface.varyings.iter().position(|one| one.name == name);
                let n = known.unwrap_or_else(|| {
                    let (name, kind, temp) = (name.to_string(), Kind::Float, None);
                    interface.varyings.push(Varying { name, rows: 4, kind, temp });
                    interface.varyings.len() - 1
                });
                Op::Input(4 * n as u32 + u32::from(channel(letter)))
            }
            ("phi", [variable, "block", block]) => {
                let (variable, block) = (number(variable, 'v'), block.parse().expect("a block"));
                self.ir.flow.phis.push(Phi { variable, block });
                Op::Phi(self.ir.flow.phis.len() as u32 - 1)
            }
            ("fetch", [input, ..]) => {
                let input = number(input, 'i');
                if interface.samplers.iter().all(|sampler| sampler.input != input) {
                    let name = format!("i{input}");
                    interface.samplers.push(Sampler { name, input, used: true });
                }
                let has = |word| operands.contains(&word);
                Op::Fetch(Fetch { input, unscaled: has("unscaled"), projected: has("projected") })
            }
            ("texel", [letter, _]) => Op::Texel(channel(letter)),
            ("neg", _) => Op::Neg,
            ("abs", _) => Op::Abs,
            ("add", _) => Op::Add,
            ("mul", _) => Op::Mul,
            ("min", _) => Op::Min,
            ("max", _) => Op::Max,
            ("cmp", _) => Op::Cmp,
            ("frc", _) => Op::Frc,
            ("ex2", _) => Op::Ex2,
            ("ln2", _) => Op::Ln2,
            ("rcp", _) => Op::Rcp,
            ("rsq", _) => Op::Rsq,
            ("sin", _) => Op::Sin,
            ("cos", _) => Op::Cos,
            ("clamp", _) => Op::Clamp,
            ("dot3", _) => Op::Dot(3),
            ("dot4", _) => Op::Dot(4),
            _ => panic!("no operation: {op}"),
        };
        let ids: Vec<Id> = operands
            .iter()
            .filter(|operand| operand.starts_with('%'))
            .map(|operand| self.id(operand))
            .collect();
        let graph = &mut self.ir.graph;
        match (self.ruled, op, &ids[..]) {
            (true, Op::Neg, [a]) => graph.neg(*a),
            (true, Op::Abs, [a]) => graph.abs(*a),
            (true, Op::Add, [a, b]) => graph.add(*a, *b),
            (true, Op::Mul, [a, b]) => graph.mul(*a, *b),
            (true, Op::Min, [a, b]) => graph.min(*a, *b),
            (true, Op::Max, [a, b]) => graph.max(*a, *b),
            (true, Op::Cmp, [a, b, c]) => graph.cmp(*a, *b, *c),
            (true, Op::Frc, [a]) => graph.frc(*a),
            (true, Op::Ex2, [a]) => graph.ex2(*a),
            (true, Op::Ln2, [a]) => graph.ln2(*a),
            (true, Op::Rcp, [a]) => graph.rcp(*a),
            (true, Op::Rsq, [a]) => graph.rsq(*a),
            (true, Op::Sin, [a]) => graph.sin(*a),
            (true, Op::Cos, [a]) => graph.cos(*a),
            (true, Op::Clamp, [a]) => graph.clamp(*a),
            (true, Op::Dot(_), pairs) => {
                let pairs: Vec<(Id, Id)> = pairs.chunks(2).map(|pair| (pair[0], pair[1])).collect();
                graph.dot(&pairs)
            }
            _ => graph.intern(op, &ids),
        }
    }
}

/// The form after a pass.
fn after(pass: &str, before: &str) -> String {
    let (rules, pass) = match pass.strip_prefix("exact ") {
        Some(pass) => (Rules::Exact, pass),
        None => (Rules::All, pass),
    };
    let ir = Reader::new(rules, pass == "rules").read(before);
    let work = Work::new(Stop::never());
    let schedule = search::best(&ir, false, &work).expect("it fits into the machine");
    let form = match pass {
        "rules" => Form::Graph,
        "motion" => Form::Placed,
        "select" => Form::Selected,
        "schedule" => Form::Schedule,
        "emit" => {
            let image = emit::emit(&ir, &schedule, "case", "", false).expect("a program");
            let listing = disassemble(&image, Style::Friendly);
            let counts =
                |line: &&str| !line.starts_with(['.', '#']) || line.starts_with(".literal");
            return listing.lines().filter(counts).map(|line| format!("{line}\n")).collect();
        }
        _ => panic!("no pass: {pass}"),
    };
    print(&ir, &schedule, form, "", &work).expect("the budget suffices")
}

#[test]
fn passes_make_of_each_form_the_other() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes");
    let bless = std::env::var_os("CTM_BLESS").is_some();
    let mut counts = HashMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut fresh = String::new();
        for case in text.split("\n== ").map(|case| case.trim_start_matches("== ")) {
            let (title, rest) = case.split_once('\n').expect("a title");
            let (pass, rest) = rest.split_once('\n').expect("a pass");
            let pass = pass.strip_prefix("pass ").unwrap_or_else(|| panic!("{title}: no pass"));
            let before = rest.split("\n=>").next().unwrap_or(rest).trim_end();
            let after = after(pass, before);
            let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
            *counts.entry(file).or_insert(0) += 1;
            let between = if fresh.is_empty() { "" } else { "\n" };
            fresh += &format!("{between}== {title}\npass {pass}\n{before}\n=>\n{after}");
        }
        if bless {
            std::fs::write(&path, &fresh).expect("it can be written");
            continue;
        }
        assert_eq!(fresh, text.replace("\r\n", "\n"), "{}", path.display());
    }
    assert!(counts.len() >= 6 && counts.values().all(|count| *count >= 10), "{counts:?}");
}
