//! How a result is looked at first: which view, which columns are its axes, color and panels.

use serde::Serialize;

/// Values that a color tells apart.
const MOST_COLORS: usize = 8;
/// Panels beside each other.
const MOST_COLUMNS: usize = 6;
/// Panels below each other.
const MOST_ROWS: usize = 4;
/// Lines that make a crowd.
const MOST_CROWD: usize = 60;
/// A number with so many values or fewer is no axis where another has more.
const FEW: usize = 8;

/// A view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Nothing varies: the figures themselves.
    KeyFigures,
    /// An axis for each column.
    Parallel,
    /// A dot for each text.
    Dots,
    /// Two numbers against each other, the metric as color.
    Heatmap,
    /// A metric over a number.
    Line,
}

/// A column that varies, and is no metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Varying {
    pub name: String,
    /// Distinct values.
    pub values: usize,
    pub is_number: bool,
    /// Whether it counts processes.
    pub is_processes: bool,
}

/// What is seen first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FirstView {
    /// The view.
    pub view: View,
    /// The column across.
    pub x: Option<String>,
    /// The column up.
    pub y: Option<String>,
    /// The column that colors show.
    pub color: Option<String>,
    /// The column of panels beside each other.
    pub column: Option<String>,
    /// The column of panels below each other.
    pub row: Option<String>,
    /// The column whose values are a crowd of gray lines.
    pub crowd: Option<String>,
}

/// The first rule that holds decides; `metric` is what stands up.
pub fn first_view(varying: &[Varying], metric: Option<&str>) -> FirstView {
    let numbers: Vec<&Varying> = varying.iter().filter(|one| one.is_number).collect();
    let bare = |view| FirstView {
        view,
        x: None,
        y: metric.map(str::to_owned),
        color: None,
        column: None,
        row: None,
        crowd: None,
    };
    if varying.is_empty() {
        return bare(View::KeyFigures);
    }
    if varying.len() >= 5 || numbers.len() >= 4 {
        return bare(View::Parallel);
    }
    let Some(x) = axis(&numbers) else {
        let largest = varying.iter().reduce(|a, b| if b.values > a.values { b } else { a });
        let Some(largest) = largest else { return bare(View::Parallel) };
        return shared_out(bare(View::Dots), largest, varying).unwrap_or_else(|| bare(View::Parallel));
    };
    if let ([one, other], 2) = (numbers.as_slice(), varying.len())
        && one.values > FEW
        && other.values > FEW
    {
        let (across, up) = if other.is_processes { (other, one) } else { (one, other) };
        return FirstView { x: Some(across.name.clone()), y: Some(up.name.clone()), ..bare(View::Heatmap) };
    }
    let others: Vec<&Varying> = varying.iter().filter(|one| one.name != x.name).collect();
    if let [only] = others.as_slice()
        && (MOST_COLORS + 1..=MOST_CROWD).contains(&only.values)
    {
        return FirstView { x: Some(x.name.clone()), crowd: Some(only.name.clone()), ..bare(View::Line) };
    }
    shared_out(bare(View::Line), x, varying).unwrap_or_else(|| bare(View::Parallel))
}

/// The number of processes, else that of the most values; if it has few and another has more, that one.
fn axis<'v>(numbers: &[&'v Varying]) -> Option<&'v Varying> {
    let largest = numbers.iter().copied().reduce(|a, b| if b.values > a.values { b } else { a })?;
    let usual = numbers.iter().copied().find(|one| one.is_processes).unwrap_or(largest);
    Some(if usual.values <= FEW && largest.values > FEW { largest } else { usual })
}

/// The other columns, those of most values first, become color, columns and rows; none if one is left.
fn shared_out(view: FirstView, x: &Varying, varying: &[Varying]) -> Option<FirstView> {
    let mut others: Vec<&Varying> = varying.iter().filter(|one| one.name != x.name).collect();
    others.sort_by(|a, b| b.values.cmp(&a.values).then_with(|| a.name.cmp(&b.name)));
    let mut view = FirstView { x: Some(x.name.clone()), ..view };
    for (place, most) in [(&mut view.color, MOST_COLORS), (&mut view.column, MOST_COLUMNS), (&mut view.row, MOST_ROWS)]
    {
        if let Some(fits) = others.iter().position(|one| one.values <= most) {
            *place = Some(others.remove(fits).name.clone());
        }
    }
    others.is_empty().then_some(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `p8 cpu4 net3`: columns with their numbers of values; `cpu` and `net` are texts.
    fn columns(text: &str) -> Vec<Varying> {
        let column = |word: &str| {
            let digits = word.find(|letter: char| letter.is_ascii_digit()).expect("values");
            let name = &word[..digits];
            Varying {
                name: name.to_owned(),
                values: word[digits..].parse().expect("a number"),
                is_number: !["cpu", "net"].contains(&name),
                is_processes: name == "p",
            }
        };
        text.split(' ').filter(|word| !word.is_empty()).map(column).collect()
    }

    /// `line x=p color=n`
    fn told(text: &str) -> String {
        let view = first_view(&columns(text), Some("time_s"));
        let name = serde_json::to_value(view.view).expect("a word");
        let mut told = name.as_str().expect("a word").to_owned();
        let parts =
            [("x", view.x), ("color", view.color), ("column", view.column), ("row", view.row), ("crowd", view.crowd)];
        for (part, name) in parts {
            told += &name.map_or(String::new(), |name| format!(" {part}={name}"));
        }
        told
    }

    #[test]
    fn the_first_picture_follows_from_what_varies() {
        for (varies, expected) in [
            ("", "key-figures"),
            ("p10", "line x=p"),
            ("p7 n3", "line x=p color=n"),
            ("p2 n5000", "line x=n color=p"),
            ("p2 n60", "line x=n color=p"),
            ("p5 n12", "line x=n color=p"),
            ("p10 n12", "heatmap x=p"),
            ("p8 cpu4 net3", "line x=p color=cpu column=net"),
            ("p8 cpu30", "line x=p crowd=cpu"),
            ("p8 cpu200", "parallel"),
            ("cpu25", "dots x=cpu"),
            ("cpu5 net4", "dots x=cpu color=net"),
            ("p4 n4 cpu3 net2", "line x=p color=n column=cpu row=net"),
            ("p5 n4 a3 b3", "parallel"),
            ("n9 m12 cpu3", "parallel"),
        ] {
            assert_eq!(told(varies), expected, "{varies}");
        }
    }

    #[test]
    fn the_order_of_columns_changes_nothing_but_the_axes_of_equals() {
        assert_eq!(told("net3 cpu4 p8"), "line x=p color=cpu column=net");
        assert_eq!(told("n5000 p2"), "line x=n color=p");
        let up = first_view(&columns("n12 p10"), Some("time_s"));
        assert_eq!((up.x.as_deref(), up.y.as_deref()), (Some("p"), Some("n")));
    }
}
