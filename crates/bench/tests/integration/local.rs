//! Benchmarks on this machine.

use crate::support::{entries, plan, records, rows, shell};
use runcast_bench::journal::Entry;
use runcast_bench::{BenchError, Event, Figure, journal_path};
use runcast_core::roles::{TableOptions, roles_of};
use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Table};
use std::sync::atomic::Ordering;
use std::time::Duration;

#[test]
fn a_run_that_fails_is_recorded_with_what_it_said_and_can_be_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let repaired = folder.path().join("repaired");
    let script =
        format!("[ -e {} ] || [ {{p}} -lt 3 ] || {{{{ echo out of paper >&2; exit 7; }}}}", repaired.display());
    let mut bench = shell(&table, &script, plan(&[1.0, 2.0, 3.0, 4.0], 2));
    let outcome = bench.run(&mut ()).expect("it runs");
    assert_eq!((outcome.ok, outcome.failed, outcome.skipped, outcome.interrupted), (4, 4, 0, false));
    assert_eq!(outcome.warnings.iter().filter(|warning| warning.code == "failed_runs").count(), 1);
    for row in rows(&table) {
        let expected = if matches!(row["p"].as_str(), "1" | "2") { "ok" } else { "exit_7" };
        assert_eq!(row["status"], expected, "{row:?}");
        assert!(row["time_s"].parse::<f64>().expect("a number") > 0.0);
        assert!(row["key"].starts_with('r'));
    }
    let failed: Vec<_> = records(&table).into_iter().filter(|record| record.measured.status == "exit_7").collect();
    assert_eq!(failed.len(), 4);
    assert!(failed.iter().all(|record| record.measured.stderr_tail.as_deref() == Some("out of paper\n")));

    let again = bench.run(&mut ()).expect("it runs");
    assert_eq!((again.ok, again.failed, again.skipped), (0, 0, 8), "a failure is a result, too");
    std::fs::write(&repaired, "").expect("written");
    bench.options.retry_failed = true;
    let repaired = bench.run(&mut ()).expect("it runs");
    assert_eq!((repaired.ok, repaired.failed, repaired.skipped), (4, 0, 4));
    assert!(rows(&table).iter().all(|row| row["status"] == "ok"), "the later line counts");
    assert_eq!((rows(&table).len(), records(&table).len()), (8, 12));
}

#[test]
fn the_table_has_its_roles_without_any_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let mut bench = shell(&table, "[ {p} != 4 ] || exit 1; echo $(({p} * 2)).5 Gflop/s", plan(&[1.0, 2.0, 4.0], 2));
    bench.options.figures.push(Figure::parse("perf_gflops=^([0-9.]+) Gflop/s").expect("a good figure"));
    bench.run(&mut ()).expect("it runs");
    let bytes = std::fs::read(&table).expect("a table");
    let read = Table::read("runs.csv", &bytes, &ReadOptions::default()).expect("readable");
    let roles = roles_of(&read, &TableOptions::default()).expect("clear");
    let name = |&column: &usize| read.columns[column].name.as_str();
    assert_eq!(roles.parameters.iter().map(name).collect::<Vec<_>>(), ["p"]);
    let metrics: Vec<_> = roles.metrics.iter().map(|(column, _)| name(column)).collect();
    assert_eq!(metrics, ["time_s", "cpu_s", "peak_bytes", "perf_gflops"]);
    assert!(roles.by.is_empty() && roles.constant.is_empty());
    assert_eq!(roles.status.as_ref().map(name), Some("status"));
}

#[test]
fn time_limits_and_missing_figures_have_their_status() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let script = "case {p} in 1) echo solved in 2.5 s;; 2) sleep 60;; 3) echo nothing;; 4) kill -9 $$;; esac";
    let mut bench = shell(&table, script, plan(&[1.0, 2.0, 3.0, 4.0], 1));
    bench.options.time_limit = Some(Duration::from_millis(300));
    bench.options.figures.push(Figure::parse("solve_s:required=solved in ([0-9.]+) s").expect("a good figure"));
    let outcome = bench.run(&mut ()).expect("it runs");
    assert_eq!((outcome.ok, outcome.failed), (1, 3));
    for row in rows(&table) {
        let (status, figure) = match row["p"].as_str() {
            "1" => ("ok", "2.5"),
            "2" => ("timeout", ""),
            "3" => ("no_figure", ""),
            _ => ("signal_9", ""),
        };
        assert_eq!((row["status"].as_str(), row["solve_s"].as_str()), (status, figure));
    }
}

#[test]
fn what_is_wrong_with_the_input_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let code = |bench: &runcast_bench::Bench| {
        let error = bench.run(&mut ()).expect_err("refused");
        assert!(error.is_usage(), "{error}");
        assert!(!table.exists() && !journal_path(&table).exists());
        Problem::from(error).code
    };
    assert_eq!(code(&shell(&table, "true", plan(&[1.0], 0))), "empty_plan");
    assert_eq!(code(&shell(&table, "echo {M}", plan(&[1.0], 1))), "unknown_name");
    assert_eq!(code(&shell(&table, "echo {1/p}", plan(&[1.0, 0.0], 1))), "not_finite");
    assert_eq!(code(&shell(&table, "true", plan(&[f64::NAN], 1))), "bad_plan");
    let mut bench = shell(&table, "true", plan(&[1.0], 1));
    bench.options.figures.push(Figure::parse("time_s=(.)").expect("a good figure"));
    assert_eq!(code(&bench), "name_taken");
    bench.options.figures.clear();
    bench.template = runcast_bench::Template::new(&["./no-such-program"]).expect("a good template");
    assert_eq!(code(&bench), "program_not_found");
}

#[test]
fn another_command_does_not_touch_the_table_unless_told_to_start_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    shell(&table, "true", plan(&[1.0], 1)).run(&mut ()).expect("it runs");
    let before = std::fs::read_to_string(&table).expect("a table");
    let mut other = shell(&table, "true {p}", plan(&[1.0], 1));
    assert!(matches!(other.run(&mut ()), Err(BenchError::OtherCommand { .. })));
    assert_eq!(std::fs::read_to_string(&table).expect("a table"), before);
    other.options.restart = true;
    assert_eq!(other.run(&mut ()).expect("it runs").ok, 1);
    assert_eq!(std::fs::read_to_string(table.with_file_name("runs.csv.bak")).expect("kept"), before);
    assert!(table.with_file_name("runs.csv.bench.jsonl.bak").exists());
    assert_eq!(records(&table).len(), 1);

    let foreign = folder.path().join("foreign.csv");
    std::fs::write(&foreign, "p,time_s\n1,2\n").expect("written");
    let bench = shell(&foreign, "true", plan(&[1.0], 1));
    assert!(matches!(bench.run(&mut ()), Err(BenchError::ForeignTable { .. })));
    assert_eq!(std::fs::read_to_string(&foreign).expect("there"), "p,time_s\n1,2\n");
}

#[test]
fn a_longer_plan_goes_on_and_a_torn_or_changed_table_is_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    shell(&table, "true", plan(&[1.0, 2.0], 2)).run(&mut ()).expect("it runs");
    let whole = std::fs::read_to_string(&table).expect("a table");

    for cut in [1, 20, whole.len() / 2, whole.len()] {
        std::fs::write(&table, &whole[..whole.len() - cut]).expect("written");
        let outcome = shell(&table, "true", plan(&[1.0, 2.0], 2)).run(&mut ()).expect("it runs");
        assert_eq!((outcome.skipped, outcome.warnings.len()), (4, 0));
        assert_eq!(std::fs::read_to_string(&table).expect("a table"), whole);
    }
    std::fs::write(&table, whole.replace(",ok,", ",fine,")).expect("written");
    let outcome = shell(&table, "true", plan(&[1.0, 2.0], 2)).run(&mut ()).expect("it runs");
    assert_eq!(outcome.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["table_changed"]);
    assert_eq!(std::fs::read_to_string(&table).expect("a table"), whole);
    assert!(std::fs::read_to_string(table.with_file_name("runs.csv.bak")).expect("kept").contains(",fine,"));

    let longer = shell(&table, "true", plan(&[1.0, 2.0, 3.0], 3)).run(&mut ()).expect("it runs");
    assert_eq!((longer.ok, longer.skipped, longer.total), (5, 4, 9));
    let shorter = shell(&table, "true", plan(&[1.0], 1)).run(&mut ()).expect("it runs");
    assert_eq!((shorter.ok, shorter.skipped), (0, 1));
    assert_eq!(rows(&table).len(), 9, "what was measured is never lost");
}

#[test]
fn the_roles_are_written_once_and_stay_as_somebody_left_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let run = |repetitions| {
        let mut bench = shell(&table, "echo took {p}5 steps 7", plan(&[1.0, 2.0], repetitions));
        bench.options.figures =
            ["solve:ms=took ([0-9]+)", "steps:1=steps ([0-9]+)"].map(|text| Figure::parse(text).expect(text)).into();
        bench.run(&mut ()).expect("it runs")
    };
    run(1);
    let text = || std::fs::read_to_string(&table).expect("a table");
    let line = concat!(
        r#"# roles: {"processes":"p","params":["p"],"metrics":["time_s","cpu_s","peak_bytes","solve","steps"],"#,
        r#""units":{"solve":"ms","steps":"1"},"repetition":["rep"]}"#
    );
    assert_eq!(text().lines().next(), Some(line));
    run(2);
    assert_eq!((text().matches("# roles:").count(), rows(&table).len()), (1, 4));

    let read = Table::read("runs.csv", text().as_bytes(), &ReadOptions::default()).expect("a table");
    let roles = roles_of(&read, &TableOptions::default()).expect("roles");
    let metrics: Vec<(&str, &str, f64)> =
        roles.metrics.iter().map(|(_, metric)| (metric.name.as_str(), metric.unit.as_str(), metric.scale)).collect();
    assert_eq!(metrics[3..], [("solve", "s", 1e-3), ("steps", "", 1.0)]);

    for head in ["# roles: {\"params\":[\"p\"]}\n# on the new machine\n", ""] {
        let body =
            text().lines().filter(|line| !line.starts_with('#')).fold(String::new(), |all, line| all + line + "\n");
        std::fs::write(&table, format!("{head}{body}")).expect("written");
        let outcome = run(rows(&table).len() as u32 / 2 + 1);
        assert_eq!((outcome.ok, outcome.warnings.len()), (2, 0), "nothing but the runs is new");
        assert_eq!(text().replacen(head, "", 1).matches('#').count(), 0);
        assert!(text().starts_with(&format!("{head}{body}")), "{}", text());
    }
}

#[test]
fn a_figure_of_unknown_unit_is_refused_before_the_first_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (table, mark) = (folder.path().join("runs.csv"), folder.path().join("mark"));
    let bench = |figure: &str| {
        let mut bench = shell(&table, &format!("touch {}; echo took 5", mark.display()), plan(&[1.0], 1));
        bench.options.figures = vec![Figure::parse(figure).expect(figure)];
        bench
    };
    let error = bench("residual=took ([0-9]+)").run(&mut ()).expect_err("refused");
    assert_eq!(Problem::from(error).code, "unknown_unit");
    assert!(!mark.exists() && !table.exists());
    let outcome = bench("elapsed=took ([0-9]+)").run(&mut ()).expect("it runs");
    assert_eq!(outcome.warnings[0].code, "unit_assumed");
    assert!(std::fs::read_to_string(&table).expect("a table").contains(r#""units":{"elapsed":"s"}"#));
}

#[test]
fn an_interrupt_ends_the_run_in_flight_which_is_made_again_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let mark = folder.path().join("second");
    let script = format!("[ {{rep}} = 0 ] || [ -e {} ] || sleep 60", mark.display());
    let bench = shell(&table, &script, plan(&[1.0], 3));
    let interrupt = bench.options.interrupt.clone();
    let outcome = bench
        .run(&mut |event: Event<'_>| {
            if let Event::Started { rep: 1, .. } = event {
                interrupt.store(true, Ordering::Relaxed);
            }
        })
        .expect("it runs");
    assert_eq!((outcome.ok, outcome.failed, outcome.interrupted), (1, 0, true));
    assert_eq!(rows(&table).len(), 1);
    std::fs::write(&mark, "").expect("written");
    bench.options.interrupt.store(false, Ordering::Relaxed);
    assert_eq!(bench.run(&mut ()).expect("it runs").ok, 2);
}

#[test]
fn every_finished_run_is_in_both_files_before_the_next_one_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    // The program itself counts the rows of the table and of the journal.
    let script =
        format!("echo rows $(grep -c ,ok, {0}) runs $(grep -c '\"entry\":\"run\"' {0}.bench.jsonl)", table.display());
    let mut bench = shell(&table, &script, plan(&[1.0, 2.0, 3.0], 3));
    bench.options.figures.push(Figure::parse("rows_per_s=rows ([0-9]+)").expect("a good figure"));
    bench.options.figures.push(Figure::parse("runs_per_s=runs ([0-9]+)").expect("a good figure"));
    bench.run(&mut ()).expect("it runs");
    for (index, row) in rows(&table).iter().enumerate() {
        assert_eq!((&row["rows_per_s"], &row["runs_per_s"]), (&index.to_string(), &index.to_string()));
    }
}

#[test]
fn warm_ups_are_made_but_not_recorded_and_circumstances_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let log = folder.path().join("log");
    let mut bench = shell(&table, &format!("echo $COLOR >> {}", log.display()), plan(&[1.0, 2.0], 2));
    bench.template.add_env("COLOR=blue{p}").expect("a good template");
    bench.options.warmup = 3;
    bench.options.seed = 11;
    bench.options.record =
        vec![("tool".to_owned(), "echo version 5; echo more".to_owned()), ("none".to_owned(), "false".to_owned())];
    let outcome = bench.run(&mut ()).expect("it runs");
    assert_eq!(outcome.ok, 4);
    let text = std::fs::read_to_string(&log).expect("written");
    assert_eq!((text.matches("blue1").count(), text.matches("blue2").count()), (5, 5));
    assert_eq!(outcome.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["not_recorded"]);

    let entries = entries(&table);
    let Some(Entry::Session(session)) = entries.first() else { panic!("the first line tells the circumstances") };
    assert_eq!((session.kind.as_str(), session.version, session.seed, session.warmup), ("bench-journal", 1, 11, 3));
    assert_eq!(session.recorded["tool"].as_deref(), Some("version 5"));
    assert_eq!(session.recorded["none"], None);
    assert_eq!(session.command.env, [("COLOR".to_owned(), "blue{p}".to_owned())]);
    assert_eq!((session.plan.configurations, session.plan.runs), (2, 4));
    assert!(session.machine.host.is_some() && session.machine.usable_threads.is_some());
    assert!(entries.iter().all(|entry| !matches!(entry, Entry::Run(record) if record.measured.started_at.is_empty())));
}

#[test]
fn the_git_revision_is_recorded() {
    if !crate::support::have(&["git"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let git = |script: &str| {
        let script = format!("cd {} && {script}", folder.path().display());
        assert!(runcast_bench::Supervised::new(["sh", "-c", &script]).run_quietly().end.is_ok(), "{script}");
    };
    git("git init -q . && touch a && git add a && git -c user.name=a -c user.email=a@example.org commit -qm first");
    let table = folder.path().join("runs.csv");
    let mut bench = shell(&table, "true", plan(&[1.0], 1));
    bench.options.git = Some(folder.path().to_owned());
    bench.run(&mut ()).expect("it runs");
    let entries = entries(&table);
    let Some(Entry::Session(session)) = entries.first() else { panic!("the first line tells the circumstances") };
    let git = session.git.as_ref().expect("a revision");
    assert_eq!((git.revision.len(), git.modified), (40, false));
}
