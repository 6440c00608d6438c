//! `runcast record`: programs of our own under Open MPI and MPICH, read again by the reader that the reference prints.
//!
//! Expected calls follow from the sources in `examples/record` and `crates/recorder/tests/programs`.

use crate::Place;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An MPI of Debian.
#[derive(Debug, Clone, Copy)]
struct Mpi {
    name: &'static str,
    mpirun: &'static str,
    mpicc: &'static str,
    mpifort: &'static str,
    more: &'static [&'static str],
}

const OPEN_MPI: Mpi = Mpi {
    name: "Open MPI",
    mpirun: "mpirun.openmpi",
    mpicc: "mpicc.openmpi",
    mpifort: "mpifort.openmpi",
    more: &["--oversubscribe"],
};
const MPICH: Mpi =
    Mpi { name: "MPICH", mpirun: "mpirun.mpich", mpicc: "mpicc.mpich", mpifort: "mpifort.mpich", more: &[] };

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether a program is here. With `RUNCAST_REQUIRE_ALL=1` it must be.
fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(is_there || !must, "{program} is missing");
    is_there
}

/// A place for an MPI. Recorders are compiled once for all tests.
struct Scene {
    place: Place,
    mpi: Mpi,
}

impl Scene {
    fn of(mpi: Mpi) -> Option<Scene> {
        (have(mpi.mpirun) && have(mpi.mpicc) && have("python3")).then(|| Scene { place: Place::new(), mpi })
    }

    fn compile(&self, compiler: &str, source: &str, options: &[&str], program: &str) {
        let mut command = Command::new(compiler);
        command
            .args(options)
            .arg(root().join(source))
            .arg("-o")
            .arg(self.place.path(program))
            .args(["-lm", "-lpthread"]);
        let output = command.output().expect("started");
        assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Records so many ranks of a program; the exit code and the document.
    fn record(&self, options: &[&str], ranks: u32, program: &[&str]) -> (Option<i32>, Value) {
        let ranks = ranks.to_string();
        let mut line = vec!["record", "--json", "--force", "--keep-ranks"];
        line.extend(options);
        line.extend(["--", self.mpi.mpirun]);
        line.extend(self.mpi.more);
        line.extend(["-n", &ranks]);
        let own = self.place.path(program[0]).display().to_string();
        line.push(&own);
        line.extend(&program[1..]);
        let mut command = self.place.command(&line);
        command
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env_remove("MPICC")
            .timeout(std::time::Duration::from_secs(60));
        let answer = crate::Answer::of(&command.output().expect("started"));
        (answer.code, answer.document())
    }

    /// The tree of a rank, as the reader of the reference prints it.
    fn tree(&self, rank: u32) -> String {
        let file = ["rcr", "part"].map(|ending| self.place.path(&format!("rec/rank-{rank}.{ending}")));
        let file = file.iter().find(|file| file.is_file()).expect("a file of the rank");
        let output = Command::new("python3").arg(root().join("examples/record/read.py")).arg(file).output();
        let output = output.expect("python3");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        // Numbers of sites depend on the compiler's inlining.
        let words = text.lines().map(|line| {
            let is_site = |word: &&str| word.strip_prefix('s').is_some_and(|n| n.parse::<u32>().is_ok());
            let indent = line.len() - line.trim_start().len();
            let rest: Vec<&str> = line.split_whitespace().filter(|word| !is_site(word)).collect();
            format!("{}{}", " ".repeat(indent), rest.join(" "))
        });
        words.filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n")
    }
}

/// Source, arguments, ranks, calls in all, and the tree of a rank.
type Case = (&'static str, &'static [&'static str], u32, u64, u32, &'static str);

const CASES: &[Case] = &[
    (
        "ring",
        &["30"],
        3,
        3 * 61,
        1,
        "loop 30\n  recv peer 0{30x0} size 1024{30x0} tag 7{30x0}\n  send peer 2{30x0} size 1024{30x0} tag 7{30x0}\nfinalize",
    ),
    (
        "heat2",
        &["64", "40"],
        4,
        4 * (40 * 9 + 4 + 1),
        3,
        "loop 4
  loop 10{4x0}
    recv peer 1{40x0} size 256{40x0} tag 0{40x0}
    recv peer -1{40x0} size 0{40x0} tag 1{40x0}
    recv peer 2{40x0} size 256{40x0} tag 2{40x0}
    recv peer -1{40x0} size 0{40x0} tag 3{40x0}
    send peer 1{40x0} size 256{40x0} tag 1{40x0}
    send peer -1{40x0} size 256{40x0} tag 0{40x0}
    send peer 2{40x0} size 256{40x0} tag 3{40x0}
    send peer -1{40x0} size 256{40x0} tag 2{40x0}
    waitall count 8{40x0} reqs 8{8x-1}{40x0}
  allreduce size 8{4x0}
finalize",
    ),
    (
        "butterfly",
        &["50"],
        4,
        4 * 101,
        1,
        "loop 100\n  sendrecv peer 0{2x3}{50x0} peer2 0{2x3}{50x0} size 128{100x0} tag 0{100x0}\nfinalize",
    ),
    (
        "tree",
        &["30"],
        4,
        // Each of three edges is used both ways by two ranks.
        3 * 4 * 30 + 4,
        0,
        "loop 30\n  loop 2{30x0}\n    recv peer 1{2x1}{30x0} size 8{60x0} tag 1{60x0}\n  loop 2{30x0}\n    send peer 2{2x-1}{30x0} size 8{60x0} tag 2{60x0}\nfinalize",
    ),
];

fn programs(mpi: Mpi) {
    let Some(scene) = Scene::of(mpi) else { return };
    for (source, arguments, ranks, events, rank, tree) in CASES {
        scene.compile(mpi.mpicc, &format!("examples/record/{source}.c"), &["-O1", "-g", "-w"], source);
        let mut program = vec![*source];
        program.extend(*arguments);
        let (code, document) = scene.record(&["--set", "N=64"], *ranks, &program);
        assert_eq!(code, Some(0), "{source}: {document}");
        assert_eq!(document["kind"], "record", "{document}");
        for (field, expected) in [("p", u64::from(*ranks)), ("ranks_found", u64::from(*ranks)), ("events", *events)] {
            assert_eq!(document[field], expected, "{source}: {field}");
        }
        assert_eq!(document["partial"], false, "{document}");
        assert_eq!(scene.tree(*rank), *tree, "{source} of {}", mpi.name);
    }
    assert!(scene.place.path("rec/recording.rcr").is_file());
}

#[test]
fn programs_of_open_mpi() {
    programs(OPEN_MPI);
}

#[test]
fn programs_of_mpich() {
    programs(MPICH);
}

const KINDS: &[(&str, u32, &str)] = &[
    ("callers", 1, "loop 10\n  allreduce size 8{10x0}\n  allreduce size 8{10x0}\n  allreduce size 8{10x0}\nfinalize"),
    (
        "window",
        1,
        "win size 80 extra 1\nloop 10\n  fence extra 0{10x0}\n  put peer 0{10x0} size 16{10x0} extra 18{10x0}\n  fence extra 0{10x0}\nwin extra 4\nfinalize",
    ),
    (
        "persistent",
        1,
        "recv peer 0 size 80 tag 1\nsend peer 0 size 80 tag 1\nloop 20\n  start count 2{20x0} reqs 2{2x-1}{20x2}\n  waitall count 2{20x0} reqs 3{2x-1}{20x2}\nrequest_free count 1 reqs 42\nrequest_free count 1 reqs 42\nfinalize",
    ),
    (
        "communicators",
        1,
        "loop 5\n  comm count 2{5x0} extra 0{5x0}\n  barrier\n  comm extra 7{5x0}\ncart_create count 3 extra 0\ncart_sub count 4 extra 0\nbcast size 80 root 0\nallreduce size 80\nwait count 1 reqs 1\npcontrol extra 5\nfinalize",
    ),
];

/// A ring of 50 exchanges in each of three threads, the main one being silent.
fn threads(scene: &Scene) {
    let (code, document) = scene.record(&[], 2, &["kinds", "threads"]);
    assert_eq!((code, &document["events"]), (Some(0), &Value::from(2 * (3 * 150 + 1))), "{document}");
    let tree = scene.tree(0);
    for tag in 1..=3 {
        let one = format!(
            "loop 50\n  recv peer 1{{50x0}} size 32{{50x0}} tag {tag}{{50x0}}\n  send peer 1{{50x0}} size 32{{50x0}} tag {tag}{{50x0}}\n  waitall count 2{{50x0}} reqs 2{{2x-1}}{{50x0}}"
        );
        assert!(tree.contains(&one), "{tree}");
    }
}

/// Wildcard receives get what matched, whatever the order.
fn wildcards(scene: &Scene) {
    let (code, document) = scene.record(&[], 3, &["kinds", "any"]);
    assert_eq!(code, Some(0), "{document}");
    let tree = scene.tree(0);
    let is_one_order = ["peer 1{2x1} size 8{2x8} tag 1{2x1}", "peer 2{2x-1} size 16{2x-8} tag 2{2x-1}"];
    assert!(is_one_order.iter().any(|order| tree.contains(order)), "{tree}");
}

/// What was recorded before a rank dies is kept.
fn ends(scene: &Scene) {
    for (how, message) in [("abort", "MPI_Abort with code 7"), ("kill", ""), ("fault", "")] {
        let (code, document) = scene.record(&["--flush", "20ms"], 2, &["kinds", how]);
        assert_eq!((code, &document["partial"]), (Some(1), &Value::from(true)), "{how}: {document}");
        assert_eq!(document["ranks_found"], 2, "{how}: {document}");
        assert!(document["warnings"].to_string().contains(message), "{how}: {document}");
        let tree = scene.tree(1);
        assert!(tree.starts_with("loop ") && tree.contains("\n  sendrecv peer 0{"), "{how}: {tree}");
    }
}

fn kinds(mpi: Mpi) {
    let Some(scene) = Scene::of(mpi) else { return };
    scene.compile(mpi.mpicc, "crates/recorder/tests/programs/kinds.c", &["-O1", "-w"], "kinds");
    for (kind, rank, tree) in KINDS {
        let (code, document) = scene.record(&[], 2, &["kinds", kind]);
        assert_eq!(code, Some(0), "{kind}: {document}");
        assert_eq!(scene.tree(*rank), *tree, "{kind} of {}", mpi.name);
    }
    threads(&scene);
    wildcards(&scene);
    ends(&scene);
}

#[test]
fn kinds_of_calls_of_open_mpi() {
    kinds(OPEN_MPI);
}

#[test]
fn kinds_of_calls_of_mpich() {
    kinds(MPICH);
}

/// The three interfaces give the same recording.
#[test]
fn fortran_is_recorded_in_all_its_interfaces() {
    let expected = "comm peer 0 peer2 0 count 2 extra 3\nloop 20\n  recv peer 1{20x0} size 80{20x0} tag 3{20x0}\n  send peer 1{20x0} size 80{20x0} tag 3{20x0}\n  waitall count 2{20x0} reqs 2{2x-1}{20x0}\n  allreduce size 80{20x0}\nfinalize";
    for mpi in [OPEN_MPI, MPICH] {
        if !have("gfortran") || !have(mpi.mpifort) {
            continue;
        }
        let Some(scene) = Scene::of(mpi) else { continue };
        for interface in ["F77", "F90", "F08"] {
            let define = format!("-D{interface}");
            let options = [define.as_str(), "-fallow-argument-mismatch", "-w"];
            scene.compile(mpi.mpifort, "crates/recorder/tests/programs/interfaces.F90", &options, interface);
            let (code, document) = scene.record(&[], 2, &[interface]);
            assert_eq!(code, Some(0), "{interface}: {document}");
            assert_eq!(scene.tree(0), expected, "{interface} of {}", mpi.name);
        }
    }
}

/// Learnt at a few ranks; the largest recording is held out from a model of the others.
#[test]
fn models_are_learnt_from_small_runs() {
    let Some(scene) = Scene::of(OPEN_MPI) else { return };
    for (source, argument, sizes, function) in
        [("ring", "30", [3, 5, 8, 12], "affine"), ("butterfly", "20", [4, 8, 16, 32], "xor")]
    {
        scene.compile(OPEN_MPI.mpicc, &format!("examples/record/{source}.c"), &["-O1", "-w"], source);
        let folders = sizes.map(|ranks| format!("{source}-{ranks}"));
        for (folder, ranks) in folders.iter().zip(sizes) {
            let (code, document) = scene.record(&["-o", folder], ranks, &[source, argument]);
            assert_eq!(code, Some(0), "{source}: {document}");
        }
        let app = format!("app-{source}");
        let mut line = vec!["sim", "learn", "--json", "-o", &app, "--at", "p=64"];
        line.extend(folders.iter().map(String::as_str));
        let document = scene.place.run(&line).code(0).document();
        assert_eq!(document["kind"], "sim-learn");
        let checks = document["check"].as_array().expect("checks");
        assert_eq!(checks.len(), 5, "{document}");
        for check in checks {
            assert_eq!(
                (&check["calls_equal"], &check["bytes_equal"]),
                (&Value::from(true), &Value::from(true)),
                "{check}"
            );
        }
        assert_eq!(checks[4]["held_out"], true);
        let peers = document["peers"].as_array().expect("partners");
        assert!(peers.iter().any(|peer| peer["function"] == function), "{document}");
        assert_eq!(document["coverage"]["calls"], 1.0);
        let forecast = &document["forecast"][0];
        let time = |field: &str| forecast[field].as_f64().expect("a time");
        assert!(time("time_low_s") <= time("time_s") && time("time_s") <= time("time_high_s"), "{forecast}");
        assert_eq!(forecast["extrapolates"], true);
        // The model is an experiment as any other.
        let experiment = format!("{app}/experiment.toml");
        let run = scene.place.run(&["sim", "run", &experiment, "--set", "p=24", "--json"]).code(0).document();
        assert_eq!(run["processes"], 24, "{run}");
        // Two processors differ as their clocks and instructions a cycle say, once the model is told which one was recorded.
        let edit = |name: &str, from: &str, to: &str| {
            let path = scene.place.path(&format!("{app}/{name}"));
            let text = std::fs::read_to_string(&path).expect("a file of the model");
            assert!(text.contains(from), "{text}");
            std::fs::write(&path, text.replace(from, to)).expect("written");
        };
        edit("system.toml", "flops_double = \"10Gflop/s\" }", "smt_gain = 1.0 }, hardware = \"intel-xeon-e5345\"");
        edit("coefficients.toml", "scales = \"none\"", "scales = \"scalar\"");
        let on = |processor: &str| {
            let line = ["sim", "run", &experiment, "--set", "p=24", "--hardware", processor, "--json"];
            let document = scene.place.run(&line).code(0).document();
            document["labels"][0]["compute_s"].as_f64().expect("a time")
        };
        let (old, new) = (on("cpu=intel-xeon-e5345"), on("cpu=amd-epyc-9654"));
        // 2.33 GHz with 1 instruction a cycle, 2.4 GHz with 2.2 (crates/sim/catalogue/cpu.toml).
        let expected = 2.33 / (2.4 * 2.2);
        assert!((new / old - expected).abs() < 0.01, "{new} s beside {old} s: {expected}");
    }
    let answer = scene.place.run(&["sim", "learn", "ring-3", "-o", "one", "--json"]).code(1).document();
    assert!(answer["unexplained"][0]["why"].as_str().is_some_and(|why| why.starts_with("one_size")), "{answer}");
}

/// `sim learn` records by itself. How ranks are told apart, a function of partners, and whether every byte is right.
#[test]
fn programs_of_every_structure_are_learnt() {
    let Some(scene) = Scene::of(OPEN_MPI) else { return };
    let learn = |source: &str, arguments: &[&str], sizes: &str| {
        scene.compile(OPEN_MPI.mpicc, &format!("examples/record/{source}.c"), &["-O1", "-w"], source);
        let own = scene.place.path(source).display().to_string();
        let (app, at) = (format!("app-{source}"), format!("p={sizes}"));
        let mut line = vec!["sim", "learn", "--json", "--force", "-o", &app, "--at", &at, "--"];
        line.extend([OPEN_MPI.mpirun, "--oversubscribe", "-n", "{p}", &own]);
        line.extend(arguments);
        let mut command = scene.place.command(&line);
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("MPICC");
        crate::Answer::of(&command.timeout(std::time::Duration::from_secs(120)).output().expect("started"))
    };
    type Case = (&'static str, &'static [&'static str], &'static str, &'static str, Option<&'static str>);
    let cases: [Case; 9] = [
        ("mgrid", &["4096", "3"], "4,8,16", "root leaf inner", Some("pow2")),
        ("tree", &["10"], "4,8,16", "root leaf inner", Some("pow2")),
        ("msort", &["2048", "3"], "4,8,16", "root leaf inner", Some("pow2")),
        ("summa", &["144", "2"], "4,9,36", "all", None),
        ("lu", &["128", "8"], "2,4", "all", None),
        ("fft", &["4096", "3"], "2,4,8", "all", None),
        ("heat3", &["12", "10"], "8,12", "all", Some("grid")),
        ("sweep", &["48", "3"], "9,12", "all", Some("grid")),
        ("sort", &["500", "3"], "2,4", "all", None),
    ];
    for (source, arguments, sizes, classes, function) in cases {
        let answer = learn(source, arguments, sizes);
        assert_eq!(answer.code, Some(0), "{source}: {} {}", answer.out, answer.err);
        let document = answer.document();
        let named = |list: &str, key: &str| -> Vec<String> {
            let all = document[list].as_array().expect("a list").iter();
            all.filter_map(|one| one[key].as_str().map(str::to_owned)).collect()
        };
        let mut seen = named("classes", "signature");
        let mut expected: Vec<&str> = classes.split(' ').collect();
        seen.sort();
        expected.sort_unstable();
        assert_eq!(seen, expected, "{source}");
        if let Some(function) = function {
            assert!(named("peers", "function").iter().any(|known| known == function), "{source}: {document}");
        }
        // What a sort sends to whom is a matter of chance.
        for check in document["check"].as_array().expect("checks") {
            assert_eq!(check["calls_equal"], true, "{source}: {check}");
            assert!(check["bytes_equal"] == true || source == "sort", "{source}: {check}");
        }
        let experiment = format!("app-{source}/experiment.toml");
        let run = scene.place.run(&["sim", "run", &experiment, "--set", "p=16", "--json"]).code(0).document();
        assert!(run["time_s"].as_f64().is_some_and(|time| time > 0.0), "{source}");
    }
    let answer = learn("graph", &["6"], "4,8");
    assert_eq!(answer.code, Some(1), "{}", answer.out);
    assert!(answer.document()["unexplained"][0]["sample"].as_str().is_some_and(|call| call.contains("graph+0x")));
    // What is recorded is not recorded again; the function that calls has a name.
    let recording = scene.place.path("app-tree/recordings/p-4/recording.rcr");
    let made = || std::fs::metadata(&recording).and_then(|file| file.modified()).expect("a time");
    let before = made();
    learn("tree", &["10"], "4,8,16");
    assert_eq!(made(), before);
    let shown = scene.place.run(&["record", "show", "app-tree/recordings/p-4", "--json"]).code(0).document();
    let place = shown["recordings"][0]["sites"][0]["where"].as_str().expect("a place").to_owned();
    assert!(place.starts_with("main tree+0x"), "{place}");
}

#[test]
fn what_cannot_be_recorded_is_refused_with_a_reason() {
    let place = Place::new();
    let code = |document: &Value| document["problems"][0]["code"].as_str().map(str::to_owned);
    let answer = place.run(&["record", "--json"]).code(2);
    assert_eq!(code(&answer.document()).as_deref(), Some("no_command"));
    place.write("rec/rank-0.rcr", "");
    let answer = place.run(&["record", "--json", "--", "true"]).code(2);
    assert_eq!(code(&answer.document()).as_deref(), Some("exists"));
    let answer = place.run(&["record", "--json", "-o", "new", "--mpicc", "/nowhere/mpicc", "--", "true"]).code(2);
    assert_eq!(code(&answer.document()).as_deref(), Some("no_mpicc"));
    let answer = place.run(&["record", "finish", "nowhere", "--json"]).code(2);
    assert_eq!(code(&answer.document()).as_deref(), Some("no_recording"));
    let answer = place.run(&["record", "finish", "rec", "--json"]).code(1);
    assert_eq!(code(&answer.document()).as_deref(), Some("no_rank"));
}

#[test]
fn another_mpi_is_found_out_before_the_run() {
    let (Some(scene), Some(_)) = (Scene::of(OPEN_MPI), Scene::of(MPICH)) else { return };
    scene.compile("mpicc.mpich", "examples/record/ring.c", &["-w"], "ring");
    let (code, document) = scene.record(&[], 2, &["ring"]);
    assert_eq!(code, Some(2), "{document}");
    let problem = &document["problems"][0];
    assert_eq!(problem["code"], "other_mpi", "{document}");
    assert!(problem["value"].as_str().is_some_and(|value| value.starts_with("libmpich.so")), "{document}");
    // What has no MPI in it reports no rank.
    let answer = scene.place.command(&["record", "--json", "-o", "none", "--", "mpirun.openmpi", "-n", "1", "true"]);
    let mut answer = answer;
    let answer =
        crate::Answer::of(&answer.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).output().expect("started"));
    assert_eq!((answer.code, &answer.document()["problems"][0]["code"]), (Some(1), &Value::from("no_rank")));
}
