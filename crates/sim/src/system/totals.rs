//! What a system has in total.

use super::{Component, System};
use serde::Serialize;

/// Sums over all components, counts multiplied up the tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Totals {
    /// Machines and volunteers.
    pub machines: u64,
    /// Cores of processors and volunteers.
    pub cores: f64,
    /// GPUs and accelerators.
    pub accelerators: u64,
    /// Operations per second in double precision, accelerators included.
    pub flops_double_per_s: f64,
    /// The same in single precision.
    pub flops_single_per_s: f64,
    /// Main memory.
    pub memory_bytes: Option<f64>,
    /// Power when nothing is computed; null if a computing device has no power value.
    pub power_idle_w: Option<f64>,
    /// Power when everything computes.
    pub power_load_w: Option<f64>,
    /// Failures per second; null if no component has a rate.
    pub failure_rate_per_s: Option<f64>,
    /// Price of all; null if no component has a price.
    pub price: Option<f64>,
    /// Price of an hour of all.
    pub price_hour: Option<f64>,
}

impl System {
    pub fn totals(&self) -> Totals {
        let sum = |of: &dyn Fn(&Component) -> Option<f64>| {
            let found = self.components.iter().filter_map(|component| Some(of(component)? * component.total as f64));
            found.reduce(|a, b| a + b)
        };
        let get = |key: &'static str| move |component: &Component| component.attributes.get(key);
        let computing = |key: &'static str| {
            move |component: &Component| component.attributes.get(key).filter(|_| component.kind.computes())
        };
        let accelerators =
            self.components.iter().filter(|component| component.kind.computes() && !component.has_cores());
        let knows_power = self
            .components
            .iter()
            .filter(|component| component.kind.computes())
            .all(|device| device.power(false).is_some() || self.machine_tells_power(device));
        let power = |loaded: bool| sum(&|component| component.power(loaded)).filter(|_| knows_power);
        Totals {
            machines: self.machine_count(),
            cores: sum(&|component| component.attributes.get("cores").filter(|_| component.has_cores())).unwrap_or(0.0),
            accelerators: accelerators.map(|component| component.total).fold(0, u64::saturating_add),
            flops_double_per_s: sum(&computing("flops_double")).unwrap_or(0.0),
            flops_single_per_s: sum(&computing("flops_single")).unwrap_or(0.0),
            memory_bytes: sum(&|component| {
                component.attributes.get("memory").filter(|_| !component.kind.computes() || component.has_cores())
            }),
            power_idle_w: power(false),
            power_load_w: power(true),
            failure_rate_per_s: sum(&|component| component.failure_rate_per_s()),
            price: sum(&get("price")),
            price_hour: sum(&get("price_hour")),
        }
    }

    /// Whether the machine of a device has a power curve for all its devices.
    fn machine_tells_power(&self, device: &Component) -> bool {
        let machine = device.parent.map(|parent| &self.components[parent]);
        machine.is_some_and(|machine| machine.attributes.curve("power_threads").is_some())
    }
}

impl Component {
    /// Failures of one per second: its own rate, or one over its mean time between failures.
    pub fn failure_rate_per_s(&self) -> Option<f64> {
        self.attributes.get("failure_rate").or_else(|| self.attributes.get("mtbf").map(|mtbf| 1.0 / mtbf))
    }

    /// Whether its cores count as those of the system.
    fn has_cores(&self) -> bool {
        matches!(self.kind, super::Kind::Cpu | super::Kind::Volunteer)
    }

    /// Watts of one, idle or loaded; a machine's own, where it has no curve, do not change.
    fn power(&self, loaded: bool) -> Option<f64> {
        let get = |key: &str| self.attributes.get(key);
        if let Some(points) = self.attributes.curve("power_threads") {
            let point = if loaded { points.last() } else { points.first() };
            return point.map(|point| point.1);
        }
        match (get("power_idle"), get("power_load"), loaded) {
            (_, Some(load), true) => Some(load),
            // As for energy: a missing value is 0.4 of the load.
            (None, Some(load), false) => Some(0.4 * load),
            (idle, _, _) if !self.kind.computes() => idle,
            (Some(idle), Some(_), false) => Some(idle),
            _ => None,
        }
    }
}
