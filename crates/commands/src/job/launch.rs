//! `--server URL` of a command: its files go up, it runs there, and its answer is shown as if it had run here.

use super::http::{Body, Server, encoded};
use super::{ServerArgs, outcome, watch};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::remote;
use clap::Args;
use runcast_core::{Problem, Problems};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Options that send a command to a server.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "On a server")]
pub struct RemoteArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    /// Replace files there that differ from those here
    #[arg(long, requires = "server", hide_short_help = true)]
    pub overwrite: bool,
    /// Print the id of the job and leave it running
    #[arg(long, requires = "server", hide_short_help = true)]
    pub detach: bool,
}

/// Words of the command line that are for the client alone: options with a value, and those without.
const OWN: (&[&str], &[&str]) = (&["--server", "--project"], &["--overwrite", "--detach", "--json"]);

/// Runs a command on a server; `words` are the command line without `runcast`.
///
/// # Errors
/// The command may not run on a server, a file differs there, the server does not answer or refuses.
pub fn run(args: &RemoteArgs, words: &[String], context: &mut Context) -> Result<Output, Failure> {
    let server = args.server.server()?;
    let argv = without_own(words);
    let admitted = remote::admit(&argv, &|path| Path::new(path).exists()).map_err(as_here)?;
    remote::survey(&admitted, context).map_err(|problems| Failure::input(Problems(problems)))?;
    let read: Vec<PathBuf> = context.files_read().to_vec();
    let mut paths: Vec<(String, PathBuf)> = Vec::new();
    for path in read {
        paths.push((below_here(&path)?, path));
    }
    upload(&server, &args.server.project, &paths, args.overwrite, context)?;
    let job = launch(&server, &args.server.project, &argv)?;
    let id = job["id"].as_str().unwrap_or_default().to_owned();
    if args.detach {
        return Ok(watch::left(&id));
    }
    let job = watch::to_the_end(&server, &id, context)?;
    if watch::is_over(&job) { outcome::of(&server, &job) } else { Ok(watch::left(&id).exit(1)) }
}

/// What is wrong with a word, as the command itself would report it: people who type a line do not count words.
fn as_here(problem: Problem) -> Problem {
    let is_word = problem.pointer.as_deref().is_some_and(|pointer| pointer.starts_with("/argv"));
    let problem = Problem { pointer: problem.pointer.filter(|_| !is_word), ..problem };
    match (problem.code.as_str(), problem.value.clone()) {
        ("missing_file", Some(path)) => {
            let problem = Problem::new("cannot_read", "cannot be read: no such file or directory");
            problem.in_file(path).hint("check the name and the folder")
        }
        ("path", Some(_)) => problem.hint("change to the folder that holds all files of the project"),
        _ => problem,
    }
}

/// The command line as the server takes it.
fn without_own(words: &[String]) -> Vec<String> {
    let mut argv = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if OWN.0.contains(&name) {
            if name == word {
                words.next();
            }
        } else if !OWN.1.contains(&word.as_str()) {
            argv.push(word.clone());
        }
    }
    argv
}

/// The path of a file as the project has it: below the current folder, with slashes.
fn below_here(path: &Path) -> Result<String, Failure> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir if !parts.is_empty() => {
                parts.pop();
            }
            _ => {
                let problem = Problem::new("outside", "the file is not below the current folder");
                let problem = problem.in_file(path.display().to_string());
                return Err(problem.hint("change to the folder that holds all files of the project").into());
            }
        }
    }
    Ok(parts.join("/"))
}

/// Files that are not there go up; those that differ stop it, unless they may be replaced.
fn upload(
    server: &Server,
    project: &str,
    paths: &[(String, PathBuf)],
    overwrite: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    if paths.is_empty() {
        return Ok(());
    }
    let there = files_there(server, project)?;
    let mut changes = Vec::new();
    for (path, here) in paths {
        if !remote::is_project_path(path) {
            let problem = Problem::new("path", "a file of a project cannot have this path");
            let problem = problem.in_file(here.display().to_string()).value(path.as_str());
            return Err(problem.allowed("1 to 4 parts of letters, digits, \".\", \"_\" and \"-\", 64 each").into());
        }
        let bytes = context.read(here)?;
        let digest = digest(&bytes);
        match there.get(&path.to_ascii_lowercase()) {
            Some((known, _)) if *known == digest => {}
            Some((known, version)) if overwrite => changes.push((path, bytes, Some(etag(*version, known)))),
            Some((_, version)) => {
                let message = format!("the file differs from version {version} in the project {project}");
                let problem = Problem::new("differs", message).in_file(here.display().to_string());
                return Err(Failure::undone(problem.hint("--overwrite makes yours the next version")));
            }
            None => changes.push((path, bytes, None)),
        }
    }
    for (path, bytes, replaces) in changes {
        let condition = match &replaces {
            Some(etag) => ("if-match", etag.as_str()),
            None => ("if-none-match", "*"),
        };
        let encoded_path: Vec<String> = path.split('/').map(encoded).collect();
        let address = format!("/projects/{}/files/{}", encoded(project), encoded_path.join("/"));
        let answer = server.ask("PUT", &address, &[condition], Body::Bytes(&bytes))?;
        if !answer.is_good() {
            return Err(answer.refusal());
        }
    }
    Ok(())
}

/// Digest and version of all files of a project, by path in lower case.
fn files_there(server: &Server, project: &str) -> Result<BTreeMap<String, (String, i64)>, Failure> {
    let mut files = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let page =
            server.json("GET", &format!("/projects/{}/files?limit=500{cursor}", encoded(project)), Body::None)?;
        for item in page["items"].as_array().into_iter().flatten() {
            let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
            files.insert(text("path").to_ascii_lowercase(), (text("digest"), item["version"].as_i64().unwrap_or(0)));
        }
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={}", encoded(next)),
            None => return Ok(files),
        }
    }
}

/// Launches; asked again with the same key, the server gives the same job.
fn launch(server: &Server, project: &str, argv: &[String]) -> Result<Value, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let key = digest(format!("{now} {} {argv:?}", std::process::id()).as_bytes());
    let body = json!({"argv": argv});
    let path = format!("/projects/{}/jobs", encoded(project));
    let ask = || server.ask("POST", &path, &[("idempotency-key", &key[7..47])], Body::Json(&body));
    let answer = match ask() {
        Ok(answer) if answer.status != 503 => answer,
        _ => {
            std::thread::sleep(std::time::Duration::from_secs(2));
            ask()?
        }
    };
    if answer.is_good() { answer.json() } else { Err(answer.refusal()) }
}

fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::from("sha256:"), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn etag(version: i64, digest: &str) -> String {
    format!("\"v{version}-{}\"", digest.get(7..23).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_own_options_do_not_go_to_the_server() {
        let words = "sim sweep --server http://x e.toml --project=demo --vary p=1,2 --detach --json";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(without_own(&words).join(" "), "sim sweep e.toml --vary p=1,2");
    }

    #[test]
    fn paths_stay_below_the_folder() {
        assert_eq!(below_here(Path::new("./a/../b/c.toml")).expect("below"), "b/c.toml");
        for bad in ["/etc/passwd", "../x.toml", "a/../../x.toml"] {
            assert_eq!(below_here(Path::new(bad)).expect_err("outside").exit, 2, "{bad}");
        }
    }

    #[test]
    fn an_etag_is_as_the_server_writes_it() {
        assert_eq!(etag(1, &digest(b"a = 1\n")), "\"v1-cb78bd8a17f7b751\"");
    }
}
