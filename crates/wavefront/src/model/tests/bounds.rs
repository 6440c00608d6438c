//! Laws of times: every way to describe one, clipping, binning, and the step that is chosen.

use super::{Overrides, good, law_at, law_of, read_with, two, wrong};
use crate::model::{Read, Semantics, Tie};

fn near(law: &[(u64, f64)], expected: &[(u64, f64)]) {
    let is_near =
        law.len() == expected.len() && law.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12);
    assert!(is_near, "{law:?} {expected:?}");
}

fn mean(law: &[(u64, f64)]) -> f64 {
    law.iter().map(|(ticks, probability)| *ticks as f64 * probability).sum()
}

fn codes(read: &Read) -> Vec<&str> {
    read.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

const CSV: &str = "kind,process,rep,time_s,time_ms,status\n\
    update,a,1,1.0,1500,ok\nupdate,a,2,2.5,2500,\nupdate,b,1,7.0,1,ok\nmessage,a,1,3.0,1,ok\n\
    update,a,3,2.5,2500,ok\nupdate,a,4,,1000,ok\nupdate,a,5,99.0,9,failed\nupdate,a,6,4.0,4000,ok\n";

fn of_files(update: &str) -> Read {
    let text = format!("wavefront.step = '1s'\nprocess.update = {update}");
    let files = [("s.csv", CSV), ("f.csv", "value,prob\n1.5,0.25\n2,0.75\n")];
    read_with(&text, &files, &Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn law_from(update: &str) -> Vec<(u64, f64)> {
    of_files(update).model.modes.laws[0].update[0].support().to_vec()
}

#[test]
fn every_way_to_describe_a_law() {
    near(&law_of("{ ticks = [5, 4, 5, 9], prob = [0.25, 0.5, 0.25, 0] }"), &[(4, 0.5), (5, 0.5)]);
    near(&law_of("{ values = ['2s', 1500e-3, 4], prob = [0.5, 0.25, 0.25] }"), &[(1, 0.125), (2, 0.625), (4, 0.25)]);
    near(&law_of("{ constant = '2500ms' }"), &[(2, 0.5), (3, 0.5)]);
    near(&law_of("{ constant = '2500ms', bin = 'nearest' }"), &[(3, 1.0)]);
    near(&law_of("{ constant = 2.25, bin = 'up' }"), &[(3, 1.0)]);
    near(&law_of("{ ticks = [1, 2], prob = [3, 1], normalize = true }"), &[(1, 0.75), (2, 0.25)]);
    near(&law_from("{ pmf = 'f.csv' }"), &[(1, 0.125), (2, 0.875)]);
    near(&law_from("{ samples = 's.csv', where = { kind = 'update', process = 'b' } }"), &[(7, 1.0)]);
    let four = "{ samples = 's.csv', column = 'time_s', where = { kind = 'update', process = 'a' }";
    near(&law_from(&format!("{four} }}")), &[(1, 0.25), (2, 0.25), (3, 0.25), (4, 0.25)]);
    near(
        &law_from("{ samples = 's.csv', column = 'time_ms', where = { rep = 1, process = 'a', kind = 'update' } }"),
        &[(1, 0.5), (2, 0.5)],
    );
    // Half of 1, 2.5, 2.5, 4 is up to 2.5: what lies beyond moves there, and 0.375 s of the mean are lost.
    let clipped = of_files(&format!("{four}, clip = 0.5 }}"));
    near(clipped.model.modes.laws[0].update[0].support(), &[(1, 0.25), (2, 0.375), (3, 0.375)]);
    assert_eq!(codes(&clipped), ["clipped"]);
    assert!(clipped.warnings[0].message.contains("375ms"), "{:?}", clipped.warnings);
    near(
        &law_from(&format!("{four}, shift = '1s', lower = 3, upper = 4, bin = 'nearest' }}")),
        &[(3, 0.25), (4, 0.75)],
    );
}

#[test]
fn named_laws_keep_their_means() {
    for (update, expected) in [
        ("{ dist = 'uniform', lower = 1, upper = '2s' }", 1.5),
        ("{ dist = 'uniform', lower = 1, upper = 2, shift = 0.5 }", 2.0),
        ("{ dist = 'normal', mean = 3, sd = 0.1, clip = 0.999999 }", 3.0),
        ("{ dist = 'exponential', mean = 0.5, shift = 1, clip = 0.99999999 }", 1.5),
        ("{ dist = 'gamma', shape = 2, scale = 0.05, shift = 0.1, clip = 0.99999999 }", 0.2),
        ("{ dist = 'weibull', shape = 1, scale = 0.5, shift = 1, clip = 0.99999999 }", 1.5),
        ("{ dist = 'lognormal', median = 1, sigma = 0.1, clip = 0.999999 }", (0.005_f64).exp()),
    ] {
        let law = law_at("10ms", update);
        assert!((mean(&law) * 0.01 - expected).abs() < 1e-6 * expected, "{update} {}", mean(&law) * 0.01);
        assert!(law.iter().all(|atom| atom.1 >= 0.99e-6), "{update}");
    }
    // Beyond the 99.9 % point lies mean/1000 of the mean of an exponential law.
    let read = good("wavefront.step = 0.1\nprocess.update = { dist = 'exponential', mean = 2, shift = 1 }");
    let mean_s = read.model.modes.laws[0].update[0].mean() * 0.1;
    assert!((mean_s - 2.998).abs() < 1e-6, "{mean_s}");
    assert_eq!(codes(&read), ["clipped"]);
    assert!(read.warnings[0].message.contains("2ms"), "{:?}", read.warnings);
    assert_eq!(read.warnings[0].line, Some(2));
}

#[test]
fn a_coarse_lattice_and_up_are_told() {
    let update = |rest: &str| format!("wavefront.step = 1\nprocess.update = {{ constant = 1.4, {rest} }}");
    assert_eq!(codes(&good(&update(""))), [] as [&str; 0]);
    assert_eq!(codes(&good(&update("bin = 'nearest'"))), ["binning"]);
    assert_eq!(codes(&good(&update("bin = 'up'"))), ["binned_up", "binning"]);
}

#[test]
fn without_a_step_the_widest_law_spans_25_ticks() {
    let read = good("process.update = { dist = 'uniform', lower = 1, upper = 2 }\n[wavefront]\n");
    assert_eq!(read.model.step_s, 0.04);
    assert_eq!(codes(&read), ["step_chosen"]);
    assert!(read.warnings[0].message.contains("25 ticks"), "{:?}", read.warnings);
    // Times that are always the same: a measure that they have in common.
    assert_eq!(good(&two("", "")).model.step_s, 1.0);
    // Never so long that an update would take no time.
    let read = good(
        "process = [ { update = { constant = 0.5 } }, { update = { values = [1, 101], prob = [0.5, 0.5] } } ]
        network.default = { constant = 0 }",
    );
    assert_eq!(read.model.step_s, 0.5);
    let problem = &wrong("process.update = { ticks = [4], prob = [1] }")[0];
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("missing", Some("/wavefront/step")));
    let overrides = Overrides { step_s: Some(0.5), ..Overrides::default() };
    let read = read_with(&two("step = 1", ""), &[], &overrides).expect("a model");
    assert_eq!((read.model.step_s, read.model.modes.laws[0].update[0].least()), (0.5, 4));
}

#[test]
fn options_go_before_the_file() {
    let overrides = Overrides {
        omega: Some(3.0),
        rho: Some(0.5),
        semantics: Some(Semantics::Complete),
        tie: Some(Tie::Discards),
        alpha_updates: Some(vec![2]),
        beta_updates: Some(vec![0, 7]),
        ..Overrides::default()
    };
    let model = read_with(&two("rho = 0.9\nomega = 6\nsemantics = 'abort'", ""), &[], &overrides).expect("good").model;
    assert_eq!((model.omega, model.semantics, model.tie), (3.0, Semantics::Complete, Tie::Discards));
    assert!((model.digits_per_application().expect("a rate") - 2_f64.log10()).abs() < 1e-15);
    assert_eq!(model.processes[1].alpha_updates, 2);
    assert_eq!((model.processes[0].beta_updates, model.processes[1].beta_updates), (0, 7));
    let wrong = |overrides: Overrides| {
        let problem = read_with(&two("", ""), &[], &overrides).expect_err("wrong").0.remove(0);
        (problem.code, problem.pointer.unwrap_or_default())
    };
    let told = |code: &str, option: &str| (code.to_owned(), option.to_owned());
    assert_eq!(wrong(Overrides { rho: Some(1.0), ..Overrides::default() }), told("out_of_range", "--rho"));
    assert_eq!(wrong(Overrides { omega: Some(-1.0), ..Overrides::default() }), told("out_of_range", "--omega"));
    assert_eq!(wrong(Overrides { step_s: Some(0.0), ..Overrides::default() }), told("out_of_range", "--step"));
    let three = Some(vec![1, 2, 3]);
    assert_eq!(wrong(Overrides { alpha_updates: three, ..Overrides::default() }), told("length", "--A"));
    assert_eq!(wrong(Overrides { alpha_updates: Some(vec![0]), ..Overrides::default() }), told("out_of_range", "--A"));
}
