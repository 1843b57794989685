//! Constructors.

use super::Checker;
use super::operand::{Operand, number_bits};
use crate::ast;
use crate::constant;
use crate::constructors::{self, Plan};
use crate::types::{Scalar, Type};
use ctm_base::text::Span;
use naga::{Expression, Handle, Literal};

impl Checker<'_> {
    /// `float[2](arguments)`, or a constructor of a structure that is defined here.
    pub fn construct_of(
        &mut self,
        ty: &ast::TypeSpecifier,
        arguments: &[ast::Expression],
        span: Span,
    ) -> Operand {
        let ty = self.specified(ty);
        if matches!(ty, Type::Array(..)) && !self.version.has(300, 120) {
            let error = span.error(format!("{} has no constructors of arrays", self.version));
            self.found.version(self.version, error.help("assign the elements one by one"));
        }
        self.construct(ty, arguments, span)
    }

    /// A value of a type made of others.
    pub fn construct(&mut self, ty: Type, arguments: &[ast::Expression], span: Span) -> Operand {
        let arguments = self.values(arguments);
        self.constructed(ty, arguments, span)
    }

    /// A value of a type made of values.
    pub fn constructed(&mut self, ty: Type, arguments: Vec<Operand>, span: Span) -> Operand {
        let types: Vec<Type> = arguments.iter().map(|argument| argument.ty.clone()).collect();
        let made = match constructors::construct(self.version, span, &ty, &types) {
            Ok(made) => made,
            Err(error) => {
                self.found.error(error);
                return Operand { ty, ..Operand::error(span) };
            }
        };
        self.found.all_warnings(made.warnings.iter().cloned());
        let version = self.version;
        if !version.has(300, 120) {
            let of_matrix = !version.has(100, 120)
                && matches!((&made.ty, types.as_slice()), (Type::Matrix(..), [Type::Matrix(..)]));
            let of_array = matches!(made.ty, Type::Structure(_)) && made.ty.facts().array;
            let what = if of_matrix {
                Some("makes no matrix of a matrix")
            } else {
                of_array.then_some("has no constructors of structures with arrays")
            };
            if let Some(what) = what {
                let error = span.error(format!("{version} {what}"));
                self.found.version(version, error.help("assign the parts one by one"));
            }
        }
        if made.plan == Plan::Error || made.ty == Type::Error {
            return Operand { ty: made.ty, ..Operand::error(span) };
        }
        let arguments: Vec<Operand> = match made.plan {
            Plan::Members => arguments
                .into_iter()
                .zip(&made.operands)
                .map(|(argument, ty)| self.converted(argument, ty))
                .collect(),
            _ => arguments,
        };
        if let Some(known) = Self::all_known(&arguments)
            && let Some(value) = constant::construct(&made, &known)
        {
            return Operand::constant(span, value);
        }
        let value = self.made(&made.ty, made.plan, arguments, span);
        Operand::value(made.ty, span, value)
    }

    fn made(
        &mut self,
        ty: &Type,
        plan: Plan,
        arguments: Vec<Operand>,
        span: Span,
    ) -> Handle<Expression> {
        let scalar = ty.scalar().unwrap_or(Scalar::Float);
        // Of one argument, its scalars as the type's.
        let first = |this: &mut Self| match arguments.first() {
            Some(first) => {
                let handle = this.handle(first);
                let from = first.ty.scalar().unwrap_or(scalar);
                (this.cast(handle, &first.ty, from, scalar, span), first.ty.with_scalar(scalar))
            }
            None => (this.body.literal(Literal::F32(0.0)), Type::Scalar(Scalar::Float)),
        };
        match plan {
            Plan::Convert => first(self).0,
            Plan::Splat => {
                let (value, _) = first(self);
                match ty {
                    Type::Vector(_, size) => self.splat(value, *size, span),
                    _ => value,
                }
            }
            Plan::Diagonal => {
                let (value, _) = first(self);
                let zero = self.body.literal(Literal::F32(0.0));
                self.columns(ty, span, |_, column, row| if column == row { value } else { zero })
            }
            Plan::Resize => {
                let (matrix, from) = first(self);
                self.resized(ty, matrix, &from, span)
            }
            Plan::Scalars => self.of_scalars_in_order(ty, scalar, &arguments, span),
            Plan::Members => {
                let components = arguments.iter().map(|one| self.handle(one)).collect();
                let ty = self.lower(ty);
                self.body.evaluate(Expression::Compose { ty, components }, span)
            }
            Plan::Error => self.body.literal(Literal::F32(0.0)),
        }
    }

    /// A matrix of its components.
    fn columns(
        &mut self,
        ty: &Type,
        span: Span,
        mut component: impl FnMut(&mut Self, u8, u8) -> Handle<Expression>,
    ) -> Handle<Expression> {
        let Type::Matrix(columns, rows) = *ty else { return component(self, 0, 0) };
        let column_type = self.lower(&Type::Vector(Scalar::Float, rows));
        let mut made = Vec::new();
        for column in 0..columns {
            let components = (0..rows).map(|row| component(self, column, row)).collect();
            let compose = Expression::Compose { ty: column_type, components };
            made.push(self.body.evaluate(compose, span));
        }
        let ty = self.lower(ty);
        self.body.evaluate(Expression::Compose { ty, components: made }, span)
    }

    /// A matrix of another: what both have, the rest as in the identity.
    fn resized(
        &mut self,
        ty: &Type,
        matrix: Handle<Expression>,
        from: &Type,
        span: Span,
    ) -> Handle<Expression> {
        let Type::Matrix(old_columns, old_rows) = *from else { return matrix };
        let [zero, one] = [0, 1].map(|number| {
            let bits = number_bits(Scalar::Float, number);
            self.body.literal(Literal::F32(f32::from_bits(bits)))
        });
        let columns: Vec<Handle<Expression>> =
            (0..old_columns.into()).map(|n| self.part(matrix, n, span)).collect();
        self.columns(ty, span, |this, column, row| match columns.get(usize::from(column)) {
            Some(base) if row < old_rows => this.part(*base, row.into(), span),
            _ if column == row => one,
            _ => zero,
        })
    }

    /// The first scalars of the arguments.
    fn of_scalars_in_order(
        &mut self,
        ty: &Type,
        scalar: Scalar,
        arguments: &[Operand],
        span: Span,
    ) -> Handle<Expression> {
        let needed = ty.facts().scalars;
        // A vector of the first components of one.
        if let ([one], Type::Vector(_, size)) = (arguments, ty)
            && let Type::Vector(from, _) = one.ty
        {
            let handle = self.handle(one);
            let pattern: Vec<u8> = (0..*size).collect();
            let short = self.components(handle, &pattern, span);
            return self.cast(short, ty, from, scalar, span);
        }
        let mut scalars = Vec::new();
        for argument in arguments {
            let handle = self.handle(argument);
            let from = argument.ty.scalar().unwrap_or(scalar);
            if let Type::Matrix(..) = argument.ty {
                // A naga module converts no matrices.
                let first = scalars.len();
                self.flatten(handle, &argument.ty, needed, &mut scalars, argument.span);
                for one in &mut scalars[first..] {
                    *one = self.cast(*one, &Type::Scalar(from), from, scalar, argument.span);
                }
                continue;
            }
            let handle = self.cast(handle, &argument.ty, from, scalar, argument.span);
            self.flatten(handle, &argument.ty, needed, &mut scalars, argument.span);
        }
        let mut scalars = scalars.into_iter();
        let zero = self.body.literal(Literal::F32(0.0));
        match ty {
            Type::Vector(..) => {
                let components = scalars.take(needed).collect();
                let ty = self.lower(ty);
                self.body.evaluate(Expression::Compose { ty, components }, span)
            }
            Type::Matrix(..) => self.columns(ty, span, |_, _, _| scalars.next().unwrap_or(zero)),
            _ => scalars.next().unwrap_or(zero),
        }
    }

    /// Appends the scalars of a value, as long as more are needed.
    fn flatten(
        &mut self,
        value: Handle<Expression>,
        ty: &Type,
        needed: usize,
        scalars: &mut Vec<Handle<Expression>>,
        span: Span,
    ) {
        match ty.parts() {
            Some((Some(count), part)) => {
                for n in 0..count {
                    if scalars.len() < needed {
                        let one = self.part(value, n, span);
                        self.flatten(one, &part, needed, scalars, span);
                    }
                }
            }
            _ if scalars.len() < needed => scalars.push(value),
            _ => {}
        }
    }

    /// The value of an initial list `{a, b}`.
    pub fn list(&mut self, ty: &Type, values: &[ast::Expression], span: Span) -> Operand {
        let count = values.len();
        let of_structure = match ty {
            Type::Structure(structure) => {
                Some(structure.members.iter().map(|(_, ty)| ty.clone()).collect::<Vec<_>>())
            }
            _ => None,
        };
        let parts = match (of_structure, ty.parts()) {
            (Some(parts), _) => parts,
            (None, Some((size, part))) => vec![part; size.unwrap_or(count as u32) as usize],
            (None, None) => {
                let error =
                    span.error(format!("a list in curly brackets is no value of type `{ty}`"));
                self.found.error(error);
                return Operand::error(span);
            }
        };
        if parts.len() != count {
            let error =
                span.error(format!("this list has {count} values; `{ty}` takes {}", parts.len()));
            self.found.error(error);
            return Operand::error(span);
        }
        let values: Vec<Operand> =
            values.iter().zip(&parts).map(|(value, ty)| self.initial(ty, value)).collect();
        let whole = match ty {
            Type::Array(element, None) => Type::Array(element.clone(), Some(count as u32)),
            _ => ty.clone(),
        };
        self.constructed(whole, values, span)
    }
}
