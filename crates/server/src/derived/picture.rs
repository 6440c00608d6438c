//! Figures as pictures.

use super::{Figure, FigureKind};
use runcast_core::Problem;
use runcast_report::comparison::{Pairs, scatter};
use runcast_report::plot::{Axis, Band, Ink, Line, Plot, Points};
use runcast_report::{png, svg};

/// Percent around the diagonal of a comparison that are marked.
const NEAR_PCT: f64 = 10.0;

/// What is to be drawn.
pub fn plot(figure: &Figure, title: &str) -> Plot {
    let title = if title.is_empty() { format!("{} over {}", figure.y.name, figure.x.name) } else { title.to_owned() };
    match figure.kind {
        FigureKind::Compare => {
            let pairs = figure.series.iter().map(|curve| Pairs {
                name: curve.name.clone(),
                values: curve.points.iter().map(|point| (point.x, point.y)).collect(),
            });
            scatter(&title, &figure.x.unit, &pairs.collect::<Vec<_>>(), NEAR_PCT)
        }
        FigureKind::Pareto => pareto(figure, &title),
        _ => curves(figure, &title),
    }
}

fn axes(figure: &Figure) -> (Axis, Axis) {
    let of = |axis: &super::FigureAxis| Axis::new(axis.name.as_str(), axis.unit.as_str());
    let x = if figure.x.name == "p" { Axis::new("processes p", "") } else { of(&figure.x) };
    (x, of(&figure.y))
}

fn curves(figure: &Figure, title: &str) -> Plot {
    let (x, y) = axes(figure);
    let mut plot = Plot::new(title, x, y);
    let bases: Vec<f64> = figure.series.iter().filter_map(|curve| curve.base).collect();
    if let (Some(first), Some(metric)) = (bases.first(), &figure.metric) {
        let against = match bases.iter().all(|base| base == first) {
            true => format!("{} = {first}", figure.x.name),
            false => format!("the smallest {} of each", figure.x.name),
        };
        plot = plot.subtitled(format!("{metric}, against {against}"));
    }
    let mut labelled = false;
    for curve in &figure.series {
        let band: Vec<(f64, f64, f64)> =
            curve.points.iter().filter_map(|point| Some((point.x, point.low?, point.high?))).collect();
        if band.len() > 1 {
            let label = if labelled { String::new() } else { "interval".to_owned() };
            labelled = true;
            plot = plot.with(Band { name: curve.name.clone(), label, values: band, ink: Ink::Auto });
        }
        let points = curve.points.iter().map(|point| (point.x, point.y));
        plot = plot.with(Line::new(curve.name.as_str(), points.clone()));
        plot = plot.with(Points::new(curve.name.as_str(), points));
    }
    plot
}

fn pareto(figure: &Figure, title: &str) -> Plot {
    let (x, y) = axes(figure);
    let all = figure.series.iter().flat_map(|curve| &curve.points);
    let front: Vec<(f64, f64)> =
        all.clone().filter(|point| point.front == Some(true)).map(|point| (point.x, point.y)).collect();
    let others = all.filter(|point| point.front != Some(true)).map(|point| (point.x, point.y));
    Plot::new(title, x, y)
        .with(Points::new("others", others).inked(Ink::Faint))
        .with(Line::new("Pareto front", front.iter().copied()))
        .with(Points::new("Pareto front", front))
}

/// The picture as SVG, or PNG.
///
/// # Errors
/// The picture cannot be drawn.
pub fn draw(figure: &Figure, title: &str, as_png: bool) -> Result<Vec<u8>, Problem> {
    let plot = plot(figure, title);
    match as_png {
        true => png::render(&plot).map_err(|error| Problem::new("picture", error.to_string())),
        false => Ok(svg::render(&plot).into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derived::{Choice, compare, figure};
    use runcast_core::Table;

    #[test]
    fn every_kind_becomes_a_picture() {
        let csv = "p,rep,time_s,energy_j\n1,1,10,5\n2,1,8,7\n2,2,9,7\n4,1,3,9\n";
        let table = Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table");
        for kind in [FigureKind::Line, FigureKind::Speedup, FigureKind::Efficiency, FigureKind::Pareto] {
            let found = figure(&table, &Choice { kind, ..Choice::default() }).expect("a figure");
            let drawn = draw(&found, "", false).expect("a picture");
            assert!(String::from_utf8_lossy(&drawn).contains("<svg"), "{kind:?}");
            assert!(!String::from_utf8_lossy(&drawn).contains("No data"), "{kind:?}");
        }
        let found = compare::compare(&table, &table, Some("time_s")).expect("a comparison").figure();
        assert!(draw(&found, "x", true).expect("a picture").starts_with(b"\x89PNG"));
    }
}
