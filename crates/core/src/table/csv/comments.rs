//! What the lines that begin with `#` say.

use crate::problem::{Problem, Warning};
use crate::roles::Role;
use crate::table::DeclaredRoles;
use serde_json::Value;

/// The content of the lines that begin with `#`.
#[derive(Debug, Clone, Default)]
pub(super) struct Comments {
    roles: Option<DeclaredRoles>,
    trace: bool,
    end: bool,
}

impl Comments {
    pub(super) fn take(&mut self, comment: &str, line: u64) -> Result<(), Problem> {
        if let Some(json) = comment.strip_prefix("roles:") {
            self.roles = Some(declared_roles(json).map_err(|problem| problem.at_line(line))?);
        } else if comment.starts_with("cll-trace:") {
            self.trace = true;
        } else if comment.starts_with("end:") {
            self.end = true;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> (Option<DeclaredRoles>, Vec<Warning>) {
        let mut warnings = Vec::new();
        if self.trace && !self.end {
            warnings.push(Warning::new(
                "incomplete_trace",
                "the trace has no line \"# end:\": the program did not finish, or the file was truncated",
            ));
        }
        (self.roles, warnings)
    }
}

/// `{"params":["p"],"metrics":["time_s"],"units":{"time_s":"s"}}`
pub(super) fn declared_roles(json: &str) -> Result<DeclaredRoles, Problem> {
    let shape = |what: &str| {
        Problem::new("roles", format!("the line \"# roles:\" {what}"))
            .at("# roles")
            .hint("it looks like # roles: {\"params\":[\"p\"],\"metrics\":[\"time_s\"],\"units\":{\"time_s\":\"s\"}}")
    };
    let value: Value = serde_json::from_str(json).map_err(|error| shape(&format!("is not JSON: {error}")))?;
    let Value::Object(object) = value else { return Err(shape("does not hold an object")) };
    let names = |key: &str| match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| shape(&format!("has something other than names in \"{key}\""))),
        Some(_) => Err(shape(&format!("has no list of names in \"{key}\""))),
    };
    let units = match object.get("units") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(units)) => units
            .iter()
            .map(|(name, unit)| unit.as_str().map(|unit| (name.clone(), unit.to_owned())))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| shape("has something other than text in \"units\""))?,
        Some(_) => return Err(shape("has no object in \"units\"")),
    };
    let mut others = Vec::new();
    for (key, role) in [("labels", Role::Label), ("repetition", Role::Repetition), ("ignored", Role::Ignored)] {
        others.extend(names(key)?.into_iter().map(|name| (name, role)));
    }
    match object.get("processes") {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => others.push((name.clone(), Role::Processes)),
        Some(_) => return Err(shape("has something other than a name in \"processes\"")),
    }
    Ok(DeclaredRoles { parameters: names("params")?, metrics: names("metrics")?, units, others })
}
