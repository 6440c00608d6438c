//! Whole model files: what they mean, and what is wrong with them.

mod binning_table;
mod bounds;
mod documented;
mod golden;
mod operators;
mod random_texts;
mod whole;
mod wrong;

use super::{Overrides, Read, read};
use runcast_core::{Problem, Problems};
use std::path::Path;

/// Reads a file that names the files given.
fn read_with(text: &str, files: &[(&str, &str)], overrides: &Overrides) -> Result<Read, Problems> {
    let mut lookup = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        let missing = || Problem::new("cannot_read", "no such file").in_file(path.display().to_string());
        found.map(|(_, content)| content.as_bytes().to_vec()).ok_or_else(missing)
    };
    read(text, "lab.toml", &mut lookup, overrides)
}

fn good(text: &str) -> Read {
    read_with(text, &[], &Overrides::default()).unwrap_or_else(|problems| panic!("{text}\n{problems}"))
}

/// What is wrong; one problem or several.
fn wrong(text: &str) -> Vec<Problem> {
    match read_with(text, &[], &Overrides::default()) {
        Err(problems) => problems.0,
        Ok(read) => panic!("{text}\nis good: {read:?}"),
    }
}

/// A model of two processes and a network of 1 s, with more lines in `[wavefront]` and at the end.
fn two(head: &str, rest: &str) -> String {
    format!(
        "[wavefront]\n{head}\n[[process]]\nname = \"a\"\nupdate = {{ constant = \"2s\" }}\n\
         [[process]]\nname = \"b\"\nupdate = {{ constant = \"3s\" }}\n\
         [network]\ndefault = {{ constant = \"1s\" }}\n{rest}"
    )
}

/// The law of an update that is described so, on a lattice of 1 s.
fn law_of(update: &str) -> Vec<(u64, f64)> {
    law_at("1s", update)
}

fn law_at(step: &str, update: &str) -> Vec<(u64, f64)> {
    good(&format!("wavefront.step = '{step}'\nprocess.update = {update}")).model.modes.laws[0].update[0]
        .support()
        .to_vec()
}
