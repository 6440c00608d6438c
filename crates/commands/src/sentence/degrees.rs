//! Synchronous or asynchronous?

use crate::human;
use crate::wavefront::solve::document::{DegreeEntry, Document};

/// `Asynchronous (2/1) is 1.4 times faster (1.2 to 1.6) for 6 digits.` None where no degrees were compared.
pub fn of(document: &Document) -> Option<String> {
    let (degrees, ranking) = (document.degrees.as_ref()?, document.ranking.as_ref()?);
    let find = |name: &String| degrees.iter().find(|degree| degree.name == *name);
    let order: Vec<&DegreeEntry> = ranking.order.iter().filter_map(find).collect();
    let [best, others @ ..] = order.as_slice() else {
        let reason = ranking.reason.as_deref().unwrap_or("no degree has a time");
        return Some(format!("Nothing says which is faster: {reason}."));
    };
    // What is asked is one against the other: the first that is not of the same kind.
    let other = others.iter().find(|other| is_synchronous(other) != is_synchronous(best)).or(others.first())?;
    let place = order.iter().position(|degree| degree.name == other.name).unwrap_or(0);
    let digits = format!(" for {} digits", human::significant(document.model.omega, 3));
    if ranking.tied.iter().take(place + 1).skip(1).all(|tied| *tied) {
        return Some(format!("Too close to call: {} and {}{digits}.", lowered(best), lowered(other)));
    }
    let [fast, slow] = [interval(best)?, interval(other)?];
    let ratio = slow.1 / fast.1;
    let range = match (fast.0, slow.0) {
        (None, None) => " (without a range: it was solved exactly)".to_owned(),
        _ => {
            let [fast, slow] = [(fast.0, fast.1), (slow.0, slow.1)].map(|(ends, time)| ends.unwrap_or([time; 2]));
            let [low, high] = [slow[0] / fast[1], slow[1] / fast[0]].map(|end| human::significant(end, 3));
            format!(" ({low} to {high})")
        }
    };
    let (name, against) = (raised(best), against(best, other));
    Some(format!("{name} is {} times faster{against}{range}{digits}.", human::significant(ratio, 3)))
}

/// The other one, where it does not go without saying.
fn against(best: &DegreeEntry, other: &DegreeEntry) -> String {
    let goes_without_saying = is_synchronous(other) && !is_synchronous(best) && is_all(&other.alpha_updates, 1);
    if goes_without_saying { String::new() } else { format!(" than {}", lowered(other)) }
}

/// Both ends of the time, where they are known and closed, and the time itself.
fn interval(degree: &DegreeEntry) -> Option<(Option<[f64; 2]>, f64)> {
    let ends = degree.ci_time_s.and_then(|[low, high]| Some([low?, high?]));
    Some((ends, degree.estimates.operator.as_ref()?.estimate.time_s?))
}

fn is_all(each: &[u32], value: u32) -> bool {
    each.iter().all(|one| *one == value)
}

fn is_synchronous(degree: &DegreeEntry) -> bool {
    is_all(&degree.beta_updates, 0)
}

fn lowered(degree: &DegreeEntry) -> String {
    let updates = |each: &[u32]| crate::wavefront::solve::words::updates(each);
    match is_synchronous(degree) {
        true if is_all(&degree.alpha_updates, 1) => "synchronous".to_owned(),
        true => format!("synchronous with {} updates a phase", updates(&degree.alpha_updates)),
        false => format!("asynchronous ({}/{})", updates(&degree.alpha_updates), updates(&degree.beta_updates)),
    }
}

fn raised(degree: &DegreeEntry) -> String {
    lowered(degree).replacen("asynchronous", "Asynchronous", 1).replacen(
        "synchronous",
        "Synchronous",
        usize::from(is_synchronous(degree)),
    )
}
