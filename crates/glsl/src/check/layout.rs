//! Layouts: `layout(location = 0)` and the like.

use super::qualifiers::{Qualified, Role, Where};
use super::{Checker, Storage};
use crate::ast::{Expression, ExpressionKind, Name};
use crate::near;
use ctm_base::text::Span;

/// The purposes of layouts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    /// Variables of the interface, with a number.
    Numbers,
    /// Blocks.
    Blocks,
    /// Blocks and their members.
    Matrices,
    /// Members of blocks, with a number.
    Members,
    /// `gl_FragCoord`.
    FragCoord,
    /// The shader.
    Shader,
    /// `gl_FragDepth`.
    Depth,
}

/// The layouts of the language.
const LAYOUTS: [(&str, For); 20] = [
    ("location", For::Numbers),
    ("index", For::Numbers),
    ("binding", For::Numbers),
    ("component", For::Numbers),
    ("set", For::Numbers),
    ("input_attachment_index", For::Numbers),
    ("std140", For::Blocks),
    ("std430", For::Blocks),
    ("shared", For::Blocks),
    ("packed", For::Blocks),
    ("row_major", For::Matrices),
    ("column_major", For::Matrices),
    ("offset", For::Members),
    ("align", For::Members),
    ("origin_upper_left", For::FragCoord),
    ("pixel_center_integer", For::FragCoord),
    ("early_fragment_tests", For::Shader),
    ("depth_any", For::Depth),
    ("depth_greater", For::Depth),
    ("depth_less", For::Depth),
];

impl Checker<'_> {
    /// Looks at a layout.
    pub fn layout(
        &mut self,
        entries: &[(Name, Option<Expression>)],
        span: Span,
        place: Where,
        found: &mut Qualified,
    ) {
        if place == Where::Global && matches!(found.role, Role::None | Role::Const) {
            let error = span.error("`layout` is for uniforms, inputs and outputs");
            self.found.error(error.help("leave it out"));
            return;
        }
        for (name, value) in entries {
            let Some((_, of)) = LAYOUTS.iter().find(|(known, _)| *known == name.text) else {
                let error = name.span.error(format!("there is no layout `{}`", name.text));
                let near = near::nearest(&name.text, LAYOUTS.iter().map(|(known, _)| *known));
                self.found.error(match near {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
                continue;
            };
            let number = matches!(of, For::Numbers | For::Members);
            match value {
                Some(value) if number => self.number(name, value, found),
                Some(value) => {
                    let error = value.span.error(format!("`{}` has no number", name.text));
                    self.found.error(error.help(format!("write only `{}`", name.text)));
                }
                None if number => {
                    let error = name.span.error(format!("`{}` needs a number", name.text));
                    self.found.error(error.help(format!("write `{} = 0`", name.text)));
                }
                None => {}
            }
            self.stands(name, *of, place, found);
            self.has_layout(name, *of, found);
        }
        let index = entries.iter().find(|(name, _)| name.text == "index");
        if let (Some((name, _)), None) = (index, found.location) {
            let error = name.span.error("`index` needs a location");
            self.found.error(error.help("write `layout(location = 0, index = 0)`"));
        }
    }

    /// The number of a layout.
    fn number(&mut self, name: &Name, value: &Expression, found: &mut Qualified) {
        let literal = matches!(value.kind, ExpressionKind::Int(_) | ExpressionKind::Uint(_));
        if !literal && !self.version.has(u16::MAX, 440) {
            let error = value
                .span
                .error(format!("in {} `{}` takes a whole number", self.version, name.text));
            self.found.version(self.version, error.help("write the number itself"));
        }
        let Some(number) = self.constant_integer(value, "the number of a layout") else { return };
        let Ok(number) = u32::try_from(number) else {
            self.found.error(value.span.error(format!("`{}` is not below 0", name.text)));
            return;
        };
        if name.text == "location" {
            found.location = Some(number);
        }
    }

    /// Whether a layout may stand where it does.
    fn stands(&mut self, name: &Name, of: For, place: Where, found: &mut Qualified) {
        let text = &name.text;
        let wrong = match (of, place) {
            (For::Blocks | For::Matrices, Where::Block) => None,
            (For::Matrices, Where::BlockMember) => None,
            (For::Blocks | For::Matrices, Where::Again) if found.role == Role::Uniform => None,
            (For::Blocks | For::Matrices, _) => Some(format!("`{text}` is for uniform blocks")),
            (For::Members, Where::BlockMember) => None,
            (For::Members, _) => Some(format!("`{text}` is for members of blocks")),
            (For::FragCoord, Where::Global) => {
                found.of_fragcoord.get_or_insert(name.span);
                found.conventions[usize::from(text == "pixel_center_integer")] = true;
                None
            }
            (For::FragCoord, _) => Some(format!("`{text}` is only for `gl_FragCoord`")),
            (For::Shader, Where::Again) if found.role == Role::Input => None,
            (For::Depth, Where::Global) => None,
            (For::Shader, Where::Global) => Some(format!("`{text}` is for all of the shader")),
            (For::Shader | For::Depth, _) => Some(format!("`{text}` is not allowed here")),
            (For::Numbers, Where::Block) if text != "binding" => {
                Some(format!("a block has no `{text}`"))
            }
            (For::Numbers, Where::BlockMember) if self.version.es => {
                Some(format!("a member of a block has no `{text}`"))
            }
            (For::Numbers, Where::Again) => Some(format!("`{text}` needs a variable")),
            (For::Numbers, _) if text == "index" && found.role != Role::Output => {
                Some("`index` is for outputs".to_string())
            }
            (For::Numbers, _) => None,
        };
        if let Some(wrong) = wrong {
            self.found.error(name.span.error(wrong).help("leave it out"));
        }
    }

    /// Whether the version has a layout.
    fn has_layout(&mut self, name: &Name, of: For, found: &Qualified) {
        let version = self.version;
        let (has, what) = match (name.text.as_str(), found.role) {
            ("location", Role::Input) => (
                version.has(310, 410) || self.extension("GL_ARB_separate_shader_objects"),
                " of inputs",
            ),
            ("location", Role::Uniform) => (
                version.has(310, 430) || self.extension("GL_ARB_explicit_uniform_location"),
                " of uniforms",
            ),
            ("location", _) => {
                (version.has(300, 330) || self.extension("GL_ARB_explicit_attrib_location"), "")
            }
            ("index", _) => {
                (version.has(u16::MAX, 330) || self.extension("GL_ARB_blend_func_extended"), "")
            }
            ("binding", _) => {
                (version.has(310, 420) || self.extension("GL_ARB_shading_language_420pack"), "")
            }
            ("std430", _) => (version.has(310, 430), ""),
            _ if matches!(of, For::Blocks | For::Matrices) => {
                (version.has(300, 140) || self.extension("GL_ARB_uniform_buffer_object"), "")
            }
            _ if of == For::FragCoord => {
                let extended = self.extension("GL_ARB_fragment_coord_conventions");
                (version.has(u16::MAX, 150) || extended, "")
            }
            _ => (version.has(310, 420), ""),
        };
        if !has {
            let error = name.span.error(format!("{version} has no layout `{}`{what}", name.text));
            self.found.version(version, error.help("leave it out"));
        }
    }

    /// In ES 3.00 each of several outputs has a location.
    pub fn outputs_have_locations(&mut self) {
        let own = self.interface.iter().filter_map(|(_, declared)| match declared.storage {
            Storage::Output(location) if declared.span != Span::default() => {
                Some((declared.name.clone(), declared.span, location))
            }
            _ => None,
        });
        let own: Vec<(String, Span, Option<u32>)> = own.collect();
        if !self.version.es || own.len() < 2 || !self.found.errors.is_empty() {
            return;
        }
        for (name, span, _) in own.iter().filter(|(.., location)| location.is_none()) {
            let error =
                span.error(format!("the output `{name}` needs a location, as there are several"));
            self.found.version(
                self.version,
                error.help("write `layout(location = 0) out`, with a number for each"),
            );
        }
    }

    /// A declaration of `gl_FragCoord`: all have the same layout, and none comes after a use.
    pub fn redeclares_fragcoord(&mut self, span: Span, conventions: [bool; 2]) {
        match self.fragcoord {
            Some((first, line)) if first != conventions => {
                let error = span.error("`gl_FragCoord` has another layout than before");
                self.found
                    .error(error.help(format!("write the layout of line {line} here as well")));
            }
            Some(_) => {}
            None if self.given.contains_key("gl_FragCoord") => {
                let error = span.error("`gl_FragCoord` is declared again after its first use");
                self.found.error(error.help("move the declaration before it"));
            }
            None => self.fragcoord = Some((conventions, self.line(span))),
        }
    }

    /// Refuses layouts of `gl_FragCoord` elsewhere.
    pub fn only_for_fragcoord(&mut self, qualified: &Qualified) {
        if let Some(span) = qualified.of_fragcoord {
            let error = span.error("this layout is only for `gl_FragCoord`");
            self.found.error(error.help("leave it out"));
        }
    }
}
