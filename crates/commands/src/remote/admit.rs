//! Whether a command line may be a job, and which files it names.

use super::line::{self, Line, pointer};
use super::path::{is_project_path, normalized};
use super::rules::{self, GLOBAL, Role};
use crate::command::Command;
use crate::options::parts;
use clap::ArgMatches;
use clap::parser::ValueSource;
use runcast_core::Problem;
use std::path::Path;

/// Words that a command line has at most.
const MOST_WORDS: usize = 10_000;

/// A command line that may be a job.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// The command: `sim sweep`.
    pub name: &'static str,
    /// The command, as it was read.
    pub command: Command,
    /// The command line as it was typed, without `runcast`.
    pub argv: Vec<String>,
    /// Files and folders that options name, to be read.
    pub reads: Vec<String>,
    /// Files and folders that options name, to be written; `-` is the standard output.
    pub outputs: Vec<String>,
    /// The timeline, if one is to be written.
    pub timeline: Option<String>,
}

/// Looks whether a command line may be a job. `is_there` says whether the project has a file, or a folder of files, of a
/// name.
///
/// # Errors
/// What is wrong with it; the pointer says with which word: `/argv/3`.
pub fn admit(argv: &[String], is_there: &dyn Fn(&str) -> bool) -> Result<Admitted, Problem> {
    if argv.len() > MOST_WORDS {
        let problem = Problem::new("too_long", "the command line has too many words").at("/argv");
        return Err(problem.allowed(format!("{MOST_WORDS} words at most")));
    }
    if let Some(word) = argv.iter().position(|word| word.contains('\0')) {
        return Err(Problem::new("invalid_value", "a word holds a zero byte").at(pointer(Some(word))));
    }
    if argv.is_empty() {
        let problem = Problem::new("missing_argument", "there is no command").at("/argv");
        return Err(problem.hint("such as [\"sim\",\"run\",\"experiment.toml\"]"));
    }
    refuse_by_name(argv)?;
    let read = line::read(argv).map_err(|problem| refused_option(argv).unwrap_or(problem));
    let (matches, Line { command, .. }) = read?;
    let (name, leaf) = leaf(&matches);
    let Some(rule) = rules::of(&name) else {
        return Err(not_allowed(&name, "no job may hold it").at(pointer(position_of(&name, argv))));
    };
    let mut admitted = Admitted {
        name: rule.command,
        command,
        argv: argv.to_vec(),
        reads: Vec::new(),
        outputs: Vec::new(),
        timeline: None,
    };
    let parser = line::definition(rule.command);
    for id in leaf.ids().map(clap::Id::as_str) {
        let is_given = leaf.value_source(id) == Some(ValueSource::CommandLine);
        let Some(option) = parser.and_then(|parser| parser.get_arguments().find(|option| option.get_id() == id)) else {
            // A group of options, whose own are looked at.
            continue;
        };
        let is_global = GLOBAL.contains(&id) && option.is_global_set();
        if is_global || !is_given {
            continue;
        }
        let typed = Typed { option, argv };
        let refused = |why: &str| {
            not_allowed(&typed.name(), why)
                .at(pointer(typed.position(None)))
                .hint(format!("leave out {}", typed.name()))
        };
        let values = || leaf.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
        match rule.role(id) {
            None => return Err(refused("no job may hold it")),
            Some(Role::Refused(why)) => return Err(refused(why)),
            Some(Role::Plain) => {}
            Some(Role::Reads) => {
                for value in values() {
                    admitted.reads.push(typed.there(&value, is_there)?);
                }
            }
            Some(Role::Writes) => {
                for value in values() {
                    let path = typed.written(&value)?;
                    if id == "timeline_file" {
                        admitted.timeline = Some(path.clone());
                    }
                    admitted.outputs.push(path);
                }
            }
            Some(Role::Updates) => {
                for value in values() {
                    let path = typed.written(&value)?;
                    if is_there(&path) {
                        admitted.reads.push(path.clone());
                    }
                    admitted.outputs.push(path);
                }
            }
        }
    }
    if let Command::Llac(args) = &admitted.command
        && args.script.is_none()
        && args.execute.is_empty()
    {
        let problem = Problem::new("missing_argument", "llac needs a script, or commands: -e").at("/argv");
        return Err(problem.hint("a session is for the terminal"));
    }
    Ok(admitted)
}

/// Refuses commands that a job never holds by their first words, whatever their options are.
fn refuse_by_name(argv: &[String]) -> Result<(), Problem> {
    let words: Vec<&str> = argv.iter().map(String::as_str).filter(|word| !word.starts_with('-')).take(3).collect();
    for length in 1..=words.len() {
        let name = words[..length].join(" ");
        if let Some(why) = rules::of(&name).and_then(|rule| rule.refused) {
            return Err(not_allowed(&name, why).at(pointer(position_of(&name, argv))).hint("run it in the shell"));
        }
    }
    Ok(())
}

/// An option that no job holds, in a command line that cannot be read: that is the greater fault.
fn refused_option(argv: &[String]) -> Option<Problem> {
    let words: Vec<&str> = argv.iter().map(String::as_str).filter(|word| !word.starts_with('-')).take(3).collect();
    let rule = (1..=words.len()).find_map(|length| rules::of(&words[..length].join(" ")))?;
    let parser = line::definition(rule.command)?;
    parser.get_arguments().find_map(|option| {
        let Some(Role::Refused(why)) = rule.role(option.get_id().as_str()) else { return None };
        let typed = Typed { option, argv };
        let at = typed.position(None)?;
        Some(not_allowed(&typed.name(), why).at(pointer(Some(at))))
    })
}

fn not_allowed(what: &str, why: &str) -> Problem {
    Problem::new("not_allowed", format!("{what} is not allowed in a job: {why}")).value(what)
}

/// Where the last word of a command stands.
fn position_of(name: &str, argv: &[String]) -> Option<usize> {
    let mut at = None;
    for word in name.split(' ') {
        let from = at.map_or(0, |at| at + 1);
        at = Some(from + argv[from..].iter().position(|typed| typed == word)?);
    }
    at
}

/// The command's full name, and its own options.
fn leaf(matches: &ArgMatches) -> (String, &ArgMatches) {
    let (mut name, mut leaf) = (String::new(), matches);
    while let Some((word, below)) = leaf.subcommand() {
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
        leaf = below;
    }
    (name, leaf)
}

/// An option in the words that were typed.
struct Typed<'a> {
    option: &'a clap::Arg,
    argv: &'a [String],
}

impl Typed<'_> {
    fn name(&self) -> String {
        match (self.option.get_long(), self.option.get_short()) {
            (Some(long), _) => line::as_shown(&format!("--{long}"), self.argv),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => self
                .option
                .get_value_names()
                .and_then(|names| names.first())
                .map_or_else(|| self.option.get_id().to_string(), ToString::to_string),
        }
    }

    /// The word that holds a value, or the option itself.
    fn position(&self, value: Option<&str>) -> Option<usize> {
        let whole = parts::named(self.option).map(|(whole, _)| whole);
        let longs = [self.option.get_long(), whole].map(|long| long.map(|long| format!("--{long}")));
        let short = self.option.get_short().map(|short| format!("-{short}"));
        let is_option = |word: &str| {
            longs.iter().flatten().any(|long| {
                word.strip_prefix(long.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            }) || short.as_deref().is_some_and(|short| word.starts_with(short))
        };
        let first = self.argv.iter().position(|word| is_option(word));
        let Some(value) = value else { return first };
        let holds = |word: &String| match &first {
            Some(_) => word == value || (is_option(word) && word.ends_with(value)),
            None => word == value,
        };
        let from = first.unwrap_or(0);
        self.argv[from..].iter().position(holds).map(|at| at + from).or(first)
    }

    /// A file of the project.
    fn there(&self, value: &str, is_there: &dyn Fn(&str) -> bool) -> Result<String, Problem> {
        let at = pointer(self.position(Some(value)));
        if value == "-" {
            let problem = Problem::new("not_allowed", "a job has no standard input").at(at).value(value);
            return Err(problem.hint("name a file of the project"));
        }
        let path = inside(value, &at)?;
        if path.is_empty() || !is_there(&path) {
            let problem = Problem::new("missing_file", format!("the project has no file {value}")).at(at);
            return Err(problem.value(value).hint("check the name and the folder"));
        }
        Ok(path)
    }

    /// A file or folder to write.
    fn written(&self, value: &str) -> Result<String, Problem> {
        if value == "-" {
            return Ok(value.to_owned());
        }
        let at = pointer(self.position(Some(value)));
        let path = inside(value, &at)?;
        if path.is_empty() || is_project_path(&path) {
            return Ok(path);
        }
        let problem = Problem::new("path", format!("{value} cannot be the name of a file of a project")).at(at);
        Err(problem.value(value).allowed("1 to 4 parts of letters, digits, \".\", \"_\" and \"-\""))
    }
}

/// A path in the project.
fn inside(value: &str, at: &str) -> Result<String, Problem> {
    let path = Path::new(value);
    let outside = || {
        let problem = Problem::new("path", format!("{value} is not in the project")).at(at).value(value);
        problem.allowed("paths in the project, such as experiments/heat.toml")
    };
    if path.is_absolute() { Err(outside()) } else { normalized(path).ok_or_else(outside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(line: &str) -> Result<Admitted, Problem> {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let there = ["experiments/heat.toml", "hardware", "hardware/x.toml", "t.csv", "costs.toml"];
        admit(&argv, &|path| there.contains(&path))
    }

    #[test]
    fn files_are_told_by_what_becomes_of_them() {
        let line = "sim sweep experiments/heat.toml --catalogue hardware --vary p=1..64*2 -o out/heat.csv --json";
        let job = admitted(line).expect("allowed");
        assert_eq!(job.name, "sim sweep");
        assert_eq!(job.reads, ["experiments/heat.toml", "hardware"]);
        assert_eq!(job.outputs, ["out/heat.csv"]);
        let job = admitted("sim hardware add t.csv -o hardware/x.toml").expect("allowed");
        assert_eq!(job.reads, ["t.csv", "hardware/x.toml"]);
        assert_eq!(job.outputs, ["hardware/x.toml"]);
        let job = admitted("sim run ./experiments/../experiments/heat.toml --timeline run.json").expect("allowed");
        assert_eq!((job.reads, job.timeline), (vec!["experiments/heat.toml".to_owned()], Some("run.json".to_owned())));
    }

    #[test]
    fn the_pointer_says_which_word_it_is() {
        let cases = [
            ("bench plan.toml -o x.csv -- rm -rf", "/argv/0", "not_allowed"),
            ("bsf run jacobi --anything", "/argv/1", "not_allowed"),
            ("--json wavefront sample", "/argv/2", "not_allowed"),
            ("quickstart", "/argv/0", "not_allowed"),
            ("record -- true", "/argv/0", "not_allowed"),
            ("bsf validate t.csv --run jacobi --params costs.toml", "/argv/3", "not_allowed"),
            ("sim run experiments/heat.toml --catalogue ../secret", "/argv/4", "path"),
            ("sim run experiments/heat.toml --catalogue=/etc", "/argv/3", "path"),
            ("sim run missing.toml", "/argv/2", "missing_file"),
            ("sim run -", "/argv/2", "not_allowed"),
            ("sim sweep experiments/heat.toml -o ../x.csv", "/argv/4", "path"),
            ("sim sweep experiments/heat.toml -o .x", "/argv/4", "path"),
            ("sim run experiments/heat.toml --nonsense", "/argv/3", "unknown_option"),
            ("sim run experiments/heat.toml --seed x", "/argv/4", "invalid_value"),
            ("sim nonsense", "/argv/1", "unknown_command"),
            ("serve --port 1", "/argv/0", "unknown_command"),
            ("sim run --help", "/argv/2", "not_allowed"),
            ("llac", "/argv", "missing_argument"),
            ("sim run", "/argv", "missing_argument"),
        ];
        for (line, pointer, code) in cases {
            let problem = admitted(line).expect_err(line);
            assert_eq!((problem.pointer.as_deref(), problem.code.as_str()), (Some(pointer), code), "{line}: {problem}");
        }
        assert_eq!(admit(&[], &|_| true).expect_err("nothing").code, "missing_argument");
    }

    #[test]
    fn an_unknown_option_is_told_as_it_was_typed() {
        for option in ["--nonsense", "--nonsense=3", "-Q"] {
            let problem = admitted(&format!("sim run experiments/heat.toml {option}")).expect_err(option);
            assert_eq!(
                (problem.code.as_str(), problem.value.as_deref()),
                ("unknown_option", Some(option)),
                "{problem}"
            );
        }
    }

    #[test]
    fn what_one_command_line_leaves_behind_does_not_show_in_the_next() {
        let lines =
            ["sim run experiments/heat.toml --seed x", "sim nonsense", "sim sweep experiments/heat.toml --json"];
        let told = |line: &str| match admitted(line) {
            Ok(job) => format!("{:?} {:?}", job.command, job.outputs),
            Err(problem) => problem.to_string(),
        };
        let first: Vec<String> = lines.iter().map(|line| told(line)).collect();
        for (line, first) in lines.iter().zip(&first).rev().chain(lines.iter().zip(&first)) {
            assert_eq!(&told(line), first, "{line}");
        }
    }
}
