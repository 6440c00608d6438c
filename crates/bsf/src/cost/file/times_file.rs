//! Writing a file of times, as `runcast bsf calibrate` does.

use crate::cost::{Times, Uncertain, Work};
use runcast_formula::units::format_quantity_digits;

/// Number of digits of a time.
const DIGITS: usize = 6;

/// A file of times: what [`CostSpec`](super::CostSpec) reads as `algorithm = "times"`.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::file::{CostSpec, TimesFile};
/// use runcast_bsf::cost::{Times, Uncertain, Work};
/// let times = Times {
///     list_length: 5000,
///     latency_s: Uncertain::exact(1.9e-6),
///     overhead_s: None,
///     send_s: Uncertain::new(3.9e-6, 3.8e-6, 4.3e-6)?,
///     receive_s: Uncertain::exact(4e-6),
///     work: Work::Fused(Uncertain::exact(5.2e-3)),
///     fold_s: Uncertain::exact(2.1e-6),
///     compute_s: Uncertain::exact(1.4e-5),
/// };
/// let text = TimesFile { times, level: 0.9, origin: toml::Table::new() }.to_text();
/// assert!(text.contains("send = { value = \"3.9us\", low = \"3.8us\", high = \"4.3us\" }"));
/// assert_eq!(CostSpec::from_toml("times.toml", &text)?.resolve()?.model.costs().work_s, 5.2e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TimesFile {
    /// The times, each certain or not.
    pub times: Times<Uncertain>,
    /// Level of the intervals.
    pub level: f64,
    /// The origin of the times, for readers: written as `[origin]`, unless it is empty.
    pub origin: toml::Table,
}

impl TimesFile {
    /// The file as TOML.
    pub fn to_text(&self) -> String {
        let times = &self.times;
        let mut lines = vec![
            "algorithm = \"times\"".to_owned(),
            format!("level = {}", self.level),
            String::new(),
            "[times]".to_owned(),
            format!("list_length = {}", times.list_length),
            entry("latency", &times.latency_s),
        ];
        lines.extend(times.overhead_s.as_ref().map(|overhead| entry("overhead", overhead)));
        lines.push(entry("send", &times.send_s));
        lines.push(match &times.work {
            Work::Map(map) => entry("map", map),
            Work::Fused(work) => entry("work", work),
        });
        lines.push(entry("fold", &times.fold_s));
        lines.push(entry("receive", &times.receive_s));
        lines.push(entry("compute", &times.compute_s));
        if !self.origin.is_empty() {
            let table = toml::Table::from_iter([("origin".to_owned(), self.origin.clone().into())]);
            lines.push(format!("\n{}", table.to_string().trim_end()));
        }
        lines.join("\n") + "\n"
    }
}

fn entry(key: &str, time: &Uncertain) -> String {
    if time.is_exact() {
        return format!("{key} = \"{}\"", text(time.value));
    }
    let [value, low, high] = [time.value, time.low, time.high].map(text);
    format!("{key} = {{ value = \"{value}\", low = \"{low}\", high = \"{high}\" }}")
}

/// `3.9us`: the same rounding for all keeps low, value and high in order.
fn text(seconds: f64) -> String {
    format_quantity_digits(seconds, "s", DIGITS).replace(' ', "")
}
