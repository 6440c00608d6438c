//! Volunteers: against formulas, a slow obvious simulation second by second, and one another's fidelity.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::run::RunResult;
use std::fmt::Write;
use support::run_experiment;

const HOUR: f64 = 3600.0;
const FIDELITIES: [&str; 3] = ["label", "loggops", "flow"];

/// Processes on volunteers.
struct Case<'c> {
    hosts: u32,
    /// What hosts are like.
    set: &'c str,
    processes: u32,
    /// What each does.
    body: &'c str,
    /// Lines of the experiment.
    lines: &'c str,
    /// A recording of hosts.
    trace: &'c str,
}

impl Case<'_> {
    fn play(&self, fidelity: &str) -> Result<RunResult, Problem> {
        let system = format!(
            "format = \"runcast-system/1\"\nname = \"crowd\"\ncomponent = [ {{ id = \"crowd\", kind = \"group\" }},
  {{ id = \"host\", kind = \"volunteer\", parent = \"crowd\", count = {}, set = {{ flops_double = \"1Gflop/s\", {} }} }} ]",
            self.hosts, self.set
        );
        let script = format!("label{{ \"w\", count = {}, run = function(rank) {} end }}", self.processes, self.body);
        let lines = format!(
            "format = \"runcast-experiment/1\"\nname = \"crowd\"\nsystem = \"system.toml\"\nfidelity = \"{fidelity}\"\n{}\n{}
[[app]]\nfile = \"app.luau\"\nplace = [ {{ label = \"w\", on = \"host\" }} ]\n",
            self.lines,
            if self.trace.is_empty() { "" } else { "trace = \"hosts.csv\"" }
        );
        let files = [("system.toml", system.as_str()), ("app.luau", script.as_str()), ("hosts.csv", self.trace)];
        run_experiment(&lines, &files)
    }
}

const TWO_HOURS: &str = "compute{ time = 7200 }";
const KEPT: &str = "on_mean = \"8h\", off_mean = \"16h\"";

#[test]
fn two_hours_take_six_from_on_and_seventeen_from_any_time() {
    // The first block begins in the long run: 6 h + 16 h * 2/3; the second when the host is on. Repetitions differ by
    // sqrt(W/a*2*b^2 + b^2*(2*2/3 - 4/9)) = 20 h.
    let case = Case { hosts: 1, set: KEPT, processes: 1, body: TWO_HOURS, lines: "repetitions = 4000", trace: "" };
    let one = case.play("flow").expect("runs");
    let error = 20.0 / 4000.0_f64.sqrt();
    assert!((one.time_s / HOUR - 16.6667).abs() < 4.0 * error, "{} h", one.time_s / HOUR);
    let two = Case { body: "compute{ time = 7200 } compute{ time = 7200 }", ..case }.play("flow").expect("runs");
    assert!((two.time_s / HOUR - 22.6667).abs() < 4.5 * error, "{} h", two.time_s / HOUR);
    // 24*(exp(1/4) - 1) = 6.8166 h.
    let set = format!("{KEPT}, keeps_progress = false");
    let case = Case { hosts: 1, set: &set, processes: 1, body: TWO_HOURS, lines: "repetitions = 4000", trace: "" };
    let lost = case.play("flow").expect("runs").time_s / HOUR;
    assert!((lost - 16.6667 - 0.8166).abs() < 4.5 * error, "{lost} h");
}

#[test]
fn the_same_hosts_at_every_fidelity() {
    let set = format!("{KEPT}, error_rate = 0.1, deadline = \"20h\"");
    let lines = "repetitions = 3\nquorum = 2";
    let case = Case {
        hosts: 30,
        set: &set,
        processes: 40,
        body: "compute{ time = 3600 } compute{ time = 7200 } compute{ time = 3600 }",
        lines,
        trace: "",
    };
    let seen = FIDELITIES.map(|fidelity| case.play(fidelity).expect("runs"));
    assert_eq!(seen[0].times_s, seen[1].times_s);
    assert_eq!(seen[1].times_s, seen[2].times_s);
    assert!(seen.iter().all(|one| one.volunteers == seen[0].volunteers));
    assert!(seen[0].volunteers.expect("some").late > 0.0);
}

/// Farms of so many workers and tasks of 10 s on ten hosts that are always on.
fn farms(fidelity: &str, all: &[(u32, u32)]) -> RunResult {
    farms_placed(fidelity, all, "")
}

/// The same with workers elsewhere.
fn farms_placed(fidelity: &str, all: &[(u32, u32)], workers_at: &str) -> RunResult {
    let system = "format = \"runcast-system/1\"\nname = \"crowd\"\ncomponent = [ { id = \"crowd\", kind = \"wan\" },
  { id = \"server\", kind = \"machine\", parent = \"crowd\", set = { flops_double = \"1Gflop/s\", cores = 8 } },
  { id = \"host\", kind = \"volunteer\", parent = \"crowd\", count = 10, set = { flops_double = \"1Gflop/s\" } } ]";
    let script = |index: usize| {
        format!(
            "label{{ \"m{index}\", run = function() farm{{ tasks = param(\"tasks\", 1), to = \"w{index}\", task_size = 0,
            result_size = 0, work = {{ time = 10 }} }} end }}
            label{{ \"w{index}\", count = param(\"w\", 1), run = function() farm_worker{{ from = \"m{index}\" }} end }}"
        )
    };
    let head = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"system.toml\"\nfidelity = \"{fidelity}\"\nrepetitions = 1\n"
    );
    let app = |(index, (workers, tasks)): (usize, &(u32, u32))| {
        let hosts = format!("{{ label = \"w{index}\", on = \"host\" }}");
        let workers_at = if workers_at.is_empty() { &hosts } else { workers_at };
        let place = format!("{workers_at}, {{ label = \"m{index}\", on = \"server\" }}");
        format!(
            "[[app]]\nname = \"a{index}\"\nfile = \"a{index}.luau\"\nparams = {{ w = {workers}, tasks = {tasks} }}\nplace = [{place}]\n"
        )
    };
    let apps: String = all.iter().enumerate().map(app).collect();
    let scripts: Vec<(String, String)> =
        (0..all.len()).map(|index| (format!("a{index}.luau"), script(index))).collect();
    let mut files = vec![("system.toml", system)];
    files.extend(scripts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    run_experiment(&format!("{head}{apps}"), &files).expect("runs")
}

/// By hand: 100 tasks of 10 s on ten hosts take 100 s; two such farms 200 s, whose hosts are the same; one of four workers 250 s.
#[test]
fn farms_have_their_hosts_in_common() {
    for fidelity in FIDELITIES {
        for (all, expected_s) in
            [(&[(10, 100)][..], 100.0), (&[(10, 100), (10, 100)], 200.0), (&[(4, 100)], 250.0), (&[(20, 5)], 10.0)]
        {
            let seen = farms(fidelity, all);
            assert!((seen.time_s / expected_s - 1.0).abs() < 1e-3, "{fidelity} {all:?}: {}", seen.time_s);
            let tasks: u32 = all.iter().map(|(_, tasks)| tasks).sum();
            assert_eq!(seen.volunteers.map(|seen| seen.jobs), Some(f64::from(tasks)), "{fidelity} {all:?}");
        }
    }
}

/// By hand: five workers on hosts and five on a machine take 100 s for 100 tasks of 10 s.
#[test]
fn a_farm_may_have_some_workers_elsewhere() {
    for fidelity in FIDELITIES {
        let seen = farms_placed(
            fidelity,
            &[(10, 100)],
            "{ label = \"w0\", on = \"host\", count = 5 }, { label = \"w0\", on = \"server\" }",
        );
        assert!((seen.time_s / 100.0 - 1.0).abs() < 1e-3, "{fidelity}: {}", seen.time_s);
    }
}

#[test]
fn without_repetitions_there_are_twenty_and_a_range() {
    let case = Case { hosts: 4, set: KEPT, processes: 4, body: "compute{ time = 3600 }", lines: "", trace: "" };
    let seen = case.play("label").expect("runs");
    assert_eq!((seen.repetitions, seen.times_s.len(), seen.level), (20, 20, Some(0.9)));
    assert!(seen.time_low_s < seen.time_high_s);
}

#[test]
fn wrong_results_are_asked_for_again() {
    // Two right ones of which a tenth is wrong: 2/0.9 copies.
    let set = format!("{KEPT}, error_rate = 0.1");
    let lines = "repetitions = 1\nquorum = 2";
    let case = Case { hosts: 50, set: &set, processes: 20_000, body: "compute{ time = 60 }", lines, trace: "" };
    let seen = case.play("label").expect("runs").volunteers.expect("jobs");
    // A geometric law of each: deviation sqrt(2*0.1)/0.9.
    let error = 0.497 / 20_000.0_f64.sqrt();
    assert!((seen.copies_per_job - 2.2222).abs() < 4.0 * error, "{seen:?}");
    assert_eq!((seen.jobs, seen.copies - seen.wrong), (20_000.0, 40_000.0));
}

#[test]
fn energy_is_that_of_computing() {
    let set = format!("{KEPT}, power_idle = 0, power_load = \"100W\"");
    let case = Case {
        hosts: 3,
        set: &set,
        processes: 10,
        body: "compute{ time = 3600 }",
        lines: "quorum = 2\nrepetitions = 2",
        trace: "",
    };
    for fidelity in FIDELITIES {
        let seen = case.play(fidelity).expect("runs").energy_j.expect("known");
        assert!((seen / (20.0 * HOUR * 100.0) - 1.0).abs() < 1e-9, "{fidelity}: {seen}");
    }
}

#[test]
fn what_cannot_be_is_told() {
    let case = |set, lines, trace| Case { hosts: 3, set, processes: 1, body: "compute{ time = 3600 }", lines, trace };
    for (set, lines, trace, code) in [
        ("", "quorum = 4", "", "bad_quorum"),
        ("quorum = 4", "", "", "bad_quorum"),
        ("on_mean = \"1s\", off_mean = \"1s\", keeps_progress = false", "", "", "does_not_finish"),
        ("", "", "a,0,5\na,4,6\n", "bad_trace"),
        ("keeps_progress = false", "", "a,1,1000\n", "time_overflow"),
    ] {
        for fidelity in FIDELITIES {
            let problem = case(set, lines, trace).play(fidelity).expect_err(code);
            assert_eq!(problem.code, code, "{fidelity}: {problem}");
        }
    }
}

/// The same, second by second: hosts on as recorded, jobs of whole seconds, all there at the begin.
fn slowly(hosts: &[Vec<(u32, u32)>], works: &[u32], quorum: usize, deadline: Option<u32>, keeps: bool) -> u32 {
    struct Copy {
        job: usize,
        left: u32,
        began: u32,
        late: bool,
    }
    let period = hosts.iter().flatten().map(|(_, end)| *end).max().unwrap_or(0);
    let is_on = |host: usize, now: u32| hosts[host].iter().any(|(from, to)| (*from..*to).contains(&(now % period)));
    let mut queue: Vec<usize> = (0..works.len()).flat_map(|job| vec![job; quorum]).collect();
    let mut at: Vec<Option<Copy>> = hosts.iter().map(|_| None).collect();
    let mut right: Vec<Vec<usize>> = vec![Vec::new(); works.len()];
    for now in 0.. {
        // The second before now.
        for (host, has) in at.iter_mut().enumerate() {
            let Some(copy) = has else { continue };
            if is_on(host, now - 1) {
                copy.left -= 1;
            }
            if copy.left == 0 {
                right[copy.job].push(host);
                *has = None;
            } else if !keeps && !is_on(host, now) {
                copy.left = works[copy.job];
            }
        }
        if right.iter().all(|hosts| hosts.len() >= quorum) {
            return now;
        }
        for host in 0..hosts.len() {
            let Some(copy) = at[host].as_mut().filter(|copy| !copy.late) else { continue };
            if deadline.is_some_and(|deadline| now >= copy.began + deadline) {
                copy.late = true;
                let job = copy.job;
                let under_way = at.iter().flatten().filter(|copy| copy.job == job && !copy.late).count();
                let waiting = queue.iter().filter(|waits| **waits == job).count();
                if right[job].len() + under_way + waiting < quorum {
                    queue.push(job);
                }
            }
        }
        queue.retain(|job| right[*job].len() < quorum);
        for (host, has) in at.iter_mut().enumerate() {
            if has.is_some() || !is_on(host, now) {
                continue;
            }
            if let Some(place) = queue.iter().position(|job| !right[*job].contains(&host)) {
                let job = queue.remove(place);
                *has = Some(Copy { job, left: works[job], began: now, late: false });
            }
        }
    }
    0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn as_a_slow_simulation_says(
        times in prop::collection::vec(prop::collection::vec((1_u32..8, 2_u32..12), 1..4), 2..5),
        works in prop::collection::vec(1_u32..12, 1..8),
        quorum in 1_usize..3,
        deadline in prop::option::of(5_u32..40),
        keeps: bool,
    ) {
        let mut trace = String::from("host,start_s,end_s\n");
        let mut hosts = Vec::new();
        for (host, times) in times.iter().enumerate() {
            let (mut now, mut on) = (0, Vec::new());
            for (off, length) in times {
                let _ = writeln!(trace, "{host},{},{}", now + off, now + off + length);
                on.push((now + off, now + off + length));
                now += off + length;
            }
            hosts.push(on);
        }
        // Each job fits into some time of every host, so that all end.
        let longest = hosts.iter().map(|on| on.iter().map(|(from, to)| to - from).max().unwrap_or(1)).min().unwrap_or(1);
        let works: Vec<u32> = works.into_iter().map(|work| work.min(longest)).collect();
        let expected = slowly(&hosts, &works, quorum, deadline, keeps);
        let mut lines = format!("quorum = {quorum}\nrepetitions = 1\n");
        if let Some(deadline) = deadline {
            let _ = writeln!(lines, "deadline = \"{deadline}s\"");
        }
        let list: String = works.iter().map(|work| format!("{work},")).collect();
        let (body, set) = (format!("compute{{ time = ({{{list}}})[rank + 1] }}"), format!("keeps_progress = {keeps}"));
        let (count, processes) = (hosts.len() as u32, works.len() as u32);
        let case = Case { hosts: count, set: &set, processes, body: &body, lines: &lines, trace: &trace };
        for fidelity in FIDELITIES {
            let seen = case.play(fidelity).expect("runs");
            prop_assert_eq!(seen.time_s, f64::from(expected), "{}", fidelity);
        }
    }
}
