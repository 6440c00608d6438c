//! Recordings made without MPI: shown, dumped, replayed, exported.

use crate::Place;
use runcast_record::builder::Builder;
use runcast_record::vocabulary::{Field, Flags, call};
use runcast_record::{Recording, join, write};
use serde_json::{Value, json};

/// What a rank does, times in ns: computes, sends 1,001 B, receives.
#[derive(Clone, Copy)]
enum Does {
    Calc(f64),
    Send(i64),
    Recv(i64),
    /// From any source; who it was.
    Any(i64),
}
use Does::{Any, Calc, Recv, Send};

/// Schedules whose ends were calculated by hand, with these ends.
const TWO: [(&[Does], f64); 2] =
    [(&[Calc(700.0), Send(1), Recv(1)], 1_740.0), (&[Recv(0), Calc(700.0), Send(0)], 1_580.0)];
const THREE: [(&[Does], f64); 3] = [
    (&[Calc(400.0), Send(1), Calc(200.0), Recv(2)], 1_710.0),
    (&[Recv(0), Calc(300.0), Send(2), Calc(100.0)], 980.0),
    (&[Calc(100.0), Recv(1), Calc(500.0), Send(0)], 1_550.0),
];
const LOGGOPS: &str = "L=50ns,o=10ns,g=0,G=0.1ns,S=1000000";

fn schedule(ranks: &[(&[Does], f64)]) -> Recording {
    let p = ranks.len() as u32;
    let part = |(rank, (steps, end_ns)): (usize, &(&[Does], f64))| {
        let mut builder = Builder::new(rank as u32, p);
        let mut block_s = 0.0;
        for (number, step) in steps.iter().enumerate() {
            let (code, peer) = match step {
                Calc(ns) => {
                    block_s = ns * 1e-9;
                    continue;
                }
                Send(to) => (call::SEND, *to),
                Recv(from) | Any(from) => (call::RECV, *from),
            };
            let fields: [(Field, &[i64]); 3] = [(Field::Peer, &[peer]), (Field::Size, &[1_001]), (Field::Tag, &[0])];
            let flags = if matches!(step, Any(_)) { Flags::ANY } else { Flags::default() };
            builder.call(code, flags, (number as u64, 0), &fields, [block_s, 0.0]);
            block_s = 0.0;
        }
        builder.call(call::FINALIZE, Flags::default(), (99, 0), &[], [block_s, 0.0]);
        let mut part = builder.finish();
        part.meta.wall_s = vec![end_ns * 1e-9];
        part
    };
    join(ranks.iter().enumerate().map(part).collect()).expect("one recording")
}

fn place(recordings: &[(&str, Recording)]) -> Place {
    let place = Place::new();
    for (name, recording) in recordings {
        std::fs::create_dir(place.path(name)).expect("a folder");
        let bytes = write(recording).expect("bytes");
        std::fs::write(place.path(&format!("{name}/recording.rcr")), bytes).expect("written");
    }
    place
}

fn near(seen: &Value, expected: f64, what: &str) {
    let seen = seen.as_f64().unwrap_or(f64::NAN);
    assert!((seen - expected).abs() <= 5e-7 * expected.abs().max(1.0), "{what}: {seen}, expected {expected}");
}

#[test]
fn factors_of_two_schedules() {
    let place = place(&[("two", schedule(&TWO)), ("three", schedule(&THREE))]);
    // The order of the command line does not matter: the reference has the fewest processes.
    let document = place.run(&["record", "show", "three", "two", "--json"]).code(0).document();
    assert_eq!((&document["kind"], &document["version"]), (&json!("record-show"), &json!(1)));
    assert_eq!((&document["reference_p"], &document["scaling"]), (&json!(2), &json!("strong")));
    let names =
        ["load_balance", "communication", "serialization", "transfer", "parallel", "computation_scaling", "global"];
    let expected = [
        (1_740e-9, 1_400e-9, [1.0, 0.402_299, 0.5, 0.804_598, 0.402_299, 1.0, 0.402_299], 1.0),
        (1_710e-9, 1_200e-9, [0.888_889, 0.350_877, 0.5, 0.701_754, 0.311_891, 0.875, 0.272_904], 1.017_544),
    ];
    for (recording, (time, ideal, factors, speedup)) in
        document["recordings"].as_array().expect("a list").iter().zip(expected)
    {
        near(&recording["time_s"], time, "time");
        assert!(
            (recording["ideal_time_s"].as_f64().expect("a time") - ideal).abs() < 2e-12,
            "{}",
            recording["ideal_time_s"]
        );
        for (name, expected) in names.iter().zip(factors) {
            near(&recording["factors"][*name], expected, name);
        }
        near(&recording["speedup"], speedup, "speedup");
        assert!(recording["factors"]["ipc_scaling"].is_null());
    }
    let two = &document["recordings"][0];
    assert_eq!(two["matrix"], json!({"ranks": [0, 1], "bytes": [[0, 1001], [1001, 0]]}));
    assert_eq!(two["calls"].as_array().map(Vec::len), Some(3));
    assert!(two["limits"].as_str().expect("a sentence").starts_with("serialization (0.50)"), "{}", two["limits"]);
}

#[test]
fn a_replay_ends_when_the_schedules_end() {
    let place = place(&[("two", schedule(&TWO)), ("three", schedule(&THREE))]);
    for (name, ranks) in [("two", &TWO[..]), ("three", &THREE[..])] {
        let document = place.run(&["sim", "replay", name, "--loggops", LOGGOPS, "--json"]).code(0).document();
        let ends: Vec<f64> = ranks.iter().map(|(_, end)| *end).collect();
        for (seen, expected) in document["finish_ns"].as_array().expect("ends").iter().zip(&ends) {
            assert!((seen.as_f64().expect("a time") - expected).abs() < 0.01, "{name}: {seen}, expected {expected}");
        }
        assert!(document["recorded"]["difference_pct"].as_f64().expect("a number").abs() < 0.001);
        // The same as a schedule for other simulators.
        place.run(&["record", "export", name, "--format", "goal", "-o", "out"]).code(0);
        let again =
            place.run(&["sim", "replay", "out/recording.goal", "--loggops", LOGGOPS, "--json"]).code(0).document();
        near(&again["time_s"], document["time_s"].as_f64().expect("a time"), name);
    }
}

#[test]
fn forecasts_are_a_table_of_predictions() {
    let place = place(&[("two", schedule(&TWO)), ("three", schedule(&THREE))]);
    let shown = place.run(&["record", "show", "two", "three", "--at", "p=6", "-o", "forecast.csv", "--json"]);
    let document = shown.code(0).document();
    let forecast = &document["forecast"][0];
    let [low, value, high] =
        ["time_low_s", "time_s", "time_high_s"].map(|name| forecast[name].as_f64().expect("a time"));
    assert!(low <= value && value <= high && forecast["level"] == json!(0.9), "{forecast}");
    assert_eq!(forecast["factors"]["transfer"]["form"], json!("constant"));
    assert!(document["warnings"].as_array().expect("a list").iter().any(|warning| warning["code"] == "few_recordings"));
    let table = place.read("forecast.csv");
    assert!(table.starts_with("method,model,p,time_s") && table.contains("\nfactors,factors,6,"), "{table}");
    place.run(&["record", "show", "two", "--at", "N=6"]).code(2);
}

/// Rank 21 of a halo exchange over 4 x 4 x 4 ranks.
#[test]
fn a_dump_shows_loops_and_peers() {
    let part = |rank: u32| {
        let mut builder = Builder::new(rank, 64);
        let place = [rank % 4, rank / 4 % 4, rank / 16];
        for step in 1..=20 {
            let mut count = 0;
            for (code, site, sends) in [(call::RECV, 41, 0), (call::SEND, 44, 1)] {
                for (dimension, stride) in [1, 4, 16].into_iter().enumerate() {
                    let up = (place[dimension] < 3).then(|| (rank + stride, 2 * dimension as i64 + 1 - sends));
                    let down = (place[dimension] > 0).then(|| (rank - stride, 2 * dimension as i64 + sends));
                    for (peer, tag) in [up, down].into_iter().flatten() {
                        let fields: [(Field, &[i64]); 3] =
                            [(Field::Peer, &[peer.into()]), (Field::Size, &[8_192]), (Field::Tag, &[tag])];
                        builder.call(code, Flags::NONBLOCKING, (site, 0), &fields, [3.1e-6, 0.0]);
                        count += 1;
                    }
                }
            }
            builder.call(call::WAITALL, Flags::default(), (46, 0), &[(Field::Count, &[count])], [0.0; 2]);
            if step % 10 == 0 {
                builder.call(call::ALLREDUCE, Flags::COLLECTIVE, (60, 0), &[(Field::Size, &[8])], [1.84e-3, 0.0]);
            }
        }
        builder.call(call::FINALIZE, Flags::default(), (70, 0), &[], [0.0; 2]);
        builder.finish()
    };
    let place = place(&[("heat", join((0..64).map(part).collect()).expect("one recording"))]);
    let text = place.run(&["record", "dump", "heat", "--rank", "21"]).code(0).out;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# runcast-recording 1  p 64  class "), "{text}");
    assert!(lines[0].ends_with(" of 27  ranks 21 22 25 26 37 38 41 42"), "{text}");
    assert_eq!(lines[1..4], ["loop 2", "  loop 10", "    loop 6"]);
    let peers = "peer 20x[22{2x-2} 25{2x-8} 37{2x-32}]  size 8192{120x0}  tag";
    assert!(
        lines[4].starts_with("      irecv")
            && lines[4].contains(&format!("{peers} 1{{2x-1}}{{3x2}}{{20x0}}  block 120 x 3.1")),
        "{text}"
    );
    assert!(lines[6].starts_with("      isend") && lines[6].contains(&format!("{peers} 0{{6x1}}{{20x0}}")), "{text}");
    assert!(lines[8].starts_with("  allreduce") && lines[8].ends_with("block 2 x 1.84 ms"), "{text}");
    assert_eq!(lines[9].split_whitespace().next(), Some("finalize"));
    let document = place.run(&["record", "dump", "heat", "--json"]).code(0).document();
    assert_eq!((&document["kind"], document["programs"].as_array().map(Vec::len)), (&json!("record-dump"), Some(27)));
    place.run(&["record", "dump", "heat", "--rank", "64"]).code(2);
}

#[test]
fn what_is_no_whole_recording_is_told() {
    let mut part = schedule(&TWO);
    part.programs.truncate(1);
    let place = place(&[("part", part)]);
    let document = place.run(&["record", "show", "part", "--json"]).code(0).document();
    assert!(document["recordings"][0]["ideal_time_s"].is_null());
    place.run(&["sim", "replay", "part", "--loggops", LOGGOPS]).code(1);
    place.write("junk.rcr", "RUNCREC2 and more that is no recording");
    for command in [["record", "dump", "junk.rcr"], ["record", "show", "junk.rcr"], ["record", "show", "nowhere"]] {
        place.run(&command).code(2);
    }
}

/// A message costs 10 + 50 + 10 + 100 ns: o, L, o, and G for 1,000 of its bytes.
#[test]
fn changes_of_a_replay_add_up() {
    let uneven: [(&[Does], f64); 2] = [(&[Calc(1_000.0), Send(1)], 1_010.0), (&[Calc(100.0), Recv(0)], 1_170.0)];
    let place = place(&[("two", schedule(&TWO)), ("uneven", schedule(&uneven))]);
    let changes = "bandwidth=2,latency=0,balanced,ideal";
    for (name, base, expected) in [
        ("two", 1_740.0, [1_640.0, 1_640.0, 1_740.0, 1_400.0]),
        ("uneven", 1_170.0, [1_120.0, 1_120.0, 550.0 + 170.0, 1_000.0]),
    ] {
        let arguments = ["sim", "replay", name, "--loggops", LOGGOPS, "--what-if", changes, "--json"];
        let document = place.run(&arguments).code(0).document();
        assert!((document["time_s"].as_f64().expect("a time") - base * 1e-9).abs() < 2e-12);
        let rows = document["what_if"].as_array().expect("a table");
        let names: Vec<&str> = rows.iter().filter_map(|row| row["what_if"].as_str()).collect();
        assert_eq!(names, changes.split(',').collect::<Vec<_>>());
        for (row, expected) in rows.iter().zip(expected) {
            let time = row["time_s"].as_f64().expect("a time");
            assert!((time - expected * 1e-9).abs() < 2e-12, "{name}: {row}, expected {expected} ns");
            near(&row["speedup"], base / expected, "speedup");
        }
    }
    let text = place.run(&["sim", "replay", "two", "--loggops", LOGGOPS, "--what-if", changes]).code(0).out;
    assert!(text.contains("what if") && text.contains("latency=0"), "{text}");
    place.run(&["sim", "replay", "two", "--loggops", LOGGOPS, "--what-if", "bandwidth=0"]).code(2);
}

/// A core of the one has 37.28/4 Gflop/s and 4 GB/s, of the other 54.48/6 Gflop/s and 7.5 GB/s.
#[test]
fn blocks_of_another_processor() {
    let place = place(&[("two", schedule(&TWO))]);
    let scale = "intel-xeon-e5345=intel-xeon-l5640";
    for (bound, factor) in [("cpu", 9.32 / 9.08), ("memory", 4.0 / 7.5), ("max", 9.32 / 9.08)] {
        let arguments =
            ["sim", "replay", "two", "--loggops", LOGGOPS, "--scale-compute", scale, "--bound", bound, "--json"];
        let document = place.run(&arguments).code(0).document();
        let expected = (1_400.0 * factor + 340.0) * 1e-9;
        let time = document["time_s"].as_f64().expect("a time");
        // Blocks are whole ticks.
        assert!((time - expected).abs() < 3e-9, "{bound}: {time}, expected {expected}");
        assert!(document["recorded"].is_null());
    }
    let answer =
        place.run(&["sim", "replay", "two", "--loggops", LOGGOPS, "--scale-compute", "no-such=intel-xeon-l5640"]);
    assert!(answer.code(2).err.contains("--scale-compute"));
    place.write("a.goal", "num_ranks 1\nrank 0 {\ncalc 5\n}\n");
    place.run(&["sim", "replay", "a.goal", "--scale-compute", scale]).code(2);
}

#[test]
fn wildcards_may_be_free() {
    let ranks: [(&[Does], f64); 3] = [
        (&[Any(2), Calc(500.0), Any(1), Calc(500.0)], 2_200.0),
        (&[Calc(100.0), Send(0)], 110.0),
        (&[Calc(1_000.0), Send(0)], 1_010.0),
    ];
    let place = place(&[("any", schedule(&ranks))]);
    let time = |wildcards: &str| {
        let arguments =
            ["sim", "replay", "any", "--loggops", LOGGOPS, "--wildcards", wildcards, "--blocks", "mean", "--json"];
        place.run(&arguments).code(0).document()["time_s"].as_f64().expect("a time")
    };
    // The first message is there at 1,170 ns or at 270; the second then waits for nobody, or until 1,170.
    let [recorded, free] = ["recorded", "free"].map(time);
    assert!((2_170e-9..2_300e-9).contains(&recorded), "{recorded}");
    assert!((1_670e-9..1_800e-9).contains(&free), "{free}");
}

#[test]
fn timelines_and_pictures() {
    let place = place(&[("two", schedule(&TWO)), ("three", schedule(&THREE))]);
    place.write("pair.toml", PAIR);
    place.run(&["record", "export", "two", "--format", "perfetto", "-o", "out.json"]).code(0);
    let arguments = [
        "record",
        "show",
        "two",
        "three",
        "--system",
        "pair.toml",
        "--plot",
        "f.svg",
        "--timeline",
        "t.json",
        "--json",
    ];
    let document = place.run(&arguments).code(0).document();
    assert!(document["recordings"][0]["replay_error_pct"].is_number(), "{document}");
    assert!(place.read("f.svg").contains("load balance"));
    assert_eq!(place.read("t.json"), place.read("out.json"));
    let trace: Value = serde_json::from_str(&place.read("out.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let slices: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(slices.len(), 4);
    let first = slices.iter().find(|slice| slice["name"] == "send").expect("a send");
    // 0.7 us of computing before it, kept to 0.07 %.
    assert!((first["ts"].as_f64().expect("a time") - 0.7).abs() < 0.001, "{first}");
    assert_eq!(first["args"]["size_bytes"], json!(1_001));
    let arguments =
        ["sim", "replay", "two", "--system", "pair.toml", "--timeline", "run.json", "--what-if", "latency=0", "--json"];
    let document = place.run(&arguments).code(0).document();
    assert!(place.read("run.json").contains("traceEvents"));
    // Two messages over two links of 1 us each.
    let saved =
        document["time_s"].as_f64().expect("a time") - document["what_if"][0]["time_s"].as_f64().expect("a time");
    assert!((saved - 4e-6).abs() < 1e-9, "{saved}");
}

const PAIR: &str = r#"
format = "runcast-system/1"
name = "pair"
component = [
  { id = "pair", kind = "group" },
  { id = "node", kind = "machine", parent = "pair", count = 3 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "1Gflop/s" } },
]
[[network]]
of = "pair"
set = { bandwidth = "1GB/s", latency = "1us" }
"#;

/// Both ranks compute 1 ms, exchange 64 bytes, and sum up 8.
#[test]
fn traces_of_others_become_recordings() {
    let place = Place::new();
    for rank in 0..2 {
        let text = format!(
            "MPI_Init:-:1:1:1000\nMPI_Irecv:2000:7:8:1,8,8:{0}:5:9,{rank},2:800:2000\n\
             MPI_Isend:2000:7:8:1,8,8:{0}:5:9,{rank},2:808:2000\nMPI_Waitall:2000:2:800:0:2100\n\
             MPI_Allreduce:2100:1:2:1:1,8,8:3:9,{rank},2:2200\nMPI_Finalize:2200:-\n",
            1 - rank
        );
        place.write(&format!("pmpi-trace-rank-{rank}.txt"), &text);
    }
    let files = ["pmpi-trace-rank-0.txt", "pmpi-trace-rank-1.txt"];
    let arguments = ["record", "import", files[0], files[1], "--format", "liballprof", "-o", "rec", "--json"];
    let document = place.run(&arguments).code(0).document();
    assert_eq!(
        (&document["kind"], &document["p"], &document["events"]),
        (&json!("record-import"), &json!(2), &json!(10))
    );
    assert!(document["lost"].as_array().is_some_and(|lost| lost.contains(&json!("call sites"))));
    place.run(&arguments).code(2);
    let shown = place.run(&["record", "show", "rec", "--json"]).code(0).document();
    near(&shown["recordings"][0]["useful_mean_s"], 1e-3, "computing time");
    assert_eq!(shown["recordings"][0]["matrix"]["bytes"], json!([[0, 64], [64, 0]]));
    place.run(&["sim", "replay", "rec", "--loggops", LOGGOPS]).code(0);
    place.write("bad.txt", "MPI_Send:5:here\n");
    let answer = place.run(&["record", "import", "bad.txt", "--format", "liballprof", "-o", "other"]).code(2);
    assert!(answer.err.contains("bad.txt:1"), "{}", answer.err);
}

/// Every rank sends to the next one before it receives: on a network on which a send waits for its receive, all wait forever.
#[test]
fn a_model_that_hangs_is_written_with_where_it_hangs() {
    let place = Place::new();
    for p in [3, 4] {
        let mut line = vec!["record".to_owned(), "import".to_owned()];
        for rank in 0..p {
            let (next, before) = ((rank + 1) % p, (rank + p - 1) % p);
            let text = format!(
                "MPI_Init:-:1:1:1000\nMPI_Send:2000:7:8:1,8,8:{next}:5:9,{rank},{p}:2010\n\
                 MPI_Recv:2010:7:8:1,8,8:{before}:5:9,{rank},{p}:0:2020\nMPI_Finalize:2100:-\n"
            );
            let file = format!("of-{p}-rank-{rank}.txt");
            place.write(&file, &text);
            line.push(file);
        }
        line.extend(["--format", "liballprof", "-o"].map(str::to_owned));
        line.push(format!("rec-{p}"));
        place.run(&line.iter().map(String::as_str).collect::<Vec<_>>()).code(0);
    }
    place.write(
        "strict.toml",
        r#"format = "runcast-system/1"
name = "strict"
component = [
  { id = "cluster", kind = "group" },
  { id = "node", kind = "machine", parent = "cluster", count = 4 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "10Gflop/s" } },
]

[[network]]
of = "cluster"
set = { bandwidth = "1GB/s", latency = "1us", eager_limit = "0B", detach_limit = "0B" }
"#,
    );
    let learn = ["sim", "learn", "rec-3", "rec-4", "-o", "app", "--at", "p=4", "--json"];
    let answer = place.run(&[&learn[..], &["--system", "strict.toml"]].concat()).code(1);
    let document = answer.document();
    let found: Vec<&str> =
        document["unexplained"].as_array().expect("a list").iter().filter_map(|one| one["why"].as_str()).collect();
    assert!(found.iter().any(|why| why.starts_with("deadlock: ") && why.contains("app.luau:")), "{document}");
    assert_eq!(document["check"][0]["simulated_s"], serde_json::Value::Null, "{document}");
    assert_eq!(document["forecast"], json!([]));
    let script = place.read("app/app.luau");
    assert!(script.contains("send{ to = (rank + 1) % p"), "{script}");
    // Where small messages start without their receive it runs: that network is another.
    let answer = place.run(&[&learn[..], &["--force"]].concat()).code(0);
    assert_eq!(answer.document()["unexplained"], json!([]));
}
