//! Values that a file leaves open, and the assumed ones, listed in every result.

use super::platform::{COPY_BANDWIDTH, COPY_LATENCY_S};
use super::{Kind, System};
use crate::attributes::Quality;

/// Maximum number listed.
const MOST: usize = 20;

impl System {
    /// Lists the assumptions about networks; returns warnings.
    pub(crate) fn assume(&mut self) -> Vec<String> {
        let hosts = self.hosts();
        let mut assumed = Vec::new();
        let mut warnings = Vec::new();
        for (index, component) in self.components.iter().enumerate() {
            if !component.kind.is_aggregator() || hosts[index] == 0 || self.networks_of(index).next().is_some() {
                continue;
            }
            let id = &component.id;
            if component.kind == Kind::Machine {
                assumed.push(format!(
                    "{id} has no network: messages inside it are copies in memory, {} GB/s and {} us, not shared",
                    COPY_BANDWIDTH / 1e9,
                    COPY_LATENCY_S * 1e6
                ));
                continue;
            }
            let joined = self.children(index).filter(|&child| hosts[child] > 0);
            if joined.map(|child| self.components[child].count).fold(0, u64::saturating_add) > 1 {
                let text = format!("{id} has no network: what it joins is joined without latency or limit");
                warnings.push(format!("{text}; [[network]] with of = \"{id}\" describes one"));
                assumed.push(text);
            }
        }
        for network in &self.networks {
            let latency = network.attributes.attribute("latency");
            if let Some(entry) = &network.hardware
                && latency.is_some_and(|latency| latency.quality == Quality::Assumed)
            {
                let microseconds = network.latency_s() * 1e6;
                assumed
                    .push(format!("{}: a latency of {microseconds} us a link (catalogue entry {entry})", network.id));
            }
        }
        if assumed.len() > MOST {
            let more = assumed.len() - MOST;
            assumed.truncate(MOST);
            assumed.push(format!("{more} more like it"));
        }
        self.assumed = assumed;
        warnings
    }
}
