//! Requests: waiting for the first of several, prepared ones, and what a send costs its process by how it is sent.

#![cfg(feature = "luau")]

mod support;

use runcast_core::Problem;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;
use support::run;

/// Four machines at 1 GB/s and 1 us a link; a send costs 6 us, a non-blocking one 2 us + 1 ns/B, a prepared one 0.5 us + 1 ns/B.
const SYSTEM: &str = r#"format = "runcast-system/1"
name = "requests"
component = [ { id = "site", kind = "group" }, { id = "node", kind = "machine", parent = "site", count = 4 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "1Gflop/s" } } ]
[[network]]
id = "lan"
of = "site"
set = { bandwidth = "1GB/s", latency = "1us" }
segments = [ { from = 0, send_overhead = "6us", isend_overhead = "2us", isend_overhead_per_byte = "1ns", persistent_overhead = "0.5us" } ]
"#;

const BY_PROCESS: [&str; 2] = ["flow", "loggops"];

fn play(body: &str, fidelity: &str) -> Result<RunResult, Problem> {
    let check = "local function check(seen, expected, what)
        if seen ~= expected then error(what .. ': ' .. tostring(seen) .. ', expected ' .. tostring(expected)) end
    end
    local function near(seen, expected, what)
        if math.abs(seen - expected) > 1e-9 then error(what .. ': ' .. seen .. ', expected ' .. expected) end
    end\n";
    let script = format!("{check}label{{ \"p\", count = 4, run = function(rank)\n{body}\nend }}");
    run(SYSTEM, &script, fidelity, Collectives::Usual)
}

/// The script checks itself, at both levels that follow every process.
fn holds(body: &str) {
    for fidelity in BY_PROCESS {
        if let Err(problem) = play(body, fidelity) {
            panic!("{fidelity}: {problem:?}");
        }
    }
}

/// Ranks 1 to 3 send a kilobyte after 3, 1 and 2 ms.
const SENDERS: &str = "if rank > 0 then sleep(({3, 1, 2})[rank] * 1e-3) send{ to = 0, size = 1000 * rank } return end
    local all = { irecv{ from = 1 }, irecv{ from = 2 }, irecv{ from = 3 } }\n";

#[test]
fn waitany_gives_the_first_that_is_complete() {
    holds(&format!(
        "{SENDERS} local order = ''
        for turn = 1, 3 do
            local at, message = waitany(all)
            check(message.from, at, 'sender') check(message.size, 1000 * at, 'size')
            check(math.floor(now() * 1e3 + 0.5), turn, 'ms')
            order = order .. at
            all[at] = nil
        end
        check(order, '231', 'order')"
    ));
    // Those that are complete already come in the order in which they were.
    holds(&format!(
        "{SENDERS} sleep(0.01)
        local first = waitany(all) all[first] = nil
        local second = waitany(all) all[second] = nil
        check(first .. ' ' .. second .. ' ' .. waitany(all), '2 3 1', 'order')
        near(now(), 0.01, 'time')"
    ));
}

#[test]
fn a_request_that_is_over_is_no_longer_waited_for() {
    let again = play("local out = isend{ to = 0, size = 1 } waitany{ out } waitany{ out }", "flow").expect_err("over");
    assert_eq!(again.code, "request_closed");
    assert!(again.hint.as_deref().is_some_and(|hint| hint.contains("list[i] = nil")), "{again:?}");
}

#[test]
fn waitsome_gives_all_that_are_complete_and_testall_does_not_wait() {
    holds(&format!(
        "{SENDERS} sleep(2.5e-3)
        check(table.concat(waitsome(all), ','), '2,3', 'first') all[2] = nil all[3] = nil
        check(table.concat(waitsome(all), ','), '1', 'then')
        check(math.floor(now() * 1e3 + 0.5), 3, 'ms')"
    ));
    holds(&format!(
        "{SENDERS} sleep(2.5e-3)
        check(testall(all), false, 'early')
        sleep(1e-3)
        check(testall(all), true, 'late')"
    ));
    // Looking again and again lets time go on.
    holds(&format!(
        "{SENDERS} local looks = 0 while not testall(all) do looks = looks + 1 end check(looks > 100, true, 'looks')"
    ));
}

#[test]
fn sends_and_collectives_are_waited_for_among_others() {
    holds(
        "local all = { icollective('barrier', {}), isend{ to = (rank + 1) % 4, size = 10 }, irecv{ from = (rank + 3) % 4 } }
        local seen = {}
        for _ = 1, 3 do local at = waitany(all) seen[at] = true all[at] = nil end
        check(seen[1] and seen[2] and seen[3], true, 'all')",
    );
    let nobody = play("local r = irecv{ from = (rank + 1) % 4 } waitany{ r }", "flow").expect_err("a deadlock");
    assert_eq!(nobody.code, "deadlock");
    assert!(nobody.message.contains("the first of several"), "{}", nobody.message);
    for fidelity in BY_PROCESS {
        let empty = play("waitany{}", fidelity).expect_err("nothing to wait for");
        assert_eq!((empty.code.as_str(), empty.line.is_some()), ("no_requests", true));
        assert!(empty.message.contains("p[0]"), "{}", empty.message);
    }
}

#[test]
fn prepared_requests_are_started_again_and_again() {
    let messages = |prepared: bool| {
        let (begin, again) = if prepared {
            (
                "local out, back = send_init{ to = (rank + 1) % 4, size = 0 }, recv_init{ from = (rank + 3) % 4 }",
                "startall{ back, out } waitall{ out, back }",
            )
        } else {
            (
                "",
                "local back, out = irecv{ from = (rank + 3) % 4 }, isend{ to = (rank + 1) % 4, size = 0 } waitall{ out, back }",
            )
        };
        format!("{begin} loop(10, function() {again} end)")
    };
    for fidelity in ["flow", "loggops", "label"] {
        let time = |prepared| play(&messages(prepared), fidelity).expect("runs").time_s;
        // Ten rounds: overhead and two links.
        assert!((time(false) - 10.0 * 4e-6).abs() < 1e-9, "{fidelity}: {}", time(false));
        assert!((time(true) - 10.0 * 2.5e-6).abs() < 1e-9, "{fidelity}: {}", time(true));
    }
    let twice = play("local out = send_init{ to = 0, size = 1 } start(out) start(out)", "flow").expect_err("running");
    assert_eq!((twice.code.as_str(), twice.line), ("request_running", Some(8)));
    assert_eq!(play("start(3)", "flow").expect_err("a number").code, "wrong_argument");
    // One that is not running is complete.
    play("local out = send_init{ to = 0, size = 1 } wait(out) waitall{ out }", "flow").expect("runs");
}

#[test]
fn a_send_costs_its_process_what_its_kind_does() {
    let takes = |call: &str, expected: f64| {
        holds(&format!(
            "local out = send_init{{ to = 0, size = 1000 }}
            if rank == 1 then {call} near(now(), {expected}, 'after the call') end
            if rank == 0 then recv{{ from = 1 }} end"
        ));
    };
    takes("send{ to = 0, size = 1000 }", 6e-6);
    takes("wait(isend{ to = 0, size = 1000 })", 3e-6);
    takes("start(out) wait(out)", 1.5e-6);
}

#[test]
fn receives_between_labels_give_their_last_message() {
    for fidelity in BY_PROCESS {
        for (send, receive) in [
            ("p2pCommunicationSend(500, 'b')", "p2pCommunicationReceive('a')"),
            ("scatterSend(500, 'b')", "scatterReceive('a')"),
            ("p2p_send{ to = 'b', size = 500 }", "p2p_recv{ from = 'a' }"),
        ] {
            let script = format!(
                "label{{ 'a', count = 2, run = function() {send} end }}
                label{{ 'b', run = function()
                    local m = {receive}
                    if m.size ~= 500 or rank_of(m.from) ~= 1 then error('size ' .. m.size) end
                end }}"
            );
            run(SYSTEM, &script, fidelity, Collectives::Usual).expect("receives it");
        }
    }
}
