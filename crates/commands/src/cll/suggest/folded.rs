//! Which functions take time, from folded stacks of a sampling profiler.

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use std::collections::{HashMap, HashSet};

/// The least share of the samples of a function whose loops are looked at.
const SHARE: f64 = 0.01;

/// Functions that are in so many of the samples, themselves or in what they call, by their names without arguments.
///
/// # Errors
/// The file cannot be read, or a line does not end in a count.
pub fn hot(path: &InputFile, context: &mut Context) -> Result<HashSet<String>, Failure> {
    let text = context.read_text(path)?;
    functions(&text).map_err(|problem| problem.in_file(path.display().to_string()).into())
}

fn functions(text: &str) -> Result<HashSet<String>, Problem> {
    let mut samples: HashMap<&str, f64> = HashMap::new();
    let mut total = 0.0;
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty() && !row.starts_with('#')) {
        let counted = row
            .trim_end()
            .rsplit_once([' ', '\t'])
            .and_then(|(stack, count)| Some((stack, count.parse::<u64>().ok()?)));
        let (stack, count) = counted.ok_or_else(|| {
            let problem = Problem::new("not_a_stack", "the line does not end in a count of samples").at_line(line);
            problem.value(shorten(row, 60)).allowed("frames, separated by semicolons, a blank, and a whole number")
        })?;
        total += count as f64;
        // Of a function that calls itself, a sample counts once.
        let frames: HashSet<&str> = stack.split(';').map(bare).collect();
        for frame in frames {
            *samples.entry(frame).or_default() += count as f64;
        }
    }
    let hot = samples.into_iter().filter(|(_, count)| *count >= SHARE * total);
    Ok(hot.map(|(name, _)| name.to_owned()).collect())
}

/// The name of a function as a source has it: without arguments, parameters of templates, offsets and namespaces.
fn bare(frame: &str) -> &str {
    let name = frame.trim();
    let end = name.find(['(', '<', '+', '.', ' ', '@']).filter(|end| *end > 0).unwrap_or(name.len());
    let name = &name[..end];
    name.rsplit("::").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_counts_with_what_it_calls_and_once_a_sample() {
        let text = "main;solve(int);dot<double>(long) 90\nmain;app::walk;walk;walk 9\nmain;rare+0x1f 1\nmain;never 0\n";
        let hot = functions(text).unwrap();
        let mut names: Vec<&str> = hot.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["dot", "main", "rare", "solve", "walk"]);
        assert!(!functions("main;a 200\nmain;b 1\n").unwrap().contains("b"));
        assert_eq!(functions("main;a 3\nmain;b x\n").unwrap_err().line, Some(2));
    }
}
