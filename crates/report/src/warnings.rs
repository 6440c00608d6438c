//! What to do about warnings.

use crate::page::{Block, Notice};
use runcast_core::Warning;

/// What a reader can do about a warning, by its code.
pub fn remedy(code: &str) -> &'static str {
    match code {
        "extrapolation" => {
            "Read the range rather than the value, and measure closer to the target; `runcast advise next` tells which run narrows the range most."
        }
        "few_points" => "Measure at least four configurations; with two or three, no model can be checked.",
        "disagree" => {
            "The parts of the model tell different stories: measure a larger configuration, or look whether the program changes its behavior on the way."
        }
        "collinear" => "Measure configurations in which the parameters do not grow together.",
        "off_line" => "Choose targets where the problem size follows the processes as in the measured runs.",
        "not_identifiable" => "Measure a second line of problem sizes: the runs cannot tell size from processes.",
        "nonpositive" => "Choose another model; this one becomes zero or negative at the target.",
        "mixed_regime" => "Leave out the runs inside one node (`--regime drop`) or measure more of one kind.",
        "high_leverage" => "One run decides the prediction: measure near it, or leave it out (`--min-p`) and compare.",
        "repetition_outlier" => "Look at the run in the line that is named; `--drop-outliers` leaves it out.",
        "superlinear" => {
            "Efficiency would exceed all that was measured: measure the next larger configuration before trusting this."
        }
        "unit_assumed" => "Name the unit: `--metric time:s`, or call the column `time_s`.",
        "missing_metric" => "Fill in the empty cells or leave out the rows.",
        "level_capped" => "Ask for a lower `--level`: there are not enough calibration runs for this one.",
        "log_terms_off" => "Parameters below one leave no logarithms: give the parameter in smaller units.",
        "outlier_suspected" => "Look at that run, or repeat it; `--loss l1` gives the curve that does not follow it.",
        "boundary_not_seen" => "Measure with more workers: up to here, none of them costs time that can be seen.",
        "undetermined" => "Measure numbers of workers whose largest blocks differ.",
        "in_gap" => "Measure between the two values next to the break: `suggest` of `runcast llac` says where.",
        "unstable" => "Measure more configurations around the breaks, and more repetitions.",
        "ill_conditioned" => "Vary the parameters apart from each other, or leave a term out.",
        "underdetermined" => "Measure more configurations: there are fewer than constants.",
        "negative" => "Leave a term out of the formula, or add the one that is missing.",
        "unused_parameter" => "Add it to the formula, or take the runs in which it is constant.",
        "no_rate" => "Give the model `rho`, or the matrix of the iteration as its [operator].",
        "no_contraction" => "Read the rate by Lyapunov as that of the schedules drawn here, not of every schedule.",
        "simulated" => "Raise --max-states, or take a coarser --step, to have it solved exactly.",
        "several_classes" => "Look at each class on its own; the start offsets decide between them.",
        "time_normal" => "Ask for fewer phases or a coarser step, if the far tail matters.",
        "binning" | "binned_up" => "Take a finer `step`, or `bin = \"split\"`.",
        "clipped" => "Raise `clip` or `upper`, if rare long times matter.",
        "truncated" | "incomplete_trace" | "damaged_head" => "Run the program again, if what was lost matters.",
        _ => "",
    }
}

/// A block for every warning; many of one code become one block with the first and a count.
pub fn blocks(warnings: &[Warning]) -> Vec<Block> {
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for warning in warnings {
        match seen.iter_mut().find(|(code, _)| *code == warning.code) {
            Some((_, count)) => *count += 1,
            None => seen.push((&warning.code, 1)),
        }
    }
    let mut blocks = Vec::new();
    for (code, count) in seen {
        let of_code = warnings.iter().filter(|warning| warning.code == code);
        let shown = if count > 3 { 2 } else { count };
        let mut sentences: Vec<String> = of_code.take(shown).map(sentence).collect();
        if count > shown {
            sentences.push(format!("And {} more of this kind.", count - shown));
        }
        let notice = Notice { code: code.to_owned(), message: sentences.join(" "), remedy: remedy(code).to_owned() };
        blocks.push(Block::Warning(notice));
    }
    blocks
}

fn sentence(warning: &Warning) -> String {
    let place = match (&warning.file, warning.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, Some(line)) => format!("line {line}: "),
        (None, None) => String::new(),
    };
    let stop = if warning.message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{place}{}{stop}", warning.message)
}
