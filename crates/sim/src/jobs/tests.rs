//! The queue against a worked case and against a slow second implementation; logs against what is wrong with them.

use super::*;
use proptest::prelude::*;

fn scheduled(jobs: &[Job], size: u64, policy: Policy, faults: Option<Faults>) -> Vec<Scheduled> {
    schedule(jobs, size, policy, faults, &mut |_| Ok(())).expect("scheduled")
}

/// Submission, processors, run time, requested time.
fn line(number: usize, job: (u32, u32, u32, u32)) -> String {
    let (submit, need, run, requested) = job;
    format!("{number} {submit} -1 {run} {need} -1 -1 {need} {requested} -1 1 1 1 -1 1 -1 -1 -1\n")
}

/// The expected numbers are by hand, and by a script of its own.
const TEN: &str = include_str!("../../../../testdata/sim/swf/ten.swf");

#[test]
fn ten_jobs_start_as_by_hand() {
    let log = read(&format!("; a comment\n\n{TEN}"), "ten.swf", 10, Window::default()).expect("reads");
    let cases = [
        (Policy::Fcfs, [0, 0, 60, 100, 100, 200, 230, 230, 260, 260], (121.7, 410.0, 0.568293, 4.247333)),
        (Policy::Easy, [0, 0, 70, 10, 100, 250, 50, 120, 280, 100], (75.7, 330.0, 0.706061, 2.875667)),
    ];
    for (policy, starts, (wait, makespan, utilization, slowdown)) in cases {
        let jobs = scheduled(&log.jobs, 10, policy, None);
        assert_eq!(jobs.iter().map(|one| one.start_s as i32).collect::<Vec<_>>(), starts, "{policy:?}");
        let seen = Statistics::of(&jobs, 10);
        let near = |seen: f64, expected: f64| assert!((seen - expected).abs() < 1e-6, "{policy:?}: {seen}, {expected}");
        near(seen.wait_mean_s, wait);
        near(seen.makespan_s, makespan);
        near(seen.utilization, utilization);
        near(seen.slowdown_bounded_mean, slowdown);
        assert_eq!((seen.killed, jobs[9].status()), (1, Status::Killed), "job 10 runs longer than requested");
    }
}

#[test]
fn what_cannot_run_is_left_out_and_what_cannot_be_read_is_named() {
    let mut text: String = (1..=200).map(|number| line(number, (0, 1, 10, 10))).collect();
    text += &line(201, (0, 11, 10, 10));
    text += &line(202, (0, 0, 10, 10));
    text += "203 0 -1 ten 1 -1 -1 1 10 -1 1 1 1 -1 1 -1 -1 -1\n";
    let log = read(&text, "a.swf", 10, Window::default()).expect("reads");
    assert_eq!((log.jobs.len(), log.left_out), (200, 3));
    assert!(log.warnings[0].message.contains("a.swf:203: field 4 is \"ten\""), "{:?}", log.warnings);
    // Without a requested time the run time counts; without requested processors the allocated ones.
    let bare = read("1 7 -1 30 4 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1", "b.swf", 10, Window::default()).expect("reads");
    let expected = Job { number: 1, submit_s: 7.0, run_s: 30.0, requested_s: 30.0, processors: 4, is_killed: false };
    assert_eq!(bare.jobs, [expected]);
    let window = Window { from_s: 8.0, to_s: 9.0 };
    assert_eq!(read(&text, "a.swf", 10, window).expect_err("nothing then").code, "empty");
    let wrong = read("p,time\n1,2\n", "runs.csv", 10, Window::default()).expect_err("no log");
    assert_eq!((wrong.code.as_str(), wrong.line), ("bad_number", Some(1)));
    assert_eq!(read("1 2 3", "c.swf", 10, Window::default()).expect_err("too short").code, "bad_number");
}

/// The slow, obvious way: all lists are looked at anew, second by second.
fn slowly(jobs: &[Job], size: u64, policy: Policy) -> Vec<f64> {
    let mut start: Vec<Option<f64>> = vec![None; jobs.len()];
    let mut now = 0.0;
    while start.iter().any(Option::is_none) {
        let running = |start: &[Option<f64>]| -> Vec<usize> {
            (0..jobs.len()).filter(|&j| start[j].is_some_and(|s| s <= now && now < s + jobs[j].run_s)).collect()
        };
        let free = |start: &[Option<f64>]| size - running(start).iter().map(|&j| jobs[j].processors).sum::<u64>();
        let waiting = |start: &[Option<f64>]| -> Vec<usize> {
            (0..jobs.len()).filter(|&j| start[j].is_none() && jobs[j].submit_s <= now).collect()
        };
        while let Some(&head) = waiting(&start).first().filter(|&&head| jobs[head].processors <= free(&start)) {
            start[head] = Some(now);
        }
        if let (Policy::Easy, Some(&head)) = (policy, waiting(&start).first()) {
            let mut ends: Vec<(f64, u64)> = running(&start)
                .into_iter()
                .map(|j| (start[j].expect("runs") + jobs[j].requested_s, jobs[j].processors))
                .collect();
            ends.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut then, mut shadow) = (free(&start), f64::INFINITY);
            for (end, processors) in ends {
                if then < jobs[head].processors {
                    then += processors;
                    shadow = end;
                }
            }
            let mut extra = then - jobs[head].processors;
            for j in waiting(&start).into_iter().skip(1) {
                let before = now + jobs[j].requested_s <= shadow;
                if jobs[j].processors <= free(&start) && (before || jobs[j].processors <= extra) {
                    extra -= if before { 0 } else { jobs[j].processors };
                    start[j] = Some(now);
                }
            }
        }
        now += 1.0;
    }
    start.into_iter().map(|start| start.expect("started")).collect()
}

proptest! {
    #[test]
    fn the_queue_is_as_the_slow_one(
        drawn in prop::collection::vec((0_u32..40, 1_u64..8, 1_u32..20, 0_u32..10), 1..25),
        is_easy in any::<bool>(),
    ) {
        let mut jobs: Vec<Job> = drawn
            .iter()
            .enumerate()
            .map(|(number, &(submit, processors, run, more))| Job {
                number: number as u64,
                submit_s: f64::from(submit),
                run_s: f64::from(run),
                // Distinct requested ends: which of two that end together is first does not matter.
                requested_s: f64::from(run + more) + number as f64 / 64.0,
                processors,
                is_killed: false,
            })
            .collect();
        jobs.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
        let policy = if is_easy { Policy::Easy } else { Policy::Fcfs };
        let seen: Vec<f64> = scheduled(&jobs, 8, policy, None).iter().map(|one| one.start_s).collect();
        prop_assert_eq!(seen, slowly(&jobs, 8, policy));
    }
}

#[test]
fn faults_start_jobs_over_and_depend_on_the_seed_alone() {
    let job =
        |number: u64| Job { number, submit_s: 0.0, run_s: 100.0, requested_s: 100.0, processors: 4, is_killed: false };
    let jobs: Vec<Job> = (0..2000).map(job).collect();
    let faults = |seed| Some(Faults { rate_per_s: 0.001, seed, saved: None });
    let seen = scheduled(&jobs, 4, Policy::Fcfs, faults(7));
    assert_eq!(seen, scheduled(&jobs, 4, Policy::Fcfs, faults(7)));
    assert_ne!(seen, scheduled(&jobs, 4, Policy::Fcfs, faults(8)));
    // One after another: a job of T = 100 s under a rate of 0.004/s takes (exp(0.4) - 1)/0.004 s on average.
    let mean = seen.iter().map(|one| one.end_s).fold(0.0, f64::max) / 2000.0;
    let expected = (0.4_f64.exp() - 1.0) / 0.004;
    assert!((mean / expected - 1.0).abs() < 0.05, "{mean}, expected {expected}");
    let statistics = Statistics::of(&seen, 4);
    assert!((statistics.utilization - 1.0).abs() < 1e-9 && statistics.lost_core_s > 0.0, "{statistics:?}");
    let never = [Job { run_s: 1e9, requested_s: 1e9, ..job(0) }];
    let problem = schedule(&never, 4, Policy::Easy, faults(1), &mut |_| Ok(()));
    assert_eq!(problem.expect_err("never ends").code, "does_not_finish");
}

#[test]
fn faults_return_jobs_to_their_last_checkpoint() {
    use crate::faults::Rhythm;
    use crate::reliability::Checkpoint;
    let job =
        |number: u64| Job { number, submit_s: 0.0, run_s: 100.0, requested_s: 100.0, processors: 4, is_killed: false };
    let jobs: Vec<Job> = (0..4000).map(job).collect();
    let checkpoint = Checkpoint { cost_s: 1.0, restart_s: 2.0, downtime_s: 0.0 };
    let saved = Some(crate::faults::Faults { checkpoint, rhythm: Rhythm::Interval(30.0) });
    let faults = Faults { rate_per_s: 0.001, seed: 7, saved };
    let seen = scheduled(&jobs, 4, Policy::Easy, Some(faults));
    // One after another at a rate of 0.004/s: three segments of 30 s and one of 10 s, each with 1 s, restarts of 2 s; each
    // takes exp(0.008)*(exp(0.004*s) - 1)/0.004 s on average.
    let mean = seen.iter().map(|one| one.end_s).fold(0.0, f64::max) / 4000.0;
    let one = |s: f64| 0.008_f64.exp() * ((0.004 * s).exp() - 1.0) / 0.004;
    let expected = 3.0 * one(31.0) + one(11.0);
    assert!((mean / expected - 1.0).abs() < 0.01, "{mean}, expected {expected}");
    let statistics = Statistics::of(&seen, 4);
    assert!((statistics.utilization - 1.0).abs() < 1e-9, "{statistics:?}");
    let over = Statistics::of(&scheduled(&jobs, 4, Policy::Easy, Some(Faults { saved: None, ..faults })), 4);
    assert!(statistics.lost_core_s < 0.5 * over.lost_core_s, "{statistics:?} {over:?}");
}
