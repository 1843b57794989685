//! Errors of a source as JSON.

use ctm_base::text::{Mark, TextErrors};
use serde_json::{Value, json};

/// The errors of a source as JSON: `file`, and `errors` with their places.
pub fn json(name: &str, errors: &TextErrors) -> Value {
    let errors = errors.errors().iter().map(|error| {
        let mut value = placed(error.mark(), &error.message);
        value["label"] = error.label.as_deref().into();
        value["help"] = error.help.as_deref().into();
        value
    });
    json!({ "file": name, "errors": errors.collect::<Vec<_>>() })
}

/// A message with its place.
pub(crate) fn placed(Mark { line, column, end }: Mark, message: &str) -> Value {
    json!({ "line": line, "column": column, "end": end, "message": message })
}
