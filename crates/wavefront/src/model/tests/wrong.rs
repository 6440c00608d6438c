//! Errors are reported with their position, what is allowed, and what to do.

use super::{Overrides, read_with, two, wrong};
use runcast_core::Problem;

/// The code of the first problem, and its pointer.
fn told(text: &str) -> (String, String) {
    let problem = wrong(text).remove(0);
    assert_eq!(problem.file.as_deref(), Some("lab.toml"), "{problem:?}");
    assert!(problem.line.is_some() && problem.column.is_some(), "{problem:?}");
    (problem.code, problem.pointer.unwrap_or_default())
}

fn check(cases: &[(String, &str, &str)]) {
    for (text, code, pointer) in cases {
        assert_eq!(told(text), ((*code).to_owned(), (*pointer).to_owned()), "{text}");
    }
}

#[test]
fn the_head() {
    check(&[
        (two("rho = 1", ""), "out_of_range", "/wavefront/rho"),
        (two("rho = 0", ""), "out_of_range", "/wavefront/rho"),
        (two("rho = -0.5", ""), "out_of_range", "/wavefront/rho"),
        (two("rho = nan", ""), "wrong_type", "/wavefront/rho"),
        (two("omega = 0", ""), "out_of_range", "/wavefront/omega"),
        (two("omega = inf", ""), "wrong_type", "/wavefront/omega"),
        (two("step = 0", ""), "out_of_range", "/wavefront/step"),
        (two("step = '-1s'", ""), "out_of_range", "/wavefront/step"),
        (two("step = '1 lightyear'", ""), "not_a_time", "/wavefront/step"),
        (two("step = '1B'", ""), "not_a_time", "/wavefront/step"),
        (two("semantics = 'abbort'", ""), "unknown_name", "/wavefront/semantics"),
        (two("tie = true", ""), "wrong_type", "/wavefront/tie"),
        (two("step = 1\nx0 = [0]", ""), "length", "/wavefront/x0"),
        (two("step = 1\nx0 = [0, 1.5]", ""), "wrong_type", "/wavefront/x0/1"),
        (two("step = 1\nx0 = [0, 100000000]", ""), "out_of_range", "/wavefront/x0/1"),
        (two("degrees = [ { A = 0 } ]", ""), "out_of_range", "/wavefront/degrees/0/A"),
        (two("degrees = [ { B = [1, 2, 3] } ]", ""), "length", "/wavefront/degrees/0/B"),
        (two("rho = 0.9", "[operator]\npolynomial = { variables = 30 }"), "conflict", "/wavefront/rho"),
        ("step = 1".to_owned(), "unknown_key", "/step"),
        ("[wavefront]\nstep = 1".to_owned(), "missing", "/process"),
        ("[wavefront".to_owned(), "toml", ""),
    ]);
}

#[test]
fn processes_and_links() {
    let process = |rest: &str| format!("wavefront.step = 1\n[[process]]\nname = 'a'\n{rest}");
    let update = "update = { constant = 2 }\n";
    let pair = |rest: &str| format!("{}{update}[[process]]\nname = 'b'\n{update}{rest}", process(""));
    check(&[
        (process(&format!("A = 0\n{update}")), "out_of_range", "/process/0/A"),
        (process(&format!("A = 1.5\n{update}")), "out_of_range", "/process/0/A"),
        (process(&format!("B = -1\n{update}")), "out_of_range", "/process/0/B"),
        (process(&format!("B = 2000000\n{update}")), "out_of_range", "/process/0/B"),
        (process(&format!("count = 1000000000\n{update}")), "out_of_range", "/process/0/count"),
        (process(&format!("count = 0\n{update}")), "out_of_range", "/process/0/count"),
        (process(""), "missing", "/process/0/update"),
        (process("update = { ticks = [0, 1], prob = [0.5, 0.5] }"), "no_time", "/process/0/update"),
        (process("update = { constant = 0.25 }"), "no_time", "/process/0/update"),
        (process("update = { dist = 'exponential', mean = 5 }"), "no_time", "/process/0/update"),
        (process(&format!("{update}[[process]]\nname = 'a'\n{update}")), "duplicate_name", "/process"),
        (process(&format!("{update}speed = 3\n")), "unknown_key", "/process/0/speed"),
        (pair(""), "missing", "/network"),
        (pair("[[network.link]]\nfrom = 'a'\nto = 'b'\ntime = { constant = 1 }"), "missing", "/network"),
        (pair("[[network.link]]\nfrom = 'a'\nto = 'c'\ntime = { constant = 1 }"), "unknown_name", "/network/link/0/to"),
        (pair("[[network.link]]\nfrom = 'a'\nto = 'a'\ntime = { constant = 1 }"), "own_link", "/network/link/0"),
        (pair("[[network.link]]\nfrom = 'a'\nto = '*'"), "missing", "/network/link/0/time"),
        (pair("[network]\ndefault = { constant = '1s' }\nlinks = []"), "unknown_key", "/network/links"),
    ]);
    // The hint names what would help.
    let problem = wrong(&process("update = { constant = 0.25 }")).remove(0);
    assert!(problem.hint.is_some_and(|hint| hint.contains("smaller step")));
    let problem = wrong(&pair("[[network.link]]\nfrom = 'a'\nto = 'bb'\ntime = { constant = 1 }")).remove(0);
    assert_eq!((problem.hint.as_deref(), problem.line, problem.column), (Some("did you mean b?"), Some(10), Some(6)));
}

#[test]
fn laws() {
    let law = |law: &str| format!("wavefront.step = 1\nprocess.update = {law}");
    check(&[
        (law("{ ticks = [4, 5], prob = [0.5, 0.4] }"), "sum", "/process/0/update/prob"),
        (law("{ ticks = [4, 5], prob = [1.5, -0.5] }"), "not_a_probability", "/process/0/update/prob"),
        (law("{ ticks = [4, 5], prob = [0.5, nan] }"), "wrong_type", "/process/0/update/prob/1"),
        (law("{ ticks = [4, 5], prob = [1.0] }"), "length", "/process/0/update"),
        (law("{ ticks = [], prob = [] }"), "empty", "/process/0/update/prob"),
        (law("{ ticks = [4, 5], prob = [0, 0], normalize = true }"), "empty", "/process/0/update/prob"),
        (law("{ ticks = [4.5], prob = [1] }"), "out_of_range", "/process/0/update/ticks/0"),
        (law("{ ticks = [-4], prob = [1] }"), "out_of_range", "/process/0/update/ticks/0"),
        (law("{ ticks = [100000000], prob = [1] }"), "out_of_range", "/process/0/update/ticks/0"),
        (law("{ ticks = [4] }"), "missing", "/process/0/update/prob"),
        (law("{ values = ['-1s'], prob = [1] }"), "out_of_range", "/process/0/update/values/0"),
        (law("{ values = ['1 furlong'], prob = [1] }"), "not_a_time", "/process/0/update/values/0"),
        (law("{ constant = '1s', ticks = [1], prob = [1] }"), "conflict", "/process/0/update"),
        (law("{ konstant = '1s' }"), "missing", "/process/0/update"),
        (law("'1s'"), "wrong_type", "/process/0/update"),
        (law("{ dist = 'gama', shape = 2, scale = 1 }"), "unknown_name", "/process/0/update/dist"),
        (law("{ dist = 'gamma', shape = 2 }"), "missing", "/process/0/update/scale"),
        (law("{ dist = 'gamma', shape = -2, scale = 1 }"), "out_of_range", "/process/0/update"),
        (law("{ dist = 'gamma', shape = 2, scale = 1, mean = 3 }"), "unknown_key", "/process/0/update/mean"),
        (law("{ dist = 'normal', mean = 5, sd = 0 }"), "out_of_range", "/process/0/update"),
        (law("{ dist = 'normal', mean = 5, sd = 1, lower = 8, upper = 7 }"), "out_of_range", "/process/0/update"),
        (law("{ dist = 'normal', mean = -500, sd = 1 }"), "out_of_range", "/process/0/update"),
        (law("{ dist = 'normal', mean = 5, sd = 1, clip = 1.5 }"), "out_of_range", "/process/0/update/clip"),
        (law("{ dist = 'normal', mean = 5, sd = 1, bin = 'down' }"), "unknown_name", "/process/0/update/bin"),
        (law("{ dist = 'lognormal', median = 1, sigma = 100 }"), "out_of_range", "/process/0/update"),
        (law("{ dist = 'uniform', lower = 2, upper = 1 }"), "out_of_range", "/process/0/update"),
        (law("{ values = [2, 3], prob = [0.5, 0.5], shift = -4 }"), "out_of_range", "/process/0/update"),
    ]);
    let problem = wrong(&law("{ ticks = [4, 5], prob = [0.5, 0.4] }")).remove(0);
    assert!(problem.message.contains("process p1") && problem.message.contains("0.9"), "{problem}");
    assert!(problem.hint.is_some_and(|hint| hint.contains("normalize = true")));
}

#[test]
fn supports_that_are_too_long() {
    for law in [
        "{ values = ['1s', '100s'], prob = [0.5, 0.5] }",
        "{ constant = '100s' }",
        "{ dist = 'exponential', mean = '100s', shift = '1s' }",
    ] {
        let problem = wrong(&format!("wavefront.step = '1us'\nprocess.update = {law}")).remove(0);
        assert_eq!(problem.code, "too_long", "{law}");
        assert!(problem.hint.is_some_and(|hint| hint.contains("10us") || hint.contains("100us")), "{law}");
    }
    // One step for all.
    let problems = wrong(
        "wavefront.step = 1e-9
        process = [ { update = { constant = 1 } }, { update = { constant = 100 } } ]
        network.default = { constant = 0 }",
    );
    let hints: Vec<&str> = problems.iter().filter_map(|problem| problem.hint.as_deref()).collect();
    assert_eq!(hints, ["a larger step, such as 10us"; 2]);
    // The step of the hint will do.
    super::good("wavefront.step = '10us'\nprocess.update = { constant = '100s' }");
    // Updates of alpha add up.
    let problem = wrong("wavefront.step = 1\nprocess = [ { A = 100000, update = { constant = 1000 } } ]").remove(0);
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("too_long", Some("/process/0/update")));
}

#[test]
fn modes() {
    let modes = |rest: &str| two("step = 1", &format!("[[modes]]\nstates = ['calm', 'busy']\n{rest}"));
    let q = "Q = [[0.5, 0.5], [0.5, 0.5]]\n";
    check(&[
        (modes(""), "missing", "/modes/0/Q"),
        (modes("Q = [[0.5, 0.5]]"), "length", "/modes/0/Q"),
        (modes("Q = [[0.5, 0.5], [1]]"), "length", "/modes/0/Q/1"),
        (modes("Q = [[0.5, 0.6], [1, 0]]"), "sum", "/modes/0/Q/0"),
        (modes("Q = [[1.5, -0.5], [1, 0]]"), "not_a_probability", "/modes/0/Q/0"),
        (modes(&format!("{q}start = 'wild'")), "unknown_name", "/modes/0/start"),
        (modes(&format!("{q}start = [0.5]")), "length", "/modes/0/start"),
        (
            modes(&format!("{q}override = [ {{ state = 'bussy', process = 'a', update = {{ constant = 1 }} }} ]")),
            "unknown_name",
            "/modes/0/override/0/state",
        ),
        (
            modes(&format!("{q}override = [ {{ state = 'busy', process = 'c', update = {{ constant = 1 }} }} ]")),
            "unknown_name",
            "/modes/0/override/0/process",
        ),
        (
            modes(&format!("{q}override = [ {{ state = 'busy', process = 'a', time = {{ constant = 1 }} }} ]")),
            "conflict",
            "/modes/0/override/0",
        ),
        (
            modes(&format!("{q}override = [ {{ state = 'busy', process = 'a', update = {{ constant = 0 }} }} ]")),
            "no_time",
            "/modes/0/override/0/update",
        ),
        (two("step = 1", "[[modes]]\nstates = []\nQ = []"), "empty", "/modes/0/states"),
        (two("step = 1", "[[modes]]\nstates = ['a', 'a']\nQ = []"), "duplicate_name", "/modes/0/states"),
    ]);
    let many: Vec<String> = (0..40).map(|index| format!("'s{index}'")).collect();
    let row = format!("[{}1.0]", "0.0, ".repeat(39));
    let set = format!("[[modes]]\nstates = [{}]\nQ = [{}]\n", many.join(","), vec![row; 40].join(","));
    let problem = wrong(&two("step = 1", &set.repeat(2))).remove(0);
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("too_many", Some("/modes/1")));
}

#[test]
fn several_problems_are_told_at_once() {
    let problems = wrong(&two("rho = 2\nomega = -1\nsteep = 3", "[extra]"));
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["unknown_key", "unknown_key", "out_of_range", "out_of_range"]);
    assert!(problems[1].hint.as_deref() == Some("did you mean step?"), "{problems:?}");
    // Not without end.
    let many: String = (0..100).map(|index| format!("key{index} = 1\n")).collect();
    assert_eq!(wrong(&two(&many, "")).len(), 20);
    // All links without a law are one problem.
    let alone = "wavefront.step = 1\nprocess = [ { count = 30, update = { constant = 1 } } ]";
    let problems = wrong(alone);
    assert!(problems.len() == 1 && problems[0].message.contains("869 more"), "{problems:?}");
}

#[test]
fn files_that_are_wrong_are_told_by_their_own_lines() {
    let first = |update: &str, content: &str| -> Problem {
        let text = format!("wavefront.step = 1\nprocess.update = {update}");
        read_with(&text, &[("s.csv", content)], &Overrides::default()).expect_err(update).0.remove(0)
    };
    let place = |problem: &Problem| (problem.code.clone(), problem.file.clone().unwrap_or_default(), problem.line);
    let told = |code: &str, file: &str, line: u64| (code.to_owned(), file.to_owned(), Some(line));
    let samples = "{ samples = 's.csv' }";
    assert_eq!(place(&first(samples, "time_s\n1\n-2\n")), told("out_of_range", "s.csv", 3));
    assert_eq!(place(&first(samples, "time_s\n1\nx\n")), told("not_a_number", "s.csv", 3));
    assert_eq!(place(&first(samples, "time\n1\n")), told("unknown_name", "lab.toml", 2));
    assert_eq!(place(&first("{ samples = 's.csv', column = 'size_bytes' }", "size_bytes\n1\n")).0, "wrong_unit");
    let filtered = "{ samples = 's.csv', where = { process = 'c' } }";
    let problem = first(filtered, "process,time_s\na,1\nb,2\n");
    assert_eq!((problem.code.as_str(), problem.allowed.as_deref()), ("empty", Some("a, b")));
    assert_eq!(
        first("{ samples = 's.csv', where = { proces = 'c' } }", "process,time_s\na,1\n").hint.as_deref(),
        Some("did you mean process?")
    );
    assert_eq!(place(&first("{ pmf = 's.csv' }", "value,prob\n1,0.5\n2,0.4\n")).0, "sum");
    assert_eq!(place(&first("{ pmf = 's.csv' }", "value,prob\n1,0.5\n-2,0.5\n")), told("out_of_range", "s.csv", 3));
    assert_eq!(place(&first("{ pmf = 's.csv' }", "value,share\n1,1\n")).0, "unknown_name");
    let problem = first("{ samples = 'other.csv' }", "");
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("cannot_read", Some("/process/0/update/samples")));
}

#[test]
fn the_level() {
    let level = |lines: &str| two("step = 1", &format!("[level]\n{lines}"));
    let lists = |times: &str, factors: &str, variances: &str| {
        level(&format!("times_s = {times}\nlog_factor = {factors}\nvariance = {variances}\n"))
    };
    check(&[
        (lists("[1, 2]", "[0]", "[1, 1]"), "wrong_length", "/level/times_s"),
        (lists("[2, 1]", "[0, 0]", "[1, 1]"), "not_rising", "/level/times_s"),
        (lists("[1, 2]", "[0, 0]", "[1, 0]"), "out_of_range", "/level/variance"),
        (lists("[1, 2]", "[0, nan]", "[1, 1]"), "wrong_type", "/level/log_factor/1"),
        (level("fixed = { sd = -1 }"), "out_of_range", "/level/fixed/sd"),
        (level("times = [1]"), "unknown_key", "/level/times"),
        (two("step = 1\nsigma_factor = 0.5", ""), "out_of_range", "/wavefront/sigma_factor"),
    ]);
}

#[test]
fn the_pilot_and_the_work() {
    let rest = |lines: &str| two("step = 1", lines);
    let ticks =
        "step = '1s'\n[[process]]\nname = 'a'\nupdate = { ticks = [2], prob = [1] }\n[pilot]\nfactor = { a = 2 }";
    check(&[
        (rest("[pilot]\nfactor = { c = 2 }"), "unknown_name", "/pilot/factor/c"),
        (rest("[pilot]\nfactor = { a = 0 }"), "out_of_range", "/pilot/factor/a"),
        (rest("[pilot]\nmessages = 0"), "out_of_range", "/pilot/messages"),
        (rest("[pilot]\nlog_sd = -1"), "out_of_range", "/pilot/log_sd"),
        (rest("[pilot]\nsd = 1"), "unknown_key", "/pilot/sd"),
        (rest("[pilot]\nfactor = { a = 0.001 }"), "no_time", "/process/0/update"),
        (format!("[wavefront]\n{ticks}"), "ticks", "/process/0/update"),
        (rest("[work]\ntime = '2ms'"), "missing", "/work/operations"),
        (rest("[work]\ntime = '2ms'\noperations = 0"), "out_of_range", "/work/operations"),
    ]);
}
