//! Completions and manual pages, made from the definition of the command line.

use crate::args::{CompletionsArgs, ManArgs};
use runcast_commands::Failure;
use std::path::Path;

/// The completions for a shell.
pub fn completions(args: &CompletionsArgs) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::args::command(), "runcast", &mut script);
    script
}

/// The main page, or the names of the pages that were written into a folder.
///
/// # Errors
/// A page cannot be written.
pub fn man(args: &ManArgs) -> Result<Vec<u8>, Failure> {
    if args.options {
        return Ok(crate::vocabulary::page().into_bytes());
    }
    let mut command = crate::args::with_all_options(crate::args::command());
    command.build();
    let Some(folder) = &args.folder else { return page(&command, Path::new("the manual page")) };
    std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let mut written = String::new();
    write_pages(&command, folder, &mut written)?;
    Ok(written.into_bytes())
}

/// The page of a command and of all below it that are not hidden.
fn write_pages(command: &clap::Command, folder: &Path, written: &mut String) -> Result<(), Failure> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let path = folder.join(format!("{name}.1"));
    let page = page(&command.clone().name(name), &path)?;
    std::fs::write(&path, page).map_err(|error| Failure::writing(&path, &error))?;
    written.push_str(&format!("{}\n", path.display()));
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.into_iter().try_for_each(|below| write_pages(below, folder, written))
}

fn page(command: &clap::Command, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(|error| Failure::writing(path, &error))?;
    Ok(page)
}
