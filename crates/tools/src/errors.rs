//! Errors of a source as JSON.

use ctm_base::text::{Mark, TextError, TextErrors};
use serde_json::{Value, json};

/// The errors of sources as JSON: `file`, the first source, and `errors` and `warnings` of all with their files and places.
pub fn json(sources: &[TextErrors]) -> Value {
    let all = |found: fn(&TextErrors) -> &[TextError]| -> Value {
        let each = |one| found(one).iter().map(|error| listed(one.name(), error));
        sources.iter().flat_map(each).collect()
    };
    let file = sources.first().map(TextErrors::name);
    json!({ "file": file, "errors": all(TextErrors::errors), "warnings": all(TextErrors::warnings) })
}

fn listed(file: &str, error: &TextError) -> Value {
    let mut value = placed(error.mark(), &error.message);
    value["file"] = file.into();
    value["label"] = error.label.as_deref().into();
    value["help"] = error.help.as_deref().into();
    value
}

/// A message with its place.
pub(crate) fn placed(Mark { line, column, end }: Mark, message: &str) -> Value {
    json!({ "line": line, "column": column, "end": end, "message": message })
}
