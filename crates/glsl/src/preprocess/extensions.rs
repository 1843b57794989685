//! `#extension`.

use super::Preprocessor;
use crate::builtins::COMPATIBILITY;
use crate::lexer::{Kind, Token};
use crate::version::Version;
use ctm_base::text::Span;

/// The languages that have an extension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Es,
    Desktop,
    Both,
}

/// The extensions of the language that exist here: those that add nothing but what fragment shaders here can do.
const KNOWN: [(&str, In); 22] = [
    ("GL_3DL_array_objects", In::Desktop),
    ("GL_ARB_arrays_of_arrays", In::Desktop),
    (COMPATIBILITY, In::Desktop),
    ("GL_ARB_draw_buffers", In::Desktop),
    ("GL_ARB_explicit_attrib_location", In::Desktop),
    ("GL_ARB_explicit_uniform_location", In::Desktop),
    ("GL_ARB_fragment_coord_conventions", In::Desktop),
    ("GL_ARB_separate_shader_objects", In::Desktop),
    ("GL_ARB_shader_bit_encoding", In::Desktop),
    ("GL_ARB_shader_stencil_export", In::Desktop),
    ("GL_ARB_shader_texture_lod", In::Desktop),
    ("GL_ARB_shading_language_420pack", In::Desktop),
    ("GL_ARB_texture_rectangle", In::Desktop),
    ("GL_ARB_uniform_buffer_object", In::Desktop),
    ("GL_ATI_shader_texture_lod", In::Desktop),
    ("GL_EXT_draw_buffers", In::Es),
    ("GL_EXT_gpu_shader4", In::Desktop),
    ("GL_EXT_shader_integer_mix", In::Both),
    ("GL_EXT_shader_texture_lod", In::Es),
    ("GL_OES_standard_derivatives", In::Es),
    ("GL_ARB_derivative_control", In::Desktop),
    ("GL_NV_shader_noperspective_interpolation", In::Es),
];

/// The abilities that the machine lacks for other extensions.
const MISSING: [(&str, &str); 14] = [
    ("frag_depth", "a depth cannot be written"),
    ("conservative_depth", "a depth cannot be written"),
    ("texture_3D", "there are only textures of two dimensions"),
    ("texture_array", "there are only textures of two dimensions"),
    ("texture_cube_map_array", "there are only textures of two dimensions"),
    ("texture_gather", "textures are read one element at a time"),
    ("gpu_shader_fp64", "numbers have 32 bits"),
    ("gpu_shader_int64", "numbers have 32 bits"),
    ("shading_language_packing", "there are no functions on bits"),
    ("image_load_store", "a shader writes its outputs only"),
    ("shader_storage_buffer_object", "a shader writes its outputs only"),
    ("shader_atomic_counters", "a shader writes its outputs only"),
    ("framebuffer_fetch", "outputs cannot be read"),
    ("EGL_image_external", "there are only ordinary textures of two dimensions"),
];

/// The extensions of a version, each of which is a macro, too.
pub fn of(version: Version) -> impl Iterator<Item = &'static str> {
    let known = KNOWN.iter().filter(move |(_, place)| match place {
        // Sources without a version are written for both.
        _ if version.guessed => true,
        In::Es => version.es,
        In::Desktop => !version.es,
        In::Both => true,
    });
    known.map(|(name, _)| *name)
}

impl Preprocessor<'_, '_, '_> {
    /// `#extension`.
    pub fn extension(&mut self, rest: &[Token<'_>], span: Span) {
        let spelling = "write `#extension NAME : BEHAVIOUR`";
        let Some(name) = rest.first().filter(|token| token.kind == Kind::Word) else {
            let error = span.error("expected the name of an extension after `#extension`");
            return self.found.error(error.help(spelling));
        };
        if !rest.get(1).is_some_and(|token| token.is(":")) {
            let place = rest.get(1).map_or(span, |token| token.span);
            let error = place.error("expected `:` after the name of an extension");
            return self.found.error(error.help(spelling));
        }
        let behaviours = "the behaviours are `require`, `enable`, `warn` and `disable`";
        let Some(behaviour) = rest.get(2) else {
            return self.found.error(span.error("expected a behaviour after `:`").help(behaviours));
        };
        let on = match &*behaviour.text {
            "require" | "enable" | "warn" => true,
            "disable" => false,
            text => {
                let error = behaviour.span.error(format!("`{text}` is no behaviour"));
                return self.found.error(error.help(behaviours));
            }
        };
        self.nothing(rest.get(3..).unwrap_or_default(), "extension");
        if self.text && self.version.es {
            let error = span.error("`#extension` after other text");
            let error = error.help("write it before the first declaration");
            if self.version.number >= 300 { self.lax(error) } else { self.found.warning(error) }
        }
        if name.is("all") {
            if behaviour.is("require") || behaviour.is("enable") {
                let error = span.error(format!("`all` cannot be `{}`", behaviour.text));
                self.found.error(error.help("only `warn` and `disable`"));
            } else if !on {
                self.extensions.0.clear();
            }
            return;
        }
        let Some(known) = of(self.version).find(|known| name.is(known)) else {
            return self.unknown(name, behaviour);
        };
        self.extensions.0.retain(|other| *other != known);
        if on {
            self.extensions.0.push(known);
        }
    }

    fn unknown(&mut self, name: &Token<'_>, behaviour: &Token<'_>) {
        let error = match KNOWN.iter().find(|(known, _)| name.is(known)) {
            Some(_) => {
                name.span.error(format!("`{}` is no extension of {}", name.text, self.version))
            }
            None => name.span.error(format!("the extension `{}` is not supported", name.text)),
        };
        let missing = MISSING.iter().find(|(part, _)| name.text.contains(part));
        let error = match missing {
            Some((_, help)) => error.help(*help),
            None => error,
        };
        match &*behaviour.text {
            "require" => self.found.error(error),
            _ => self.found.warning(error),
        }
    }
}
