//! The files that both programs get: the public ones where they are at hand, the others made anew by the same recipe.

use runcast_benches::real_runs::data_folder;
use runcast_benches::synthetic::{self, Synthetic, Truth};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A file to be timed.
pub struct Timed {
    /// What is in it.
    pub content: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

/// A file whose kernels are known.
pub struct Known {
    /// What is in it.
    pub content: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// In the order of its kernels.
    pub truth: Vec<Truth>,
}

/// All of them.
pub struct Files {
    /// In the order of the table.
    pub timed: Vec<Timed>,
    /// In the order of the table.
    pub known: Vec<Known>,
    /// What was made here; removed at the end.
    _made: tempfile::TempDir,
}

impl Files {
    /// Finds or makes them.
    pub fn gather() -> Result<Files, String> {
        let made = tempfile::tempdir().map_err(|error| error.to_string())?;
        let public = data_folder().map(|folder| folder.join("fit/bench_inputs")).filter(|folder| folder.is_dir());
        let known = |name: &str, anew: Synthetic| match &public {
            Some(folder) => {
                Ok((folder.join(format!("{name}.txt")), truth(&folder.join(format!("{name}.truth.json")))?))
            }
            None => Ok::<_, String>((write(made.path(), name, &anew.text)?, anew.truth)),
        };
        let timed = |name: &str, kernels: usize| match &public {
            Some(folder) => Ok(folder.join(format!("{name}.txt"))),
            None => write(made.path(), name, &synthetic::wide_terms(kernels, kernels as u64).text),
        };
        let timed = vec![
            Timed { content: "1 kernel, 5 points x 5 values", path: timed("a_1k_5p_5r", 1)? },
            Timed { content: "1,000 kernels, 5 points x 5 values", path: timed("b_1000k_5p_5r", 1000)? },
            Timed {
                content: "1,000 kernels of two parameters, 5 x 5 points x 5 values",
                path: write(made.path(), "c_1000k_5x5p_5r", &synthetic::two_parameters(1000, 3))?,
            },
        ];
        let (noiseless, of_noiseless) = known("d0_42terms_noiseless", synthetic::default_terms(1, 0.0, 4))?;
        let (noisy, of_noisy) = known("d2_42terms_2pct", synthetic::default_terms(5, 0.02, 5))?;
        let known = vec![
            Known { content: "no noise, 1 value a point", path: noiseless, truth: of_noiseless },
            Known { content: "2 % noise, 5 values a point", path: noisy, truth: of_noisy },
        ];
        Ok(Files { timed, known, _made: made })
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = folder.join(format!("{name}.txt"));
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn truth(path: &Path) -> Result<Vec<Truth>, String> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let kernels: Vec<Value> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let number = |kernel: &Value, name: &str| {
        kernel[name].as_f64().ok_or_else(|| wrong(format!("a kernel has no number {name}")))
    };
    let truth = |kernel: &Value| {
        Ok(Truth {
            c0: number(kernel, "c0")?,
            c1: number(kernel, "c1")?,
            i: number(kernel, "i")?,
            j: number(kernel, "j")?,
        })
    };
    kernels.iter().map(truth).collect()
}
