//! Checks that what commands print for people fits a terminal of 80 columns, whatever names the files hold.

use crate::command::Command;
use crate::context::{Context, Screen};
use clap::Parser;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

const WIDTH: usize = 80;

const LABELS: [&str; 3] = ["application_under_investigation", "region_of_the_call_tree", "machine_it_ran_on"];

/// Runs on a grid of three parameters, two metrics each, with labels of long names and values.
fn runs() -> String {
    let parameters = "number_of_mpi_processes,elements_per_dimension,iterations_of_the_outer_solver";
    let mut text = format!("{},{parameters},rep,total_execution_time_s,peak_memory_bytes\n", LABELS.join(","));
    for region in ["main->initialize->read_the_mesh_from_disk", "main->solve->exchange_halo_with_neighbors->wait"] {
        for p in [4.0, 8.0, 16.0, 32.0, 64.0f64] {
            for n in [1000.0, 2000.0, 4000.0f64] {
                for rep in 0..2 {
                    let time = 3.0 + n.powi(2) / p * 1e-4 + 0.3 * p.log2() + 0.01 * f64::from(rep);
                    let memory = 1e6 + 8.0 * n * n / p;
                    let labels = format!("lattice-boltzmann-with-refinement,{region},cluster-of-the-institute");
                    writeln!(text, "{labels},{p},{n},100,{rep},{time},{memory}").expect("a text");
                }
            }
        }
    }
    text
}

#[test]
fn every_line_of_every_table_fits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("runs.csv"), runs()).expect("a file");
    let at = "number_of_mpi_processes=512,elements_per_dimension=8000,iterations_of_the_outer_solver=100";
    let (runs, models, predictions) = (path("runs.csv"), path("models.json"), path("predictions.csv"));
    let lines = [
        format!("import {runs} -o {}", path("copy.csv")),
        format!("fit {runs} --model auto,pmnf,amdahl -o {models}"),
        format!("fit {runs} --model all --metric total_execution_time_s"),
        format!("predict {models} --at {at} -o {predictions}"),
        format!("evaluate {runs} --train number_of_mpi_processes<=16 --test number_of_mpi_processes>16"),
        format!("advise regions {models} --at {at}"),
        format!("compare {runs} {models} --metric total_execution_time_s --at {at}"),
    ];
    for line in lines {
        let parsed = Line::try_parse_from(["runcast"].into_iter().chain(line.split(' ')));
        let parsed = parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut context = Context::new();
        context.screen = Screen { width: Some(WIDTH), color: false };
        let output = parsed.command.run(&mut context).unwrap_or_else(|failure| panic!("{line}: {failure:?}"));
        for file in &output.files {
            file.write(output.document.as_ref(), &[]).unwrap_or_else(|failure| panic!("{line}: {failure:?}"));
        }
        let too_wide = output.human.lines().find(|shown| shown.width() > WIDTH && shown.trim().contains(' '));
        assert_eq!(too_wide, None, "{line}:\n{}", output.human);
    }
}
