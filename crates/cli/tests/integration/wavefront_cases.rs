//! What the tests of `wavefront` share: reference values, models, and what documents tell.

use serde_json::Value;

/// Reference values of an independent enumeration (docs/theory/wavefront.md), to 12 digits.
const GOLDEN: &str = include_str!("../../../../testdata/wavefront/golden.json");

/// Three processes on a network where every message takes 0.3 s (the golden case `p3-const-net-async1`).
pub const LAB: &str = r#"
[wavefront]
name = "lab"
step = "0.1s"
omega = 6
rho = 0.9
degrees = [ { name = "sync", A = 1, B = 0 }, { name = "async 1", A = 1, B = 1 } ]
[[process]]
name = "ws1"
B = 1
update = { ticks = [4, 5, 8], prob = [0.5, 0.3, 0.2] }
[[process]]
name = "ws2"
B = 1
update = { ticks = [5, 6, 12], prob = [0.6, 0.3, 0.1] }
[[process]]
name = "ws3"
B = 1
update = { ticks = [6, 7, 14], prob = [0.4, 0.4, 0.2] }
[network]
default = { constant = "0.3s" }
"#;

/// Two processes of 1 or 3 s that wait for each other: Phi = 1 + 2 Bernoulli(3/4).
pub const BARRIER: &str = r#"
[wavefront]
name = "barrier"
step = "1s"
omega = 6
rho = 0.8
[[process]]
count = 2
name = "p"
update = { ticks = [1, 3], prob = [0.5, 0.5] }
[network]
default = { constant = "0s" }
"#;

pub fn golden() -> Vec<Value> {
    let mut cases: Value = serde_json::from_str(GOLDEN).expect("the golden cases");
    cases["cases"].as_array_mut().map(std::mem::take).expect("a list")
}

pub fn case(name: &str) -> Value {
    golden().into_iter().find(|case| case["name"] == name).expect("a golden case")
}

#[track_caller]
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// The codes of a list of warnings, hints or problems.
#[track_caller]
pub fn codes(values: &Value) -> Vec<&str> {
    list(values).iter().filter_map(|value| value["code"].as_str()).collect()
}
