//! Random programs and numbers.

use ctm_machine::memory::Format;

/// The subroutines of a program.
const SUBROUTINES: [&str; 2] = ["one", "other"];

/// A sequence of numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % count
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A number, most likely one of the hard ones.
    pub fn number(&mut self) -> u32 {
        let exponent = self.of(&[0, 1, 1, 2, 13, 25, 26, 27, 50, 63, 64, 101, 102, 125, 126, 127])
            + self.of(&[0, 0, 0, 0, 1, 3, 24, 127]);
        let fraction = self.of(&[0, 0, 1, 2, 0x40_0000, 0x7f_ffff, 0x12_3456]);
        let special = self.of(&[0, 0x7f80_0000, 0x7fff_ffff, exponent << 23 | fraction]);
        let common = (exponent << 23 | fraction).min(0x7f80_0000);
        let magnitude = self.of(&[common, common, common, special]);
        magnitude | (self.below(2) as u32) << 31
    }

    /// 0 or a number from 2^-16 to 2^16, most often one with few digits.
    pub fn middling(&mut self) -> u32 {
        let exponent = self.of(&[111, 112, 120, 125, 126, 127, 128, 135, 142]);
        let fraction = self.of(&[0, 0, 0, 1, 0x40_0000, 0x7f_ffff, 0x12_3456]);
        let sign = (self.below(2) as u32) << 31;
        sign | self.of(&[0, exponent << 23 | fraction, exponent << 23 | fraction])
    }

    /// A word of a texel: four bytes of any, two numbers of 16 bits, or a number.
    pub fn texel(&mut self, format: Format) -> u32 {
        let mut part = |most: u32| self.of(&[0, 0, 1, 2, most / 2, most - 1, most]);
        match format.bytes_per_channel() {
            1 => (0..4).fold(0, |word, _| word << 8 | part(0xff)),
            2 => part(0xffff) << 16 | part(0xffff),
            _ => self.number(),
        }
    }

    /// An operand: a channel of a temporary or a constant.
    fn operand(&mut self) -> String {
        let channel = self.of(&["r", "g", "b", "a"]);
        let temp = self.below(4);
        let row = format!("r{temp}.{channel}");
        let constant =
            self.of(&["0", "1", "0.5", "2", "0.0625", "-3", "c0.r", "c1.g", "c2.b"]).to_string();
        let negated = format!("-{row}");
        let absolute = format!("|{row}|");
        match self.below(8) {
            0 | 1 => constant,
            2 => negated,
            3 => absolute,
            _ => row,
        }
    }

    /// The lines of a program without its subroutines, and those.
    pub fn program(&mut self) -> (Vec<String>, Vec<String>) {
        let mut lines = Vec::new();
        for _ in 0..10 {
            self.statement(&mut lines, 0);
        }
        let mut subroutines = Vec::new();
        for name in SUBROUTINES {
            subroutines.push(format!("{name}:"));
            (0..self.below(3) + 1).for_each(|_| subroutines.push(self.line(false)));
            subroutines.push("ret".to_string());
        }
        // Only what is called is a subroutine.
        lines.extend(SUBROUTINES.map(|name| format!("call {name}")));
        (lines, subroutines)
    }

    /// A statement; `depth`: of branches and loops around it.
    fn statement(&mut self, lines: &mut Vec<String>, depth: usize) {
        let kind = if depth < 3 { self.below(10) } else { 9 };
        if let 0..=2 = kind {
            let condition = self.condition(lines);
            let ends: &[&str] = match kind {
                0 => &["else", "endif"],
                1 => &["endif"],
                _ => &["endrep"],
            };
            lines.push(match kind {
                2 => format!("rep {}", self.below(4) + 1),
                _ => format!("if {condition}"),
            });
            for end in ends {
                for _ in 0..self.below(3) + 1 {
                    self.statement(lines, depth + 1);
                }
                if kind == 2 && self.below(2) == 0 {
                    let condition = self.condition(lines);
                    lines.push(self.of(&["break if ", "continue if "]).to_string() + &condition);
                    self.statement(lines, depth + 1);
                }
                lines.push(end.to_string());
            }
        } else if kind == 3 {
            lines.push(format!("call {}", self.of(&SUBROUTINES)));
        } else {
            (0..self.below(3) + 1).for_each(|_| lines.push(self.line(depth == 0)));
        }
    }

    /// A condition, and at times a line that sets it.
    fn condition(&mut self, lines: &mut Vec<String>) -> String {
        if self.below(3) != 0 {
            let (a, b) = (self.operand(), self.operand());
            lines.push(format!("add alu_result{}0, {a}, {b}", self.of(&["<", ">=", "==", "!="])));
        }
        self.of(&["alu_result", "alu_result", "!alu_result", "p.r", "!p.r"]).to_string()
    }

    /// One or two instructions; `together`: no point takes another way, so that points may read others
    /// and write those that are not active.
    fn line(&mut self, together: bool) -> String {
        let dst = format!("r{}.{}", self.below(4), self.of(&["r", "g", "b"]));
        let [a, b, c] = [(); 3].map(|()| self.operand());
        let row = |n: usize, random: &mut Random| {
            format!("r{n}.{}", random.of(&["rgb", "gbr", "rrg", "bbb"]))
        };
        let vectors = (row(self.below(4), self), row(self.below(4), self));
        let channel = self.of(&["r", "g", "b"]);
        let temp = format!("r{}.{channel}", self.below(4));
        let constant = format!("c{}.{channel}", self.below(4));
        let gate = self.of(&["", "", "", "", "(p.r) ", "(!p.r) "]);
        let inactive = if together { self.of(&["", "", " @inactive"]) } else { "" };
        let one = match self.below(26) {
            0..3 => format!("add {dst}, {a}, {b}"),
            3..5 => format!("mul {dst}, {a}, {b}"),
            5..8 => format!("mad {dst}, {a}, {b}, {c}"),
            8 => format!("dp3 {dst}, {}, {}", vectors.0, vectors.1),
            9 => format!("min {dst}, {a}, {b}"),
            10 => format!("max {dst}, {a}, {b}"),
            11 => format!("cnd {dst}, {a}, {b}, {c}"),
            12 => format!("cmp {dst}, {a}, {b}, {c}"),
            13 => format!("frc {dst}, {a}"),
            14 => self.of(&["add/2 ", "mul.sat "]).to_string() + &format!("{dst}, {a}, {b}"),
            15 => format!("dp4 {dst}, r{}, r{}", self.below(4), self.below(4)),
            16 => format!("d2a {dst}, r{}, r{}, r{}", self.below(4), self.below(4), self.below(4)),
            17 => {
                let op = self.of(&["rcp", "rsq", "ex2", "ln2", "sin", "cos"]);
                format!("{op} {dst}, {temp}")
            }
            18 | 19 => format!("mov {dst}, {constant}"),
            20 if together => {
                self.of(&["mdh", "mdv"]).to_string() + &format!(" {dst}, {temp}, {constant}")
            }
            21 => return format!("add p.r{}0, {a}, {b}", self.of(&["<", ">=", "==", "!="])),
            22 => return format!("texkill r{}.rgbb", self.below(4)),
            23 => {
                return format!("ld r{}, i{}(r{}.gr)", self.below(4), self.below(2), self.below(4));
            }
            // A fraction, and a number minus it: the same, or another. Often they are constants.
            _ => {
                let [other, to] = [(); 2].map(|()| format!("r{}.{channel}", self.below(4)));
                let other = if self.below(2) == 0 { temp.clone() } else { other };
                let moves = match self.below(2) {
                    0 => String::new(),
                    _ => format!(
                        "mov {temp}, {constant}\nmov {other}, c{}.{channel}\n",
                        self.below(4)
                    ),
                };
                return format!(
                    "{moves}frc {to}, {temp}{inactive}\n{gate}sub {dst}, {other}, {to}{inactive}"
                );
            }
        };
        format!("{gate}{one}{inactive}")
    }
}
