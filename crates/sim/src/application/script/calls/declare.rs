//! Parameters and labels, names of processes, and what is not an operation of its own.

use super::{Outcome, calls, list};
use crate::application::Parameter;
use crate::build::recorder::not_negative;
use crate::script::Value;
use crate::script::arguments::{
    Arg, Args, Key, bytes_or_zero, integer, number, number_or, process, text, text_or, whole, wrong,
};
use crate::script::host::{Expects, Host, Mode, Run};
use crate::script::raw::{Return, Shape};
use runcast_core::Problem;
use runcast_formula::units::{Dimension, Quantity};

const LABEL: &[Key] = &[Key::name, Key::count, Key::on, Key::memory, Key::run, Key::start, Key::state];

calls! {
    "param" Param (Shape::Values(3)) |host, args| param(host, args);
    "label" DeclareLabel (list(LABEL)) |host, args| label(host, args);
    "proc" Proc (Shape::Values(2)) |host, args| {
        let name = text("label", args.value(0))?;
        let rank = whole("rank", args.value(1))?;
        if rank >= 1 << 48 {
            return Err(Problem::new("bad_number", "`rank` is above 2^48").value(rank.to_string()));
        }
        Ok(Return::Proc { label: host.name(name)?, rank })
    };
    "count" Count (Shape::Values(1)) |host, args| {
        Ok(Return::Number(host.recorder.count(text("label", args.value(0))?)? as f64))
    };
    "rank_of" RankOf (Shape::Values(1)) |host, args| {
        let process = process("process", args.value(0), host)?;
        let app = &host.recorder.app;
        Ok(Return::Number((process - app.labels[app.label_of(process)].first) as f64))
    };
    "log" Log (Shape::Values(8)) |host, args| log(host, args);
    "print" Print (Shape::Values(8)) |host, args| log(host, args);
    "random" Random (Shape::Values(0)) |host, _args| Ok(Return::Number(host.recorder.draw()));
    // math.random(), math.random(m), math.random(m, n)
    "math.random" MathRandom (Shape::Values(2)) |host, args| {
        let (low, high) = match (args.value(0), args.value(1)) {
            (Arg::Nil, _) => return Ok(Return::Number(host.recorder.draw())),
            (high, Arg::Nil) => (1, integer("m", high)?),
            (low, high) => (integer("m", low)?, integer("n", high)?),
        };
        if low > high {
            return Err(Problem::new("empty_interval", format!("there is no number from {low} to {high}")));
        }
        let count = (high - low + 1) as f64;
        Ok(Return::Number((low as f64 + (host.recorder.draw() * count).floor()).min(high as f64)))
    };
    "now" Now (Shape::Values(0)) |host, _args| match host.mode {
        Mode::Live => Ok(Return::Awaited(Expects::Now)),
        Mode::Recording => {
            host.needs_live = true;
            Err(Problem::new("needs_live", "a process reads the clock"))
        }
        Mode::Top => Err(Problem::new("outside_process", "there is no time before processes run")
            .hint("call it inside the `run` function of a label")),
    };
    "phase" Phase (Shape::Values(1)) |host, args| {
        host.recorder.phase(text("name", args.value(0))?)?;
        Ok(Return::Nothing)
    };
    "sleep" Sleep (Shape::Values(1)) |host, args| {
        host.recorder.sleep(number("s", args.value(0), Dimension::Time)?)?;
        Ok(Return::Nothing)
    };
}

fn param(host: &mut Host, args: &Args<'_>) -> Outcome {
    let name = text("name", args.value(0))?;
    let help = text_or("help", args.value(2), "")?;
    if name.is_empty() || name.len() > 200 {
        return Err(Problem::new("bad_name", "the name of a parameter has 1 to 200 characters").value(name));
    }
    let given = host.given.get(name).cloned();
    host.asked.insert(name.to_owned());
    let wrong_value = |value: &str, allowed: &str| {
        Problem::new("bad_value", format!("parameter `{name}` is set to `{value}`")).value(value).allowed(allowed)
    };
    let mut parameter = Parameter { name: name.to_owned(), help: help.to_owned(), ..Parameter::default() };
    match args.value(1) {
        Arg::Number(default) => {
            parameter.default = default;
            parameter.value = match given {
                None => default,
                Some(Value::Number(value)) => value,
                Some(Value::Text(value)) => {
                    Quantity::parse(&value).map_err(|_| wrong_value(&value, "a number, or one with a unit"))?.value
                }
            };
            let value = parameter.value;
            host.recorder.parameter(parameter)?;
            Ok(Return::Number(value))
        }
        Arg::Bool(default) => {
            parameter.default = f64::from(u8::from(default));
            let value = match given {
                None => default,
                Some(Value::Number(value)) => value != 0.0,
                Some(Value::Text(value)) => match value.as_str() {
                    "true" | "1" => true,
                    "false" | "0" => false,
                    _ => return Err(wrong_value(&value, "true, false")),
                },
            };
            parameter.value = f64::from(u8::from(value));
            host.recorder.parameter(parameter)?;
            Ok(Return::Bool(value))
        }
        default @ Arg::Text(_) => {
            let default = text("default", default)?;
            parameter.text = Some(match given {
                None => default.to_owned(),
                Some(Value::Number(value)) => value.to_string(),
                Some(Value::Text(value)) => value,
            });
            host.recorder.parameter(parameter)?;
            let index = host.recorder.app.parameters.iter().position(|one| one.name == name).unwrap_or(0);
            Ok(Return::ParameterText(index))
        }
        other => Err(wrong("default", other, "a number, a text, true or false")),
    }
}

fn label(host: &mut Host, args: &Args<'_>) -> Outcome {
    if host.mode != Mode::Top {
        return Err(Problem::new("inside_process", "labels are declared before processes run")
            .hint("call it outside `run` functions"));
    }
    let name = match (args.get(Key::name), args.list.as_slice()) {
        (Arg::Nil, [(1.0, name)]) => text("name", *name)?,
        (Arg::Nil, []) => return Err(wrong("name", Arg::Nil, "a text: label{ \"cell\", .. }")),
        (name, []) => text("name", name)?,
        _ => {
            return Err(Problem::new("too_many_arguments", "there is more than one unnamed value, the label's name"));
        }
    };
    let count = match args.get(Key::count) {
        Arg::Nil => 1,
        count => whole("count", count)?,
    };
    let memory = bytes_or_zero("memory", args.get(Key::memory))? as f64;
    let on = match args.get(Key::on) {
        Arg::Nil => None,
        on => Some(text("on", on)?),
    };
    let start_s = number_or("start", args.get(Key::start), Dimension::Time, 0.0)?;
    not_negative("start", start_s)?;
    let Some((function, ranked)) = args.stack.keep(args.get(Key::run)) else {
        return Err(wrong("run", args.get(Key::run), "function(rank, size) .. end"));
    };
    let state = text_or("state", args.get(Key::state), "")?;
    let label = host.recorder.label(name, count, memory, on, start_s)?;
    host.recorder.app.labels[label as usize].state = state.to_owned();
    host.runs.push(Run { function, ranked });
    Ok(Return::Nothing)
}

/// Texts, numbers and truth values, one after the other.
fn log(host: &mut Host, args: &Args<'_>) -> Outcome {
    let mut line = String::new();
    for (index, (_, arg)) in args.keyed[..args.found].iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        match arg {
            Arg::Text(text) => line.push_str(&String::from_utf8_lossy(text)),
            Arg::Message => {
                host.needs_live = true;
                return Err(Problem::new("needs_live", "a process reads a message"));
            }
            other => line.push_str(&other.what()),
        }
    }
    host.recorder.log(line)?;
    Ok(Return::Nothing)
}
