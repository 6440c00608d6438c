//! A topology that became too small while machines were added: the next size that fits, so that the forecast goes on.

use super::remarks::{Mend, Remark};
use runcast_core::Problem;
use runcast_sim::run::Inputs;

/// The code of the reader.
const TOO_SMALL: &str = "too_small";
/// What of a topology grows: the last number of a list, or a number.
const KEYS: [&str; 3] = ["down = [", "dims = [", "nodes = "];

/// The same inputs with a topology that fits, and the remark that tells it; none: something else is wrong.
pub fn grown(inputs: &Inputs, problem: &Problem) -> Option<(Inputs, Remark)> {
    let pointer = problem.pointer.as_deref().filter(|_| problem.code == TOO_SMALL)?;
    let wanted: u64 = problem.allowed.as_deref()?.split(' ').next()?.parse().ok()?;
    let system = inputs.system.as_ref()?;
    let line = usize::try_from(problem.line?).ok()?.checked_sub(1)?;
    let start: usize = system.text.split_inclusive('\n').take(line).map(str::len).sum();
    let row = system.text[start..].split('\n').next()?;
    let (key, at) = KEYS.iter().find_map(|key| Some((*key, row.find(key)? + key.len())))?;
    let end = at
        + row[at..].find(|letter: char| !(letter.is_ascii_digit() || (key.ends_with('[') && ", ".contains(letter))))?;
    let numbers: Vec<u64> = row[at..end].split(',').map(|one| one.trim().parse().ok()).collect::<Option<_>>()?;
    let places: u64 = problem.value.as_deref()?.parse().ok()?;
    let last = *numbers.last()?;
    let others = (places / last.max(1)).max(1);
    let mut fitting = numbers.clone();
    *fitting.last_mut()? = wanted.div_ceil(others);
    let list: Vec<String> = fitting.iter().map(u64::to_string).collect();
    let mut text = system.text.clone();
    text.replace_range(start + at..start + end, &list.join(", "));
    let new_row = text[start..].split('\n').next()?;
    let topology = new_row.split_once("topology = ")?.1;
    let topology = &topology[..=topology.find('}')?];
    let index: usize = pointer.trim_start_matches('/').split('/').nth(1)?.parse().ok()?;
    let mut grown = inputs.clone();
    grown.system.as_mut()?.text.clone_from(&text);
    let message = format!("{}; the forecast takes {topology}", problem.message);
    let mend = Mend::Topology { network: index, value: topology.to_owned() };
    let remark = Remark { code: "topology_too_small".to_owned(), message, part: None, mend: Some(mend) };
    Some((grown, remark))
}
