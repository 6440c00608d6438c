//! The catalogue against product pages, data sheets and standards.

use super::*;
use crate::attributes::Quality;
use runcast_formula::Formula;

#[test]
fn all_files_that_are_compiled_in_read_without_a_problem() {
    let mut count = 0;
    for (name, text) in FILES {
        let entries = read(text, name).unwrap_or_else(|problems| panic!("{problems}"));
        count += entries.len();
    }
    assert_eq!(count, Catalogue::builtin().iter().count(), "no id stands twice");
}

/// Cores, threads of all cores, clock in GHz, operations a cycle and core (double), W, memory in GB/s: product pages.
#[test]
fn processors_are_as_their_makers_say() {
    let pages = [
        ("intel-xeon-e5345", 4.0, 4.0, 2.33, 4.0, 80.0, None),
        ("intel-xeon-l5640", 6.0, 12.0, 2.27, 4.0, 60.0, Some(32.0)),
        ("intel-xeon-x5680", 6.0, 12.0, 3.33, 4.0, 130.0, Some(32.0)),
        ("intel-xeon-e5-2697v3", 14.0, 28.0, 2.6, 16.0, 145.0, Some(68.0)),
        ("intel-core-i5-7200u", 2.0, 4.0, 2.5, 16.0, 15.0, Some(34.1)),
        ("intel-core-i7-4712hq", 4.0, 8.0, 2.3, 16.0, 37.0, Some(25.6)),
        ("intel-xeon-platinum-8480+", 56.0, 112.0, 2.0, 32.0, 350.0, Some(307.0)),
        ("amd-epyc-9654", 96.0, 192.0, 2.4, 16.0, 360.0, Some(460.8)),
        ("amd-epyc-7763", 64.0, 128.0, 2.45, 16.0, 280.0, Some(204.8)),
    ];
    let catalogue = Catalogue::builtin();
    for (id, cores, threads, clock, per_cycle, watts, memory) in pages {
        let entry = catalogue.get(id).unwrap_or_else(|| panic!("{id}"));
        let get = |key: &str| entry.attributes.get(key);
        assert_eq!(get("cores"), Some(cores), "{id}");
        assert_eq!(get("threads_per_core"), Some(threads / cores), "{id}");
        assert_eq!(get("clock"), Some(clock * 1e9), "{id}");
        assert_eq!(get("power_load"), Some(watts), "{id}");
        assert_eq!(get("mem_bandwidth"), memory.map(|gigabytes: f64| gigabytes * 1e9), "{id}");
        let double = get("flops_double").expect("double");
        assert!((double / (cores * per_cycle * clock * 1e9) - 1.0).abs() < 1e-12, "{id}: {double}");
        assert_eq!(get("flops_single"), Some(2.0 * double), "{id}");
    }
}

/// Tflop/s double and single, W, GB/s: data sheets.
#[test]
fn accelerators_are_as_their_makers_say() {
    let sheets = [
        ("nvidia-v100-sxm2", 7.8, 15.7, 300.0, 900.0),
        ("nvidia-a100-sxm-80gb", 9.7, 19.5, 400.0, 2039.0),
        ("nvidia-h100-sxm", 33.5, 66.9, 700.0, 3350.0),
        ("nvidia-h200-sxm", 33.5, 66.9, 700.0, 4800.0),
        ("nvidia-b200-sxm", 40.0, 80.0, 1000.0, 8000.0),
        ("nvidia-l40s", 1.43, 91.6, 350.0, 864.0),
        ("amd-mi300x", 81.7, 163.4, 750.0, 5300.0),
    ];
    for (id, double, single, watts, memory) in sheets {
        let entry = Catalogue::builtin().get(id).unwrap_or_else(|| panic!("{id}"));
        let near = |key: &str, value: f64| {
            let seen = entry.attributes.get(key).unwrap_or_else(|| panic!("{id} {key}"));
            assert!((seen / value - 1.0).abs() < 1e-12, "{id} {key}: {seen}");
        };
        near("flops_double", double * 1e12);
        near("flops_single", single * 1e12);
        near("power_load", watts);
        near("mem_bandwidth", memory * 1e9);
    }
    let figure = Catalogue::builtin().get("merpsys-fig5").expect("the paper's");
    assert_eq!(figure.attributes.get("power_load"), Some(158.67));
    assert_eq!(figure.attributes.get("flops_single"), Some(287.55e9));
}

/// Gbit/s of data, and GB/s of buses: standards.
#[test]
fn networks_are_as_fast_as_their_standards() {
    let gigabits = [
        ("ethernet-1g", 1.0),
        ("ethernet-10g", 10.0),
        ("ethernet-100g", 100.0),
        ("infiniband-qdr-4x", 32.0),
        ("infiniband-fdr-4x", 54.5),
        ("infiniband-edr-4x", 100.0),
        ("infiniband-hdr-4x", 200.0),
        ("infiniband-ndr-4x", 400.0),
    ];
    let buses = [("pcie-x16-2.0", 8.0), ("pcie-x16-3.0", 15.75), ("pcie-x16-4.0", 31.5), ("pcie-x16-5.0", 63.0)];
    let all = gigabits.iter().map(|(id, g)| (id, g / 8.0)).chain(buses.iter().map(|(id, g)| (id, *g)));
    for (id, gigabytes) in all {
        let entry = Catalogue::builtin().get(id).unwrap_or_else(|| panic!("{id}"));
        let seen = entry.attributes.get("bandwidth").expect("bandwidth");
        assert!((seen / (gigabytes * 1e9) - 1.0).abs() < 1e-12, "{id}: {seen}");
        assert_eq!(entry.attributes.attribute("bandwidth").map(|a| a.quality), Some(Quality::Standard));
        assert_eq!(entry.attributes.attribute("latency").map(|a| a.quality), Some(Quality::Assumed), "{id}");
    }
}

#[test]
fn every_attribute_has_a_source_and_what_is_derived_equals_its_formula() {
    let mut derived = 0;
    for entry in Catalogue::builtin().iter() {
        for (key, attribute) in entry.attributes.iter() {
            assert!(attribute.source.contains("20"), "{} {key}: a document with its date", entry.id);
            assert_eq!(attribute.quality == Quality::Derived, attribute.formula.is_some(), "{} {key}", entry.id);
            let Some(formula) = &attribute.formula else { continue };
            let formula = Formula::parse(formula).expect("a formula");
            let value = formula.evaluate(|name| entry.attributes.get(name)).expect("attributes of its own");
            let stated = entry.attributes.get(key).expect("a number");
            assert!((value / stated - 1.0).abs() < 1e-9, "{} {key}: {value} against {stated}", entry.id);
            derived += 1;
        }
    }
    assert_eq!(derived, 18);
}

#[test]
fn a_file_of_a_user_extends_and_replaces() {
    let text = "[intel-xeon-l5640]\nkind = \"cpu\"\nsource = \"lab notebook, 2026-10\"\nquality = \"measured\"\n\
        cores = 6\nclock = \"2.2GHz\"\nflops_double = { quality = \"derived\", formula = \"cores * 4 * clock\" }\n";
    let catalogue = Catalogue::builtin().extended(&[("mine.toml".to_owned(), text.to_owned())]).expect("fits");
    let entry = catalogue.get("intel-xeon-l5640").expect("replaced");
    assert!(!entry.builtin);
    assert_eq!(entry.attributes.get("flops_double"), Some(6.0 * 4.0 * 2.2e9));
    assert_eq!(catalogue.iter().count(), Catalogue::builtin().iter().count());
}

#[test]
fn what_is_wrong_with_an_entry_is_told_with_its_place() {
    let cases = [
        ("[a]\nkind = \"cpu\"\ncores = 4", "missing", 1),
        ("[a]\nkind = \"cup\"\nsource = \"x\"\ncores = 4", "unknown_name", 2),
        ("[a]\nkind = \"cpu\"\nsource = \"x\"\ncores = 0", "out_of_range", 4),
        ("[a]\nkind = \"cpu\"\nsource = \"x\"\nclock = \"2.2GW\"", "bad_quantity", 4),
        ("[a]\nkind = \"cpu\"\nsource = \"x\"\nquality = \"good\"\n", "unknown_name", 4),
        ("[a]\nkind = \"cpu\"\nsource = \"x\"\nx = { value = 1, formula = \"2\" }", "bad_formula", 4),
        ("[a]\nkind = \"cpu\"\nsource = \"x\"\ny = { formula = \"y + 1\" }", "bad_formula", 4),
        ("[\"A b\"]\nkind = \"cpu\"\n", "bad_name", 1),
        ("a = 3", "wrong_type", 1),
        ("[a", "toml", 1),
    ];
    for (text, code, line) in cases {
        let problems = read(text, "mine.toml").expect_err(text);
        let first = &problems.0[0];
        assert_eq!(
            (first.code.as_str(), first.line, first.file.as_deref()),
            (code, Some(line), Some("mine.toml")),
            "{text}: {first}"
        );
    }
}
