//! What a recording says of the run: the program, the machine, how it ended.

use runcast_core::Warning;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The run behind a recording.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// The program.
    pub program: String,
    /// Its command line.
    pub argv: Vec<String>,
    /// Where it ran.
    pub cwd: String,
    /// The identity of its file.
    pub build_id: String,
    /// The MPI library.
    pub mpi: Mpi,
    /// Processes.
    pub p: u64,
    /// The nodes, each once.
    pub hosts: Vec<String>,
    /// Cores of a node.
    pub cores: u64,
    /// Name of the processor.
    pub processor: String,
    /// When it began [s since 1970].
    pub start: f64,
    /// Parameters that vary between recordings.
    pub params: Map<String, Value>,
    /// Parameters that the user named.
    pub set: Map<String, Value>,
    /// What reading a clock costs.
    pub kappa_s: f64,
    /// Times of the reference loop, at the start and at the end of each rank.
    pub reference_s: Vec<f64>,
    /// From the return of `MPI_Init` to the entry of `MPI_Finalize`, rank by rank.
    #[serde(deserialize_with = "one_or_many")]
    pub wall_s: Vec<f64>,
    /// Time in calls that completed nothing, rank by rank.
    #[serde(deserialize_with = "one_or_many")]
    pub polling_s: Vec<f64>,
    /// How it ended.
    pub exit: Exit,
    /// What concerns the recording.
    pub warnings: Vec<Warning>,
    /// What this version of runcast does not look at.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// An MPI library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mpi {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How a program ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// Its exit code; absent if it did not reach `MPI_Finalize`.
    pub code: Option<i64>,
    /// The signal that ended it.
    pub signal: Option<i64>,
    /// Whether it called `MPI_Abort`.
    pub aborted: bool,
}

impl Meta {
    /// Takes in what the next rank says.
    pub fn merge(&mut self, other: Meta) {
        self.wall_s.extend(other.wall_s);
        self.polling_s.extend(other.polling_s);
        self.reference_s.extend(other.reference_s);
        self.exit.code = match (self.exit.code, other.exit.code) {
            (Some(0), code) => code,
            (code, _) => code,
        };
        self.exit.signal = self.exit.signal.or(other.exit.signal);
        self.exit.aborted |= other.exit.aborted;
        self.hosts.extend(other.hosts);
        self.warnings.extend(other.warnings);
        for name in ["events", INSTRUCTIONS, CYCLES] {
            match (self.more.get_mut(name), other.more.get(name)) {
                (Some(all), Some(more)) => {
                    *all = (all.as_u64().unwrap_or(0).saturating_add(more.as_u64().unwrap_or(0))).into();
                }
                // A sum over some of the ranks is none.
                _ => drop(self.more.remove(name)),
            }
        }
    }

    /// After the last rank: hosts and warnings once each, nothing that concerns one rank alone.
    pub fn close(&mut self) {
        let mut seen = std::collections::HashSet::new();
        self.hosts.retain(|host| seen.insert(host.clone()));
        let mut warned = std::collections::HashSet::new();
        self.warnings.retain(|warning| warned.insert(warning.code.clone()));
        self.more.remove("rank");
    }

    /// Instructions and cycles of all blocks, where hardware counters were read.
    pub fn counted(&self) -> Option<(f64, f64)> {
        let number = |name: &str| self.more.get(name)?.as_f64().filter(|number| *number > 0.0);
        number(INSTRUCTIONS).zip(number(CYCLES))
    }

    /// The longest time of a rank between `MPI_Init` and `MPI_Finalize`.
    pub fn time_s(&self) -> Option<f64> {
        self.wall_s.iter().copied().filter(|time| time.is_finite()).reduce(f64::max)
    }
}

/// What hardware counters have counted in blocks.
const INSTRUCTIONS: &str = "instructions";
const CYCLES: &str = "cycles";

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(f64),
        Many(Vec<f64>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    })
}
