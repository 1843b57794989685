//! Types as naga has them.

use crate::types::{Scalar, Type};
use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, ScalarKind, Span, StructMember, TypeInner, VectorSize};
use std::collections::HashMap;
use std::num::NonZeroU32;

/// The types of a module so far.
#[derive(Default)]
pub struct Types {
    known: HashMap<Type, Handle<naga::Type>>,
    layouter: Layouter,
}

/// A scalar as naga has it.
pub fn scalar(scalar: Scalar) -> naga::Scalar {
    match scalar {
        Scalar::Bool => naga::Scalar::BOOL,
        Scalar::Int => naga::Scalar::I32,
        Scalar::Uint => naga::Scalar::U32,
        Scalar::Float => naga::Scalar::F32,
    }
}

/// The kind of a scalar as naga has it.
pub fn kind(scalar: Scalar) -> ScalarKind {
    self::scalar(scalar).kind
}

/// A number of components as naga has it.
pub fn size(count: u8) -> VectorSize {
    match count {
        0..=2 => VectorSize::Bi,
        3 => VectorSize::Tri,
        _ => VectorSize::Quad,
    }
}

impl Types {
    /// A type; of what has none, any.
    pub fn lower(&mut self, module: &mut Module, ty: &Type) -> Handle<naga::Type> {
        if let Some(known) = self.known.get(ty) {
            return *known;
        }
        let (name, inner) = match ty {
            Type::Void | Type::Error => (None, TypeInner::Scalar(naga::Scalar::F32)),
            Type::Scalar(of) => (None, TypeInner::Scalar(scalar(*of))),
            Type::Vector(of, count) => {
                (None, TypeInner::Vector { size: size(*count), scalar: scalar(*of) })
            }
            Type::Matrix(columns, rows) => {
                let (columns, rows) = (size(*columns), size(*rows));
                (None, TypeInner::Matrix { columns, rows, scalar: naga::Scalar::F32 })
            }
            // The number of an input.
            Type::Sampler(sampler) => {
                let unit = self.lower(module, &Type::Scalar(Scalar::Int));
                let members = vec![("unit".to_string(), unit)];
                (Some(sampler.0.to_string()), self.structure(module, members))
            }
            Type::Structure(structure) => {
                let members = structure.members.iter();
                let members =
                    members.map(|(name, ty)| (name.clone(), self.lower(module, ty))).collect();
                (Some(structure.name.clone()), self.structure(module, members))
            }
            Type::Array(element, count) => {
                let base = self.lower(module, element);
                let count = NonZeroU32::new(count.unwrap_or(1)).unwrap_or(NonZeroU32::MIN);
                self.layout(module);
                let stride = self.layouter[base].to_stride();
                (None, TypeInner::Array { base, size: ArraySize::Constant(count), stride })
            }
        };
        let handle = module.types.insert(naga::Type { name, inner }, Span::UNDEFINED);
        self.known.insert(ty.clone(), handle);
        handle
    }

    /// The types of samplers.
    pub fn samplers(&self) -> std::collections::BTreeSet<Handle<naga::Type>> {
        let known = self.known.iter();
        known.filter(|(ty, _)| matches!(ty, Type::Sampler(_))).map(|(_, handle)| *handle).collect()
    }

    fn layout(&mut self, module: &Module) {
        // Types are refused where they are too large for it.
        let _ = self.layouter.update(module.to_ctx());
    }

    fn structure(
        &mut self,
        module: &Module,
        members: Vec<(String, Handle<naga::Type>)>,
    ) -> TypeInner {
        self.layout(module);
        let mut alignment = naga::proc::Alignment::ONE;
        let mut end = 0;
        let mut placed = Vec::new();
        for (name, ty) in members {
            let layout = self.layouter[ty];
            let offset = layout.alignment.round_up(end);
            end = offset.saturating_add(layout.size);
            alignment = alignment.max(layout.alignment);
            placed.push(StructMember { name: Some(name), ty, binding: None, offset });
        }
        TypeInner::Struct { members: placed, span: alignment.round_up(end).max(1) }
    }
}
