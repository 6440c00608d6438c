//! The published cases of methods `plan-choose` and `plan-check`.

use super::spec;
use runcast_core::Configuration;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToChoose {
    plan: String,
    set: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
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
struct ToCheck {
    plan: String,
    published: BTreeMap<String, Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deviations {
    least_pct: Option<f64>,
    most_pct: Option<f64>,
    first_pct: Option<f64>,
    #[serde(default)]
    at_p: BTreeMap<String, f64>,
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
    for case in runcast_papers::cases::<ToChoose, Chosen>("plan-choose") {
        let label = format!("{} ({})", case.name, case.source);
        let (given, expected) = (case.given, case.expected);
        let plan = spec(&given.plan).solve().unwrap_or_else(|problems| panic!("{label}: {problems}"));
        let chosen: Vec<_> = plan.configurations.iter().filter(|planned| planned.set == given.set).collect();
        assert_eq!(chosen.len(), expected.published["p"].len(), "{label}");
        let mut equal = 0;
        for (index, planned) in chosen.iter().enumerate() {
            let published = row(&expected.published, index, &planned.at);
            match expected.except.iter().find(|exception| exception.at.get("p") == planned.at.get("p")) {
                None if published == planned.at => equal += 1,
                None => panic!("{label}: chosen {}, published {published}", planned.at),
                Some(exception) => assert_eq!(exception.at, planned.at, "{label}: {}", exception.why),
            }
        }
        assert_eq!(equal, expected.equal, "{label}");
        assert_eq!(equal + expected.except.len(), chosen.len(), "{label}");
    }
}

#[test]
fn published_plans_deviate_as_printed() {
    for case in runcast_papers::cases::<ToCheck, Deviations>("plan-check") {
        let label = format!("{} ({})", case.name, case.source);
        let (given, expected) = (&case.given, &case.expected);
        let plan = spec(&given.plan).check("published.csv", csv(&given.published).as_bytes());
        let plan = plan.unwrap_or_else(|problems| panic!("{label}: {problems}"));
        let deviations: Vec<(f64, f64)> = plan
            .configurations
            .iter()
            .map(|planned| (planned.at.get("p").expect("p"), planned.deviation_pct.expect("a deviation")))
            .collect();
        let values = || deviations.iter().map(|&(_, value)| value);
        if let Some(least) = expected.least_pct {
            case.near("least_pct", "", values().fold(f64::INFINITY, f64::min), least);
        }
        if let Some(most) = expected.most_pct {
            case.near("most_pct", "", values().fold(f64::NEG_INFINITY, f64::max), most);
        }
        if let Some(first) = expected.first_pct {
            case.near("first_pct", "", deviations[0].1, first);
        }
        for (p, &deviation) in &expected.at_p {
            let p: f64 = p.parse().expect("a number of processes");
            let found = deviations.iter().find(|&&(at, _)| at == p).expect("the row");
            case.near("at_p", p, found.1, deviation);
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
