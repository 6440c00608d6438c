//! Files that a model file names, each read once.

use super::law::samples;
use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Problems, Table};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::rc::Rc;

/// Files by the name that is in the model file.
pub(super) struct Sources<'l> {
    lookup: &'l mut dyn FnMut(&Path) -> Result<Vec<u8>, Problem>,
    bytes: HashMap<String, Result<Rc<Vec<u8>>, Problem>>,
    tables: HashMap<String, Result<Rc<Table>, Problem>>,
    /// Rows by their cells, for each file and choice of columns: hundreds of links look into the same file.
    indices: HashMap<(String, Vec<usize>), Index>,
}

type Index = HashMap<Vec<u64>, Vec<usize>>;

impl<'l> Sources<'l> {
    pub(super) fn new(lookup: &'l mut dyn FnMut(&Path) -> Result<Vec<u8>, Problem>) -> Self {
        Sources { lookup, bytes: HashMap::new(), tables: HashMap::new(), indices: HashMap::new() }
    }

    /// What is in a file.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Rc<Vec<u8>>, Problem> {
        if let Some(known) = self.bytes.get(name) {
            return known.clone();
        }
        let found = (self.lookup)(Path::new(name)).map(Rc::new);
        self.bytes.insert(name.to_owned(), found.clone());
        found
    }

    /// What is in a file of text.
    pub(super) fn text(&mut self, name: &str) -> Result<String, Problem> {
        let bytes = self.bytes(name)?;
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        String::from_utf8(text.to_vec()).map_err(|error| {
            let good = &text[..error.utf8_error().valid_up_to()];
            let line = good.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            Problem::new("not_utf8", "the file is not UTF-8").in_file(name).at_line(line)
        })
    }

    /// The table in a file: CSV, JSON Lines, whatever is recognized.
    pub(super) fn table(&mut self, name: &str) -> Result<Rc<Table>, Problem> {
        if let Some(known) = self.tables.get(name) {
            return known.clone();
        }
        let bytes = self.bytes(name)?;
        let found = Table::read(name, &bytes, &ReadOptions::default()).map(Rc::new).map_err(first);
        self.tables.insert(name.to_owned(), found.clone());
        found
    }

    /// The rows of a table whose cells in some columns are these; none if there are none.
    pub(super) fn rows(&mut self, name: &str, columns: Vec<usize>, cells: &[u64]) -> Option<Vec<usize>> {
        let table = self.table(name).ok()?;
        let key = (name.to_owned(), columns);
        let index = match self.indices.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let index = samples::index(&table, &place.key().1);
                place.insert(index)
            }
        };
        index.get(cells).cloned()
    }
}

fn first(problems: Problems) -> Problem {
    problems.0.into_iter().next().unwrap_or_else(|| Problem::new("empty_table", "the file is empty"))
}
