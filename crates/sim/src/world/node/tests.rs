//! The law of a node against a slow second one.

use super::*;
use proptest::prelude::*;

/// No rules: cores are not shared out, and rules take the time of 1 GB.
struct Plain;

impl Rules for Plain {
    fn throughput(&self, domain: &Domain, threads: f64) -> Result<f64, Problem> {
        Ok(threads.min(domain.cores))
    }

    fn seconds(&self, running: &Running, bw: f64) -> Result<f64, Problem> {
        Ok(1e9 / (running.threads * bw))
    }
}

fn domain(cores: f64, memory: usize) -> Domain {
    Domain {
        class: 0,
        device: 0,
        is_processor: true,
        share: 1.0,
        cores,
        turbo: 0.0,
        memory,
        placed: 0.0,
        counts_placed: false,
    }
}

fn running(domain: u32, count: f64, threads: f64, need: Need) -> Running {
    Running { domain, count, threads, block: 0, class: 0, seconds: 1.0, need }
}

/// Bytes per second of each block, by raising the level of all per thread in bisection until the pool is full.
fn level(pool: f64, asks: &[(f64, f64, f64)]) -> Vec<f64> {
    let got = |level: f64| asks.iter().map(move |(_, threads, most)| most.min(level * threads));
    let all = |level: f64| -> f64 { asks.iter().zip(got(level)).map(|((count, ..), got)| count * got).sum() };
    let (mut low, mut high) = (0.0, pool);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if all(middle) <= pool { low = middle } else { high = middle }
    }
    got(low).collect()
}

fn blocks() -> impl Strategy<Value = Vec<(f64, f64, f64, f64)>> {
    let one = (1_u32..8, 1_u32..6, 0.0_f64..2.0, 0.0_f64..50e9);
    prop::collection::vec(
        one.prop_map(|(count, threads, s, bytes)| (f64::from(count), f64::from(threads), s, bytes)),
        1..8,
    )
}

proptest! {
    #[test]
    fn rates_are_those_of_a_level_that_rises(blocks in blocks(), cores in 1_u32..64, core in 1e9_f64..2e10, all in 1e9_f64..4e11) {
        let memory = MemoryLaw { core: Some(core), all: Some(all), sharpness: f64::INFINITY };
        let law = NodeLaw { domains: vec![domain(f64::from(cores), 0)], memories: vec![memory], turbo: None };
        let asked: Vec<Running> = blocks
            .iter()
            .map(|(count, threads, computing_s, memory)| {
                running(0, *count, *threads, Need::Roofline { computing_s: *computing_s, memory: *memory, cache_s: 0.0 })
            })
            .collect();
        let mut rates = Vec::new();
        law.progress(&asked, &Plain, &mut rates).expect("rates");
        let k: f64 = blocks.iter().map(|(count, threads, ..)| count * threads).sum();
        let s = k.min(f64::from(cores)) / k;
        let moving: Vec<&(f64, f64, f64, f64)> = blocks.iter().filter(|(.., bytes)| *bytes > 0.0).collect();
        let asks: Vec<(f64, f64, f64)> = moving
            .iter()
            .map(|(count, threads, computing_s, bytes)| (*count, *threads, (threads * s * core).min(bytes * s / computing_s)))
            .collect();
        let taken: f64 = moving.iter().map(|(count, threads, ..)| count * threads * s * core).sum();
        let mut shares = level(taken.min(all), &asks).into_iter();
        for ((_, _, computing_s, bytes), rate) in blocks.iter().zip(&rates) {
            let share = if *bytes > 0.0 { shares.next().expect("one each") / bytes } else { f64::INFINITY };
            let expected = (s / computing_s).min(share);
            prop_assert!((rate / expected - 1.0).abs() < 1e-9, "{} instead of {}", rate, expected);
        }
    }

    #[test]
    fn no_more_bytes_flow_than_there_are(blocks in blocks(), sharpness in 1.0_f64..20.0) {
        let memory = MemoryLaw { core: Some(12e9), all: Some(100e9), sharpness };
        let law = NodeLaw { domains: vec![domain(48.0, 0)], memories: vec![memory], turbo: Some((0.2, 48.0)) };
        let need = |(_, _, computing_s, memory): &(f64, f64, f64, f64)| {
            Need::Roofline { computing_s: *computing_s, memory: *memory, cache_s: 0.0 }
        };
        let asked: Vec<Running> = blocks.iter().map(|one| running(0, one.0, one.1, need(one))).collect();
        let mut rates = Vec::new();
        law.progress(&asked, &Plain, &mut rates).expect("rates");
        let flow: f64 = blocks.iter().zip(&rates).filter(|(one, _)| one.3 > 0.0).map(|(one, rate)| one.0 * one.3 * rate).sum();
        prop_assert!(flow <= 100e9 * (1.0 + 1e-12), "{}", flow);
        prop_assert!(rates.iter().all(|rate| *rate > 0.0));
    }
}

#[test]
fn rules_take_a_share_like_others() {
    let memory = MemoryLaw { core: Some(10e9), all: Some(30e9), sharpness: f64::INFINITY };
    let law = NodeLaw { domains: vec![domain(8.0, 0), domain(8.0, 0)], memories: vec![memory], turbo: None };
    let other = Need::Roofline { computing_s: 0.0, memory: 2e9, cache_s: 0.0 };
    let asked = [running(0, 2.0, 1.0, Need::Rule), running(1, 1.0, 4.0, other), running(1, 1.0, 1.0, Need::Cores)];
    let mut rates = Vec::new();
    law.progress(&asked, &Plain, &mut rates).expect("rates");
    // 30 GB/s over 6 threads: 5 each; 1 GB at 5 GB/s, 2 GB at 20.
    assert_eq!(rates, [5.0, 10.0, 1.0]);
}

#[test]
fn what_is_placed_may_count_in_place_of_what_runs() {
    let memory = MemoryLaw { core: Some(10e9), all: Some(40e9), sharpness: f64::INFINITY };
    let placed = Domain { placed: 16.0, counts_placed: true, ..domain(8.0, 0) };
    let law = NodeLaw { domains: vec![placed], memories: vec![memory], turbo: None };
    let need = Need::Roofline { computing_s: 0.0, memory: 1e9, cache_s: 0.0 };
    let mut rates = Vec::new();
    law.progress(&[running(0, 1.0, 1.0, need), running(0, 1.0, 1.0, Need::Cores)], &Plain, &mut rates).expect("rates");
    // 16 threads share 40 GB/s, and 8 cores.
    assert_eq!(rates, [2.5, 0.5]);
}
