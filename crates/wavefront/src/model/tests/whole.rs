//! Processes, links, modes, starts and degrees.

use super::{good, two};
use crate::model::{Contraction, Model};

fn message(model: &Model, mode: usize, from: usize, to: usize) -> u64 {
    model.modes.laws[mode].message[from][to].least()
}

#[test]
fn one_process_needs_no_network() {
    let model = good("wavefront.step = '1s'\nprocess.update = { constant = '2s' }").model;
    assert_eq!((model.size(), model.messages().count()), (1, 0));
    assert!(matches!(model.contraction, Contraction::Unknown));
    assert_eq!(model.digits_per_application(), None);
}

#[test]
fn a_count_is_identical_processes_and_the_later_link_wins() {
    let model = good(
        "wavefront.step = '1s'
        [[process]]
        name = 'ws1'
        count = 3
        A = 2
        B = 1
        update = { constant = '2s' }
        [[process]]
        update = { constant = '3s' }
        [network]
        default = { constant = 1 }
        [[network.link]]
        from = 'ws1'
        to = 'p4'
        time = { constant = 5 }
        [[network.link]]
        from = '*'
        to = 'ws1-2'
        time = { constant = 7 }
        [[network.link]]
        from = 'ws1-1'
        to = '*'
        time = { constant = 0 }",
    )
    .model;
    let names: Vec<&str> = model.processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!(names, ["ws1-1", "ws1-2", "ws1-3", "p4"]);
    assert_eq!((model.processes[2].alpha_updates, model.processes[3].alpha_updates), (2, 1));
    let found: Vec<Vec<u64>> = (0..4).map(|from| (0..4).map(|to| message(&model, 0, from, to)).collect()).collect();
    assert_eq!(found, [[0, 0, 0, 0], [1, 0, 1, 5], [1, 7, 0, 5], [1, 7, 1, 0]]);
    // Identical processes share one law.
    assert!(std::sync::Arc::ptr_eq(&model.modes.laws[0].update[0], &model.modes.laws[0].update[2]));
}

#[test]
fn modes_put_laws_over_others() {
    let model = good(&two(
        "step = 1",
        "[[modes]]
        states = ['calm', 'busy']
        Q = [[0.99, 0.01], [0.03, 0.97]]
        start = 'busy'
        override = [ { state = 'busy', process = 'b', update = { constant = 6 } },
                     { state = 'busy', from = 'a', to = '*', time = { constant = 4 } } ]",
    ))
    .model;
    assert_eq!((model.modes.count(), model.modes.start.as_slice()), (2, [0.0, 1.0].as_slice()));
    assert_eq!(model.modes.names, ["calm", "busy"]);
    assert_eq!(model.modes.laws[0].update[1].least(), 3);
    assert_eq!(model.modes.laws[1].update[1].least(), 6);
    assert_eq!((message(&model, 1, 0, 1), message(&model, 1, 1, 0)), (4, 1));
    assert_eq!(model.modes.transition, [[0.99, 0.01], [0.03, 0.97]]);
}

#[test]
fn independent_modes_multiply() {
    let model = good(&two(
        "step = 1",
        "[[modes]]
        states = ['calm', 'busy']
        Q = [[0.75, 0.25], [0.5, 0.5]]
        override = [ { state = 'busy', process = 'a', update = { constant = 6 } } ]
        [[modes]]
        states = ['day', 'night', 'dawn']
        Q = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
        start = [0.5, 0.25, 0.25]
        override = [ { state = 'night', process = '*', update = { constant = 9 } } ]",
    ))
    .model;
    let modes = &model.modes;
    assert_eq!(modes.names, ["calm, day", "calm, night", "calm, dawn", "busy, day", "busy, night", "busy, dawn"]);
    assert_eq!(modes.start, [0.5, 0.25, 0.25, 0.0, 0.0, 0.0]);
    // From calm by day into busy by night.
    assert_eq!(modes.transition[0], [0.0, 0.75, 0.0, 0.0, 0.25, 0.0]);
    let updates: Vec<u64> = modes.laws.iter().map(|laws| laws.update[0].least()).collect();
    assert_eq!(updates, [2, 9, 2, 6, 9, 6]);
}

#[test]
fn starts_are_ticks_or_times() {
    assert_eq!(good(&two("step = '0.5s'\nx0 = [0, '1.5s']", "")).model.start, [0, 3]);
    assert_eq!(good(&two("step = '0.5s'\nx0 = [0, -4]", "")).model.start, [0, -4]);
    let read = good(&two("step = '0.5s'\nx0 = [2, 3]", ""));
    assert_eq!(read.model.start, [0, 1]);
    assert!(read.notes.iter().any(|note| note.contains("2 ticks")), "{:?}", read.notes);
    let read = good(&two("step = '1s'\nx0 = [0, '1.6s']", ""));
    assert_eq!((read.model.start[1], read.warnings[0].code.as_str()), (2, "rounded"));
}

#[test]
fn degrees_are_numbers_for_all_or_one_a_process() {
    let read =
        good(&two("step = 1\ndegrees = [ { name = 'async 1', A = 1, B = 1 }, { A = [1, 2], B = [3, 0] }, {} ]", ""));
    let found: Vec<(&str, &[u32], &[u32])> =
        read.degrees.iter().map(|d| (d.name.as_str(), d.alpha.as_slice(), d.beta.as_slice())).collect();
    assert_eq!(
        found,
        [
            ("async 1", [1, 1].as_slice(), [1, 1].as_slice()),
            ("1:2/3:0", [1, 2].as_slice(), [3, 0].as_slice()),
            ("1/0", [1, 1].as_slice(), [0, 0].as_slice()),
        ]
    );
}

/// Updates of 2 and 3 s, of which the real loop makes 4 and 1.5.
#[test]
fn the_pilot_multiplies_updates_and_messages() {
    let text = two("step = 0.5", "[pilot]\nfactor = { a = 2, b = 0.5 }\nlog_sd = 0.1\n");
    let read = good(&text);
    let laws = &read.model.modes.laws[0];
    let seconds = |law: &crate::model::Law| law.mean() * read.model.step_s;
    assert_eq!([seconds(&laws.update[0]), seconds(&laws.update[1]), seconds(&laws.message[0][1])], [4.0, 1.5, 1.0]);
    assert_eq!((read.model.pilot_log_sd, read.work), (0.1, None));
    let modes = "[[modes]]\nstates = ['calm', 'busy']\nQ = [[0.9, 0.1], [0.1, 0.9]]\n\
                 override = [ { state = 'busy', process = '*', update = { constant = '8s' } } ]\n";
    let read = good(&format!("{text}{modes}"));
    let busy = &read.model.modes.laws[1].update;
    assert_eq!([seconds(&busy[0]), seconds(&busy[1])], [16.0, 4.0]);
    // Messages of 1 s, and of 2 s in the other mode.
    let modes = modes
        .replace("process = '*', update = { constant = '8s' }", "from = '*', to = '*', time = { constant = '2s' }");
    let read = good(&format!("{}{modes}", text.replace("log_sd", "messages = 3\nlog_sd")));
    let laws = &read.model.modes.laws;
    assert_eq!([0, 1].map(|mode: usize| seconds(&laws[mode].message[0][1])), [3.0, 6.0]);
    assert_eq!(seconds(&laws[1].update[0]), 4.0);
}

#[test]
fn the_work_of_the_samples_is_known() {
    let read = good(&two("step = 1", "[work]\ntime = '2ms'\noperations = 394822\n"));
    assert_eq!(read.work, Some(crate::model::Work { time_s: 2e-3, operations: 394_822 }));
    assert_eq!(read.model.pilot_log_sd, 0.0);
}
