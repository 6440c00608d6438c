//! Modules, call sites and communicators.

use crate::stream::{Stream, get_stream, put_stream};
use crate::wire::{Input, put_u};
use runcast_core::Problem;

/// A file of code that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Module {
    /// Its path.
    pub path: String,
    /// The identity that the linker gave it; empty if it did not.
    pub build_id: Vec<u8>,
}

/// Return addresses of a call, outwards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Site {
    /// Module and offset in it.
    pub frames: Vec<(u32, u64)>,
}

/// A communicator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Comm {
    /// Number of the communicator that it was made from.
    pub parent: u32,
    /// What it is.
    pub kind: u32,
    /// Its members as ranks of the world, in order.
    pub members: Stream,
    /// Sizes of its dimensions, and whether they are periodic.
    pub dims: Vec<(u64, bool)>,
}

impl Comm {
    /// The kinds, as they are shown.
    pub fn kind_name(&self) -> &'static str {
        ["world", "self", "intra", "inter", "cart", "graph", "dist_graph"].get(self.kind as usize).unwrap_or(&"other")
    }

    /// The rank in it of a rank of the world.
    pub fn rank_of(&self, world: u32) -> Option<u64> {
        self.members.values().position(|member| member == i64::from(world)).map(|place| place as u64)
    }
}

/// The name of a site where nothing better is known: `app+0x1742`.
pub fn address(site: &Site, modules: &[Module]) -> String {
    let Some((module, offset)) = site.frames.first() else { return "unknown".to_owned() };
    let path = modules.get(*module as usize).map_or("", |module| module.path.as_str());
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("unknown");
    format!("{}+{offset:#x}", name.escape_debug())
}

pub(crate) fn put_modules(out: &mut Vec<u8>, modules: &[Module]) {
    put_u(out, modules.len() as u64);
    for module in modules {
        for bytes in [module.path.as_bytes(), &module.build_id] {
            put_u(out, bytes.len() as u64);
            out.extend(bytes);
        }
    }
}

pub(crate) fn get_modules(input: &mut Input<'_>) -> Result<Vec<Module>, Problem> {
    let count = input.count(2)?;
    let one = |_| {
        let length = input.count(1)?;
        let path = String::from_utf8_lossy(input.take(length)?).into_owned();
        let length = input.count(1)?;
        Ok(Module { path, build_id: input.take(length)?.to_vec() })
    };
    (0..count).map(one).collect()
}

pub(crate) fn put_sites(out: &mut Vec<u8>, sites: &[Site]) {
    put_u(out, sites.len() as u64);
    for site in sites {
        put_u(out, site.frames.len() as u64);
        for (module, offset) in &site.frames {
            put_u(out, u64::from(*module));
            put_u(out, *offset);
        }
    }
}

pub(crate) fn get_sites(input: &mut Input<'_>, modules: usize) -> Result<Vec<Site>, Problem> {
    let count = input.count(1)?;
    let one = |_| {
        let depth = input.count(2)?;
        let frames =
            (0..depth).map(|_| Ok((input.narrow("a module")?, input.u()?))).collect::<Result<Vec<_>, Problem>>()?;
        if frames.iter().any(|(module, _): &(u32, u64)| *module as usize >= modules) {
            return Err(input.problem(format_args!("a call site in a module beyond the {modules} known")));
        }
        Ok(Site { frames })
    };
    (0..count).map(one).collect()
}

pub(crate) fn put_comms(out: &mut Vec<u8>, comms: &[Comm]) {
    put_u(out, comms.len() as u64);
    for comm in comms {
        put_u(out, u64::from(comm.parent));
        put_u(out, u64::from(comm.kind));
        put_stream(out, &comm.members);
        put_u(out, comm.dims.len() as u64);
        for (size, is_periodic) in &comm.dims {
            put_u(out, *size);
            put_u(out, u64::from(*is_periodic));
        }
    }
}

pub(crate) fn get_comms(input: &mut Input<'_>) -> Result<Vec<Comm>, Problem> {
    let count = input.count(4)?;
    let one = |_| {
        let (parent, kind) = (input.narrow("a parent")?, input.narrow("a kind")?);
        let members = get_stream(input)?;
        let dims = input.count(2)?;
        let dims = (0..dims).map(|_| Ok((input.u()?, input.u()? != 0))).collect::<Result<_, Problem>>()?;
        Ok(Comm { parent, kind, members, dims })
    };
    (0..count).map(one).collect()
}
