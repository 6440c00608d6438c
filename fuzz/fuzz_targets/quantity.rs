//! Any text: a quantity is finite, and printed for people it reads back to nearly the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_formula::units::{Dimension, Quantity, format_quantity_digits, parse_quantity, suffix_unit};

fuzz_target!(|text: &str| {
    let any = Quantity::parse(text);
    if let Ok(quantity) = any {
        assert!(quantity.value.is_finite());
        let _ = quantity.powers.unit();
    }
    for dimension in Dimension::ALL {
        match parse_quantity(text, dimension) {
            Ok(value) => {
                assert_eq!(any.as_ref().map(|quantity| quantity.value), Ok(value));
                let shown = format_quantity_digits(value, dimension.si_unit(), 17);
                let read = parse_quantity(&shown, dimension).expect("what is printed can be read");
                let error = (read - value).abs();
                assert!(error <= 1e-12 * value.abs() || value.abs() < 1e-290, "{value} {shown} {read}");
            }
            Err(error) => {
                let _ = (error.to_string(), error.hint());
            }
        }
    }
    if let Some(unit) = suffix_unit(text) {
        assert!(text.starts_with(unit.base));
    }
});
