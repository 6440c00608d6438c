//! The cost of a run and of its machines.

use crate::system::System;

/// Prices of components, in the user's currency.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prices {
    /// Of an hour of all that is used; none: nothing has a price.
    pub hour: Option<f64>,
    /// Of all that is used; none: nothing has a price.
    pub whole: Option<f64>,
}

/// Sums of `price_hour` and `price` over what is used: this many of each component.
pub fn prices(system: &System, used: &[u64]) -> Prices {
    let sum = |key: &str| {
        let priced = system
            .components
            .iter()
            .zip(used)
            .filter_map(|(component, used)| component.attributes.get(key).map(|price| price * *used as f64));
        priced.reduce(|sum, price| sum + price)
    };
    Prices { hour: sum("price_hour"), whole: sum("price") }
}

/// Cost of a run: `T/3600 * price_hour + energy_j/3.6e6 * price of a kWh`. None: nothing has a price, or energy has one and
/// is not known.
///
/// ```
/// # use runcast_sim::cost::cost;
/// // Two hours at 3 an hour, and 5 kWh at 0.2.
/// assert_eq!(cost(Some(3.0), 7200.0, Some(18e6), Some(0.2)), Some(7.0));
/// assert_eq!(cost(None, 7200.0, Some(18e6), None), None);
/// assert_eq!(cost(Some(3.0), 7200.0, None, Some(0.2)), None);
/// ```
pub fn cost(price_hour: Option<f64>, time_s: f64, energy_j: Option<f64>, kwh_price: Option<f64>) -> Option<f64> {
    let machines = price_hour.map(|price| time_s / 3600.0 * price);
    match kwh_price {
        Some(price) => Some(machines.unwrap_or(0.0) + energy_j? / 3.6e6 * price),
        None => machines,
    }
}
