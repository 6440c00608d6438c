//! Pragmas in headers of the program, which no translation would see.

use crate::context::Context;
use runcast_call::translate::{Input, Language, own_includes};
use runcast_core::Problem;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// So many headers of one source are looked at.
const MOST: usize = 2000;

/// One problem for each pragma in a header that the source includes by quotes, directly or through others.
pub fn problems(input: &Input, path: &Path, context: &mut Context) -> Vec<Problem> {
    let folder = |file: &Path| file.parent().unwrap_or(Path::new("")).to_owned();
    let mut waiting: Vec<(PathBuf, String)> = Vec::new();
    let add = |waiting: &mut Vec<(PathBuf, String)>, from: &Path, text: &[u8], language: Language| {
        let (includes, lines) = own_includes(text, language);
        waiting.extend(includes.into_iter().map(|name| (from.join(&name), name)));
        lines
    };
    add(&mut waiting, &folder(path), &input.text, input.language);
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    while let Some((header, _)) = waiting.pop() {
        if seen.len() >= MOST || !context.files.is_file(&header) || !seen.insert(header.clone()) {
            continue;
        }
        let Some(text) = context.read_if_there(&header) else { continue };
        for line in add(&mut waiting, &folder(&header), &text, input.language) {
            let message = format!("a pragma in a header is not translated; {} includes it", input.name);
            let problem = Problem::new("header", message).in_file(header.display().to_string());
            let hint = "move the function into a source, or the region to where it is called";
            problems.push(problem.at_line(line).at_column(1).hint(hint));
        }
    }
    problems.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    problems
}
