//! Types as numbers of scalars.

use super::{Refused, Walker};
use naga::{ArraySize, Handle, ScalarKind, Type, TypeInner};

/// Most scalars of a type.
const MAX_SCALARS: usize = 8192;

impl Walker<'_, '_> {
    /// Measures all types, each once: nested structures can repeat their members exponentially.
    pub(super) fn measure(&mut self) {
        // A type comes after its parts.
        for (ty, Type { inner, .. }) in self.module.types.iter() {
            if let Ok(size) = self.scalars(inner, 0) {
                self.sizes.insert(ty, size);
            }
        }
    }

    /// The number of scalars of a type.
    pub(super) fn size(&self, inner: &TypeInner) -> Result<usize, Refused> {
        let size = self.scalars(inner, 0)?;
        if size > MAX_SCALARS {
            return self.refuse(format!(
                "a variable of {size} numbers is too large; at most {MAX_SCALARS} are possible"
            ));
        }
        Ok(size)
    }

    /// The number of scalars of a type.
    pub(super) fn size_of(&self, ty: Handle<Type>) -> Result<usize, Refused> {
        self.size(&self.module.types[ty].inner)
    }

    fn scalars(&self, inner: &TypeInner, depth: usize) -> Result<usize, Refused> {
        let of = |ty: Handle<Type>| match self.sizes.get(&ty) {
            Some(size) => Ok(*size),
            None => self.scalars(&self.module.types[ty].inner, depth + 1),
        };
        if depth > 64 {
            return self.refuse("the type is nested too deep");
        }
        match inner {
            TypeInner::Scalar(scalar) => match (scalar.kind, scalar.width) {
                (ScalarKind::Float, 8) => self
                    .refuse("the machine has no double")
                    .map_err(|error| error.help("use float")),
                _ => Ok(1),
            },
            TypeInner::Vector { size, .. } => Ok(*size as usize),
            TypeInner::Matrix { columns, rows, .. } => Ok(*columns as usize * *rows as usize),
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                Ok(of(*base)?.saturating_mul(count.get() as usize))
            }
            TypeInner::Struct { members, .. } => members
                .iter()
                .try_fold(0usize, |sum, member| Ok(sum.saturating_add(of(member.ty)?))),
            TypeInner::Array { .. } => self.refuse("an array without a size is not possible"),
            _ => self.refuse("a value of this type is not possible"),
        }
    }

    /// The kind of the scalars of a scalar, vector or matrix.
    pub(super) fn kind(&self, inner: &TypeInner) -> ScalarKind {
        match inner {
            TypeInner::Scalar(scalar)
            | TypeInner::Vector { scalar, .. }
            | TypeInner::Matrix { scalar, .. }
            | TypeInner::ValuePointer { scalar, .. } => scalar.kind,
            TypeInner::Pointer { base, .. } => self.kind(&self.module.types[*base].inner),
            _ => ScalarKind::Float,
        }
    }

    /// The parts that an index selects: their number, and the scalars of one; the offset of part n of a structure.
    pub(super) fn parts(&self, inner: &TypeInner) -> Result<(usize, usize), Refused> {
        match inner {
            TypeInner::Vector { size, .. } => Ok((*size as usize, 1)),
            TypeInner::ValuePointer { size: Some(size), .. } => Ok((*size as usize, 1)),
            TypeInner::Matrix { columns, rows, .. } => Ok((*columns as usize, *rows as usize)),
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                Ok((count.get() as usize, self.size_of(*base)?))
            }
            TypeInner::Pointer { base, .. } => self.parts(&self.module.types[*base].inner),
            _ => self.refuse("an index of this value is not possible"),
        }
    }

    /// The offset and the size of a member of a structure, or of a part of another type.
    pub(super) fn part(&self, inner: &TypeInner, index: usize) -> Result<(usize, usize), Refused> {
        match inner {
            TypeInner::Struct { members, .. } => {
                let mut offset = 0;
                for member in &members[..index] {
                    offset += self.size_of(member.ty)?;
                }
                Ok((offset, self.size_of(members[index].ty)?))
            }
            TypeInner::Pointer { base, .. } => self.part(&self.module.types[*base].inner, index),
            _ => {
                let (count, size) = self.parts(inner)?;
                if index >= count {
                    return self.refuse(format!(
                        "index {index} is out of range: there are {count} elements"
                    ));
                }
                Ok((index * size, size))
            }
        }
    }
}
