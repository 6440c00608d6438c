//! Pragmas in headers of the program, which no translation would see.

use crate::context::Context;
use crate::options::paths::InputFile;
use runcast_call::translate::{Input, Language, own_includes};
use runcast_core::Warning;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// So many headers of one source are looked at.
const MOST: usize = 2000;

/// A warning for each pragma in a header that the source includes by quotes, directly or through others, and that is
/// not `given` to be translated, too.
pub fn warnings(input: &Input, path: &Path, given: &[InputFile], context: &mut Context) -> Vec<Warning> {
    let folder = |file: &Path| file.parent().unwrap_or(Path::new("")).to_owned();
    let real = |file: &Path| file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let given: HashSet<PathBuf> = given.iter().map(|file| real(file)).collect();
    let mut waiting: Vec<PathBuf> = Vec::new();
    let add = |waiting: &mut Vec<PathBuf>, from: &Path, text: &[u8], language: Language| {
        let (includes, lines) = own_includes(text, language);
        waiting.extend(includes.into_iter().map(|name| from.join(name)));
        lines
    };
    add(&mut waiting, &folder(path), &input.text, input.language);
    let mut seen = HashSet::new();
    let mut warnings = Vec::new();
    while let Some(header) = waiting.pop() {
        if seen.len() >= MOST || !context.files.is_file(&header) || !seen.insert(header.clone()) {
            continue;
        }
        let Some(text) = context.read_if_there(&header) else { continue };
        let lines = add(&mut waiting, &folder(&header), &text, input.language);
        if given.contains(&real(&header)) {
            continue;
        }
        for line in lines {
            let message = format!(
                "nothing is recorded here: {} includes the header, which is not given; give it, too, or compile by \
                 runcast cll cc",
                input.name
            );
            let warning = Warning::new("untranslated_header", message);
            warnings.push(warning.in_file(header.display().to_string(), line));
        }
    }
    warnings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    warnings
}
