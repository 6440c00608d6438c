//! The file and the line of every row.

use super::Origin;

/// Where each row came from. Rows on consecutive lines take no memory of their own.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    rows: usize,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    /// Rows on consecutive lines of a file, by the number of their first row.
    Runs(Vec<(usize, Origin)>),
    /// One by one, where runs are short.
    Each(Vec<Origin>),
}

impl Default for Form {
    fn default() -> Self {
        Form::Runs(Vec::new())
    }
}

/// From so many runs on they are counted against the rows.
const MANY_RUNS: usize = 64;

impl Origins {
    /// Rows that come from no line.
    pub fn unknown(rows: usize) -> Self {
        std::iter::repeat_n(Origin { file: 0, line: 0 }, rows).collect()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The origin of a row, if there is such a row.
    pub fn get(&self, row: usize) -> Option<Origin> {
        if row >= self.rows {
            return None;
        }
        match &self.form {
            Form::Each(each) => each.get(row).copied(),
            Form::Runs(runs) => {
                let run = match runs.as_slice() {
                    [one] => one,
                    many => &many[many.partition_point(|(first, _)| *first <= row) - 1],
                };
                Some(following(run.1, row - run.0))
            }
        }
    }

    /// The origin of a row.
    ///
    /// # Panics
    /// There is no such row.
    pub fn at(&self, row: usize) -> Origin {
        match self.get(row) {
            Some(origin) => origin,
            None => panic!("row {row} of {}", self.rows),
        }
    }

    /// The origin of the first row.
    pub fn first(&self) -> Option<Origin> {
        self.get(0)
    }

    /// Adds the origin of another row.
    pub fn push(&mut self, origin: Origin) {
        let row = self.rows;
        if let Form::Runs(runs) = &mut self.form {
            match runs.last() {
                Some((first, start)) if following(*start, row - first) == origin => {}
                _ if runs.len() < MANY_RUNS || 4 * runs.len() <= row => runs.push((row, origin)),
                _ => self.form = Form::Each(self.iter().collect()),
            }
        }
        if let Form::Each(each) = &mut self.form {
            each.push(origin);
        }
        self.rows += 1;
    }

    /// The origins in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Origin> + Clone + '_ {
        (0..self.rows).map(|row| self.at(row))
    }
}

/// The origin so many lines further down.
fn following(origin: Origin, lines: usize) -> Origin {
    Origin { line: origin.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX)), ..origin }
}

impl Extend<Origin> for Origins {
    fn extend<I: IntoIterator<Item = Origin>>(&mut self, origins: I) {
        origins.into_iter().for_each(|origin| self.push(origin));
    }
}

impl FromIterator<Origin> for Origins {
    fn from_iter<I: IntoIterator<Item = Origin>>(origins: I) -> Self {
        let mut all = Origins::default();
        all.extend(origins);
        all
    }
}

impl PartialEq for Origins {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_lines_however_they_follow_each_other() {
        let of = |lines: &[u32]| lines.iter().map(|&line| Origin { file: 0, line }).collect::<Origins>();
        let steady: Vec<u32> = (2..1000).collect();
        let gaps: Vec<u32> = (0..1000).map(|row| row + row / 10).collect();
        let same: Vec<u32> = (0..1000).map(|row| row / 5).collect();
        for lines in [steady, gaps, same] {
            assert!(of(&lines).iter().map(|origin| origin.line).eq(lines));
        }
        let two_files: Origins =
            [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(file, line)| Origin { file, line }).into_iter().collect();
        assert_eq!((two_files.at(2), two_files.get(4)), (Origin { file: 1, line: 2 }, None));
    }
}
