//! Series for tests.

use runcast_core::{Direction, Group, Metric, Point, Series};

/// A series of times over `p`.
pub fn series(points: &[(f64, f64)]) -> Series {
    over(&["p"], points.iter().map(|(p, t)| (vec![*p], *t)).collect())
}

/// A series of times over a problem size, without processes.
pub fn sizes(points: &[(f64, f64)]) -> Series {
    Series { process_parameter: None, ..over(&["N"], points.iter().map(|(n, t)| (vec![*n], *t)).collect()) }
}

/// A full grid over `p` and `N`.
pub fn grid(p: &[f64], n: &[f64], law: fn(f64, f64) -> f64) -> Series {
    let points = p.iter().flat_map(|&p| n.iter().map(move |&n| (vec![p, n], law(p, n)))).collect();
    over(&["p", "N"], points)
}

/// A series of times over several parameters, the first of which counts processes.
pub fn over(parameters: &[&str], points: Vec<(Vec<f64>, f64)>) -> Series {
    Series {
        group: Group::new(),
        metric: Metric::new("time_s", "s", Direction::Lower),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        process_parameter: Some(0),
        points: points
            .into_iter()
            .enumerate()
            .map(|(index, (at, value))| Point { at, values: vec![value], lines: vec![index as u32 + 2] })
            .collect(),
        file: None,
        warnings: Vec::new(),
    }
}
