//! Any text: a list reads back as it is printed, and its numbers lie between the bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_formula::limits;
use runcast_formula::numbers::NumberList;

fuzz_target!(|input: (&str, Option<f64>, Option<f64>)| {
    let (text, least, most) = input;
    let list = match NumberList::parse(text) {
        Ok(list) => list,
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            return;
        }
    };
    assert_eq!(NumberList::parse(&list.to_string()).as_ref(), Ok(&list));
    if let Ok(values) = list.expand(least, most) {
        assert!(values.len() <= limits::VALUES && values.iter().all(|value| value.is_finite()));
        let (least, most) = (least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY));
        // A bound is hit also when it is missed by rounding.
        let slack = |bound: f64| if bound.is_finite() { 1e-6 * (1.0 + bound.abs()) } else { 0.0 };
        let within = |value: &f64| *value >= least - slack(least) && *value <= most + slack(most);
        assert!(values.iter().all(within), "{list} {least} {most}");
    }
});
