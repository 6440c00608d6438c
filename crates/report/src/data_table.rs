//! The numbers of a picture, for reading and copying.

use crate::number;
use crate::page::{Column, Table};
use crate::plot::{Axis, Ink, Layer, Plot};
use std::collections::HashMap;

/// A longer table is cut to [`FIRST_ROWS`]; the files behind the plot have all rows.
const MOST_ROWS: usize = 60;
const FIRST_ROWS: usize = 10;
const DIGITS: usize = 5;

/// One row per drawn value, the first ones of many unless `all` are wanted; none for a picture without values.
pub(crate) fn of(plot: &Plot, all: bool) -> Option<Table> {
    let rankings = plot.layers.iter().any(|layer| matches!(layer, Layer::Ranking(_)));
    let mut rows = if rankings { ranking_rows(plot) } else { value_rows(plot) };
    let any = |column: usize| rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()));
    let (named, low, high) = (any(0), any(3), any(4));
    let keep = [named, true, true, low, high];
    let label = |axis: &Axis, or: &str| if axis.label.is_empty() { or.to_owned() } else { axis.label.clone() };
    let (where_, what) = if rankings {
        (Column::text("what"), Column::number(label(&plot.x, "value"), plot.x.unit.as_str()))
    } else {
        (
            Column::number(label(&plot.x, "x"), plot.x.unit.as_str()),
            Column::number(label(&plot.y, "y"), plot.y.unit.as_str()),
        )
    };
    let unit = what.unit.clone();
    let columns =
        [Column::text("series"), where_, what, Column::number("low", unit.as_str()), Column::number("high", unit)];
    let total = rows.len();
    if total == 0 {
        return None;
    }
    let is_cut = !all && total > MOST_ROWS;
    rows.truncate(if is_cut { FIRST_ROWS } else { total });
    let caption = match is_cut {
        true => format!("The first {FIRST_ROWS} values; {} more rows with --all-data.", total - FIRST_ROWS),
        false => String::new(),
    };
    let kept = |row: Vec<String>| row.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(cell, _)| cell).collect();
    Some(Table {
        caption,
        columns: columns.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(column, _)| column).collect(),
        rows: rows.into_iter().map(kept).collect(),
    })
}

fn value_rows(plot: &Plot) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, x: f64, y: Option<f64>, ends: Option<(f64, f64)>| {
        if x.is_nan() || y.is_some_and(f64::is_nan) {
            return;
        }
        let y = y.map_or(String::new(), |y| number::significant(y, DIGITS));
        let (low, high) = ends.map_or((String::new(), String::new()), |(low, high)| {
            (number::significant(low, DIGITS), number::significant(high, DIGITS))
        });
        rows.push(vec![name.to_owned(), number::parameter(x), y, low, high]);
    };
    let has_medians =
        plot.layers.iter().any(|layer| matches!(layer, Layer::Points(points) if points.ink != Ink::Faint));
    for layer in &plot.layers {
        match layer {
            // The single runs behind medians are in the table that the page is made of.
            Layer::Points(points) if points.ink == Ink::Faint && has_medians => {}
            Layer::Points(points) => points.values.iter().for_each(|p| row(&points.name, p.x, Some(p.y), p.bar)),
            // The curve named like a band carries the value, the band its ends.
            Layer::Line(line) => {
                let band = plot.layers.iter().find_map(|layer| match layer {
                    Layer::Band(band) if band.name == line.name => Some(band),
                    _ => None,
                });
                let ends: HashMap<u64, (f64, f64)> = band
                    .iter()
                    .flat_map(|band| &band.values)
                    .map(|&(x, low, high)| (x.to_bits(), (low, high)))
                    .collect();
                for &(x, y) in &line.points {
                    row(&line.name, x, Some(y), ends.get(&x.to_bits()).copied());
                }
            }
            Layer::Band(band) => {
                let has_line =
                    plot.layers.iter().any(|layer| matches!(layer, Layer::Line(line) if line.name == band.name));
                if !has_line {
                    let name = if band.name.is_empty() { &band.label } else { &band.name };
                    band.values.iter().for_each(|&(x, low, high)| row(name, x, None, Some((low, high))));
                }
            }
            Layer::Bars(bars) => bars.bars.iter().for_each(|bar| row(&bars.name, bar.from, Some(bar.value), None)),
            Layer::Rule(_) | Layer::Ranking(_) => {}
        }
    }
    rows
}

fn ranking_rows(plot: &Plot) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for layer in &plot.layers {
        let Layer::Ranking(ranking) = layer else { continue };
        for row in &ranking.rows {
            let ends = row.interval.map_or((String::new(), String::new()), |(low, high)| {
                (number::significant(low, DIGITS), number::significant(high, DIGITS))
            });
            let value = number::significant(row.value, DIGITS);
            rows.push(vec![ranking.name.clone(), row.label.clone(), value, ends.0, ends.1]);
        }
    }
    rows
}
