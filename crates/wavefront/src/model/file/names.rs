//! Names of processes in links and overrides.

use super::process::Entry;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader};

/// Names of processes and of groups of identical ones (those of a `count`).
pub(super) struct Names {
    names: Vec<String>,
    groups: Vec<String>,
}

impl Names {
    pub(super) fn new(processes: &[Entry]) -> Self {
        let names = processes.iter().map(|process| process.name.clone()).collect();
        let groups = processes.iter().map(|process| process.group.clone()).collect();
        Names { names, groups }
    }

    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The processes that a name stands for: all (`*`), those of a group, or one.
    pub(super) fn find(&self, reader: &mut Reader<'_>, name: &str, place: &Place) -> Option<Vec<usize>> {
        let places = |names: &[String]| -> Vec<usize> { (0..names.len()).filter(|&i| names[i] == name).collect() };
        if name == "*" {
            return Some((0..self.names.len()).collect());
        }
        let found = [places(&self.names), places(&self.groups)].into_iter().find(|found| !found.is_empty());
        if found.is_none() {
            let shown = shorten(name, 60);
            let problem = Problem::new("unknown_name", format!("\"{shown}\" is not a process")).value(name);
            let mut allowed: Vec<&str> = self.names.iter().map(String::as_str).take(20).collect();
            if self.names.len() > allowed.len() {
                allowed.push("..");
            }
            let problem = problem.allowed(format!("{}, or *", allowed.join(", ")));
            let candidates = self.names.iter().chain(&self.groups).map(String::as_str);
            reader.wrong(place, problem.or_near(name, candidates));
        }
        found
    }
}
