//! What is reported of an exchange.

use super::{Effect, Exchange, What};
use runcast_core::Warning;

impl Exchange {
    /// What the user should know of it.
    pub fn warning(&self) -> Option<Warning> {
        let Exchange { name, from, to, .. } = self;
        let verb = if self.what == What::Hardware { "exchanging" } else { "changing" };
        let from = if from.is_empty() { "no entry of the catalogue" } else { from };
        let exchange = format!("{verb} {name} ({from} -> {to})");
        let hidden: Vec<String> = self
            .sites
            .iter()
            .filter_map(|site| {
                let at = if site.line > 0 { format!(" ({}:{})", site.file, site.line) } else { String::new() };
                let why = match site.reason.as_deref()? {
                    "scales_none" => ", scales = \"none\"",
                    "no_unit" => ", whose coefficient has no unit, as \"1.2ms\" has",
                    _ => "",
                };
                Some(format!("\"{}\"{at}{why}", site.text))
            })
            .take(3)
            .collect();
        let hidden = if hidden.is_empty() { "what no rule of it decides".to_owned() } else { hidden.join(", ") };
        let share = 100.0 * self.share;
        let (code, text) = match self.effect {
            Effect::Changed => return None,
            Effect::Hidden if self.sites.is_empty() && self.what != What::Hardware => {
                ("exchange_hidden", format!("{exchange} cannot change the result, nor can twice as good a value"))
            }
            Effect::Hidden if self.sites.is_empty() => (
                "exchange_hidden",
                format!("{exchange} cannot change the result: a rule gives the time of its messages"),
            ),
            Effect::Hidden => (
                "exchange_hidden",
                format!("{exchange} cannot change the result: {share:.0} % of its time is {hidden}"),
            ),
            Effect::PartlyHidden => (
                "exchange_partly_hidden",
                format!("{exchange} changes only a part of the result: {share:.0} % of its time is {hidden}"),
            ),
            Effect::Unused => ("exchange_unused", format!("{exchange} changes nothing: nothing here uses it")),
            Effect::SameFigures if self.what != What::Hardware => {
                ("exchange_same_figures", format!("{exchange} changes nothing, but other values would"))
            }
            Effect::SameFigures => (
                "exchange_same_figures",
                format!("{exchange} changes nothing: their figures are the same where it matters"),
            ),
        };
        Some(Warning::new(code, text))
    }
}
