//! The table of values that the front end's evaluator is tested against, too.

use runcast_formula::Formula;

#[test]
fn formulas_have_the_values_of_the_table() {
    let table = include_str!("../../../../testdata/formula/values.tsv");
    let mut rows = 0;
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let [text, names, value] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let pairs = names.split(',').filter_map(|pair| pair.split_once('='));
        let names: Vec<(&str, f64)> = pairs.map(|(name, value)| (name, value.parse().unwrap())).collect();
        let wanted: f64 = value.parse().unwrap();
        let seen = Formula::parse(text).unwrap().evaluate_at(&names).unwrap();
        let near = (seen - wanted).abs() <= 1e-14 * wanted.abs();
        assert!(near || seen == wanted || (seen.is_nan() && wanted.is_nan()), "{text}: {seen} {wanted}");
        rows += 1;
    }
    assert!(rows > 30);
}
