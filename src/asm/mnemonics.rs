//! The names of operations: those of the tables, pseudo-operations, and suggestions for typos.

use super::parser::row;
use crate::isa::{ALPHA, ALPHA_OPS, AluOp, RGB, RGB_OPS};

/// A name for a combination of an operation and operands.
pub(super) struct Pseudo {
    pub name: &'static str,
    pub operands: usize,
    /// Its expansion, for the documentation.
    pub meaning: &'static str,
}

/// The pseudo-operations.
pub(super) const PSEUDO: &[Pseudo] = &[
    Pseudo { name: "mov", operands: 1, meaning: "max d, a, a" },
    Pseudo { name: "movx", operands: 1, meaning: "max.exact d, a, a" },
    Pseudo { name: "add", operands: 2, meaning: "mad d, a, 1, b" },
    Pseudo { name: "sub", operands: 2, meaning: "mad d, a, 1, -b" },
    Pseudo { name: "mul", operands: 2, meaning: "mad d, a, b, 0" },
    Pseudo { name: "dp2", operands: 2, meaning: "dp3 d, a.rg0, b.rg0" },
];

fn pseudo(name: &str) -> Option<&'static Pseudo> {
    PSEUDO.iter().find(|pseudo| pseudo.name.eq_ignore_ascii_case(name))
}

/// Whether this is the name of a unit's operation.
pub(super) fn is_mnemonic(name: &str) -> bool {
    row(RGB_OPS, name).is_some() || row(ALPHA_OPS, name).is_some() || pseudo(name).is_some()
}

/// The mnemonic that was probably intended.
pub(super) fn similar_mnemonic(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let tables = [RGB_OPS, ALPHA_OPS, crate::isa::TEX_OPS];
    let structured = [
        "if", "else", "endif", "loop", "endloop", "rep", "endrep", "break", "continue", "call",
        "ret", "end", "jump",
    ];
    let names = tables
        .iter()
        .flat_map(|table| table.iter().map(|code| code.name))
        .chain(PSEUDO.iter().map(|pseudo| pseudo.name))
        .chain(structured);
    names
        .map(str::to_ascii_lowercase)
        .map(|name| (distance(&lower, &name), name))
        .filter(|(distance, name)| *distance <= 1 || (*distance == 2 && name.len() > 4))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The number of letters to insert, delete, replace or swap. Long words are not compared.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > 16 {
        return usize::MAX;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The operation of a half, for both units.
pub(super) struct Operation {
    pub units: [Option<AluOp>; 2],
    /// The minimum number of operands; they are inputs A, B, C in order.
    pub required: usize,
    pub pseudo: Option<&'static Pseudo>,
}

impl Operation {
    pub fn of(name: &str) -> Operation {
        if let Some(pseudo) = pseudo(name) {
            let units = match pseudo.name {
                "mov" | "movx" => [AluOp::Max; 2],
                "dp2" => [AluOp::Dp3, AluOp::Dp],
                _ => [AluOp::Mad; 2],
            };
            return Operation {
                units: units.map(Some),
                required: pseudo.operands,
                pseudo: Some(pseudo),
            };
        }
        let units = [(RGB, RGB_OPS), (ALPHA, ALPHA_OPS)].map(|(unit, table)| {
            row(table, name).map(|row| AluOp::from_code(unit, row.code.into()))
        });
        let required = units[RGB].or(units[ALPHA]).map_or(0, required);
        Operation { units, required, pseudo: None }
    }
}

/// The number of operands that an operation needs. MDH and MDV take the neighbours' value from
/// operand A.
pub(super) fn required(op: AluOp) -> usize {
    if op.is_neighbour() { 2 } else { op.operands().count_ones() as usize }
}
