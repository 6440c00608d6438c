//! `report`: pages that stand alone.

use crate::Place;

/// What a browser would fetch.
pub fn external_references(html: &str) -> Vec<&str> {
    let attributes = html.match_indices(" src=").chain(html.match_indices(" href=")).chain(html.match_indices("url("));
    attributes
        .map(|(at, _)| &html[at..(at + 80).min(html.len())])
        .filter(|text| !text.starts_with(" href=\"#") && !text.starts_with("url(#"))
        .collect()
}

#[test]
fn a_table_becomes_a_page_without_external_references() {
    let place = Place::with_runs();
    let arguments = [
        "report",
        "runs.csv",
        "--model",
        "auto,amdahl",
        "--at",
        "p=256",
        "--hold-out",
        "top:1",
        "--title",
        "A & B",
        "--plot",
        "pictures",
        "-o",
        "page.html",
    ];
    let answer = place.run(&arguments).code(0);
    assert!(answer.out.starts_with("page.html: "), "{}", answer.out);
    let html = place.read("page.html");
    assert!(html.contains("<title>A &amp; B</title>"));
    assert!(html.contains("amdahl") && html.contains("Predicted against measured"));
    assert!(html.contains("runcast report runs.csv"), "the command is told");
    assert_eq!(external_references(&html), Vec::<&str>::new());
    let pictures: Vec<String> = std::fs::read_dir(place.path("pictures"))
        .expect("there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    let with = |extension: &str| pictures.iter().filter(|name| name.ends_with(extension)).count();
    assert!(with(".svg") >= 3 && with(".svg") == with(".png"), "{pictures:?}");
}

#[test]
fn a_report_file_puts_texts_tables_and_documents_in_order() {
    let place = Place::with_runs();
    std::fs::create_dir(place.path("models")).expect("made");
    place.run(&["fit", "runs.csv", "-o", "models/fit.json"]).code(0);
    place.run(&["evaluate", "runs.csv", "-o", "models/evaluation.json"]).code(0);
    place.run(&["predict", "runs.csv", "--at", "p=64", "-o", "models/predictions.json"]).code(0);
    place.write(
        "reports/report.toml",
        "title = 'The solver'\n[[item]]\ntext = '''\n# Why\nBecause.\n'''\n[[item]]\npath = '../models/fit.json'\n\
         [[item]]\npath = '../models/evaluation.json'\n[[item]]\npath = '../models/predictions.json'\n\
         [[item]]\npath = '../runs.csv'\n",
    );
    let answer = place.run(&["report", "reports/report.toml", "-o", "page.html", "--json"]).code(0);
    let document = answer.document();
    assert_eq!(document["title"], "The solver");
    let sections: Vec<&str> =
        document["sections"].as_array().expect("a list").iter().filter_map(|name| name.as_str()).collect();
    let place_of = |name: &str| sections.iter().position(|section| *section == name).expect(name);
    assert!(place_of("Why") < place_of("Overview"), "{sections:?}");
    assert!(place_of("Overview") < place_of("Predicted against measured"), "{sections:?}");
    assert!(place_of("Predicted against measured") < place_of("Predictions"), "{sections:?}");
}

#[test]
fn a_report_file_that_is_wrong_is_told_with_its_line() {
    let place = Place::new();
    place.write("report.toml", "title = 'x'\n[[item]]\npaths = 'a.csv'\n");
    let problem = &place.run(&["report", "report.toml", "--json"]).code(2).document()["problems"][0];
    assert_eq!((problem["file"].as_str(), problem["line"].as_u64()), (Some("report.toml"), Some(3)));
    place.write("both.toml", "[[item]]\npath = 'a.csv'\ntext = 'b'\n");
    let problem = &place.run(&["report", "both.toml", "--json"]).code(2).document()["problems"][0];
    assert_eq!(problem["pointer"], "/item/0");
}

#[test]
fn the_machine_of_a_benchmark_is_on_the_page() {
    let place = Place::new();
    let bench = ["bench", "--at", "p=1", "--at", "p=2", "--at", "p=4", "-o", "runs.csv", "--", "echo", "{p}"];
    place.run(&bench).code(0);
    place.run(&["report", "runs.csv", "--metric", "time_s", "-o", "page.html"]).code(0);
    let html = place.read("page.html");
    assert!(html.contains("usable threads"), "the machine is told");
    assert!(html.contains("-- echo &#39;{p}&#39;") || html.contains("-- echo '{p}'"), "the command is told");
}
