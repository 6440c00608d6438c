//! The large bodies: on the axes, or from a file.

use super::Vector;
use runcast_core::table::Numbers;
use runcast_core::{Problem, Problems, Table};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// `Y_i` \[m\].
    pub position: Vector,
    /// `m_i` \[kg\].
    pub mass_kg: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Bodies {
    /// Body i, from 0, on axis `i mod 3` at `(floor(i/3) + 1) spacing`.
    OnAxes {
        size: u64,
        /// Distance between neighbors on an axis \[m\].
        spacing_m: f64,
        /// Mass of each \[kg\].
        mass_kg: f64,
    },
    Listed {
        /// The file they come from.
        file: String,
        /// A digest of the file.
        digest: String,
        bodies: Arc<[Body]>,
    },
}

const COLUMNS: [&str; 4] = ["x_m", "y_m", "z_m", "mass_kg"];

impl Bodies {
    /// Reads a table with the columns `x_m`, `y_m`, `z_m` and `mass_kg`.
    ///
    /// # Errors
    /// File, line and column of the error.
    pub fn read(file: &str, content: &[u8]) -> Result<Self, Problems> {
        let table = Table::read(file, content, &Default::default())?;
        let mut columns = Vec::with_capacity(COLUMNS.len());
        for name in COLUMNS {
            columns.push(numbers(&table, file, name)?);
        }
        let body = |row: usize| Body {
            position: [columns[0][row], columns[1][row], columns[2][row]],
            mass_kg: columns[3][row],
        };
        Ok(Bodies::Listed {
            file: file.to_owned(),
            digest: format!("{:032x}", xxh3_128(content)),
            bodies: (0..table.rows()).map(body).collect(),
        })
    }

    /// Number of bodies.
    pub fn len(&self) -> u64 {
        match self {
            Bodies::OnAxes { size, .. } => *size,
            Bodies::Listed { bodies, .. } => bodies.len() as u64,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A body, counted from 0.
    pub fn body(&self, index: u64) -> Body {
        match self {
            Bodies::OnAxes { spacing_m, mass_kg, .. } => {
                let mut position = [0.0; 3];
                position[(index % 3) as usize] = (index / 3 + 1) as f64 * spacing_m;
                Body { position, mass_kg: *mass_kg }
            }
            Bodies::Listed { bodies, .. } => bodies[index as usize],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Body> + '_ {
        (0..self.len()).map(|index| self.body(index))
    }

    pub(super) fn parameters(&self) -> Map<String, Value> {
        let mut parameters = Map::new();
        let mut set = |name: &str, value: Value| parameters.insert(name.to_owned(), value);
        set("size", json!(self.len()));
        match self {
            Bodies::OnAxes { spacing_m, mass_kg, .. } => {
                set("spacing_m", json!(spacing_m));
                set("mass_kg", json!(mass_kg));
            }
            Bodies::Listed { file, digest, .. } => {
                set("bodies", json!(file));
                set("bodies_digest", json!(digest));
            }
        }
        parameters
    }
}

/// The numbers of a column, without gaps; masses must be positive.
fn numbers<'t>(table: &'t Table, file: &str, name: &str) -> Result<&'t Numbers, Problem> {
    let column = table.column(name).ok_or_else(|| {
        let problem = Problem::new("missing_column", format!("the column {name} is missing"));
        problem.in_file(file).at(name).allowed(COLUMNS.join(", "))
    })?;
    let is_mass = name == "mass_kg";
    let is_good = |value: f64| value.is_finite() && (value > 0.0 || !is_mass);
    let wrong = |row: usize| {
        let allowed = if is_mass { "a number above 0" } else { "a number" };
        let problem = Problem::new("not_a_number", format!("\"{}\" is not allowed here", column.cell(row)));
        table.problem_at(row, problem.at(name).value(column.cell(row)).allowed(allowed))
    };
    match column.as_numbers() {
        Some(values) => values.iter().position(|value| !is_good(*value)).map_or(Ok(values), |row| Err(wrong(row))),
        None => {
            let parsed =
                |row: usize| runcast_core::table::number::parse(&column.cell(row)).filter(|value| is_good(*value));
            Err(wrong((0..table.rows()).find(|row| parsed(*row).is_none()).unwrap_or_default()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_stand_on_the_axes_in_turn() {
        let bodies = Bodies::OnAxes { size: 5, spacing_m: 100.0, mass_kg: 1e12 };
        let places: Vec<Vector> = bodies.iter().map(|body| body.position).collect();
        let expected: [Vector; 5] =
            [[100.0, 0.0, 0.0], [0.0, 100.0, 0.0], [0.0, 0.0, 100.0], [200.0, 0.0, 0.0], [0.0, 200.0, 0.0]];
        assert_eq!(places, expected);
    }

    #[test]
    fn bodies_are_read_from_a_table() {
        let bodies = Bodies::read("b.csv", b"mass_kg,x_m,y_m,z_m\n5e10,1,-2,3.5\n1,0,0,0\n").expect("good");
        assert_eq!(bodies.len(), 2);
        assert_eq!(bodies.body(0), Body { position: [1.0, -2.0, 3.5], mass_kg: 5e10 });
    }

    #[test]
    fn what_is_wrong_with_a_body_is_told_with_its_line() {
        let problem = |text: &str| Bodies::read("b.csv", text.as_bytes()).expect_err(text).0.remove(0);
        let of_line = |text: &str| (problem(text).line, problem(text).pointer);
        assert_eq!(of_line("x_m,y_m,z_m,mass_kg\n1,1,1,1\n2,2,2,-1\n"), (Some(3), Some("mass_kg".to_owned())));
        assert_eq!(of_line("x_m,y_m,z_m,mass_kg\n1,,1,1\n"), (Some(2), Some("y_m".to_owned())));
        assert_eq!(of_line("x_m,y_m,z_m,mass_kg\n1,1,1,1\n1,1,far,1\n"), (Some(3), Some("z_m".to_owned())));
        assert_eq!(problem("x_m,y_m,z_m\n1,1,1\n").code, "missing_column");
        assert_eq!(problem("").file.as_deref(), Some("b.csv"));
    }
}
