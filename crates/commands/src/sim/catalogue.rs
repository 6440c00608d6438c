//! The catalogue, with the entries that options add.

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
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
    pub catalogue: Vec<InputFile>,
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
            for file in expand(path, context)? {
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
/// A folder that cannot be read, or whose files are all others.
pub(crate) fn with_folders(experiment: &str, files: &[Named], context: &mut Context) -> Result<Vec<Named>, Failure> {
    let mut found = Vec::new();
    for named in files {
        let path = run::beside(experiment, named);
        if context.files.is_folder(&path) {
            let inside = expand(&path, context)?;
            found.extend(inside.iter().map(|file| Named::option(file.display().to_string(), "--catalogue")));
        } else {
            found.push(named.clone());
        }
    }
    Ok(found)
}

/// The files that a path stands for: itself, or a folder's own `*.toml` in the order of their names.
fn expand(path: &Path, context: &mut Context) -> Result<Vec<PathBuf>, Failure> {
    if !context.files.is_folder(path) {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = context.files.list(path).map_err(|error| Failure::reading(path, &error))?;
    // One of a project without entries of its own is empty, or holds the folder of the site's entries alone.
    let is_bare = files.iter().all(|file| context.files.is_folder(file));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    if files.is_empty() && !is_bare {
        let problem = Problem::new("empty_folder", "there is no *.toml in the folder");
        return Err(problem.in_file(path.display().to_string()).at("--catalogue").into());
    }
    Ok(files)
}
