//! A fit as a file of costs, which `bsf predict` and `compare` read.

use super::curves::{Found, Model};
use super::times::Times;
use crate::VERSION;
use crate::failure::Failure;
use runcast_bench::now_text;
use runcast_bsf::fit::file;
use runcast_core::Problem;

/// The text of the file.
///
/// # Errors
/// No mixture of forms was fitted.
pub(super) fn text(found: &Found, times: &Times) -> Result<String, Failure> {
    let mixture = found.curves.iter().find_map(|curve| match &curve.model {
        Model::Auto(auto, _) => Some(auto),
        Model::Fit(_) | Model::Costs(..) | Model::Pieces(..) => None,
    });
    let auto = mixture.ok_or_else(|| {
        let problem = Problem::new("no_fit", "there is no fit that a file of costs could hold").at("--output");
        problem.hint("--fit with --form auto and --collective auto, which are the default")
    })?;
    let mut origin = toml::Table::new();
    origin.extend(times.file.as_ref().map(|file| ("runs".to_owned(), file.as_str().into())));
    origin.insert("of".to_owned(), times.name.as_str().into());
    origin.insert("date".to_owned(), now_text().into());
    origin.insert("runcast".to_owned(), VERSION.into());
    let origin = toml::to_string(&toml::Table::from_iter([("origin".to_owned(), toml::Value::Table(origin))]));
    let origin = origin.map_err(|error| Problem::new("internal", format!("the origin cannot be written: {error}")))?;
    Ok(file::to_text(auto, &origin))
}
