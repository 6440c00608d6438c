//! From a plan to a page, each step being the command that the step before it prints.

use crate::{Answer, Place, program};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Runs a line in a shell that finds runcast.
fn typed(place: &Place, line: &str) -> Answer {
    let folder = program().parent().expect("a folder");
    let paths = std::env::join_paths([folder, "/usr/bin".as_ref(), "/bin".as_ref()]).expect("paths");
    let shell = Command::new("sh").args(["-c", line]).current_dir(place.folder.path()).env("PATH", paths).output();
    Answer::of(&shell.expect("started")).code(0)
}

/// The command in a note of a step.
#[track_caller]
fn next(answer: &Answer, before: &str) -> String {
    let found = answer.err.lines().find_map(|line| line.split_once(before).map(|(_, command)| command.to_owned()));
    found.unwrap_or_else(|| panic!("no \"{before}\" in:\n{}", answer.err))
}

#[test]
fn every_step_names_the_next_one() {
    let place = Place::new();
    // Microseconds: N^2 operations shared by p processes, and 100 for each of them.
    place.write("program", "#!/bin/sh\necho \"took $(( $2 * $2 / $1 + 100 * $1 ))\"\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("program"), executable).expect("executable");

    let plan = typed(&place, "runcast plan --grid 'p=1,2,4,8; N=100,200,400' --targets p=16,N=800 -o plan.csv");
    let bench = next(&plan, "to run it: ").replacen(" -- ", " --figure 'solve:us=took ([0-9]+)' -- ", 1);
    let bench = typed(&place, &bench);
    let fit = typed(&place, &format!("{} -o models.json", next(&bench, "to fit models: ")));
    assert!(fit.out.contains("solve [s]"), "the unit of the figure is known: {}", fit.out);
    typed(&place, &next(&fit, "to predict: "));

    let predict = typed(&place, &next(&bench, "to predict the targets of the plan: "));
    let predicted = place.read("predictions.csv");
    let mut lines = predicted.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = header.iter().position(|name| *name == "solve").expect("the metric, no other");
    let target: Vec<f64> = lines.next().expect("the target")[column..column + 3]
        .iter()
        .map(|cell| cell.parse().expect("a number"))
        .collect();
    // 800^2/16 + 100*16 = 41,600 us.
    assert!(target[1] < 0.0416 && 0.0416 < target[2], "{predicted}");

    typed(&place, &next(&predict, "to show it with the runs: "));
    assert!(place.read("report.html").contains("<svg"));
    let target = next(&plan, "to run it: ").replacen("--only train -o runs.csv", "--only target -o target-runs.csv", 1);
    let target = typed(&place, &target.replacen(" -- ", " --figure 'solve:us=took ([0-9]+)' -- ", 1));
    let evaluate = typed(&place, &next(&target, "to check a forecast: "));
    assert!(evaluate.out.lines().any(|line| line.starts_with("auto") && line.contains("100 %")), "{}", evaluate.out);
}
