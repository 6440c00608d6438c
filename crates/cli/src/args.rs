//! The command line.

use crate::vocabulary::first_sentence;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use runcast_commands::Command;
use runcast_commands::options::parts;
use std::path::PathBuf;
#[cfg(feature = "methods")]
use {
    clap::FromArgMatches,
    runcast_commands::job::{JobArgs, launch::RemoteArgs},
    runcast_commands::remote,
};

/// Forecast how a parallel program will run on a machine you do not have
#[derive(Debug, Parser)]
#[command(
    name = "runcast",
    version = version(),
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    disable_version_flag = true,
    help_template = "{about}\n{usage-heading} {usage}. New here? Type: runcast quickstart\nCommands:\n{subcommands}\nEverywhere: --json, --threads <N>, -h, --help (ends in examples), -V, --version\nBeside them: worker, job (web application), completions, man (for the shell)",
    override_usage = "runcast COMMAND [OPTIONS]"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Top,
    #[command(flatten)]
    pub global: Global,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, display_order = 903)]
    pub version: Option<bool>,
}

/// What is done.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one of them in a process")]
pub enum Top {
    #[command(flatten)]
    Work(Command),
    /// Serve the web application: pages, API, workers
    #[cfg(feature = "serve")]
    Serve(runcast_server::serve::ServeArgs),
    /// Run jobs of a server, here or on another machine
    #[cfg(feature = "serve")]
    #[command(hide = true)]
    Worker(runcast_server::worker::WorkerArgs),
    /// Jobs on a server: list, follow, fetch, cancel
    #[cfg(feature = "methods")]
    #[command(hide = true)]
    Job(JobArgs),
    /// Write completions for a shell
    #[command(hide = true)]
    Completions(CompletionsArgs),
    /// Write the manual pages
    #[command(hide = true)]
    Man(ManArgs),
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Print one JSON document instead of text
    #[arg(long, global = true, display_order = 900)]
    pub json: bool,
    /// Cores that runcast itself uses [default: all]
    #[arg(long, global = true, value_name = "N", display_order = 901, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print help
    #[arg(short = 'h', long, global = true, action = ArgAction::HelpShort, display_order = 902)]
    pub help: Option<bool>,
}

/// Arguments of `runcast completions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  runcast completions bash > ~/.local/share/bash-completion/completions/runcast
  runcast completions zsh > ~/.zfunc/_runcast
  runcast completions fish > ~/.config/fish/completions/runcast.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `runcast man`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  runcast man | man -l -
  runcast man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write a page for each command into this folder [default: the main page to the standard output]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Print the table of all options as Markdown.
    #[arg(long, hide = true, conflicts_with = "folder")]
    pub options: bool,
}

/// The version; with MPI, also of that library.
#[cfg(feature = "methods")]
fn version() -> String {
    runcast_commands::bsf::launch::version()
}

#[cfg(not(feature = "methods"))]
fn version() -> &'static str {
    runcast_commands::VERSION
}

/// All commands; those that may run on a server also take the options for that.
pub fn command() -> clap::Command {
    let command = parts::shown(Cli::command());
    #[cfg(feature = "methods")]
    let command = command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        on_server(command, &name)
    });
    command
}

/// The commands that this build was made without.
pub fn left_out() -> &'static [&'static str] {
    if cfg!(feature = "serve") {
        &[]
    } else if cfg!(feature = "methods") {
        &["serve", "worker"]
    } else {
        &["bsf", "bsp", "cll", "llac", "wavefront", "sim", "job", "serve", "worker"]
    }
}

/// All commands, with the help that these words ask for: `-h` shows the common options of a command and one example,
/// `--help` everything.
pub fn command_for(words: &[String]) -> clap::Command {
    let own = || words.iter().take_while(|word| *word != "--");
    match own().any(|word| word == "--help") {
        true => with_all_options(command()),
        false if own().any(|word| word.starts_with("-h")) => with_common_options(command(), "runcast"),
        false => command(),
    }
}

/// The command with all its options in the help.
pub fn with_all_options(command: clap::Command) -> clap::Command {
    let whole = |argument: clap::Arg| {
        let argument = argument.hide_short_help(false);
        match argument.get_long_help().cloned() {
            Some(text) => argument.help(text),
            None => argument,
        }
    };
    command.mut_args(whole).mut_subcommands(with_all_options)
}

fn with_common_options(command: clap::Command, path: &str) -> clap::Command {
    if command.has_subcommands() {
        return command.mut_subcommands(|inner| {
            let path = format!("{path} {}", inner.get_name());
            with_common_options(inner, &path)
        });
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let example = first_example(&after);
    let hidden =
        command.get_arguments().filter(|argument| argument.is_hide_short_help_set() && !argument.is_hide_set());
    let more = match hidden.count() {
        0 if example.trim_end() == after.trim_end() => String::new(),
        0 => format!("more examples: {path} --help"),
        count => format!("{count} more options, and examples: {path} --help"),
    };
    command.mut_args(in_a_line).after_help(format!("{example}{more}"))
}

/// The option with as much of its help as fits a line, in one list with the others.
fn in_a_line(argument: clap::Arg) -> clap::Arg {
    const HELP: usize = 38;
    const VALUE: usize = 12;
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let whole = help.split(" [default").next().unwrap_or_default();
    let help = if whole.chars().count() > HELP { first_sentence(whole) } else { whole.to_owned() };
    let argument = argument.help(shortened(&help, HELP));
    if argument.is_positional() {
        return argument.hide_possible_values(true);
    }
    let argument = argument.help_heading(None::<&str>);
    if !argument.get_action().takes_values() {
        return argument;
    }
    let defaults = argument.get_default_values();
    let shown: usize = defaults.iter().map(|default| default.len() + " [default: ]".len()).sum();
    let is_long = help.chars().count() + shown > HELP;
    let argument = argument.hide_default_value(is_long);
    let value = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let argument = argument.hide_possible_values(true);
    match value.filter(|value| value.chars().count() > VALUE) {
        Some(value) => {
            argument.value_name(format!("{}..", value.split(['[', '|', ',', ':']).next().unwrap_or_default()))
        }
        None => argument,
    }
}

/// The first example of a help text, with its lines that go on.
fn first_example(after: &str) -> String {
    let Some(examples) = after.find("Examples:\n").map(|at| &after[at + "Examples:\n".len()..]) else {
        return String::new();
    };
    let mut lines: Vec<&str> = Vec::new();
    for line in examples.lines() {
        let goes_on = lines.last().is_some_and(|last| last.ends_with('\\'));
        let is_command = line.trim_start().starts_with("runcast ");
        if lines.iter().any(|line| line.trim_start().starts_with("runcast ")) && !goes_on {
            break;
        }
        if is_command || goes_on {
            lines.push(line);
        }
    }
    if lines.is_empty() { String::new() } else { format!("Example:\n{}\n\n", lines.join("\n")) }
}

/// As many whole words as fit.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split(' ').take_while(|word| !word.is_empty()) {
        if short.chars().count() + word.chars().count() + 3 > most {
            break;
        }
        short.push_str(if short.is_empty() { "" } else { " " });
        short.push_str(word);
    }
    short + " .."
}

#[cfg(feature = "methods")]
fn on_server(command: clap::Command, name: &str) -> clap::Command {
    if command.has_subcommands() {
        return command.mut_subcommands(|inner| {
            let name = format!("{name} {}", inner.get_name());
            on_server(inner, &name)
        });
    }
    match remote::rules::of(name) {
        Some(rule) if rule.refused.is_none() => {
            // Options bring what they are about with them, which is not what the command is about.
            let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
            let command = RemoteArgs::augment_args(command).about(about.unwrap_or_default());
            if let Some(long) = long { command.long_about(long) } else { command.long_about(None) }
        }
        _ => command,
    }
}

/// Where a command is to run, if not here.
#[cfg(feature = "methods")]
pub fn launch(matches: &clap::ArgMatches) -> Option<RemoteArgs> {
    let mut leaf = matches;
    while let Some((_, inner)) = leaf.subcommand() {
        leaf = inner;
    }
    let asked = leaf.try_contains_id("server").unwrap_or(false) && leaf.try_contains_id("detach").unwrap_or(false);
    let args = asked.then(|| RemoteArgs::from_arg_matches(leaf).ok()).flatten()?;
    args.server.server.is_some().then_some(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a terminal.
    const SCREEN: usize = 40;

    /// Other names of options, which scripts use.
    const OTHER_NAMES: &[&str] = &[
        "quickstart --dir first --budget 5s",
        "plan --scaling strong --targets 32,64",
        "plan --check runs.csv",
        "bench --at p=2 --step srun -o runs.csv -- ./solver",
        "bench --at p=2 --launcher mpirun --mpirun mpiexec --oversubscribe --mpirun-option=-q -o runs.csv -- ./solver",
        "fit runs.csv --models auto --robust huber",
        "advise next runs.csv --at p=64 --candidates powers:2",
        "report runs.csv --plots pictures",
        "bsf calibrate jacobi --size 300 --repeat 3 --messages messages.csv",
        "bsf validate --run jacobi --size 300 --workers 1,2 --repeat 3 --params costs.toml",
        "bsp predict groups.toml --svg groups.svg",
        "wavefront sample --work 2ms --out samples.csv",
        "wavefront sample --check samples.csv",
        "wavefront solve lab.toml --table predicted.csv",
        "wavefront simulate lab.toml --runs 10",
        "wavefront run lab.toml --runs 10 --out runs",
        "sim run heat.toml --check",
        "sim optimize heat.toml --objectives time,energy",
        "sim calibrate heat.toml --table runs.csv --free c.sort --stat mean",
        "sim replay trace --collective allreduce=ring",
        "sim system show cluster.toml --attributes",
        "sim system convert cluster.toml --to xml",
        "serve --workers 2",
        "serve project import ./demo demo --owner alice",
        "worker --output 64MiB",
        "worker --slurm --spool /shared --partition short --account a --time 30 --max-jobs 3 --sbatch-arg=--exclusive",
    ];

    #[test]
    fn options_have_other_names_which_the_help_does_not_show() {
        for line in OTHER_NAMES {
            let words = std::iter::once("runcast").chain(line.split(' '));
            if let Err(error) = command().try_get_matches_from(words) {
                panic!("{line}: {error}");
            }
        }
    }

    /// Options that are parts of others, as parts and as options of their own.
    const PARTS: &[(&str, &str)] = &[
        ("quickstart --limit time=5s", "quickstart --time-limit 5s"),
        (
            "bench --at p=2 --limit time=1h,queued=9,lost=1min -o runs.csv -- ./solver --limit x=1",
            "bench --at p=2 --time-limit 1h --max-queued 9 --lost-after 1min -o runs.csv -- ./solver --limit x=1",
        ),
        ("import --format list", "import --list-formats"),
        ("import --format csv,delimiter=; --params p=ranks a", "import --format csv --delimiter ; --param p=ranks a"),
        (
            "fit runs.csv --params p=ranks,N --set signs=free,recency=4,negative,size-unit=1e3,collinear-tol=1%",
            "fit runs.csv --params N --param p=ranks --signs free --recency 4 --negative --size-unit 1e3 --collinear-tol 1%",
        ),
        ("evaluate runs.csv --show histogram,layout=thesis", "evaluate runs.csv --histogram --layout thesis"),
        ("advise next runs.csv --at p=64 --budget 9", "advise next runs.csv --at p=64 --budget-core-hours 9"),
        (
            "bsf run jacobi --limit time=5s,iterations=9,divergence=1e3,stall=5s --checkpoint f,every=30s --show approximation=2",
            "bsf run jacobi --time-limit 5s --max-iterations 9 --divergence-factor 1e3 --stall-timeout 5s --checkpoint f \
             --checkpoint-every 30s --print-every 2",
        ),
        ("bsf validate runs.csv --params costs.toml", "bsf validate runs.csv --costs costs.toml"),
        ("bsp predict fft.toml --limit steps=9", "bsp predict fft.toml --max-steps 9"),
        (
            "wavefront sample --operator m.csv --set pieces=10,10,updates=9,messages=9,bytes=64KiB,others=wait",
            "wavefront sample --operator m.csv --pieces 10,10 --updates 9 --messages 9 --bytes 64KiB --others wait",
        ),
        (
            "wavefront solve lab.toml --set A=1,2,1,B=2,omega=3 --limit states=9 --show sensitivity,tail=160s,1.1x,pmf",
            "wavefront solve lab.toml --A 1,2,1 --B 2 --omega 3 --max-states 9 --sensitivity --tail 160s,1.1x --pmf",
        ),
        (
            "wavefront solve lab.toml --set semantics=complete,tie=counts,step=1s,rho=0.5 --show quantiles=0.5,0.9,wavefronts=all",
            "wavefront solve lab.toml --semantics complete --tie counts --step 1s --rho 0.5 --quantiles 0.5,0.9 --wavefront all",
        ),
        (
            "sim run heat.toml --limit events=1e6,memory=4GiB,classes=9,script-steps=9,script-memory=1MB,cross-check=9",
            "sim run heat.toml --max-events 1e6 --max-memory 4GiB --max-classes 9 --script-steps 9 --script-memory 1MB \
             --check-procs 9",
        ),
        (
            "sim run heat.toml --timeline run.json,ranks=0-3,8,span=0s-1s",
            "sim run heat.toml --timeline run.json --timeline-ranks 0-3,8 --timeline-span 0s-1s",
        ),
        (
            "sim replay t --collectives expanded,bcast=chain,reduce=binomial",
            "sim replay t --collectives expanded --collective-algorithm bcast=chain,reduce=binomial",
        ),
        #[cfg(feature = "serve")]
        ("serve --database-url @url.txt", "serve --database-url-file url.txt"),
        #[cfg(feature = "serve")]
        (
            "worker --limit memory=2GiB,cpu-time=1h,wall=2h,output=64MiB,threads=2,queued=3",
            "worker --memory 2GiB --cpu-time 1h --wall 2h --max-output 64MiB --threads-per-task 2 --max-queued 3",
        ),
    ];

    #[test]
    fn a_part_is_the_same_as_an_option_of_its_own() {
        let read = |line: &str| {
            let words: Vec<_> = std::iter::once("runcast").chain(line.split(' ')).map(Into::into).collect();
            let matches = command().try_get_matches_from(parts::spelled_out(&command(), &words));
            let matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
            format!("{:?}", Cli::from_arg_matches(&matches).expect("it was read"))
        };
        for (parts, own) in PARTS {
            assert_eq!(read(parts), read(own), "{parts}");
        }
    }

    fn each(command: &mut clap::Command, look: &mut dyn FnMut(&mut clap::Command)) {
        look(command);
        command.get_subcommands_mut().filter(|below| below.get_name() != "help").for_each(|below| each(below, look));
    }

    #[test]
    fn the_short_help_of_every_command_fits_on_one_screen() {
        let mut command = with_common_options(command(), "runcast").term_width(80);
        command.build();
        let mut long = Vec::new();
        each(&mut command, &mut |command| {
            let help = command.render_help().to_string();
            let lines = help.lines().count();
            if lines > SCREEN {
                long.push(format!("{} has {lines} lines:\n{help}", command.get_bin_name().unwrap_or_default()));
            }
        });
        assert!(long.is_empty(), "{}", long.join("\n"));
    }

    #[test]
    fn the_whole_help_shows_what_the_short_one_leaves_out() {
        let help = |command: clap::Command| {
            let mut command = command;
            command.build();
            let fit = command.find_subcommand_mut("fit").expect("fit");
            fit.render_help().to_string()
        };
        let (short, whole) = (help(with_common_options(command(), "runcast")), help(with_all_options(command())));
        assert!(!short.contains("--min-p") && whole.contains("--min-p"), "{short}");
        assert!(short.contains("more options, and examples: runcast fit --help"), "{short}");
        assert!(short.contains("Example:\n") && whole.contains("Examples:\n"), "{short}");
    }
}
