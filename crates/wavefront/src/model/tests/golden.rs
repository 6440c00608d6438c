//! The five published cases: files in testdata, against the models in [`crate::cases`] and the published input.

use super::{Overrides, read_with};
use crate::cases;
use crate::model::{Contraction, Model};
use serde_json::Value;
use std::collections::BTreeMap;

const CASES: [(&str, &str); 5] = [
    ("p2-two-point", include_str!("../../../../../testdata/wavefront/p2-two-point.toml")),
    ("p2-barrier-zero-msg", include_str!("../../../../../testdata/wavefront/p2-barrier-zero-msg.toml")),
    ("p3-const-net-sync", include_str!("../../../../../testdata/wavefront/p3-const-net-sync.toml")),
    ("p3-const-net-async1", include_str!("../../../../../testdata/wavefront/p3-const-net-async1.toml")),
    ("p2-deterministic-periodic", include_str!("../../../../../testdata/wavefront/p2-deterministic-periodic.toml")),
];

fn of_file(text: &str) -> Model {
    let read = read_with(text, &[], &Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    read.model
}

fn rho(model: &Model) -> f64 {
    match model.contraction {
        Contraction::Rho(rho) => rho,
        _ => f64::NAN,
    }
}

#[test]
fn files_are_the_cases() {
    let expected = [
        cases::two_point(),
        cases::barrier(),
        cases::constant_network(0),
        cases::constant_network(1),
        cases::periodic(),
    ];
    for ((name, text), expected) in CASES.into_iter().zip(expected) {
        let model = of_file(text);
        assert_eq!(model.name.as_deref(), Some(name));
        assert_eq!(model.modes, expected.modes, "{name}");
        assert_eq!((model.step_s, rho(&model), model.omega), (expected.step_s, rho(&expected), expected.omega));
        let updates = |model: &Model| -> Vec<(u32, u32)> {
            model.processes.iter().map(|process| (process.alpha_updates, process.beta_updates)).collect()
        };
        assert_eq!(updates(&model), updates(&expected), "{name}");
        assert_eq!(model.start, expected.start, "{name}");
    }
}

/// Against the published input, where it lies beside the source.
#[test]
fn files_are_the_published_input() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/wavefront/golden_public.json");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    let law = |value: &Value| -> Vec<(u64, f64)> {
        let pairs: BTreeMap<u64, f64> = value
            .as_object()
            .expect("a law")
            .iter()
            .map(|(ticks, probability)| (ticks.parse().expect("ticks"), probability.as_f64().expect("a number")))
            .collect();
        pairs.into_iter().collect()
    };
    let near = |law: &[(u64, f64)], other: &[(u64, f64)]| {
        law.len() == other.len() && law.iter().zip(other).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12)
    };
    for (name, text) in CASES {
        let case = golden["cases"].as_array().expect("cases").iter().find(|case| case["name"] == name);
        let input = &case.unwrap_or_else(|| panic!("{name}"))["input"];
        let model = of_file(text);
        assert_eq!(Some(model.step_s), input["step"].as_f64(), "{name}");
        assert_eq!(Some(rho(&model)), input["rho"].as_f64(), "{name}");
        for (index, process) in model.processes.iter().enumerate() {
            assert_eq!(Some(u64::from(process.alpha_updates)), input["A"][index].as_u64());
            assert_eq!(Some(u64::from(process.beta_updates)), input["B"][index].as_u64());
            let laws = &model.modes.laws[0];
            assert!(near(laws.update[index].support(), &law(&input["update"][index])), "{name}");
            for to in (0..model.size()).filter(|to| *to != index) {
                assert!(near(laws.message[index][to].support(), &law(&input["msg"][index][to])), "{name}");
            }
        }
    }
}
