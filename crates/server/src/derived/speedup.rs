//! Speedup and efficiency against a given base.

use super::{Figure, FigurePoint};
use runcast_core::{Problem, Problems};

/// Turns times into T(base)/T(p), rates into R(p)/R(base). Curves without the base are left out.
pub(super) fn speedups(figure: &mut Figure, base: Option<f64>, is_rate: bool) -> Result<(), Problems> {
    for curve in &mut figure.series {
        let usable = |point: &&FigurePoint| base.is_none_or(|base| point.x == base);
        let Some(from) = curve.points.iter().find(usable) else {
            curve.points.clear();
            continue;
        };
        let (at, of) = (from.x, from.y);
        curve.base = Some(at);
        let speedup = |value: f64| if is_rate { value / of } else { of / value };
        for point in &mut curve.points {
            point.y = speedup(point.y);
            let ends = (point.low.map(speedup), point.high.map(speedup));
            (point.low, point.high) = if is_rate { ends } else { (ends.1, ends.0) };
        }
        curve.points.retain(|point| point.y.is_finite());
        for point in &mut curve.points {
            point.low = point.low.filter(|value| value.is_finite());
            point.high = point.high.filter(|value| value.is_finite());
        }
    }
    figure.series.retain(|curve| !curve.points.is_empty());
    if let (Some(base), true) = (base, figure.series.is_empty()) {
        let problem = Problem::new("no_base", format!("no run has {} = {base}", figure.x.name));
        return Err(problem.at("base").value(base.to_string()).hint("leave it out: the smallest present").into());
    }
    figure.metric = Some(std::mem::replace(&mut figure.y.name, "speedup".to_owned()));
    figure.y.unit = String::new();
    Ok(())
}

/// Turns speedups into speedup * base/p.
pub(super) fn efficiencies(figure: &mut Figure) {
    "efficiency".clone_into(&mut figure.y.name);
    for curve in &mut figure.series {
        let base = curve.base.unwrap_or(1.0);
        curve.points.retain(|point| point.x != 0.0);
        for point in &mut curve.points {
            let share = base / point.x;
            point.y *= share;
            point.low = point.low.map(|value| value * share);
            point.high = point.high.map(|value| value * share);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::derived::{Choice, FigureKind, figure};
    use runcast_core::Table;

    fn read(csv: &str) -> Table {
        Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table")
    }

    fn choice(kind: FigureKind) -> Choice {
        Choice { kind, ..Choice::default() }
    }

    const TIMES: &str = "p,time_s\n16,20\n2,100\n8,30\n4,55\n";

    #[test]
    fn speedup_is_against_the_smallest_present_unless_a_base_is_named() {
        let found = figure(&read(TIMES), &choice(FigureKind::Speedup)).expect("a figure");
        let values: Vec<(f64, f64)> = found.series[0].points.iter().map(|point| (point.x, point.y)).collect();
        let wanted = [(2.0, 1.0), (4.0, 1.818182), (8.0, 3.333333), (16.0, 5.0)];
        assert_eq!(values.len(), 4);
        for (value, wanted) in values.iter().zip(wanted) {
            assert!(value.0 == wanted.0 && (value.1 - wanted.1).abs() < 1e-6, "{values:?}");
        }
        assert_eq!((found.series[0].base, found.y.name.as_str()), (Some(2.0), "speedup"));
        assert_eq!(found.metric.as_deref(), Some("time_s"));
        let at_four = Choice { base: Some(4.0), ..choice(FigureKind::Speedup) };
        let found = figure(&read(TIMES), &at_four).expect("a figure");
        assert_eq!(found.series[0].points[2].y, 55.0 / 30.0);
        let at_three = Choice { base: Some(3.0), ..choice(FigureKind::Speedup) };
        assert_eq!(figure(&read(TIMES), &at_three).expect_err("no such run").0[0].code, "no_base");
    }

    #[test]
    fn efficiency_is_speedup_by_base_over_p() {
        let found = figure(&read(TIMES), &choice(FigureKind::Efficiency)).expect("a figure");
        let values: Vec<f64> = found.series[0].points.iter().map(|point| point.y).collect();
        assert_eq!(values, [1.0, 100.0 / 55.0 * 0.5, 100.0 / 30.0 * 0.25, 5.0 * 0.125]);
    }

    #[test]
    fn rates_speed_up_the_other_way_and_bounds_change_sides() {
        let found = figure(&read("p,perf_gflops\n1,10\n4,30\n"), &choice(FigureKind::Speedup)).expect("a figure");
        assert_eq!(found.series[0].points[1].y, 3.0);
        let found =
            figure(&read("p,rep,time_s\n1,1,8\n2,1,2\n2,2,6\n"), &choice(FigureKind::Speedup)).expect("a figure");
        let point = &found.series[0].points[1];
        assert_eq!((point.y, point.low, point.high, point.rows), (2.0, Some(8.0 / 6.0), Some(4.0), 2));
    }

    #[test]
    fn what_else_varies_makes_curves_and_failed_rows_do_not_count() {
        let csv = "p,n,cpu,time_s,status\n1,10,a,4,ok\n2,10,a,2,ok\n1,20,a,9,ok\n2,20,a,,failed: no\n";
        let found = figure(&read(csv), &Choice::default()).expect("a figure");
        let names: Vec<&str> = found.series.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["n = 10", "n = 20"]);
        assert_eq!(found.series[1].points.len(), 1);
        assert_eq!(found.columns.labels, ["cpu"]);
        let by_x = Choice { x: Some("cpu".to_owned()), ..Choice::default() };
        assert_eq!(figure(&read(csv), &by_x).expect_err("texts").0[0].code, "not_numeric");
    }
}
