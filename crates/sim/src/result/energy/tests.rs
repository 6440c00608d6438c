//! Energies worked out by hand, and what must hold for all.

use super::*;
use crate::application::{Application, Block, Label, Op, Program, Programs, Site};
use crate::catalogue::Catalogue;
use crate::outcome::{DeviceAccount, LabelAccount};
use crate::reliability::rates;
use crate::system::{Changes, System, read};
use crate::tick::NANOSECOND;
use crate::world::ModelOptions;
use proptest::prelude::*;

const S: u128 = 1_000_000_000;

fn system(components: &str) -> System {
    let text = format!("format = \"runcast-system/1\"\n{components}");
    let read = read(&text, "s.toml", Catalogue::builtin(), &Changes::default());
    read.unwrap_or_else(|problems| panic!("{problems:?}")).system
}

fn world(system: &System, processes: u64) -> SystemWorld {
    let mut application = Application::default();
    application.blocks.push(Block::default());
    application.programs.push(Program { ops: vec![(Op::Compute(0), Site::default())], requests: 0 });
    application.labels.push(Label::new("a", 0, processes, Programs::Same(0)));
    let world = SystemWorld::new(system, &application, &[], &ModelOptions::default());
    world.unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// All devices alike: this many threads computing for so long, then as many blocked for so long.
fn by_device(devices: u32, threads: u32, computing_s: u128, blocked_s: u128) -> Outcome {
    let account = DeviceAccount {
        computing: vec![(f64::from(threads), computing_s * S)],
        blocked: u128::from(threads) * blocked_s * S,
        ..DeviceAccount::default()
    };
    Outcome { devices: vec![account; devices as usize], labels: vec![LabelAccount::default()], ..Outcome::default() }
}

/// The same as the label engine reports it.
fn by_label(processes: u64, computing_s: u128, blocked_s: u128) -> Outcome {
    let mut label =
        LabelAccount { finish: u128::from(processes) * (computing_s + blocked_s) * S, ..LabelAccount::default() };
    label.ticks[Activity::Compute as usize] = computing_s * S;
    label.ticks[Activity::Wait as usize] = blocked_s * S;
    label.ticks.iter_mut().for_each(|ticks| *ticks *= u128::from(processes));
    Outcome { labels: vec![label], ..Outcome::default() }
}

fn total(world: &SystemWorld, outcome: &Outcome, end_s: f64) -> f64 {
    energy(world, outcome, end_s, NANOSECOND, EnergyOptions::default()).expect("no rules").total_j.expect("known")
}

fn four_machines(more: &str) -> System {
    system(&format!(
        r#"component = [
        {{ id = "cluster", kind = "group" }},
        {{ id = "node", kind = "machine", parent = "cluster", count = 8, set = {{ power_idle = "60W" }} }},
        {{ id = "cpu", kind = "cpu", parent = "node", count = 2, set = {{ cores = 6, power_idle = "20W", power_load = "80W"{more} }} }} ]"#
    ))
}

#[test]
fn four_machines_for_a_hundred_seconds() {
    for (more, expected) in [("", 73_600.0), (", wait_activity = 1", 88_000.0), (", wait_activity = 0.5", 80_800.0)] {
        let world = world(&four_machines(more), 48);
        assert_eq!(total(&world, &by_device(16, 6, 70, 30), 100.0), expected, "{more}");
        assert_eq!(total(&world, &by_label(48, 70, 30), 100.0), expected, "{more}");
    }
}

#[test]
fn shares_of_components_are_told() {
    let world = world(&four_machines(""), 48);
    let seen =
        energy(&world, &by_device(16, 6, 70, 30), 100.0, NANOSECOND, EnergyOptions::default()).expect("no rules");
    let [group, node, cpu] = seen.components.as_slice() else { panic!("three components") };
    assert_eq!((group.used, group.idle_j, group.utilization), (1, Some(0.0), None));
    assert_eq!((node.used, node.idle_j, node.load_j), (4, Some(24_000.0), Some(0.0)));
    assert_eq!((cpu.used, cpu.idle_j, cpu.load_j), (8, Some(16_000.0), Some(33_600.0)));
    assert_eq!((cpu.busy_s, node.busy_s), (Some(560.0), Some(280.0)));
    assert!((cpu.utilization.expect("told") - 0.7).abs() < 1e-12);
    let all = EnergyOptions { include_unused: true };
    let mut outcome = by_device(8, 6, 70, 30);
    outcome.devices.extend(vec![DeviceAccount::default(); 8]);
    let more = energy(&world, &outcome, 100.0, NANOSECOND, all).expect("no rules");
    // Four more machines at rest.
    assert_eq!(more.total_j, Some(73_600.0 + 4.0 * 100.0 * 100.0));
    assert_eq!(more.components[2].used, 16);
}

#[test]
fn machines_may_have_a_table() {
    let text = r#"component = [
        { id = "cluster", kind = "group" },
        { id = "node", kind = "machine", parent = "cluster", count = 8, set = { power_threads = [[0,100],[1,130],[6,180],[12,200]] } },
        { id = "cpu", kind = "cpu", parent = "node", count = 2, hardware = "intel-xeon-l5640" } ]"#;
    let world = world(&system(text), 48);
    assert_eq!(total(&world, &by_device(16, 6, 70, 30), 100.0), 4.0 * 17_000.0);
    assert_eq!(total(&world, &by_label(48, 70, 30), 100.0), 4.0 * 17_000.0);
}

#[test]
fn machines_may_have_a_rule() {
    let text = r#"
        default_model = "m"
        component = [
        { id = "cluster", kind = "group" },
        { id = "node", kind = "machine", parent = "cluster", count = 8, set = { power_idle = "60W" } },
        { id = "cpu", kind = "cpu", parent = "node", count = 2, hardware = "intel-xeon-l5640" } ]
        [model.m]
        coeff = { a = 100, b = 10 }
        rule = [ { on = "power", value = "c.a + c.b*busy" } ]"#;
    let world = world(&system(text), 48);
    assert_eq!(total(&world, &by_device(16, 6, 70, 30), 100.0), 4.0 * (100.0 * 100.0 + 10.0 * 12.0 * 70.0));
}

#[test]
fn what_is_missing_is_assumed_or_told() {
    let of = |set: &str| {
        let text = format!(
            r#"component = [
            {{ id = "node", kind = "machine" }},
            {{ id = "cpu", kind = "cpu", parent = "node", set = {{ cores = 4{set} }} }} ]"#
        );
        let world = world(&system(&text), 4);
        energy(&world, &by_device(1, 4, 10, 0), 10.0, NANOSECOND, EnergyOptions::default()).expect("no rules")
    };
    let assumed = of(", power_load = 100");
    assert_eq!(assumed.total_j, Some(1000.0));
    assert_eq!(assumed.components[1].idle_j, Some(400.0));
    assert_eq!(assumed.assumed, ["cpu: power_idle = 40 W, 0.4 of power_load"]);
    let unknown = of(", power_idle = 40");
    assert_eq!(unknown.total_j, None);
    assert!(unknown.reason.expect("told").contains("cpu has no power_load"));
}

#[test]
fn a_machine_may_be_its_own_device() {
    let text = r#"component = [
        { id = "node", kind = "machine", set = { cores = 4, power_idle = "10W", power_load = "50W", flops_double = "4Gflop/s" } } ]"#;
    let world = world(&system(text), 4);
    assert_eq!(total(&world, &by_device(1, 2, 5, 0), 10.0), 100.0 + 40.0 * 0.5 * 5.0);
}

#[test]
fn rates_are_summed_over_what_is_used() {
    let text = r#"component = [
        { id = "cluster", kind = "group" },
        { id = "node", kind = "machine", parent = "cluster", count = 1000, set = { mtbf = "5y" } },
        { id = "cpu", kind = "cpu", parent = "node", set = { cores = 2 } } ]"#;
    let world = world(&system(text), 2000);
    let seen = rates(&world, &used(&world, false)).expect("no rules");
    let per_hour = seen.total_per_s.expect("known") * 3600.0;
    assert!((per_hour - 0.022_831_050_2).abs() < 5e-11, "{per_hour}");
    assert_eq!(seen.unknown, ["cpu"]);
    assert_eq!(seen.components[0], None);
    // Half of them.
    let half = self::world(&system(text), 1000);
    let half = rates(&half, &used(&half, false)).expect("no rules").total_per_s.expect("known");
    assert!((half * 3600.0 - 0.022_831_050_2 / 2.0).abs() < 5e-11);
}

#[test]
fn groups_are_counted_where_machines_are_used() {
    let text = r#"component = [
        { id = "site", kind = "group" },
        { id = "rack", kind = "group", parent = "site", count = 4, set = { power_idle = "200W" } },
        { id = "node", kind = "machine", parent = "rack", count = 4 },
        { id = "cpu", kind = "cpu", parent = "node", set = { cores = 2, power_idle = 10, power_load = 20 } },
        { id = "disk", kind = "storage", parent = "site", set = { power_idle = 5, read_bandwidth = "1GB/s" } } ]"#;
    let world = world(&system(text), 18);
    // Nine machines: two whole racks and one of the third.
    assert_eq!(used(&world, false), [1, 3, 9, 9, 0]);
    assert_eq!(used(&world, true), [1, 4, 16, 16, 1]);
    assert_eq!(total(&world, &by_device(9, 2, 10, 0), 10.0), 3.0 * 2000.0 + 9.0 * 200.0);
}

proptest! {
    #[test]
    fn one_component_takes_power_times_time(
        idle in 0.0_f64..100.0, load in 100.0_f64..500.0, end in 1_u32..10_000, cores in 1_u32..64,
    ) {
        let text = format!(
            r#"component = [
            {{ id = "node", kind = "machine" }},
            {{ id = "cpu", kind = "cpu", parent = "node", set = {{ cores = {cores}, power_idle = {idle}, power_load = {load} }} }} ]"#
        );
        let world = world(&system(&text), u64::from(cores));
        let end_s = f64::from(end);
        let busy = total(&world, &by_device(1, cores, u128::from(end), 0), end_s);
        prop_assert!((busy / (load * end_s) - 1.0).abs() < 1e-12);
        let rest = total(&world, &Outcome { devices: vec![DeviceAccount::default()], ..by_device(1, 1, 0, 0) }, end_s);
        prop_assert!((rest - idle * end_s).abs() <= 1e-9 * rest.max(1.0));
        // Nothing can fail: the chance is 0, and unknown is not 0.
        let rates = rates(&world, &used(&world, false)).expect("no rules");
        prop_assert_eq!(rates.total_per_s, None);
        prop_assert_eq!(crate::reliability::failure_probability(0.0, end_s), 0.0);
    }

    #[test]
    fn waiting_takes_power_between_rest_and_load(activity in 0.0_f64..1.0, computing in 0_u32..100, blocked in 0_u32..100) {
        prop_assume!(computing + blocked > 0);
        let end_s = f64::from(computing + blocked);
        let world = world(&four_machines(&format!(", wait_activity = {activity}")), 48);
        let seen = total(&world, &by_device(16, 6, u128::from(computing), u128::from(blocked)), end_s);
        let expected = 4.0 * end_s * 100.0 + 8.0 * 60.0 * (f64::from(computing) + activity * f64::from(blocked));
        prop_assert!((seen / expected - 1.0).abs() < 1e-9, "{} {}", seen, expected);
    }
}
