//! Uniforms, varyings, samplers and outputs.

use super::variables::Key;
use super::{Pointer, Refused, Value, Walker};
use ctm_base::text::Span;
use ctm_codegen::graph::{Id, Op};
use ctm_codegen::ir::OutputChannel;
use ctm_glsl::{Declared, Storage};
use ctm_isa::isa::{INPUTS, OUTPUTS};
use ctm_lang::program::interface::{Kind, Output, Sampler, Scalar, Uniform, Varying};
use naga::{
    AddressSpace, ArraySize, Binding, BuiltIn, EntryPoint, Handle, ScalarKind, Type, TypeInner,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The outputs by their numbers: those that the shader stores to are its outputs.
const FRAG_DATA: &str = "gl_FragData";

/// Most varyings: temporaries that can hold values at the start.
const MAX_VARYINGS: usize = 100;

pub(super) fn kind(kind: ScalarKind) -> Kind {
    match kind {
        ScalarKind::Bool => Kind::Bool,
        ScalarKind::Sint | ScalarKind::Uint | ScalarKind::AbstractInt => Kind::Int,
        ScalarKind::Float | ScalarKind::AbstractFloat => Kind::Float,
    }
}

impl<'m> Walker<'m, '_> {
    /// Makes all global variables.
    pub(super) fn globals(&mut self) -> Result<(), Refused> {
        // The interface in its order, so that inputs are numbered as they come.
        let declared: Vec<&Declared> =
            self.setting.glsl.into_iter().flat_map(|glsl| &glsl.interface).collect();
        let ranks: HashMap<_, usize> =
            declared.iter().enumerate().map(|(n, one)| (one.variable, n)).collect();
        let mut handles: Vec<_> = self.module.global_variables.iter().collect();
        handles.sort_by_key(|(handle, _)| ranks.get(handle));
        for (handle, variable) in handles {
            self.span = Span::default();
            self.locate(self.module.global_variables.get_span(handle));
            let declared = ranks.get(&handle).map(|n| declared[*n]);
            let own = variable.name.clone().unwrap_or_default();
            let name = declared.map_or(own, |declared| declared.name.clone());
            let storage = match (declared, variable.space) {
                (Some(declared), _) => {
                    self.span = declared.span;
                    Some(declared.storage)
                }
                (None, AddressSpace::Uniform | AddressSpace::Immediate) => Some(Storage::Uniform),
                (None, AddressSpace::Handle) => {
                    let value = self.handle(&name, &self.module.types[variable.ty].inner)?;
                    self.globals.insert(handle, value);
                    continue;
                }
                (None, AddressSpace::Storage { access }) => {
                    let value = self.buffer(&name, variable.ty, access)?;
                    self.globals.insert(handle, value);
                    continue;
                }
                (None, AddressSpace::WorkGroup) => {
                    return self.refuse(format!(
                        "the variable `{name}` is in workgroup memory: the points of a launch share none"
                    ));
                }
                (None, AddressSpace::Private | AddressSpace::Function) => None,
                (None, _) => return self.refuse(format!("the variable `{name}` is in an address space that a fragment shader cannot have here")),
            };
            let mut value = Vec::new();
            let init = match variable.init {
                Some(init) => Some(self.constant(init)?),
                None => None,
            };
            match storage {
                Some(Storage::Uniform) => {
                    self.uniform(&name, variable.ty, init.as_deref(), &mut value)?;
                }
                Some(Storage::Varying) => self.varying(&name, variable.ty, &mut value)?,
                Some(Storage::Output(_)) | None => {
                    let size = self.size_of(variable.ty)?;
                    let zero = self.graph.number(0.0);
                    value = init.unwrap_or_else(|| vec![zero; size]);
                }
            }
            let (base, size) = (self.reserve(&value), value.len());
            if declared.is_some() && name == FRAG_DATA {
                self.data = base..base + size;
            }
            if !name.is_empty() {
                let span = self.module.global_variables.get_span(handle);
                let ty = &self.module.types[variable.ty].inner;
                self.declare(Key::Global(handle), &name, "", ty, span, base..base + size);
                if matches!(storage, Some(Storage::Uniform | Storage::Varying)) {
                    self.graph.origin = span.to_range().map_or(0, |range| range.start as u32);
                    self.note_store(base, &value);
                }
            }
            let pointer = Pointer { base, size, indices: Vec::new() };
            self.globals.insert(handle, Value::Pointer(pointer));
        }
        Ok(())
    }

    /// A sampler or a texture of WGSL.
    fn handle(&mut self, name: &str, inner: &TypeInner) -> Result<Value, Refused> {
        match inner {
            TypeInner::Sampler { .. } => Ok(Value::Sampler),
            TypeInner::Image {
                dim: naga::ImageDimension::D2,
                arrayed: false,
                class: naga::ImageClass::Sampled { kind, multi: false },
            } => {
                if *kind != ScalarKind::Float {
                    return self.refuse("an input gives floats: texture_2d<f32>");
                }
                Ok(Value::Image(self.sampler(name)?))
            }
            TypeInner::Image {
                dim: naga::ImageDimension::D2,
                arrayed: false,
                class: naga::ImageClass::Storage { format, access },
            } => self.storage_texture(name, *format, *access),
            _ => {
                let refused = self.refuse(format!("the resource `{name}` is not possible"));
                refused.map_err(|error| {
                    error.help("the machine fetches from two-dimensional inputs: texture_2d<f32>")
                })
            }
        }
    }

    pub(super) fn sampler(&mut self, name: &str) -> Result<u8, Refused> {
        let input = self.interface.samplers.len();
        if input == INPUTS {
            return self.refuse(format!("more than {INPUTS} samplers"));
        }
        let input = input as u8;
        self.interface.samplers.push(Sampler { name: name.to_string(), input, used: false });
        self.linear.push(self.setting.linear.iter().any(|linear| linear == name));
        Ok(input)
    }

    /// Appends the scalars of a uniform.
    fn uniform(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        init: Option<&[Id]>,
        value: &mut Vec<Id>,
    ) -> Result<(), Refused> {
        let module = self.module;
        let inner = &module.types[ty].inner;
        self.step()?;
        if matches!(inner, TypeInner::Array { .. } | TypeInner::Struct { .. }) {
            self.size_of(ty)?;
        }
        let start = value.len();
        let (scalar, columns, rows) = match inner {
            TypeInner::Scalar(scalar) => (scalar, 1, 1),
            TypeInner::Vector { size, scalar } => (scalar, 1, *size as usize),
            TypeInner::Matrix { columns, rows, scalar } => {
                (scalar, *columns as usize, *rows as usize)
            }
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                for n in 0..count.get() {
                    let part = init.map(|init| &init[value.len() - start..]);
                    self.uniform(&format!("{name}[{n}]"), *base, part, value)?;
                }
                return Ok(());
            }
            TypeInner::Struct { members, .. } => {
                if self.setting.glsl.is_some_and(|glsl| glsl.samplers.contains(&ty)) {
                    let input = self.sampler(name)?;
                    value.push(self.graph.number(input.into()));
                    return Ok(());
                }
                for member in members {
                    let part = init.map(|init| &init[value.len() - start..]);
                    let inner = member.name.as_deref().unwrap_or("_");
                    self.uniform(&format!("{name}.{inner}"), member.ty, part, value)?;
                }
                return Ok(());
            }
            _ => {
                return self
                    .refuse(format!("the uniform `{name}` has a type that is not possible"));
            }
        };
        self.size(inner)?;
        let default = init.map(|init| {
            init[..columns * rows]
                .iter()
                .map(|id| self.graph.bits(*id).unwrap_or_default())
                .collect()
        });
        let index = self.interface.uniforms.len();
        let kind = kind(scalar.kind);
        self.interface.uniforms.push(Uniform {
            name: name.to_string(),
            kind,
            columns,
            rows,
            default,
            used: false,
        });
        for component in 0..columns * rows {
            let scalar = self.interface.scalar(Scalar::Uniform(index, component));
            value.push(self.graph.intern(Op::Uniform(scalar), &[]));
        }
        Ok(())
    }

    /// Appends the scalars of a varying.
    fn varying(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        value: &mut Vec<Id>,
    ) -> Result<(), Refused> {
        let module = self.module;
        let inner = &module.types[ty].inner;
        let (scalar, rows) = match inner {
            TypeInner::Scalar(scalar) => (*scalar, 1),
            TypeInner::Vector { size, scalar } => (*scalar, *size as usize),
            TypeInner::Matrix { columns, rows, scalar } => {
                for n in 0..*columns as usize {
                    self.input(&format!("{name}[{n}]"), *scalar, *rows as usize, value)?;
                }
                return Ok(());
            }
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                self.size_of(ty)?;
                for n in 0..count.get() {
                    self.varying(&format!("{name}[{n}]"), *base, value)?;
                }
                return Ok(());
            }
            TypeInner::Struct { members, .. } => {
                self.size_of(ty)?;
                for member in members {
                    let inner = member.name.as_deref().unwrap_or("_");
                    self.varying(&format!("{name}.{inner}"), member.ty, value)?;
                }
                return Ok(());
            }
            _ => {
                return self
                    .refuse(format!("the varying `{name}` has a type that is not possible"));
            }
        };
        self.input(name, scalar, rows, value)
    }

    fn input(
        &mut self,
        name: &str,
        scalar: naga::Scalar,
        rows: usize,
        value: &mut Vec<Id>,
    ) -> Result<(), Refused> {
        let slot = self.interface.varyings.len();
        if slot == MAX_VARYINGS {
            return self.refuse(format!("more than {MAX_VARYINGS} varyings"));
        }
        let kind = kind(scalar.kind);
        self.interface.varyings.push(Varying { name: name.to_string(), rows, kind, temp: None });
        let components: Vec<Id> =
            (0..rows).map(|n| self.graph.intern(Op::Input((slot * 4 + n) as u32), &[])).collect();
        self.graph.vector(&components);
        value.extend(components);
        Ok(())
    }

    /// Runs the entry point. Returns the outputs.
    pub(super) fn entry(&mut self, entry: &'m EntryPoint) -> Result<Vec<OutputChannel>, Refused> {
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let mut value = Vec::new();
            let name = argument.name.clone().unwrap_or_default();
            self.argument(&name, argument.ty, argument.binding.as_ref(), &mut value)?;
            arguments.push(Value::Scalars(value.into()));
        }
        let from = self.memory.len();
        let result = self.call(None, &entry.function, arguments)?;
        if entry.stage == naga::ShaderStage::Compute {
            return self.stored();
        }
        self.span = Span::default();
        if let Some(glsl) = self.setting.glsl {
            return self.declared_outputs(&glsl.interface);
        }
        let Some(result_type) = &entry.function.result else { return Ok(Vec::new()) };
        let mut outputs = Vec::new();
        let inner = &self.module.types[result_type.ty].inner;
        let mut part =
            |walker: &mut Self, binding: Option<&Binding>, name: &str, values: &[Id], from| {
                match binding {
                    Some(Binding::Location { location, .. }) => {
                        walker.output(name, *location as usize, values, from, &mut outputs)
                    }
                    Some(Binding::BuiltIn(_)) => {
                        walker.refuse(format!("the built-in output `{name}` is not possible"))
                    }
                    None => walker.refuse(format!("the output `{name}` has no location")),
                }
            };
        match (inner, &result_type.binding) {
            (TypeInner::Struct { members, .. }, None) => {
                let mut offset = 0;
                for member in members {
                    let size = self.size_of(member.ty)?;
                    let name = member.name.as_deref().unwrap_or("_");
                    let values = &result[offset..offset + size];
                    part(self, member.binding.as_ref(), name, values, from + offset)?;
                    offset += size;
                }
            }
            (_, binding) => part(self, binding.as_ref(), "color", &result, from)?,
        }
        Ok(outputs)
    }

    /// An argument of WGSL's entry point.
    fn argument(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        binding: Option<&Binding>,
        value: &mut Vec<Id>,
    ) -> Result<(), Refused> {
        let module = self.module;
        let builtin = match binding {
            Some(Binding::BuiltIn(BuiltIn::Position { .. })) => Some("gl_FragCoord"),
            Some(Binding::BuiltIn(BuiltIn::FrontFacing)) => Some("gl_FrontFacing"),
            Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)) => {
                value.extend(self.own_place());
                return Ok(());
            }
            Some(Binding::BuiltIn(_)) => {
                let refused =
                    self.refuse(format!("the built-in value of `{name}` is not available"));
                return refused.map_err(|error| {
                    error.help("these are: global_invocation_id, position, front_facing")
                });
            }
            Some(Binding::Location { .. }) => None,
            None => {
                if let TypeInner::Struct { members, .. } = &module.types[ty].inner {
                    for member in members {
                        let name = member.name.as_deref().unwrap_or("_");
                        self.argument(name, member.ty, member.binding.as_ref(), value)?;
                    }
                    return Ok(());
                }
                None
            }
        };
        self.varying(builtin.unwrap_or(name), ty, value)
    }

    /// The outputs of GLSL: global variables at the end.
    fn declared_outputs(&mut self, interface: &[Declared]) -> Result<Vec<OutputChannel>, Refused> {
        let mut outputs = Vec::new();
        let mut next = 0;
        for declared in interface {
            let Storage::Output(location) = declared.storage else { continue };
            self.span = declared.span;
            let variable = &self.module.global_variables[declared.variable];
            let Some(Value::Pointer(pointer)) = self.globals.get(&declared.variable).cloned()
            else {
                continue;
            };
            let values = self.memory[pointer.base..pointer.base + pointer.size].to_vec();
            let slot = location.map_or(next, |location| location as usize);
            match &self.module.types[variable.ty].inner {
                TypeInner::Array { base, .. } => {
                    let size = self.size_of(*base)?;
                    for (n, element) in values.chunks(size).enumerate() {
                        // Of gl_FragData, only the elements that the shader stores to.
                        let slots = pointer.base + n * size..pointer.base + (n + 1) * size;
                        if declared.name != FRAG_DATA || self.written.range(slots).next().is_some()
                        {
                            self.output(
                                &format!("{}[{n}]", declared.name),
                                slot + n,
                                element,
                                pointer.base + n * size,
                                &mut outputs,
                            )?;
                        }
                    }
                    next = slot + values.len() / size;
                }
                _ => {
                    self.output(&declared.name, slot, &values, pointer.base, &mut outputs)?;
                    next = slot + 1;
                }
            }
        }
        Ok(outputs)
    }

    /// Adds an output, whose values are in memory from slot `from` on.
    fn output(
        &mut self,
        name: &str,
        slot: usize,
        values: &[Id],
        from: usize,
        outputs: &mut Vec<OutputChannel>,
    ) -> Result<(), Refused> {
        if slot >= OUTPUTS {
            return self.refuse(format!(
                "output {slot} of `{name}` is out of range: there are {OUTPUTS} outputs"
            ));
        }
        if values.len() > 4 {
            return self.refuse(format!(
                "the output `{name}` has {} components, at most 4 are possible",
                values.len()
            ));
        }
        let slot = slot as u8;
        if self.interface.outputs.iter().any(|output| output.slot == slot) {
            return self.refuse(format!("output {slot} has two names, `{name}` is the second"));
        }
        self.interface.outputs.push(Output { name: name.to_string(), slot });
        self.graph.vector(values);
        outputs.extend(self.channels(slot, values, from));
        Ok(())
    }

    pub(super) fn scalars_value(values: Vec<Id>) -> Value {
        Value::Scalars(Rc::from(values))
    }
}
