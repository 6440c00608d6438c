//! Texts that are nearly models: whatever is changed in a good file, there is a model or a problem with its place.

use super::{Overrides, read_with};
use runcast_core::random::SplitMix;

const MODEL: &str = include_str!("../../../../../testdata/wavefront/everything.toml");
/// What is put in somewhere.
const BITS: [&str; 34] = [
    "0",
    "-1",
    "1e9",
    "1e308",
    "nan",
    "inf",
    "''",
    "'*'",
    "[]",
    "{}",
    "'1s'",
    "'1ns'",
    "true",
    "[[",
    "]",
    "\"",
    "ws1",
    "ticks",
    "prob",
    "samples = 's.csv'",
    "pmf = 's.csv'",
    "count = 1000",
    "A = 1000000",
    "dist = 'gamma'",
    "shape = 1e-3",
    "clip = 1",
    "upper = 1e300",
    "x0 = [1]",
    "rho = 0.5",
    "[operator]",
    "matrix = 'm.mtx'",
    "owner = 's.csv'",
    "é",
    "\n",
];
const FILES: [(&str, &str); 3] = [
    ("s.csv", "kind,process,value,prob,row,time_s\nupdate,ws3,1,0.5,1,0.5\nupdate,ws3,2,0.5,2,0.7\n"),
    ("m.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 2\n1 2 0.5\n2 1 0.5\n"),
    ("owner.csv", "row,process\n1,1\n2,2\n"),
];

fn check(text: &str) {
    match read_with(text, &FILES, &Overrides::default()) {
        Ok(read) => {
            let model = &read.model;
            assert_eq!(model.start.len(), model.size());
            assert_eq!(model.start[0], 0);
            assert!(model.step_s > 0.0 && model.step_s.is_finite());
            for (mode, laws) in model.modes.laws.iter().enumerate() {
                assert!((model.modes.transition[mode].iter().sum::<f64>() - 1.0).abs() < 1e-9);
                assert!(laws.update.iter().all(|law| law.least() >= 1 && law.most() <= 10_000_000), "{text}");
                assert!(laws.message.iter().flatten().all(|law| law.most() <= 10_000_000));
                assert!(laws.update.iter().all(|law| (law.up_to(law.most()) - 1.0).abs() < 1e-9));
            }
            assert!(read.warnings.iter().all(|warning| !warning.message.contains("NaN")), "{:?}", read.warnings);
        }
        Err(problems) => {
            assert!(!problems.0.is_empty());
            for problem in &problems.0 {
                assert!(problem.file.is_some() && !problem.message.is_empty(), "{text}\n{problem:?}");
                assert!(!problem.message.contains("NaN"), "{text}\n{problem:?}");
            }
        }
    }
}

#[test]
fn changed_models_are_models_or_problems() {
    let mut random = SplitMix::new(11, 0);
    let chars: Vec<char> = MODEL.chars().collect();
    let places: Vec<usize> = (0..chars.len()).collect();
    check(MODEL);
    let mut good = 0;
    for _ in 0..1500 {
        let mut text = chars.clone();
        for _ in 0..=random.below(3) {
            let at = places[random.below(places.len())].min(text.len());
            let end = (at + random.below(12)).min(text.len());
            let bit = BITS[random.below(BITS.len())];
            match random.below(3) {
                0 => drop(text.splice(at..end, bit.chars())),
                1 => drop(text.splice(at..end, [])),
                _ => drop(text.splice(at..at, bit.chars())),
            }
        }
        let text: String = text.into_iter().collect();
        check(&text);
        good += usize::from(read_with(&text, &FILES, &Overrides::default()).is_ok());
    }
    assert!(good > 20, "only {good} of the changed texts are models: the test looks at errors alone");
}

#[test]
fn hostile_texts() {
    for text in [
        "[".repeat(100_000),
        "a.".repeat(100_000),
        format!("process.update = {}", "{ a = ".repeat(20_000)),
        format!("wavefront.x0 = [{}]", "0,".repeat(100_000)),
        format!("wavefront.name = '{}'", "x".repeat(5 << 20)),
        format!("wavefront.step = 1\n{}", "[[process]]\nupdate = { constant = 1 }\n".repeat(5000)),
        String::new(),
        "\u{0}".to_owned(),
    ] {
        assert!(read_with(&text, &FILES, &Overrides::default()).is_err(), "{}", &text[..text.len().min(60)]);
    }
}
