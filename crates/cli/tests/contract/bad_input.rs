//! Bad input gets an error that names the place, or a warning; never a panic, never a silent repair.

use crate::run::{Folder, STRONG};

/// File, its content, the command, the exit code, and what the errors or warnings must say.
type Row = (&'static str, &'static [u8], &'static [&'static str], i32, &'static [&'static str]);

/// Runs on process grids, one for each number of processes.
const GRIDS: &[u8] = b"p,px,py,time_s\n1,1,1,9.1\n2,2,1,4.8\n4,2,2,2.6\n8,4,2,1.5\n";

const ROWS: &[Row] = &[
    ("r.csv", b"p,time_s\n1,nan\n2,3\n", &["fit", "r.csv"], 2, &["r.csv:2", "time_s", "\"nan\"", "hint:"]),
    ("r.csv", b"p,time_s\n1,inf\n2,3\n", &["fit", "r.csv"], 2, &["r.csv:2", "\"inf\""]),
    ("r.csv", b"p,time_s\n1,1e999\n2,3\n", &["fit", "r.csv"], 2, &["r.csv:2", "1e999"]),
    ("r.csv", b"p,time_s\n1,\"3,5\"\n2,3\n", &["fit", "r.csv"], 2, &["r.csv:2", "\"3,5\"", "decimal point"]),
    ("r.csv", b"p,time_s\n1,2,3\n2,3\n", &["fit", "r.csv"], 2, &["r.csv:2", "3 cells", "2"]),
    ("r.csv", b"p,p,time_s\n1,2,3\n", &["fit", "r.csv"], 2, &["r.csv:1", "\"p\""]),
    ("r.csv", b"", &["fit", "r.csv"], 2, &["r.csv", "empty"]),
    ("r.csv", b"p,time_s\n", &["fit", "r.csv"], 2, &["r.csv", "no rows"]),
    ("r.csv", b"p,time_s\n1,5\xff\n", &["fit", "r.csv"], 2, &["r.csv:2", "UTF-8"]),
    ("r.csv", b"\xff\xfep\0,\0t\0\n\0", &["fit", "r.csv"], 2, &["UTF-16", "iconv"]),
    ("r.csv", b"p,note\n1,a\n", &["fit", "r.csv"], 2, &["--metric"]),
    ("r.csv", b"p,time_s\n1,5\n2,3\n", &["fit", "r.csv", "--params", "q"], 2, &["--params", "\"q\"", "did you mean"]),
    ("r.csv", b"p,time_s\n1,5\n2,3\n", &["fit", "r.csv", "--where", "(("], 2, &["--where"]),
    ("r.csv", b"p,time_s\n1,5\n2,3\n", &["fit", "r.csv", "--model", "magic"], 2, &["magic", "auto"]),
    ("r.csv", b"p,time_s\n1,5\n2,3\n", &["predict", "r.csv", "--at", "q=3"], 2, &["\"q\"", "p"]),
    ("r.csv", b"p,time_s\n1,5\n2,3\n", &["predict", "r.csv"], 2, &["--at"]),
    ("r.csv", b"p,time_s\n-1,5\n2,3\n4,2\n", &["fit", "r.csv", "--model", "pmnf"], 2, &["r.csv:2", "-1"]),
    ("r.csv", b"p,time_s\n0,5\n2,3\n4,2\n", &["fit", "r.csv"], 2, &["r.csv:2", "p > 0"]),
    ("r.csv", b"p,time_s\n0,5\n2,3\n4,2\n", &["fit", "r.csv", "--model", "pmnf"], 0, &["log_terms_off"]),
    ("r.csv", b"p,time_s\n1,5\n2,0\n4,2\n", &["fit", "r.csv"], 1, &["r.csv:3", "0"]),
    ("r.csv", b"p,time_s\n1,5\n2,0\n4,2\n", &["fit", "r.csv", "--model", "pmnf"], 0, &[]),
    ("r.csv", b"p,time_s\n1,5\n", &["predict", "r.csv", "--at", "p=4"], 1, &["one configuration"]),
    ("r.csv", b"p,time_s\n1,5\n2,3\n", &["predict", "r.csv", "--at", "p=4"], 0, &["few_points"]),
    ("r.csv", GRIDS, &["predict", "r.csv", "--at", "p=16,px=4,py=4"], 0, &["px, py", "(follows)"]),
    ("r.csv", GRIDS, &["predict", "r.csv", "--at", "p=16,pz=4"], 2, &["\"pz\"", "p"]),
    ("r.csv", STRONG, &["fit", "r.csv", "--loss", "huber"], 2, &["--loss", "8"]),
    ("r.csv", STRONG, &["fit", "r.csv", "--formula", "a*p", "--unknown", "b"], 2, &["--formula"]),
    ("r.csv", STRONG, &["fit", "r.csv", "--formula", "a*p + b*(p + p)", "--unknown", "a,b"], 0, &["collinear"]),
    ("r.csv", STRONG, &["fit", "none.csv"], 2, &["none.csv", "no such file"]),
    ("r.json", b"{\"kind\":\"fit\",\"version\":2}", &["predict", "r.json", "--at", "p=4"], 2, &["version"]),
    ("r.json", b"{\"kind\":\"fit\",\"version\":1}", &["predict", "r.json", "--at", "p=4"], 2, &["r.json"]),
    ("r.txt", b"POINTS 4 8\nPARAMETER p\n", &["fit", "r.txt"], 2, &["r.txt:1", "POINTS"]),
    ("r.txt", b"PARAMETER p\nPOINTS 4 8\nDATA 1\nDATA 2\nDATA 3\n", &["fit", "r.txt"], 2, &["r.txt:5", "DATA"]),
    ("r.txt", b"PARAMETER p\nPOINTS 4 8 16\nDATA 1\nDATA 2\n", &["fit", "r.txt"], 2, &["r.txt", "3", "2"]),
    ("r.txt", b"PARAMETER p q\nPOINTS (4) (8)\nDATA 1\n", &["fit", "r.txt"], 2, &["r.txt:2", "POINTS"]),
    (
        "r.txt",
        b"PARAMETER p\nPOINTS 4\nMETRIC t\nREGION a\nDATA 3,5 2\n",
        &["fit", "r.txt"],
        2,
        &["r.txt:5: DATA: \"3,5\" is not a number", "hint:"],
    ),
];

#[test]
fn every_row_is_told_where_and_what() {
    for (name, content, args, exit, said) in ROWS {
        let folder = Folder::with(&[(name, content)]);
        let output = folder.run(args);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let shown = format!("{args:?} on {:?}\n{errors}", String::from_utf8_lossy(content));
        assert_eq!(output.status.code(), Some(*exit), "{shown}");
        assert!(!errors.contains("panicked"), "{shown}");
        for part in *said {
            assert!(errors.contains(part), "\"{part}\" is not said by {shown}");
        }
    }
}

#[test]
fn under_json_an_error_is_a_document() {
    let folder = Folder::with(&[("r.csv", b"p,time_s\n1,nan\n2,3\n")]);
    let (document, exit) = folder.json(&["fit", "r.csv"]);
    assert_eq!((document["kind"].as_str(), document["version"].as_i64(), exit), (Some("error"), Some(1), 2));
    let problem = &document["problems"][0];
    assert_eq!((problem["file"].as_str(), problem["line"].as_i64()), (Some("r.csv"), Some(2)));
}

#[test]
fn line_ends_and_a_mark_at_the_start_change_nothing() {
    let folder = Folder::with(&[
        ("plain.csv", STRONG),
        ("windows.csv", &[b"\xef\xbb\xbf", String::from_utf8_lossy(STRONG).replace('\n', "\r\n").as_bytes()].concat()),
    ]);
    let models = |file: &str| folder.json(&["fit", file]).0["models"].clone();
    assert_eq!(models("plain.csv"), models("windows.csv"));
}

#[test]
fn one_bad_series_does_not_stop_the_others() {
    let csv = b"region,p,time_s\na,1,5\na,2,3\na,4,2\nb,1,5\nb,2,0\nb,4,2\n";
    let folder = Folder::with(&[("r.csv", csv)]);
    let (document, exit) = folder.json(&["fit", "r.csv"]);
    assert_eq!(exit, 0);
    assert_eq!(document["models"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (document["failed"][0]["group"]["region"].as_str(), document["failed"][0]["line"].as_i64()),
        (Some("b"), Some(6))
    );
}

#[test]
fn hostile_formulas_are_errors_at_once() {
    let folder = Folder::with(&[("r.csv", STRONG)]);
    for filter in ["(".repeat(100_000), "-".repeat(100_000), format!("p{}", "^2".repeat(60_000))] {
        let output = folder.run(&["fit", "r.csv", &format!("--where={filter}")]);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stderr.len() < 4_000, "the error does not repeat it all");
    }
}

#[test]
fn names_of_any_kind_survive() {
    let long = "x".repeat(10_000);
    let csv = format!(
        "region,p,time_s\n\"a \"\"quoted\"\"; ->ü\",1,5\n\"a \"\"quoted\"\"; ->ü\",2,3\n{long},1,2\n{long},2,1\n"
    );
    let folder = Folder::with(&[("r.csv", csv.as_bytes())]);
    let (document, exit) = folder.json(&["fit", "r.csv"]);
    assert_eq!(exit, 0);
    assert_eq!(document["models"][0]["group"]["region"], "a \"quoted\"; ->ü");
    assert_eq!(document["models"][1]["group"]["region"].as_str().map(str::len), Some(10_000));
}

/// Processes double, and the size with them.
const WEAK: &[u8] = b"p,N,time_s\n1,100,1.0\n2,200,1.1\n4,400,1.2\n8,800,1.3\n16,1600,1.4\n";

#[test]
fn targets_that_no_run_can_have_are_refused() {
    let folder = Folder::with(&[("runs.csv", WEAK)]);
    for target in ["p=-4", "p=0", "p=1e300", "p=1e16", "p=64,N=-1", "p=64,N=1e300"] {
        let output = folder.run(&["predict", "runs.csv", "--at", target]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{target}: {told}");
        let allowed = if target.contains('N') { "allowed: from 0" } else { "allowed: above 0" };
        assert!(told.contains("cannot be a target") && told.contains(allowed) && told.len() < 300, "{told}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn predictions_that_are_all_refused_are_no_success() {
    let folder = Folder::with(&[("runs.csv", WEAK)]);
    let (document, exit) = folder.json(&["predict", "runs.csv", "--at", "p=32,N=100"]);
    assert_eq!((exit, document["predictions"][0]["verdict"].as_str()), (1, Some("refused")), "{document}");
    let (document, exit) = folder.json(&["predict", "runs.csv", "--at", "p=32,N=100", "--at", "p=32"]);
    assert_eq!((exit, document["predictions"][1]["verdict"].as_str()), (0, Some("ok")), "{document}");
}

#[test]
fn folders_of_outputs_are_not_made() {
    let folder = Folder::with(&[("runs.csv", WEAK)]);
    let lines: [&[&str]; 5] = [
        &["fit", "runs.csv", "--plot", "none/x.svg"],
        &["fit", "runs.csv", "-o", "none/models.json"],
        &["predict", "runs.csv", "--at", "p=32", "-o", "none/predictions.csv"],
        &["report", "runs.csv", "-o", "none/page.html"],
        &["llac", "-e", "load runs.csv as t; save t to none/copy.csv"],
    ];
    for line in lines {
        let output = folder.run(line);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line:?}: {told}");
        assert!(told.contains("there is no folder none") && told.contains("hint: mkdir -p none"), "{told}");
        assert!(!folder.path().join("none").exists(), "{line:?}");
    }
    assert!(folder.run(&["report", "runs.csv", "--plots", "pictures"]).status.success());
    assert!(folder.path().join("pictures").is_dir());
}
