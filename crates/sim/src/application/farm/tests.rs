//! Printed numbers of the queueing network; masters and workers run against each other.

use super::{Customers, Station, master, mean_value_analysis, several_classes, worker};
use crate::application::{Application, Block, Farm, Label, Programs, Schedule};
use crate::cursor::{Action, Expansion};
use crate::job::Received;
use std::collections::{HashMap, VecDeque};

/// The farm of docs/theory/sim.md: Z = 50 ms, 1000 tasks.
#[test]
fn printed_times_of_farms() {
    let time = |workers, demands: &[f64]| {
        let stations: Vec<Station> = demands.iter().map(|demand| Station::one(*demand)).collect();
        1000.0 / mean_value_analysis(workers, 0.05, &stations).throughput
    };
    for (workers, one, two) in [
        (1, 60.0, 64.0),
        (2, 30.833333, 32.90625),
        (4, 16.620763, 17.688997),
        (8, 10.753241, 11.132930),
        (16, 10.000491, 10.004053),
    ] {
        assert!((time(workers, &[0.01]) - one).abs() < 6e-7 * one, "{workers}: {}", time(workers, &[0.01]));
        assert!((time(workers, &[0.01, 0.004]) - two).abs() < 6e-7 * two, "{workers}");
    }
}

#[test]
fn a_billion_customers_take_no_longer_than_a_thousand() {
    let flow = mean_value_analysis(1_000_000_000, 1.0, &[Station::one(0.01), Station::one(0.004)]);
    assert!((flow.throughput * 0.01 - 1.0).abs() < 1e-8);
    // Where the slowest station is not busy all the time, either way.
    let stations = [Station::one(1e-7)];
    let (exact, close) =
        (mean_value_analysis(4_000_000, 1.0, &stations), mean_value_analysis(4_000_001, 1.0, &stations));
    assert!((close.throughput / exact.throughput - 4_000_001.0 / 4_000_000.0).abs() < 1e-9);
    // Little: customers are at the stations or outside.
    let inside = flow.throughput * (1.0 + flow.residence_s.iter().sum::<f64>());
    assert!((inside / 1e9 - 1.0).abs() < 1e-6, "{inside}");
}

/// Two classes that do not differ are one; a class that differs is between the two.
#[test]
fn classes_that_are_alike_are_one() {
    let customers = |count, delay_s| Customers { count, delay_s, demands_s: vec![0.01, 0.004] };
    let alone = mean_value_analysis(9, 0.05, &[Station::one(0.01), Station::one(0.004)]).throughput;
    let both = several_classes(&[customers(5, 0.05), customers(4, 0.05)]).expect("few states");
    assert!((both / alone - 1.0).abs() < 1e-12);
    let slower = several_classes(&[customers(5, 0.05), customers(4, 0.5)]).expect("few states");
    let slowest = several_classes(&[customers(5, 0.5), customers(4, 0.5)]).expect("few states");
    assert!(slowest < slower && slower < alone);
    assert!(several_classes(&[customers(1 << 40, 0.5), customers(4, 0.5)]).is_none());
}

/// With one task under way to each, a station for each slave is the same as a delay only for a single slave.
#[test]
fn a_station_for_each_slave_lets_tasks_wait_there() {
    let stations = [Station::one(0.01), Station { demand_s: 0.05, alike: 1 }];
    let queued = mean_value_analysis(1, 0.0, &stations).throughput;
    assert!((queued - 1.0 / 0.06).abs() < 1e-12);
    // Many under way keep all slaves busy.
    let many = mean_value_analysis(400, 0.0, &[Station::one(0.001), Station { demand_s: 0.05, alike: 4 }]).throughput;
    assert!((many * 0.05 / 4.0 - 1.0).abs() < 0.02, "{many}");
}

fn application(workers: u64, farm: Farm) -> Application {
    let label = |name: &str, first, count| Label::new(name, first, count, Programs::Same(0));
    Application {
        labels: vec![label("master", 0, 1), label("slave", 1, workers)],
        blocks: vec![Block::default(), Block::default()],
        farms: vec![farm],
        ..Application::default()
    }
}

/// Tasks done by each worker, messages to workers, bytes to workers, blocks of the master. Workers are served in turn.
fn run(workers: u64, farm: Farm) -> (Vec<u64>, u64, u64, u64) {
    let application = application(workers, farm);
    let mut processes: Vec<Box<dyn Expansion>> = vec![master(&application, 0)];
    processes.extend((0..workers).map(|rank| worker(&application, 0, 1 + rank)));
    let mut boxes: HashMap<(u64, i64), VecDeque<Received>> = HashMap::new();
    let mut requests: Vec<HashMap<u32, Option<i64>>> = vec![HashMap::new(); processes.len()];
    let mut waiting: Vec<Option<i64>> = vec![None; processes.len()];
    let mut over = vec![false; processes.len()];
    let (mut done, mut messages, mut bytes, mut collected) = (vec![0; workers as usize], 0, 0, 0);
    loop {
        let mut moved = false;
        for at in 0..processes.len() {
            let mut received = None;
            // A step each, so that workers take turns.
            while !over[at] {
                if let Some(tag) = waiting[at] {
                    match boxes.get_mut(&(at as u64, tag)).and_then(VecDeque::pop_front) {
                        Some(message) => received = Some(message),
                        None => break,
                    }
                    waiting[at] = None;
                }
                moved = true;
                match processes[at].next(received.take()) {
                    None => over[at] = true,
                    Some(Action::Isend { to, size, tag, request, .. }) => {
                        assert!(requests[at].insert(request, None).is_none(), "a number is used while under way");
                        boxes.entry((to, tag)).or_default().push_back(Received { from: at as u64, size, tag });
                        messages += 1;
                        bytes += size;
                    }
                    Some(Action::Send { to, size, tag }) => {
                        boxes.entry((to, tag)).or_default().push_back(Received { from: at as u64, size, tag });
                        // What goes back is counted by its collection.
                        messages += u64::from(at == 0);
                        bytes += if at == 0 { size } else { 0 };
                    }
                    Some(Action::Recv { tag, .. }) => waiting[at] = Some(tag),
                    Some(Action::Irecv { tag, request, .. }) => {
                        assert!(requests[at].insert(request, Some(tag)).is_none());
                    }
                    Some(Action::Wait { request }) => {
                        waiting[at] = requests[at].remove(&request).expect("a request");
                    }
                    Some(Action::Compute(0)) => {
                        done[at - 1] += 1;
                        break;
                    }
                    Some(Action::Compute(1)) => collected += 1,
                    other => panic!("unexpected {other:?}"),
                }
            }
        }
        if !moved {
            break;
        }
    }
    assert!(over.iter().all(|over| *over), "a process waits forever");
    assert!(boxes.values().all(VecDeque::is_empty) && requests.iter().all(HashMap::is_empty));
    (done, messages, bytes, collected)
}

fn farm(tasks: u64, window: u32, schedule: Schedule) -> Farm {
    Farm { master: 0, to: 1, tasks, task_size: 100, result_size: 7, work: 0, master_work: Some(1), window, schedule }
}

#[test]
fn every_task_is_done_once_whatever_the_schedule() {
    for schedule in [Schedule::Dynamic, Schedule::Static, Schedule::Guided] {
        for window in [1, 2, 5] {
            for tasks in [0, 1, 3, 4, 5, 100] {
                for workers in [1, 2, 4, 7] {
                    let mut farm = farm(tasks, window, schedule);
                    for size in [100, 0] {
                        farm.task_size = size;
                        let (done, messages, bytes, collected) = run(workers, farm.clone());
                        assert_eq!(done.iter().sum::<u64>(), tasks, "{schedule:?} {window} {workers}");
                        assert_eq!((bytes, collected), (tasks * size.max(1), tasks));
                        let ends = workers * if schedule == Schedule::Static { 1 } else { u64::from(window) };
                        let batches = messages - ends;
                        match schedule {
                            Schedule::Dynamic => assert_eq!(batches, tasks),
                            Schedule::Static => {
                                assert_eq!(batches, tasks.min(workers));
                                assert!(done.iter().max().unwrap_or(&0) - done.iter().min().unwrap_or(&0) <= 1);
                            }
                            Schedule::Guided => assert!(batches <= tasks),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn guided_batches_halve_what_is_left() {
    let mut batches = super::Batches::new(&farm(100, 1, Schedule::Guided), 4);
    let first: Vec<u64> = (0..6).map(|_| batches.next_batch()).collect();
    assert_eq!(first, [12, 11, 9, 8, 7, 6]);
    let mut total: u64 = first.iter().sum();
    loop {
        match batches.next_batch() {
            0 => break,
            batch => total += batch,
        }
    }
    assert_eq!(total, 100);
}
