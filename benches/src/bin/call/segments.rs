//! How often segmentation finds the truth, how far its predictions are off, and how fast it is.

#[path = "segments/coverage.rs"]
mod coverage;
#[path = "segments/made.rs"]
mod made;
#[path = "segments/recovery.rs"]
mod recovery;
#[path = "segments/speed.rs"]
mod speed;
#[path = "segments/sweeps.rs"]
mod sweeps;

/// The part of the section.
pub fn section() -> Result<String, String> {
    let mut text = String::from("### Piecewise constants\n\n");
    text.push_str(&recovery::table()?);
    text.push('\n');
    text.push_str(&recovery::steps_table()?);
    text.push('\n');
    text.push_str(&coverage::table()?);
    text.push('\n');
    text.push_str(&sweeps::table()?);
    text.push('\n');
    text.push_str(&speed::table()?);
    Ok(text)
}
