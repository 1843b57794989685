//! The inputs of a shader by the names of its source: uniforms and varyings.

use super::Machine;
use ctm_functions::number::{Number, Numbers};
use ctm_isa::arithmetic::Operations;
use naga::{ArraySize, Handle, Type, TypeInner};

impl Machine<'_, '_> {
    pub(super) fn uniform(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        value: &mut Vec<Number>,
    ) -> Result<(), String> {
        let module = self.module;
        let inner = &module.types[ty].inner;
        match inner {
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                for n in 0..count.get() {
                    self.uniform(&format!("{name}[{n}]"), *base, value)?;
                }
            }
            TypeInner::Struct { .. } if self.glsl.samplers.contains(&ty) => {
                value.push(Numbers.number(self.samplers.len() as f32));
                self.samplers.push(name.to_string());
            }
            TypeInner::Struct { members, .. } => {
                for member in members {
                    let own = member.name.as_deref().unwrap_or("_");
                    self.uniform(&format!("{name}.{own}"), member.ty, value)?;
                }
            }
            _ => {
                let bits = |n: usize| Number::given(self.environment.uniform(name, n));
                value.extend((0..self.size(inner)?).map(bits));
            }
        }
        Ok(())
    }

    pub(super) fn varying(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        value: &mut Vec<Number>,
    ) -> Result<(), String> {
        let module = self.module;
        let inner = &module.types[ty].inner;
        let mut column = |name: &str, rows: usize| {
            value.extend((0..rows).map(|n| Number::given(self.environment.varying(name, n))));
        };
        match inner {
            TypeInner::Scalar(_) => column(name, 1),
            TypeInner::Vector { size, .. } => column(name, *size as usize),
            TypeInner::Matrix { columns, rows, .. } => {
                for n in 0..*columns as usize {
                    column(&format!("{name}[{n}]"), *rows as usize);
                }
            }
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                for n in 0..count.get() {
                    self.varying(&format!("{name}[{n}]"), *base, value)?;
                }
            }
            _ => return Err("a varying of a type that the evaluator does not know".into()),
        }
        Ok(())
    }
}
