//! Lines that parse, and lines that do not.

use super::*;

fn command(text: &str) -> Command {
    parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

fn lines(text: &str) -> Vec<(&str, u64, u64)> {
    Script::new(text).map(|line| (line.text, line.line, line.column)).collect()
}

#[test]
fn a_script_falls_apart_at_line_ends_and_semicolons() {
    let text = "load a.csv as t; fit F # the rest ; is a comment\n\n# all of it\n  show t;;quit";
    assert_eq!(lines(text), [("load a.csv as t", 1, 1), ("fit F", 1, 18), ("show t", 4, 3), ("quit", 4, 11)]);
    assert_eq!(lines("load \"a;b #c.csv\" d#e.csv"), [("load \"a;b #c.csv\" d#e.csv", 1, 1)]);
    assert_eq!(lines("\u{feff}quit\r\nshow"), [("quit", 1, 1), ("show", 2, 1)]);
    assert_eq!(lines("#only"), []);
    // A quote ends with its line, so that the next line is a command again.
    assert_eq!(lines("load \"a\nshow"), [("load \"a", 1, 1), ("show", 2, 1)]);
}

#[test]
fn every_command_reads_back_as_it_is_printed() {
    for text in [
        "load fft.cll.*.csv as t",
        "load a.csv 'b c.csv'",
        "merge t u as v",
        "subset t where region == \"F\" and P <= 8 as small",
        "subset t where 'n > 4'",
        "transform t bytes = 8*n",
        "transform t is_large=n >= 4",
        "show",
        "show t rows 10",
        "fit",
        "fit fft in t seg N/P as m",
        "fit \"in\" in t",
        "fit formula \"c[0] + c[1]*n\" metric cpu_s seg bytes",
        "fit formula c[0] + c[1]*n metric cpu_s seg max(n, 4), n/P method steps",
        "fit F seg auto signs free weights sqrt aggregate q25 ranks max level 95%",
        "segments",
        "constants m",
        "predict m at N=1e3,2e3,P=4",
        "predict at N=[1, 2, 4], P=1..8*2 at N=2^20,P=1 level 0.5",
        "validate m folds 5",
        "validate hold P > 4 and n != 3",
        "suggest m runs 3 to plan.csv",
        "plot m x n by P to a.svg",
        "plot",
        "save session to x.llac",
        "source \"a b.llac\"",
        "set seed 18446744073709551615",
        "help fit",
        "quit",
    ] {
        let first = command(text);
        let printed = first.to_string();
        assert_eq!(command(&printed), first, "{text} -> {printed}");
        assert_eq!(lines(&printed).len(), 1, "{printed}");
    }
}

#[test]
fn a_filter_keeps_its_quotes_unless_it_stands_in_them() {
    let filter = |text: &str| match command(text) {
        Command::Subset { filter, .. } => filter,
        other => panic!("{other}"),
    };
    assert_eq!(filter("subset t where region == \"F G\" as u"), "region == \"F G\"");
    assert_eq!(filter("subset t where \"n > 4\" as u"), "n > 4");
    assert_eq!(filter("subset t where \"region == 'F'\""), "region == 'F'");
    assert_eq!(filter("subset t where 'it''s'"), "it's");
}

#[test]
fn what_is_not_understood_is_an_error_with_its_place() {
    let mut wrong = Vec::new();
    for (text, code, column) in [
        ("lod a.csv", "unknown_command", 1),
        ("load", "usage", 5),
        ("load as t", "usage", 10),
        ("load a.csv as 9", "bad_name", 15),
        ("load a.csv as session", "bad_name", 15),
        ("load \"a.csv", "unclosed_quote", 6),
        ("subset t n > 4", "usage", 10),
        ("transform t", "usage", 12),
        ("transform t n == 4", "usage", 13),
        ("show t rows 0", "usage", 13),
        ("show t u", "usage", 8),
        ("fit F G", "usage", 7),
        ("fit F in", "usage", 9),
        ("fit F in t in u", "usage", 12),
        ("fit F signs both", "usage", 13),
        ("fit F level 2", "usage", 13),
        ("fit F seg n,,m", "usage", 11),
        ("fit F formula \"\"", "usage", 15),
        ("predict m", "usage", 10),
        ("predict m at N=x", "bad_target", 14),
        ("validate m", "usage", 11),
        ("validate m folds 1", "usage", 19),
        ("validate m folds 2.5", "usage", 18),
        ("suggest m runs 3 runs 4", "usage", 18),
        ("save m", "usage", 7),
        ("set seed -1", "usage", 12),
        ("set speed 1", "usage", 5),
        ("quit now", "usage", 6),
    ] {
        let problem = parse(text).expect_err(text);
        if (problem.code.as_str(), problem.column) != (code, Some(column)) {
            wrong.push(format!("{text}: {code} {column}: {} {:?}", problem.code, problem.column));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_command_has_help() {
    for command in help::COMMANDS {
        assert!(command.usage.starts_with(command.name));
        assert!(command.summary.len() < 60, "{}", command.name);
        let words = command.details.lines().all(|line| line.chars().count() <= 120);
        assert!(words, "{}", command.name);
    }
}

#[test]
fn hostile_lines_are_errors() {
    for text in ["\"".repeat(100_001), "fit ".repeat(50_000), "predict m at ".to_owned() + &"[".repeat(100_000)] {
        assert!(parse(&text).is_err());
    }
    assert!(parse(&"load a ".repeat(300_000)).is_err());
    assert!(parse("").is_err() && parse("\u{0}").is_err());
}

/// Lines made of parts of commands in any order: each is a command that reads back as it is printed, or an error with
/// a place in the line.
#[test]
fn random_lines_are_understood_or_refused() {
    const PARTS: [&str; 46] = [
        "load",
        "fit",
        "predict",
        "subset",
        "transform",
        "plot",
        "save",
        "show",
        "validate",
        "suggest",
        "at",
        "as",
        "in",
        "where",
        "seg",
        "formula",
        "level",
        "hold",
        "folds",
        "to",
        "x",
        "by",
        "rows",
        "N=1,2",
        "n=4",
        "P=1..8*2",
        "N=[1,2]",
        "0.9",
        "3",
        "-1",
        "1e3",
        "\"a b\"",
        "'it''s'",
        "\"",
        "'",
        "c[0]+c[1]*n",
        "==",
        "=",
        ",",
        "(",
        ")",
        "#",
        ";",
        "é",
        "t",
        "session",
    ];
    let mut random = runcast_core::random::SplitMix::new(0, 0);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..60_000 {
        let mut text = String::new();
        for _ in 0..1 + random.below(9) {
            text.push_str(PARTS[random.below(PARTS.len())]);
            text.push_str(if random.below(4) == 0 { "" } else { " " });
        }
        for line in Script::new(&text) {
            match parse(line.text) {
                Ok(command) => {
                    good += 1;
                    let printed = command.to_string();
                    assert_eq!(parse(&printed).as_ref(), Ok(&command), "{} -> {printed}", line.text);
                    assert_eq!(lines(&printed).len(), 1, "{printed}");
                }
                Err(problem) => {
                    bad += 1;
                    let columns = line.text.chars().count() as u64 + 1;
                    assert!(problem.column.is_none_or(|column| (1..=columns).contains(&column)), "{problem:?}");
                }
            }
        }
    }
    assert!(good > 500 && bad > 500, "{good} {bad}");
}
