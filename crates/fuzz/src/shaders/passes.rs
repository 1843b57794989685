//! The pass of the compiler that makes a mistake, and a form that shows it.
//!
//! The result of each form at the points of a shader's run is compared with the evaluator's, as that of the program is. The
//! form before the pass is then reduced, as long as the same pass changes its result.

use super::check::{At, Data, FLOWS, Finding, Tally, UNWRITTEN, Written, points, same};
use ctm_base::panics;
use ctm_base::stop::Stop;
use ctm_base::work::Work;
use ctm_codegen::evaluate::{self, Forms, Inputs, Machine, Outcome, Pass, Stuck};
use ctm_codegen::graph::{Fetch, Rules};
use ctm_codegen::ir::Ir;
use ctm_codegen::schedule::Schedule;
use ctm_codegen::{case, print, read, search};
use ctm_compiler::evaluate::{Environment, Evaluator, Number, Numbers, Point};
use ctm_compiler::{Flow, Language, Options};
use ctm_isa::float;
use ctm_lang::program::interface::Interface;
use std::collections::HashMap;

/// Most forms that are tried to make one smaller.
const TRIES: u32 = 2000;

/// A pass that makes a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The program.
    pub flow: Flow,
    /// The first pass after which the result differs: one of [`Pass`], `lower` before them or `emit` after them.
    pub pass: &'static str,
    /// The form before the pass and the one after it, as a case of the tests of passes, if a form alone shows the mistake.
    pub case: Option<String>,
}

/// The first pass after which the result of a shader differs from the evaluator's. `None`: no form can be evaluated.
pub fn blame(source: &str, seed: u64, precise: bool, finding: &Finding) -> Option<Blame> {
    let flows = match finding {
        Finding::Value { flow, .. } | Finding::Killed { flow, .. } => vec![*flow],
        Finding::Fails(_) => FLOWS.to_vec(),
        // The values of a proof are others.
        Finding::Optimized { .. } => return None,
    };
    let fails = matches!(finding, Finding::Fails(_));
    let mut all = flows.into_iter().filter_map(|flow| {
        let blamed = panics::catch(|| of_flow(source, seed, precise, flow)).ok().flatten()?;
        // The mistake may be in the other program.
        (!fails || blamed.pass != EMIT).then_some(blamed)
    });
    all.next()
}

/// The pass after all that leave a form.
const EMIT: &str = "emit";

fn of_flow(source: &str, seed: u64, precise: bool, flow: Flow) -> Option<Blame> {
    let options = Options { precise, flow, ..Options::default() };
    let forms = ctm_compiler::forms(source, "shader", Language::Glsl, &options).ok()?;
    let data = Data::of(seed, precise, &forms.ir.interface);
    let values = Values::of(&data, &forms.ir.interface);
    let evaluator = Evaluator::new(source, "shader").ok()?;
    let expected = points().map(|point| evaluator.run(&At(&data, point)));
    let expected = expected.collect::<Result<Vec<Point>, String>>().ok()?;
    let wrong = values.first_wrong(&forms.ir, &forms.schedule, precise, &expected)?;
    let plain = forms.plain.as_ref();
    let graph = |ir: &Ir| values.graph(ir, precise, &expected);
    let (pass, before) = match wrong {
        None => (EMIT, None),
        Some(Pass::Rules) => match plain {
            Some(plain) if graph(plain)? => ("lower", None),
            Some(plain) => (Pass::Rules.name(), Some((Pass::Rules, plain))),
            None => ("lower, with its rules", None),
        },
        Some(pass) => (pass.name(), Some((pass, &forms.ir))),
    };
    let case = before.and_then(|(pass, ir)| {
        let text = print::blocks(ir, "");
        Form { values: &values, rules: forms.ir.graph.rules, pass, precise }.case(&text)
    });
    Some(Blame { flow, pass, case })
}

/// The values of a shader's run, by the names that texts of forms have.
struct Values<'a> {
    data: &'a Data<'a>,
    interface: &'a Interface,
    scalars: HashMap<String, u32>,
    /// By point.
    varyings: Vec<HashMap<&'a str, [u32; 4]>>,
}

impl<'a> Values<'a> {
    fn of(data: &'a Data<'a>, interface: &'a Interface) -> Values<'a> {
        let scalars = interface.scalars.iter();
        let scalars = scalars.map(|one| (interface.name_of(*one), data.scalar(*one))).collect();
        let varyings = points().map(|point| {
            let channels =
                |name: &str| [0, 1, 2, 3].map(|channel| data.varying(point, name, channel));
            interface.varyings.iter().map(|one| (&*one.name, channels(&one.name))).collect()
        });
        Values { data, interface, scalars, varyings: varyings.collect() }
    }

    /// The element of an input at coordinates, as the machine fetches it.
    fn fetch(&self, fetch: Fetch, [mut s, mut t, q]: [u32; 3]) -> [u32; 4] {
        let at = At(self.data, [0, 0]);
        let name = self.interface.samplers.iter().find(|one| one.input == fetch.input);
        let name = name.map_or("", |sampler| &sampler.name);
        let scale = |a: u32, b: u32| float::mul(a, b, false);
        if fetch.projected {
            let reciprocal = float::rcp(q);
            (s, t) = (scale(s, reciprocal), scale(t, reciprocal));
        }
        if !fetch.unscaled {
            let [width, height] = at.size(name).map(|size| (size as f32).to_bits());
            (s, t) = (scale(s, width), scale(t, height));
        }
        at.fetch(name, float::texel_index(s), float::texel_index(t))
    }

    /// The results of a form at all points.
    fn run<V>(
        &self,
        interface: &Interface,
        mut form: impl FnMut(&Inputs<'_>) -> Result<Outcome<V>, Stuck>,
    ) -> Result<Vec<Outcome<V>>, Stuck> {
        let scalar = |name: String| self.scalars.get(&name).copied().unwrap_or(0);
        let all = |varyings: &HashMap<&str, [u32; 4]>| {
            let scalars = interface.scalars.iter();
            let varying = |name: &str| varyings.get(name).copied().unwrap_or_default();
            form(&Inputs {
                scalars: scalars.map(|one| scalar(interface.name_of(*one))).collect(),
                varyings: interface.varyings.iter().map(|one| varying(&one.name)).collect(),
                fetch: &|fetch, at| self.fetch(fetch, at),
            })
        };
        self.varyings.iter().map(all).collect()
    }

    /// Whether the results of a form differ. `None`: it cannot be evaluated.
    fn wrong(
        &self,
        outcomes: Result<Vec<Outcome>, Stuck>,
        precise: bool,
        expected: &[Point],
    ) -> Option<bool> {
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            Err(Stuck::Long) => return Some(true),
            Err(Stuck::Node(_) | Stuck::Operation(_)) => return None,
        };
        let mut slots: Vec<u8> =
            outcomes.iter().flat_map(|one| one.outputs.keys().map(|(slot, _)| *slot)).collect();
        slots.sort_unstable();
        slots.dedup();
        // Where all points end, the first output stands for all.
        if slots.is_empty() {
            slots.push(0);
        }
        let written = slots.into_iter().map(|slot| {
            // An output gets the result of an instruction, whatever moves through the form.
            let channel = |one: &Outcome, n| {
                one.outputs.get(&(slot, n)).map_or(0, |bits| float::finish(*bits, 0))
            };
            let value = |one: &Outcome| {
                if one.killed { [UNWRITTEN; 4] } else { [0, 1, 2, 3].map(|n| channel(one, n)) }
            };
            (slot, outcomes.iter().map(value).collect())
        });
        let written: Vec<Written> = written.collect();
        Some(same(Flow::Chosen, precise, expected, &written, &mut Tally::default()).is_err())
    }

    fn graph(&self, ir: &Ir, precise: bool, expected: &[Point]) -> Option<bool> {
        let machine = &mut Machine::of(&ir.graph);
        let run = |inputs: &Inputs<'_>| evaluate::graph(ir, machine, &mut |bits| bits, inputs);
        self.wrong(self.run(&ir.interface, run), precise, expected)
    }

    /// The first pass after which the result differs, if there is one. `None`: a form cannot be evaluated.
    fn first_wrong(
        &self,
        ir: &Ir,
        schedule: &Schedule,
        precise: bool,
        expected: &[Point],
    ) -> Option<Option<Pass>> {
        let forms = Forms::of(ir, schedule, &Work::new(Stop::never())).ok()?;
        for pass in Pass::ALL {
            let outcomes = self.run(&ir.interface, |inputs| forms.after(pass, inputs));
            if self.wrong(outcomes, precise, expected)? {
                return Some(Some(pass));
            }
        }
        Some(None)
    }

    /// The results of a graph within the bounds of its operations.
    fn expected(&self, ir: &Ir) -> Option<Vec<Point>> {
        let mut doubts = Vec::new();
        let run = |inputs: &Inputs<'_>| {
            let mut doubtful = false;
            // A number within the bounds may decide otherwise.
            let decides = &mut |value: Number| {
                let size = f64::from(f32::from_bits(value.bits)).abs();
                doubtful |= value.error != 0.0 && (size.is_nan() || size <= value.error);
                value.bits
            };
            let outcome = evaluate::graph(ir, &mut Numbers, decides, inputs);
            doubts.push(doubtful);
            outcome
        };
        let outcomes = self.run(&ir.interface, run).ok()?;
        let point = |(outcome, doubtful): (Outcome<Number>, bool)| {
            let mut outputs: HashMap<u8, Vec<Number>> = HashMap::new();
            for ((slot, channel), value) in outcome.outputs {
                let values = outputs.entry(slot).or_insert_with(|| vec![Number::given(0); 4]);
                values[usize::from(channel)] = value;
            }
            Point { killed: outcome.killed, doubtful, outputs: outputs.into_iter().collect() }
        };
        Some(outcomes.into_iter().zip(doubts).map(point).collect())
    }
}

/// The search for a small form that shows a pass's mistake.
struct Form<'a> {
    values: &'a Values<'a>,
    rules: Rules,
    pass: Pass,
    precise: bool,
}

impl Form<'_> {
    /// Whether the pass changes the result of a form.
    fn shows(&self, text: &str) -> bool {
        panics::catch(|| self.changed(text)).is_ok_and(|changed| changed == Some(true))
    }

    fn changed(&self, text: &str) -> Option<bool> {
        if self.pass == Pass::Rules {
            let literals = Rules::Literals { precise: self.precise };
            let plain = read::read(text, literals, true).ok()?;
            let ruled = read::read(text, self.rules, true).ok()?;
            if ruled.outputs.is_empty() {
                return None;
            }
            return self.values.graph(&ruled, self.precise, &self.values.expected(&plain)?);
        }
        let ir = read::read(text, self.rules, false).ok()?;
        if ir.outputs.is_empty() {
            return None;
        }
        let expected = self.values.expected(&ir)?;
        let schedule = search::best(&ir, false, &Work::new(Stop::never())).ok()?;
        let wrong = self.values.first_wrong(&ir, &schedule, self.precise, &expected)?;
        Some(wrong == Some(self.pass))
    }

    /// A case of the tests of passes, if the form shows the mistake.
    fn case(&self, text: &str) -> Option<String> {
        if !self.shows(text) {
            return None;
        }
        let text = self.reduced(text);
        let name = match self.pass {
            Pass::Rules => "rules",
            Pass::Motion => "motion",
            Pass::Select | Pass::Copies | Pass::Rematerialize => "select",
            Pass::Schedule | Pass::Pack => "schedule",
            Pass::Predicates => "emit",
        };
        let exact = if self.precise { "exact " } else { "" };
        let pass = format!("{exact}{name}");
        let after = case::after(&pass, &text, &Work::new(Stop::never())).ok()?;
        Some(format!("== A mistake of {}.\npass {pass}\n{text}=>\n{after}", self.pass.name()))
    }

    /// The form without nodes that nothing needs, numbered from 0, if it still shows the mistake.
    fn normalised(&self, text: String) -> String {
        let rules = match self.pass {
            Pass::Rules => Rules::Literals { precise: self.precise },
            _ => self.rules,
        };
        let read = read::read(&text, rules, self.pass == Pass::Rules);
        let shorter = read.map(|ir| print::blocks(&ir, "")).ok();
        shorter.filter(|shorter| self.shows(shorter)).unwrap_or(text)
    }

    /// A shorter form that shows the mistake, too.
    fn reduced(&self, text: &str) -> String {
        let mut best = self.normalised(text.to_string());
        let mut left = TRIES;
        let mut offer = |best: &mut String, text: String| {
            left = left.saturating_sub(1);
            let shows = left > 0 && text != *best && self.shows(&text);
            if shows {
                *best = self.normalised(text);
            }
            shows
        };
        loop {
            let before = best.clone();
            // First what blocks do: their nodes go with it.
            for nodes in [false, true] {
                let count = |text: &str| text.lines().filter(|line| is_node(line) == nodes).count();
                let mut size = count(&best);
                while size > 0 {
                    let mut at = 0;
                    while at < count(&best) {
                        let mut n = 0;
                        let kept = best.lines().filter(|line| {
                            let own = is_node(line) == nodes;
                            n += usize::from(own);
                            !own || !(at + 1..=at + size).contains(&n)
                        });
                        let fewer = kept.map(|line| format!("{line}\n")).collect();
                        if !offer(&mut best, fewer) {
                            at += size;
                        }
                    }
                    size /= 2;
                }
            }
            let mut at = best.lines().count();
            while at > 0 {
                at = (at - 1).min(best.lines().count());
                simpler(&best, at).into_iter().any(|text| offer(&mut best, text));
            }
            if best == before {
                return best;
            }
        }
    }
}

/// Whether a line is a node.
fn is_node(line: &str) -> bool {
    line.trim_start().starts_with('%')
}

/// Forms in which one of its operands, or a number, takes the place of the node of a line.
fn simpler(text: &str, at: usize) -> Vec<String> {
    let node = text.lines().nth(at).filter(|line| is_node(line));
    let Some((name, value)) = node.and_then(|line| line.split_once(" = ")) else {
        return Vec::new();
    };
    if value.starts_with("literal") {
        return Vec::new();
    }
    let operands = value.split([' ', ',']).filter(|word| word.starts_with('%'));
    let mut all: Vec<String> = Vec::new();
    for operand in operands {
        let other = |line: &str| {
            let words = line.split_inclusive([' ', ',']).map(|word| {
                let own = word.trim_end_matches([' ', ',']);
                if own == name { word.replacen(own, operand, 1) } else { word.to_string() }
            });
            words.collect::<String>() + "\n"
        };
        let rest = text.lines().enumerate().filter(|(n, _)| *n != at);
        all.push(rest.map(|(_, line)| other(line)).collect());
    }
    for number in ["1.0", "0.0"] {
        let lines = text.lines().enumerate().map(|(n, line)| {
            if n == at { format!("{name} = literal {number}\n") } else { format!("{line}\n") }
        });
        all.push(lines.collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::fuzz::compile;
    use super::super::generate::generate;
    use super::*;
    use ctm_codegen::schedule::Slot;

    /// The first pass that is wrong of a shader whose forms a mistake changes.
    fn first(source: &str, flow: Flow, mistake: impl Fn(&mut Ir, &mut Schedule)) -> Option<Pass> {
        let options = Options { precise: true, flow, ..Options::default() };
        let compiled = ctm_compiler::forms(source, "shader", Language::Glsl, &options);
        let mut forms = compiled.expect("a shader");
        let interface = forms.ir.interface.clone();
        let data = Data::of(1, true, &interface);
        let values = Values::of(&data, &interface);
        let evaluator = Evaluator::new(source, "shader").expect("a shader");
        let expected = points().map(|point| evaluator.run(&At(&data, point)).expect("values"));
        let expected: Vec<Point> = expected.collect();
        mistake(&mut forms.ir, &mut forms.schedule);
        let wrong = values.first_wrong(&forms.ir, &forms.schedule, true, &expected);
        wrong.expect("forms of single points")
    }

    #[test]
    fn all_forms_of_generated_shaders_compute_what_the_source_says() {
        let mut count = 0;
        for index in 0..if std::env::var_os("CTM_FULL").is_some() { 2000 } else { 60 } {
            let source = generate(11, index);
            for flow in FLOWS {
                let options = Options { precise: true, flow, ..Options::default() };
                if compile(&source, &options).is_ok() {
                    assert_eq!(first(&source, flow, |_, _| ()), None, "{index} {flow:?}\n{source}");
                    count += 1;
                }
            }
        }
        assert!(count > 80, "{count}");
    }

    const SOURCE: &str = "varying vec4 v;
void main() {
    vec3 a = v.xyz;
    if (v.w < 0.5) a = a.zxy * v.w;
    for (int i = 0; i < 40; i++) if (a.x < 2.0) a += v.yzx * 0.1;
    gl_FragColor = vec4(a + v.zzz, a.x - v.y);
}";

    #[test]
    fn the_pass_that_a_mistake_is_in_is_named() {
        let named =
            |mistake: &dyn Fn(&mut Ir, &mut Schedule)| first(SOURCE, Flow::Structured, mistake);
        assert_eq!(named(&|_, _| ()), None);
        let outputs: &dyn Fn(&mut Ir, &mut Schedule) =
            &|ir, _| ir.outputs[0].value = ir.outputs[3].value;
        assert_eq!(named(outputs), Some(Pass::Rules));
        let swapped: &dyn Fn(&mut Ir, &mut Schedule) = &|_, schedule| schedule.slots.swap(0, 1);
        assert_eq!(named(swapped), Some(Pass::Schedule));
        let sign: &dyn Fn(&mut Ir, &mut Schedule) = &|_, schedule| {
            let last = schedule.slots.last_mut().expect("an instruction");
            let Slot::Alu(packed, _) = last else { panic!("no output at the end") };
            let input = &mut packed.operands.inputs[0][0];
            input.neg = !input.neg;
        };
        assert_eq!(named(sign), Some(Pass::Pack));
    }

    #[test]
    fn a_form_is_reduced_to_a_case() {
        let interface = Interface::default();
        let data = Data::of(1, true, &interface);
        let numbers = [0.3f32, 0.7, 3.0, -1.7].map(f32::to_bits);
        let varyings = vec![HashMap::from([("v", numbers)]); points().count()];
        let values =
            Values { data: &data, interface: &interface, scalars: HashMap::new(), varyings };
        // Rules that may change bits, where none may.
        let form = Form { values: &values, rules: Rules::All, pass: Pass::Rules, precise: true };
        let text = "%0 = input v.r
%1 = input v.a
%2 = input v.b
%3 = literal 0.0
block 0
    v0 = %0
    if %2
block 1
    %4 = ln2 %1
    %5 = ex2 %4
    %6 = mul %5, %2
    v0 = %6
    kill %3
    endif
block 2
%7 = phi v0 block 2
%8 = add %7, %1
o0.r = %8
o0.g = %1
";
        let case = form.case(text).expect("the mistake is shown");
        let (before, after) = case.split_once("=>\n").expect("two forms");
        assert!(before.starts_with("== A mistake of rules.\npass exact rules\n%0 = "), "{case}");
        assert!(before.contains("= ln2 %") && before.contains("= ex2 %"), "{case}");
        assert!(
            !before.contains("kill") && before.lines().count() < text.lines().count(),
            "{case}"
        );
        assert!(after.contains("ex2"), "{case}");
        let right = "%0 = input v.r\n%1 = add %0, %0\no0.r = %1\n";
        assert_eq!(form.case(right), None);
    }
}
