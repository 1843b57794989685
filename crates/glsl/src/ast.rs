//! The syntax of a shader. Each node has its place; names have no meaning yet.

use crate::version::{Extensions, Version};
use ctm_base::text::Span;

/// A shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The version, said or guessed.
    pub version: Version,
    /// The extensions that are on.
    pub extensions: Extensions,
    /// The declarations, in order.
    pub items: Vec<Item>,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A function or a declaration outside functions.
#[derive(Clone, Debug)]
pub enum Item {
    /// A function or its prototype.
    Function(Function),
    /// A declaration.
    Declaration(Declaration),
    /// Text that cannot be read, after its error. The names in it may be declared there: uses of them are no further errors.
    Wrong(Vec<Name>),
}

/// A function, or its prototype.
#[derive(Clone, Debug)]
pub struct Function {
    /// The type of the result.
    pub result: QualifiedType,
    /// The name.
    pub name: Name,
    /// The parameters; `(void)` has none.
    pub parameters: Vec<Parameter>,
    /// The body; `None` for a prototype.
    pub body: Option<Compound>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The whole parameter.
    pub span: Span,
    /// Qualifiers and type.
    pub ty: QualifiedType,
    /// The name, if it has one.
    pub name: Option<Name>,
    /// The dimensions after the name.
    pub dimensions: Vec<Dimension>,
}

/// A type with its qualifiers, in the order of the source.
#[derive(Clone, Debug)]
pub struct QualifiedType {
    /// Qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The type.
    pub ty: TypeSpecifier,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct TypeSpecifier {
    /// The type with its dimensions.
    pub span: Span,
    /// The type without the dimensions.
    pub base: TypeBase,
    /// The dimensions after the type: `float[2][3]` has two, the outermost first.
    pub dimensions: Vec<Dimension>,
}

/// A type without dimensions.
#[derive(Clone, Debug)]
pub enum TypeBase {
    /// A type of the language or of the source.
    Named(Name),
    /// A structure that is defined here.
    Structure(Structure),
}

/// The definition of a structure.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The name, if it has one.
    pub name: Option<Name>,
    /// The members.
    pub members: Vec<Member>,
    /// From `struct` to the closing bracket.
    pub span: Span,
}

/// A declaration of members of a structure or block.
#[derive(Clone, Debug)]
pub struct Member {
    /// Qualifiers and type.
    pub ty: QualifiedType,
    /// The names, each with the dimensions after it.
    pub names: Vec<(Name, Vec<Dimension>)>,
}

/// A dimension of an array.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// From bracket to bracket.
    pub span: Span,
    /// The number of elements; `None` for `[]`.
    pub size: Option<Box<Expression>>,
}

/// A qualifier.
#[derive(Clone, Debug)]
pub struct Qualifier {
    /// Its place.
    pub span: Span,
    /// Its meaning.
    pub kind: QualifierKind,
}

/// The kinds of qualifiers.
#[derive(Clone, Debug)]
pub enum QualifierKind {
    /// `const`.
    Const,
    /// `attribute`.
    Attribute,
    /// `varying`.
    Varying,
    /// `uniform`.
    Uniform,
    /// `in`.
    In,
    /// `out`.
    Out,
    /// `inout`.
    InOut,
    /// `centroid`.
    Centroid,
    /// `sample`.
    Sample,
    /// `flat`.
    Flat,
    /// `smooth`.
    Smooth,
    /// `noperspective`.
    NoPerspective,
    /// `invariant`.
    Invariant,
    /// `precise`.
    Precise,
    /// `lowp`, `mediump`, `highp`.
    Precision(Precision),
    /// `layout(...)`.
    Layout(Vec<(Name, Option<Expression>)>),
}

/// A precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `lowp`.
    Low,
    /// `mediump`.
    Medium,
    /// `highp`.
    High,
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// Variables of one type. Without a variable it may define a structure.
    Variables(Variables),
    /// A block of uniforms, inputs or outputs.
    Block(Block),
    /// `precision highp float;`.
    Precision(Span, TypeSpecifier),
    /// Qualifiers of names that are declared already, as `invariant a, b;`, or of none, as `layout(...) in;`.
    Again(Span, Vec<Qualifier>, Vec<Name>),
}

/// Variables of one type.
#[derive(Clone, Debug)]
pub struct Variables {
    /// Qualifiers and type.
    pub ty: QualifiedType,
    /// The variables.
    pub declarators: Vec<Declarator>,
}

/// A variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// The dimensions after the name.
    pub dimensions: Vec<Dimension>,
    /// The initial value.
    pub value: Option<Expression>,
}

/// A block of uniforms, inputs or outputs.
#[derive(Clone, Debug)]
pub struct Block {
    /// The declaration, with its semicolon.
    pub span: Span,
    /// Qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The name of the block.
    pub name: Name,
    /// The members.
    pub members: Vec<Member>,
    /// The name of the instance, and its dimensions.
    pub instance: Option<(Name, Vec<Dimension>)>,
}

/// Statements in curly brackets.
#[derive(Clone, Debug)]
pub struct Compound {
    /// From bracket to bracket.
    pub span: Span,
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its place.
    pub span: Span,
    /// Its kind.
    pub kind: StatementKind,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `;`.
    Empty,
    /// A declaration.
    Declaration(Declaration),
    /// A prototype or definition of a function, which some versions allow nowhere but outside.
    Function(Box<Function>),
    /// An expression.
    Expression(Expression),
    /// Statements with a scope of their own.
    Compound(Compound),
    /// `if` and each `else if`, at least one, and what follows the last `else`.
    If(Vec<Arm>, Option<Box<Statement>>),
    /// `switch`.
    Switch(Expression, Compound),
    /// `case` with its label.
    Case(Expression),
    /// `default`.
    Default,
    /// `while`.
    While(Condition, Box<Statement>),
    /// `do`.
    Do(Box<Statement>, Expression),
    /// `for`.
    For(Box<For>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expression>),
    /// `discard`.
    Discard,
    /// Text that cannot be read, after its error. The names in it may be declared there: uses of them are no further errors.
    Wrong(Vec<Name>),
}

/// `if (condition) accept`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// From `if` to the end of `accept`.
    pub span: Span,
    /// The condition.
    pub condition: Expression,
    /// The statement that runs if it holds.
    pub accept: Box<Statement>,
}

/// `for`.
#[derive(Clone, Debug)]
pub struct For {
    /// Before the loop: an expression, a declaration or empty.
    pub start: Statement,
    /// The condition.
    pub condition: Option<Condition>,
    /// After each iteration.
    pub step: Option<Expression>,
    /// The body.
    pub body: Statement,
}

/// The condition of a loop.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A value.
    Expression(Expression),
    /// `bool a = value`, anew in each iteration.
    Declaration(Box<QualifiedType>, Name, Expression),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its place.
    pub span: Span,
    /// Its kind.
    pub kind: ExpressionKind,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A variable.
    Name(String),
    /// A whole number, by its 32 bits.
    Int(u32),
    /// A whole number with `u`.
    Uint(u32),
    /// A number.
    Float(f32),
    /// `true` or `false`.
    Bool(bool),
    /// An expression in brackets.
    Bracketed(Box<Expression>),
    /// A call of a function, or a constructor of a type by its name.
    Call(Name, Vec<Expression>),
    /// A constructor of an array: `float[2](1.0, 2.0)`; also of a structure that is defined here.
    Construct(Box<TypeSpecifier>, Vec<Expression>),
    /// `a.length()`, the only method.
    Method(Box<Expression>, Name, Vec<Expression>),
    /// `{1.0, 2.0}` as an initial value.
    List(Vec<Expression>),
    /// A member or components.
    Member(Box<Expression>, Name),
    /// An element.
    Index(Box<Expression>, Box<Expression>),
    /// An operator of one operand.
    Unary(Unary, Box<Expression>),
    /// Operators of two operands, all of one precedence, from the left: the first operand, then each operator with its
    /// place and its right operand. A long sum is one level.
    Binary(Box<Expression>, Vec<(Binary, Span, Expression)>),
    /// `=`, or with an operator `+=` and the like; its place; target and value.
    Assign(Option<Binary>, Span, Box<Expression>, Box<Expression>),
    /// `condition ? a : b`.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `a, b`.
    Sequence(Box<Expression>, Box<Expression>),
    /// Text that cannot be read, after its error. Its type is unknown.
    Wrong,
}

/// An operator of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `!`.
    Not,
    /// `~`.
    Invert,
    /// `++a`.
    Increment,
    /// `--a`.
    Decrement,
    /// `a++`.
    IncrementAfter,
    /// `a--`.
    DecrementAfter,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// `<`.
    Less,
    /// `>`.
    Greater,
    /// `<=`.
    LessEqual,
    /// `>=`.
    GreaterEqual,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `&`.
    And,
    /// `^`.
    ExclusiveOr,
    /// `|`.
    Or,
    /// `&&`.
    LogicalAnd,
    /// `^^`.
    LogicalXor,
    /// `||`.
    LogicalOr,
}
