//! `[wavefront]`: what holds for the whole model.

use crate::model::file::refused;
use crate::model::{Semantics, Tie};
use runcast_core::toml::{Node, Place, Reader, Table, out_of_range};

pub(super) const RHO: &str = "0 < rho < 1";
pub(super) const OMEGA: &str = "a number of digits above 0, at most 1e6";
pub(super) const STEP: &str = "a time above 0, such as \"0.1s\"";
/// The default of `omega`.
pub(super) const DEFAULT_OMEGA: f64 = 6.0;

/// The table, read as far as is possible before the processes are known.
pub(super) struct Head<'t, 'i> {
    pub name: Option<String>,
    pub step_s: Option<f64>,
    pub omega: Option<f64>,
    pub rho: Option<(f64, Place)>,
    pub semantics: Semantics,
    pub tie: Tie,
    pub start: Option<Node<'t, 'i>>,
    pub degrees: Option<Node<'t, 'i>>,
    pub normalize: bool,
    pub sigma_factor: f64,
    pub place: Place,
}

const KEYS: [&str; 10] =
    ["name", "step", "omega", "rho", "semantics", "tie", "x0", "degrees", "normalize", "sigma_factor"];
const SIGMA_FACTOR: &str = "a factor from 1 to 1000";

pub(super) fn is_rho(rho: f64) -> bool {
    rho > 0.0 && rho < 1.0
}

pub(super) fn is_omega(omega: f64) -> bool {
    omega > 0.0 && omega <= 1e6
}

pub(super) fn is_step(step_s: f64) -> bool {
    (1e-18..=1e18).contains(&step_s)
}

pub(super) fn read<'t, 'i>(reader: &mut Reader<'_>, top: &Table<'t, 'i>) -> Head<'t, 'i> {
    let mut head = Head {
        name: None,
        step_s: None,
        omega: None,
        rho: None,
        semantics: Semantics::default(),
        tie: Tie::default(),
        start: None,
        degrees: None,
        normalize: false,
        sigma_factor: 1.0,
        place: top.place.clone(),
    };
    let Some(table) = reader.table_at(top, "wavefront") else { return head };
    reader.allow(&table, &KEYS, "[wavefront]");
    head.place = table.place.clone();
    head.name = reader.text(&table, "name", "a text").map(|(name, _)| name);
    head.step_s = step(reader, &table);
    head.omega = reader.bounded(&table, "omega", OMEGA, is_omega);
    let rho = reader.bounded(&table, "rho", RHO, is_rho);
    head.rho = rho.zip(table.get("rho")).map(|(rho, node)| (rho, reader.place(node, "/wavefront/rho")));
    if let Some(1) = reader.choice(&table, "semantics", &["abort", "complete"]) {
        head.semantics = Semantics::Complete;
    }
    if let Some(1) = reader.choice(&table, "tie", &["counts", "discards"]) {
        head.tie = Tie::Discards;
    }
    let is_factor = |factor: f64| (1.0..=1000.0).contains(&factor);
    head.sigma_factor = reader.bounded(&table, "sigma_factor", SIGMA_FACTOR, is_factor).unwrap_or(1.0);
    head.start = table.get("x0");
    head.degrees = table.get("degrees");
    head.normalize = reader.flag(&table, "normalize").unwrap_or(false);
    head
}

fn step(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<f64> {
    let node = table.get("step")?;
    let (seconds, place) = reader.time_at(node, &table.at("step"))?;
    if is_step(seconds) {
        return Some(seconds);
    }
    refused(reader, &place, out_of_range("step", &format!("{seconds} s"), STEP))
}
