//! Exact mean value analysis of a closed queueing network.
//!
//! ```text
//! R_m(k) = D_m*(1 + Q_m(k-1))     X(k) = k / (Z + sum R_m(k))     Q_m(k) = X(k)*R_m(k)     Q_m(0) = 0
//! ```
//!
//! Source: M. Reiser, S. Lavenberg, *Mean-value analysis of closed multichain queuing networks*, JACM 27(2), 1980. Exact for
//! stations with exponential demand or processor sharing; for constant demand it is pessimistic near saturation.

/// A station that serves one customer at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Station {
    /// Service time of a task \[s\].
    pub demand_s: f64,
    /// Number of identical stations that share the tasks evenly.
    pub alike: u64,
}

impl Station {
    pub fn one(demand_s: f64) -> Self {
        Station { demand_s, alike: 1 }
    }
}

/// Number of customers computed one by one.
const MOST_CUSTOMERS: u64 = 4_000_000;

/// Steady state of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Tasks per second.
    pub throughput: f64,
    /// Residence time of a task at each station, queueing included \[s\].
    pub residence_s: Vec<f64>,
}

/// Throughput of this many customers that spend `delay_s` outside the stations. Without any demand or delay it is infinite.
///
/// Beyond the number at which the slowest station is saturated to floating-point accuracy, more customers only
/// lengthen its queue, and are not computed one by one.
///
/// Of more than 4,000,000 an arriving customer is taken to see the queues of all others in proportion, which is off by
/// less than one in their number (P. Schweitzer 1979).
pub fn mean_value_analysis(customers: u64, delay_s: f64, stations: &[Station]) -> Flow {
    if customers > MOST_CUSTOMERS {
        return in_proportion(customers as f64, delay_s, stations);
    }
    let per_station = |station: &Station| station.demand_s / station.alike.max(1) as f64;
    let slowest = stations.iter().map(per_station).fold(0.0, f64::max);
    let slow: Vec<bool> = stations.iter().map(|station| per_station(station) == slowest).collect();
    let alone = slow.iter().filter(|slow| **slow).count() == 1;
    let mut queue = vec![0.0; stations.len()];
    let mut residence: Vec<f64> = stations.iter().map(|station| station.demand_s).collect();
    let mut throughput = 0.0;
    let mut gone = 0;
    while gone < customers {
        gone += 1;
        for (at, station) in stations.iter().enumerate() {
            residence[at] = station.demand_s * (1.0 + queue[at] / station.alike.max(1) as f64);
        }
        throughput = gone as f64 / (delay_s + residence.iter().sum::<f64>());
        let mut moved = false;
        for (at, waiting) in queue.iter_mut().enumerate() {
            let now = throughput * residence[at];
            // The slowest station takes one more customer each time; the others converge.
            let change: f64 = now - *waiting - if slow[at] { 1.0 } else { 0.0 };
            moved |= change.abs() > 1e-13 * (1.0 + now);
            *waiting = now;
        }
        if !moved && alone && throughput * slowest > 1.0 - 1e-13 && gone < customers {
            let rest = (customers - gone) as f64;
            for (at, station) in stations.iter().enumerate().filter(|(at, _)| slow[*at]) {
                residence[at] += per_station(station) * rest;
            }
            break;
        }
    }
    Flow { throughput, residence_s: residence }
}

/// `Q_m = X D_m / (1 - X D_m (N-1)/N)` and `sum Q_m + X Z = N`, solved for X.
fn in_proportion(customers: f64, delay_s: f64, stations: &[Station]) -> Flow {
    let others = (customers - 1.0) / customers;
    let each = |station: &Station| station.demand_s / station.alike.max(1) as f64;
    let residence = |throughput: f64, station: &Station| {
        station.demand_s / (1.0 - throughput * each(station) * others).max(f64::MIN_POSITIVE)
    };
    let inside = |throughput: f64| {
        throughput * (delay_s + stations.iter().map(|station| residence(throughput, station)).sum::<f64>())
    };
    let slowest = stations.iter().map(each).fold(0.0, f64::max);
    let (mut low, mut high) = (0.0, (1.0 / (slowest * others)).min(customers / delay_s));
    if !high.is_finite() {
        return Flow { throughput: f64::INFINITY, residence_s: vec![0.0; stations.len()] };
    }
    // Bisection of floating-point numbers ends after as many steps as they have bits.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if inside(middle) < customers { low = middle } else { high = middle }
    }
    Flow { throughput: low, residence_s: stations.iter().map(|station| residence(low, station)).collect() }
}

/// Identical customers.
#[derive(Debug, Clone, PartialEq)]
pub struct Customers {
    pub count: u64,
    /// Seconds of a task outside the stations.
    pub delay_s: f64,
    /// Seconds of a task at each station.
    pub demands_s: Vec<f64>,
}

/// Maximum number of states of a network with several classes.
const MOST_STATES: u64 = 20_000_000;

/// Throughput of all classes together, exactly: queues for every number of customers of each class. `None`: too many of these.
///
/// ```text
/// R_cm(k) = D_cm*(1 + Q_m(k - e_c))     X_c(k) = k_c / (Z_c + sum R_cm(k))     Q_m(k) = sum over c of X_c(k)*R_cm(k)
/// ```
pub fn several_classes(classes: &[Customers]) -> Option<f64> {
    let stations = classes.first().map_or(0, |class| class.demands_s.len());
    let mut strides = Vec::new();
    let mut states = 1_u64;
    for class in classes {
        strides.push(states as usize);
        states = states.checked_mul(class.count.checked_add(1)?)?;
        if states.saturating_mul(stations.max(1) as u64) > MOST_STATES {
            return None;
        }
    }
    let mut queues = vec![0.0; states as usize * stations];
    let mut at = vec![0_u64; classes.len()];
    let mut throughput = 0.0;
    let mut residence = vec![0.0; stations];
    for state in 1..states as usize {
        for (digit, class) in at.iter_mut().zip(classes) {
            *digit += 1;
            if *digit <= class.count {
                break;
            }
            *digit = 0;
        }
        throughput = 0.0;
        for (number, class) in classes.iter().enumerate() {
            if at[number] == 0 {
                continue;
            }
            let before = (state - strides[number]) * stations;
            for station in 0..stations {
                residence[station] = class.demands_s[station] * (1.0 + queues[before + station]);
            }
            let flow = at[number] as f64 / (class.delay_s + residence.iter().sum::<f64>());
            throughput += flow;
            for station in 0..stations {
                queues[state * stations + station] += flow * residence[station];
            }
        }
    }
    Some(throughput)
}
