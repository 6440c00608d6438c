//! Any text as a wavefront model, as a matrix, and as a list of degrees: sound laws, or problems with their place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_core::Problem;
use runcast_wavefront::model::{Degree, Overrides, read, updates_of};
use runcast_wavefront::model::operator::{matrix, radius};
use std::path::Path;

const FILE: &str = "kind,process,value,prob,row,time_s\nupdate,ws3,1,0.5,1,0.5\nupdate,ws3,2,0.5,2,0.7\n";
const MATRIX: &str = "%%MatrixMarket matrix coordinate real general\n5 5 2\n1 2 0.5\n2 1 0.5\n";

fn file(path: &Path) -> Result<Vec<u8>, Problem> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Ok(FILE.into()),
        Some("mtx") => Ok(MATRIX.into()),
        _ => Err(Problem::new("cannot_read", "no such file").in_file(path.display().to_string())),
    }
}

fuzz_target!(|text: &str| {
    match read(text, "model.toml", &mut file, &Overrides::default()) {
        Ok(read) => {
            let model = &read.model;
            assert_eq!((model.start.len(), model.start[0]), (model.size(), 0));
            assert!(model.step_s > 0.0 && model.step_s.is_finite() && model.omega > 0.0);
            for laws in &model.modes.laws {
                assert!(laws.update.iter().all(|law| law.least() >= 1 && law.most() <= 10_000_000));
                assert!(laws.message.iter().flatten().all(|law| law.most() <= 10_000_000));
            }
            assert!(model.digits_per_application().is_none_or(|digits| digits > 0.0 && digits.is_finite()));
        }
        Err(problems) => {
            assert!(!problems.0.is_empty());
            assert!(problems.0.iter().all(|problem| problem.file.is_some() && !problem.message.is_empty()));
        }
    }
    if let Ok(rows) = matrix::read(text, "m", None)
        && rows.len() <= 200
    {
        let gap = radius::gap(&rows);
        assert!(gap.low <= gap.high && gap.high <= 1.0, "{gap:?}");
    }
    if let Ok(degrees) = Degree::list(text, 2, &[]) {
        let again = degrees.iter().map(Degree::label).collect::<Vec<_>>().join(",");
        let labels = |degrees: &[Degree]| degrees.iter().map(Degree::label).collect::<Vec<_>>();
        assert_eq!(labels(&degrees), labels(&Degree::list(&again, 2, &[]).expect("its own words")));
    }
    if let Ok(updates) = updates_of(text, "--A") {
        assert!(updates.iter().all(|updates| (1..=1_000_000).contains(updates)));
    }
});
