//! Help, the manual, completions: all from one definition.

use crate::Place;

const COMMANDS: [&str; 18] = [
    "quickstart",
    "plan",
    "bench",
    "import",
    "fit",
    "predict",
    "evaluate",
    "compare",
    "advise",
    "bsf",
    "bsp",
    "cll",
    "llac",
    "wavefront",
    "sim",
    "record",
    "report",
    "serve",
];

/// What stands beside the commands, in a line of its own in the main help.
const BESIDE: [&str; 4] = ["worker", "job", "completions", "man"];

/// Commands of commands.
const NESTED: &[&[&str]] = &[
    &["advise", "processes"],
    &["advise", "next"],
    &["advise", "regions"],
    &["advise", "compare"],
    &["bsf", "predict"],
    &["bsf", "run"],
    &["bsf", "calibrate"],
    &["bsf", "validate"],
    &["bsp", "predict"],
    &["bsp", "learn"],
    &["cll", "cc"],
    &["cll", "run"],
    &["cll", "suggest"],
    &["cll", "translate"],
    &["cll", "runtime"],
    &["record", "env"],
    &["record", "flags"],
    &["record", "finish"],
    &["record", "show"],
    &["record", "dump"],
    &["record", "import"],
    &["record", "export"],
    &["wavefront", "sample"],
    &["wavefront", "solve"],
    &["wavefront", "simulate"],
    &["wavefront", "run"],
    &["sim", "new"],
    &["sim", "run"],
    &["sim", "sweep"],
    &["sim", "calibrate"],
    &["sim", "optimize"],
    &["sim", "replay"],
    &["sim", "learn"],
    &["sim", "system"],
    &["sim", "jobs"],
    &["sim", "hardware"],
    &["sim", "system", "check"],
    &["sim", "system", "show"],
    &["sim", "system", "convert"],
    &["sim", "hardware", "list"],
    &["sim", "hardware", "show"],
    &["sim", "hardware", "add"],
    &["serve", "user"],
    &["serve", "user", "add"],
    &["serve", "user", "list"],
    &["serve", "user", "role"],
    &["serve", "user", "password"],
    &["serve", "user", "disable"],
    &["serve", "token"],
    &["serve", "token", "add"],
    &["serve", "token", "list"],
    &["serve", "token", "revoke"],
    &["serve", "project"],
    &["serve", "project", "list"],
    &["serve", "project", "export"],
    &["serve", "project", "import"],
    &["serve", "backup"],
    &["serve", "check"],
    &["serve", "openapi"],
    &["job", "list"],
    &["job", "show"],
    &["job", "watch"],
    &["job", "fetch"],
    &["job", "cancel"],
    &["job", "retry"],
];

#[test]
fn the_main_help_fits_on_one_screen() {
    let answer = Place::new().run(&["--help"]).code(0);
    assert!(answer.out.lines().count() < 24, "{}", answer.out);
    assert!(answer.out.lines().all(|line| line.chars().count() <= 80), "{}", answer.out);
    for command in COMMANDS {
        assert!(answer.out.contains(&format!("\n  {command} ")), "{command}");
    }
    for command in BESIDE {
        assert!(answer.out.contains(&format!(" {command}")), "{command}");
    }
    // Written by hand there, so that each does not take a line.
    for option in ["--json", "--threads <N>", "-h, --help", "-V, --version"] {
        assert!(answer.out.contains(option), "{option}");
    }
    insta::assert_snapshot!(answer.out);
}

#[test]
fn every_command_has_help_that_fits_the_width_and_ends_in_examples() {
    let place = Place::new();
    let is_above =
        |command: &[&str]| NESTED.iter().any(|words| words.len() > command.len() && words.starts_with(command));
    let top = COMMANDS.iter().chain(&BESIDE).map(|name| vec![*name]);
    let all = top.chain(NESTED.iter().map(|words| words.to_vec()));
    for command in all.filter(|command| !is_above(command)) {
        let arguments = [command.as_slice(), &["--help"]].concat();
        let answer = place.run(&arguments).code(0);
        assert!(answer.err.is_empty());
        assert!(answer.out.contains("Usage: runcast "), "{command:?}");
        assert!(answer.out.contains("Examples:\n"), "{command:?}");
        let wide = answer.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{command:?}");
    }
}

#[test]
fn help_of_plan() {
    insta::assert_snapshot!(Place::new().run(&["plan", "--help"]).code(0).out);
}

#[test]
fn help_of_bench() {
    insta::assert_snapshot!(Place::new().run(&["bench", "--help"]).code(0).out);
}

#[test]
fn help_of_import() {
    insta::assert_snapshot!(Place::new().run(&["import", "--help"]).code(0).out);
}

#[test]
fn help_of_fit() {
    insta::assert_snapshot!(Place::new().run(&["fit", "--help"]).code(0).out);
}

#[test]
fn help_of_report() {
    insta::assert_snapshot!(Place::new().run(&["report", "--help"]).code(0).out);
}

#[test]
fn without_a_command_the_help_is_shown_as_wrong_usage() {
    let answer = Place::new().run(&[]).code(2);
    assert!(answer.out.is_empty());
    assert!(answer.err.contains("Usage: runcast COMMAND"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let answer = Place::new().run(&["--version"]).code(0);
    assert_eq!(answer.out, format!("runcast {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let place = Place::new();
    let main = place.run(&["man"]).code(0);
    assert!(main.out.contains(".TH runcast 1"), "{}", main.out);
    place.run(&["man", "pages"]).code(0);
    assert!(place.read("pages/runcast.1").contains("quickstart"));
    for command in COMMANDS {
        let page = place.read(&format!("pages/runcast-{command}.1"));
        assert!(page.contains(&format!("runcast\\-{command}")), "{command}");
    }
    let hidden = std::fs::read_dir(place.path("pages")).expect("there").count();
    let shown = NESTED.iter().filter(|words| words[0] != "job").count();
    assert_eq!(hidden, COMMANDS.len() + 1 + shown, "hidden commands have no page");
}

#[test]
fn completions_are_written_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = place.run(&["completions", shell]).code(0);
        assert!(answer.out.contains("runcast") && answer.out.contains("quickstart"), "{shell}");
    }
    place.run(&["completions", "tcsh"]).code(2);
}
