//! Expressions over the state of a point: `r3.x * 2 > c1.y`, `i0[4,7].r`.

use super::variables;
use ctm_isa::isa::{
    BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, LETTERS, OUTPUTS, Place, TEMPORARIES,
};
use ctm_lang::program::Image;
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::Moment;
use ctm_machine::memory::{self, Memory};
use std::fmt;

/// The most bytes: they bound the depth of its tree.
const LONGEST: usize = 2048;

/// The most that parentheses, signs and brackets may nest.
const NESTING: usize = 64;

/// The context of an expression: a point of a group at a moment.
pub(super) struct Scope<'a> {
    pub moment: Moment<'a>,
    pub slot: usize,
    pub launch: &'a Checked<'a>,
    pub memory: &'a Memory,
}

/// One number.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// Its bits, if it is a channel of a register or of memory.
    pub bits: Option<u32>,
    /// Its value.
    pub number: f64,
}

impl Lane {
    pub(super) fn bits(bits: u32) -> Lane {
        Lane { bits: Some(bits), number: f64::from(f32::from_bits(bits)) }
    }
    pub(super) fn number(number: impl Into<f64>) -> Lane {
        Lane { bits: None, number: number.into() }
    }
}

/// Values with bits are equal if their bits are, so that a NaN does not differ from itself.
impl PartialEq for Lane {
    fn eq(&self, other: &Lane) -> bool {
        (self.bits, self.number.to_bits()) == (other.bits, other.number.to_bits())
    }
}

/// The value of an expression: one number, or the channels of a register.
#[derive(Clone, Debug, PartialEq)]
pub struct Value(pub Vec<Lane>);

impl Value {
    /// Channels by their bits.
    pub(super) fn of_bits(bits: &[u32]) -> Value {
        Value(bits.iter().map(|&bits| Lane::bits(bits)).collect())
    }
    /// Numbers.
    pub(super) fn of_numbers<T: Into<f64>>(numbers: impl IntoIterator<Item = T>) -> Value {
        Value(numbers.into_iter().map(Lane::number).collect())
    }
    fn one(&self) -> Result<f64, String> {
        match self.0[..] {
            [lane] => Ok(lane.number),
            _ => Err("expected one channel, such as .r".to_string()),
        }
    }
    /// Whether it is not 0.
    pub fn truth(&self) -> Result<bool, String> {
        self.one().map(|number| number != 0.0)
    }
}

/// The number alone.
impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            Some(bits) => write!(f, "{}", f32::from_bits(bits)),
            None => write!(f, "{}", self.number),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, lane) in self.0.iter().enumerate() {
            if n != 0 {
                f.write_str(", ")?;
            }
            write!(f, "{lane}")?;
            if let Some(bits) = lane.bits {
                write!(f, " ({bits:08x})")?;
            }
        }
        Ok(())
    }
}

/// A value with one number that has no place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counter {
    Al,
    Pc,
    Step,
    Int(usize),
    Bool(usize),
    Active,
    Covered,
    Column,
    Row,
}

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Number(f64),
    /// Channels of a register.
    Places(Vec<Place>),
    Counter(Counter),
    /// A variable of the source, or a component of it.
    Variable(String, Option<u32>),
    /// An element of input (`true`) or output n.
    Element(bool, usize, Box<[Tree; 2]>, Option<usize>),
    Unary(char, Box<Tree>),
    Binary(&'static str, Box<[Tree; 2]>),
}

/// An expression. Displays as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    tree: Tree,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The registers and counters that are not numbered.
const PLAIN: [&str; 10] =
    ["w", "p", "alu", "aL", "pc", "step", "active", "covered", "column", "row"];

/// The words of expressions: names of the source, and words without a number.
pub(super) fn names(image: &Image) -> Vec<String> {
    let named = image.names().filter(|(kind, ..)| kind.registers().is_some());
    let named = named.map(|(.., name)| name.to_string());
    let variables = variables::of(image).iter().map(|variable| variable.name.clone());
    let mut names: Vec<String> = named.chain(variables).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().chain(PLAIN.map(str::to_string)).collect()
}

/// Operators, those that bind least first.
const OPERATORS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/"]];

struct Parser<'a> {
    rest: &'a str,
    image: &'a Image,
    depth: usize,
}

impl Expression {
    /// Parses an expression. Names are those of the program's source.
    ///
    /// # Errors
    /// The text is not an expression: the error says what was expected where.
    pub fn parse(text: &str, image: &Image) -> Result<Expression, String> {
        if text.len() > LONGEST {
            return Err(format!(
                "an expression has {} bytes, at most {LONGEST} are possible",
                text.len()
            ));
        }
        let mut parser = Parser { rest: text, image, depth: 0 };
        let tree = parser.binary(0)?;
        parser.skip();
        if !parser.rest.is_empty() {
            return Err(format!("expected an operator, found `{}`", parser.rest));
        }
        Ok(Expression { text: text.trim().to_string(), tree })
    }

    /// A register as an expression: with `$` if the source has a variable of its name.
    pub fn of_register(register: &str, image: &Image) -> String {
        let mark = if variables::has(image, register) { "$" } else { "" };
        format!("{mark}{register}")
    }

    /// Whether it has a variable of the source, which may have no value.
    pub(super) fn names_source(&self) -> bool {
        fn names(tree: &Tree) -> bool {
            match tree {
                Tree::Number(_) | Tree::Places(_) | Tree::Counter(_) => false,
                Tree::Variable(..) => true,
                Tree::Element(_, _, operands, _) | Tree::Binary(_, operands) => {
                    operands.iter().any(names)
                }
                Tree::Unary(_, operand) => names(operand),
            }
        }
        names(&self.tree)
    }

    /// The variable of the source that it is, or the component of one, if it is that.
    pub(super) fn variable(&self) -> Option<(&str, Option<u32>)> {
        match &self.tree {
            Tree::Variable(name, component) => Some((name, *component)),
            _ => None,
        }
    }

    /// Whether its value can change when a launch ends.
    pub(super) fn reads_memory(&self) -> bool {
        fn reads(tree: &Tree) -> bool {
            match tree {
                Tree::Number(_) | Tree::Places(_) | Tree::Counter(_) | Tree::Variable(..) => false,
                Tree::Element(..) => true,
                Tree::Unary(_, operand) => reads(operand),
                Tree::Binary(_, operands) => operands.iter().any(reads),
            }
        }
        reads(&self.tree)
    }

    /// The place that it is, if it is one.
    pub(super) fn place(&self) -> Option<Place> {
        match &self.tree {
            Tree::Places(places) if places.len() == 1 => Some(places[0]),
            _ => None,
        }
    }

    /// The places that it is, if it is nothing else.
    pub(super) fn places(&self) -> &[Place] {
        match &self.tree {
            Tree::Places(places) => places,
            _ => &[],
        }
    }

    pub(super) fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, String> {
        evaluate(&self.tree, scope)
    }
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, text: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn need(&mut self, text: &str) -> Result<(), String> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    fn expected(&self, what: &str) -> String {
        match self.rest {
            "" => format!("expected {what}, found the end"),
            rest => format!("expected {what}, found `{rest}`"),
        }
    }

    fn take(&mut self, test: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !test(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        let taken = taken.to_string();
        self.rest = rest;
        taken
    }

    fn binary(&mut self, level: usize) -> Result<Tree, String> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut length = 0;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            length += 1;
            if length > NESTING {
                return Err(format!("more than {NESTING} operators in a row"));
            }
            left = Tree::Binary(operator, Box::new([left, self.binary(level + 1)?]));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, String> {
        self.depth += 1;
        if self.depth > NESTING {
            return Err(format!("nested more than {NESTING} deep"));
        }
        let tree = if self.eat("-") {
            Tree::Unary('-', Box::new(self.unary()?))
        } else if self.eat("!") {
            Tree::Unary('!', Box::new(self.unary()?))
        } else if self.eat("(") {
            let inner = self.binary(0)?;
            self.need(")")?;
            inner
        } else {
            self.operand()?
        };
        self.depth -= 1;
        Ok(tree)
    }

    fn operand(&mut self) -> Result<Tree, String> {
        self.skip();
        if let Some(hex) = self.rest.strip_prefix("0x") {
            self.rest = hex;
            let digits = self.take(|c| c.is_ascii_hexdigit());
            let bits = u32::from_str_radix(&digits, 16);
            return bits
                .map(|n| Tree::Number(n.into()))
                .map_err(|_| format!("expected up to 8 hexadecimal digits, found `0x{digits}`"));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let mut digits = self.take(|c| c.is_ascii_digit() || c == '.');
            if let Some(rest) = self.rest.strip_prefix(['e', 'E']) {
                let sign = rest.len() - rest.trim_start_matches(['+', '-']).len();
                digits += &self.rest[..=sign];
                self.rest = &rest[sign..];
                digits += &self.take(|c| c.is_ascii_digit());
            }
            let number = digits.parse().map_err(|_| format!("`{digits}` is not a number"))?;
            return Ok(Tree::Number(number));
        }
        // `$` names a register, whatever the source has.
        let is_register = self.eat("$");
        let start = self.rest;
        let word = self.take(|c| c.is_alphanumeric() || c == '_');
        if word.is_empty() {
            return Err(self.expected("a number, a register or a name"));
        }
        if !is_register && variables::has(self.image, &word) {
            let component = self.component()?;
            return Ok(Tree::Variable(word, component));
        }
        let Some((letter, number)) = self.register(&word) else {
            let counter = match &word[..] {
                "p" => return self.places(Place::Predicate(0)),
                "w" => return Ok(Tree::Places(vec![Place::Own])),
                "alu" => return Ok(Tree::Places(vec![Place::AluResult])),
                "aL" => Counter::Al,
                "pc" => Counter::Pc,
                "step" => Counter::Step,
                "active" => Counter::Active,
                "covered" => Counter::Covered,
                "column" => Counter::Column,
                "row" => Counter::Row,
                _ => {
                    let shown = start.split_whitespace().next().unwrap_or(start);
                    return Err(format!("`{shown}`: no register or name of the program"));
                }
            };
            return Ok(Tree::Counter(counter));
        };
        let limit = |limit: usize| {
            if number < limit {
                Ok(number)
            } else {
                Err(format!("`{word}`: expected {letter}0 to {letter}{}", limit - 1))
            }
        };
        match letter {
            'r' => self.places(Place::Temp(limit(TEMPORARIES)?, 0)),
            'g' => {
                let globals = self.image.sharing.unwrap_or_default().globals();
                if number >= globals {
                    return Err(format!("`{word}`: the program has {globals} global registers"));
                }
                self.places(Place::Global(number as i64, 0))
            }
            'c' => self.places(Place::Constant(limit(FLOAT_CONSTANTS)?, 0)),
            'n' => Ok(Tree::Counter(Counter::Int(limit(INT_CONSTANTS)?))),
            'b' => Ok(Tree::Counter(Counter::Bool(limit(BOOL_CONSTANTS)?))),
            'o' if !self.rest.starts_with('[') => self.places(Place::Output(limit(OUTPUTS)?, 0)),
            _ => {
                let n = limit(if letter == 'i' { INPUTS } else { OUTPUTS })?;
                self.need("[")?;
                let x = self.binary(0)?;
                self.need(",")?;
                let y = self.binary(0)?;
                self.need("]")?;
                let channel = self.channel()?;
                Ok(Tree::Element(letter == 'i', n, Box::new([x, y]), channel))
            }
        }
    }

    /// The channel of a register that follows it, or all of them.
    fn places(&mut self, register: Place) -> Result<Tree, String> {
        let channels = self.channel()?.map_or(0..4, |channel| channel..channel + 1);
        Ok(Tree::Places(channels.map(|channel| register.with_channel(channel)).collect()))
    }

    /// The letter and number of a register, by itself or by its name in the source.
    fn register(&self, word: &str) -> Option<(char, usize)> {
        let named = self.image.names().find_map(|(kind, n, name)| {
            let (letter, _) = kind.registers().filter(|_| name == word)?;
            Some((letter, n as usize))
        });
        named.or_else(|| {
            let letter = word.chars().next().filter(|c| "ricobng".contains(*c))?;
            let digits = &word[1..];
            let short = digits.len() <= 4 && digits.chars().all(|c| c.is_ascii_digit());
            digits.parse().ok().filter(|_| short).map(|n| (letter, n))
        })
    }

    /// The component of a variable that follows it: `.y` or `[1]`.
    fn component(&mut self) -> Result<Option<u32>, String> {
        let Some(rest) = self.rest.strip_prefix('[') else {
            return Ok(self.channel()?.map(|channel| channel as u32));
        };
        self.rest = rest;
        let digits = self.take(|c| c.is_ascii_digit());
        let component = digits.parse().map_err(|_| self.expected("the number of a component"))?;
        self.need("]")?;
        Ok(Some(component))
    }

    fn channel(&mut self) -> Result<Option<usize>, String> {
        let Some(rest) = self.rest.strip_prefix('.') else { return Ok(None) };
        self.rest = rest;
        let word = self.take(char::is_alphanumeric);
        let mut letters = word.chars();
        let found = letters.next().filter(|_| letters.next().is_none()).and_then(|letter| {
            LETTERS.iter().position(|&l| l == letter).or_else(|| "xyzw".find(letter))
        });
        found
            .map(Some)
            .ok_or(format!("`.{word}`: expected one channel of r, g, b, a or x, y, z, w"))
    }
}

fn evaluate(tree: &Tree, scope: &Scope<'_>) -> Result<Value, String> {
    let number = |number: f64| Ok(Value(vec![Lane::number(number)]));
    let flag = |flag: bool| number(f64::from(u8::from(flag)));
    match tree {
        Tree::Number(value) => number(*value),
        Tree::Places(places) => {
            let lane = |&place: &Place| {
                let bits = scope.moment.group.bits(scope.slot, place, &scope.launch.constants);
                match place {
                    Place::Predicate(_) | Place::AluResult => Lane::number(bits.unwrap_or(0)),
                    // A point that has written no conditional value is tested with the PE's.
                    _ => Lane::bits(bits.unwrap_or(scope.launch.condition.value)),
                }
            };
            Ok(Value(places.iter().map(lane).collect()))
        }
        Tree::Variable(name, component) => scope.variable(name, *component),
        Tree::Counter(counter) => {
            let (group, slot) = (scope.moment.group, scope.slot);
            let constants = &scope.launch.constants;
            match *counter {
                Counter::Al => number(group.al().into()),
                Counter::Pc => number(group.pc().into()),
                Counter::Step => number(scope.moment.steps as f64),
                Counter::Int(n) => number(constants.int[n].count.into()),
                Counter::Bool(n) => flag(constants.bool >> n & 1 != 0),
                Counter::Active => flag(group.active() >> slot & 1 != 0),
                Counter::Covered => flag(group.covered() >> slot & 1 != 0),
                Counter::Column => number(group.point(slot).0.into()),
                Counter::Row => number(group.point(slot).1.into()),
            }
        }
        Tree::Element(input, n, place, channel) => {
            let (letter, surface) = if *input {
                ('i', scope.launch.inputs[*n])
            } else {
                ('o', scope.launch.outputs[*n])
            };
            let surface = surface.ok_or(format!("{letter}{n} is not bound"))?;
            let [x, y] = [&place[0], &place[1]].map(|tree| evaluate(tree, scope)?.one());
            let (x, y) = (x?, y?);
            let inside = |v: f64, size: u32| {
                (v.fract() == 0.0 && v >= 0.0 && v < size.into()).then_some(v as u32)
            };
            let (width, height) = (surface.width, surface.height);
            match (inside(x, width), inside(y, height)) {
                (Some(column), Some(row)) => {
                    let bits = memory::load(scope.memory, &surface, column, row).channels;
                    let channels = channel.map_or(0..4, |channel| channel..channel + 1);
                    Ok(Value::of_bits(&bits[channels]))
                }
                _ => {
                    Err(format!("{letter}{n}[{x},{y}]: {letter}{n} is {width} x {height} elements"))
                }
            }
        }
        Tree::Unary(operator, operand) => {
            let value = evaluate(operand, scope)?.one()?;
            if *operator == '-' { number(-value) } else { flag(value == 0.0) }
        }
        Tree::Binary(operator, operands) => {
            let a = evaluate(&operands[0], scope)?.one()?;
            // The second operand of && and || is not looked at if the first one decides.
            match (*operator, a != 0.0) {
                ("&&", false) => return flag(false),
                ("||", true) => return flag(true),
                _ => {}
            }
            let b = evaluate(&operands[1], scope)?.one()?;
            match *operator {
                "+" => number(a + b),
                "-" => number(a - b),
                "*" => number(a * b),
                "/" => number(a / b),
                "<" => flag(a < b),
                "<=" => flag(a <= b),
                ">" => flag(a > b),
                ">=" => flag(a >= b),
                "==" => flag(a == b),
                "!=" => flag(a != b),
                _ => flag(b != 0.0),
            }
        }
    }
}
