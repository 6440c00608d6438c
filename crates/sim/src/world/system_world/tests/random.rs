//! Noise, random factors of rules, volunteers.

use super::galera::GALERA;
use super::*;
use crate::noise::Distribution;

fn noise() -> NoiseSpec {
    NoiseSpec {
        run: Some(Distribution::exponential(0.004).expect("a law")),
        node: Some(Distribution::uniform(0.0, 0.01).expect("a law")),
        block: Some(Distribution::exponential(0.004).expect("a law")),
        detour: Some(Detour { rate_per_s: 0.05, mean_s: 0.004 }),
        ..NoiseSpec::default()
    }
}

fn noisy_world(repetition: u64) -> SystemWorld {
    let blocks = vec![block("sort", 1e6, 2e7)];
    let key = RunKey { seed: 1, configuration: 2, repetition };
    let options = ModelOptions { noise: Some(noise()), key, ..ModelOptions::default() };
    with(GALERA, &application(&[("sorter", 48, blocks)]), &[], &options)
}

#[test]
fn noise_has_its_mean_and_belongs_to_run_machine_and_block() {
    let block = block("sort", 1e6, 2e7);
    let plain = 2.9e-9 * 2e7;
    let mut sum = 0.0;
    let repetitions = 400;
    for repetition in 0..repetitions {
        let world = noisy_world(repetition);
        assert!(world.is_noisy());
        let cost = world.compute(&block, world.place(0).class).expect("a cost");
        sum += (0..48).map(|process| world.noisy(cost.seconds, process, 0, cost.spread)).sum::<f64>() / 48.0;
    }
    // (1 + 0.004)(1 + 0.005)(1 + 0.004)(1 + 0.05*0.004); deviations 0.4 % a run, the rest far less.
    let expected = plain * 1.004 * 1.005 * 1.004 * 1.0002;
    let seen = sum / repetitions as f64;
    assert!((seen / expected - 1.0).abs() < 4.0 * 0.005 / (repetitions as f64).sqrt(), "{seen} {expected}");
}

#[test]
fn rules_may_have_a_random_factor() {
    let rule = "{ on = \"compute\", type = \"noisy\", value = 1, spread = { kind = \"uniform\", min = 1, max = 2 } }";
    let text = GALERA.replace(
        "rule = [ ",
        &format!("rule = [ {rule}, {{ on = \"compute\", type = \"wide\", spread = {{ kind = \"exp\", mean = 1 }} }}, "),
    );
    let blocks = vec![block("noisy", 1.0, 1.0), block("sort", 1.0, 1.0), block("wide", 1.0, 9.08e9)];
    let world = world(&text, &application(&[("a", 12, blocks.clone())]), &[]);
    assert!(world.is_noisy() && world.has_spreads());
    let cost = |block| world.compute(block, 0).expect("a cost");
    assert_eq!(cost(&blocks[1]).spread, None);
    let noisy = cost(&blocks[0]);
    for process in 0..12 {
        let seen = world.noisy(noisy.seconds, process, 3, noisy.spread);
        assert!((2.0..3.0).contains(&seen), "{seen}");
    }
    assert_ne!(world.noisy(1.0, 0, 0, noisy.spread), world.noisy(1.0, 0, 1, noisy.spread));
    // Without a value the factor is on the default's.
    let wide = cost(&blocks[2]);
    assert!((wide.seconds - 1.0).abs() < 1e-12 && wide.spread.is_some());
}

#[test]
fn volunteers_are_a_crowd_and_their_blocks_take_what_they_compute() {
    let text = r#"
    format = "runcast-system/1"
    component = [
      { id = "crowd", kind = "group" },
      { id = "server", kind = "machine", parent = "crowd", set = { cores = 1, flops_double = "1Gflop/s" } },
      { id = "host", kind = "volunteer", parent = "crowd", count = 100, set = { flops_double = "1Gflop/s", on_mean = "8h", off_mean = "16h", quorum = 3 } },
    ]"#;
    let work = block("", 0.0, 7200e9);
    let application = application(&[("server", 1, vec![work.clone()]), ("host", 10, vec![work.clone()])]);
    let on_hosts = [Entry { label: "host".to_owned(), on: Some("host".to_owned()), ..Entry::default() }];
    let world = world(text, &application, &on_hosts);
    let cost = world.compute(&work, world.place(1).class).expect("a cost");
    assert_eq!((world.place(0).machine, world.place(1).machine, cost.seconds), (0, 1, 7200.0));
    assert_eq!((world.crowd(world.place(0).class), world.crowd(world.place(1).class)), (None, Some(0)));
    let crowd = &world.crowds()[0];
    assert_eq!((crowd.name.as_str(), crowd.hosts, crowd.cores, crowd.volunteer.quorum), ("host", 100, 1.0, 3));
    let handling = Handling { quorum: Some(2), deadline_s: Some(5.0), recorded: None };
    let options = ModelOptions { volunteers: handling.clone(), ..ModelOptions::default() };
    let said = with(text, &application, &on_hosts, &options);
    assert_eq!((said.crowds()[0].volunteer.quorum, said.crowds()[0].volunteer.deadline_s), (2, 5.0));
    let none = with(text, &super::application(&[("server", 1, vec![work])]), &[], &options);
    assert_eq!(none.warnings().last().map(|warning| warning.code.as_str()), Some("no_volunteers"));
}

proptest! {
    #[test]
    fn draws_do_not_depend_on_the_order_of_questions(questions in prop::collection::vec((0_u64..48, 0_u64..20), 1..50)) {
        let world = noisy_world(0);
        let ask = |(process, block): &(u64, u64)| world.noisy(1.0, *process, *block, None).to_bits();
        let forth: Vec<u64> = questions.iter().map(ask).collect();
        let mut back: Vec<u64> = questions.iter().rev().map(ask).collect();
        back.reverse();
        prop_assert_eq!(forth, back);
    }
}
