//! Any bytes as a checkpoint, as they are and behind a head with the right checksum: a run that goes on from them, or
//! an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_bsf::skeleton::{Algorithm, Element, Iteration, Job, JobError, Limits, Presence, RunOptions, Step, run};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_128;

const HEAD: &[u8] = b"runcast-bsf-checkpoint\n\x01\0\0\0";

struct Mean;

impl Job for Mean {
    type Approximation = (Vec<f64>, String);
    type Block = ();
    type Partial = f64;

    fn list_length(&self) -> u64 {
        3
    }

    fn set_up(&self, _: Range<u64>) -> Result<(), JobError> {
        Ok(())
    }

    fn identity(&self) -> f64 {
        0.0
    }

    fn map_fold(&self, _: Element<'_, ()>, x: &Self::Approximation, sum: &mut f64) -> Result<Presence, JobError> {
        *sum += x.0.iter().sum::<f64>();
        Ok(Presence::Present)
    }

    fn combine(&self, left: &mut f64, right: &f64) {
        *left += right;
    }

    fn compute(&self, x: &mut Self::Approximation, sum: &f64, _: &Iteration) -> Result<Step, JobError> {
        x.0.push(*sum);
        Ok(Step::again().with_norm(sum.abs()))
    }
}

fuzz_target!(|bytes: &[u8]| {
    let file = std::env::temp_dir().join(format!("runcast-fuzz-{}.ck", std::process::id()));
    let length = (bytes.len() as u64).to_le_bytes();
    let checked = [HEAD, &length[..], &xxh3_128(bytes).to_le_bytes()[..], bytes].concat();
    for content in [bytes, &checked] {
        std::fs::write(&file, content).expect("written");
        let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
        let options = RunOptions { resume: Some(file.clone()), limits, ..RunOptions::default() };
        let first = (vec![1.0], String::new());
        if let Ok(Some(outcome)) = run(Algorithm::new("mean", first).job(Mean), &options) {
            assert!(outcome.resumed_from.is_some());
            assert!(outcome.growth_rate.is_none_or(f64::is_finite));
        }
    }
    std::fs::remove_file(&file).expect("it was there");
});
