//! A virtual machine with a script: created, filled with the library, and run.

use super::guards::{self, PATTERN, SORT, THROUGH};
use super::{CART, HOST, MESSAGE, function, resumed, value};
use crate::script::arguments::{Arg, Key, whole};
use crate::script::calls;
use crate::script::host::{Host, Mode};
use mlua::ffi::{self, lua_CFunction, lua_State};
use mlua::{Lua, LuaOptions, StdLib};
use runcast_core::Problem;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::LazyLock;

/// A machine with its host. It may move between threads, and is used by one at a time.
pub(in crate::application::script) struct Machine {
    host: *mut Host,
    state: *mut lua_State,
    /// Reference of the error handler.
    raised: c_int,
    // Dropped last but one: threads and references end with it.
    _lua: Lua,
}

// SAFETY: the machine is made with the feature `send` of mlua, the host holds plain data, and `&mut self` is needed to run.
unsafe impl Send for Machine {}

/// Why a script did not finish.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::application::script) struct Failure {
    pub text: String,
    /// Memory ran out.
    pub memory: bool,
}

/// A process that is run alongside simulated time.
#[derive(Debug, Clone, Copy)]
pub(in crate::application::script) struct Thread {
    state: *mut lua_State,
    reference: c_int,
}

// SAFETY: it is used through the machine that it belongs to alone.
unsafe impl Send for Thread {}

/// State of a process after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::application::script) enum Resumed {
    /// It waits for [`Host::expects`].
    Waiting,
    Ended,
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw`, and nothing of the machine runs any more; what it frees asks the host for nothing.
        drop(unsafe { Box::from_raw(self.host) });
    }
}

/// Sets the host for as long as the machine runs.
struct Running(*mut Host);

impl Running {
    fn new(host: *mut Host) -> Self {
        Running(HOST.replace(host))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        HOST.set(self.0);
    }
}

/// Percent of what is alive after a collection that memory grows to before the next.
const GC_PAUSE: c_int = 400;

/// A part of the library that is written in the script's own language; translated once, for a machine has a life of
/// milliseconds.
type Prelude = LazyLock<Vec<u8>>;

/// So that a process may wait for messages within.
static LOOP: Prelude =
    LazyLock::new(|| translated("local turns = ... return function(n, f) for _ = 1, turns(n, f) do f() end end"));
static PROTECTED: Prelude =
    LazyLock::new(|| translated("local step, pcall = ... return function(...) step() return pcall(...) end"));
static COUNTS: Prelude = LazyLock::new(|| translated(calls::COUNTS_PRELUDE));

/// What cannot be translated stays a text, and is refused where it is loaded.
fn translated(source: &str) -> Vec<u8> {
    mlua::Compiler::new().compile(source).unwrap_or_else(|_| source.as_bytes().to_vec())
}

impl Machine {
    /// A machine with the library of scripts.
    pub(in crate::application::script) fn new(host: Host, memory_bytes: u64) -> Result<Self, Problem> {
        let failed = |error: mlua::Error| Problem::new("script", format!("the script cannot be run: {error}"));
        let libraries = StdLib::TABLE | StdLib::STRING | StdLib::UTF8 | StdLib::BIT | StdLib::MATH | StdLib::BUFFER;
        let lua = Lua::new_with(libraries, LuaOptions::default()).map_err(failed)?;
        let live = host.mode == Mode::Live;
        let host = Box::into_raw(Box::new(host));
        let mut state = std::ptr::null_mut();
        let mut message = 0;
        let mut raised = 0;
        // SAFETY: `exec_raw` protects; the functions that are put in are those of this module.
        let filled = unsafe {
            lua.exec_raw::<()>((), |raw| {
                state = raw;
                fill(raw);
                message = make_types(raw);
                ffi::lua_pushcclosurek(raw, guards::raised, c"raised".as_ptr(), 0, None);
                raised = ffi::lua_ref(raw, -1);
                ffi::lua_settop(raw, 0);
            })
        };
        // From here on the host is freed with the machine.
        let machine = Machine { host, state, raised, _lua: lua };
        filled.map_err(failed)?;
        let lua = &machine._lua;
        let repeat = if live {
            // SAFETY: the function is of this module.
            let turns = unsafe { lua.create_c_function(guards::turns) }.map_err(failed)?;
            lua.load(LOOP.as_slice()).set_name("=prelude").call::<mlua::Function>(turns).map_err(failed)?
        } else {
            // SAFETY: the function is of this module.
            unsafe { lua.create_c_function(guards::repeat) }.map_err(failed)?
        };
        lua.globals().set("loop", repeat).map_err(failed)?;
        for name in ["pcall", "xpcall"] {
            // SAFETY: the function is of this module.
            let step = unsafe { lua.create_c_function(guards::protected) }.map_err(failed)?;
            let plain: mlua::Function = lua.globals().get(name).map_err(failed)?;
            let counted = lua
                .load(PROTECTED.as_slice())
                .set_name("=prelude")
                .call::<mlua::Function>((step, plain))
                .map_err(failed)?;
            lua.globals().set(name, counted).map_err(failed)?;
        }
        // SAFETY: the functions are of this module.
        let (members, keep) = unsafe {
            (lua.create_c_function(function::<calls::Members>), lua.create_c_function(function::<calls::KeepCounts>))
        };
        let (members, keep) = (members.map_err(failed)?, keep.map_err(failed)?);
        for (name, kind, _) in crate::collective::IRREGULAR {
            let call: mlua::Function = lua.globals().get(name).map_err(failed)?;
            let paired = kind == crate::application::CollectiveKind::Alltoall;
            let given = (call, members.clone(), keep.clone(), paired);
            let wrapped = lua.load(COUNTS.as_slice()).set_name("=prelude").call::<mlua::Function>(given);
            lua.globals().set(name, wrapped.map_err(failed)?).map_err(failed)?;
        }
        lua.sandbox(true).map_err(failed)?;
        // Few objects live long in a script; collecting less often makes recording faster.
        lua.gc_inc(GC_PAUSE, 0, 0);
        lua.set_memory_limit(usize::try_from(memory_bytes).unwrap_or(usize::MAX)).map_err(failed)?;
        // SAFETY: the callbacks are of this module, and the host stays where it is.
        unsafe {
            (*host).message = message;
            let callbacks = ffi::lua_callbacks(state);
            (*callbacks).interrupt = Some(guards::interrupt);
            (*callbacks).onallocate = Some(guards::allocated);
            (*callbacks).useratom = Some(atom);
        }
        Ok(machine)
    }

    /// Names that every script has.
    pub(in crate::application::script) fn globals(&self) -> std::collections::BTreeSet<String> {
        let library = self._lua.globals().metatable().and_then(|above| above.get::<mlua::Table>("__index").ok());
        let names = library.into_iter().flat_map(|table| table.pairs::<String, mlua::Value>().collect::<Vec<_>>());
        names.filter_map(|pair| Some(pair.ok()?.0)).collect()
    }

    /// The host. The machine does not run now.
    pub(in crate::application::script) fn host(&mut self) -> &mut Host {
        // SAFETY: it lives as long as the machine, and `&mut self` guarantees exclusive use.
        unsafe { &mut *self.host }
    }

    /// Takes the host out, and ends the machine.
    pub(in crate::application::script) fn into_host(mut self) -> Host {
        let empty = Host::new(Default::default(), Default::default(), &Default::default());
        std::mem::replace(self.host(), empty)
    }

    /// Runs the lines of the script itself.
    pub(in crate::application::script) fn run(&mut self, source: &str) -> Result<(), Failure> {
        let plain = |error: mlua::Error| Failure {
            memory: matches!(error, mlua::Error::MemoryError(_)),
            text: match error {
                mlua::Error::SyntaxError { message, .. } => message,
                error => error.to_string(),
            },
        };
        // Names of the library are looked up while it is loaded.
        let _running = Running::new(self.host);
        let chunk = self._lua.load(source).set_name("=script").set_mode(mlua::ChunkMode::Text);
        let compiler = mlua::Compiler::new().set_optimization_level(2).set_debug_level(1);
        let chunk = chunk.set_compiler(compiler).into_function().map_err(plain)?;
        let mut reference = 0;
        // SAFETY: the function is on top of the stack.
        unsafe {
            self._lua.exec_raw::<()>(chunk, |state| {
                reference = ffi::lua_ref(state, -1);
                ffi::lua_settop(state, 0);
            })
        }
        .map_err(plain)?;
        self.call(reference, &[])
    }

    /// Calls a function that was kept.
    pub(in crate::application::script) fn call(&mut self, function: i32, numbers: &[f64]) -> Result<(), Failure> {
        let _running = Running::new(self.host);
        // SAFETY: the state is that of the machine; what is pushed needs no memory; errors are caught.
        unsafe {
            let top = ffi::lua_gettop(self.state);
            ffi::lua_rawcheckstack(self.state, numbers.len() as c_int + 3);
            ffi::lua_rawgeti_(self.state, ffi::LUA_REGISTRYINDEX, self.raised);
            ffi::lua_rawgeti_(self.state, ffi::LUA_REGISTRYINDEX, function);
            for number in numbers {
                ffi::lua_pushnumber(self.state, *number);
            }
            let status = ffi::lua_pcall(self.state, numbers.len() as c_int, 0, top + 1);
            let result = if status == ffi::LUA_OK { Ok(()) } else { Err(failure(self.state, status)) };
            ffi::lua_settop(self.state, top);
            result
        }
    }

    /// A process that is to run alongside simulated time.
    pub(in crate::application::script) fn spawn(
        &mut self,
        function: i32,
        numbers: [f64; 2],
    ) -> Result<Thread, Failure> {
        let _running = Running::new(self.host);
        let mut making = Making { function, numbers, thread: Thread { state: std::ptr::null_mut(), reference: 0 } };
        // SAFETY: running out of memory is caught by `lua_cpcall`.
        unsafe {
            let top = ffi::lua_gettop(self.state);
            let status = ffi::lua_cpcall(self.state, make_thread, (&raw mut making).cast());
            let result = if status == ffi::LUA_OK { Ok(making.thread) } else { Err(failure(self.state, status)) };
            ffi::lua_settop(self.state, top);
            result
        }
    }

    /// Lets a process continue until it waits for something.
    pub(in crate::application::script) fn resume(&mut self, thread: Thread, first: bool) -> Result<Resumed, Failure> {
        let _running = Running::new(self.host);
        // SAFETY: the thread is one of this machine, and waits; its function and arguments stand ready at first.
        unsafe {
            let arguments = if first { 2 } else { 0 };
            match ffi::lua_resume_(thread.state, self.state, arguments) {
                ffi::LUA_OK => Ok(Resumed::Ended),
                ffi::LUA_YIELD => Ok(Resumed::Waiting),
                status => Err(failure(thread.state, status)),
            }
        }
    }

    /// Forgets a process.
    pub(in crate::application::script) fn forget(&mut self, thread: Thread) {
        // SAFETY: the reference is one of this machine; freeing it needs no memory.
        unsafe { ffi::lua_unref(self.state, thread.reference) };
    }
}

struct Making {
    function: i32,
    numbers: [f64; 2],
    thread: Thread,
}

unsafe extern "C-unwind" fn make_thread(state: *mut lua_State) -> c_int {
    // SAFETY: `lua_cpcall` gives the pointer that `spawn` gave it.
    unsafe {
        let making = ffi::lua_touserdata(state, 1).cast::<Making>();
        let thread = ffi::lua_newthread(state);
        let reference = ffi::lua_ref(state, -1);
        ffi::lua_rawgeti_(thread, ffi::LUA_REGISTRYINDEX, (*making).function);
        for number in (*making).numbers {
            ffi::lua_pushnumber(thread, number);
        }
        (*making).thread = Thread { state: thread, reference };
        0
    }
}

unsafe fn failure(state: *mut lua_State, status: c_int) -> Failure {
    // SAFETY: the error is on top of the stack; only a text is read.
    let text = unsafe {
        match value(state, -1) {
            Arg::Text(text) => String::from_utf8_lossy(&text[..text.len().min(4_000)]).into_owned(),
            other => format!("the script raised {} as an error", other.what()),
        }
    };
    Failure { memory: status == ffi::LUA_ERRMEM || text == "not enough memory", text }
}

/// How often a loop turns, of the arguments of `loop`.
pub(super) unsafe fn loop_count(state: *mut lua_State) -> Result<u64, Problem> {
    // SAFETY: the state is valid; `about` is filled in before it is read.
    unsafe {
        let count = whole("n", value(state, 1))?;
        if ffi::lua_type(state, 2) != ffi::LUA_TFUNCTION || ffi::lua_gettop(state) != 2 {
            return Err(Problem::new("wrong_argument", "its second argument is not a function")
                .allowed("loop(n, function() .. end)"));
        }
        let mut about: ffi::lua_Debug = std::mem::zeroed();
        ffi::lua_getinfo(state, -1, c"a".as_ptr(), &mut about);
        if about.nparams > 0 {
            return Err(Problem::new(
                "loop_index",
                "its function has a parameter, but it is recorded once, for all iterations",
            )
            .hint("use `for` where iterations differ"));
        }
        Ok(count)
    }
}

/// Numbers of known keys, which the machine keeps with each text.
unsafe extern "C-unwind" fn atom(text: *const c_char, length: usize) -> i16 {
    // SAFETY: the machine gives a text and its length.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    Key::named(text).map_or(-1, |key| key as i16)
}

/// Names of Luau that scripts must not use: functions, then tables.
const FORBIDDEN: &[&CStr] = &[
    c"require",
    c"load",
    c"loadstring",
    c"loadfile",
    c"dofile",
    c"getfenv",
    c"setfenv",
    c"newproxy",
    c"collectgarbage",
    c"gcinfo",
];
const FORBIDDEN_TABLES: &[&CStr] = &[c"os", c"io", c"debug", c"coroutine", c"package"];

/// Installs our functions, and removes those that scripts must not use.
unsafe fn fill(state: *mut lua_State) {
    // SAFETY: `exec_raw` protects; strings are static.
    unsafe {
        let globals = ffi::LUA_GLOBALSINDEX;
        for name in FORBIDDEN {
            push_forbidden(state, name);
            ffi::lua_setfield(state, globals, name.as_ptr());
        }
        for name in FORBIDDEN_TABLES {
            ffi::lua_createtable(state, 0, 0);
            ffi::lua_createtable(state, 0, 2);
            for event in [c"__index", c"__newindex", c"__call"] {
                push_forbidden(state, name);
                ffi::lua_setfield(state, -2, event.as_ptr());
            }
            ffi::lua_setmetatable(state, -2);
            ffi::lua_setfield(state, globals, name.as_ptr());
        }
        ffi::lua_getfield(state, globals, c"string".as_ptr());
        guard(state, &[c"find", c"match", c"gsub"], guards::guarded::<PATTERN>);
        guard(state, &[c"gmatch"], guards::gmatch);
        ffi::lua_getfield(state, globals, c"table".as_ptr());
        guard(state, &[c"sort"], guards::guarded::<SORT>);
        guard(
            state,
            &[c"insert", c"remove", c"move", c"concat", c"find", c"maxn", c"clone"],
            guards::guarded::<THROUGH>,
        );
        for name in [c"foreach", c"foreachi", c"getn"] {
            ffi::lua_pushnil(state);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
        ffi::lua_getfield(state, globals, c"math".as_ptr());
        push_forbidden(state, c"math.randomseed");
        ffi::lua_setfield(state, -2, c"randomseed".as_ptr());
        push(state, c"random", function::<calls::MathRandom>);
        ffi::lua_setfield(state, -2, c"random".as_ptr());
        ffi::lua_settop(state, 0);
        calls::each(&mut |name, call| {
            push(state, name, call);
            ffi::lua_setfield(state, globals, name.as_ptr());
        });
    }
}

/// A function of ours, which may make a live process wait.
unsafe fn push(state: *mut lua_State, name: &CStr, call: lua_CFunction) {
    // SAFETY: there is room for one value.
    unsafe { ffi::lua_pushcclosurek(state, call, name.as_ptr(), 0, Some(resumed)) }
}

unsafe fn push_forbidden(state: *mut lua_State, name: &CStr) {
    // SAFETY: there is room for two values.
    unsafe {
        ffi::lua_pushstring_(state, name.as_ptr());
        ffi::lua_pushcclosurek(state, guards::forbidden, name.as_ptr(), 1, None);
    }
}

/// Meters functions of the library that is on top of the stack.
unsafe fn guard(state: *mut lua_State, names: &[&CStr], by: lua_CFunction) {
    // SAFETY: there is room for two values.
    unsafe {
        for name in names {
            ffi::lua_getfield(state, -1, name.as_ptr());
            ffi::lua_pushcclosurek(state, by, name.as_ptr(), 1, None);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
    }
}

/// Grids and messages: the reference of the one message that stands for all.
unsafe fn make_types(state: *mut lua_State) -> c_int {
    // SAFETY: `exec_raw` protects.
    unsafe {
        ffi::lua_createtable(state, 0, 4);
        ffi::lua_createtable(state, 0, 4);
        for (name, call) in [
            (c"coords", function::<calls::Coords> as lua_CFunction),
            (c"rank", function::<calls::RankAt>),
            (c"neighbor", function::<calls::Neighbor>),
            (c"size", function::<calls::CartSize>),
        ] {
            push(state, name, call);
            ffi::lua_setfield(state, -2, name.as_ptr());
        }
        ffi::lua_setreadonly(state, -1, 1);
        ffi::lua_setfield(state, -2, c"__index".as_ptr());
        lock(state, c"cart");
        // The machine does not keep it alive by itself.
        ffi::lua_ref(state, -1);
        ffi::lua_setuserdatametatable(state, CART);

        ffi::lua_createtable(state, 0, 8);
        for event in [
            c"__index",
            c"__newindex",
            c"__len",
            c"__iter",
            c"__call",
            c"__tostring",
            c"__concat",
            c"__unm",
            c"__add",
            c"__sub",
            c"__mul",
            c"__div",
            c"__idiv",
            c"__mod",
            c"__pow",
            c"__lt",
            c"__le",
            c"__eq",
        ] {
            ffi::lua_pushcclosurek(state, guards::looked, event.as_ptr(), 0, None);
            ffi::lua_setfield(state, -2, event.as_ptr());
        }
        lock(state, c"message");
        let place = ffi::lua_newuserdatatagged(state, 8, MESSAGE).cast::<u64>();
        *place = 0;
        ffi::lua_insert(state, -2);
        ffi::lua_setmetatable(state, -2);
        ffi::lua_ref(state, -1)
    }
}

/// Hides and protects the metatable on top of the stack.
unsafe fn lock(state: *mut lua_State, name: &CStr) {
    // SAFETY: there is room for one value.
    unsafe {
        ffi::lua_pushboolean(state, 0);
        ffi::lua_setfield(state, -2, c"__metatable".as_ptr());
        ffi::lua_pushstring_(state, name.as_ptr());
        ffi::lua_setfield(state, -2, c"__type".as_ptr());
        ffi::lua_setreadonly(state, -1, 1);
    }
}

// The pointers that the machine hands around are never of other kinds.
const _: () = assert!(size_of::<*mut c_void>() == 8, "light values hold 64 bits");
