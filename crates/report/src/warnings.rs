//! What to do about warnings.

use crate::page::{Block, Notice};
use runcast_core::Warning;

/// What a reader can do about a warning, by its code.
pub fn remedy(code: &str) -> &'static str {
    match code {
        "extrapolation" => {
            "Read the range rather than the value, and measure closer to the target; `runcast advise next` suggests which run narrows the range most."
        }
        "far" => "Measure larger configurations: this far out the form of the model itself may change.",
        "few_runs" => "Run the program again, at least three times in all: a single run cannot show how runs differ.",
        "few_points" => "Measure at least four configurations; with two or three, no model can be checked.",
        "disagree" => {
            "The parts of the model disagree: measure a larger configuration, or check whether the program changes its behavior along the way."
        }
        "collinear" => "Measure configurations in which the parameters do not grow together.",
        "off_line" => "Choose targets where the problem size follows the processes as in the measured runs.",
        "not_identifiable" => "Measure a second line of problem sizes: the runs cannot separate size from processes.",
        "nonpositive" => "Choose another model; this one becomes zero or negative at the target.",
        "mixed_regime" => "Leave out the runs inside one node (`--regime drop`) or measure more of one kind.",
        "high_leverage" => "One run decides the prediction: measure near it, or leave it out (`--min-p`) and compare.",
        "repetition_outlier" => "Look at the run in the named line; `--drop-outliers` drops it.",
        "superlinear" => {
            "Efficiency would exceed every measured one: measure the next larger configuration before trusting this."
        }
        "unit_assumed" => "Name the unit: `--metric time:s`, or call the column `time_s`.",
        "missing_metric" => "Fill in the empty cells or drop the rows.",
        "level_capped" => "Ask for a lower `--level`: there are not enough calibration runs for this one.",
        "log_terms_off" => "Parameters below one exclude logarithms: give the parameter in smaller units.",
        "outlier_suspected" => "Look at that run, or repeat it; `--loss l1` gives the curve that does not follow it.",
        "boundary_not_seen" => "Measure with more workers: so far, none of them adds measurable time.",
        "undetermined" => "Measure numbers of workers whose largest blocks differ.",
        "in_gap" => "Measure between the two values next to the break: `suggest` of `runcast llac` says where.",
        "unstable" => "Measure more configurations around the breaks, and more repetitions.",
        "ill_conditioned" => "Vary the parameters independently, or drop a term.",
        "underdetermined" => "Measure more configurations: there are fewer of them than constants.",
        "negative" => "Drop a term from the formula, or add the one that is missing.",
        "unused_parameter" => "Add it to the formula, or use only runs in which it is constant.",
        "no_rate" => "Give the model `rho`, or the matrix of the iteration as its [operator].",
        "no_contraction" => "The Lyapunov rate holds for the schedules drawn here, not for every schedule.",
        "simulated" => "Raise --max-states, or use a coarser --step, to solve it exactly.",
        "several_classes" => "Look at each class on its own; the start offsets decide between them.",
        "time_normal" => "Ask for fewer phases or a coarser step, if the far tail matters.",
        "binning" | "binned_up" => "Use a finer `step`, or `bin = \"split\"`.",
        "clipped" => "Raise `clip` or `upper`, if rare long times matter.",
        "truncated" | "incomplete_trace" | "damaged_head" => "Run the program again if the lost rows matter.",
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
