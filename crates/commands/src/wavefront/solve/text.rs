//! The answer for people: the time first, then what holds it up, the comparison, the phase, and how it was found.

use super::document::{DegreeEntry, Document, Estimate, ModelEntry, TimeEntry, WavefrontEntry};
use super::words::{alike, percent, seconds, sentence_of_degrees, spoken, updates, wrapped};
use crate::context::Screen;
use crate::human::{DASH, Table, count, significant};
use runcast_wavefront::solve::growth::OperatorKind;
use runcast_wavefront::solve::sensitivity::Sensitivity;
use runcast_wavefront::solve::solution::Method;
use runcast_wavefront::solve::time::TimeMethod;

/// Links shown at most; the others matter less.
const MOST_LINKS: usize = 6;
/// Of more processes than this, those that matter most are shown.
const MOST_PROCESSES: usize = 12;
/// Times the mean share that a process must have to stand out.
const STANDS_OUT: f64 = 1.1;
/// Estimates of a rate to so many digits.
const DIGITS: usize = 4;

/// The answer for people.
pub(super) fn text(document: &Document, shows_wavefronts: bool, screen: Screen) -> String {
    let parts = [
        format!("{}\n", title(&document.model)),
        comparison(document, screen),
        answer(document),
        document.time.as_ref().map(|time| law(time, screen)).unwrap_or_default(),
        limits(document, screen),
        estimates(document, screen),
        phase(document),
        if shows_wavefronts {
            wavefronts(&document.model, &document.wavefront, usize::MAX, screen)
        } else {
            String::new()
        },
        how(document),
        classes(document, screen),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// `lab: 3 processes, abort, A = 1, B = 1`
pub(crate) fn title(model: &ModelEntry) -> String {
    let mut title = format!(
        "{}: {}, {}, A = {}, B = {}",
        model.name.as_deref().unwrap_or("model"),
        count(model.processes, "process", "processes"),
        model.semantics,
        updates(&model.alpha_updates),
        updates(&model.beta_updates)
    );
    if !model.modes.is_empty() {
        title.push_str(&format!(", {}", count(model.modes.len(), "mode", "modes")));
    }
    title
}

pub(crate) fn answer(document: &Document) -> String {
    let (name, estimate) = document.estimates.to_go_by();
    let digits = significant(document.model.omega, DIGITS);
    let (Some(time_s), Some(phases)) = (estimate.time_s, estimate.phases) else {
        let mut text = format!("A phase takes {} on average", seconds(document.phase_mean_s));
        text.push_str(&match document.model.contraction_log10 {
            None if document.estimates.operator.is_some() => format!(
                "; that they gain {digits} digits is not assured, since the spectral radius of |M| is not below 1.\n"
            ),
            None => format!("; how many of them gain {digits} digits is not known without rho or an operator.\n"),
            Some(_) => format!("; the rate to {digits} digits is not defined.\n"),
        });
        return text;
    };
    let spread = |sd_s: Option<f64>| sd_s.map_or_else(|| DASH.to_owned(), |sd_s| alike(time_s, sd_s));
    let by = match name {
        "operator" => "what the operator gains in a phase".to_owned(),
        _ => "one contraction a phase (average case)".to_owned(),
    };
    let mut text = format!(
        "{} on average to gain {digits} digits, standard deviation {}\n",
        seconds(time_s),
        spread(estimate.sd_autocov_s)
    );
    text.push_str(&format!("{} phases of {}, by {by}\n", significant(phases, DIGITS), seconds(document.phase_mean_s)));
    let published = estimate.sd_published_s.or(document.estimates.average.sd_published_s);
    text.push_str(&format!(
        "standard deviation as published, as if phases were independent: {}; at a fixed number of phases: {}\n",
        spread(published),
        spread(document.sd_fixed_phases_s)
    ));
    text
}

/// The law of the time.
fn law(time: &TimeEntry, screen: Screen) -> String {
    let how = match time.method {
        TimeMethod::Exact => "exact law",
        TimeMethod::Normal => "normal law with that spread",
        TimeMethod::MonteCarlo => "simulated runs",
        TimeMethod::LevelNormal | TimeMethod::LevelRecursion => "processes slow down together",
    };
    let mut text = format!(
        "Time of {}: {} on average, standard deviation {} ({how})\n",
        count(usize::try_from(time.phases).unwrap_or(usize::MAX), "phase", "phases"),
        seconds(time.mean_s),
        time.sd_s.map_or_else(|| DASH.to_owned(), |sd_s| alike(time.mean_s, sd_s))
    );
    let mut table = Table::new().number("of all runs").text("end within");
    for quantile in &time.quantiles {
        table.row([percent(quantile.q), alike(time.mean_s, quantile.time_s)]);
    }
    if !table.is_empty() {
        text.push_str(&table.render(screen));
    }
    for tail in &time.tails {
        let bound = tail.chernoff.map(|bound| format!(" (at most {} by Chernoff)", percent(bound)));
        text.push_str(&format!(
            "longer than {}: {}{}\n",
            alike(time.mean_s, tail.threshold_s),
            percent(tail.probability),
            bound.unwrap_or_default()
        ));
    }
    text
}

/// The degrees with one recommendation, or why there is none.
fn comparison(document: &Document, screen: Screen) -> String {
    let (Some(degrees), Some(_)) = (&document.degrees, &document.ranking) else { return String::new() };
    let mut table = Table::new().text("degree").text("A").text("B").number("phase").number("iterations");
    let named = document.degrees.iter().flatten().next().map(|degree| degree.estimates.named()).unwrap_or_default();
    for (name, _) in &named {
        table = table.number(*name);
    }
    let sampled = degrees.iter().any(|degree| degree.ci_time_s.is_some());
    if sampled {
        table = table.number("interval");
    }
    let unit_s = shortest(degrees);
    for degree in degrees {
        let mut row = vec![
            spoken(degree),
            updates(&degree.alpha_updates),
            updates(&degree.beta_updates),
            seconds(degree.phase_mean_s),
            significant(degree.iterations_mean, DIGITS),
        ];
        row.extend(
            degree
                .estimates
                .named()
                .iter()
                .map(|(_, estimate)| estimate.time_s.map_or(DASH.to_owned(), |time_s| alike(unit_s, time_s))),
        );
        if sampled {
            row.push(degree.ci_time_s.map_or(DASH.to_owned(), |ends| interval(unit_s, ends)));
        }
        table.row(row);
    }
    format!("{}\n{}", wrapped(&sentence_of_degrees(document)), table.render(screen))
}

/// The shortest time to go by; the others are shown in its unit.
pub(crate) fn shortest(degrees: &[DegreeEntry]) -> f64 {
    let times = degrees.iter().filter_map(|degree| degree.estimates.to_go_by().1.time_s);
    times.reduce(f64::min).unwrap_or(0.0)
}

fn interval(unit_s: f64, ends: [Option<f64>; 2]) -> String {
    let [low, high] = ends.map(|end| end.map(|end_s| alike(unit_s, end_s)));
    match (low, high) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("{low} or more"),
        (None, Some(high)) => format!("up to {high}"),
        (None, None) => DASH.to_owned(),
    }
}

/// What holds a run up.
fn limits(document: &Document, screen: Screen) -> String {
    let Some(found) = &document.sensitivity else { return String::new() };
    let mut text = format!("{}\n", limit(found));
    let gain = |gain_s: Option<f64>| gain_s.map_or_else(|| DASH.to_owned(), seconds);
    let mut table = Table::new().text("process").number("critical").number("waits for none");
    table = table.number("time a phase").number("10 % faster saves");
    let mut processes: Vec<_> = found.processes.iter().collect();
    if processes.len() > MOST_PROCESSES {
        processes.sort_by(|a, b| b.critical_share.total_cmp(&a.critical_share));
    }
    for process in processes.iter().take(MOST_PROCESSES) {
        table.row([
            process.name.clone(),
            percent(process.critical_share),
            percent(process.own_share),
            seconds(process.critical_time_s),
            gain(process.gain_s),
        ]);
    }
    text.push_str(&table.render(screen));
    if processes.len() > MOST_PROCESSES {
        text.push_str(&format!("and {} more\n", count(processes.len() - MOST_PROCESSES, "process", "processes")));
    }
    let mut links: Vec<_> = found.links.iter().collect();
    links.sort_by(|a, b| b.critical_share.total_cmp(&a.critical_share));
    let mut table = Table::new().text("link").number("critical").number("time a phase").number("10 % faster saves");
    for link in links.iter().take(MOST_LINKS) {
        table.row([
            format!("{} to {}", link.from, link.to),
            percent(link.critical_share),
            seconds(link.critical_time_s),
            gain(link.gain_s),
        ]);
    }
    if !table.is_empty() {
        text.push('\n');
        text.push_str(&table.render(screen));
    }
    if links.len() > MOST_LINKS {
        text.push_str(&format!("and {} more\n", count(links.len() - MOST_LINKS, "link", "links")));
    }
    if found.overrun_time_s > 0.0 {
        text.push_str(&format!("overruns of updates: {} a phase\n", seconds(found.overrun_time_s)));
    }
    text
}

fn estimates(document: &Document, screen: Screen) -> String {
    if document.estimates.named().iter().all(|(_, estimate)| estimate.rate_per_iteration.is_none()) {
        return String::new();
    }
    let table = Table::new().text("estimate").number("digits a phase").number("phases").number("time");
    let mut table = table.number("sd").number("sd as published");
    let unit_s = document.estimates.to_go_by().1.time_s.unwrap_or(0.0);
    for (names, estimate) in document.estimates.merged() {
        table.row(row(&names, estimate, unit_s));
    }
    let mut text = table.render(screen);
    if let Some(operator) = &document.estimates.operator {
        let kind = match operator.kind {
            OperatorKind::Lyapunov => "the growth of a long random product (Lyapunov)",
            OperatorKind::FirstMoment => "the growth of the first moment",
        };
        let interval = operator.ci_rate_per_phase.map(|[low, high]| {
            format!(", {} to {} digits a phase", significant(low, DIGITS), significant(high, DIGITS))
        });
        text.push_str(&format!("operator: by {kind}{}\n", interval.unwrap_or_default()));
    }
    text
}

fn row(name: &str, estimate: &Estimate, unit_s: f64) -> [String; 6] {
    let number = |value: Option<f64>| value.map_or_else(|| DASH.to_owned(), |value| significant(value, DIGITS));
    let time = |value: Option<f64>| value.map_or_else(|| DASH.to_owned(), |value| alike(unit_s, value));
    [
        name.to_owned(),
        number(estimate.rate_per_phase),
        number(estimate.phases),
        time(estimate.time_s),
        time(estimate.sd_autocov_s),
        time(estimate.sd_published_s),
    ]
}

/// One phase in the long run.
pub(crate) fn phase(document: &Document) -> String {
    let first = document.model.process_names.first().map_or("process 1", String::as_str);
    let mut text = format!(
        "A phase: {} on average, standard deviation {} on {first}\n",
        seconds(document.phase_mean_s),
        seconds(document.phase_var_s2.max(0.0).sqrt())
    );
    let number = |value: f64| significant(value, DIGITS);
    let is_constant = document.iterations_min == document.iterations_max;
    text.push_str(&match document.iterations_mean_ties {
        Some(ties) if is_constant && ties.counts == ties.discards => {
            format!("Iterations a phase: {}, whether ties count or not\n", number(ties.counts))
        }
        None if is_constant => format!("Iterations a phase: {}\n", number(document.iterations_mean)),
        Some(ties) => format!(
            "Iterations a phase: {} if an update that ends with the last message counts, {} if not; {} to {}\n",
            number(ties.counts),
            number(ties.discards),
            document.iterations_min,
            document.iterations_max
        ),
        None => format!(
            "Iterations a phase: {} on average, {} to {}\n",
            number(document.iterations_mean),
            document.iterations_min,
            document.iterations_max
        ),
    });
    let names = document.model.process_names.iter();
    let each = names.zip(&document.updates_mean).map(|(name, mean)| format!("{name} {}", number(*mean)));
    let each: Vec<String> = each.take(20).collect();
    let more = document.updates_mean.len() - each.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    text.push_str(&format!("Updates a phase: {}{rest}\n", each.join(", ")));
    text.push_str(&format!("Speed: {} iterations a second\n", number(document.speed_per_s)));
    text
}

/// Wavefronts with how often they are seen, each with its first `most` processes.
pub(crate) fn wavefronts(model: &ModelEntry, wavefronts: &[WavefrontEntry], most: usize, screen: Screen) -> String {
    let has_modes = !model.modes.is_empty();
    let mut table = Table::new().text("wavefront (ticks)");
    if has_modes {
        table = table.text("mode");
    }
    table = table.number("how often");
    for wavefront in wavefronts {
        let shown = wavefront.x_ticks.iter().take(most).map(i64::to_string).collect::<Vec<_>>().join(", ");
        let rest = if wavefront.x_ticks.len() > most { ", .." } else { "" };
        let mut row = vec![format!("{shown}{rest}")];
        if has_modes {
            row.push(wavefront.mode.clone().unwrap_or_default());
        }
        row.push(percent(wavefront.prob));
        table.row(row);
    }
    table.render(screen)
}

/// By which method, why, and what the chain is like.
pub(crate) fn how(document: &Document) -> String {
    let method = if document.method == Method::Exact { "Exact" } else { "Monte-Carlo" };
    let mut text = format!("{method}: {}\n", document.why);
    let states = &document.states;
    if let (Some(reachable), Some(recurrent)) = (states.reachable, states.recurrent) {
        let solved = states.solved.filter(|solved| *solved != reachable);
        let solved = solved.map_or(String::new(), |solved| format!(", {solved} after lumping"));
        let period = states.period.filter(|period| *period > 1);
        let period = period.map_or(String::new(), |period| format!(", period {period}"));
        let reachable = count(usize::try_from(reachable).unwrap_or(usize::MAX), "state", "states");
        text.push_str(&format!("{reachable}, {recurrent} recurrent{solved}{period}\n"));
    }
    if let Some((level, half_s)) = document.ci.as_ref().and_then(|ci| Some((ci.level, ci.half_width("phase_mean_s")?)))
    {
        text.push_str(&format!(
            "The mean phase is known to within {} ({} interval)\n",
            seconds(half_s),
            percent(level)
        ));
    }
    text
}

/// The closed classes, where there are several.
fn classes(document: &Document, screen: Screen) -> String {
    if document.classes.len() < 2 {
        return String::new();
    }
    let table = Table::new().number("probability").number("states").number("period");
    let mut table = table.number("phase").number("iterations");
    for class in &document.classes {
        table.row([
            percent(class.weight),
            class.states.to_string(),
            class.period.to_string(),
            seconds(class.phase_mean_s),
            significant(class.iterations_mean, DIGITS),
        ]);
    }
    format!("Several closed classes: which of them it ends in is up to chance\n{}", table.render(screen))
}

/// `ws3 limits: 44 % of the critical path`
pub(crate) fn limit(found: &Sensitivity) -> String {
    let most = found.processes.iter().max_by(|a, b| a.critical_share.total_cmp(&b.critical_share));
    let Some(most) = most else { return String::new() };
    let share = whole_percent(most.critical_share);
    let processes = found.processes.len();
    match processes > 1 && most.critical_share * (processes as f64) < STANDS_OUT {
        true => format!("no process limits alone: each has about {share} of the critical path"),
        false => format!("{} limits: {share} of the critical path", most.name),
    }
}

/// `44 %`
fn whole_percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
