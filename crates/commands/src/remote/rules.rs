//! What a job may hold: every command and option of runcast has its place here, and what has none is refused.

/// What an option is to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A value that names no file.
    Plain,
    /// Names files of the project.
    Reads,
    /// Names files of the project, or folders of files.
    ReadsPaths,
    /// Names a file to write.
    Writes,
    /// Names a folder to write into.
    WritesFolder,
    /// Names a file that is read if it is there, and written.
    Updates,
    /// Never in a job; why.
    Refused(&'static str),
}

/// A command with its options, by the names that the parser has for them.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `sim sweep`.
    pub command: &'static str,
    /// Why it is refused, if it is: then nothing is said of its options.
    pub refused: Option<&'static str>,
    options: &'static [(Role, &'static [&'static [&'static str]])],
}

impl Rule {
    /// What an option is.
    pub fn role(&self, option: &str) -> Option<Role> {
        let holds = |groups: &[&[&str]]| groups.iter().any(|group| group.contains(&option));
        self.options.iter().find(|(_, groups)| holds(groups)).map(|(role, _)| *role)
    }
}

/// The rule of a command.
pub fn of(command: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.command == command)
}

use Role::{Plain, Reads, ReadsPaths, Refused, Updates, Writes, WritesFolder};

const RUNS: &str = "it runs programs";
const MEASURES: &str = "it measures the machine that it runs on";
const INSIDE: &str = "runcast itself uses it";
const ONLY_RUN: Role = Refused("it goes with --run, which runs a program");

/// Options of every command.
pub const GLOBAL: [&str; 2] = ["json", "threads"];

const MODELS: &[&str] = &[
    "model",
    "formula",
    "unknown",
    "set signs",
    "set recency",
    "robust",
    "set negative",
    "set size-unit",
    "set collinear-tol",
    "min_p",
    "ranks_per_node",
    "regime",
];
const TABLE: &[&str] = &[
    "metric",
    "params",
    "by",
    "roles",
    "process_param",
    "filters",
    "direction",
    "aggregate",
    "drop_outliers",
    "format",
    "format delimiter",
    "params =",
];
const EXPERIMENT: &[&str] = &[
    "loggops",
    "set",
    "hardware",
    "networks",
    "map",
    "fidelity",
    "repetitions",
    "seed",
    "level",
    "collectives",
    "include_unused",
    "energy_price",
    "tick",
    "limit classes",
    "limit events",
    "limit memory",
    "limit script-steps",
    "limit script-memory",
];
const EXPERIMENT_FILES: &[&str] = &["file", "app", "system", "coeff"];
const CATALOGUE: &[&str] = &["catalogue"];
const OUTPUT: &[&str] = &["output"];
const FILE: &[&str] = &["file"];
const FILES: &[&str] = &["files"];
const PROGRAM: &[&str] = &[
    "settings",
    "set-size",
    "set-system",
    "set-epsilon",
    "set-norm",
    "set-projection",
    "set-divisor",
    "set-lambda",
    "set-scale",
    "set-force",
    "set-dt",
    "set-spacing",
    "set-mass",
    "set-position",
    "set-velocity",
    "set-bodies",
    "set-skip",
];
const CHANGES: &[&str] = &["set A", "set B", "set semantics", "set tie", "set omega", "set step"];

const fn refused(command: &'static str, why: &'static str) -> Rule {
    Rule { command, refused: Some(why), options: &[] }
}

const fn allowed(command: &'static str, options: &'static [(Role, &'static [&'static [&'static str]])]) -> Rule {
    Rule { command, refused: None, options }
}

/// All commands.
pub const RULES: &[Rule] = &[
    refused("quickstart", RUNS),
    refused("bench", RUNS),
    refused("bench-task", RUNS),
    refused("quickstart-kernel", MEASURES),
    refused("bsf run", RUNS),
    refused("bsf calibrate", MEASURES),
    refused("wavefront run", RUNS),
    refused("wavefront sample", MEASURES),
    refused("cll runtime", INSIDE),
    allowed(
        "plan",
        &[
            (Reads, &[FILE, &["check"]]),
            (Writes, &[OUTPUT]),
            (
                Plain,
                &[&[
                    "scaling",
                    "complexity",
                    "constant",
                    "repetitions",
                    "processes",
                    "min_p",
                    "max_p",
                    "count",
                    "targets",
                    "keep",
                    "round",
                    "size",
                    "fixed",
                    "start",
                    "ratio",
                    "max_deviation",
                ]],
            ),
        ],
    ),
    allowed(
        "import",
        &[
            (Reads, &[FILES]),
            (Writes, &[OUTPUT]),
            (Plain, &[&["format", "format delimiter", "params =", "metric", "format list"]]),
        ],
    ),
    allowed("fit", &[(Reads, &[&["tables"]]), (Writes, &[OUTPUT, &["plot"]]), (Plain, &[MODELS, TABLE, &["level"]])]),
    allowed(
        "predict",
        &[
            (Reads, &[FILES, &["targets"]]),
            (Writes, &[OUTPUT, &["plot"]]),
            (Plain, &[MODELS, TABLE, &["at", "level", "strict"]]),
        ],
    ),
    allowed(
        "evaluate",
        &[
            (Reads, &[&["tables", "predictions", "runs"]]),
            (Writes, &[OUTPUT, &["plot"]]),
            (
                Plain,
                &[MODELS, TABLE, &["train", "test", "hold_out", "show layout", "show histogram", "level", "rename"]],
            ),
        ],
    ),
    allowed(
        "advise processes",
        &[
            (Reads, &[FILES]),
            (Writes, &[OUTPUT]),
            (
                Plain,
                &[
                    MODELS,
                    TABLE,
                    &[
                        "processes",
                        "max_p",
                        "objective",
                        "fixed",
                        "cores_per_process",
                        "watts_per_process",
                        "scaling",
                        "level",
                    ],
                ],
            ),
        ],
    ),
    allowed(
        "advise next",
        &[
            (Reads, &[FILES]),
            (Writes, &[OUTPUT]),
            (
                Plain,
                &[
                    MODELS,
                    TABLE,
                    &[
                        "at",
                        "candidates",
                        "max_p",
                        "fixed",
                        "budget_core_hours",
                        "repetitions",
                        "cores_per_process",
                        "level",
                    ],
                ],
            ),
        ],
    ),
    allowed(
        "advise regions",
        &[(Reads, &[FILES]), (Writes, &[OUTPUT]), (Plain, &[MODELS, TABLE, &["at", "order", "min_share", "level"]])],
    ),
    allowed(
        "advise compare",
        &[(Reads, &[&["before", "after"]]), (Writes, &[OUTPUT]), (Plain, &[MODELS, TABLE, &["at", "level"]])],
    ),
    allowed(
        "bsf predict",
        &[
            (Reads, &[FILE]),
            (Writes, &[OUTPUT, &["plot"]]),
            (
                Plain,
                &[&[
                    "algorithm",
                    "input_level",
                    "size",
                    "inequalities",
                    "parameters",
                    "list_length",
                    "count_send",
                    "count_map",
                    "count_fold",
                    "count_receive",
                    "count_compute",
                    "latency",
                    "overhead",
                    "op_time",
                    "transfer_time",
                    "send",
                    "receive",
                    "map",
                    "work",
                    "fold",
                    "compute",
                    "workers",
                    "form",
                    "collective",
                    "level",
                    "draws",
                    "seed",
                ]],
            ),
        ],
    ),
    allowed(
        "bsf validate",
        &[
            (Reads, &[&["tables", "params"]]),
            (Writes, &[OUTPUT, &["plot", "report"]]),
            (
                Plain,
                &[&[
                    "fit",
                    "train",
                    "form",
                    "collective",
                    "loss",
                    "list_length",
                    "workers",
                    "draws",
                    "seed",
                    "level",
                    "metric",
                    "filters",
                    "drop_outliers",
                    "format",
                    "format delimiter",
                    "params =",
                ]],
            ),
            (Refused(RUNS), &[&["run"]]),
            (
                ONLY_RUN,
                &[
                    PROGRAM,
                    &[
                        "backend",
                        "threads",
                        "wait",
                        "iterations",
                        "repeat",
                        "timings",
                        "launcher",
                        "limit stall",
                        "retries",
                    ],
                ],
            ),
            (Refused(INSIDE), &[&["launched", "resume_instead"]]),
        ],
    ),
    allowed(
        "bsp predict",
        &[(Reads, &[&["program"]]), (Writes, &[OUTPUT, &["svg"]]), (Plain, &[&["set", "detail", "limit steps"]])],
    ),
    allowed("cll translate", &[(Reads, &[FILES]), (WritesFolder, &[&["out"]]), (Plain, &[&["lang", "check"]])]),
    allowed("llac", &[(Reads, &[&["script"]]), (Writes, &[OUTPUT]), (Plain, &[&["execute"]])]),
    allowed(
        "wavefront solve",
        &[
            (Reads, &[&["model"]]),
            (Writes, &[&["table", "plot"]]),
            (
                Plain,
                &[
                    CHANGES,
                    &[
                        "set rho",
                        "method",
                        "limit states",
                        "no_lump",
                        "degrees",
                        "show sensitivity",
                        "phases",
                        "show quantiles",
                        "show tail",
                        "show wavefronts",
                        "show pmf",
                        "level",
                        "seed",
                    ],
                ],
            ),
        ],
    ),
    allowed(
        "wavefront simulate",
        &[
            (Reads, &[&["model"]]),
            (Writes, &[&["trace"]]),
            (Plain, &[CHANGES, &["phases", "runs", "engine", "converge", "seed"]]),
        ],
    ),
    allowed("sim new", &[(Reads, &[&["costs"]]), (WritesFolder, &[OUTPUT]), (Plain, &[&["template", "force"]])]),
    allowed(
        "sim run",
        &[
            (Reads, &[EXPERIMENT_FILES]),
            (ReadsPaths, &[CATALOGUE]),
            (Writes, &[OUTPUT, &["timeline_file"]]),
            (
                Plain,
                &[EXPERIMENT, &["explain", "check", "limit cross-check", "timeline ranks", "timeline span", "export"]],
            ),
        ],
    ),
    allowed(
        "sim sweep",
        &[
            (Reads, &[EXPERIMENT_FILES]),
            (ReadsPaths, &[CATALOGUE]),
            (Writes, &[OUTPUT]),
            (Plain, &[EXPERIMENT, &["vary", "jobs", "speedup"]]),
        ],
    ),
    allowed(
        "sim calibrate",
        &[
            (Reads, &[EXPERIMENT_FILES, &["table"]]),
            (ReadsPaths, &[CATALOGUE]),
            (Writes, &[OUTPUT]),
            (
                Plain,
                &[
                    EXPERIMENT,
                    &[
                        "free",
                        "fix",
                        "train",
                        "filters",
                        "stat",
                        "metric",
                        "params",
                        "starts",
                        "format",
                        "format delimiter",
                        "params =",
                    ],
                ],
            ),
        ],
    ),
    allowed(
        "sim optimize",
        &[
            (Reads, &[EXPERIMENT_FILES]),
            (ReadsPaths, &[CATALOGUE]),
            (Writes, &[OUTPUT]),
            (Plain, &[EXPERIMENT, &["vary", "objectives", "constraint", "budget", "aim", "jobs"]]),
        ],
    ),
    allowed(
        "sim replay",
        &[
            (Reads, &[FILE, &["system"]]),
            (ReadsPaths, &[CATALOGUE]),
            (Plain, &[&["format", "loggops", "compat", "fidelity", "collectives =", "collectives", "map"]]),
        ],
    ),
    allowed("sim system check", &[(Reads, &[FILE]), (ReadsPaths, &[CATALOGUE]), (Plain, &[&["hardware"]])]),
    allowed(
        "sim system show",
        &[(Reads, &[FILE]), (ReadsPaths, &[CATALOGUE]), (Plain, &[&["hardware", "attributes"]])],
    ),
    allowed(
        "sim system convert",
        &[(Reads, &[FILE]), (ReadsPaths, &[CATALOGUE]), (Writes, &[OUTPUT]), (Plain, &[&["hardware", "to"]])],
    ),
    allowed("sim hardware list", &[(ReadsPaths, &[CATALOGUE]), (Plain, &[&["text", "kind"]])]),
    allowed("sim hardware show", &[(ReadsPaths, &[CATALOGUE]), (Plain, &[&["entry"]])]),
    allowed("sim hardware add", &[(Reads, &[FILE]), (Updates, &[OUTPUT])]),
    allowed(
        "report",
        &[
            (Reads, &[FILES, &["targets", "predictions"]]),
            (Writes, &[OUTPUT]),
            (WritesFolder, &[&["plots"]]),
            (Plain, &[MODELS, TABLE, &["rename", "title", "at", "level", "hold_out", "train", "test"]]),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::TypeId;
    use std::path::PathBuf;

    /// Calls it with every command that has none below, by its full name.
    fn each(command: &clap::Command, name: &str, look: &mut dyn FnMut(&str, &clap::Command)) {
        let mut below = command.get_subcommands().filter(|below| below.get_name() != "help").peekable();
        if below.peek().is_none() {
            look(name, command);
        }
        for below in below {
            each(below, format!("{name} {}", below.get_name()).trim_start(), look);
        }
    }

    fn commands(look: &mut dyn FnMut(&str, &clap::Command)) {
        let mut all = crate::remote::command();
        all.build();
        each(&all, "", look);
    }

    #[test]
    fn every_command_and_option_has_its_place() {
        let mut missing = Vec::new();
        let mut seen = Vec::new();
        commands(&mut |name, command| {
            seen.push(name.to_owned());
            let Some(rule) = of(name) else { return missing.push(name.to_owned()) };
            for option in command.get_arguments().filter(|_| rule.refused.is_none()) {
                let id = option.get_id().as_str();
                let is_whole = option.get_value_parser().type_id() == TypeId::of::<crate::options::parts::Whole>();
                if !GLOBAL.contains(&id) && id != "help" && !is_whole && rule.role(id).is_none() {
                    missing.push(format!("{name}: {id}"));
                }
            }
        });
        assert_eq!(missing, Vec::<String>::new());
        let gone: Vec<&str> =
            RULES.iter().map(|rule| rule.command).filter(|name| !seen.contains(&(*name).to_owned())).collect();
        assert_eq!(gone, Vec::<&str>::new(), "rules without a command");
    }

    #[test]
    fn an_option_that_takes_a_path_is_no_plain_one() {
        commands(&mut |name, command| {
            let Some(rule) = of(name).filter(|rule| rule.refused.is_none()) else { return };
            for option in command.get_arguments() {
                let is_path = option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
                let role = rule.role(option.get_id().as_str());
                assert!(!(is_path && role == Some(Plain)), "{name}: {}", option.get_id());
                let names_files = matches!(role, Some(Reads | ReadsPaths | Writes | WritesFolder | Updates));
                assert!(!names_files || is_path, "{name}: {} names no file", option.get_id());
            }
        });
    }

    #[test]
    fn no_rule_names_an_option_that_is_not_there_or_twice() {
        commands(&mut |name, command| {
            let Some(rule) = of(name) else { return };
            let mut seen = Vec::new();
            for option in rule.options.iter().flat_map(|(_, groups)| groups.iter().copied().flatten()) {
                assert!(command.get_arguments().any(|one| one.get_id() == option), "{name} has no {option}");
                assert!(!seen.contains(&option), "{name} names {option} twice");
                seen.push(option);
            }
        });
    }

    #[test]
    fn what_runs_programs_or_measures_is_refused() {
        for name in ["bench", "quickstart", "bsf run", "bsf calibrate", "wavefront run", "wavefront sample"] {
            assert!(of(name).is_some_and(|rule| rule.refused.is_some()), "{name}");
        }
        assert!(matches!(of("bsf validate").and_then(|rule| rule.role("run")), Some(Refused(_))));
    }
}
