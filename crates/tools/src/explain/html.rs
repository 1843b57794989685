//! The page: source and code side by side, in colours by the lines of the source.

use super::{Explained, Instruction, counted};
use crate::page;
use ctm_base::text::printable;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Degrees between the hues of one line and the next: neighbours differ much.
const STEP: usize = 137;

impl Explained<'_> {
    /// The explanation as a page that needs no network.
    pub fn html(&self) -> String {
        let code = self.instructions();
        let name = printable(self.name);
        let hues: BTreeMap<usize, usize> = self
            .lines(&code)
            .into_keys()
            .enumerate()
            .map(|(n, line)| (line, n * STEP % 360))
            .collect();
        let body = html! {
            header {
                h1 { (name) }
                ul .facts {
                    li { b { (self.written()) } " operations as written" }
                    li { b { (code.len()) } " instructions" }
                }
                p .about {
                    "A line and what it became have one colour. Point at one, or use the arrow keys: up and down \
                     within a side, left and right between the sides."
                }
            }
            main {
                div .sides {
                    section {
                        h2 #source { "Source" }
                        ol .pane role="listbox" aria-labelledby="source" {
                            @for (n, line) in (1..).zip(self.source.lines()) {
                                (source_line(n, line, hues.get(&n), self.compiled.explanation.written.get(&n)))
                            }
                        }
                    }
                    section {
                        h2 #code { "Code" }
                        ol .pane role="listbox" aria-labelledby="code" {
                            @for (pc, one) in code.iter().enumerate() { (instruction(pc, one, &hues)) }
                        }
                    }
                }
                section {
                    h2 { "Passes" }
                    p {
                        "Operations up to moves; packing leaves units of instructions with work, pairing instructions."
                    }
                    div .wide { table .numbers {
                        thead { tr { th .text { "pass" } th { "before" } th { "after" } th { "saved" } th .text {} } }
                        tbody {
                            @for pass in self.passes() {
                                tr {
                                    td .text { (pass.name) }
                                    td { (pass.before) }
                                    td { (pass.after) }
                                    td { (pass.before as i64 - pass.after as i64) }
                                    td .text { (pass.about) }
                                }
                            }
                        }
                    } }
                }
            }
            footer {
                p { "Made by ctm " (env!("CARGO_PKG_VERSION")) ". docs/compiler.md explains the passes." }
            }
        };
        let colours: BTreeSet<usize> = hues.into_values().collect();
        let colours = colours.iter().map(|hue| format!("[data-hue='{hue}'] {{ --hue: {hue} }}\n"));
        let styles = [page::STYLE, STYLE, &colours.collect::<String>()];
        page::page(&format!("{name} - ctm compile"), &styles, SCRIPT, body)
    }
}

fn source_line(n: usize, text: &str, hue: Option<&usize>, written: Option<&usize>) -> Markup {
    let title = written.map(|written| format!("{} as written", counted(*written, "operation")));
    html! {
        li .row data-lines=[hue.map(|_| n)] data-hue=[hue]
            role="option" aria-selected="false" title=[title] {
            span .place { (n) }
            code { (printable(text)) }
        }
    }
}

fn instruction(pc: usize, one: &Instruction<'_>, hues: &BTreeMap<usize, usize>) -> Markup {
    let hue = |line: &usize| hues.get(line).copied();
    let main = hue(&one.line);
    let lines: Vec<String> = one.lines.iter().map(usize::to_string).collect();
    let known = !lines.is_empty();
    let title = known.then(|| match lines.len() {
        1 => format!("line {}", lines[0]),
        _ => format!("lines {}", lines.join(", ")),
    });
    html! {
        li .row data-lines=[known.then(|| lines.join(" "))] data-hue=[main]
            role="option" aria-selected="false" title=[title] {
            span .place { (pc) }
            code { (printable(&one.text)) }
            span .marks aria-hidden="true" {
                @for hue in one.lines.iter().filter(|line| **line != one.line).filter_map(hue) {
                    i data-hue=(hue) {}
                }
            }
        }
    }
}
