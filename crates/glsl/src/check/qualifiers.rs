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

/// The role of a variable for the shader's user.
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
    /// A layout that is only for `gl_FragCoord`.
    pub of_fragcoord: Option<Span>,
    /// Whether it says `origin_upper_left` and `pixel_center_integer`.
    pub conventions: [bool; 2],
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

/// The groups of qualifiers: of each a variable has at most one.
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
                let error = span.error(format!("`{name}` is not allowed on {}", places(place)));
                let help = match kind {
                    QualifierKind::Uniform | QualifierKind::Varying => "declare it at global scope",
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
                QualifierKind::Layout(_)
                | QualifierKind::Centroid
                | QualifierKind::Sample
                | QualifierKind::Smooth
                | QualifierKind::NoPerspective
                | QualifierKind::Precise => {}
            }
        }
        self.interpolates(qualifiers, place, &found);
        for qualifier in qualifiers {
            if let QualifierKind::Layout(entries) = &qualifier.kind
                && belongs(&qualifier.kind, place)
            {
                self.layout(entries, qualifier.span, place, &mut found);
            }
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
        let ignored = version.guessed && matches!(kind, QualifierKind::Precision(_));
        if !(has || ignored) {
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
                    span.error(format!("`{first}` and `{name}` cannot be combined"))
                };
                self.found.error(error.help("leave one of them out"));
                return;
            }
            let layout = matches!(kind, QualifierKind::Layout(_));
            if layout && matches!(other.kind, QualifierKind::Invariant) && !self.version.has(310, 0)
            {
                let error =
                    span.error(format!("in {} `layout` does not follow `invariant`", self.version));
                self.found.version(self.version, error.help("write `layout` alone"));
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
            let role = match (place, found.role) {
                (Where::BlockMember, Role::None) => self.block_role,
                (_, role) => role,
            };
            let input = role == Role::Input;
            let error = match group {
                "interpolation" | "sampling" if !input => match role {
                    Role::Output => {
                        Some(format!("`{name}` is not allowed on an output of a fragment shader"))
                    }
                    _ => Some(format!("`{name}` is only allowed on an input")),
                },
                "interpolation" if old => Some(format!("`{name}` does not go with `varying`")),
                "invariant" if !matches!(role, Role::Input | Role::Output) => {
                    Some("`invariant` is only allowed on inputs and outputs".to_string())
                }
                "invariant" if role == Role::Input && self.version.has(300, 420) => Some(format!(
                    "in {} the inputs of a fragment shader are not `invariant`",
                    self.version
                )),
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
}
