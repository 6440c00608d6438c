//! `kill -9` at any moment.

use crate::child::Work;
use crate::support::{is_running, records, rows, wait_for};
use std::collections::HashSet;
use std::time::Duration;

/// Kills a benchmark again and again, at moments all over its life, and lets it go on each time.
#[test]
fn kill_9_loses_at_most_the_run_in_flight_and_nothing_is_run_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let (table, log) = (folder.path().join("runs.csv"), folder.path().join("log"));
    let script = format!("echo {{p}} {{rep}} >> {}; sleep 0.01; echo 't: {{p}}'", log.display());
    let mut work = Work::new(&table, &script, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 5);
    work.figures = vec!["t_s=^t: ([0-9]+)$".to_owned()];
    let started = || std::fs::read_to_string(&log).unwrap_or_default();
    let name = |p: f64, rep: u32| format!("{p} {rep}");

    let mut random: u64 = 42;
    let mut kills = 0;
    loop {
        let (noted, seen) = (records(&table), started().lines().count());
        let noted: HashSet<String> =
            noted.iter().map(|r| name(r.run.at.get("p").expect("a parameter"), r.run.rep)).collect();
        let mut bench = work.start(&[]);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Towards the end let it live longer, so that it comes to an end.
        let life = Duration::from_micros((random >> 33) % (100_000 + 4_000 * kills));
        std::thread::sleep(life);
        let over = bench.try_wait().expect("a child of ours").is_some();
        if !over {
            bench.kill().expect("killed");
            bench.wait().expect("a child of ours");
        }
        // The guardian of the run in flight ends it, too.
        wait_for("the run in flight to end", Duration::from_secs(5), || !is_running(&log.display().to_string()));

        let text = started();
        let since: Vec<&str> = text.lines().skip(seen).collect();
        let again: Vec<_> = since.iter().filter(|run| noted.contains(**run)).collect();
        assert!(again.is_empty(), "already noted, but run again: {again:?}");
        let now: HashSet<String> =
            records(&table).iter().map(|r| name(r.run.at.get("p").expect("a parameter"), r.run.rep)).collect();
        assert!(noted.is_subset(&now), "what was noted is lost");
        let lost = since.iter().filter(|run| !now.contains(**run)).count();
        assert!(lost <= 1, "lost {lost} runs of {since:?}");
        if over {
            break;
        }
        // The table is at most one row behind the journal.
        if let Ok(text) = std::fs::read_to_string(&table) {
            // The roles and the header are no runs.
            let lines = text.matches('\n').count().saturating_sub(2);
            assert!(now.len() - lines <= 1, "{lines} rows for {} runs", now.len());
        }
        kills += 1;
        assert!(kills < 200, "it never comes to an end");
    }
    assert!(kills > 5, "hardly ever killed: {kills}");
    let rows = rows(&table);
    let runs: HashSet<_> = rows.iter().map(|row| format!("{} {}", row["p"], row["rep"])).collect();
    assert_eq!((rows.len(), runs.len()), (30, 30));
    assert!(rows.iter().all(|row| row["status"] == "ok" && row["t_s"] == row["p"]));
}

#[test]
fn kill_9_leaves_no_process_behind() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("{}", 3000.0 + f64::from(std::process::id()) * 1e-6);
    // In the group, and out of it.
    let script = format!("sleep {mark} & setsid sleep {mark} & sh -c 'trap \"\" TERM; sleep {mark}'");
    let work = Work::new(&folder.path().join("runs.csv"), &script, &[1.0], 1);
    let mut bench = work.start(&[]);
    wait_for("the program", Duration::from_secs(20), || is_running(&format!("sleep {mark}")));
    std::thread::sleep(Duration::from_millis(100));
    bench.kill().expect("killed");
    bench.wait().expect("a child of ours");
    wait_for("its processes to end", Duration::from_secs(5), || !is_running(&format!("sleep {mark}")));
}
