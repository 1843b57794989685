//! Qualifiers: which go together, in which order, in which version, and where.

use super::Checker;
use crate::ast::{Precision, Qualifier, QualifierKind};
use ctm_base::text::Span;

/// Where qualifiers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// At a variable of the shader.
    Global,
    /// At a variable of a function.
    Local,
    /// At a parameter.
    Parameter,
    /// At the type of a function's result.
    Result,
    /// At a member of a structure.
    Member,
    /// At a block.
    Block,
    /// At a member of a block.
    BlockMember,
    /// At names that are declared already, or at none.
    Again,
}

/// What a variable is to the shader's user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing.
    #[default]
    None,
    /// `const`.
    Const,
    /// `uniform`.
    Uniform,
    /// `varying`, or `in`.
    Input,
    /// `out`.
    Output,
    /// `inout`.
    InOut,
}

/// Qualifiers that have been looked at.
#[derive(Clone, Debug, Default)]
pub struct Qualified {
    /// The role.
    pub role: Role,
    /// `const`, also beside `in` of a parameter.
    pub constant: bool,
    /// `flat`.
    pub flat: bool,
    /// A precision.
    pub precision: Option<Precision>,
    /// `invariant`.
    pub invariant: bool,
    /// `layout(location = ...)`.
    pub location: Option<u32>,
    /// Where the storage qualifier is.
    pub at: Option<Span>,
}

/// The place of a kind of qualifiers in the order.
fn rank(kind: &QualifierKind, parameter: bool) -> u8 {
    match kind {
        QualifierKind::Precise => 0,
        QualifierKind::Invariant => 1,
        QualifierKind::Flat | QualifierKind::Smooth | QualifierKind::NoPerspective => 2,
        QualifierKind::Layout(_) => 3,
        QualifierKind::Const if parameter => 3,
        QualifierKind::Centroid | QualifierKind::Sample => 4,
        QualifierKind::Const
        | QualifierKind::Attribute
        | QualifierKind::Varying
        | QualifierKind::Uniform
        | QualifierKind::In
        | QualifierKind::Out
        | QualifierKind::InOut => 5,
        QualifierKind::Precision(_) => 6,
    }
}

/// The word of a qualifier.
fn word(kind: &QualifierKind) -> &'static str {
    match kind {
        QualifierKind::Const => "const",
        QualifierKind::Attribute => "attribute",
        QualifierKind::Varying => "varying",
        QualifierKind::Uniform => "uniform",
        QualifierKind::In => "in",
        QualifierKind::Out => "out",
        QualifierKind::InOut => "inout",
        QualifierKind::Centroid => "centroid",
        QualifierKind::Sample => "sample",
        QualifierKind::Flat => "flat",
        QualifierKind::Smooth => "smooth",
        QualifierKind::NoPerspective => "noperspective",
        QualifierKind::Invariant => "invariant",
        QualifierKind::Precise => "precise",
        QualifierKind::Precision(Precision::Low) => "lowp",
        QualifierKind::Precision(Precision::Medium) => "mediump",
        QualifierKind::Precision(Precision::High) => "highp",
        QualifierKind::Layout(_) => "layout",
    }
}

/// What a qualifier is one of: of each kind there is at most one.
fn group(kind: &QualifierKind) -> &'static str {
    match kind {
        QualifierKind::Const
        | QualifierKind::Attribute
        | QualifierKind::Varying
        | QualifierKind::Uniform
        | QualifierKind::In
        | QualifierKind::Out
        | QualifierKind::InOut => "storage",
        QualifierKind::Flat | QualifierKind::Smooth | QualifierKind::NoPerspective => {
            "interpolation"
        }
        QualifierKind::Centroid | QualifierKind::Sample => "sampling",
        QualifierKind::Precision(_) => "precision",
        QualifierKind::Invariant => "invariant",
        QualifierKind::Precise => "precise",
        QualifierKind::Layout(_) => "layout",
    }
}

/// Whether qualifiers of a kind may stand somewhere.
fn belongs(kind: &QualifierKind, place: Where) -> bool {
    match place {
        Where::Global | Where::Again => !matches!(kind, QualifierKind::InOut),
        Where::Local => matches!(
            kind,
            QualifierKind::Const | QualifierKind::Precision(_) | QualifierKind::Precise
        ),
        Where::Parameter => matches!(
            kind,
            QualifierKind::Const
                | QualifierKind::In
                | QualifierKind::Out
                | QualifierKind::InOut
                | QualifierKind::Precision(_)
                | QualifierKind::Precise
        ),
        Where::Result => matches!(kind, QualifierKind::Precision(_) | QualifierKind::Precise),
        Where::Member => matches!(kind, QualifierKind::Precision(_)),
        Where::Block => !matches!(
            kind,
            QualifierKind::Const
                | QualifierKind::InOut
                | QualifierKind::Precision(_)
                | QualifierKind::Attribute
                | QualifierKind::Varying
        ),
        Where::BlockMember => !matches!(
            kind,
            QualifierKind::Const
                | QualifierKind::InOut
                | QualifierKind::Attribute
                | QualifierKind::Varying
        ),
    }
}

/// The words for a place.
fn places(place: Where) -> &'static str {
    match place {
        Where::Global => "a variable of the shader",
        Where::Local => "a variable of a function",
        Where::Parameter => "a parameter",
        Where::Result => "the result of a function",
        Where::Member => "a member of a structure",
        Where::Block => "a block",
        Where::BlockMember => "a member of a block",
        Where::Again => "a declaration without a type",
    }
}

impl Checker<'_> {
    /// Whether an extension is on.
    pub fn extension(&self, name: &str) -> bool {
        self.shader.extensions.has(name)
    }

    /// Looks at qualifiers.
    pub fn qualifiers(&mut self, qualifiers: &[Qualifier], place: Where) -> Qualified {
        let mut found = Qualified::default();
        let parameter = place == Where::Parameter;
        for (n, qualifier) in qualifiers.iter().enumerate() {
            let (kind, span) = (&qualifier.kind, qualifier.span);
            let name = word(kind);
            if !belongs(kind, place) {
                let error = span.error(format!("`{name}` is not possible at {}", places(place)));
                let help = match kind {
                    QualifierKind::Uniform | QualifierKind::Varying => {
                        "declare it outside of functions"
                    }
                    _ => "leave it out",
                };
                self.found.error(error.help(help));
                continue;
            }
            self.has_qualifier(kind, span);
            let before = &qualifiers[..n];
            self.goes_with(kind, span, before, parameter);
            match kind {
                QualifierKind::Const => {
                    found.constant = true;
                    if found.role == Role::None && !parameter {
                        found.role = Role::Const;
                    }
                    found.at.get_or_insert(span);
                }
                QualifierKind::Attribute => {
                    let error = span.error("a fragment shader has no attributes");
                    self.found.error(error.help("write `varying`: a value of each point"));
                    found.role = Role::Input;
                }
                QualifierKind::Varying | QualifierKind::In => {
                    found.role = Role::Input;
                    found.at.get_or_insert(span);
                }
                QualifierKind::Uniform => {
                    found.role = Role::Uniform;
                    found.at.get_or_insert(span);
                }
                QualifierKind::Out => {
                    found.role = Role::Output;
                    found.at.get_or_insert(span);
                }
                QualifierKind::InOut => {
                    found.role = Role::InOut;
                    found.at.get_or_insert(span);
                }
                QualifierKind::Flat => found.flat = true,
                QualifierKind::Invariant => found.invariant = true,
                QualifierKind::Precision(precision) => found.precision = Some(*precision),
                QualifierKind::Layout(entries) => self.layout(entries, place, &mut found),
                QualifierKind::Centroid
                | QualifierKind::Sample
                | QualifierKind::Smooth
                | QualifierKind::NoPerspective
                | QualifierKind::Precise => {}
            }
        }
        self.interpolates(qualifiers, place, &found);
        if let Some(layout) =
            qualifiers.iter().find(|one| matches!(one.kind, QualifierKind::Layout(_)))
            && place == Where::Global
            && matches!(found.role, Role::None | Role::Const)
            && belongs(&layout.kind, place)
        {
            let error = layout.span.error("`layout` is for uniforms, inputs and outputs");
            self.found.error(error.help("leave it out"));
        }
        found
    }

    /// Whether the version has a qualifier.
    fn has_qualifier(&mut self, kind: &QualifierKind, span: Span) {
        let version = self.version;
        let global = self.scopes.is_global();
        let (has, instead) = match kind {
            QualifierKind::Attribute | QualifierKind::Varying => {
                (!version.es || version.number < 300, "write `in`")
            }
            QualifierKind::In | QualifierKind::Out if global && !self.in_parameters => {
                let instead = "write `varying` for an input, and `gl_FragColor` for the output";
                (version.has(300, 130), instead)
            }
            QualifierKind::Flat | QualifierKind::Smooth => (version.has(300, 130), "leave it out"),
            QualifierKind::NoPerspective => (!version.es && version.number >= 130, "leave it out"),
            QualifierKind::Centroid => (version.has(300, 120), "leave it out"),
            QualifierKind::Sample => (version.has(320, 400), "leave it out"),
            QualifierKind::Precise => (version.has(320, 400), "leave it out"),
            QualifierKind::Invariant => (version.has(100, 120), "leave it out"),
            QualifierKind::Layout(_) => {
                let extended = [
                    "GL_ARB_explicit_attrib_location",
                    "GL_ARB_uniform_buffer_object",
                    "GL_ARB_explicit_uniform_location",
                    "GL_ARB_fragment_coord_conventions",
                    "GL_ARB_shading_language_420pack",
                ];
                let extended = extended.iter().any(|name| self.extension(name));
                (version.has(300, 140) || extended, "leave it out")
            }
            QualifierKind::Precision(_) => (version.has(100, 130), "leave it out"),
            QualifierKind::Const
            | QualifierKind::Uniform
            | QualifierKind::In
            | QualifierKind::Out
            | QualifierKind::InOut => (true, ""),
        };
        // A precision is ignored by every compiler.
        if !has && !(version.guessed && matches!(kind, QualifierKind::Precision(_))) {
            let error = span.error(format!("{version} has no `{}` here", word(kind)));
            self.found.version(version, error.help(instead));
        }
    }

    /// Whether a qualifier may follow others.
    fn goes_with(
        &mut self,
        kind: &QualifierKind,
        span: Span,
        before: &[Qualifier],
        parameter: bool,
    ) {
        let name = word(kind);
        let free = self.version.has(310, 420) || self.extension("GL_ARB_shading_language_420pack");
        for other in before {
            let first = word(&other.kind);
            let const_in = parameter
                && matches!(other.kind, QualifierKind::Const)
                && matches!(kind, QualifierKind::In);
            let layouts = matches!(kind, QualifierKind::Layout(_)) && free;
            if group(&other.kind) == group(kind) && !const_in && !layouts {
                let error = if first == name {
                    span.error(format!("`{name}` is repeated"))
                } else {
                    span.error(format!("`{first}` and `{name}` do not go together"))
                };
                self.found.error(error.help("leave one of them out"));
                return;
            }
        }
        let own = rank(kind, parameter);
        if free {
            return;
        }
        if let Some(other) = before.iter().find(|other| rank(&other.kind, parameter) > own) {
            let first = word(&other.kind);
            let error = span.error(format!("`{name}` comes before `{first}` in {}", self.version));
            let help = format!("write `{name} {first}`");
            self.found.version(self.version, error.help(help));
        }
    }

    /// Whether interpolation, sampling and `invariant` fit what a variable is.
    fn interpolates(&mut self, qualifiers: &[Qualifier], place: Where, found: &Qualified) {
        if !matches!(place, Where::Global | Where::Block | Where::BlockMember) {
            return;
        }
        let old = qualifiers.iter().any(|one| matches!(one.kind, QualifierKind::Varying));
        for qualifier in qualifiers {
            let name = word(&qualifier.kind);
            let group = group(&qualifier.kind);
            let span = qualifier.span;
            let input = found.role == Role::Input
                || place == Where::BlockMember && matches!(found.role, Role::None);
            let error = match group {
                "interpolation" | "sampling" if !input => match found.role {
                    Role::Output => {
                        Some(format!("`{name}` is not possible at an output of a fragment shader"))
                    }
                    _ => Some(format!("`{name}` is only possible at an input")),
                },
                "interpolation" if old => Some(format!("`{name}` does not go with `varying`")),
                "invariant" if !matches!(found.role, Role::Input | Role::Output) => {
                    Some("`invariant` is only possible at inputs and outputs".to_string())
                }
                "invariant" if found.role == Role::Input && self.version.has(300, 420) => {
                    Some(format!(
                        "in {} the inputs of a fragment shader are not `invariant`",
                        self.version
                    ))
                }
                _ => None,
            };
            if let Some(error) = error {
                let error = span.error(error);
                let error = match (group, old) {
                    ("interpolation", true) => error.help("write `in` instead of `varying`"),
                    _ => error.help("leave it out"),
                };
                self.found.error(error);
            }
        }
    }

    /// Looks at a layout.
    fn layout(
        &mut self,
        entries: &[(crate::ast::Name, Option<crate::ast::Expression>)],
        place: Where,
        found: &mut Qualified,
    ) {
        for (name, value) in entries {
            let needs = matches!(
                name.text.as_str(),
                "location"
                    | "binding"
                    | "index"
                    | "component"
                    | "offset"
                    | "align"
                    | "set"
                    | "input_attachment_index"
            );
            let known = needs
                || matches!(
                    name.text.as_str(),
                    "std140"
                        | "std430"
                        | "shared"
                        | "packed"
                        | "row_major"
                        | "column_major"
                        | "origin_upper_left"
                        | "pixel_center_integer"
                        | "early_fragment_tests"
                        | "depth_any"
                        | "depth_greater"
                        | "depth_less"
                        | "depth_unchanged"
                        | "push_constant"
                );
            if !known {
                let error = name.span.error(format!("there is no layout `{}`", name.text));
                let known = [
                    "location",
                    "binding",
                    "std140",
                    "shared",
                    "packed",
                    "row_major",
                    "column_major",
                ];
                let near = crate::near::nearest(&name.text, known.into_iter());
                self.found.error(match near {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
                continue;
            }
            match value {
                Some(value) if needs => {
                    let number = self.constant_integer(value, "the number of a layout");
                    let Some(number) = number else { continue };
                    let Ok(number) = u32::try_from(number) else {
                        self.found
                            .error(value.span.error(format!("`{}` is not below 0", name.text)));
                        continue;
                    };
                    if name.text == "location" {
                        found.location = Some(number);
                    }
                }
                Some(value) => {
                    let error = value.span.error(format!("`{}` has no number", name.text));
                    self.found.error(error.help(format!("write only `{}`", name.text)));
                }
                None if needs => {
                    let error = name.span.error(format!("`{}` needs a number", name.text));
                    self.found.error(error.help(format!("write `{} = 0`", name.text)));
                }
                None => {}
            }
            self.has_layout(name, place, found);
        }
    }

    /// Whether a layout fits the version and what it stands at.
    fn has_layout(&mut self, name: &crate::ast::Name, place: Where, found: &Qualified) {
        let version = self.version;
        let has = match name.text.as_str() {
            "location" => {
                version.has(300, 330)
                    || self.extension("GL_ARB_explicit_attrib_location")
                    || self.extension("GL_ARB_explicit_uniform_location")
            }
            "index" => version.has(320, 330) || self.extension("GL_ARB_blend_func_extended"),
            "binding" => version.has(310, 420) || self.extension("GL_ARB_shading_language_420pack"),
            "std140" | "shared" | "packed" | "row_major" | "column_major" => {
                version.has(300, 140) || self.extension("GL_ARB_uniform_buffer_object")
            }
            "origin_upper_left" | "pixel_center_integer" => {
                !version.es && version.number >= 150
                    || self.extension("GL_ARB_fragment_coord_conventions")
            }
            _ => version.has(310, 420),
        };
        if !has {
            let error = name.span.error(format!("{version} has no layout `{}`", name.text));
            self.found.version(version, error.help("leave it out"));
        }
        let blocks = matches!(
            name.text.as_str(),
            "std140"
                | "std430"
                | "shared"
                | "packed"
                | "row_major"
                | "column_major"
                | "offset"
                | "align"
        );
        if blocks && place == Where::Global && found.role != Role::None {
            let error = name.span.error(format!("`{}` is for uniform blocks", name.text));
            self.found.error(error.help("leave it out"));
        }
        if name.text == "location" && place == Where::Block {
            let error = name.span.error("a block has no location");
            self.found.error(error.help("leave it out"));
        }
    }
}
