//! Computing, farms, transfers other than messages.

use super::places::in_order;
use super::{calls, table};
use crate::application::{Direction, Schedule, Stencil};
use crate::build::{Compute, CopyCall, FarmCall};
use crate::script::arguments::{
    Arg, Args, Key, Keys, bytes, bytes_or_zero, number_or, process, text, text_or, whole, yes,
};
use crate::script::host::Host;
use crate::script::raw::{Return, Shape};
use runcast_core::Problem;
use runcast_formula::units::Dimension;

/// Fields of every block: its type, and where and how it is computed.
const PLACED: Keys = Keys::of(&[Key::kind, Key::threads, Key::op, Key::stack, Key::opt, Key::device, Key::state]);
/// Fields of its work.
const WORK: Keys =
    Keys::of(&[Key::size, Key::complexity, Key::ops, Key::bytes, Key::time, Key::working_set]).and(PLACED);
/// Fields of an operation of a device.
const ON_DEVICE: Keys = Keys::of(&[Key::stream, Key::occupancy, Key::is_async]);
const COPY: &[Key] = &[Key::to, Key::from, Key::size, Key::stream, Key::is_async];
const STENCIL: Keys =
    Keys::of(&[Key::dims, Key::cells, Key::radius, Key::reads, Key::writes, Key::element, Key::flops, Key::streaming])
        .and(PLACED);
const FARM: &[Key] =
    &[Key::tasks, Key::to, Key::task_size, Key::result_size, Key::work, Key::master_work, Key::window, Key::schedule];

calls! {
    "compute" Computing (Shape::Table { keys: WORK.and(ON_DEVICE), list: false }) |host, args| {
        let block = compute(args)?;
        begin(host, args, &block)
    };
    "stencil" Sweeping (Shape::Table { keys: STENCIL.and(ON_DEVICE), list: false }) |host, args| {
        let sizes = args.stack.table(args.get(Key::dims), "dims", Keys::NONE, true)?;
        let sizes = in_order(&sizes)?.into_iter().map(|arg| number_or("dims", arg, Dimension::Dimensionless, 0.0));
        let mut stencil = Stencil::new(&sizes.collect::<Result<Vec<_>, _>>()?)?;
        let number = |key: Key, dimension, usual| number_or(key.text(), args.get(key), dimension, usual);
        let plain = |key, usual| number(key, Dimension::Dimensionless, usual);
        stencil.cells = plain(Key::cells, stencil.cells)?;
        stencil.radius = plain(Key::radius, stencil.radius)?;
        stencil.reads = plain(Key::reads, stencil.reads)?;
        stencil.writes = plain(Key::writes, stencil.writes)?;
        stencil.element = number(Key::element, Dimension::Bytes, stencil.element)?;
        stencil.streaming = yes("streaming", args.get(Key::streaming))?;
        let flops = number(Key::flops, Dimension::Operations, 0.0)?;
        let block = Compute {
            size: stencil.cells,
            ops: Some(flops * stencil.cells),
            stencil: Some(stencil),
            ..compute(args)?
        };
        host.recorder.compute(&block)?;
        Ok(Return::Nothing)
    };
    // computation(dataSize, type, stack, threads, complexity, op, opt)
    "computation" AliasCompute (Shape::Values(7)) |host, args| {
        let compute = Compute {
            size: number_or("dataSize", args.value(0), Dimension::Bytes, 0.0)?,
            kind: text_or("type", args.value(1), "")?,
            stack: text_or("stack", args.value(2), "")?,
            threads: number_or("threads", args.value(3), Dimension::Dimensionless, 1.0)?,
            complexity: text_or("complexity", args.value(4), "d")?,
            op: text_or("op", args.value(5), "double")?,
            opt: text_or("opt", args.value(6), "")?,
            ..Compute::default()
        };
        host.recorder.compute(&compute)?;
        Ok(Return::Nothing)
    };
    "farm" Farming (table(FARM)) |host, args| {
        let work = args.stack.table(args.get(Key::work), "work", WORK, false)?;
        let master_work = match args.get(Key::master_work) {
            Arg::Nil => None,
            arg => Some(args.stack.table(arg, "master_work", WORK, false)?),
        };
        let window = match args.get(Key::window) {
            Arg::Nil => 1,
            arg => u32::try_from(whole("window", arg)?).map_err(|_| {
                Problem::new("bad_number", "`window` is above 2^32").allowed("a whole number from 1")
            })?,
        };
        let schedule = match text_or("schedule", args.get(Key::schedule), "dynamic")? {
            "dynamic" => Schedule::Dynamic,
            "static" => Schedule::Static,
            "guided" => Schedule::Guided,
            other => {
                return Err(Problem::new("unknown_schedule", format!("`schedule` is `{other}`"))
                    .value(other)
                    .allowed("dynamic, static, guided"));
            }
        };
        host.recorder.farm(&FarmCall {
            tasks: whole("tasks", args.get(Key::tasks))?,
            to: text("to", args.get(Key::to))?,
            task_size: bytes("task_size", args.get(Key::task_size))?,
            result_size: bytes_or_zero("result_size", args.get(Key::result_size))?,
            work: compute(&work)?,
            master_work: master_work.as_ref().map(compute).transpose()?,
            window,
            schedule,
        })?;
        Ok(Return::Nothing)
    };
    "farm_worker" FarmWorker (table(&[Key::from])) |host, args| {
        let master = process("from", args.get(Key::from), host)?;
        host.recorder.farm_worker(master)?;
        Ok(Return::Nothing)
    };
    "copy" Copy (table(COPY)) |host, args| {
        let (device, direction) = ends_of_copy(args)?;
        let size = bytes("size", args.get(Key::size))?;
        let call = CopyCall { device, direction, size, stream: stream(args)? };
        if yes("async", args.get(Key::is_async))? {
            return Ok(Return::Request(host.recorder.launch_copy(&call)?));
        }
        host.recorder.copy(&call)?;
        Ok(Return::Nothing)
    };
    "read" Read (table(&[Key::size, Key::storage])) |host, args| {
        host.recorder.read(storage(args)?, bytes("size", args.get(Key::size))?)?;
        Ok(Return::Nothing)
    };
    "write" Write (table(&[Key::size, Key::storage])) |host, args| {
        host.recorder.write(storage(args)?, bytes("size", args.get(Key::size))?)?;
        Ok(Return::Nothing)
    };
}

fn storage<'a>(args: &Args<'a>) -> Result<Option<&'a str>, Problem> {
    match args.get(Key::storage) {
        Arg::Nil => Ok(None),
        name => Ok(Some(text("storage", name)?)),
    }
}

/// The memory of the machine, as an end of a copy.
const HOST: &str = "host";

/// The device of a copy, and which way it goes.
fn ends_of_copy<'a>(args: &Args<'a>) -> Result<(&'a str, Direction), Problem> {
    let end = |key: Key| match args.get(key) {
        Arg::Nil => Ok(HOST),
        name => text(key.text(), name),
    };
    match (end(Key::to)?, end(Key::from)?) {
        (HOST, HOST) => {
            Err(Problem::new("no_device", "`copy` does not name a device").hint("say to = \"gpu\" or from = \"gpu\""))
        }
        (device, HOST) => Ok((device, Direction::ToDevice)),
        (HOST, device) => Ok((device, Direction::FromDevice)),
        (to, _) => Err(Problem::new("two_devices", "`copy` goes between a device and the memory of its machine")
            .value(to)
            .hint("between devices processes on them send messages: label{ on = \"gpu\", .. }")),
    }
}

fn stream(args: &Args<'_>) -> Result<u32, Problem> {
    match args.get(Key::stream) {
        Arg::Nil => Ok(0),
        number => u32::try_from(whole("stream", number)?)
            .map_err(|_| Problem::new("bad_number", "`stream` is above 2^32").allowed("a whole number from 0")),
    }
}

/// A block: at once, or in a stream of its device while the process goes on.
#[inline]
fn begin(host: &mut Host, args: &Args<'_>, block: &Compute<'_>) -> Result<Return, Problem> {
    if !args.has_any(ON_DEVICE) {
        host.recorder.compute(block)?;
        return Ok(Return::Nothing);
    }
    let occupancy = match args.get(Key::occupancy) {
        Arg::Nil => None,
        number => Some(number_or("occupancy", number, Dimension::Dimensionless, 1.0)?),
    };
    let block = Compute { stream: stream(args)?, occupancy, ..*block };
    if yes("async", args.get(Key::is_async))? {
        return Ok(Return::Request(host.recorder.launch(&block)?));
    }
    host.recorder.compute(&block)?;
    Ok(Return::Nothing)
}

#[inline]
fn compute<'a>(args: &Args<'a>) -> Result<Compute<'a>, Problem> {
    let mut compute = Compute::default();
    for (key, arg) in args.keyed[..args.found].iter().copied() {
        match key {
            Key::size => compute.size = number_or("size", arg, Dimension::Bytes, 0.0)?,
            Key::complexity => compute.complexity = text("complexity", arg)?,
            Key::ops => compute.ops = Some(number_or("ops", arg, Dimension::Operations, 0.0)?),
            Key::bytes => compute.bytes = number_or("bytes", arg, Dimension::Bytes, 0.0)?,
            Key::kind => compute.kind = text("type", arg)?,
            Key::threads => compute.threads = number_or("threads", arg, Dimension::Dimensionless, 1.0)?,
            Key::op => compute.op = text("op", arg)?,
            Key::stack => compute.stack = text("stack", arg)?,
            Key::opt => compute.opt = text("opt", arg)?,
            Key::device => compute.device = text("device", arg)?,
            Key::state => compute.state = text("state", arg)?,
            Key::working_set => compute.working_set = number_or("working_set", arg, Dimension::Bytes, 0.0)?,
            Key::time => compute.time_s = Some(number_or("time", arg, Dimension::Time, 0.0)?),
            _ => {}
        }
    }
    Ok(compute)
}
