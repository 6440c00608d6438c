//! The virtual machine: all unsafe code of this crate. The rest sees a [`Stack`] to read arguments from, and a
//! [`Return`] as the result.
//!
//! Functions of ours are plain functions of the machine, not closures of the mlua crate: recording a program is millions of
//! calls, and this is several times faster. A function reads its arguments, which raises nothing, then works on the
//! [`Host`], which does not touch the machine, and only when all borrows have ended returns its result or raises its
//! error.
#![allow(unsafe_code)]

mod guards;
mod machine;

pub(super) use machine::{Failure, Machine, Resumed, Thread};

use super::arguments::{Arg, Args, Key, Keys, MOST, unknown_key};
use super::host::{Expects, Host, Mode};
use crate::application::Wanted;
use crate::build::Request;
use crate::build::persistent::Persistent;
use crate::build::requests::Made;
use mlua::ffi::{self, lua_State};
use runcast_core::Problem;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

thread_local! {
    /// The host of the machine that runs on this thread.
    static HOST: Cell<*mut Host> = const { Cell::new(std::ptr::null_mut()) };
}

/// Kinds of light values: a number and what it means.
const PROC: c_int = 71;
const REQUEST: c_int = 72;
const COMM: c_int = 73;
const PERSISTENT: c_int = 76;
const COUNTS: c_int = 77;
const WINDOW: c_int = 78;
/// Kinds of values with methods.
const CART: c_int = 74;
const MESSAGE: c_int = 75;

/// Name of the chunk that is the user's script; no other begins with its letter.
const CHUNK: &[u8] = b"script";

/// Reads tables within tables. It is valid as long as the call that it was made for.
#[derive(Clone, Copy)]
pub(super) struct Stack(*mut lua_State);

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Return {
    Nothing,
    Nil,
    Number(f64),
    Two(f64, f64),
    Bool(bool),
    /// A text that the host keeps: the parameter of this number.
    ParameterText(usize),
    Proc {
        label: u32,
        rank: u64,
    },
    Request(Request),
    Persistent(Persistent),
    Counts(u32),
    Window(u32),
    Comm(u32),
    Cart(u32),
    /// A message that has not been received yet.
    Message,
    /// A list of whole numbers, in [`Lists`].
    List,
    /// The value that a live process gets when it resumes.
    Awaited(Expects),
}

thread_local! {
    /// The last list that a call returned.
    static LIST: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Returns a list.
pub(super) fn list(values: Vec<u64>) -> Return {
    LIST.set(values);
    Return::List
}

/// The form of a call's arguments: one table, or values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A table with these keys, and whether it may hold values without names.
    Table { keys: Keys, list: bool },
    /// At most this many values.
    Values(usize),
}

/// A call of a script.
pub(super) trait Call {
    const NAME: &'static str;
    const SHAPE: Shape;
    /// Executes the call.
    fn call(host: &mut Host, args: &Args<'_>) -> Result<Return, Problem>;
}

/// The function of the machine for a call.
pub(super) unsafe extern "C-unwind" fn function<C: Call>(state: *mut lua_State) -> c_int {
    // SAFETY: the machine calls this with a valid state, while `Machine` has set the host; no other borrow of the host is
    // alive, as our functions keep none while the machine runs.
    unsafe {
        let host = HOST.get();
        let outcome = run::<C>(state, &mut *host);
        match outcome {
            Ok(value) => give(state, &mut *host, value),
            Err(problem) => {
                (*host).recorder.line = line(state, 1);
                note(state, &mut *host, C::NAME, problem);
                ffi::lua_error(state)
            }
        }
    }
}

#[inline]
unsafe fn run<C: Call>(state: *mut lua_State, host: &mut Host) -> Result<Return, Problem> {
    // SAFETY: as above.
    unsafe {
        if const { !silent(C::NAME) } {
            host.recorder.line = line(state, 1);
        }
        let mut args = Args::new(Stack(state));
        match C::SHAPE {
            Shape::Table { keys, list } => {
                if ffi::lua_gettop(state) != 1 || ffi::lua_type(state, 1) != ffi::LUA_TTABLE {
                    return Err(not_a_table(state, C::NAME));
                }
                read_table(state, 1, keys, list, &mut args)?;
            }
            Shape::Values(most) => {
                let given = ffi::lua_gettop(state);
                if given as usize > most {
                    return Err(Problem::new("too_many_arguments", format!("{given} arguments"))
                        .allowed(format!("at most {most}")));
                }
                args.found = given as usize;
                for index in 0..given {
                    args.keyed[index as usize].1 = value(state, index + 1);
                }
            }
        }
        C::call(host, &args)
    }
}

/// Calls that record no operation: their position is needed only if they fail.
#[inline]
const fn silent(name: &str) -> bool {
    matches!(name.as_bytes(), b"neighbor" | b"coords" | b"rank" | b"random" | b"proc" | b"count" | b"rank_of")
}

#[cold]
unsafe fn not_a_table(state: *mut lua_State, name: &str) -> Problem {
    // SAFETY: the state is valid.
    let given = unsafe {
        match ffi::lua_gettop(state) {
            0 => "nothing".to_owned(),
            1 => value(state, 1).what(),
            more => format!("{more} values"),
        }
    };
    Problem::new("not_a_table", format!("it got {given}")).allowed(format!("one table: {name}{{ .. }}"))
}

/// Reads a table without regard to metatables. Inner tables stay on the stack.
unsafe fn read_table<'a>(
    state: *mut lua_State,
    index: c_int,
    keys: Keys,
    list: bool,
    args: &mut Args<'a>,
) -> Result<(), Problem> {
    // SAFETY: the value at `index` is a table; the texts that `args` borrows live as long as the table that holds them,
    // which stays on the stack until the call has ended.
    unsafe {
        let mut at = 0;
        // Keys and values on the stack that go at the end, or when there are many.
        let mut waste = 0;
        loop {
            at = ffi::lua_rawiter(state, index, at);
            if at < 0 {
                ffi::lua_settop(state, -waste - 1);
                return Ok(());
            }
            let mut atom = -1;
            let key = if ffi::lua_tostringatom(state, -2, &mut atom).is_null() {
                None
            } else {
                Key::numbered(atom as isize as usize)
            };
            let value = value(state, -1);
            match key {
                Some(key) if keys.has(key) && args.found < MOST => {
                    args.keyed[args.found] = (key, kept(state, value, &mut waste)?);
                    args.found += 1;
                }
                None if list && ffi::lua_type(state, -2) == ffi::LUA_TNUMBER => {
                    if args.list.capacity() == 0 {
                        args.list.reserve(12);
                    }
                    args.list.push((ffi::lua_tonumber(state, -2), kept(state, value, &mut waste)?));
                }
                _ => {
                    let text = match self::value(state, -2) {
                        Arg::Text(text) => String::from_utf8_lossy(text).into_owned(),
                        other => other.what(),
                    };
                    return Err(unknown_key(&text, keys));
                }
            }
        }
    }
}

/// Maximum number of tables and functions within the table of a call.
const MOST_TABLES: c_int = 1_000;

/// Clears the stack of the key and the value on top now and then; a table or a function stays there.
#[inline]
unsafe fn kept<'a>(state: *mut lua_State, value: Arg<'a>, waste: &mut c_int) -> Result<Arg<'a>, Problem> {
    // SAFETY: key and value are on the stack, and `waste` values of earlier entries right below.
    unsafe {
        *waste += 2;
        match value {
            Arg::Table(_) | Arg::Function(_) => {
                ffi::lua_insert(state, -*waste);
                ffi::lua_settop(state, -*waste);
                *waste = 0;
                let top = ffi::lua_gettop(state);
                if top > MOST_TABLES || ffi::lua_checkstack(state, 16) == 0 {
                    return Err(Problem::new(
                        "too_many_tables",
                        format!("there are more than {MOST_TABLES} tables in this table"),
                    ));
                }
                Ok(self::value(state, top))
            }
            value => {
                if *waste >= 12 {
                    ffi::lua_settop(state, -*waste - 1);
                    *waste = 0;
                }
                Ok(value)
            }
        }
    }
}

/// A value of the stack.
#[inline]
unsafe fn value<'a>(state: *mut lua_State, index: c_int) -> Arg<'a> {
    // SAFETY: the index is one of the stack.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TNUMBER => Arg::Number(ffi::lua_tonumber(state, index)),
            ffi::LUA_TSTRING => {
                let mut length = 0;
                let text = ffi::lua_tolstring(state, index, &mut length);
                Arg::Text(std::slice::from_raw_parts(text.cast(), length))
            }
            ffi::LUA_TNIL | ffi::LUA_TNONE => Arg::Nil,
            ffi::LUA_TBOOLEAN => Arg::Bool(ffi::lua_toboolean(state, index) != 0),
            ffi::LUA_TTABLE => Arg::Table(index),
            ffi::LUA_TFUNCTION => Arg::Function(index),
            ffi::LUA_TLIGHTUSERDATA => {
                let bits = ffi::lua_tolightuserdata(state, index) as u64;
                match ffi::lua_lightuserdatatag(state, index) {
                    PROC => Arg::Proc { label: (bits >> 48) as u32, rank: bits & ((1 << 48) - 1) },
                    REQUEST => Arg::Request(Request { number: bits as u32, serial: (bits >> 32) as u32 }),
                    COMM => Arg::Comm(bits as u32),
                    COUNTS => Arg::Counts(bits as u32),
                    WINDOW => Arg::Window(bits as u32),
                    PERSISTENT => Arg::Persistent(Persistent { number: bits as u32, process: (bits >> 32) as u32 }),
                    _ => Arg::Other("a light userdata"),
                }
            }
            ffi::LUA_TUSERDATA => match ffi::lua_userdatatag(state, index) {
                CART => Arg::Cart(*ffi::lua_touserdata(state, index).cast::<u32>()),
                MESSAGE => Arg::Message,
                _ => Arg::Other("a userdata"),
            },
            ffi::LUA_TTHREAD => Arg::Other("a coroutine"),
            ffi::LUA_TBUFFER => Arg::Other("a buffer"),
            _ => Arg::Other("a vector"),
        }
    }
}

impl Stack {
    /// Reads a table that is an argument.
    pub(super) fn table<'a>(self, arg: Arg<'a>, what: &str, keys: Keys, list: bool) -> Result<Args<'a>, Problem> {
        let Arg::Table(index) = arg else {
            return Err(super::arguments::wrong(what, arg, "a table"));
        };
        let mut args = Args::new(self);
        // SAFETY: a table argument holds its own index on the stack of the running call.
        unsafe { read_table(self.0, index, keys, list, &mut args)? };
        Ok(args)
    }

    /// Keeps a function: its reference, and whether it names a parameter.
    pub(super) fn keep(self, arg: Arg<'_>) -> Option<(i32, bool)> {
        let Arg::Function(index) = arg else { return None };
        // SAFETY: a function argument holds its own index on the stack; `lua_getinfo` with "a" takes the function on top.
        unsafe {
            let mut about: ffi::lua_Debug = std::mem::zeroed();
            ffi::lua_getinfo(self.0, index - ffi::lua_gettop(self.0) - 1, c"a".as_ptr(), &mut about);
            let ranked = about.nparams > 0 || about.isvararg != 0;
            Some((ffi::lua_ref(self.0, index), ranked))
        }
    }
}

/// Line of the script that runs, or that called what runs: 0 if there is none.
#[inline]
unsafe fn line(state: *mut lua_State, from: c_int) -> u32 {
    // SAFETY: the state is valid, and `about` is filled in before it is read.
    unsafe {
        let mut about = std::mem::MaybeUninit::<ffi::lua_Debug>::uninit();
        let about = about.as_mut_ptr();
        let mut level = from;
        while ffi::lua_getinfo(state, level, c"sl".as_ptr(), about) != 0 {
            // The first letter distinguishes it from the prelude and from functions of the machine ("[C]").
            if (*about).currentline > 0 && *(*about).short_src.cast::<u8>() == CHUNK[0] {
                return (*about).currentline as u32;
            }
            level += 1;
            if level > from + 200 {
                break;
            }
        }
        0
    }
}

/// The value of a live process when it resumes after [`Return::Awaited`].
pub(super) unsafe extern "C-unwind" fn resumed(state: *mut lua_State, _: c_int) -> c_int {
    // SAFETY: as for `function`; what may raise owns nothing.
    unsafe {
        let host = &mut *HOST.get();
        match host.expects {
            Expects::Nothing => 0,
            Expects::Now => {
                ffi::lua_pushnumber(state, host.now_s);
                1
            }
            Expects::Message => message(state, host),
            Expects::Completed(wanted) => completed(state, host, wanted),
        }
    }
}

/// Which of several requests are complete: the place of the first in the list, with its message; those of some; whether all.
unsafe fn completed(state: *mut lua_State, host: &mut Host, wanted: Wanted) -> c_int {
    let places = std::mem::take(&mut host.completed);
    let all = places.iter().filter_map(|place| host.recorder.completed(*place)).collect::<Vec<_>>();
    // SAFETY: the machine leaves room for 20 values.
    unsafe {
        match (wanted, all.first()) {
            (Wanted::Any, None) => return 0,
            (Wanted::Any, Some((place, made))) => {
                ffi::lua_pushnumber(state, f64::from(*place));
                return 1 + if *made == Made::Recv { message(state, host) } else { 0 };
            }
            (Wanted::Some, _) => {
                let places: Vec<u64> = all.iter().map(|(place, _)| u64::from(*place)).collect();
                push_list(state, &places);
            }
            (Wanted::AllNow, first) => ffi::lua_pushboolean(state, c_int::from(first.is_some())),
        }
    }
    1
}

/// The message that was received.
unsafe fn message(state: *mut lua_State, host: &mut Host) -> c_int {
    let Some(received) = host.received else { return 0 };
    // SAFETY: as above; what may raise owns nothing.
    unsafe {
        ffi::lua_createtable(state, 0, 3);
        match host.own_rank(received.from) {
            Some(rank) => ffi::lua_pushnumber(state, rank as f64),
            None => match host.proc_of(received.from) {
                Ok((label, rank)) => light(state, u64::from(label) << 48 | rank, PROC),
                Err(problem) => {
                    note(state, host, "recv", problem);
                    ffi::lua_error(state);
                }
            },
        }
        ffi::lua_rawsetfield(state, -2, c"from".as_ptr());
        ffi::lua_pushnumber(state, received.size as f64);
        ffi::lua_rawsetfield(state, -2, c"size".as_ptr());
        ffi::lua_pushnumber(state, received.tag as f64);
        ffi::lua_rawsetfield(state, -2, c"tag".as_ptr());
    }
    1
}

/// Puts the text of an error on the stack, and remembers the problem that it stands for.
#[cold]
unsafe fn note(state: *mut lua_State, host: &mut Host, call: &str, mut problem: Problem) {
    if !call.is_empty() {
        problem.message = format!("{call}: {}", problem.message);
    }
    let line = host.recorder.line;
    if problem.line.is_none() && line > 0 {
        problem = problem.at_line(u64::from(line));
    }
    let text = format!("script:{line}: {}", problem.message);
    // SAFETY: room for one value is made.
    unsafe {
        ffi::lua_rawcheckstack(state, 1);
        ffi::lua_pushlstring_(state, text.as_ptr().cast(), text.len());
    }
    host.fault = Some((problem, text));
}

/// Gives a value to the script.
#[inline]
unsafe fn give(state: *mut lua_State, host: &mut Host, value: Return) -> c_int {
    // SAFETY: the machine leaves room for 20 values; what may raise (running out of memory) owns nothing.
    unsafe {
        match value {
            Return::Nothing => {
                if host.mode == Mode::Live && host.recorder.ops.len() >= 64 && ffi::lua_isyieldable(state) != 0 {
                    host.expects = Expects::Nothing;
                    ffi::lua_settop(state, 0);
                    return ffi::lua_yield(state, 0);
                }
                return 0;
            }
            Return::Nil => ffi::lua_pushnil(state),
            Return::Number(number) => ffi::lua_pushnumber(state, number),
            Return::Two(first, second) => {
                ffi::lua_pushnumber(state, first);
                ffi::lua_pushnumber(state, second);
                return 2;
            }
            Return::Bool(value) => ffi::lua_pushboolean(state, c_int::from(value)),
            Return::ParameterText(index) => {
                let text = host.recorder.app.parameters[index].text.as_deref().unwrap_or("");
                ffi::lua_pushlstring_(state, text.as_ptr().cast(), text.len());
            }
            Return::Proc { label, rank } => {
                light(state, u64::from(label) << 48 | rank, PROC);
            }
            Return::Request(request) => {
                light(state, u64::from(request.serial) << 32 | u64::from(request.number), REQUEST);
            }
            Return::Persistent(request) => {
                light(state, u64::from(request.process) << 32 | u64::from(request.number), PERSISTENT);
            }
            Return::Window(window) => light(state, u64::from(window), WINDOW),
            Return::Counts(counts) => light(state, u64::from(counts), COUNTS),
            Return::Comm(comm) => light(state, u64::from(comm), COMM),
            Return::Cart(cart) => {
                let place = ffi::lua_newuserdatatagged(state, 4, CART).cast::<u32>();
                *place = cart;
                ffi::lua_getuserdatametatable(state, CART);
                ffi::lua_setmetatable(state, -2);
            }
            Return::Message => {
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, host.message);
            }
            Return::List => {
                let values = LIST.take();
                push_list(state, &values);
                // The table is made: what was borrowed can go back to be used again.
                LIST.set(values);
            }
            Return::Awaited(expects) => {
                host.expects = expects;
                if ffi::lua_isyieldable(state) == 0 {
                    host.recorder.line = line(state, 1);
                    note(
                        state,
                        host,
                        "",
                        Problem::new(
                            "cannot_wait",
                            "a process cannot wait for messages within a callback of the library (sort, gsub)",
                        ),
                    );
                    ffi::lua_error(state);
                }
                ffi::lua_settop(state, 0);
                return ffi::lua_yield(state, 0);
            }
        }
        1
    }
}

unsafe fn push_list(state: *mut lua_State, values: &[u64]) {
    // SAFETY: there is room for two values.
    unsafe {
        ffi::lua_createtable(state, values.len() as c_int, 0);
        for (index, value) in values.iter().enumerate() {
            ffi::lua_pushnumber(state, *value as f64);
            ffi::lua_rawseti_(state, -2, index as c_int + 1);
        }
    }
}

unsafe fn light(state: *mut lua_State, bits: u64, tag: c_int) {
    // SAFETY: the pointer is never followed.
    unsafe { ffi::lua_pushlightuserdatatagged(state, bits as usize as *mut c_void, tag) }
}
