//! Everything that can be wrong with a program: where, what was seen, what is allowed.

use crate::{FFT, outcome, prepared, problems};
use runcast_call::bsp::{Assignment, Limits, Models};

/// A program of one task, whose third line is a step.
fn step(text: &str) -> String {
    format!(
        "machine = {{ processors = 4, task = \"main\" }}\nblock.b = {{ g = 1, L = 1 }}\ntask.main.step = [ {{ name = \"s\", {text} }} ]"
    )
}

/// A problem of each program, with all of these parts in what is told.
const WRONG: &[(&str, &str, &[&str])] = &[
    // Keys and names.
    (
        "worck = 1",
        "unknown_key",
        &[
            "p.toml:3:",
            "/task/main/step/0/worck",
            "task main, step 1 (s)",
            "\"worck\" is not a key of a step",
            "did you mean work?",
        ],
    ),
    (
        "send = [ { to = 1, byte = 2 } ], block = \"b\"",
        "unknown_key",
        &["\"byte\" is not a key of a message", "to, bytes, if"],
    ),
    ("work = \"nn\"", "formula", &["p.toml:3:", "task main, step 1 (s)", "unknown name `nn`"]),
    ("work = \"1 +\"", "formula", &["in the formula \"1 +\""]),
    ("work = \"me == 'a'\"", "formula", &["texts are not allowed"]),
    ("work = { flop = 1 }", "unknown_name", &["there is no instruction \"flop\""]),
    ("sync = \"barrier\", block = \"c\"", "unknown_name", &["there is no block \"c\"", "did you mean b?"]),
    ("call = \"mian\"", "unknown_task", &["there is no task \"mian\"", "did you mean main?"]),
    ("sync = \"bariier\", block = \"b\"", "unknown_name", &["did you mean barrier?"]),
    ("call = \"main\", args = { me = 1 }", "reserved_name", &["me is predefined in every formula"]),
    // What belongs together.
    ("send = [ { to = 1, bytes = 2 } ]", "missing", &["needs a block"]),
    ("sync = \"barrier\"", "missing", &["needs a block"]),
    (
        "sync = \"none\", send = [ { to = 1, bytes = 2 } ], block = \"b\"",
        "conflict",
        &["send in a step that does not synchronize"],
    ),
    ("send = [], partners = [0], block = \"b\"", "conflict", &["send and partners are both given"]),
    ("h_bytes = 1, block = \"b\"", "missing", &["h_bytes without partners"]),
    ("expect = 1", "missing", &["expect in a step without send"]),
    ("partition = [4]", "missing", &["partition without call"]),
    ("args = { n = 1 }", "missing", &["args without call"]),
    ("call = [\"main\"]", "missing", &["a list of tasks, but no partition"]),
    ("call = [\"main\", \"main\"], partition = [1, 2, 4]", "wrong_count", &["2 tasks for 3 groups"]),
    ("call = \"main\", partition = []", "wrong_count", &["0 groups"]),
    ("send = [ { bytes = 2 } ], block = \"b\"", "missing", &["to is not given"]),
    // Types and units.
    ("work = true", "wrong_type", &["boolean where a time such as"]),
    ("work = \"5 B\"", "wrong_unit", &["is a number of bytes, expected a time"]),
    ("work = \"5 parsec\"", "wrong_unit", &["unknown unit `parsec`"]),
    ("work = nan", "not_a_number", &["not a finite number"]),
    ("send = 3, block = \"b\"", "wrong_type", &["a list of { to, bytes, if } is expected"]),
    // Values, with the processor.
    (
        "call = \"main\", partition = [\"procs/3\", \"procs\"]",
        "out_of_range",
        &["superstep 1", "processor 0", "the end of group 0", "\"procs/3\" is 1.3333", "with procs = 4", "from 1 to 3"],
    ),
    (
        "call = \"main\", partition = [2, 2, 4]",
        "out_of_range",
        &["the end of group 1", "ascending whole numbers, from 3 to 3"],
    ),
    (
        "call = \"main\", partition = [2, 3]",
        "out_of_range",
        &["the end of group 1", "4, since the last group ends with the machine"],
    ),
    ("call = \"main\", partition = [0, 4]", "out_of_range", &["the end of group 0"]),
    ("call = \"main\", partition = [2, 5]", "out_of_range", &["the end of group 1"]),
    (
        "send = [ { to = \"me + 1\", bytes = 1 } ], block = \"b\"",
        "out_of_range",
        &["processor 3", "\"me + 1\" is 4", "0 to 3"],
    ),
    ("send = [ { to = 0.5, bytes = 1 } ], block = \"b\"", "out_of_range", &["the value is 0.5"]),
    ("partners = [\"me - 1\"], block = \"b\"", "out_of_range", &["processor 0", "\"me - 1\" is -1"]),
    ("work = \"1 - me\"", "out_of_range", &["processor 2", "\"1 - me\" is -1", "a time of 0 or more"]),
    ("before = \"1/me\"", "out_of_range", &["processor 0", "\"1/me\" is infinite, with me = 0", "a finite number"]),
    ("work = \"log(me)*me\"", "out_of_range", &["processor 0", "is not a number"]),
    (
        "send = [ { to = \"3 - me\", bytes = \"me - 1\" } ], block = \"b\"",
        "out_of_range",
        &["processor 0", "0 bytes or more"],
    ),
    ("if = \"me\"", "not_equal", &["processor 1", "\"me\" is 1, with me = 1, but for processor 0 it is 0"]),
    ("repeat = \"1 + (me == 3)\"", "not_equal", &["processor 3", "but for processor 0 it is 1"]),
    ("repeat = 1.5", "out_of_range", &["the value is 1.5", "a whole number of 0 or more"]),
    ("repeat = -1", "out_of_range", &["the value is -1"]),
    (
        "if = \"depth == 0\", call = \"main\", partition = [2, 4], args = { n = \"me\" }",
        "not_equal",
        &["processor 1", "but for processor 0 it is 0"],
    ),
    (
        "send = [ { to = 0, bytes = 1 } ], expect = 3, block = \"b\"",
        "unexpected_messages",
        &["processor 1: the value is 3, but no message is sent to it", "would hang"],
    ),
    (
        "send = [ { to = 0, bytes = 1 } ], expect = \"2*(me == 0)\", block = \"b\"",
        "unexpected_messages",
        &["processor 0", "3 messages are sent to it", "run ahead"],
    ),
];

#[test]
fn what_is_wrong_with_a_step_is_told() {
    for (text, code, parts) in WRONG {
        let problem = &problems(&step(text)).0[0];
        assert_eq!(problem.code, *code, "{text}: {problem}");
        for part in *parts {
            assert!(problem.to_string().contains(part), "{part} in\n{problem}");
        }
        assert_eq!((problem.file.as_deref(), problem.line), (Some("p.toml"), Some(3)), "{text}: {problem}");
    }
}

/// The same of the other parts of a program.
const WRONG_PARTS: &[(&str, &str, &str)] = &[
    ("", "missing", "machine is not given"),
    ("title = 3\nmachine = { processors = 1, task = \"main\" }", "wrong_type", "a text is expected"),
    ("masch = 1", "unknown_key", "\"masch\" is not a key of a program"),
    ("machine = { task = \"main\" }", "missing", "processors is not given"),
    ("machine = { processors = 1 }", "missing", "task is not given"),
    ("machine = { processors = 1, task = \"mein\" }", "unknown_task", "did you mean main?"),
    ("machine = { processors = 0, task = \"main\" }", "out_of_range", "machine: processors: the value is 0"),
    ("machine = { processors = 1.5, task = \"main\" }", "out_of_range", "a whole number above 0"),
    ("machine = { processors = \"me\", task = \"main\" }", "formula", "unknown name `me`"),
    ("machine = { processors = 2, task = \"main\", h = \"mix\" }", "unknown_name", "\"max\" (full duplex)"),
    ("machine = { processors = 2, task = \"main\", start = [0] }", "wrong_count", "1 times for 2 processors"),
    ("machine = { processors = 2, task = \"main\", start = [0, -1] }", "out_of_range", "processor 1: the value is -1"),
    ("machine = { processors = 2, task = \"main\", start = \"1 - 2*rank\" }", "out_of_range", "is -1, with rank = 1"),
    ("machine = { processors = 2, task = \"main\", args = { n = \"me\" } }", "not_equal", "machine: processor 1"),
    ("parameters = { a = \"b\", b = 1 }\nmachine = { processors = 1, task = \"main\" }", "formula", "unknown name `b`"),
    (
        "parameters = { a = \"1/0\" }\nmachine = { processors = 1, task = \"main\" }",
        "out_of_range",
        "a: \"1/0\" is infinite",
    ),
    (
        "parameters = { rank = 1 }\nmachine = { processors = 1, task = \"main\" }",
        "reserved_name",
        "rank is predefined in every formula",
    ),
    (
        "parameters = { \"a b\" = 1 }\nmachine = { processors = 1, task = \"main\" }",
        "not_a_name",
        "cannot be the name of a parameter",
    ),
    ("block.b = { L = 1 }\nmachine = { processors = 1, task = \"main\" }", "missing", "g is not given"),
    ("block.b = { g = 1 }\nmachine = { processors = 1, task = \"main\" }", "missing", "L is not given"),
    (
        "block.b = { g = 1, bandwidth = 1, L = 1 }\nmachine = { processors = 1, task = \"main\" }",
        "conflict",
        "both given",
    ),
    ("bsp = { g = 1 }\nmachine = { processors = 1, task = \"main\" }", "missing", "L is not given"),
    ("bsp = { g = -1, L = 0 }\nmachine = { processors = 1, task = \"main\" }", "out_of_range", "bsp: the value is -1"),
    (
        "instruction = { time = 1 }\nmachine = { processors = 1, task = \"main\" }",
        "reserved_name",
        "time cannot be a class",
    ),
    ("task.other = {}\nmachine = { processors = 1, task = \"main\" }", "missing", "task other: step is not given"),
    ("machine = [", "toml", "p.toml:2:"),
];

#[test]
fn what_is_wrong_with_the_other_parts_is_told() {
    for (text, code, part) in WRONG_PARTS {
        let problem = &problems(&format!("{text}\ntask.main.step = [ {{ work = 1 }} ]")).0[0];
        assert!(problem.to_string().contains(part), "{part} in\n{problem}");
        assert_eq!(problem.code, *code, "{problem}");
        assert_eq!(problem.file.as_deref(), Some("p.toml"));
    }
}

#[test]
fn odd_halves_of_the_fft_name_task_step_processor_and_value() {
    let program = prepared(FFT);
    let set = [Assignment::number("P", 6.0)];
    let problem = program.run(&set, &Models::default(), &Limits::default()).expect_err("6/2 = 3 is odd");
    let told = problem.to_string();
    for part in [
        "p.toml:9:",
        "/task/fft/step/0/partition/0",
        "task fft, step 1 (halves)",
        "superstep 1:0/1",
        "\"procs/2\" is 1.5, with procs = 3",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert_eq!(problem.value.as_deref(), Some("1.5"));
}

#[test]
fn an_unknown_parameter_lists_the_known() {
    let program = prepared(FFT);
    let set = [Assignment::number("M", 6.0)];
    let problem = program.run(&set, &Models::default(), &Limits::default()).expect_err("unknown");
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("unknown_parameter", Some("--set")));
    assert!(problem.allowed.expect("a list").starts_with("P, N, A0"));
}

#[test]
fn a_task_that_needs_an_argument_gets_it_from_every_caller() {
    let text = "machine = { processors = 1, task = \"main\" }\n\
         task.main.step = [ { call = \"inner\", args = { n = 1 } }, { call = \"inner\" } ]\ntask.inner.step = [ { work = \"n\" } ]";
    let problems = problems(text);
    assert_eq!(problems.0.len(), 1, "{problems}");
    assert!(problems.to_string().contains("task main, step 2: the task inner needs the argument n"), "{problems}");
}

#[test]
fn several_problems_are_told_at_once() {
    let problems = problems(&step("worck = 1, work = \"5 B\", expect = 1"));
    assert_eq!(problems.0.len(), 3, "{problems}");
}

#[test]
fn a_task_that_nobody_calls_is_a_warning() {
    let program = prepared(
        "machine = { processors = 1, task = \"main\" }\ntask.main.step = []\ntask.other.step = [ { work = \"n\" } ]",
    );
    assert_eq!(program.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["unused_task"]);
    assert_eq!(outcome(&program, &[]).obsp_time_s(), 0.0);
    assert_eq!(outcome(&program, &[]).gain(), None);
    assert_eq!(outcome(&program, &[]).critical_path(), []);
}

#[test]
fn messages_that_are_not_sent_are_not_looked_at() {
    let program =
        prepared(&step("send = [ { to = \"me + 1\", bytes = \"1/(me - 3)^2\", if = \"me < 3\" } ], block = \"b\""));
    assert!(outcome(&program, &[]).obsp_time_s() > 0.0);
}
