//! The file of events that a rank leaves.

use runcast_core::Problem;

/// What a rank has recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub rank: usize,
    pub processes: usize,
    pub events: Vec<Event>,
}

/// Something that a rank did. Times are seconds since any moment.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A region has ended. `time_s` is without the cost of recording.
    Region { name: String, start_s: f64, end_s: f64, time_s: f64, values: Vec<(String, f64)> },
    /// A message, to a process of the current machine.
    Send { at_s: f64, to: usize, bytes: f64 },
    /// A synchronization begins.
    Wait { at_s: f64 },
    /// It has ended. Of receives one after another (`joins`) each adds to the superstep.
    Sync { at_s: f64, barrier: bool, joins: bool },
    /// The current machine is split at cumulative ends; the rank is now in its part.
    Partition { at_s: f64, ends: Vec<usize> },
    /// Back in the machine that was split.
    Done { at_s: f64 },
    /// What supersteps do not say.
    Unlearned { at_s: f64, what: String },
}

impl Recorded {
    /// Reads a file of events. A last line that is cut off is left out.
    ///
    /// # Errors
    /// `not_events`: it does not begin as such a file; `bad_line`: a line is none of an event.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problem> {
        let mut lines = text.split_inclusive('\n').enumerate();
        let head = lines.next().map(|(_, line)| line).unwrap_or_default();
        let (rank, processes) = header(head).ok_or_else(|| {
            let problem = Problem::new("not_events", "this is no record of supersteps").in_file(file);
            problem.allowed("a file NAME.bsp.RUN.rRANK.txt that CLL_BSP=1 leaves").value(head.trim_end())
        })?;
        let mut events = Vec::new();
        for (number, line) in lines.filter(|(_, line)| line.ends_with('\n')) {
            let event = event(line.trim_end()).ok_or_else(|| {
                let problem = Problem::new("bad_line", "this line is no event of a superstep").in_file(file);
                Problem { line: Some(number as u64 + 1), ..problem.value(line.trim_end()) }
            })?;
            events.push(event);
        }
        Ok(Recorded { rank, processes, events })
    }
}

fn header(line: &str) -> Option<(usize, usize)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["#", "cll-bsp:", "1", "rank", rank, "processes", processes] = words[..] else { return None };
    let (rank, processes): (usize, usize) = (rank.parse().ok()?, processes.parse().ok()?);
    (rank < processes && processes <= 1 << 22).then_some((rank, processes))
}

fn seconds(word: &str) -> Option<f64> {
    word.parse::<u64>().ok().map(|nanoseconds| nanoseconds as f64 * 1e-9)
}

fn event(line: &str) -> Option<Event> {
    let mut words = line.split(' ');
    let at_s = seconds(words.next()?)?;
    let kind = words.next()?;
    let mut count = || words.next()?.parse::<usize>().ok();
    match kind {
        "S" => Some(Event::Send { at_s, to: count()?, bytes: count()? as f64 }),
        "W" => Some(Event::Wait { at_s }),
        "D" => Some(Event::Done { at_s }),
        "Y" => match words.next()? {
            "barrier" => Some(Event::Sync { at_s, barrier: true, joins: false }),
            "oblivious" => Some(Event::Sync { at_s, barrier: false, joins: false }),
            "received" => Some(Event::Sync { at_s, barrier: false, joins: true }),
            _ => None,
        },
        "U" => Some(Event::Unlearned { at_s, what: words.collect::<Vec<_>>().join(" ") }),
        "P" => {
            let ends: Vec<usize> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
            let rising = ends.first().is_some_and(|&first| first > 0) && ends.windows(2).all(|pair| pair[0] < pair[1]);
            rising.then_some(Event::Partition { at_s, ends })
        }
        "R" => {
            let name = words.next()?.to_owned();
            let start_s = seconds(words.next()?)?;
            let time_s = words.next()?.parse::<f64>().ok().filter(|time| time.is_finite())? * 1e-9;
            let names = words.next()?.split(',').filter(|name| *name != "-");
            let numbers = words.map(|word| word.parse::<f64>().ok().filter(|number| number.is_finite()));
            let values: Option<Vec<(String, f64)>> =
                names.zip(numbers).map(|(name, number)| Some((name.to_owned(), number?))).collect();
            Some(Event::Region { name, start_s, end_s: at_s, time_s, values: values? })
        }
        _ => None,
    }
}
