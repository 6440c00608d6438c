//! The user's names in what the compiler wrote.

use super::place::{Shadow, write};
use super::translate::Translated;
use runcast_call::compiler::{Closure, Line, Stage, mend};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The dependency files of a call, with the names of translations replaced by the user's.
pub fn mend_dependencies(line: &Line, closure: &Closure, translated: &Translated, place: &Shadow) {
    let names = names(closure, translated);
    let own = place.root.as_os_str().as_bytes().to_vec();
    for path in dependency_files(line) {
        let Ok(text) = std::fs::read(&path) else { continue };
        if !path.is_file() {
            continue;
        }
        let mended = mend(&text, &mut |name| match names.get(name) {
            Some(spelled) => Some(spelled.clone()),
            None if name.starts_with(&own) => None,
            None => Some(name.to_vec()),
        });
        if mended != text {
            let _ = write(&path, &mended);
        }
    }
}

/// From what the compiler may call a file to what it would have called it.
fn names(closure: &Closure, translated: &Translated) -> HashMap<Vec<u8>, Vec<u8>> {
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let mut names = HashMap::new();
    for node in &closure.nodes {
        let spelled = bytes(&node.spelled);
        names.insert(bytes(&node.path), spelled.clone());
        // By `-iquote .`
        names.insert([b"./".as_slice(), &spelled].concat(), spelled);
    }
    for file in &translated.files {
        if let Some(node) = closure.nodes.get(file.node) {
            names.insert(bytes(&file.path), bytes(&node.spelled));
        }
    }
    names
}

/// All files that this call may have written; which of them depends on the compiler.
fn dependency_files(line: &Line) -> Vec<PathBuf> {
    let mut files = line.dependencies.clone();
    for name in ["DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"] {
        let value = std::env::var_os(name).unwrap_or_default();
        let file = value.as_bytes().split(|&byte| byte == b' ').next().unwrap_or_default();
        if !file.is_empty() {
            files.push(PathBuf::from(OsStr::from_bytes(file)));
        }
    }
    if !line.depends || !line.dependencies.is_empty() {
        return files;
    }
    for source in &line.sources {
        let base = Path::new(&source.name).with_extension("d");
        let base = PathBuf::from(base.file_name().unwrap_or_default());
        if let Some(output) = &line.output {
            files.push(Path::new(output).with_extension("d"));
            let mut joined: OsString = Path::new(output).with_extension("").into();
            joined.push("-");
            joined.push(&base);
            files.push(joined.into());
        }
        files.push(base);
    }
    files
}

/// The object of each source.
pub fn objects(line: &Line) -> Vec<PathBuf> {
    if line.stage != Stage::Object {
        return Vec::new();
    }
    match &line.output {
        Some(output) => vec![PathBuf::from(output)],
        None => {
            let object =
                |name: &OsStr| PathBuf::from(Path::new(name).with_extension("o").file_name().unwrap_or_default());
            line.sources.iter().map(|source| object(&source.name)).collect()
        }
    }
}
