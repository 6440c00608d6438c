//! The model file that samples make: laws named by the table, so that nothing of what was measured is lost.

use super::diagnose::stretch;
use super::modes::Modes;
use super::pilot::Pilot;
use super::series::{Series, Subject, process_names};
use crate::level::Observed;
use crate::model::binning::{CLIP, TICKS, rounded};
use crate::model::{Degree, Semantics, Work};
use runcast_core::statistics::quantile_of_sorted;
use runcast_formula::units::format_quantity_digits;
use std::fmt::Write;

/// Contents of the file besides the samples.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'a> {
    /// The table of samples, as the model file is to name it.
    pub samples: String,
    /// The operator, if it is known.
    pub operator: Option<OperatorTable>,
    /// Modes that were found in the samples, recorded in the column `mode` of the table.
    pub modes: Option<&'a Modes>,
    /// A slowdown that the processes share.
    pub level: Option<&'a Observed>,
    /// By how much the spread of a run is larger than that of independent times, the level aside; 0 or 1: not.
    pub sigma_factor: f64,
    /// What the real loop says of the updates; processes in the order of the series.
    pub pilot: Option<&'a Pilot>,
    /// The busy work of an update.
    pub work: Option<Work>,
    /// The degree of the loop that the samples are from; one update before the broadcast and none while waiting, else.
    pub degree: Option<&'a Degree>,
    /// What overtaken updates were to it.
    pub semantics: Semantics,
    /// Lines of a comment at the top, such as where the samples come from.
    pub comment: Vec<String>,
}

/// `[operator]`
#[derive(Debug, Clone, PartialEq)]
pub enum OperatorTable {
    /// A matrix in a file.
    Matrix {
        /// The file, as the model file is to name it.
        path: String,
        /// Rows of each process.
        pieces: Vec<usize>,
    },
    Polynomial {
        variables: usize,
        seed: u64,
        /// Variables of each process.
        pieces: Vec<usize>,
    },
}

/// The lattice step \[s\]: the widest law spans 25 ticks, up to its quantile 0.999; an update takes a tick at least.
pub fn step_s(series: &[Series]) -> Option<f64> {
    let mut widest = 0.0_f64;
    let (mut fastest_update, mut longest) = (f64::INFINITY, 0.0_f64);
    for series in series {
        let mut sorted = series.time_s.clone();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (quantile_of_sorted(&sorted, 0.0), quantile_of_sorted(&sorted, CLIP));
        widest = widest.max(most - least);
        longest = longest.max(most);
        if matches!(series.subject, Subject::Process(_)) {
            fastest_update = fastest_update.min(least);
        }
    }
    // Laws of one value each: any step does.
    let wanted = if widest > 1e-9 * longest { widest / TICKS } else { longest / TICKS };
    let step = rounded(wanted.min(fastest_update));
    (step.is_finite() && step > 0.0).then_some(step)
}

/// The file; none where no time is above 0.
pub fn text(series: &[Series], wanted: &Wanted<'_>) -> Option<String> {
    let least = wanted.pilot.map_or(1.0, |pilot| pilot.factors.iter().copied().fold(pilot.messages.min(1.0), f64::min));
    let step = rounded(step_s(series)? * least);
    let mut out = String::new();
    for line in &wanted.comment {
        line_of(&mut out, format_args!("# {line}"));
    }
    line_of(&mut out, format_args!("[wavefront]\nname = \"sampled\""));
    line_of(&mut out, format_args!("step = {}  # the widest law spans about 25 ticks", quoted(&seconds(step))));
    line_of(&mut out, format_args!("omega = 6"));
    if wanted.semantics != Semantics::default() {
        line_of(&mut out, format_args!("semantics = {}", quoted(wanted.semantics.name())));
    }
    if wanted.sigma_factor > 1.0 {
        line_of(
            &mut out,
            format_args!("sigma_factor = {:.4}  # times depend on the previous ones", wanted.sigma_factor),
        );
    }
    if wanted.operator.is_none() {
        line_of(&mut out, format_args!("# rho = 0.9  # or an [operator]: without them there are no rates"));
    }
    let base = wanted.modes.map(|modes| modes.names[0].as_str());
    let of_process = |series: &&Series| matches!(series.subject, Subject::Process(_));
    for (process, series) in series.iter().filter(of_process).enumerate() {
        if let Subject::Process(name) = &series.subject {
            let of = |list: fn(&Degree) -> &Vec<u32>, usual: u32| {
                wanted.degree.and_then(|degree| list(degree).get(process).copied()).unwrap_or(usual)
            };
            let (alpha, beta) = (of(|degree| &degree.alpha, 1), of(|degree| &degree.beta, 0));
            line_of(&mut out, format_args!("\n[[process]]\nname = {}\nA = {alpha}\nB = {beta}", quoted(name)));
            let mode = base.filter(|_| is_split(series, wanted));
            line_of(&mut out, format_args!("update = {}", update(wanted, name, mode)));
        }
    }
    network(&mut out, series, wanted);
    if let Some(modes) = wanted.modes {
        write_modes(&mut out, series, wanted, modes);
    }
    if let Some(level) = wanted.level {
        write_level(&mut out, level);
    }
    if let Some(pilot) = wanted.pilot {
        write_pilot(&mut out, series, pilot);
    }
    if let Some(work) = wanted.work {
        line_of(&mut out, format_args!("\n[work]  # of an update, beside the operator"));
        line_of(&mut out, format_args!("time = {}\noperations = {}", quoted(&seconds(work.time_s)), work.operations));
    }
    if let Some(operator) = &wanted.operator {
        write_operator(&mut out, operator);
    }
    Some(out)
}

fn line_of(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _ = out.write_fmt(line);
    out.push('\n');
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// `120us`
fn seconds(value: f64) -> String {
    format_quantity_digits(value, "s", 6).replace(' ', "")
}

fn filter(kind: &str, process: &str, peer: Option<&str>, mode: Option<&str>) -> String {
    let peer = peer.map_or_else(String::new, |peer| format!(", peer = {}", quoted(peer)));
    let mode = mode.map_or_else(String::new, |mode| format!(", mode = {}", quoted(mode)));
    format!("{{ kind = \"{kind}\", process = {}{peer}{mode} }}", quoted(process))
}

fn update(wanted: &Wanted<'_>, process: &str, mode: Option<&str>) -> String {
    let filter = filter("update", process, None, mode);
    format!("{{ samples = {}, column = \"time_s\", where = {filter} }}", quoted(&wanted.samples))
}

fn message(wanted: &Wanted<'_>, series: &Series, from: &str, to: &str, mode: Option<&str>) -> String {
    let filter = filter("message", from, Some(to), mode);
    let clip = stretch(&series.time_s).map_or_else(String::new, |_| format!(", clip = {CLIP}"));
    format!("{{ samples = {}, column = \"time_s\", where = {filter}{clip} }}", quoted(&wanted.samples))
}

/// Whether the samples of a series are separated by mode.
fn is_split(series: &Series, wanted: &Wanted<'_>) -> bool {
    wanted.modes.is_some_and(|modes| modes.covers(series) && modes.has_samples(series))
}

fn network(out: &mut String, all: &[Series], wanted: &Wanted<'_>) {
    let links = || all.iter().filter(|series| matches!(series.subject, Subject::Link { .. }));
    let processes = all.len() - links().count();
    if processes < 2 {
        return;
    }
    line_of(out, format_args!("\n[network]"));
    if links().count() < processes * (processes - 1) {
        line_of(out, format_args!("default = {{ constant = \"0s\" }}  # of links without samples"));
    }
    if links().count() == 0 {
        return;
    }
    line_of(out, format_args!("link = ["));
    let base = wanted.modes.map(|modes| modes.names[0].as_str());
    for series in links() {
        if let Subject::Link { from, to } = &series.subject {
            let law = message(wanted, series, from, to, base.filter(|_| is_split(series, wanted)));
            line_of(out, format_args!("  {{ from = {}, to = {}, time = {law} }},", quoted(from), quoted(to)));
        }
    }
    line_of(out, format_args!("]"));
}

fn numbers(values: &[f64]) -> String {
    let cells: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    format!("[{}]", cells.join(", "))
}

fn write_modes(out: &mut String, all: &[Series], wanted: &Wanted<'_>, modes: &Modes) {
    let names: Vec<String> = modes.names.iter().map(|name| quoted(name)).collect();
    let rows: Vec<String> = modes.transition.iter().map(|row| numbers(row)).collect();
    line_of(out, format_args!("\n[[modes]]\nstates = [{}]", names.join(", ")));
    line_of(out, format_args!("Q = [{}]  # for A = 1, B = 0: longer phases see more changes", rows.join(", ")));
    line_of(out, format_args!("start = {}\noverride = [", numbers(&modes.stationary)));
    for mode in &modes.names[1..] {
        for series in all.iter().filter(|series| is_split(series, wanted)) {
            let state = quoted(mode);
            match &series.subject {
                Subject::Process(name) => {
                    let law = update(wanted, name, Some(mode));
                    line_of(out, format_args!("  {{ state = {state}, process = {}, update = {law} }},", quoted(name)));
                }
                Subject::Link { from, to } => {
                    let law = message(wanted, series, from, to, Some(mode));
                    let (from, to) = (quoted(from), quoted(to));
                    line_of(out, format_args!("  {{ state = {state}, from = {from}, to = {to}, time = {law} }},"));
                }
            }
        }
    }
    line_of(out, format_args!("]"));
}

fn write_level(out: &mut String, level: &Observed) {
    line_of(out, format_args!("\n[level]  # how the processes slowed down together, in windows of time"));
    line_of(out, format_args!("times_s = {}\nend_s = {:?}", numbers(&level.times_s), level.end_s));
    let (factors, variances) = (numbers(&level.log_factor), numbers(&level.variance));
    line_of(out, format_args!("log_factor = {factors}\nvariance = {variances}\nmessages = {}", level.messages));
}

fn write_pilot(out: &mut String, all: &[Series], pilot: &Pilot) {
    let names = process_names(all).zip(&pilot.factors);
    let factors: Vec<String> = names.map(|(name, factor)| format!("{} = {factor:.6}", quoted(name))).collect();
    line_of(out, format_args!("\n[pilot]  # times in the real loop, against those of independent ones"));
    line_of(out, format_args!("factor = {{ {} }}", factors.join(", ")));
    if pilot.messages != 1.0 {
        line_of(out, format_args!("messages = {:.6}", pilot.messages));
    }
    line_of(out, format_args!("log_sd = {:.6}", pilot.log_sd));
}

fn write_operator(out: &mut String, operator: &OperatorTable) {
    let list = |pieces: &[usize]| {
        let cells: Vec<String> = pieces.iter().map(usize::to_string).collect();
        format!("[{}]", cells.join(", "))
    };
    match operator {
        OperatorTable::Matrix { path, pieces } => {
            line_of(out, format_args!("\n[operator]\nmatrix = {}\npieces = {}", quoted(path), list(pieces)));
        }
        OperatorTable::Polynomial { variables, seed, pieces } => {
            let polynomial = format!("{{ variables = {variables}, seed = {seed} }}");
            line_of(out, format_args!("\n[operator]\npolynomial = {polynomial}\npieces = {}", list(pieces)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::modes::{self, FitOptions};
    use crate::sample::series::series_of;
    use crate::sample::table::Samples;

    fn samples(text: &str) -> Vec<Series> {
        series_of(
            &Samples::read("s.csv", format!("kind,process,peer,start_s,time_s\n{text}").as_bytes()).expect("good"),
        )
    }

    #[test]
    fn the_widest_law_spans_25_ticks() {
        let series = samples("update,a,,0,0.5\nupdate,a,,1,1.5\nmessage,a,b,0,0.1\nmessage,a,b,0,0.2\n");
        // (1.5 - 0.5) * 0.999 / 25
        assert_eq!(step_s(&series), Some(0.039));
        // Messages are wide, updates short: an update takes a tick at least.
        let series = samples("update,a,,0,0.0125\nmessage,a,b,0,0.1\nmessage,a,b,0,9.2\n");
        assert_eq!(step_s(&series), Some(0.012));
        assert_eq!(step_s(&samples("update,a,,0,1\nupdate,b,,0,1\n")), Some(0.04));
        assert_eq!(step_s(&samples("update,a,,0,0\nupdate,b,,0,1\n")), None);
    }

    #[test]
    fn the_file_is_toml_and_names_every_law() {
        let mut text = String::new();
        for (from, to) in [("a", "b"), ("b", "a")] {
            text.push_str(&format!("update,{from},,0,0.5\nupdate,{from},,1,1.5\nmessage,{from},{to},0,0.1\n"));
        }
        let operator = OperatorTable::Matrix { path: "m \"1\".mtx".to_owned(), pieces: vec![2, 3] };
        let wanted = Wanted {
            samples: "../s.csv".to_owned(),
            operator: Some(operator),
            comment: vec!["measured".to_owned()],
            ..Wanted::default()
        };
        let file = super::text(&samples(&text), &wanted).expect("times");
        let read: toml::Table = file.parse().expect("TOML");
        assert_eq!(read["wavefront"]["step"].as_str(), Some("39ms"));
        assert!(read["wavefront"].get("rho").is_none());
        assert_eq!(read["process"].as_array().map(Vec::len), Some(2));
        let law = &read["process"][1]["update"];
        assert_eq!((law["samples"].as_str(), law["where"]["process"].as_str()), (Some("../s.csv"), Some("b")));
        let link = &read["network"]["link"][0];
        assert_eq!((link["from"].as_str(), link["time"]["where"]["peer"].as_str()), (Some("a"), Some("b")));
        assert!(read["network"].get("default").is_none());
        assert_eq!(read["operator"]["matrix"].as_str(), Some("m \"1\".mtx"));
        assert_eq!(read["operator"]["pieces"][1].as_integer(), Some(3));
    }

    /// As the commands read a model, with the table at hand.
    fn model(file: &str, table: &Samples) -> crate::model::Read {
        let mut lookup = |path: &std::path::Path| {
            assert_eq!(path, std::path::Path::new("s.csv"));
            Ok(table.to_csv().into_bytes())
        };
        crate::model::read(file, "m.toml", &mut lookup, &crate::model::Overrides::default()).expect("a model")
    }

    #[test]
    fn the_model_has_the_means_of_the_samples() {
        let mut random = runcast_core::random::SplitMix::new(1, 0);
        let mut text = String::from("kind,process,peer,start_s,time_s\n");
        for index in 0..3000 {
            let mut time = |least: f64, most: f64| least + (most - least) * random.uniform();
            let (a, b, there, back) = (time(1e-3, 2e-3), time(1e-3, 4e-3), time(1e-5, 3e-5), time(2e-4, 6e-4));
            text.push_str(&format!("update,a,,{index},{a}\nupdate,b,,{index},{b}\n"));
            text.push_str(&format!("message,a,b,{index},{there}\nmessage,b,a,{index},{back}\n"));
        }
        let table = Samples::read("s.csv", text.as_bytes()).expect("good");
        let series = series_of(&table);
        let file = super::text(&series, &Wanted { samples: "s.csv".to_owned(), ..Wanted::default() }).expect("times");
        assert!(!file.contains("clip"), "no message is far from the others: {file}");
        let model = model(&file, &table).model;
        assert!((model.step_s - 1.1e-4).abs() < 1e-12, "{}", model.step_s);
        let laws = &model.modes.laws[0];
        let ticks =
            [laws.update[0].mean(), laws.update[1].mean(), laws.message[0][1].mean(), laws.message[1][0].mean()];
        for (ticks, series) in ticks.into_iter().zip(&series) {
            let mean_s = crate::sample::Summary::of(series).mean_s;
            assert!((ticks * model.step_s / mean_s - 1.0).abs() < 1e-5, "{}", series.subject.name());
        }
    }

    #[test]
    fn rare_late_messages_are_clipped() {
        let mut text = String::from("update,a,,0,1\nupdate,b,,0,1\n");
        for index in 0..2000 {
            let there = if index == 7 { 9.0 } else { 1.0 + f64::from(index % 10) / 10.0 };
            text.push_str(&format!("message,a,b,{index},{there}\nmessage,b,a,{index},1.{}\n", index % 10));
        }
        let wanted = Wanted { samples: "s.csv".to_owned(), ..Wanted::default() };
        let read: toml::Table = super::text(&samples(&text), &wanted).expect("times").parse().expect("TOML");
        let links = &read["network"]["link"];
        assert_eq!(links[0]["time"]["clip"].as_float(), Some(0.999));
        assert!(links[1]["time"].get("clip").is_none());
    }

    #[test]
    fn modes_override_the_laws_that_they_change() {
        let mut text = String::new();
        for index in 0..1000 {
            let is_busy = (index / 250) % 2 == 1;
            let time = if is_busy { 3.0 } else { 1.0 } + 0.001 * f64::from(index % 7);
            text.push_str(&format!(
                "update,a,,{index},{time}\nupdate,b,,{index},1\nmessage,a,b,{},0.1\n",
                5000 + index
            ));
        }
        let text = format!("kind,process,peer,start_s,time_s\n{text}");
        let mut table = Samples::read("s.csv", text.as_bytes()).expect("good");
        let series = series_of(&table);
        let modes = modes::fit(&series, &FitOptions { modes: 2, window: 10, seed: 0 }).expect("modes");
        let wanted = Wanted { samples: "s.csv".to_owned(), modes: Some(&modes), ..Wanted::default() };
        let file = super::text(&series, &wanted).expect("times");
        modes.label(&series, &mut table);
        let model = model(&file, &table).model;
        assert_eq!(model.modes.names, ["calm", "busy"]);
        assert_eq!(model.modes.transition, modes.transition);
        let slow = |mode: usize| model.modes.laws[mode].update[0].mean() * model.step_s;
        assert!((slow(0) - 1.003).abs() < 0.002 && (slow(1) - 3.003).abs() < 0.002, "{} {}", slow(0), slow(1));
        let read: toml::Table = file.parse().expect("TOML");
        assert_eq!(read["process"][0]["update"]["where"]["mode"].as_str(), Some("calm"));
        let mode = &read["modes"][0];
        assert_eq!(mode["override"].as_array().map(Vec::len), Some(2), "messages were measured at another time");
        assert_eq!(mode["override"][0]["update"]["where"]["mode"].as_str(), Some("busy"));
        let row: f64 = mode["Q"][0].as_array().expect("a row").iter().filter_map(toml::Value::as_float).sum();
        assert!((row - 1.0).abs() < 1e-12);
        assert!(read["network"]["link"][0]["time"]["where"].get("mode").is_none());
        assert!(read["network"].get("default").is_some(), "nothing is known from b to a");
    }
}
