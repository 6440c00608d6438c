//! The system of the example in the specification.

use super::*;

pub(super) const GALERA: &str = include_str!("../../../../../../testdata/sim/systems/galera.toml");

#[test]
fn sorting_on_galera() {
    let elements = 536_870_912.0 / 64.0;
    let ops = elements * 23.0;
    let blocks = vec![block("sort", elements, ops), block("merge", elements, 0.0), block("split", elements, 0.0)];
    let of = |processes| application(&[("sorter", processes, blocks.clone())]);
    // 64 processes: 12 on each of 5 machines, 4 on the sixth.
    let full = world(GALERA, &of(64), &[]);
    assert_eq!(seconds(&full, 0, &blocks[0]), 2.9e-9 * ops);
    assert_eq!(seconds(&full, 0, &blocks[1]), 4.5e-9 * elements);
    assert_eq!(seconds(&full, 0, &blocks[2]), 1.333e-9 * elements);
    // h counts all processes of the machine: 4 of 12 cores.
    let h = 1.0 + 0.1 * (1.0 - 3.0 / 11.0);
    assert!((seconds(&full, 63, &blocks[0]) / (2.9e-9 * ops / h) - 1.0).abs() < 1e-15);
    assert_eq!((full.place(11).machine, full.place(12).machine, full.place(63).machine), (0, 1, 5));
    assert_eq!((full.place(5).device, full.place(6).device, full.place(12).device), (0, 1, 2));
    let alone = world(GALERA, &of(1), &[]);
    assert!((seconds(&alone, 0, &blocks[0]) / (2.9e-9 * ops / 1.1) - 1.0).abs() < 1e-15);
    assert!(!full.shares(0) && !full.is_noisy());
    // 512 processes: 16 on each machine, 8 on each processor.
    let crowded = world(GALERA, &of(512), &[]);
    assert_eq!(crowded.device(0).placed, 8.0);
    assert_eq!((crowded.place(7).device, crowded.place(8).device, crowded.place(16).device), (0, 1, 2));
    assert!(crowded.shares(0));
    assert!((crowded.throughput(0, 8.0).expect("work") - 12.88 / 2.0).abs() < 1e-12);
    assert_eq!(crowded.throughput(0, 3.0).expect("work"), 3.0);
}

#[test]
fn the_default_is_operations_over_speed_or_bytes_over_bandwidth() {
    let text = GALERA.replace("default_model = \"mpi\"", "");
    // 54.48 Gflop/s on 6 cores; 12 processes on the machine: h = 1, 36/12 GB/s each, softened.
    let blocks = vec![block("", 0.0, 9.08e9), Block { bytes: 1e9, ..Block::default() }];
    let world = world(&text, &application(&[("a", 12, blocks.clone())]), &[]);
    assert!((seconds(&world, 0, &blocks[0]) - 1.0).abs() < 1e-12);
    assert!((seconds(&world, 0, &blocks[1]) - 1e9 / 2.981_101_421_832_264_4e9).abs() < 1e-12);
    let threads = Block { threads: 24.0, ..blocks[0].clone() };
    assert!(
        (seconds(&world, 0, &threads) - 1.0 / (6.0 * 1.22)).abs() < 1e-12,
        "a block has no more than the hardware threads of its device"
    );
    let given = Block { time_s: Some(3.0), ..blocks[0].clone() };
    assert_eq!(seconds(&world, 0, &given), 3.0);
}

#[test]
fn classes_are_few_however_many_machines() {
    let text = GALERA.replace("count = 32", "count = 1000000").replace("down = [16, 2]", "down = [1000, 1000]");
    let blocks = vec![block("sort", 1.0, 1.0)];
    let world = world(&text, &application(&[("sorter", 12_000_000, blocks)]), &[]);
    assert!(world.classes().len() <= 4, "{}", world.classes().len());
    assert_eq!(world.place(11_999_999).machine, 999_999);
    assert_eq!(world.devices(), 2_000_000);
}

#[test]
fn machines_without_enough_memory_are_told() {
    let text = GALERA.replace("power_idle = \"60W\"", "power_idle = \"60W\", memory = \"24GB\"");
    let mut application = application(&[("a", 12, vec![block("sort", 1.0, 1.0)])]);
    application.labels[0].memory = 1.9e9;
    assert!(world(&text, &application, &[]).warnings().is_empty());
    application.labels[0].memory = 2.1e9;
    let warnings = world(&text, &application, &[]).warnings().to_vec();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.contains("12 processes on a machine node need 25.2 GB"), "{}", warnings[0].message);
}

#[test]
fn threads_beyond_the_cores_slow_nobody_down_twice() {
    // One process of 12 threads on each processor of 6 cores, of two hardware threads each: 6*1.22 cores' worth of work.
    let wide = Block { threads: 12.0, ..block("", 0.0, 9.08e9) };
    let text = GALERA.replace("default_model = \"mpi\"", "").replace(", turbo = 0.1", "");
    let alone = world(&text, &application(&[("a", 1, vec![wide.clone()])]), &[]);
    assert!(!alone.shares(0));
    assert!((seconds(&alone, 0, &wide) - 1.0 / (6.0 * 1.22)).abs() < 1e-12);
    // Two of them share it: half of that each.
    let entry =
        Entry { label: "a".to_owned(), on: Some("cpu".to_owned()), list: Some(vec![0, 0, 0, 0]), ..Entry::default() };
    let both = world(&text, &application(&[("a", 4, vec![wide.clone()])]), &[entry]);
    assert_eq!((both.place(0).device, both.place(3).device, both.device(0).placed), (0, 0, 48.0));
    assert!(both.shares(0));
    assert!((both.crowded(&wide, 0, 0).expect("a factor") - 4.0).abs() < 1e-12);
}
