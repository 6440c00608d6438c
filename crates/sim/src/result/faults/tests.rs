//! Replays against the closed form, and what must hold for all.

use super::*;
use crate::noise::{Purpose, RunKey};
use crate::reliability::expected_with_checkpoints;
use proptest::prelude::*;
use runcast_core::random::SplitMix;

const CHECKPOINT: Checkpoint = Checkpoint { cost_s: 0.1, restart_s: 0.2, downtime_s: 0.5 };

fn segments(count: u64, time_s: f64) -> Segments {
    Segments::of(time_s, 0.1, &Faults { checkpoint: CHECKPOINT, rhythm: Rhythm::Segments(count) })
}

/// Mean, standard error of it, mean count and mean loss of replays.
fn means(apps: &[Played], sources: &[Source], checkpoint: &Checkpoint, draws: u64) -> (f64, f64, f64, f64) {
    let (mut sum, mut squares, mut count, mut lost) = (0.0, 0.0, 0.0, 0.0);
    for repetition in 0..draws {
        let mut random = RunKey { seed: 3, configuration: 0, repetition }.stream(Purpose::Fault, 0, 0);
        let one = replay(apps, sources, checkpoint, &mut random);
        sum += one.end_s;
        squares += one.end_s * one.end_s;
        count += one.count as f64;
        lost += one.lost_s;
    }
    let draws = draws as f64;
    let mean = sum / draws;
    (mean, ((squares / draws - mean * mean) / draws).sqrt(), count / draws, lost / draws)
}

#[test]
fn means_are_the_numbers_worked_out_by_hand() {
    // Hours; E(N) by the formula in exact arithmetic (mpmath), least over N at 15.
    for (count, expected) in [(4, 28.506_700_7), (15, 24.763_372_3)] {
        let seen = segments(count, 20.0).expected(0.1, &CHECKPOINT);
        assert!((seen.time_s - expected).abs() < 5e-8, "{seen:?}");
    }
    let best = Segments::of(20.0, 0.1, &Faults { checkpoint: CHECKPOINT, rhythm: Rhythm::Best });
    assert_eq!(best.full, 15.0);
}

#[test]
fn replays_have_the_mean_of_the_closed_form() {
    let apps = [Played { start_s: 0.0, segments: segments(4, 20.0) }];
    let sources = [Source { rate_per_s: 0.1, apps: vec![0] }];
    let (mean, error, count, lost) = means(&apps, &sources, &CHECKPOINT, 200_000);
    assert!((mean - 28.506_700_7).abs() < 4.0 * error && error < 0.02, "{mean} {error}");
    let expected = apps[0].segments.expected(0.1, &CHECKPOINT);
    assert!((count / expected.count - 1.0).abs() < 0.01, "{count} {expected:?}");
    // All time is work, void work, downtime, or restarts: each fault but those during a restart is followed by a whole one, and
    // what those void of it is as long as exponential draws below R: count of them = count*(1 - exp(-0.02)).
    let broken = count * (1.0 - (-0.02_f64).exp());
    let part = 10.0 - 0.2 / 0.02_f64.exp_m1();
    let restarts = (count - broken) * 0.2 + broken * part;
    assert!((20.4 + lost + 0.5 * count + restarts - mean).abs() < 0.02, "{lost} {count} {mean}");
}

#[test]
fn an_interval_leaves_a_shorter_segment_at_the_end() {
    let faults = Faults { checkpoint: CHECKPOINT, rhythm: Rhythm::Interval(6.0) };
    let seen = Segments::of(20.0, 0.1, &faults);
    assert_eq!(seen, Segments { each_s: 6.0, full: 3.0, rest_s: 2.0 });
    assert!((seen.smooth_s(&CHECKPOINT) - 20.4).abs() < 1e-12);
    // 0.3 divides 3 ten times, though not in binary.
    let tenths = Segments::of(3.0, 0.1, &Faults { rhythm: Rhythm::Interval(0.3), ..faults });
    assert_eq!((tenths.full, tenths.rest_s), (10.0, 0.0));
    let apps = [Played { start_s: 0.0, segments: seen }];
    let (mean, error, ..) = means(&apps, &[Source { rate_per_s: 0.1, apps: vec![0] }], &CHECKPOINT, 100_000);
    let one = |seconds: f64| expected_with_checkpoints(0.1, &CHECKPOINT, seconds, 1.0);
    let expected = 3.0 * one(6.0) + one(2.0);
    assert!((mean - expected).abs() < 4.0 * error, "{mean} {expected}");
}

#[test]
fn a_shared_fault_stops_all_who_use_what_fails() {
    // Two like applications: apart, each ends as if alone; together, both end at the same time.
    let app = Played { start_s: 0.0, segments: segments(4, 20.0) };
    let apps = [app.clone(), app.clone()];
    let shared = [Source { rate_per_s: 0.1, apps: vec![0, 1] }];
    let own = [Source { rate_per_s: 0.1, apps: vec![0] }, Source { rate_per_s: 0.1, apps: vec![1] }];
    let (together, error, count, _) = means(&apps, &shared, &CHECKPOINT, 50_000);
    assert!((together - 28.506_700_7).abs() < 4.0 * error, "{together}");
    let alone = app.segments.expected(0.1, &CHECKPOINT).count;
    assert!((count / (2.0 * alone) - 1.0).abs() < 0.02, "{count}");
    let (apart, ..) = means(&apps, &own, &CHECKPOINT, 50_000);
    assert!(apart > together + 1.0, "the later of two: {apart} {together}");
}

#[test]
fn who_has_not_begun_or_has_ended_is_not_stopped() {
    let apps = [
        Played { start_s: 0.0, segments: Segments { each_s: 1.0, full: 1.0, rest_s: 0.0 } },
        Played { start_s: 1000.0, segments: Segments { each_s: 0.0, full: 1.0, rest_s: 0.0 } },
    ];
    let none = Checkpoint::default();
    let sources = [Source { rate_per_s: 1e-9, apps: vec![0] }, Source { rate_per_s: 5.0, apps: vec![1] }];
    let (mean, _, count, _) = means(&apps, &sources, &none, 100);
    assert_eq!((mean, count), (1000.0, 0.0));
}

proptest! {
    #[test]
    fn faults_only_ever_take_time(
        time_s in 0.0..50.0_f64, rate in 0.0..0.2_f64, count in 1_u64..40, seed: u64, cost_s in 0.0..1.0_f64, down in 0.0..3.0_f64,
    ) {
        let checkpoint = Checkpoint { cost_s, restart_s: down / 2.0, downtime_s: down };
        let segments = Segments::of(time_s, rate, &Faults { checkpoint, rhythm: Rhythm::Segments(count) });
        let apps = [Played { start_s: 0.0, segments }];
        let sources = [Source { rate_per_s: rate, apps: vec![0] }];
        let draw = || replay(&apps, &sources, &checkpoint, &mut SplitMix::new(seed, 0));
        let one = draw();
        prop_assert_eq!(one, draw());
        let least = segments.smooth_s(&checkpoint) + one.lost_s + one.count as f64 * down;
        prop_assert!(one.end_s >= least - 1e-9 * (1.0 + least));
        // A restart that holds is whole; one that does not is shorter.
        prop_assert!(one.end_s <= least + one.count as f64 * checkpoint.restart_s + 1e-9 * (1.0 + least));
    }
}

#[test]
fn a_system_keeps_its_faults() {
    use crate::catalogue::Catalogue;
    use crate::system::{Changes, read, write};
    for rhythm in ["", ", interval = '1h'", ", segments = 7"] {
        let text = format!(
            "format = 'runcast-system/1'\nfaults = {{ checkpoint = {{ cost = '1min', restart = 0.1, downtime = 2{rhythm} }} }}\n\
             component = [ {{ id = 'site', kind = 'group' }} ]"
        );
        let of = |text: &str| read(text, "s.toml", Catalogue::builtin(), &Changes::default()).expect("reads").system;
        let system = of(&text);
        assert_eq!(system.faults.expect("there").checkpoint.cost_s, 60.0);
        assert_eq!(of(&write(&system)).faults, system.faults);
    }
}
