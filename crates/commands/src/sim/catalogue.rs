//! The catalogue as options extend it.

use crate::context::Context;
use crate::failure::Failure;
use clap::{Args, ValueHint};
use runcast_core::{Problem, Problems};
use runcast_sim::catalogue::Catalogue;
use runcast_sim::experiment::Named;
use runcast_sim::run;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// `--catalogue PATH`
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct CatalogueArgs {
    /// A file of catalogue entries, or a folder's *.toml; the later wins
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub catalogue: Vec<PathBuf>,
}

impl CatalogueArgs {
    /// The catalogue that is compiled in, extended.
    ///
    /// # Errors
    /// A file cannot be read, or what is wrong in it.
    pub fn read(&self, context: &mut Context) -> Result<Cow<'static, Catalogue>, Failure> {
        if self.catalogue.is_empty() {
            return Ok(Cow::Borrowed(Catalogue::builtin()));
        }
        let mut files = Vec::new();
        for path in &self.catalogue {
            for file in expand(path)? {
                files.push((crate::tables::name_of(&file), context.read_text(&file)?));
            }
        }
        let extended = Catalogue::builtin().extended(&files).map_err(Problems)?;
        Ok(Cow::Owned(extended))
    }
}

/// Files of the catalogue that an experiment or options name, with a folder's own `*.toml` in its place.
///
/// # Errors
/// A folder that cannot be read, or without such a file.
pub(crate) fn with_folders(experiment: &str, files: &[Named]) -> Result<Vec<Named>, Failure> {
    let mut found = Vec::new();
    for named in files {
        let path = run::beside(experiment, named);
        if path.is_dir() {
            let inside = expand(&path)?;
            found.extend(inside.iter().map(|file| Named::option(file.display().to_string(), "--catalogue")));
        } else {
            found.push(named.clone());
        }
    }
    Ok(found)
}

/// The files that a path stands for: itself, or a folder's own `*.toml` in the order of their names.
fn expand(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| Failure::reading(path, &error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    if files.is_empty() {
        let problem = Problem::new("empty_folder", "there is no *.toml in the folder");
        return Err(problem.in_file(path.display().to_string()).at("--catalogue").into());
    }
    Ok(files)
}
