//! Numbers of an independent script.

use super::*;

const COSTS: &str = r#"
algorithm = "pieces"
[pieces]
list_length = 1000
send_bytes = 8000
element_bytes = 8000
map = { in_cache = "400ns", out_of_cache = "900ns", cache = "1MiB" }
fold = "500ns"
compute = "2us"
[messages]
size_bytes = [1, 1024, 4096, 4097, 65536, 1048576]
time_s = [2e-6, 3e-6, 5e-6, 4e-5, 6e-5, 3e-4]
busy_s = [5e-7, 1.5e-6, 3e-6, 3.8e-5, 5.8e-5, 2.98e-4]
switches = [4096]
"#;

fn pieces(text: &str) -> Pieces {
    read("costs.toml", text).expect("allowed").expect("pieces")
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-8, "{found}, expected {expected}");
}

#[test]
fn messages_switch_protocols() {
    let messages = pieces(COSTS).messages;
    for (bytes, expected) in [
        (0.5, 2e-6),
        (512.0, 2.49951124e-6),
        (4096.0, 5e-6),
        (4097.0, 4e-5),
        (8000.0, 4.12705285e-5),
        (80_000.0, 6.353125e-5),
        (2.0 * 1_048_576.0, 5.56e-4),
    ] {
        close(messages.time_s(bytes), expected);
    }
    // Between the switch and the next knot the next protocol holds.
    close(messages.time_s(4096.5), 4e-5 - 0.5 * 2e-5 / 61_439.0);
    let one =
        Messages { size_bytes: vec![8.0, 64.0], time_s: vec![1.0, 2.0], busy_s: vec![1.0, 2.0], switches: vec![8.0] };
    assert_eq!(
        [1.0, 8.0, 9.0, 1e6].map(|bytes| one.time_s(bytes)),
        [1.0, 1.0, 2.0, 2.0],
        "a knot a protocol: constant"
    );
}

#[test]
fn an_iteration_is_the_sum_of_its_pieces() {
    let costs = pieces(COSTS);
    for (route, workers, expected) in [
        (Route::Flat, 1, 9.84541057e-4),
        (Route::Flat, 2, 6.13582114e-4),
        (Route::Flat, 4, 5.46664228e-4),
        (Route::Flat, 8, 6.87828456e-4),
        (Route::Tree, 2, 6.17582114e-4),
        (Route::Tree, 8, 3.83664228e-4),
        (Route::Tree, 64, 5.89187399e-4),
    ] {
        close(costs.time_s(route, workers).expect("a time"), expected);
    }
    let speedup = |costs: &Pieces, route| {
        let best = costs.best(route);
        (best, costs.time_s(route, 1).expect("a time") / costs.time_s(route, best).expect("a time"))
    };
    let (flat, tree) = (speedup(&costs, Route::Flat), speedup(&costs, Route::Tree));
    assert_eq!((flat.0, tree.0), (3, 15));
    assert!((flat.1 - 1.812_406).abs() < 1e-6 && (tree.1 - 2.731_314).abs() < 1e-6, "{flat:?} {tree:?}");
    assert_eq!(costs.time_s(Route::Allreduce, 4), None);
    assert_eq!(costs.routes(), [Route::Flat, Route::Tree]);
}

#[test]
fn small_orders_leave_the_step_of_the_cache() {
    let costs = pieces(&COSTS.replace("send_bytes = 8000", "send_bytes = 4000"));
    close(costs.time_s(Route::Flat, 7).expect("a time"), 1.790125e-4);
    close(costs.time_s(Route::Flat, 8).expect("a time"), 1.0671875e-4);
    let speedup =
        |route| costs.time_s(route, 1).expect("a time") / costs.time_s(route, costs.best(route)).expect("a time");
    assert_eq!((costs.best(Route::Flat), costs.best(Route::Tree)), (8, 31));
    assert!((speedup(Route::Flat) - 8.544_656).abs() < 1e-6 && (speedup(Route::Tree) - 13.696_958).abs() < 1e-6);
}

#[test]
fn a_measured_collective_wins() {
    let text = format!(
        "{COSTS}\n[[collective]]\nname = \"allreduce\"\nworkers = [1, 3]\nsize_bytes = [1000, 9000]\ntime_s = [[1e-5, 2e-5], [3e-5, 4e-5]]\n"
    );
    let costs = pieces(&text);
    // 8,000 bytes: 1.875e-5 with one worker, 3.875e-5 with three; with two it is at log2(3) - 1 of the way.
    let comm = 1.875e-5 + (3f64.log2() - 1.0) * 2e-5;
    close(costs.time_s(Route::Allreduce, 2).expect("measured"), comm + 500.0 * 9e-7 + 2e-6);
}

#[test]
fn what_is_wrong_is_named() {
    for (from, to, says) in [
        ("1024, 4096,", "4096, 1024,", "rise"),
        ("3.8e-5, 5.8e-5", "3.8e-5, 5.8e-3", "busy_s"),
        ("switches = [4096]", "switches = [5000]", "5000 bytes"),
        ("list_length = 1000", "", "list_length"),
        ("element_bytes = 8000", "", "element_bytes"),
        ("fold = \"500ns\"", "fold = \"500m\"", "fold"),
        ("compute =", "computes =", "computes"),
        ("2e-6, 3e-6, 5e-6,", "2e-6, 3e-6,", "time_s"),
    ] {
        let text = COSTS.replacen(from, to, 1);
        let problems = read("costs.toml", &text).expect_err(says);
        assert!(problems.to_string().contains(says), "{says}: {problems}");
        assert!(problems.0.iter().all(|problem| problem.line.is_some()), "{problems}");
    }
}

#[test]
fn ranges_widen_with_the_workers() {
    let costs = pieces(COSTS);
    let half = |workers| {
        let range = costs.range(Route::Tree, workers, 0.9).expect("a range");
        (range.high / range.low).sqrt()
    };
    assert!(half(1) < half(2) && half(2) < half(64), "{} {} {}", half(1), half(2), half(64));
}

/// A master event by event: it sends, then takes the results in the order of the workers, as each is there.
fn event_by_event(costs: &Pieces, workers: u64) -> f64 {
    let (send, receive) = (costs.send_bytes, costs.receive_bytes);
    let [sent_s, taken_s] = [send, receive].map(|bytes| costs.messages.busy_s(bytes));
    let there = |worker: u64| {
        let started_s = worker as f64 * sent_s + costs.messages.time_s(send);
        started_s + costs.work_s(workers) + costs.messages.time_s(receive) - taken_s
    };
    let mut free_s = workers as f64 * sent_s;
    for worker in 0..workers {
        free_s = free_s.max(there(worker)) + taken_s + if worker > 0 { costs.fold_s } else { 0.0 };
    }
    free_s + costs.compute_s
}

#[test]
fn orders_are_sent_while_others_compute() {
    let base = pieces(&COSTS.replace("compute =", "overlap = true\ncompute ="));
    assert!(base.overlaps);
    for (send, receive, fold_s) in
        [(8000.0, 8000.0, 5e-7), (8000.0, 100.0, 5e-7), (100.0, 8000.0, 0.0), (8000.0, 4000.0, 4e-5)]
    {
        let costs = Pieces { send_bytes: send, receive_bytes: receive, fold_s, ..base.clone() };
        for workers in [1, 2, 3, 5, 8, 20, 64, 500] {
            close(costs.time_s(Route::Flat, workers).expect("flat"), event_by_event(&costs, workers));
        }
    }
    let plain = pieces(COSTS);
    assert!(base.time_s(Route::Flat, 4) < plain.time_s(Route::Flat, 4), "sends are hidden");
    assert_eq!(base.time_s(Route::Tree, 4), plain.time_s(Route::Tree, 4));
}
