//! Numbers.

use super::Parser;
use crate::ast::ExpressionKind;
use crate::lexer::{Token, whole};
use ctm_base::text::Diagnostic;

impl Parser<'_, '_> {
    /// The value of a number. After an error it is 0 or the like.
    #[inline(never)]
    pub fn number(&mut self, token: &Token<'_>) -> ExpressionKind {
        let text = &*token.text;
        let digits = text.len() - suffix(text).len();
        let (number, suffix) = text.split_at(digits);
        let hexadecimal = number.starts_with("0x") || number.starts_with("0X");
        let float = !hexadecimal && number.contains(['.', 'e', 'E']);
        match (float, suffix) {
            (_, "") => {}
            (true, "f" | "F") if self.version.has(300, 120) => {}
            (true, "f" | "F") => {
                let error = format!("{} has no numbers with `{suffix}`", self.version);
                let help = format!("write `{number}`");
                self.found.version(self.version, token.span.error(error).help(help));
            }
            (false, "u" | "U") if self.unsigned() => {}
            (false, "u" | "U") => {
                let error = format!("{} has no numbers with `{suffix}`", self.version);
                let help = format!("write `{number}`");
                self.found.version(self.version, token.span.error(error).help(help));
            }
            (false, "f" | "F") if !hexadecimal => {
                let error = token.span.error(format!("`{text}` is not a number of the language"));
                let error = error.help(format!("write `{number}.0`"));
                self.found.version(self.version, error);
                return ExpressionKind::Float(number.parse().unwrap_or_default());
            }
            (true, "lf" | "LF") => {
                let error = token.span.error("type `double` is not supported");
                self.found.error(error.help(format!("write `{number}`")));
            }
            (..) => {
                let error = token.span.error(format!("`{text}` is not a number"));
                let exponent = suffix.starts_with(['e', 'E']);
                self.found.error(if exponent {
                    error.help("the exponent has no digits")
                } else {
                    error.label(format!("`{suffix}` cannot follow a number"))
                });
            }
        }
        if float {
            return ExpressionKind::Float(number.parse().unwrap_or_default());
        }
        let value = match whole(number) {
            Ok(value) => value,
            Err(error) => {
                self.found.error(Diagnostic { span: token.span, ..error });
                0
            }
        };
        match suffix {
            "u" | "U" => ExpressionKind::Uint(value),
            _ => ExpressionKind::Int(value),
        }
    }

    fn unsigned(&self) -> bool {
        self.version.has(300, 130) || self.extensions.has("GL_EXT_gpu_shader4")
    }
}

/// The suffix of a number.
fn suffix(text: &str) -> &str {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return digits.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
    }
    let rest = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return rest };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let after = digits.trim_start_matches(|digit: char| digit.is_ascii_digit());
    if after.len() == digits.len() { rest } else { after }
}
