//! `bsf calibrate` and `bsf validate --run`: what is measured, what is written, and what goes on from there.

use crate::run::{Folder, has, number};
use serde_json::Value;
#[cfg(unix)]
use std::process::{Command, Stdio};

const TIMES: [&str; 7] = ["latency_s", "overhead_s", "send_s", "work_s", "fold_s", "receive_s", "compute_s"];

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

fn empty() -> Folder {
    Folder::with(&[])
}

/// Of a command that succeeds.
fn document(folder: &Folder, args: &str) -> Value {
    let (document, exit) = folder.json(&words(args));
    assert_eq!(exit, 0, "{args}: {document}");
    document
}

/// Of a command that fails: its exit code and the code and place of the first problem.
fn refused(folder: &Folder, args: &str) -> (i32, String, String) {
    let (document, exit) = folder.json(&words(args));
    assert_eq!(document["kind"], "error", "{args}: {document}");
    let problem = &document["problems"][0];
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (exit, text("code"), text("pointer"))
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).expect("it was written")
}

fn codes(document: &Value) -> Vec<&str> {
    document["warnings"].as_array().expect("a list").iter().filter_map(|warning| warning["code"].as_str()).collect()
}

#[test]
fn the_document_has_the_fields_of_the_specification() {
    let folder = empty();
    let document = document(&folder, "bsf calibrate jacobi --size 300 --workers 7 --messages messages.csv");
    has(&document, "kind version times messages origin warnings level list_length iteration_time_s");
    assert_eq!((&document["kind"], &document["version"]), (&"bsf-calibrate".into(), &1.into()));
    assert_eq!((&document["list_length"], number(&document["level"])), (&300.into(), 0.9));
    let times = document["times"].as_object().expect("a table");
    assert_eq!(times.len(), TIMES.len());
    for key in ["latency_s", "work_s", "fold_s", "compute_s"] {
        let [value, low, high] = ["value", "low", "high"].map(|part| number(&times[key][part]));
        assert!(0.0 < low && low <= value && value <= high, "{key}: {low} {value} {high}");
    }
    for key in ["send_s", "receive_s"] {
        assert_eq!(number(&times[key]["value"]), 0.0, "threads share their memory");
    }
    assert!(times["overhead_s"].is_null(), "one worker shows none");
    let origin = &document["origin"];
    has(origin, "program size parameters backend machine date mpi workers iterations op_time_s op_time_note");
    assert_eq!((&origin["program"], &origin["size"], &origin["workers"]), (&"jacobi".into(), &300.into(), &7.into()));
    assert_eq!((&origin["backend"], &origin["mpi"]), (&"threads".into(), &Value::Null));
    assert!(number(&origin["iterations"]) >= 20.0);
    // c_Map + l c_a = n^2 + n n
    let op_time_s = number(&times["work_s"]["value"]) / (2.0 * 300.0 * 300.0);
    assert!((number(&origin["op_time_s"]) / op_time_s - 1.0).abs() < 1e-12);
    assert_eq!(origin["op_time_note"], "for this program at this size");
    check_messages(&document["messages"], &read(&folder, "messages.csv"));
}

/// Powers of two from 1 B to 16 MiB, in the document and in the table.
fn check_messages(messages: &Value, csv: &str) {
    let messages = messages.as_array().expect("a list");
    let sizes: Vec<u64> = messages.iter().filter_map(|row| row["size_bytes"].as_u64()).collect();
    assert_eq!(sizes, (0..=24).map(|power| 1 << power).collect::<Vec<u64>>());
    for row in messages {
        let [time, low, high] = ["time_s", "time_low_s", "time_high_s"].map(|name| number(&row[name]));
        assert!(0.0 < low && low <= time && time <= high, "{row}");
    }
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines[0], lines.len()), ("size_bytes,time_s,time_low_s,time_high_s", 26));
    assert!(lines[25].starts_with("16777216,"));
}

#[test]
fn what_is_written_is_what_predict_and_validate_read() {
    let folder = empty();
    let output = folder.run(&words("bsf calibrate jacobi --size 400 -o costs.toml"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("next: runcast bsf predict costs.toml"), "{told}");
    let file = read(&folder, "costs.toml");
    for part in ["algorithm = \"times\"", "[origin]", "[messages]", "send = \"0s\"", "for this program at this size"] {
        assert!(file.contains(part), "no {part} in {file}");
    }
    assert!(file.contains("\nop_time = \"") && !file.contains("overhead"), "{file}");
    let predicted = document(&folder, "bsf predict costs.toml --workers 1,2");
    assert_eq!((&predicted["algorithm"], &predicted["list_length"]), (&"times".into(), &400.into()));
    assert!(number(&predicted["k_max_interval"]["low"]) > 0.0);
    assert_eq!(number(&predicted["send_s"]), 0.0);

    let args = "bsf validate --run jacobi --size 400 --workers 1,2 --iterations 20 --repeat 2 --params costs.toml";
    let validated = document(&folder, &format!("{args} --timings runs.csv --plot p.svg --report r.html -o p.csv"));
    has(&validated, "kind version source list_length warnings curves");
    assert_eq!((&validated["kind"], &validated["source"]), (&"bsf-validate".into(), &"params".into()));
    let workers = |document: &Value| -> Vec<u64> {
        let points = document["curves"][0]["points"].as_array().expect("points");
        points.iter().filter_map(|point| point["workers"].as_u64()).collect()
    };
    assert_eq!(workers(&validated), [1, 2]);
    assert_eq!(validated["curves"][0]["test"]["count"], 2);
    assert!(
        read(&folder, "p.svg").contains("<svg") && read(&folder, "p.csv").starts_with("method,model,workers,time_s,")
    );
    let page = read(&folder, "r.html");
    assert!(page.contains("usable threads"), "the page tells the machine");

    // The table holds both repetitions, and says the same when it is given again.
    let again = document(&folder, "bsf validate runs.csv --params costs.toml");
    assert_eq!(again["curves"], validated["curves"]);
    let table = read(&folder, "runs.csv");
    assert!(table.starts_with("program,backend,collective,workers,threads,size,list_length,region,rank,count,time_s,"));
    let iterations = table.lines().filter(|line| line.contains(",iteration,0,20,"));
    let repetitions: Vec<&str> = iterations.filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(repetitions, ["0", "0", "1", "1"]);
}

#[test]
fn costs_in_pieces_are_measured_and_read() {
    let folder = empty();
    let measured = document(&folder, "bsf calibrate jacobi --size 200 --form pieces --repeat 5 -o pieces.toml");
    let pieces = &measured["pieces"];
    has(pieces, "in_cache_s out_of_cache_s cache_bytes element_bytes blocks switches_bytes k_max k_max_tree");
    // A row of the matrix, its entry of the right side, and one of the diagonal, at least.
    assert!(number(&pieces["element_bytes"]) >= 8.0 * 200.0, "{pieces}");
    let blocks = pieces["blocks"].as_array().expect("a list");
    let elements: Vec<u64> = blocks.iter().filter_map(|block| block["elements"].as_u64()).collect();
    assert_eq!(elements, [4, 5, 7, 9, 13, 17, 25, 34, 50, 67, 100, 200], "200 over 64, 48, .. 1 workers");
    let file = read(&folder, "pieces.toml");
    for part in ["algorithm = \"pieces\"", "overlap = true", "[[collective]]", "[origin]", "program = \"jacobi\""] {
        assert!(file.contains(part), "no {part} in {file}");
    }
    let predicted = document(&folder, "bsf predict pieces.toml --workers 1,2");
    assert_eq!((&predicted["algorithm"], &predicted["k_max"]), (&"pieces".into(), &pieces["k_max"]));
    let one_s = number(&predicted["curves"][0]["points"][0]["time_s"]);
    let iteration_s = number(&measured["iteration_time_s"]["value"]);
    assert!((0.2..5.0).contains(&(one_s / iteration_s)), "{one_s} s predicted, {iteration_s} s measured");
    let args = "bsf validate --run jacobi --size 200 --workers 1,2 --iterations 20 --repeat 1 --costs pieces.toml";
    let validated = document(&folder, args);
    let curve = &validated["curves"][0];
    assert_eq!(
        (&curve["form"], &curve["collective"], &curve["test"]["count"]),
        (&"pieces".into(), &"flat".into(), &2.into())
    );
    assert_eq!(curve["points"][0]["range"]["class"], "bsf/pieces");
    assert_eq!(number(&curve["points"][0]["predicted_s"]), one_s, "validate says what predict says");
    let output = folder.run(&words("sim new bsf --costs pieces.toml -o sim"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_program_of_ones_own_is_measured_by_its_phases() {
    let folder = empty();
    let own = concat!(env!("CARGO_BIN_EXE_runcast"), " bsf run jacobi --size 200 --backend threads");
    let run = |args: &[&str], command: &str| {
        let (document, exit) = folder.json(&[args, &["--run", command]].concat());
        assert_eq!(exit, 0, "{document}");
        document
    };
    let measured = run(&words("bsf calibrate --workers 3 -o costs.toml --timings phases.csv"), own);
    has(&measured, "kind version times messages origin warnings level list_length iteration_time_s");
    assert_eq!((&measured["list_length"], &measured["origin"]["program"]), (&200.into(), &own.into()));
    assert_eq!((&measured["origin"]["workers"], &measured["origin"]["size"]), (&3.into(), &200.into()));
    let time = |name: &str| number(&measured["times"][name]["value"]);
    let sum_s = 2.0 * time("latency_s") + time("work_s") + time("compute_s");
    let iteration_s = number(&measured["iteration_time_s"]["value"]);
    assert!((0.3..3.0).contains(&(sum_s / iteration_s)) && time("work_s") > 0.0, "{measured}");
    assert!(read(&folder, "phases.csv").lines().any(|line| line.contains(",3,1,200,200,reduce,0,")));
    assert_eq!(document(&folder, "bsf predict costs.toml --workers 1,2")["algorithm"], "times");
    let validated =
        run(&words("bsf validate --workers 1,2 --repeat 2 --iterations 30 --costs costs.toml --timings r.csv"), own);
    assert_eq!((&validated["list_length"], &validated["curves"][0]["test"]["count"]), (&200.into(), &2.into()));
    assert_eq!(read(&folder, "r.csv").lines().filter(|line| line.contains(",iteration,0,30,")).count(), 4);
}

#[cfg(unix)]
#[test]
fn any_other_program_is_measured_by_its_time_or_its_output() {
    let folder = empty();
    let args = "bsf validate --workers 1,2,4 --repeat 1 --fit --form smooth --run";
    let (document, exit) = folder.json(&[&words(args)[..], &["/bin/sleep 0.{workers}"]].concat());
    assert_eq!(exit, 0, "{document}");
    let measured = |document: &Value| -> Vec<f64> {
        let points = document["curves"][0]["points"].as_array().expect("points");
        points.iter().filter_map(|point| point["measured_s"].as_f64()).collect()
    };
    for (time_s, least) in measured(&document).into_iter().zip([0.1, 0.2, 0.4]) {
        assert!((least..least + 2.0).contains(&time_s), "{time_s} s, asked for {least}");
    }
    let figure = ["--figure", "solve_s=took ([0-9.]+)"];
    let (document, exit) = folder.json(&[&words(args)[..], &["/bin/echo took {12/workers}"], &figure].concat());
    assert_eq!((exit, measured(&document)), (0, vec![12.0, 6.0, 3.0]), "{document}");
    for (args, code) in [
        ("bsf validate --run jacoby --fit", "unknown_program"),
        ("bsf validate --run ./mine --size 3 --fit", "unused_option"),
        ("bsf validate --run ./mine --backend threads --fit", "unused_option"),
        ("bsf validate --run ./mine", "missing_option"),
        ("bsf calibrate --run jacobi", "not_own"),
        ("bsf calibrate --run ./mine{workers}", "no_times"),
        ("bsf calibrate --run ./mine --form pieces", "unused_option"),
        ("bsf calibrate jacobi --size 3 --run ./mine", "conflict"),
        ("bsf calibrate", "missing_argument"),
    ] {
        let (exit, found, _) = refused(&folder, args);
        assert_eq!((exit, found.as_str()), (2, code), "{args}");
    }
    let (exit, code, _) = refused(&folder, "bsf validate --run /bin/true --workers 1,2,3 --fit");
    assert_eq!((exit, code.as_str()), (1, "no_times"));
}

#[test]
fn runs_are_fitted_as_a_table_is() {
    let folder = empty();
    let args = "bsf validate --run stats --size 5000 --workers 1,2,3 --repeat 1 --iterations 2 --fit --form smooth";
    let fitted = document(&folder, args);
    let train = &fitted["curves"][0]["train"];
    assert_eq!((&fitted["source"], &train["count"], &fitted["list_length"]), (&"fit".into(), &3.into(), &5000.into()));
    // It ends by itself, after two iterations.
    let args = "bsf validate --run stats --size 5000 --workers 1,2,3 --repeat 1 --fit --form smooth --collective tree";
    let stopped = document(&folder, args);
    assert!(codes(&stopped).contains(&"stopped_early"), "{stopped}");
    assert_eq!(stopped["curves"][0]["collective"], "tree");
}

#[test]
fn the_list_of_the_fold_is_as_long_as_the_planned_workers_allow() {
    let folder = empty();
    for (args, code) in [
        ("bsf calibrate jacobi --size 30 --workers 31", "workers"),
        ("bsf calibrate jacobi --size 30 --workers 0", "workers"),
        ("bsf validate --run jacobi --size 30 --workers 1,2,31 --fit", "workers"),
        ("bsf validate --run jacobi --size 30 --workers 0,1,2 --fit", "workers"),
    ] {
        assert_eq!(refused(&folder, args), (2, code.to_owned(), "--workers".to_owned()), "{args}");
    }
    let (document, _) = folder.json(&words("bsf calibrate jacobi --size 30 --workers 31"));
    assert_eq!(document["problems"][0]["allowed"], "1 to 30");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = empty();
    for (args, code, place) in [
        ("bsf calibrate jacobi", "missing_option", "--size"),
        ("bsf calibrate jacobi --size 0", "out_of_range", "--size"),
        ("bsf calibrate jacobi --size 30 --dt 2", "not_an_option", "--dt"),
        ("bsf calibrate jacobi --size 30 --repeat 0", "invalid_value", "--repeat"),
        ("bsf calibrate jacobi --size 30 --backend serial", "invalid_value", "--backend"),
        ("bsf calibrate jacobi --size 3000000", "not_enough_memory", "--size"),
        ("bsf calibrate gauss --size 30", "invalid_value", "[PROGRAM]"),
        ("bsf calibrate jacobi --size 30 -o - --messages -", "stdout_taken", "--messages"),
        ("bsf calibrate gravity --bodies missing.csv", "cannot_read", ""),
    ] {
        let (exit, found, pointer) = refused(&folder, args);
        assert_eq!((exit, found.as_str()), (2, code), "{args}");
        assert!(pointer == place || found == "out_of_range", "{args}: {pointer}");
    }
    // At a body: the program fails, and not its input.
    assert_eq!(refused(&folder, "bsf calibrate gravity --size 3 --position 100,0,0 --velocity 0,0,0").0, 1);
}

#[test]
fn mistakes_are_told_before_anything_is_run() {
    let folder = empty();
    let costs = "algorithm = 'times'\n[times]\nlist_length = 40\nlatency = '1us'\nsend = 0\nwork = '1ms'\nfold = 0\n";
    let costs = format!("{costs}receive = 0\ncompute = 0\n");
    std::fs::write(folder.path().join("costs.toml"), costs).expect("written");
    std::fs::write(folder.path().join("runs.csv"), "workers,time_s\n1,3\n2,2\n4,1.5\n").expect("written");
    for (args, code) in [
        ("bsf validate --run jacobi --size 50", "missing_option"),
        ("bsf validate --run jacobi --size 50 --params costs.toml", "another_list"),
        ("bsf validate --run jacobi --size 50 --params missing.toml", "cannot_read"),
        ("bsf validate --run jacobi --size 50 --workers 1,2 --fit", "too_few_points"),
        ("bsf validate --run jacobi --size 50 --workers 1,2,3 --fit --plot curves.txt", "unknown_picture"),
        ("bsf validate --run jacobi --size 50 --workers 1,2,3 --fit --train nothing", "formula"),
        ("bsf validate --run jacobi --size 50 --workers 1,2,3 --fit --collective flat,tree", "conflict"),
        ("bsf validate --run jacobi --size 50 --workers 1,2,3 --fit --timings -", "stdout_taken"),
        ("bsf validate --run jacobi --size 50 --workers 1,2,3 --fit -o -", "stdout_taken"),
        ("bsf validate --run jacobi --size 50 --params -", "not_from_stdin"),
        ("bsf validate --run jacobi --workers 1,2,3 --fit", "missing_option"),
        ("bsf validate runs.csv --fit --size 40", "unused_option"),
        ("bsf validate runs.csv --fit --iterations 40", "unused_option"),
        ("bsf validate runs.csv --fit --backend mpi", "unused_option"),
        ("bsf validate runs.csv --run jacobi --fit", "conflict"),
        ("bsf validate --fit", "missing_argument"),
    ] {
        let args = format!("{args} --report page.html");
        let (exit, found, _) = refused(&folder, &args);
        assert_eq!((exit, found.as_str()), (2, code), "{args}");
    }
    assert!(!folder.path().join("page.html").exists());
}

#[test]
fn costs_and_messages_go_to_the_standard_output_on_demand() {
    let folder = empty();
    let output = folder.run(&words("bsf calibrate gravity --size 9 --repeat 3 -o -"));
    std::fs::write(folder.path().join("costs.toml"), output.stdout).expect("written");
    assert_eq!(document(&folder, "bsf predict costs.toml")["list_length"], 9);
    let output = folder.run(&words("bsf calibrate stats --size 9 --repetitions 3 --timings - --wait spin --threads 2"));
    assert!(output.status.success() && output.stdout.starts_with(b"size_bytes,"));
}

#[test]
fn without_mpi_there_are_no_processes_of_mpi() {
    let folder = empty();
    let version = folder.run(&["--version"]).stdout;
    if !String::from_utf8_lossy(&version).contains("without MPI") {
        return;
    }
    for args in ["bsf calibrate stats --size 9 --backend mpi", "bsf validate --run stats --size 9 --backend mpi --fit"]
    {
        let (exit, code, place) = refused(&folder, args);
        assert_eq!((exit, code.as_str(), place.as_str()), (2, "without_mpi", "--backend"), "{args}");
    }
}

/// What was measured before is on the disk.
#[cfg(unix)]
#[test]
fn interrupted_runs_leave_their_table() {
    let folder = empty();
    let args =
        "bsf validate --run jacobi --size 50 --workers 1,2,3 --iterations 20 --repeat 1000000 --fit --timings r.csv";
    let child = Command::new(env!("CARGO_BIN_EXE_runcast"))
        .args(words(args))
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let table = folder.path().join("r.csv");
    for _ in 0..1000 {
        if std::fs::read_to_string(&table).is_ok_and(|text| text.contains(",3,1,50,50,iteration,")) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
    assert_eq!(document(&folder, "bsf validate r.csv --fit")["list_length"], 50);
}

/// The time between two looks at the interrupt is that of a message.
#[cfg(unix)]
#[test]
fn measuring_can_be_interrupted() {
    let folder = empty();
    let mut child = Command::new(env!("CARGO_BIN_EXE_runcast"))
        .args(words("bsf calibrate stats --size 9 --repeat 1000000"))
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(child.try_wait().expect("a child of ours").is_none(), "a million round trips take longer");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}
