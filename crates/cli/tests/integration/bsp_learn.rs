//! `runcast bsp learn`: recordings are written here, so that what is learned is known.

use crate::Place;
use std::fmt::Write;

/// A ring of P processes: each works on its part of N elements, at 2 ns an element and 1 us, and hands 8 bytes an element on.
fn ring(place: &Place, run: usize, processes: usize, n: usize) {
    let part = n / processes;
    let (work, exchange) = (1000 + 2 * part, 500 + part);
    let head = format!("\"run\":{run},\"rank\":0,\"processes\":{processes}");
    let experiment = |name: &str, formula: &str, names: &str| {
        format!(
            "# experiment: {{\"name\":\"{name}\",\"formula\":\"{formula}\",\"file\":\"a.c\",\"line\":1,\"names\":[\"{names}\"],\
             \"seg\":[],\"at\":\"begin\",\"exits\":\"drop\",\"mode\":\"auto\",\"every\":1,\"metric\":[]}}\n"
        )
    };
    let mut trace = format!("# cll-trace: 2\n# run: {{\"name\":\"ring\",{head}}}\n");
    trace += &experiment("W", "W[0] + W[1]*n", "n");
    trace += &experiment("all", "all[0] + all[1]*N", "N");
    trace += "# roles: {\"params\":[\"n\",\"N\",\"P\"],\"metrics\":[\"time_s\"],\"units\":{\"time_s\":\"s\"},\"counters\":{}}\n";
    trace += "region,run,rank,thread,visit,level,status,visits,n,N,P,time_s,self_s,raw_s\n";
    for rank in 0..processes {
        let to = (rank + 1) % processes;
        let mut events = format!("# cll-bsp: 1 rank {rank} processes {processes}\n");
        for visit in 0..3 {
            let start = 1_000_000 * (visit + 1);
            let (worked, done) = (start + work, start + work + exchange);
            let _ = write!(
                events,
                "{worked} R W {start} {work}.0 n {part}\n{worked} S {to} {}\n{worked} W\n{done} Y oblivious 1\n\
                 {done} R all {start} {}.0 N {n}\n",
                8 * part,
                work + exchange
            );
            let (work_s, all_s) = (work as f64 * 1e-9, (work + exchange) as f64 * 1e-9);
            let _ = write!(
                trace,
                "W,{run},{rank},0,{visit},1,ok,1,{part},,{processes},{work_s:e},{work_s:e},{work_s:e}\n\
                 all,{run},{rank},0,{visit},0,ok,1,,{n},{processes},{all_s:e},{all_s:e},{all_s:e}\n"
            );
        }
        place.write(&format!("runs/ring.bsp.{run}.r{rank}.txt"), &events);
    }
    place.write(&format!("runs/ring.cll.{run}.csv"), &trace);
}

#[test]
fn a_ring_is_learned_and_holds_on_more_processes() {
    let place = Place::new();
    let mut run = 0;
    for processes in [2, 3, 4, 8] {
        for n in [2400, 4800, 9600, 19200, 38400] {
            ring(&place, run, processes, n);
            run += 1;
        }
    }
    let learned = place.run(&["bsp", "learn", "runs", "--hold", "P > 4", "-o", "ring", "--json"]);
    let document = learned.code(0).document();
    assert_eq!(document["kind"], "bsp-learn");
    assert_eq!(document["unlearned"], serde_json::json!([]), "{document:#}");
    let check = document["check"].as_array().expect("checks");
    assert_eq!(check.iter().filter(|one| one["held_out"] == true).count(), 5);
    for one in check {
        let error = one["error_pct"].as_f64().expect("a number");
        assert!(error.abs() < 0.5, "{one}");
    }
    // Of 1,024 processes: 2 ns and 1 ns for each of 4,096 elements, and 1.5 us.
    let predict = ["bsp", "predict", "ring/program.toml", "--set", "P=1024", "--set", "N=4194304", "--json"];
    let document = place.run(&predict).code(0).document();
    let time_s = document["predictions"][0]["obsp_time_s"].as_f64().expect("a time");
    assert!((time_s / 13.788e-6 - 1.0).abs() < 0.01, "{time_s}");
}

#[test]
fn what_is_missing_is_told() {
    let place = Place::new();
    ring(&place, 0, 2, 2400);
    place.write("empty/notes.txt", "");
    let code = |words: &[&str]| {
        let document = place.run(words).document();
        document["problems"][0]["code"].as_str().expect("a code").to_owned()
    };
    assert_eq!(code(&["--json", "bsp", "learn", "empty"]), "no_supersteps");
    assert_eq!(code(&["--json", "bsp", "learn", "runs", "--hold", "P >"]), "bad_formula");
    assert_eq!(code(&["--json", "bsp", "learn", "runs", "--set", "M=m"]), "bad_set");
    assert_eq!(code(&["--json", "bsp", "learn", "-o", "x", "--", "true"]), "no_configurations");
    assert_eq!(code(&["--json", "bsp", "learn", "-o", "x", "--at", "P=1,2", "--", "true"]), "unused_name");
    std::fs::remove_file(place.path("runs/ring.bsp.0.r1.txt")).expect("removed");
    assert_eq!(code(&["--json", "bsp", "learn", "runs"]), "missing_rank");
}
