//! Names of the tables; the names of operations, with pseudo-operations; suggestions for typos.

use ctm_isa::isa::{ALPHA, ALPHA_OPS, AluOp, Code, FieldValue, RGB, RGB_OPS, SHARING_OPS};

/// The row of this name (case-insensitive).
pub(super) fn row(table: &'static [Code], name: &str) -> Option<&'static Code> {
    table.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The value of this name (case-insensitive) in its type's table.
pub(super) fn named<T: FieldValue>(table: &'static [Code], name: &str) -> Option<T> {
    row(table, name).map(|row| T::from_code(row.code.into()))
}

/// The names of a table, for messages.
pub(super) fn all_names(table: &[Code]) -> String {
    table.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

/// A name for a combination of an operation and operands.
#[derive(Debug)]
pub(crate) struct Pseudo {
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

/// The mnemonic that was probably intended.
pub(super) fn similar_mnemonic(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    if lower.len() > 16 {
        return None;
    }
    let tables = [RGB_OPS, ALPHA_OPS, ctm_isa::isa::TEX_OPS];
    let structured = [
        "if", "else", "endif", "loop", "endloop", "rep", "endrep", "break", "continue", "call",
        "ret", "end", "jump",
    ];
    let rows = tables.into_iter().flatten().map(|code| code.name);
    let names = rows.chain(PSEUDO.iter().map(|pseudo| pseudo.name)).chain(structured);
    names
        .map(str::to_ascii_lowercase)
        // Letters to insert, delete, replace or swap.
        .map(|name| (strsim::osa_distance(&lower, &name), name))
        .filter(|(distance, name)| *distance <= 1 || (*distance == 2 && name.len() > 4))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The operation of a half, for both units.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operation {
    pub units: [Option<AluOp>; 2],
    pub pseudo: Option<&'static Pseudo>,
}

impl Operation {
    /// The operation of this name, if there is one.
    pub fn of(name: &str) -> Option<Operation> {
        let pseudo = PSEUDO.iter().find(|pseudo| pseudo.name.eq_ignore_ascii_case(name));
        let units = match pseudo.map(|pseudo| pseudo.name) {
            None => {
                let [rgb, alpha] = [(RGB, RGB_OPS), (ALPHA, ALPHA_OPS)].map(|(unit, table)| {
                    row(table, name).map(|row| AluOp::from_code(unit, row.code.into()))
                });
                let sharing =
                    || row(SHARING_OPS, name).and_then(|row| AluOp::sharing(row.code.into()));
                [rgb.or_else(sharing), alpha]
            }
            Some("mov" | "movx") => [Some(AluOp::Max); 2],
            Some("dp2") => [Some(AluOp::Dp3), Some(AluOp::Dp)],
            Some(_) => [Some(AluOp::Mad); 2],
        };
        (units != [None; 2]).then_some(Operation { units, pseudo })
    }

    /// The minimum number of operands; they are inputs A, B, C in order.
    pub fn required(&self) -> usize {
        let op = self.units[RGB].or(self.units[ALPHA]);
        self.pseudo.map_or(op.map_or(0, required), |pseudo| pseudo.operands)
    }
}

/// The number of operands that an operation needs. MDH and MDV take the neighbours' value from
/// operand A.
pub(super) fn required(op: AluOp) -> usize {
    if op.is_neighbour() { 2 } else { op.operands().count_ones() as usize }
}
