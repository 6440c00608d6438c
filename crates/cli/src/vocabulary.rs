//! The table of all options: one name, one meaning. `docs/reference/options.md` is made of it.

use std::collections::BTreeMap;
use std::fmt::Write;

/// What an option means in all commands, where each words what it makes of it in its own way.
const MEANINGS: &[(&str, &str)] = &[
    ("aggregate", "How repetitions become one number"),
    ("allow-weak-sandbox", "Run tasks although the sandbox is not in full force"),
    ("at", "Targets, or configurations to run"),
    ("backend", "Where the workers or processes are: threads here, or ranks of MPI"),
    ("budget", "What may be spent: core-hours, or simulations"),
    ("bundle", "Runs or tasks that one task of Slurm makes one after another"),
    ("catalogue", "A file that adds to the catalogue of hardware, or a folder's *.toml"),
    ("collective", "How messages of the skeleton travel: flat or along a tree"),
    ("cores-per-process", "Cores that a process takes"),
    ("costs", "Costs of a BSF algorithm, as `bsf predict` reads them"),
    ("database-url", "The database: postgres://.., or SQLite"),
    ("degrees", "Degrees of asynchronism side by side"),
    ("detail", "More: supersteps and the critical path, or all attributes"),
    ("draws", "Random draws, for intervals and laws"),
    ("examine", "Examine this table, and choose or measure nothing"),
    ("export", "Write in another format"),
    ("fidelity", "How closely to look"),
    ("figure", "A number that a program prints, by a pattern"),
    ("fixed", "What keeps a value"),
    ("form", "How the work of a block counts"),
    ("format", "Format of the input"),
    ("hold-out", "Which runs models must not see: top:K or factor:X"),
    ("iterations", "Iterations of a run"),
    ("jobs", "Simulations or tasks at once"),
    ("launcher", "What starts the processes: a word, or a command with its options"),
    ("level", "Probability that an interval holds"),
    ("limit", "Limits of time, memory, steps and other things, by their names"),
    ("list-length", "Length of the list"),
    ("loggops", "LogGOPS parameters in place of a system"),
    ("loss", "What a fit makes least; some losses are not ruled by outliers"),
    ("map", "Where the processes of a label go"),
    ("max-p", "The most processes"),
    ("metric", "What was measured; with its unit, or where it is found"),
    ("min-p", "The fewest processes; runs on fewer are left out"),
    ("name", "What something is called: an input, or a number on a command line"),
    ("objective", "What is to be small"),
    ("only", "Make or take only what is named: a set of a plan, functions"),
    ("output", "Where the result goes: a file, or a folder where there are several"),
    ("params", "The columns that are parameters; of Caliper, the attributes that hold them"),
    ("phases", "Phases of a run"),
    ("plot", "Draw pictures: into a file, or a folder where there are several"),
    ("poll", "How often the queue of Slurm is asked"),
    ("processes", "Numbers of processes: a number, a list, or a formula over the parameters of a run"),
    ("predictions", "Predictions of any method; for compare also what makes some"),
    ("project", "The project on the server"),
    ("rename", "What the runs call K the predictions call workers"),
    ("report", "What was measured, as a page; what programs record, as a list"),
    ("repetitions", "How many times the same is run, measured or simulated"),
    ("restart", "Measure again what is there already; the old files are kept as .bak"),
    ("retries", "Start again so often from the last checkpoint when a process is lost"),
    ("roles", "Roles of columns, before what names and values say"),
    ("run", "What is run, or was: a program, or the name of a run"),
    ("scaling", "What stays constant: work per process, the problem, or p"),
    ("resume", "Go on with what an earlier run has left in FILE"),
    ("seed", "Seed of everything random"),
    ("server", "A server of runcast"),
    ("set", "A value of a program, a model or a method, by its name"),
    ("show", "Show more, by names"),
    ("spool", "A folder that the nodes share"),
    ("strict", "What else would be a warning ends with exit code 1"),
    ("system", "The system that is simulated"),
    ("targets", "A plan or table whose configurations are the targets"),
    ("test", "Which rows the models must predict"),
    ("threads", "Cores that runcast itself uses; of a skeleton: of each worker"),
    ("timeline", "Write what each process or rank did when, for a viewer"),
    ("timings", "Write measured times as a table"),
    ("trace", "Write what happened in each iteration or phase as a table"),
    ("train", "Which rows the models may see"),
    ("user", "Whose it is"),
    ("vary", "What varies, over the experiment's own"),
    ("wait", "What those do who have nothing to do"),
    ("where", "Take only rows for which this holds"),
    ("work", "Work of an update"),
    ("workers", "Numbers of workers"),
    ("write-model", "Write a model that `wavefront solve` takes"),
];

/// An option of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Use {
    command: String,
    value: String,
    meaning: String,
    /// Whether it is a key of the file that the command takes, by another way.
    is_key: bool,
}

/// All options by name, with the commands that have them; those that the help does not show are left out.
fn uses() -> BTreeMap<String, Vec<Use>> {
    let mut command = crate::args::command();
    command.build();
    let mut all = BTreeMap::new();
    collect(&command, "", &mut all);
    all
}

fn collect(command: &clap::Command, name: &str, all: &mut BTreeMap<String, Vec<Use>>) {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        collect(below, format!("{name} {}", below.get_name()).trim_start(), all);
    }
    let is_internal = command.is_hide_set() && !SHOWN_BESIDE.iter().any(|shown| name.starts_with(shown));
    if name.is_empty() || command.is_subcommand_required_set() || is_internal {
        return;
    }
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let Some(long) = argument.get_long() else { continue };
        let takes_value = argument.get_action().takes_values();
        let value = argument.get_value_names().filter(|_| takes_value).map_or(String::new(), |names| names.join(" "));
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let is_key = argument.get_help_heading().is_some_and(|heading| heading.contains("also a key of"));
        let found = Use { command: name.to_owned(), value, meaning: first_sentence(&help), is_key };
        all.entry(long.to_owned()).or_default().push(found);
    }
}

/// Commands that stand beside the others in the main help.
const SHOWN_BESIDE: [&str; 4] = ["worker", "job", "completions", "man"];

/// Up to a default, a colon, a semicolon or the end of the first sentence.
pub fn first_sentence(help: &str) -> String {
    let first = help.lines().next().unwrap_or_default();
    let end = [" [default", "; ", ": ", ". ", " ("].iter().filter_map(|stop| first.find(stop)).min();
    first[..end.unwrap_or(first.len())].trim_end_matches(':').to_owned()
}

/// Names with one meaning, and what the table says of each.
fn meaning(name: &str, uses: &[Use]) -> String {
    let given = MEANINGS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| (*meaning).to_owned());
    given.unwrap_or_else(|| uses.first().map_or(String::new(), |first| first.meaning.clone()))
}

/// The page, as Markdown.
pub fn page() -> String {
    let (keys, options): (Vec<_>, Vec<_>) = uses().into_iter().partition(|(_, uses)| uses.iter().all(|one| one.is_key));
    let mut page = format!(
        "# Options\n\n<!-- made by docs/make: change the definitions of the options instead -->\n\n\
         One name has one meaning in all commands: {} options. `runcast COMMAND --help` says what a command makes of\n\
         each, with its default. Every option of one command is in the [reference](cli.md) of the commands.\n\n\
         Some options have parts, which a command lists in its help: `--limit events=1e6,memory=4GiB`. A comma followed by\n\
         no part's name belongs to the value before it: `--show quantiles=0.5,0.9,pmf`.\n\n\
         | option | meaning | commands |\n|---|---|---|\n",
        options.len()
    );
    for (name, uses) in &options {
        let uses: Vec<Use> = uses.iter().filter(|one| !one.is_key).cloned().collect();
        row(&mut page, name, &uses);
    }
    let _ = write!(
        page,
        "\n## Keys of files\n\nWhat `runcast plan` and `runcast bsf predict` read from a file may also be typed: each \
         key is an option, and goes before\nthe file. These {} names are used for nothing else.\n\n\
         | key | meaning | command |\n|---|---|---|\n",
        keys.len()
    );
    for (name, uses) in &keys {
        row(&mut page, name, uses);
    }
    page
}

fn row(page: &mut String, name: &str, uses: &[Use]) {
    let value = uses.first().map_or(String::new(), |first| first.value.clone());
    let value = if value.is_empty() { value } else { format!(" {value}") };
    let commands: Vec<&str> = uses.iter().map(|one| one.command.as_str()).collect();
    let commands =
        if commands.len() > MOST_LISTED { format!("{} commands", commands.len()) } else { commands.join(", ") };
    let _ = writeln!(page, "| `--{name}{}` | {} | {commands} |", value.replace('|', "\\|"), meaning(name, uses));
}

/// Commands that are listed one by one.
const MOST_LISTED: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_meaning() {
        let mut wrong = String::new();
        for (name, uses) in &uses() {
            let is_listed = MEANINGS.iter().any(|(known, _)| known == name);
            let own: Vec<&Use> = uses.iter().filter(|one| !one.is_key).collect();
            let differs = own.iter().any(|one| (&one.value, &one.meaning) != (&own[0].value, &own[0].meaning));
            if differs && !is_listed {
                for one in own {
                    let _ = writeln!(wrong, "--{name} {}: {} ({})", one.value, one.meaning, one.command);
                }
            }
        }
        assert!(wrong.is_empty(), "word these alike, or add the common meaning to MEANINGS:\n{wrong}");
        let all = uses();
        let stale: Vec<&str> = MEANINGS.iter().map(|(name, _)| *name).filter(|name| !all.contains_key(*name)).collect();
        assert_eq!(stale, Vec::<&str>::new());
    }

    #[test]
    fn the_vocabulary_is_small() {
        let all = uses();
        let keys = all.values().filter(|uses| uses.iter().all(|one| one.is_key)).count();
        assert!(all.len() - keys <= MOST_NAMES, "{} names", all.len() - keys);
    }

    /// Names of options, keys of files left out.
    const MOST_NAMES: usize = 207;

    #[test]
    fn the_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/options.md");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(written, page(), "runcast man --options > docs/reference/options.md");
    }
}
