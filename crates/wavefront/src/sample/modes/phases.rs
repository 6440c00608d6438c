//! How long a phase is in each mode: the recursion of a phase, with times drawn from the samples of that mode.

use crate::sample::series::{Series, Subject};
use crate::sample::windows::Windows;
use runcast_core::random::SplitMix;
use std::collections::HashMap;

/// Draws of times that are made for each mode.
const DRAWS: usize = 4_000_000;
const PHASES_MOST: usize = 50_000;

/// Samples of a series in each mode; all of them in every mode, where the modes are not known.
fn by_mode(series: &Series, windows: &Windows, clear: &[Option<usize>], modes: usize) -> Vec<Vec<f64>> {
    let mut parts = vec![Vec::new(); modes];
    for (index, time_s) in series.time_s.iter().enumerate() {
        let window = series.start_s.get(index).and_then(|_| windows.find(series.middle_s(index)));
        if let Some(mode) = window.and_then(|window| clear[window]) {
            parts[mode].push(*time_s);
        }
    }
    parts.into_iter().map(|part| if part.is_empty() { series.time_s.clone() } else { part }).collect()
}

fn processes(series: &[Series]) -> impl Iterator<Item = (&str, &Series)> {
    series.iter().filter_map(|series| match &series.subject {
        Subject::Process(name) => Some((name.as_str(), series)),
        Subject::Link { .. } => None,
    })
}

/// Mean update of each process (inner) in each mode (outer) \[s\].
pub(super) fn update_means(
    series: &[Series],
    windows: &Windows,
    clear: &[Option<usize>],
    modes: usize,
) -> Vec<Vec<f64>> {
    let parts: Vec<Vec<Vec<f64>>> =
        processes(series).map(|(_, series)| by_mode(series, windows, clear, modes)).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    (0..modes).map(|mode| parts.iter().map(|part| mean(&part[mode])).collect()).collect()
}

/// E\[Phi\] of each mode, were it to stay (A = 1, B = 0) \[s\].
pub(super) fn means(series: &[Series], windows: &Windows, clear: &[Option<usize>], modes: usize) -> Vec<f64> {
    let part = |series: &Series| by_mode(series, windows, clear, modes);
    let names: Vec<&str> = processes(series).map(|(name, _)| name).collect();
    let updates: Vec<Vec<Vec<f64>>> = processes(series).map(|(_, series)| part(series)).collect();
    let links: HashMap<(&str, &str), Vec<Vec<f64>>> = series
        .iter()
        .filter_map(|series| match &series.subject {
            Subject::Link { from, to } => Some(((from.as_str(), to.as_str()), part(series))),
            Subject::Process(_) => None,
        })
        .collect();
    let link = |mode: usize, from: usize, to: usize| {
        links.get(&(names[from], names[to])).map_or(&[][..], |parts| parts[mode].as_slice())
    };
    (0..modes)
        .map(|mode| {
            let updates: Vec<&[f64]> = updates.iter().map(|parts| parts[mode].as_slice()).collect();
            mean_phase(&updates, &|from, to| link(mode, from, to), mode as u64)
        })
        .collect()
}

/// \[C\] Eq. 6: T_i' = max over j of (T_j + U_j + n_{j->i}), n_ii = 0. Links without samples take no time.
fn mean_phase<'a>(updates: &[&[f64]], link: &dyn Fn(usize, usize) -> &'a [f64], stream: u64) -> f64 {
    let size = updates.len();
    let phases = (DRAWS / (size * size).max(1)).clamp(100, PHASES_MOST);
    let mut random = SplitMix::new(0, stream);
    let mut draw = |samples: &[f64]| if samples.is_empty() { 0.0 } else { samples[random.below(samples.len())] };
    let links: Vec<&[f64]> = (0..size * size).map(|cell| link(cell / size, cell % size)).collect();
    let mut offsets = vec![0.0; size];
    let (mut elapsed, mut ready) = (0.0, vec![0.0; size]);
    for _ in 0..phases {
        for (ready, (offset, samples)) in ready.iter_mut().zip(offsets.iter().zip(updates)) {
            *ready = offset + draw(samples);
        }
        for (to, offset) in offsets.iter_mut().enumerate() {
            let arrivals = (0..size).filter(|from| *from != to).map(|from| ready[from] + draw(links[from * size + to]));
            *offset = arrivals.fold(ready[to], f64::max);
        }
        let first = offsets.first().copied().unwrap_or(0.0);
        elapsed += first;
        offsets.iter_mut().for_each(|offset| *offset -= first);
    }
    elapsed / phases as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_as_long_as_the_recursion_says() {
        // Two processes that wait for each other: 1 + 2 Bernoulli(3/4).
        let updates: [&[f64]; 2] = [&[1.0, 3.0]; 2];
        let mean = mean_phase(&updates, &|_, _| &[], 0);
        assert!((mean - 2.5).abs() < 0.02, "{mean}");
        // Three different processes, every message 0.3 s: 1.10848192944 s (exact chain).
        let ws1: Vec<f64> = [[0.4; 5].as_slice(), &[0.5; 3], &[0.8; 2]].concat();
        let ws2: Vec<f64> = [[0.5; 6].as_slice(), &[0.6; 3], &[1.2; 1]].concat();
        let ws3: Vec<f64> = [[0.6; 4].as_slice(), &[0.7; 4], &[1.4; 2]].concat();
        let mean = mean_phase(&[&ws1, &ws2, &ws3], &|_, _| &[0.3], 0);
        assert!((mean - 1.108_481_929).abs() < 0.006, "{mean}");
    }
}
