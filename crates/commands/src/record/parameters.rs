//! The parameters of a recorded program, as the user gave them: `params.json` beside the files of the ranks.

use crate::failure::Failure;
use std::path::Path;

/// Writes them.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(folder: &Path, parameters: &[(String, f64)]) -> Result<(), Failure> {
    let path = folder.join("params.json");
    let object: serde_json::Map<String, serde_json::Value> =
        parameters.iter().map(|(name, value)| (name.clone(), serde_json::json!(value))).collect();
    let text = format!("{}\n", serde_json::Value::Object(object));
    std::fs::write(&path, text).map_err(|error| Failure::writing(&path, &error))
}
