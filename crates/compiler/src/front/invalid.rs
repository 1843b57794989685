//! WGSL that its reader takes and the language does not: naga's validator finds it, and this has the words.

use crate::guard::tokens::{Lexeme, tokens};
use ctm_base::text::{Diagnostic, Span};
use naga::valid::{
    CallError, Capabilities, ComposeError, ConstExpressionError, EntryPointError, ExpressionError,
    FunctionError, ValidationError, ValidationFlags, Validator,
};
use naga::{BinaryOperator, Block, Module, Scalar, ScalarKind, Statement, SwitchValue, TypeInner};
use std::collections::BTreeSet;
use std::error::Error;

/// Refuses what WGSL does not allow.
pub fn check(module: &Module, source: &str) -> Result<(), Diagnostic> {
    let flags = ValidationFlags::all();
    let Err(error) = Validator::new(flags, Capabilities::all()).validate(module) else {
        return Ok(());
    };
    // The body that is wrong, and the error in it.
    let (body, wrong) = match error.as_inner() {
        ValidationError::Function { handle, source, .. } => {
            (Some(&module.functions[*handle].body), Some(source))
        }
        ValidationError::EntryPoint { name, source, .. } => {
            let entry = module.entry_points.iter().find(|entry| entry.name == *name);
            let wrong = match source {
                EntryPointError::Function(source) => Some(source),
                _ => None,
            };
            (entry.map(|entry| &entry.function.body), wrong)
        }
        _ => (None, None),
    };
    let switch = match wrong {
        Some(FunctionError::ConflictingSwitchCase(_) | FunctionError::MultipleDefaultCases) => {
            body.and_then(switch)
        }
        _ => None,
    };
    let first = body.and_then(|body| body.span_iter().next()).map(|(_, span)| *span);
    let places = error.spans().map(|(span, _)| *span).chain(switch).chain(first);
    let place = places.filter_map(|span| span.to_range()).next();
    let place = place.map(|place| Span::new(place.start, place.end));
    let place = place.or_else(|| declaration(module, source, error.as_inner()));
    Err(place.unwrap_or_default().error(words(error.as_inner())))
}

/// The declaration that an error is in: naga gives parts of constants and entry points no place.
fn declaration(module: &Module, source: &str, error: &ValidationError) -> Option<Span> {
    match error {
        ValidationError::ConstExpression { handle, .. } => {
            let constants = module
                .constants
                .iter()
                .map(|(own, constant)| (constant.init.index(), module.constants.get_span(own)));
            let variables = module.global_variables.iter().filter_map(|(own, variable)| {
                Some((variable.init?.index(), module.global_variables.get_span(own)))
            });
            // The parts of a value come before it.
            let whole = constants.chain(variables).filter(|(init, _)| *init >= handle.index());
            let (_, span) = whole.min_by_key(|(init, _)| *init)?;
            span.to_range().map(|range| Span::new(range.start, range.end))
        }
        ValidationError::EntryPoint { name, .. } => {
            let tokens = tokens(source);
            let mut pairs = tokens.windows(2);
            let name = pairs.find(|pair| {
                [pair[0].lexeme, pair[1].lexeme] == [Lexeme::Word("fn"), Lexeme::Word(name)]
            });
            name.map(|pair| pair[1].span())
        }
        _ => None,
    }
}

/// The place of the first `switch` of a block with two cases of one value.
fn switch(block: &Block) -> Option<naga::Span> {
    block.span_iter().find_map(|(statement, span)| match statement {
        Statement::Switch { cases, .. } => {
            let inner = || cases.iter().find_map(|case| switch(&case.body));
            let mut seen = BTreeSet::new();
            let twice = |value: SwitchValue| match value {
                SwitchValue::I32(value) => !seen.insert(Some(i64::from(value))),
                SwitchValue::U32(value) => !seen.insert(Some(i64::from(value))),
                SwitchValue::Default => !seen.insert(None),
            };
            if cases.iter().map(|case| case.value).any(twice) { Some(*span) } else { inner() }
        }
        Statement::Block(block) => switch(block),
        Statement::If { accept, reject, .. } => switch(accept).or_else(|| switch(reject)),
        Statement::Loop { body, continuing, .. } => switch(body).or_else(|| switch(continuing)),
        _ => None,
    })
}

/// An error in words.
fn words(error: &ValidationError) -> String {
    match error {
        ValidationError::Function { source, .. }
        | ValidationError::EntryPoint { source: EntryPointError::Function(source), .. } => {
            in_function(source)
        }
        ValidationError::GlobalVariable { name, source, .. } => {
            format!("the variable `{name}`: {}", plain(source))
        }
        ValidationError::ConstExpression {
            source: ConstExpressionError::Compose(error), ..
        } => composed(error),
        ValidationError::EntryPoint { source: EntryPointError::BindingCollision(_), .. } => {
            "two resources have the same group and binding".to_string()
        }
        other => plain(other),
    }
}

fn in_function(error: &FunctionError) -> String {
    match error {
        FunctionError::Expression { source, .. } => in_expression(source),
        FunctionError::InvalidCall { error, .. } => match error {
            CallError::ArgumentCount { required, seen } => {
                format!("the function has {required} parameters, but {seen} arguments are given")
            }
            CallError::ArgumentType { index, .. } => {
                format!("argument {} has another type than its parameter", index + 1)
            }
            CallError::Argument { source, .. } => in_expression(source),
            other => plain(other),
        },
        FunctionError::InvalidReturnType { expression: None, .. } => {
            "a path of the function ends without a value".to_string()
        }
        FunctionError::InvalidReturnType { .. } => {
            "the value has another type than the function returns".to_string()
        }
        FunctionError::InvalidIfType(_) => "the condition must be a bool".to_string(),
        FunctionError::InvalidSwitchType(_) => "`switch` chooses by an integer".to_string(),
        FunctionError::ConflictingSwitchCase(value) => {
            let value = match value {
                SwitchValue::I32(value) => value.to_string(),
                SwitchValue::U32(value) => value.to_string(),
                SwitchValue::Default => "default".to_string(),
            };
            format!("`switch` has two cases {value}")
        }
        FunctionError::InvalidStorePointer(_) => "nothing can be stored here".to_string(),
        FunctionError::InvalidStoreTypes { .. } => {
            "the value has another type than the variable".to_string()
        }
        other => plain(other),
    }
}

fn in_expression(error: &ExpressionError) -> String {
    match error {
        ExpressionError::InvalidBinaryOperandTypes { op, lhs_type, rhs_type, .. } => {
            let (left, right) = (type_name(lhs_type), type_name(rhs_type));
            format!("`{}` does not take {left} and {right}", sign(*op))
        }
        ExpressionError::SelectValuesTypeMismatch { accept, reject } => {
            let (accept, reject) = (type_name(accept), type_name(reject));
            format!("`select` takes two values of one type, not {reject} and {accept}")
        }
        ExpressionError::SelectConditionNotABool { actual } => {
            format!("`select` chooses by a bool, not by {}", type_name(actual))
        }
        ExpressionError::IndexOutOfBounds(_, index) => format!("there is no element {index}"),
        ExpressionError::InvalidImageCoordinateType(..) => {
            "the coordinates have another number of components than the texture".to_string()
        }
        ExpressionError::Compose(error) => composed(error),
        other => plain(other),
    }
}

fn composed(error: &ComposeError) -> String {
    match error {
        ComposeError::ComponentCount { given, expected } => {
            format!("the type has {expected} parts, but {given} are given")
        }
        ComposeError::ComponentType { index } => {
            format!("part {} has another type than the type's", index + 1)
        }
        other => plain(other),
    }
}

/// The innermost cause, if its words name nothing of naga's own.
fn plain(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    if text.contains(['[', '(', '{']) || text.contains("TypeFlags") {
        return "this is not valid WGSL".to_string();
    }
    let mut letters = text.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The operator in the source.
fn sign(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => "&",
        BinaryOperator::ExclusiveOr => "^",
        BinaryOperator::InclusiveOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
    }
}

/// The type in the source.
fn type_name(inner: &TypeInner) -> String {
    let scalar = |scalar: &Scalar| {
        let letter = match scalar.kind {
            ScalarKind::Bool => return "bool".to_string(),
            ScalarKind::Sint | ScalarKind::AbstractInt => 'i',
            ScalarKind::Uint => 'u',
            ScalarKind::Float | ScalarKind::AbstractFloat => 'f',
        };
        format!("{letter}{}", 8 * scalar.width)
    };
    match inner {
        TypeInner::Scalar(one) => scalar(one),
        TypeInner::Vector { size, scalar: one } => format!("vec{}<{}>", *size as u8, scalar(one)),
        TypeInner::Matrix { columns, rows, scalar: one } => {
            format!("mat{}x{}<{}>", *columns as u8, *rows as u8, scalar(one))
        }
        TypeInner::Array { .. } => "an array".to_string(),
        TypeInner::Struct { .. } => "a structure".to_string(),
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "a pointer".to_string(),
        _ => "a resource".to_string(),
    }
}
