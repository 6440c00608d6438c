//! The annotated programs of `examples/cll`, from source to forecast, as a reader of the guide runs them.

use crate::program;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cll")
}

/// Whether these programs are here. With `RUNCAST_REQUIRE_ALL=1` they must be.
fn have(programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |program: &&&str| !std::env::split_paths(&path).any(|folder| folder.join(**program).is_file());
    let missing: Vec<_> = programs.iter().filter(is_there).collect();
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(missing.is_empty() || !must, "missing: {missing:?}");
    missing.is_empty()
}

/// A command with a limit of time, which knows the program, and may start ranks as root.
fn limited(seconds: u32, program_name: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", &seconds.to_string(), program_name]);
    command.env("RUNCAST", program()).env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

#[track_caller]
fn succeeded(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// The rows of a trace, by column.
fn rows(trace: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(trace).expect("a trace");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let row = |line: &str| -> BTreeMap<String, String> {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), header.len(), "{line}");
        header.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).collect()
}

fn traces(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("an entry").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "csv")).collect()
}

/// How often each experiment was visited by each rank.
fn visits(rows: &[BTreeMap<String, String>]) -> BTreeMap<(String, u32), u32> {
    let mut counts = BTreeMap::new();
    for row in rows {
        let rank = row["rank"].parse().expect("a rank");
        *counts.entry((row["region"].clone(), rank)).or_insert(0) += row["visits"].parse::<u32>().expect("a count");
    }
    counts
}

/// An example that has run, with what it left.
struct Ran {
    folder: TempDir,
}

impl Ran {
    fn new(name: &str, options: &[&str]) -> Ran {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = limited(600, "bash");
        command.arg(examples().join("forecast")).args([name, "--quick", "--keep"]).arg(folder.path()).args(options);
        let said = succeeded(&command.output().expect("started"));
        assert!(said.contains(&format!("{name}, ")), "{said}");
        Ran { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn small(&self) -> Vec<BTreeMap<String, String>> {
        traces(&self.path("small")).iter().flat_map(|trace| rows(trace)).collect()
    }

    /// Predictions of an experiment against the larger runs. Times of a shared machine may be off by much; a wrong unit,
    /// formula or parameter is off by more.
    fn is_within(&self, experiment: &str, metric: &str, points: usize, factor: f64) {
        let mut command = limited(60, program().to_str().expect("a name"));
        command
            .args(["evaluate", "--json", "--metric", metric, "--predictions"])
            .arg(self.path(&format!("{experiment}.predicted.csv")));
        command.arg("--runs").arg(self.path(&format!("{experiment}.runs.csv")));
        let document: Value = serde_json::from_str(&succeeded(&command.output().expect("started"))).expect("JSON");
        let found = document["points"].as_array().expect("points");
        assert_eq!(found.len(), points, "{experiment}: {document:#}");
        for point in found {
            assert_eq!(point["metric"], metric, "{point}");
            let (measured, predicted) = (point["measured"].as_f64(), point["predicted"].as_f64());
            let (measured, predicted) = (measured.expect("measured"), predicted.expect("predicted"));
            assert!(predicted > 0.0 && predicted < factor * measured && measured < factor * predicted, "{point}");
        }
    }
}

#[test]
fn fft() {
    if !have(&["cc", "bash"]) {
        return;
    }
    let ran = Ran::new("fft", &[]);
    let counts = visits(&ran.small());
    // 9 repetitions of 256, .., 8192. A size n has n/64 - 1 divisions above 64 elements.
    let g = 6 * 9;
    let divisions: u32 = (1..7).map(|power| 9 * ((1 << (power + 1)) - 1)).sum();
    let expected = [("G", g), ("D", divisions), ("C", divisions)];
    for (name, count) in expected {
        assert_eq!(counts[&(name.to_owned(), 0)], count, "{name}: {counts:?}");
    }
    ran.is_within("G", "cpu_s", 2, 3.0);
}

#[test]
fn matmul() {
    if !have(&["cc", "bash"]) {
        return;
    }
    let ran = Ran::new("matmul", &[]);
    assert_eq!(visits(&ran.small())[&("C".to_owned(), 0)], 3 * 9 + 2 * 5);
    ran.is_within("C", "cpu_s", 2, 3.0);
}

#[test]
fn sort() {
    if !have(&["cc", "bash"]) {
        return;
    }
    let ran = Ran::new("sort", &[]);
    let rows = ran.small();
    // 2^17 elements, down to those with more than 512: 8 levels, 3 times.
    let counts = visits(&rows);
    assert_eq!((counts[&("S".to_owned(), 0)], counts[&("M".to_owned(), 0)]), (3 * 255, 3 * 255));
    let levels =
        rows.iter().filter(|row| row["region"] == "S").map(|row| row["level"].parse::<u32>().expect("a level"));
    assert_eq!(levels.max(), Some(7));
    ran.is_within("S", "cpu_s", 2, 3.0);
}

#[test]
fn stencil() {
    if !have(&["cc", "bash"]) {
        return;
    }
    let ran = Ran::new("stencil", &[]);
    let rows = ran.small();
    let steps = rows.iter().filter(|row| row["region"] == "step");
    assert_eq!(visits(&steps.cloned().collect::<Vec<_>>())[&("step".to_owned(), 0)], 4 * 20 * 2);
    // With two threads each has its half.
    let bands = |threads: &str| {
        let of = rows.iter().filter(|row| row["region"] == "band" && row["P"] == threads);
        of.map(|row| row["visits"].parse::<u32>().expect("a count")).sum::<u32>()
    };
    assert_eq!((bands("1"), bands("2")), (4 * 20, 4 * 20 * 2));
    ran.is_within("band", "cpu_s", 2, 3.0);
}

#[test]
fn sweep() {
    if !have(&["cc", "bash"]) {
        return;
    }
    let ran = Ran::new("sweep", &[]);
    assert_eq!(visits(&ran.small())[&("sum".to_owned(), 0)], 19 * 7);
    ran.is_within("sum", "cpu_s", 2, 3.0);
}

/// Per rank A to F are visited log2 P times, G and fft once, and the result is that of the definition.
fn counts_of_the_parallel_fft(mpi: &str, options: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let mut translate = limited(60, program().to_str().expect("a name"));
    translate.args(["cll", "translate"]).arg(examples().join("fft_pub.c")).arg("-o").arg(place);
    succeeded(&translate.output().expect("started"));
    let mut runtime = limited(60, program().to_str().expect("a name"));
    succeeded(&runtime.args(["cll", "runtime"]).arg(place).output().expect("started"));
    let mut compile = limited(120, &format!("mpicc.{mpi}"));
    compile.current_dir(place).args(["-std=c11", "-O2", "-I", ".", "fft_pub.cll.c", "-o", "fft_pub", "-lm"]);
    succeeded(&compile.output().expect("started"));
    for (ranks, levels) in [(1, 0), (2, 1), (4, 2), (8, 3)] {
        let traces_of = place.join(format!("of-{ranks}"));
        std::fs::create_dir(&traces_of).expect("made");
        let mut run = limited(120, &format!("mpirun.{mpi}"));
        run.current_dir(place).env("CLL_DIR", &traces_of).args(options);
        run.args(["-n", &ranks.to_string(), "./fft_pub", "--check"]);
        let said = succeeded(&run.output().expect("started"));
        assert!(said.contains("against the definition: right"), "{mpi}, {ranks} ranks: {said}");
        let files = traces(&traces_of);
        assert_eq!(files.len(), 1, "the report is one file: {files:?}");
        let mut expected = BTreeMap::new();
        for rank in 0..ranks {
            for name in ["A", "B", "C", "D", "E", "F"].into_iter().filter(|_| levels > 0) {
                expected.insert((name.to_owned(), rank), levels);
            }
            expected.extend([(("G".to_owned(), rank), 1), (("fft".to_owned(), rank), 1)]);
        }
        let rows = rows(&files[0]);
        assert_eq!(visits(&rows), expected, "{mpi}, {ranks} ranks");
        assert!(rows.iter().all(|row| row["P"] == ranks.to_string() && row["status"] == "ok"), "{rows:?}");
    }
}

#[test]
fn counts_of_the_parallel_fft_with_open_mpi() {
    if have(&["bash", "mpicc.openmpi", "mpirun.openmpi"]) {
        counts_of_the_parallel_fft("openmpi", &["--oversubscribe"]);
    }
}

#[test]
fn counts_of_the_parallel_fft_with_mpich() {
    if have(&["bash", "mpicc.mpich", "mpirun.mpich"]) {
        counts_of_the_parallel_fft("mpich", &[]);
    }
}

/// What a saved model says of a configuration.
fn said_of(ran: &Ran, model: &str, at: &str) -> f64 {
    let mut command = limited(60, program().to_str().expect("a name"));
    command.args(["predict", "--json", "--at", at]).arg(ran.path(&format!("{model}.json")));
    let document: Value = serde_json::from_str(&succeeded(&command.output().expect("started"))).expect("JSON");
    document["predictions"][0]["value"].as_f64().unwrap_or_else(|| panic!("{document:#}"))
}

/// The time of the recursion, added up by hand: both groups take equally long, so nobody waits longer than for a message.
fn added_up(ran: &Ran, processes: u32, n: u32) -> f64 {
    if processes == 1 {
        return said_of(ran, "G", &format!("n={n}"));
    }
    let (half, bytes) = (n / 2, n / 2 * 16);
    let constant = |block| said_of(ran, block, &format!("P={processes}"));
    let exchange = said_of(ran, "D", &format!("size={bytes}"));
    let rest = said_of(ran, "E", &format!("size={bytes}")) + said_of(ran, "F", &format!("half={half}"));
    constant("A") + constant("B") + added_up(ran, processes / 2, half) + constant("C") + exchange + rest
}

fn parallel_fft(mpi: &str) {
    let ran = Ran::new("fft_pub", &["--mpi", mpi]);
    // From undisturbed ranks, for 8 of them on perhaps fewer cores.
    ran.is_within("G", "cpu_s", 2, 5.0);
    ran.is_within("F", "cpu_s", 2, 5.0);
    // What the blocks give when `runcast bsp predict` composes them.
    let mut composed = rows(&ran.path("composed.csv"));
    composed.retain(|row| row["model"] == "obsp");
    assert_eq!(composed.len(), 4 * 4, "{composed:?}");
    for row in composed.iter().filter(|row| row["N"] == "16384") {
        let number = |name: &str| row[name].parse::<f64>().unwrap_or_else(|error| panic!("{name}: {error}: {row:?}"));
        let by_hand = added_up(&ran, number("P") as u32, number("N") as u32);
        assert!((number("time_s") / by_hand - 1.0).abs() < 1e-9, "{row:?}: by hand {by_hand}");
    }
}

#[test]
fn parallel_fft_with_open_mpi() {
    if have(&["bash", "mpicc.openmpi", "mpirun.openmpi"]) {
        parallel_fft("openmpi");
    }
}

#[test]
fn parallel_fft_with_mpich() {
    if have(&["bash", "mpicc.mpich", "mpirun.mpich"]) {
        parallel_fft("mpich");
    }
}
