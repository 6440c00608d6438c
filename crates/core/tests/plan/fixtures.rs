//! Each `testdata/plans/NAME.toml` asks for the configurations of `NAME.csv`.

use runcast_core::plan::configurations_from;

#[test]
fn plan_files_give_the_configurations_beside_them() {
    let read = |file: &str| {
        let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/plans/{}"), file);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        configurations_from(file, &bytes).unwrap_or_else(|problems| panic!("{problems}"))
    };
    for name in ["weak", "strong", "wide", "graph500"] {
        let (solved, listed) = (read(&format!("{name}.toml")), read(&format!("{name}.csv")));
        assert_eq!(solved.len(), listed.len(), "{name}");
        for (solved, listed) in solved.iter().zip(&listed) {
            assert_eq!(
                (&solved.set, &solved.at, solved.repetitions),
                (&listed.set, &listed.at, listed.repetitions),
                "{name}"
            );
        }
    }
}
