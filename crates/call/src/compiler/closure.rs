//! What sources include, directly or through others, as far as folders of the program are concerned.

use super::includes::{Included, Includes};
use crate::translate::Language;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// So many files are followed; what is beyond counts as not annotated.
const MOST_FILES: usize = 50_000;

/// Where files are looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The folder of work, from which relative names begin.
    pub from: PathBuf,
    /// After the includer's own folder: folders for names between quotes.
    pub quote: Vec<PathBuf>,
    /// Folders for all names.
    pub all: Vec<PathBuf>,
}

/// A file that an `#include` stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its number among the nodes.
    pub node: usize,
    /// Whether it was found in the includer's own folder.
    pub beside: bool,
}

/// A file of the program.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its absolute path.
    pub path: PathBuf,
    /// As the compiler would call it.
    pub spelled: PathBuf,
    pub text: Vec<u8>,
    pub includes: Includes,
    /// For each of `includes.files`, the file; none if it is not in these folders.
    pub targets: Vec<Option<Target>>,
    /// Annotated, or including a file that is.
    pub ours: bool,
}

/// Sources with all that they include.
#[derive(Debug, Clone, Default)]
pub struct Closure {
    /// The sources first, in their order.
    pub nodes: Vec<Node>,
}

impl Closure {
    /// Follows the sources; `read` gives the text of a file, none if there is none.
    pub fn of(
        sources: &[(PathBuf, Language)],
        search: &Search,
        read: &mut dyn FnMut(&Path) -> Option<Vec<u8>>,
    ) -> Self {
        let mut walk = Walk { search, read, known: HashMap::new(), nodes: Vec::new() };
        let language = match sources.iter().any(|(_, language)| *language == Language::Cpp) {
            true => Language::Cpp,
            false => Language::C,
        };
        for (name, _) in sources {
            // A source that is named twice is one file; its second number would be missing.
            walk.node(name, language, true);
        }
        let mut at = 0;
        while at < walk.nodes.len() {
            walk.follow(at, language);
            at += 1;
        }
        let mut nodes = walk.nodes;
        mark(&mut nodes);
        Closure { nodes }
    }
}

/// Spreads `ours` from included files to those that include them.
fn mark(nodes: &mut [Node]) {
    let mut includers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        node.targets.iter().flatten().for_each(|target| includers[target.node].push(number));
    }
    let mut waiting: Vec<usize> = (0..nodes.len()).filter(|&number| nodes[number].includes.annotated).collect();
    while let Some(number) = waiting.pop() {
        if !std::mem::replace(&mut nodes[number].ours, true) {
            waiting.extend(&includers[number]);
        }
    }
}

struct Walk<'a> {
    search: &'a Search,
    read: &'a mut dyn FnMut(&Path) -> Option<Vec<u8>>,
    /// Files by their normal path; none for what is not there.
    known: HashMap<PathBuf, Option<usize>>,
    nodes: Vec<Node>,
}

impl Walk<'_> {
    /// The number of a file, if it is there.
    fn node(&mut self, spelled: &Path, language: Language, is_source: bool) -> Option<usize> {
        let path = normal(&self.search.from.join(spelled));
        if let Some(known) = self.known.get(&path).filter(|_| !is_source) {
            return *known;
        }
        if self.nodes.len() >= MOST_FILES {
            return None;
        }
        let text = (self.read)(&self.search.from.join(spelled));
        let number = (is_source || text.is_some()).then_some(self.nodes.len());
        self.known.insert(path.clone(), number);
        if number.is_some() {
            let text = text.unwrap_or_default();
            let includes = Includes::of(&text, language);
            let spelled = spelled.to_owned();
            self.nodes.push(Node { path, spelled, text, includes, targets: Vec::new(), ours: false });
        }
        number
    }

    fn follow(&mut self, at: usize, language: Language) {
        let own = self.nodes[at].spelled.parent().unwrap_or(Path::new("")).to_owned();
        let files = self.nodes[at].includes.files.clone();
        let targets = files.iter().map(|file| self.target(&own, file, language)).collect();
        self.nodes[at].targets = targets;
    }

    fn target(&mut self, own: &Path, file: &Included, language: Language) -> Option<Target> {
        let name = Path::new(OsStr::from_bytes(&file.name));
        if file.quoted
            && let Some(node) = self.node(&own.join(name), language, false)
        {
            return Some(Target { node, beside: true });
        }
        let search = self.search;
        let quote = search.quote.iter().filter(|_| file.quoted);
        let found = quote.chain(&search.all).find_map(|folder| self.node(&folder.join(name), language, false))?;
        Some(Target { node: found, beside: false })
    }
}

/// A path without `.` and `..`, as written.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !normal.pop() {
                    normal.push(part);
                }
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closure(source: &str, files: &[(&str, &str)]) -> Vec<(String, bool)> {
        let search = Search { from: "/w".into(), quote: vec!["q".into()], all: vec!["../i".into()] };
        let mut read = |path: &Path| {
            let path = normal(path);
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| text.as_bytes().to_vec())
        };
        let made = Closure::of(&[(source.into(), Language::C)], &search, &mut read);
        made.nodes.iter().map(|node| (node.spelled.display().to_string(), node.ours)).collect()
    }

    #[test]
    fn a_file_that_includes_ours_is_ours() {
        let pragma = "#pragma cll F\n";
        let files = [
            ("/w/s/a.c", "#include \"b.h\"\n#include <d.h>\n#include \"e.h\"\n#include <b.h>\n"),
            ("/w/s/b.h", "#include \"c.h\"\n"),
            ("/w/s/c.h", pragma),
            ("/i/d.h", "#include \"d2.h\"\n"),
            ("/i/d2.h", ""),
            ("/w/q/e.h", "#include \"e.h\"\n"),
        ];
        let expected = [
            ("s/a.c", true),
            ("s/b.h", true),
            ("../i/d.h", false),
            ("q/e.h", false),
            ("s/c.h", true),
            ("../i/d2.h", false),
        ];
        assert_eq!(closure("s/a.c", &files), expected.map(|(name, ours)| (name.to_owned(), ours)));
    }
}
