//! `quickstart`, from an empty folder to the page.

use crate::Place;
use crate::report::external_references;

#[test]
fn the_quickstart_measures_forecasts_checks_and_shows() {
    let place = Place::new();
    let answer = place.run(&["quickstart", "--time-limit", "2s"]).code(0);
    for part in [
        " plan --grid 'p=1",
        "What was done:",
        "measured values lie in their range",
        "Next, with a program of your own:",
        "in range",
    ] {
        assert!(answer.out.contains(part), "{part}:\n{}", answer.out);
    }
    assert!(answer.out.contains('┊') || answer.out.contains('│'), "there is a picture:\n{}", answer.out);
    assert!(answer.err.contains("measuring: "), "{}", answer.err);

    // The forecast was made before the runs.
    let folder = "runcast-quickstart";
    let time = |name: &str| {
        std::fs::metadata(place.path(&format!("{folder}/{name}"))).expect(name).modified().expect("a time")
    };
    assert!(time("predictions.csv") <= time("target-runs.csv"));
    assert!(time("runs.csv") <= time("models.json"));

    let html = place.read("runcast-quickstart/report.html");
    assert_eq!(external_references(&html), Vec::<&str>::new());
    assert!(html.contains("<svg") && html.contains("iteration_s") && html.contains("quickstart-kernel"));

    // A second time nothing is measured, and the document tells all of it.
    let runs = place.read("runcast-quickstart/runs.csv");
    let document = place.run(&["quickstart", "--json"]).code(0).document();
    assert_eq!(place.read("runcast-quickstart/runs.csv"), runs);
    assert_eq!(document["kind"], "quickstart");
    let points = document["evaluation"]["points"].as_array().expect("a list");
    assert!(points.len() >= 4 && points.iter().all(|point| point["measured"].as_f64() > Some(0.0)));
    let commands = document["commands"].as_array().expect("a list");
    assert_eq!(commands.len(), 5, "{commands:?}");
}
