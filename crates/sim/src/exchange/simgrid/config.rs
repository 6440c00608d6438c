//! `<config>`: what a message costs by its size.

use super::xml::Element;
use crate::attributes::{Attribute, Attributes, Quality, Value};
use crate::platform::{Segment, Sending};
use runcast_core::Warning;

/// No limit: SimGrid has no word for it.
const NO_LIMIT: f64 = 9_007_199_254_740_992.0;
/// `smpi/send-is-detached-thresh` where the file has other `smpi/` properties, but not this one.
const DETACHED: f64 = 65_536.0;
/// Settings of the simulator that do not concern the platform, or that are as we are.
const PASSED_OVER: [&str; 3] = ["network/crosstraffic", "network/model", "cpu/model"];

/// What a file says about messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Messages {
    pub segments: Vec<Segment>,
    pub eager_limit: Option<f64>,
    pub detach_limit: Option<f64>,
    pub window: Option<f64>,
}

/// A step function by size: from each size on these numbers.
type Steps = Vec<(u64, Vec<f64>)>;

pub(super) fn read(platform: &Element, warn: &mut dyn FnMut(&Element, &'static str, String)) -> Messages {
    let mut messages = Messages::default();
    let mut steps: [Steps; 5] = Default::default();
    let mut any = false;
    for prop in platform.named("config").flat_map(|config| config.named("prop")) {
        let (Some(id), Some(value)) = (prop.get("id"), prop.get("value")) else { continue };
        any |= id.starts_with("smpi/");
        let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let taken = match id {
            "smpi/lat-factor" => parse(value, 1).map(|read| steps[0] = read),
            "smpi/bw-factor" => parse(value, 1).map(|read| steps[1] = read),
            "smpi/os" => parse(value, 2).map(|read| steps[2] = read),
            "smpi/or" => parse(value, 2).map(|read| steps[3] = read),
            "smpi/ois" => parse(value, 2).map(|read| steps[4] = read),
            "smpi/async-small-thresh" => number.map(|bytes| messages.eager_limit = Some(bytes)),
            "smpi/send-is-detached-thresh" => number.map(|bytes| messages.detach_limit = Some(bytes)),
            "network/TCP-gamma" => number.map(|bytes| messages.window = Some(bytes).filter(|bytes| *bytes > 0.0)),
            _ => {
                if !PASSED_OVER.contains(&id) {
                    warn(prop, "not_imported", format!("the setting {id} is left out"));
                }
                continue;
            }
        };
        if taken.is_none() {
            warn(prop, "not_imported", format!("the setting {id} is not understood: {value}"));
        }
    }
    if any {
        messages.segments = union(&steps);
        messages.eager_limit = Some(messages.eager_limit.unwrap_or(0.0)).filter(|limit| *limit < NO_LIMIT);
        messages.detach_limit = Some(messages.detach_limit.unwrap_or(DETACHED)).filter(|limit| *limit < NO_LIMIT);
        if let (Some(eager), Some(detach)) = (messages.eager_limit, messages.detach_limit)
            && eager > detach
        {
            messages.detach_limit = messages.eager_limit;
            warn(
                platform,
                "not_imported",
                "send-is-detached-thresh is below async-small-thresh: raised to it".to_owned(),
            );
        }
    }
    messages
}

/// `0:1.0;1420:1.6`, or with two numbers each `0:6e-6:1e-9`; `1.6` alone holds for all sizes.
fn parse(text: &str, numbers: usize) -> Option<Steps> {
    let mut steps = Steps::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let mut fields = part.split(':').map(str::trim);
        let is_bare = !part.contains(':');
        let from: f64 = if is_bare { 0.0 } else { fields.next()?.parse().ok()? };
        let mut values: Vec<f64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
        values.resize(numbers, 0.0);
        let fits = (0.0..NO_LIMIT).contains(&from) && values.iter().all(|value| value.is_finite() && *value >= 0.0);
        if !fits || numbers == 1 && values[0] <= 0.0 {
            return None;
        }
        steps.push((from as u64, values));
    }
    steps.sort_by_key(|step| step.0);
    steps.dedup_by_key(|step| step.0);
    (!steps.is_empty()).then_some(steps)
}

/// Segments at every size where something changes.
fn union(steps: &[Steps; 5]) -> Vec<Segment> {
    let mut sizes: Vec<u64> = steps.iter().flatten().map(|step| step.0).chain([0]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let at = |steps: &Steps, size: u64, index: usize, default: f64| {
        let after = steps.partition_point(|step| step.0 <= size);
        after.checked_sub(1).map_or(default, |before| steps[before].1[index])
    };
    // A file without them has non-blocking sends cost what blocking ones do.
    let isend = |from: u64, index: usize| (!steps[4].is_empty()).then(|| at(&steps[4], from, index, 0.0));
    let segment = |&from: &u64| Segment {
        from,
        latency_factor: at(&steps[0], from, 0, 1.0),
        bandwidth_factor: at(&steps[1], from, 0, 1.0),
        send_overhead_s: at(&steps[2], from, 0, 0.0),
        send_overhead_per_byte_s: at(&steps[2], from, 1, 0.0),
        recv_overhead_s: at(&steps[3], from, 0, 0.0),
        recv_overhead_per_byte_s: at(&steps[3], from, 1, 0.0),
        isend_overhead_s: isend(from, 0),
        isend_overhead_per_byte_s: isend(from, 1),
        persistent_overhead_s: None,
    };
    sizes.iter().map(segment).collect()
}

impl Messages {
    /// Those of a network.
    pub(super) fn of(segments: &[Segment], attributes: &Attributes) -> Self {
        Messages {
            segments: segments.to_vec(),
            eager_limit: attributes.get("eager_limit"),
            detach_limit: attributes.get("detach_limit"),
            window: attributes.get("window"),
        }
    }

    /// Gives a network its limits.
    pub(super) fn give(&self, attributes: &mut Attributes) {
        let limits = [("eager_limit", self.eager_limit), ("detach_limit", self.detach_limit), ("window", self.window)];
        for (key, value) in limits {
            if let Some(value) = value {
                let number = Value::Number(value);
                let attribute = Attribute {
                    value: number,
                    unit: "B".to_owned(),
                    quality: Quality::Given,
                    source: String::new(),
                    formula: None,
                };
                attributes.insert(key, attribute);
            }
        }
    }

    /// As properties of `<config>`.
    pub(super) fn write(&self) -> Vec<(&'static str, String)> {
        let mut props = Vec::new();
        let has_limits = self.eager_limit.is_some() || self.detach_limit.is_some();
        if !self.segments.is_empty() || has_limits {
            let all = |one: &dyn Fn(&Segment) -> String| {
                let parts: Vec<String> =
                    self.segments.iter().map(|segment| format!("{}:{}", segment.from, one(segment))).collect();
                parts.join(";")
            };
            if !self.segments.is_empty() {
                props.push(("smpi/lat-factor", all(&|segment| number(segment.latency_factor))));
                props.push(("smpi/bw-factor", all(&|segment| number(segment.bandwidth_factor))));
                let pair = |fixed: f64, per_byte: f64| format!("{}:{}", number(fixed), number(per_byte));
                props
                    .push(("smpi/os", all(&|segment| pair(segment.send_overhead_s, segment.send_overhead_per_byte_s))));
                props
                    .push(("smpi/or", all(&|segment| pair(segment.recv_overhead_s, segment.recv_overhead_per_byte_s))));
                if self.segments.iter().any(Segment::tells_sendings) {
                    let isend = |segment: &Segment, bytes| segment.send_overhead(Sending::Nonblocking, bytes);
                    let told = |segment: &Segment| pair(isend(segment, 0.0), isend(segment, 1.0) - isend(segment, 0.0));
                    props.push(("smpi/ois", all(&told)));
                }
            }
            let detach = self.detach_limit.unwrap_or(NO_LIMIT);
            props.push(("smpi/async-small-thresh", number(self.eager_limit.unwrap_or(detach))));
            props.push(("smpi/send-is-detached-thresh", number(detach)));
        }
        if let Some(window) = self.window {
            props.push(("network/TCP-gamma", number(window)));
        }
        props
    }
}

/// A number that reads back as the same.
pub(super) fn number(value: f64) -> String {
    let plain = format!("{value}");
    if plain.len() <= 12 { plain } else { format!("{value:e}") }
}

/// A warning that has no place.
pub(super) fn left_out(message: String) -> Warning {
    Warning::new("not_exported", message)
}
