//! The sources of a call and the headers of theirs, translated into the folder of translations.

use super::place::{Shadow, write};
use runcast_call::compiler::{Closure, Line, Node, Search};
use runcast_call::translate::{Input, Language, Place, shadow};
use runcast_core::{Problem, Warning};
use std::collections::HashMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A file of ours in its place.
#[derive(Debug)]
pub struct File {
    /// Its number in the closure.
    pub node: usize,
    /// Where its translation is.
    pub path: PathBuf,
    /// As messages name it.
    pub name: PathBuf,
    pub made: runcast_call::translate::Shadow,
}

/// All files of ours of a call.
#[derive(Debug)]
pub struct Translated {
    pub files: Vec<File>,
    /// For each source of the line, and then for each `-include`: its translation, if it is ours.
    pub starts: Vec<Option<PathBuf>>,
    /// Includes that only a preprocessor can follow, in files of ours.
    pub warnings: Vec<Warning>,
}

impl Translated {
    pub fn experiments(&self) -> usize {
        self.files.iter().map(|file| file.made.experiments.len()).sum()
    }

    pub fn refused(&self) -> usize {
        self.files.iter().map(|file| file.made.refused.len()).sum()
    }

    /// The regions that are left out, with their files.
    pub fn refusals(&self) -> impl Iterator<Item = (&File, &str, &Problem)> {
        self.files.iter().flat_map(|file| file.made.refused.iter().map(move |(name, why)| (file, name.as_str(), why)))
    }

    /// Whether an object holds all of the run-time library by itself.
    pub fn communicates(&self) -> bool {
        self.files.iter().any(|file| file.made.communicates)
    }
}

/// What the sources of a line include, with the text of the standard input, if it is one of them.
pub fn closure(line: &Line, input: Option<&[u8]>) -> Closure {
    let search = Search {
        from: std::env::current_dir().unwrap_or_default(),
        quote: line.quote.clone(),
        all: [&line.angle[..], &line.system, &line.after].concat(),
    };
    let sources = line.sources.iter().map(|source| (PathBuf::from(&source.name), source.language));
    let language = line.sources.first().map_or(Language::C, |source| source.language);
    let forced = line.forced.iter().map(|&at| (PathBuf::from(forced_name(line, at)), language));
    let starts: Vec<(PathBuf, Language)> = sources.chain(forced).collect();
    let stdin = search.from.join("-");
    Closure::of(&starts, &search, &mut |path| match input {
        Some(text) if path == stdin => Some(text.to_vec()),
        _ if path.is_file() => std::fs::read(path).ok(),
        _ => None,
    })
}

/// The value of `-include`, joined to the option or not.
pub fn forced_name(line: &Line, at: usize) -> std::ffi::OsString {
    let word = &line.words[at];
    let bytes = word.as_bytes().strip_prefix(b"-include").unwrap_or(word.as_bytes());
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

/// Translates what is ours, and writes it.
///
/// # Errors
/// A file cannot be written.
pub fn translate(line: &Line, closure: &Closure, place: &Shadow) -> io::Result<Translated> {
    let work = Work { line, closure, paths: paths(line, closure, place) };
    let mut files = Vec::new();
    let mut warnings = Vec::new();
    for (number, node) in closure.nodes.iter().enumerate().filter(|(_, node)| node.ours) {
        files.push(work.file(number, node)?);
        for &at in &node.includes.computed {
            let message = "what is included here is not followed: regions in it are not recorded";
            warnings.push(Warning::new("computed_include", message).in_file(node.spelled.display().to_string(), at));
        }
    }
    let starts = (0..line.sources.len() + line.forced.len()).map(|number| work.paths.get(&number).cloned()).collect();
    Ok(Translated { files, starts, warnings })
}

/// For each file of ours, where its translation goes.
fn paths(line: &Line, closure: &Closure, place: &Shadow) -> HashMap<usize, PathBuf> {
    let ours = closure.nodes.iter().enumerate().filter(|(_, node)| node.ours);
    let path = |number: usize, node: &Node| {
        let typed = line.sources.get(number).map(|source| Path::new(&source.name));
        let relative = node.path.strip_prefix("/").unwrap_or(&node.path);
        place.sources(typed).join(relative)
    };
    ours.map(|(number, node)| (number, path(number, node))).collect()
}

struct Work<'a> {
    line: &'a Line,
    closure: &'a Closure,
    paths: HashMap<usize, PathBuf>,
}

impl Work<'_> {
    fn file(&self, number: usize, node: &Node) -> io::Result<File> {
        let source = self.line.sources.get(number);
        let path = self.paths.get(&number).cloned().unwrap_or_default();
        let mut tables = path.as_os_str().to_owned();
        tables.push(".cll.h");
        let tables = PathBuf::from(tables);
        let name = match source {
            Some(source) if source.name == "-" => PathBuf::from("<stdin>"),
            Some(source) => PathBuf::from(&source.name),
            None => node.path.clone(),
        };
        let cpp = self.line.sources.iter().any(|source| source.language == Language::Cpp);
        let language = source.map_or(if cpp { Language::Cpp } else { Language::C }, |source| source.language);
        let mut input = Input::new(name.display().to_string(), node.text.clone(), language);
        input.shared = source.is_none().then(|| node.path.display().to_string());
        let shown = Place { name: name.as_os_str().as_bytes(), tables: &tables.display().to_string() };
        let made = shadow(&input, &shown, &mut |included, quoted| self.renamed(number, included, quoted));
        write(&path, &made.text)?;
        if let Some(text) = &made.tables {
            write(&tables, text.as_bytes())?;
        }
        Ok(File { node: number, path, name, made })
    }

    /// The name of an included file in a translation: another translation; the file itself, where the folder of the
    /// translation would be searched for it.
    fn renamed(&self, number: usize, included: &str, quoted: bool) -> Option<String> {
        let node = self.closure.nodes.get(number)?;
        let at = node.includes.files.iter().position(|f| f.name == included.as_bytes() && f.quoted == quoted)?;
        let target = node.targets.get(at)?.as_ref()?;
        let path = match self.paths.get(&target.node) {
            Some(path) => path,
            None if target.beside && quoted && self.needs_paths(number) => &self.closure.nodes.get(target.node)?.path,
            None => return None,
        };
        path.to_str().map(str::to_owned)
    }

    /// Sources find what is beside them by `-iquote`, unless there are several folders of sources.
    fn needs_paths(&self, number: usize) -> bool {
        let folder = |number: usize| self.closure.nodes.get(number).and_then(|node| node.spelled.parent());
        number >= self.line.sources.len() || (0..self.line.sources.len()).any(|source| folder(source) != folder(0))
    }
}
