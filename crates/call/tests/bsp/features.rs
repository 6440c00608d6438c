//! What a program can say, feature by feature, with the arithmetic beside each expectation.

use crate::{FFT, near, outcome, prepared};

/// One task, on so many processors.
fn program(processors: usize, rest: &str) -> String {
    format!("machine = {{ processors = {processors}, task = \"main\" }}\nblock.b = {{ g = 1, L = 10 }}\n{rest}")
}

#[track_caller]
fn finishes(text: &str, obsp: &[f64], bsp: &[f64]) {
    let program = prepared(text);
    let outcome = outcome(&program, &[]);
    near(outcome.obsp_finish_s(), obsp);
    near(outcome.bsp_finish_s(), bsp);
}

#[test]
fn communication_costs_its_latency_those_who_are_not_concerned_too() {
    // Processor 2 neither sends nor receives: 3 + L = 13. Processor 1 waits for 0: max(1, 2) + 5 + 10.
    let text = program(
        3,
        "task.main.step = [ { work = \"if(me == 0, 1, me + 1)\", send = [ { to = 1, bytes = 5, if = \"me == 0\" } ], block = \"b\" } ]",
    );
    finishes(&text, &[1.0 + 5.0 + 10.0, 2.0 + 5.0 + 10.0, 3.0 + 10.0], &[3.0 + 5.0 + 10.0; 3]);
}

#[test]
fn without_communication_nobody_waits_but_in_bsp() {
    finishes(&program(2, "task.main.step = [ { work = \"me\" }, { work = \"1 - me\" } ]"), &[1.0, 1.0], &[2.0, 2.0]);
}

#[test]
fn a_barrier_without_messages_costs_its_latency() {
    let text = program(2, "task.main.step = [ { work = \"me\", sync = \"barrier\", block = \"b\" } ]");
    finishes(&text, &[11.0; 2], &[11.0; 2]);
}

#[test]
fn a_barrier_with_messages_waits_for_all_of_the_machine() {
    let text = program(
        3,
        "task.main.step = [ { work = \"me\", sync = \"barrier\", send = [ { to = 1, bytes = 5, if = \"me == 0\" } ], block = \"b\" } ]",
    );
    finishes(&text, &[2.0 + 5.0 + 10.0; 3], &[17.0; 3]);
}

#[test]
fn messages_to_oneself_are_ignored_and_all_means_all_others() {
    // Each sends 2 B to two others: 4 out, 4 in; the message to oneself changes nothing.
    let text = program(
        3,
        "task.main.step = [ { send = [ { to = \"all\", bytes = 2 }, { to = \"me\", bytes = 100 } ], expect = 2, block = \"b\" } ]",
    );
    finishes(&text, &[14.0; 3], &[14.0; 3]);
}

#[test]
fn all_is_as_good_as_a_message_to_each() {
    let step = |to: &str| {
        program(
            4,
            &format!(
                "task.main.step = [ {{ work = \"5*me\", send = [ {{ to = {to}, bytes = \"1 + me\", if = \"me != 2\" }} ], block = \"b\" }} ]"
            ),
        )
    };
    let (all, each) = (prepared(&step("\"all\"")), prepared(&step("[0, 1, 2, 3]")));
    near(outcome(&all, &[]).obsp_finish_s(), outcome(&each, &[]).obsp_finish_s());
    // Processor 2 gets 1 + 2 + 4 = 7 B; processor 3 sends 3*4 = 12 B: h = 12, the last is ready at 15.
    near(outcome(&all, &[]).obsp_finish_s(), &[15.0 + 12.0 + 10.0; 4]);
}

#[test]
fn partners_and_h_are_given_in_place_of_messages() {
    // Each waits for its left neighbor; h as given, in BSP the largest: 2.
    let text = program(
        3,
        "task.main.step = [ { work = \"me\", partners = [\"max(me - 1, 0)\"], h_bytes = \"me\", block = \"b\" } ]",
    );
    finishes(&text, &[10.0, 1.0 + 1.0 + 10.0, 2.0 + 2.0 + 10.0], &[2.0 + 2.0 + 10.0; 3]);
}

#[test]
fn h_of_a_barrier_can_be_given() {
    let text = program(2, "task.main.step = [ { sync = \"barrier\", h_bytes = \"3*me\", block = \"b\" } ]");
    finishes(&text, &[13.0; 2], &[13.0; 2]);
}

#[test]
fn repetitions_are_supersteps_with_a_count_from_0() {
    let text = program(
        1,
        "parameters = { n = 3 }\ntask.main.step = [ { repeat = \"n\", work = \"1 + it\" }, { repeat = 0, work = 100 } ]",
    );
    let text = text.replace("machine = ", "parameters = { n = 3 }\nmachine = ").replacen(
        "\nparameters = { n = 3 }\ntask",
        "\ntask",
        1,
    );
    let program = prepared(&text);
    let outcome = outcome(&program, &[]);
    near(outcome.obsp_finish_s(), &[1.0 + 2.0 + 3.0]);
    assert_eq!(outcome.steps().map(|step| step.path).collect::<Vec<_>>(), ["1", "2", "3"]);
}

#[test]
fn a_condition_can_leave_out_single_repetitions() {
    let text = program(1, "task.main.step = [ { repeat = 5, if = \"it != 2\", work = \"10^it\" } ]");
    finishes(&text, &[11_011.0], &[11_011.0]);
}

#[test]
fn skipped_steps_have_no_number() {
    let program = prepared(&program(
        1,
        "task.main.step = [ { if = 0, work = 1 }, { work = 2 }, { if = \"procs > 1\" }, { work = 3 } ]",
    ));
    let outcome = outcome(&program, &[]);
    let steps: Vec<String> = outcome.steps().map(|step| step.path).collect();
    assert_eq!(steps, ["1", "2"]);
    assert_eq!(outcome.critical_path().iter().map(|part| part.path.as_str()).collect::<Vec<_>>(), ["1", "2"]);
}

#[test]
fn a_call_without_partition_runs_a_task_as_one_group() {
    let text = program(
        2,
        "task.main.step = [ { before = 1, call = \"inner\", args = { n = \"7*groups\" }, work = 2 } ]\ntask.inner.step = [ { work = \"n + me\" } ]",
    );
    // Inner superstep: BSP waits.
    finishes(&text, &[1.0 + 7.0 + 2.0, 1.0 + 8.0 + 2.0], &[11.0; 2]);
    let program = prepared(&text);
    assert_eq!(outcome(&program, &[]).steps().map(|step| step.path).collect::<Vec<_>>(), ["1", "1:0/1"]);
}

#[test]
fn arguments_see_their_group_and_tasks_their_place() {
    // Groups {0}, {1,2}: the args are 10*group + groups, rank and depth are seen inside.
    let text = program(
        3,
        "task.main.step = [ { partition = [1, 3], call = \"inner\", args = { n = \"10*group + groups\" } } ]\n\
         task.inner.step = [ { work = \"n + 100*rank + 1000*me + 10000*depth + 100000*procs + 1000000*group\" } ]",
    );
    let one = 2.0 + 10_000.0 + 100_000.0;
    let two = |me: f64, rank: f64| 12.0 + 100.0 * rank + 1000.0 * me + 10_000.0 + 200_000.0 + 1_000_000.0;
    let last = two(1.0, 2.0);
    finishes(&text, &[one, two(0.0, 1.0), last], &[last; 3]);
}

#[test]
fn arguments_can_hide_parameters() {
    let text = "parameters = { n = 5 }\nmachine = { processors = 1, task = \"main\", args = { n = \"2*n\" } }\n\
         task.main.step = [ { work = \"n\", call = \"plain\" }, { call = \"hiding\", args = { n = 100 } } ]\n\
         task.plain.step = [ { work = \"n\" } ]\ntask.hiding.step = [ { work = \"n\" } ]";
    // In main n is 10; plain is given none and sees the parameter, 5; hiding is given 100.
    finishes(text, &[10.0 + 5.0 + 100.0], &[115.0]);
}

#[test]
fn groups_nest_and_each_numbers_its_processors_from_0() {
    let text = program(
        4,
        "task.main.step = [ { partition = [2, 4], call = \"half\", args = { w = \"1 + group\" } } ]\n\
         task.half.step = [ { partition = [1, 2], call = \"one\", args = { w = \"w*(1 + group)\" } } ]\n\
         task.one.step = [ { work = \"w + 10*me\" } ]",
    );
    finishes(&text, &[1.0, 2.0, 2.0, 4.0], &[4.0; 4]);
    let program = prepared(&text);
    let paths: Vec<String> = outcome(&program, &[]).steps().map(|step| step.path).collect();
    assert_eq!(paths, ["1", "1:0/1", "1:0/1:0/1", "1:0/1:1/1", "1:1/1", "1:1/1:0/1", "1:1/1:1/1"]);
}

#[test]
fn instructions_have_prices_and_time_is_extra() {
    let text = "machine = { processors = 2, task = \"main\" }\ninstruction = { flop = \"2 s\", load = \"if(rank == 1, 10, 1)\" }\n\
         task.main.step = [ { work = { flop = 3, load = \"1 + me\", time = 0.5 } } ]";
    let last = 6.0 + 20.0 + 0.5;
    finishes(text, &[6.0 + 1.0 + 0.5, last], &[last; 2]);
}

#[test]
fn blocks_are_the_processors_own() {
    let text = "machine = { processors = 2, task = \"main\", args = { n = 4 }, h = \"sum\" }\n\
         block.own = { bandwidth = \"8 bit/s\", L = \"n*me\" }\nblock.full = { bandwidth = \"1 B/s\", L = 0, h = \"max\" }\n\
         task.main.step = [ { send = [ { to = \"1 - me\", bytes = 3 } ], block = \"own\" }, { send = [ { to = \"1 - me\", bytes = 3 } ], block = \"full\" } ]";
    // Superstep 1: h = 6 at 1 s/B, L = 0 and 4: 6 and 10. Superstep 2: both from 10, h = 3.
    finishes(text, &[13.0; 2], &[13.0; 2]);
}

#[test]
fn raw_bsp_has_one_g_latency_and_price() {
    let rest = "instruction = { flop = 1, load = 2 }\nblock.b = { g = 100, L = 100 }\nmachine = { processors = 2, task = \"main\" }\n\
         task.main.step = [ { work = { flop = 2, load = \"3*me\", time = 1 }, send = [ { to = \"1 - me\", bytes = 5 } ], block = \"b\" }, { work = \"me\" } ]";
    let time = |bsp: &str| outcome(&prepared(&format!("{bsp}\n{rest}")), &[]).raw_bsp_time_s();
    assert_eq!(time(""), None);
    // The slower processor: 2*p + 3*p + 1, then 5 g + L, then 1.
    assert_eq!(time("bsp = { g = 2, L = 7, instruction = 10 }"), Some(50.0 + 1.0 + 10.0 + 7.0 + 1.0));
    assert_eq!(
        time("bsp = { bandwidth = 0.5, L = 7, instruction = { load = 10 } }"),
        Some(2.0 + 30.0 + 1.0 + 10.0 + 7.0 + 1.0)
    );
    assert_eq!(time("bsp = { g = 2, L = 7 }"), Some(2.0 + 6.0 + 1.0 + 10.0 + 7.0 + 1.0));
}

#[test]
fn units_are_understood_everywhere() {
    let text = "parameters = { t = \"1.5 us\", size = \"64 KiB\" }\nmachine = { processors = 2, task = \"main\", start = [0, \"1 ms\"] }\n\
         block.b = { g = \"0.8 ns/B\", L = \"2 us\" }\ninstruction = { flop = \"1 ns\" }\n\
         task.main.step = [ { before = \"10 us\", work = { flop = 1000, time = \"t\" }, send = [ { to = \"1 - me\", bytes = \"size\" } ], block = \"b\" } ]";
    let last = 1e-3 + 10e-6 + 1e-6 + 1.5e-6 + 0.8e-9 * 65_536.0 + 2e-6;
    finishes(text, &[last; 2], &[last; 2]);
    let of_bytes = text.replace("bytes = \"size\"", "bytes = \"64 KiB\"");
    finishes(&of_bytes, &[last; 2], &[last; 2]);
}

#[test]
fn parameters_can_follow_from_earlier_ones() {
    let text = "parameters = { a = 2, b = \"3*a\", c = \"a + b\" }\nmachine = { processors = \"a\", task = \"main\", start = \"rank*c\" }\ntask.main.step = [ { work = \"b\" } ]";
    finishes(text, &[6.0, 14.0], &[14.0, 14.0]);
    let program = prepared(text);
    let set = outcome(&program, &["a=1", "c=a*10"]);
    assert_eq!(set.parameters.values().copied().collect::<Vec<_>>(), [1.0, 3.0, 10.0]);
    assert_eq!(set.processors(), 1);
}

#[test]
fn inline_and_table_steps_are_the_same() {
    let table = "machine = { processors = 1, task = \"main\" }\n[[task.main.step]]\nname = \"a\"\nwork = 1\n[[task.main.step]]\nwork = 2";
    finishes(table, &[3.0], &[3.0]);
}

#[test]
fn ties_go_to_oneself_and_then_to_the_lowest() {
    // All are ready at 1; processor 2 waits for all, but is as late itself. It gets 2 B: 1 + 2 + 10.
    let all = program(3, "task.main.step = [ { work = 1, send = [ { to = 2, bytes = 1 } ], block = \"b\" } ]");
    let program_all = prepared(&all);
    let path = outcome(&program_all, &[]).critical_path();
    assert_eq!(path.iter().map(|part| part.rank).collect::<Vec<_>>(), [2, 2], "{path:?}");
    // 0 and 1 are ready at 1, processor 2 at once: the lower of the two decides.
    let two = program(
        3,
        "task.main.step = [ { work = \"me < 2\", send = [ { to = 2, bytes = 1, if = \"me < 2\" } ], block = \"b\" }, { work = \"me == 2\" } ]",
    );
    let program_two = prepared(&two);
    let path = outcome(&program_two, &[]).critical_path();
    assert_eq!(path.iter().map(|part| part.rank).collect::<Vec<_>>(), [0, 2, 2], "{path:?}");
    assert_eq!(path.iter().map(|part| part.from_s).collect::<Vec<_>>(), [0.0, 1.0, 1.0 + 2.0 + 10.0]);
}

#[test]
fn a_path_may_begin_at_a_processor_that_does_nothing_itself() {
    let text = "machine = { processors = 2, task = \"main\", start = [5, 0] }\nblock.b = { g = 0, L = 1 }\n\
         task.main.step = [ { send = [ { to = 1, bytes = 1, if = \"me == 0\" } ], block = \"b\" }, { work = \"me\" } ]";
    let program = prepared(text);
    let outcome = outcome(&program, &[]);
    near(outcome.obsp_finish_s(), &[6.0, 7.0]);
    assert_eq!(outcome.obsp_time_s(), 7.0, "from the earliest start, 0");
    let path: Vec<(u32, f64, f64)> =
        outcome.critical_path().into_iter().map(|part| (part.rank, part.from_s, part.to_s)).collect();
    assert_eq!(path, [(0, 5.0, 5.0), (1, 5.0, 6.0), (1, 6.0, 7.0)]);
}

/// The recursion of the FFT: two supersteps a level and one leaf, h of each.
#[test]
fn supersteps_of_the_fft_are_told() {
    let program = prepared(FFT);
    let outcome = outcome(&program, &["P=2"]);
    let steps: Vec<(String, Option<&str>, u32, u32, f64)> =
        outcome.steps().map(|step| (step.path, step.name, step.first_rank, step.processors, step.h_bytes[0])).collect();
    let expected = [
        ("1".to_owned(), Some("halves"), 0, 2, 32_768.0),
        ("1:0/1".to_owned(), Some("leaf"), 0, 1, 0.0),
        ("1:1/1".to_owned(), Some("leaf"), 1, 1, 0.0),
        ("2".to_owned(), Some("combine"), 0, 2, 0.0),
    ];
    assert_eq!(steps, expected);
}

/// With the g and L of its only block, raw BSP is the reading of BSP.
#[test]
fn raw_bsp_of_one_block_is_bsp() {
    let program = prepared(&format!("bsp = {{ g = \"D1\", L = \"D0\" }}\n{}", FFT.replace("title =", "# title =")));
    for p in [1, 2, 8, 64] {
        let outcome = outcome(&program, &[&format!("P={p}")]);
        near(&[outcome.raw_bsp_time_s().unwrap_or(0.0)], &[outcome.bsp_time_s()]);
    }
}
