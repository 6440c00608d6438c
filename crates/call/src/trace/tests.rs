//! Traces, whole and damaged.

use super::*;
use runcast_core::table::Numbers;

const HEAD: &str = "\
# cll-trace: 1
# run: {\"name\":\"fft\",\"run\":3,\"rank\":1,\"processes\":4,\"host\":\"a\"}
# clock: {\"kind\":\"tsc\",\"hz\":2.6e9,\"o_in_s\":9e-9,\"o_pair_s\":1.8e-8}
# experiment: {\"name\":\"F\",\"formula\":\"F[0]+F[1]*n\",\"file\":\"fft.c\",\"line\":42,\"names\":[\"n\"],\"seg\":[\"n/P\"],\"at\":\"begin\",\"exits\":\"ok\",\"mode\":\"trace\"}
# roles: {\"params\":[\"n\",\"P\"],\"metrics\":[\"time_s\",\"cpu_s\"],\"units\":{\"time_s\":\"s\"},\"counters\":{\"PAPI_TOT_INS\":\"n/a: no counters on this machine\"}}
region,rank,thread,visit,level,status,visits,n,P,time_s,cpu_s,PAPI_TOT_INS
";

fn rows(count: usize) -> String {
    (0..count).map(|visit| format!("F,0,0,{visit},0,ok,1,{},4,{}e-05,,\n", 64 * (visit + 1), visit + 1)).collect()
}

fn whole() -> String {
    format!(
        "{HEAD}{}# end: {{\"rows\":3,\"open\":1,\"exit\":2,\"clamped\":0,\"rejected\":4,\"spill_s\":0.5}}\n",
        rows(3)
    )
}

fn codes(trace: &Trace) -> Vec<&str> {
    trace.table.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn a_whole_trace_gives_its_table_and_what_its_head_says() {
    let trace = read("fft.cll.3.csv", whole().as_bytes()).expect("good");
    assert!(is_trace(whole().as_bytes()) && !is_trace(b"# roles: {}\nn,time_s\n"));
    assert!(codes(&trace).is_empty(), "{:?}", trace.table.warnings);
    assert_eq!(
        trace.table.column("time_s").and_then(Column::as_numbers).map(Numbers::to_vec),
        Some(vec![1e-5, 2e-5, 3e-5])
    );
    assert!(trace.table.column("cpu_s").and_then(Column::as_numbers).is_some_and(|cpu| cpu.iter().all(|v| v.is_nan())));
    assert_eq!(trace.table.origins.at(2).line, 9);
    let experiment = &trace.metadata.experiments["F"];
    assert_eq!(experiment.template.as_ref().map(ToString::to_string).as_deref(), Some("F[0]+F[1]*n"));
    assert!(experiment.exits_ok && !experiment.at_end);
    assert_eq!((experiment.seg.as_slice(), experiment.line, experiment.trace_line), (&["n/P".to_owned()][..], 42, 4));
    assert_eq!(trace.metadata.counters["PAPI_TOT_INS"], "no counters on this machine");
    let run = trace.metadata.files[0].run.as_ref().expect("told");
    assert_eq!((run.name.as_str(), run.run, run.rank, run.processes), ("fft", Some(3), Some(1), Some(4)));
    let tally = trace.metadata.tally();
    assert_eq!((tally.open, tally.exit, tally.rejected, tally.spill_s), (1, 2, 4, 0.5));
    assert_eq!(trace.metadata.files[0].clock.as_ref().and_then(|clock| clock.o_pair_s), Some(1.8e-8));
}

/// The reader of the other commands sees the same table.
#[test]
fn any_reader_of_tables_sees_the_same_rows() {
    let trace = read("a.csv", whole().as_bytes()).expect("good");
    let table = Table::read("a.csv", whole().as_bytes(), &Default::default()).expect("good");
    assert_eq!(table.columns, trace.table.columns);
    assert_eq!(table.origins, trace.table.origins);
    assert_eq!(table.roles, trace.table.roles);
}

#[test]
fn a_trace_cut_anywhere_gives_the_rows_before_the_cut() {
    let text = whole();
    let header_end = HEAD.len();
    for cut in 0..text.len() {
        let good = text[..cut].matches("\nF,").count();
        match read("a.csv", &text.as_bytes()[..cut]) {
            Ok(trace) => {
                let rows = trace.table.rows();
                // A last row may lack its line end alone.
                assert!(rows == good || rows + 1 == good, "{cut}: {rows} of {good}");
                let full = &[1e-5, 2e-5, 3e-5][..rows];
                assert_eq!(
                    trace.table.column("time_s").and_then(Column::as_numbers).unwrap_or_default().to_vec(),
                    full,
                    "{cut}"
                );
                let is_whole = text[cut..].trim().is_empty();
                assert_eq!(codes(&trace).is_empty(), is_whole, "{cut}");
            }
            Err(problem) => {
                assert!(cut < header_end + rows(1).len(), "{cut}: {problem}");
                assert_eq!(problem.file.as_deref(), Some("a.csv"));
            }
        }
    }
}

#[test]
fn bad_lines_are_left_out_and_told() {
    let mut text = format!("{HEAD}{}", rows(2));
    text.push_str(
        "F,0,0,2,0,ok,1,64,4,1e-05\nF,0,0,2,0,ok,1,64,x,1e-05,,\n\u{fffd}F,0,0,2,0,ok,1,64,4,1,,\n,,,,,,,,,,,,,\n",
    );
    text.push_str(&rows(1));
    text.push_str("# end: {\"rows\":7}\n");
    let trace = read("a.csv", text.as_bytes()).expect("good in parts");
    assert_eq!(trace.table.rows(), 3);
    assert_eq!(codes(&trace), ["truncated"]);
    let warning = &trace.table.warnings[0];
    assert_eq!(warning.line, Some(9));
    assert!(warning.message.contains("4 lines") && warning.message.contains("3 rows"), "{}", warning.message);
    assert!(warning.message.contains("10 of 12 cells"), "{}", warning.message);
}

#[test]
fn junk_is_an_error_with_file_and_line() {
    let problem = |bytes: &[u8]| read("a.csv", bytes).expect_err("an error");
    assert_eq!(problem(b"").code, "empty_table");
    assert_eq!(problem(b"# cll-trace: 1\n").code, "empty_table");
    assert_eq!(problem(b"# cll-trace: 3\nregion,n\n").code, "version");
    assert_eq!(problem(b"# cll-trace: 1\nn,time_s\n1,2\n").code, "bad_header");
    assert_eq!(problem(b"# cll-trace: 1\nregion,n,n\n").code, "bad_header");
    let all_bad = problem(b"# cll-trace: 1\nregion,n\nF\n\xff\xfe\n");
    assert_eq!((all_bad.code.as_str(), all_bad.line), ("damaged_trace", Some(3)));
    let empty = read("a.csv", b"# cll-trace: 1\nregion,n\n# end: {\"rows\":0}\n").expect("a rank that never came by");
    assert_eq!(empty.table.rows(), 0);
}

#[test]
fn a_damaged_head_costs_what_it_says_and_no_more() {
    let text = "# cll-trace: 1\n# run: {\"name\":\n# experiment: {\"name\":\"F\",\"formula\":\"F[0]+\"}\n# roles: 3\nregion,n,time_s\nF,1,2\n# end: {\"rows\":1}\n";
    let trace = read("a.csv", text.as_bytes()).expect("good in parts");
    assert_eq!(trace.table.rows(), 1);
    assert_eq!(codes(&trace), ["damaged_head"; 3]);
    assert!(trace.metadata.experiments["F"].template.is_none());
}

#[test]
fn roles_that_are_lost_are_the_usual_ones() {
    let told = read("a.csv", whole().as_bytes()).expect("good").table.roles.expect("told");
    let lost = whole().replace("# roles: {", "# roles {");
    let guessed = read("a.csv", lost.as_bytes()).expect("good").table.roles.expect("guessed");
    assert_eq!(guessed.parameters, told.parameters);
    assert_eq!(guessed.metrics, ["time_s", "cpu_s", "PAPI_TOT_INS"]);
}

#[test]
fn two_formulas_for_one_experiment_name_both_places() {
    let other = whole().replace("F[0]+F[1]*n", "F[0]+F[1]*n^2");
    let mut first = read("a.csv", whole().as_bytes()).expect("good").metadata;
    let mut warnings = Vec::new();
    let same = read("b.csv", whole().replace("F[0]+F[1]*n", "F[0] + F[1] * n").as_bytes()).expect("good");
    assert_eq!(first.unite(same.metadata, &mut warnings), Ok(()));
    let problem = first.unite(read("c.csv", other.as_bytes()).expect("good").metadata, &mut warnings);
    let problem = problem.expect_err("two formulas");
    assert_eq!(
        (problem.code.as_str(), problem.file.as_deref(), problem.line),
        ("formula_differs", Some("c.csv"), Some(4))
    );
    assert!(problem.message.contains("a.csv:4"), "{}", problem.message);
}

/// A good file with random bytes changed, left out or put in: a table of whole columns, or an error.
#[test]
fn random_damage_gives_a_table_or_an_error() {
    let whole = whole().into_bytes();
    let mut random = runcast_core::random::SplitMix::new(0, 0);
    let mut lossy = 0;
    for _ in 0..5_000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(6) {
            let place = random.below(bytes.len());
            let byte = b"\0\n,\"#{}:0e-x\xff\xc3\r"[random.below(15)];
            match random.below(3) {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                _ => drop(bytes.remove(place)),
            }
        }
        match read("a.csv", &bytes) {
            Ok(trace) => {
                let rows = trace.table.rows();
                assert!(rows <= 4 && trace.table.columns.iter().all(|column| column.len() == rows));
                lossy += usize::from(!trace.table.warnings.is_empty());
            }
            Err(problem) => assert_eq!(problem.file.as_deref(), Some("a.csv")),
        }
    }
    assert!(lossy > 500, "{lossy}");
}
