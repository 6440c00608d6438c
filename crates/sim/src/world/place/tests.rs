//! Places compared with a slow method that stores everything, and the errors of wrong ones.

use super::*;
use crate::application::{Label, Program, Programs};
use crate::catalogue::Catalogue;
use crate::system::{Changes, read};
use proptest::prelude::*;

fn system(text: &str) -> System {
    let text = format!("format = \"runcast-system/1\"\n{text}");
    let read = read(&text, "s.toml", Catalogue::builtin(), &Changes::default());
    read.unwrap_or_else(|problems| panic!("{problems:?}")).system
}

/// Thin machines with one processor of 2 cores, fat ones with two of 3 cores and two accelerators.
fn two_kinds(thin: u32, fat: u32) -> System {
    system(&format!(
        r#"component = [
        {{ id = "site", kind = "group" }},
        {{ id = "thin", kind = "machine", parent = "site", count = {thin} }},
        {{ id = "small", kind = "cpu", parent = "thin", set = {{ cores = 2 }} }},
        {{ id = "fat", kind = "machine", parent = "site", count = {fat} }},
        {{ id = "gpu", kind = "gpu", parent = "fat", count = 2 }},
        {{ id = "big", kind = "cpu", parent = "fat", count = 2, set = {{ cores = 3 }} }} ]"#
    ))
}

fn labels(counts: &[(&str, u64)]) -> Application {
    let mut application = Application::default();
    application.programs.push(Program::default());
    for (name, count) in counts {
        application.labels.push(Label::new(*name, application.processes(), *count, Programs::Same(0)));
    }
    application
}

fn entry(label: &str, on: &str) -> Entry {
    Entry { label: label.to_owned(), on: Some(on.to_owned()), ..Entry::default() }
}

fn machines(system: &System, application: &Application, entries: &[Entry]) -> Vec<u32> {
    let placement = Placement::new(system, application, entries, &[]).unwrap_or_else(|problems| panic!("{problems:?}"));
    (0..application.processes()).map(|process| placement.seat(process).machine).collect()
}

fn devices(system: &System, application: &Application, entries: &[Entry]) -> Vec<(u32, u32)> {
    let placement = Placement::new(system, application, entries, &[]).unwrap_or_else(|problems| panic!("{problems:?}"));
    let seat = |process| placement.seat(process);
    (0..application.processes()).map(|process| (seat(process).machine, seat(process).device)).collect()
}

#[test]
fn ranks_fill_cores_machine_after_machine() {
    let system = two_kinds(2, 2);
    let application = labels(&[("master", 1), ("slave", 8)]);
    assert_eq!(machines(&system, &application, &[]), [0, 0, 1, 1, 2, 2, 2, 2, 2]);
    // Sixteen cores; seventeen processes are five a machine.
    let application = labels(&[("a", 17)]);
    assert_eq!(machines(&system, &application, &[]), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3]);
}

#[test]
fn processors_of_a_machine_are_filled_in_order_or_get_their_share() {
    let system = two_kinds(1, 1);
    // The accelerators are before the processors: devices 2 and 3 of the second machine.
    let few = labels(&[("a", 4)]);
    assert_eq!(devices(&system, &few, &[entry("a", "fat")]), [(1, 2), (1, 2), (1, 2), (1, 3)]);
    let many = labels(&[("a", 8)]);
    assert_eq!(
        devices(&system, &many, &[entry("a", "fat")]),
        [(1, 2), (1, 2), (1, 2), (1, 2), (1, 3), (1, 3), (1, 3), (1, 3)]
    );
    let on_gpu = labels(&[("a", 2)]);
    assert_eq!(devices(&system, &on_gpu, &[entry("a", "gpu")]), [(1, 0), (1, 1)]);
}

#[test]
fn orders_and_lists() {
    let system = two_kinds(2, 3);
    let application = labels(&[("a", 5)]);
    let with = |change: fn(&mut Entry)| {
        let mut entry = entry("a", "fat");
        change(&mut entry);
        machines(&system, &application, &[entry])
    };
    assert_eq!(with(|entry| entry.per = Some(2)), [2, 2, 3, 3, 4]);
    assert_eq!(with(|entry| (entry.per, entry.order) = (Some(2), Order::Cyclic)), [2, 3, 4, 2, 3]);
    assert_eq!(with(|entry| (entry.per, entry.order) = (Some(4), Order::Cyclic)), [2, 3, 2, 3, 2]);
    assert_eq!(with(|entry| entry.order = Order::Cyclic), [2, 3, 4, 2, 3]);
    assert_eq!(with(|entry| entry.list = Some(vec![2, 0, 0, 1, 2])), [4, 2, 2, 3, 4]);
    let everywhere = Entry { order: Order::Cyclic, on: None, ..entry("a", "") };
    assert_eq!(machines(&system, &application, &[everywhere]), [0, 1, 2, 3, 4]);
}

#[test]
fn an_entry_goes_behind_the_machines_of_earlier_ones() {
    let system = two_kinds(1, 4);
    let one_each = |label: &str| Entry { per: Some(1), ..entry(label, "fat") };
    let entries = [one_each("master"), one_each("slave")];
    // One process a machine: the master on the first, the slaves on the others; four no longer fit there.
    assert_eq!(machines(&system, &labels(&[("master", 1), ("slave", 3)]), &entries), [1, 2, 3, 4]);
    assert_eq!(machines(&system, &labels(&[("master", 1), ("slave", 4)]), &entries), [1, 1, 2, 3, 4]);
}

#[test]
fn a_label_may_have_several_places() {
    let system = two_kinds(2, 2);
    let application = labels(&[("a", 6), ("b", 3)]);
    let first = Entry { count: Some(2), per: Some(1), ..entry("a", "thin") };
    let rest = Entry { per: Some(2), ..entry("a", "fat") };
    // b goes to the cores that are left: one on each thin machine, then the fat ones.
    assert_eq!(machines(&system, &application, &[first, rest]), [0, 1, 2, 2, 3, 3, 0, 1, 2]);
}

#[test]
fn the_script_may_say_where() {
    let system = two_kinds(1, 2);
    let mut application = labels(&[("a", 2), ("b", 1)]);
    application.labels[0].on = Some("fat".to_owned());
    assert_eq!(machines(&system, &application, &[]), [1, 1, 0]);
    // An entry says otherwise.
    assert_eq!(machines(&system, &application, &[entry("a", "thin")]), [0, 0, 1]);
}

#[test]
fn a_billion_processes_cost_nothing() {
    let system = system(
        "component = [{ id = \"node\", kind = \"machine\" }, { id = \"cpu\", kind = \"cpu\", parent = \"node\", set = { cores = 4 } }]",
    );
    let application = labels(&[("a", 1_000_000_000)]);
    let placement = Placement::new(&system, &application, &[], &[]).expect("a placement");
    assert_eq!(placement.seat(999_999_999).machine, 0);
    assert_eq!(placement.on_devices(&placement.zones()[0]), [(0, 0, 1_000_000_000)]);
}

#[test]
fn what_does_not_fit_is_told() {
    let system = two_kinds(2, 2);
    let application = labels(&[("a", 5)]);
    let problem = |entries: &[Entry]| Placement::new(&system, &application, entries, &[]).expect_err("wrong").remove(0);
    let at = Location { file: "e.toml".to_owned(), line: 7, column: 3, pointer: "/app/0/place/0".to_owned() };
    let large = problem(&[Entry { per: Some(1), location: at, ..entry("a", "thin") }]);
    assert_eq!(
        (large.code.as_str(), large.line, large.allowed.as_deref()),
        ("label_too_large", Some(7), Some("3 or more"))
    );
    assert_eq!(problem(&[entry("b", "thin")]).code, "unknown_label");
    assert_eq!(problem(&[entry("a", "thni")]).hint.as_deref(), Some("did you mean thin?"));
    assert_eq!(problem(&[Entry { list: Some(vec![0; 4]), ..entry("a", "thin") }]).code, "bad_list");
    assert_eq!(problem(&[Entry { list: Some(vec![0, 1, 2, 0, 0]), ..entry("a", "thin") }]).code, "bad_list");
    assert_eq!(problem(&[Entry { count: Some(6), ..entry("a", "thin") }]).code, "label_too_small");
    assert_eq!(problem(&[Entry { count: Some(4), ..entry("a", "thin") }]).code, "label_too_large");
    assert_eq!(problem(&[entry("a", "thin"), entry("a", "fat")]).code, "label_too_small");
}

/// The rules of the module, process by process: machine of each, then device by its number on the machine.
fn slowly(system: &System, application: &Application, entries: &[Entry]) -> Vec<(u32, u32)> {
    let kinds: Vec<usize> =
        system.machines().iter().flat_map(|run| std::iter::repeat_n(run.component, run.count as usize)).collect();
    let is = |machine: usize, on: &str| on == "site" || system.components[kinds[machine]].id == on;
    let cores = |machine: usize| if is(machine, "thin") { 2 } else { 6 };
    let mut machines: Vec<Option<usize>> = vec![None; application.processes() as usize];
    let mut taken = vec![0_usize; kinds.len()];
    for label in &application.labels {
        let Some(entry) = entries.iter().find(|entry| entry.label == label.name) else { continue };
        let among: Vec<usize> = (0..kinds.len()).filter(|at| is(*at, entry.on.as_deref().unwrap_or("site"))).collect();
        let range = label.first as usize..(label.first + label.count) as usize;
        let room: usize = among.iter().map(|at| cores(*at)).sum();
        let evenly = range.len().div_ceil(among.len());
        if entry.order == Order::Cyclic {
            let most = entry.per.map_or(among.len(), |per| range.len().div_ceil(per as usize)).min(among.len());
            for (nth, process) in range.enumerate() {
                machines[process] = Some(among[nth % most]);
                taken[among[nth % most]] += 1;
            }
            continue;
        }
        // Behind the last machine of its kind that is taken, if there is room.
        let runs: Vec<usize> = kinds.to_vec();
        let is_behind = |at: usize| (at..kinds.len()).all(|later| runs[later] != runs[at] || taken[later] == 0);
        let behind: Vec<usize> = among.iter().copied().filter(|at| is_behind(*at)).collect();
        let room_behind: usize = behind.iter().map(|at| entry.per.map_or(cores(*at), |per| per as usize)).sum();
        let among = if room_behind >= range.len() { behind } else { among };
        let mut here = vec![0; kinds.len()];
        for process in range.clone() {
            let per = |at: usize| match entry.per {
                Some(per) => per as usize,
                None if range.len() > room => evenly,
                None => cores(at),
            };
            let at = *among.iter().find(|at| here[**at] < per(**at)).expect("room");
            machines[process] = Some(at);
            here[at] += 1;
            taken[at] += 1;
        }
    }
    let open = machines.iter().filter(|machine| machine.is_none()).count();
    let mut free: Vec<usize> = (0..kinds.len()).map(|at| cores(at).saturating_sub(taken[at])).collect();
    if free.iter().sum::<usize>() < open {
        free = vec![open.div_ceil(kinds.len()); kinds.len()];
    }
    for machine in machines.iter_mut().filter(|machine| machine.is_none()) {
        let at = free.iter().position(|free| *free > 0).expect("room");
        free[at] -= 1;
        *machine = Some(at);
    }
    let machines: Vec<usize> = machines.into_iter().map(|machine| machine.expect("placed")).collect();
    let mut nth = vec![0; kinds.len()];
    let seat = |at: &usize| {
        let total = machines.iter().filter(|machine| *machine == at).count();
        let core = if total <= cores(*at) { nth[*at] } else { nth[*at] * cores(*at) / total };
        nth[*at] += 1;
        let device = if is(*at, "thin") { 0 } else { 2 + u32::from(core >= 3) };
        (*at as u32, device)
    };
    machines.iter().map(seat).collect()
}

proptest! {
    #[test]
    fn the_same_as_process_by_process(
        thin in 1_u32..5, fat in 1_u32..5, counts in prop::collection::vec(1_u64..20, 1..5),
        choices in prop::collection::vec((0_usize..4, prop::option::of(1_u64..12), any::<bool>()), 5),
    ) {
        let system = two_kinds(thin, fat);
        let names = ["a", "b", "c", "d"];
        let counts: Vec<(&str, u64)> = names.into_iter().zip(counts).collect();
        let application = labels(&counts);
        let mut entries = Vec::new();
        for ((name, count), (on, per, cyclic)) in counts.iter().zip(&choices) {
            let (on, machines) = match on {
                0 => ("thin", thin),
                1 => ("fat", fat),
                2 => ("site", thin + fat),
                _ => continue,
            };
            let per = per.filter(|per| per * u64::from(machines) >= *count);
            let order = if *cyclic { Order::Cyclic } else { Order::Block };
            entries.push(Entry { per, order, ..entry(name, on) });
        }
        let seen = devices(&system, &application, &entries);
        prop_assert_eq!(&seen, &slowly(&system, &application, &entries));
        // Zones agree with individual places.
        let placement = Placement::new(&system, &application, &entries, &[]).expect("a placement");
        let told: u64 = placement.zones().iter().map(|zone| u64::from(zone.count) * zone.processes()).sum();
        prop_assert_eq!(told, application.processes());
        for zone in placement.zones() {
            for (device, label, count) in placement.on_devices(zone) {
                let label = &application.labels[label as usize];
                let range = label.first as usize..(label.first + label.count) as usize;
                for machine in zone.first..zone.first + zone.count {
                    let there = seen[range.clone()].iter().filter(|seat| **seat == (machine, device)).count();
                    prop_assert_eq!(there as u64, count);
                }
            }
        }
    }
}
