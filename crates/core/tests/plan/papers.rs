//! The published plans of `testdata/papers/plans.toml`.

use super::spec;
use runcast_core::Configuration;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Papers {
    tolerance_pct: f64,
    choose: Vec<Choose>,
    check: Vec<Check>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choose {
    name: String,
    source: String,
    plan: String,
    set: String,
    equal: usize,
    #[serde(default)]
    except: Vec<Exception>,
    published: BTreeMap<String, Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    at: Configuration,
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    name: String,
    source: String,
    plan: String,
    least_pct: Option<f64>,
    most_pct: Option<f64>,
    first_pct: Option<f64>,
    #[serde(default)]
    at_p: BTreeMap<String, f64>,
    published: BTreeMap<String, Vec<f64>>,
}

fn papers() -> Papers {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/papers/plans.toml"));
    toml::from_str(&text.expect("testdata/papers/plans.toml")).expect("cases")
}

/// A row of the published table, as a configuration in the order of `like`.
fn row(published: &BTreeMap<String, Vec<f64>>, row: usize, like: &Configuration) -> Configuration {
    Configuration(like.0.keys().map(|name| (name.clone(), published[name][row])).collect())
}

fn csv(published: &BTreeMap<String, Vec<f64>>) -> String {
    let mut text = published.keys().map(String::as_str).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in 0..published["p"].len() {
        let cells: Vec<String> = published.values().map(|column| column[row].to_string()).collect();
        writeln!(text, "{}", cells.join(",")).expect("writing to a string");
    }
    text
}

#[test]
fn published_plans_are_chosen() {
    let papers = papers();
    assert_eq!(papers.choose.len(), 11);
    for case in papers.choose {
        let label = format!("{} ({})", case.name, case.source);
        let plan = spec(&case.plan).solve().unwrap_or_else(|problems| panic!("{label}: {problems}"));
        let chosen: Vec<_> = plan.configurations.iter().filter(|planned| planned.set == case.set).collect();
        assert_eq!(chosen.len(), case.published["p"].len(), "{label}");
        let mut equal = 0;
        for (index, planned) in chosen.iter().enumerate() {
            let published = row(&case.published, index, &planned.at);
            match case.except.iter().find(|exception| exception.at.get("p") == planned.at.get("p")) {
                None if published == planned.at => equal += 1,
                None => panic!("{label}: chosen {}, published {published}", planned.at),
                Some(exception) => assert_eq!(exception.at, planned.at, "{label}: {}", exception.why),
            }
        }
        assert_eq!(equal, case.equal, "{label}");
        assert_eq!(equal + case.except.len(), chosen.len(), "{label}");
    }
}

#[test]
fn published_plans_deviate_as_printed() {
    let papers = papers();
    assert_eq!(papers.check.len(), 9);
    for case in papers.check {
        let label = format!("{} ({})", case.name, case.source);
        let plan = spec(&case.plan).check("published.csv", csv(&case.published).as_bytes());
        let plan = plan.unwrap_or_else(|problems| panic!("{label}: {problems}"));
        let deviations: Vec<(f64, f64)> = plan
            .configurations
            .iter()
            .map(|planned| (planned.at.get("p").expect("p"), planned.deviation_pct.expect("a deviation")))
            .collect();
        let near = |what: &str, expected: f64, actual: f64| {
            let is_near = (expected - actual).abs() <= papers.tolerance_pct;
            assert!(is_near, "{label}, {what}: expected {expected} %, actual {actual} %");
        };
        let values = || deviations.iter().map(|&(_, value)| value);
        if let Some(least) = case.least_pct {
            near("least", least, values().fold(f64::INFINITY, f64::min));
        }
        if let Some(most) = case.most_pct {
            near("most", most, values().fold(f64::NEG_INFINITY, f64::max));
        }
        if let Some(first) = case.first_pct {
            near("first", first, deviations[0].1);
        }
        for (p, expected) in case.at_p {
            let p: f64 = p.parse().expect("a number of processes");
            let found = deviations.iter().find(|&&(at, _)| at == p).expect("the row");
            near("at p", expected, found.1);
        }
    }
}

#[test]
fn the_text_around_the_exceptions_is_true() {
    let checked = spec("scaling = 'weak'\ncomplexity = 'N^3'\nconstant = 4e12")
        .check("rows.csv", b"p,N\n4,25000\n4,25200\n12,36400\n12,36300\n35,52000\n35,51900\n");
    let deviations: Vec<String> = checked
        .expect("deviations")
        .configurations
        .iter()
        .map(|planned| format!("{:+.2}", planned.deviation_pct.expect("a deviation")))
        .collect();
    assert_eq!(deviations, ["-2.34", "+0.02", "+0.48", "-0.35", "+0.43", "-0.14"]);
}
