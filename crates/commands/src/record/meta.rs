//! What the file of a rank says of its run: the header and the section `META`. The whole format is in
//! docs/reference/recording.md.

use serde::Deserialize;

/// What a rank says of its run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Meta {
    pub p: u32,
    pub events: u64,
    pub wall_s: f64,
    #[serde(default)]
    pub call_cost_s: f64,
    #[serde(default)]
    pub warnings: Vec<Note>,
    exit: Exit,
    #[serde(skip)]
    pub partial: bool,
    /// How the rank ended, if not by `MPI_Finalize`.
    #[serde(skip)]
    pub end: Option<String>,
}

/// A warning of the recorder.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Note {
    pub code: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Exit {
    code: Option<i64>,
    signal: Option<i32>,
    aborted: bool,
}

/// Flag of a file whose rank did not come to its end.
const PARTIAL: u16 = 1;

/// Reads it.
///
/// # Errors
/// Says what is wrong, and at which byte.
pub(super) fn of(bytes: &[u8]) -> Result<Meta, String> {
    let header = bytes.get(..32).ok_or_else(|| format!("it ends at byte {}, inside the header", bytes.len()))?;
    if header[..8] != *b"RUNCREC1" {
        return Err("it does not begin with RUNCREC1".to_owned());
    }
    let flags = u16::from_le_bytes([header[10], header[11]]);
    let section = bytes.get(32..56).filter(|section| section[..4] == *b"META").ok_or("byte 32: no section META")?;
    let mut length = [0; 8];
    length.copy_from_slice(&section[8..16]);
    let end = usize::try_from(u64::from_le_bytes(length)).ok().and_then(|length| length.checked_add(56));
    let text = end.and_then(|end| bytes.get(56..end)).ok_or("byte 40: the section META is longer than the file")?;
    let mut meta: Meta = serde_json::from_slice(text).map_err(|error| format!("section META: {error}"))?;
    meta.partial = flags & PARTIAL != 0;
    meta.end = match (meta.partial, &meta.exit) {
        (false, _) => None,
        (true, Exit { aborted: true, code, .. }) => Some(format!("MPI_Abort with code {}", code.unwrap_or_default())),
        (true, Exit { signal: Some(signal), .. }) => Some(format!("ended by signal {signal}")),
        (true, _) => Some("the program ended without MPI_Finalize".to_owned()),
    };
    Ok(meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_with_its_place() {
        assert_eq!(of(b"RUNC").unwrap_err(), "it ends at byte 4, inside the header");
        assert_eq!(of(&[0; 64]).unwrap_err(), "it does not begin with RUNCREC1");
        let mut file = vec![0; 60];
        file[..8].copy_from_slice(b"RUNCREC1");
        file[32..36].copy_from_slice(b"META");
        file[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(of(&file).unwrap_err(), "byte 40: the section META is longer than the file");
    }
}
