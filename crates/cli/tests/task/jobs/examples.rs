//! The files of a project, and command lines: the examples of the documentation, small, and every command that may be a job.

use crate::{executable, files_below, repository};
use std::process::Command;

/// Files by their paths in the project.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let own: [(&str, &str); 11] = [
        ("applications/heat.luau", include_str!("files/heat.luau")),
        ("applications/farm.luau", include_str!("files/farm.luau")),
        ("applications/msort.luau", include_str!("files/msort.luau")),
        ("applications/names.luau", include_str!("files/names.luau")),
        ("applications/calls.luau", include_str!("files/calls.luau")),
        ("systems/lab.toml", include_str!("files/lab.toml")),
        ("hardware/own.toml", include_str!("files/own.toml")),
        (
            "entries/new.toml",
            "[new-cpu]\nkind = \"cpu\"\nsource = \"us, 2026-11\"\nquality = \"measured\"\ncores = 2\n",
        ),
        ("experiments/msort.toml", include_str!("files/msort.toml")),
        ("experiments/two.toml", include_str!("files/two.toml")),
        (
            "scripts/session.llac",
            "load ../traces/demo.csv as t\nshow t\nfit F in t as m\nconstants m\nsave m to m.json\n",
        ),
    ];
    let copied = [
        ("systems/galera.toml", "testdata/sim/systems/galera.toml"),
        ("systems/sites.toml", "testdata/sim/systems/sites.toml"),
        ("systems/cluster.xml", "testdata/sim/platforms/cluster.xml"),
        ("traces/twice.goal", "testdata/sim/goal/twice.goal"),
        ("traces/dissemination.goal", "testdata/sim/goal/dissemination-16.goal"),
        ("traces/ten.swf", "testdata/sim/swf/ten.swf"),
        ("traces/ring.txt", "testdata/sim/ti/ring-4.txt"),
        ("traces/demo.csv", "testdata/cll/demo.cll.1.csv"),
        ("tables/mslave.csv", "testdata/sim/mslave.csv"),
        ("tables/runs.csv", "examples/master-worker/runs.csv"),
        ("tables/rnd400.csv", "testdata/bsf/rnd400.csv"),
        ("tables/old.txt", "testdata/imports/extrap_one.txt"),
        ("plans/strong.toml", "testdata/plans/strong.toml"),
        ("bsf/jacobi.toml", "crates/server/templates/costs.toml"),
        ("bsp/fig1.toml", "testdata/bsp/fig1.toml"),
        ("wavefront/three.toml", "crates/server/templates/wavefront.toml"),
        ("sources/nested.c", "testdata/cll/nested.c"),
        ("recordings/ring-4.rcr", "testdata/record/ring-4.rcr"),
        ("recordings/ring-8.rcr", "testdata/record/ring-8.rcr"),
    ];
    let own = own.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let copied = copied.map(|(path, from)| (path.to_owned(), std::fs::read(repository().join(from)).expect(from)));
    let mut all: Vec<_> = own.into_iter().chain(copied).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new(executable()).args(["sim", "new", "mslave"]).current_dir(folder.path()).output();
    assert!(made.expect("it runs").status.success());
    all.extend(files_below(folder.path()).into_iter().map(|(path, bytes)| (path, bytes.to_vec())));
    all
}

/// Sweeps of seven points: they are cut.
pub const SWEEPS: [&str; 3] = [
    "sim sweep experiments/msort.toml --repetitions 1 --speedup p -o msort.csv",
    // Those that are no cubes fail.
    "sim sweep --app applications/heat.luau --system systems/galera.toml --vary p=1..7 --fidelity flow -o heat.csv",
    "sim sweep experiments/two.toml --vary slaves=1..7 --energy-price 0.3 --fidelity loggops --include-unused -o out/two.csv",
];

/// The other command lines.
pub fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for fidelity in ["label", "loggops", "flow"] {
        for (app, system, set) in [
            ("heat", "galera", "--set p=27 --set n=120"),
            ("msort", "galera", "--explain"),
            ("farm", "lab", "--set slaves=6 --map master=node:1 --map slave=node:2:cyclic"),
            ("names", "lab", "--repetitions 12 --level 0.8 --seed 5"),
            ("calls", "lab", "--include-unused --energy-price 0.2"),
        ] {
            lines.push(format!(
                "sim run --app applications/{app}.luau --system systems/{system}.toml --fidelity {fidelity} {set}"
            ));
        }
        lines.push(format!("sim run experiments/msort.toml --fidelity {fidelity} --timeline run.json"));
        lines.push(format!("sim sweep experiments/two.toml --vary slaves=2,3 --fidelity {fidelity} -o t.csv"));
    }
    lines.extend(LINES.map(str::to_owned));
    lines
}

/// Those that end with an error, as they should.
pub const FAILING: [&str; 8] = [
    // What a process reads at the clock is not the same for all of a label.
    "sim run --app applications/calls.luau --system systems/lab.toml --fidelity label --include-unused --energy-price 0.2",
    "sim run --app applications/heat.luau --system systems/galera.toml --set p=9",
    "sim run experiments/msort.toml --set q=4",
    "sim calibrate mslave/experiment.toml --fidelity label --table tables/mslave.csv --free c.nothing",
    "sim hardware show no-such-thing",
    "fit tables/runs.csv --metric nonsense",
    "predict tables/runs.csv",
    "llac -e 'load traces/demo.csv as t; show t; load nothing.csv as u'",
];

const LINES: [&str; 59] = [
    "sim run experiments/two.toml --check --check-procs 8",
    "sim run experiments/msort.toml --timeline run.paje --timeline-ranks 0-3 --timeline-span 0..1",
    "sim run experiments/msort.toml --set p=4 --hardware cpu=lab-cpu --collectives closed",
    "sim run experiments/msort.toml --set p=4 --export goal -o schedule",
    "sim run --app applications/heat.luau --system systems/lab.toml --set n=40 --export ti -o traces-of-heat",
    "sim run --app applications/names.luau --loggops L=2500ns,o=1500ns,g=1000ns,G=6ns,O=0,S=65535 --tick 1ns",
    // A cube it is not.
    "sim run --app applications/heat.luau --system systems/galera.toml --set p=9",
    "sim sweep experiments/msort.toml --vary hardware.cpu=lab-cpu,intel-xeon-x5680 --vary p=2,4 --fidelity label -o t.csv",
    "sim optimize experiments/msort.toml --fidelity label --vary hardware.cpu=catalogue:cpu --vary p=2,4 --objectives time,energy,failure -o front.csv",
    "sim optimize experiments/two.toml --fidelity label --vary slaves=2,3 --constraint 'power_mean_w < 20000' --aim energy",
    "sim calibrate mslave/experiment.toml --fidelity label --table tables/mslave.csv --free c.similarity --train 'set == \"train\"' --stat median -o coeff.toml",
    "sim calibrate mslave/experiment.toml --fidelity label --table tables/mslave.csv --free c.nothing",
    "sim replay traces/twice.goal",
    "sim replay traces/twice.goal --loggops L=2500ns,o=1500ns,g=1000ns,G=6ns,O=2ns,S=65535",
    "sim replay traces/dissemination.goal --compat loggopsim",
    "sim replay traces/ring.txt --format ti --system systems/lab.toml --collective bcast=binomial",
    "sim jobs traces/ten.swf --system systems/lab.toml --policy fcfs -o jobs.csv",
    "sim system check systems/galera.toml",
    "sim system show systems/sites.toml --detail",
    "sim system show systems/lab.toml",
    "sim system convert systems/cluster.xml -o imported.toml",
    "sim system convert systems/galera.toml -o galera.xml",
    "sim hardware list --kind cpu",
    "sim hardware show lab-cpu",
    "sim hardware show no-such-thing",
    "sim hardware add entries/new.toml -o hardware/own.toml",
    "sim new dnn-master -o fresh",
    "sim new bsf --costs bsf/jacobi.toml -o from-costs",
    "plan plans/strong.toml -o plan.csv",
    "import tables/old.txt -o imported.csv",
    "fit tables/runs.csv -o m.json --plot fit.svg",
    "fit tables/runs.csv --metric nonsense",
    "predict tables/runs.csv --at p=64 -o predicted.csv --plot predicted.png",
    "evaluate tables/runs.csv --hold-out top:1 -o errors.csv",
    "compare tables/runs.csv --metric solve_s --train p<=4 --at p=32 --combine -o compared.csv --plot compared.svg",
    "compare --predictions experiments/msort.toml bsf/jacobi.toml --rename jacobi:p=workers --at p=4",
    "advise processes tables/runs.csv",
    "advise processes bsf/jacobi.toml --max-p 16",
    "advise next tables/runs.csv --at p=64",
    "advise regions tables/runs.csv --at p=64",
    "advise compare tables/runs.csv tables/runs.csv --at p=64",
    "bsf predict bsf/jacobi.toml --workers 1,2,4,8 -o bsf.csv --plot bsf.svg",
    "bsf predict --algorithm gravity --size 300 --latency 15us --op-time 29ns --transfer-time 190ns",
    "bsf validate tables/rnd400.csv --fit -o valid.csv --report valid.html",
    "bsp predict bsp/fig1.toml --detail --set two_way=1 --svg steps.svg -o steps.json",
    "wavefront solve wavefront/three.toml --table levels.csv",
    "wavefront solve wavefront/three.toml --max-states 1",
    "wavefront simulate wavefront/three.toml --phases 200 --runs 3 --seed 4 --trace trace.csv",
    "cll translate sources/nested.c -o translated",
    "llac scripts/session.llac",
    "llac -e 'load traces/demo.csv as t; fit G in t as m; constants m; segments m'",
    "llac -e 'load traces/demo.csv as t; show t; load nothing.csv as u'",
    "record show recordings/ring-4.rcr recordings/ring-8.rcr --at p=64 -o factors.csv",
    "sim learn recordings/ring-4.rcr recordings/ring-8.rcr -o learnt",
    "report tables/runs.csv -o page.html --title 'Runs & <more>'",
    "report tables/rnd400.csv -o page.html --plot pictures",
    "predict tables/runs.csv",
    "evaluate --predictions tables/runs.csv --runs tables/runs.csv",
    "sim run experiments/msort.toml --set q=4",
];
