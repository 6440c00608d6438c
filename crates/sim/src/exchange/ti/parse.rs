//! Reads time-independent traces into an application.

use super::TYPE_SIZES;
use crate::application::{
    ANY_TAG, Application, Block, Collective, CollectiveKind, Group, Label, Op, Peer, Program, Programs, Site, Source,
    Tag,
};
use runcast_core::hash::{MixMap, MixSet};
use runcast_core::{Problem, Warning};
use std::collections::{HashMap, VecDeque};

#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// Its name, for messages.
    pub file: &'a str,
    pub bytes: &'a [u8],
}

#[derive(Debug)]
pub struct Parsed {
    /// The application: one label, `rank`.
    pub application: Application,
    /// Waits for requests that were never begun.
    pub warnings: Vec<Warning>,
}

/// Any source, in a trace.
const ANY_SOURCE_NUMBER: f64 = -333.0;
/// Any tag, in a trace.
const ANY_TAG_NUMBER: f64 = -444.0;
/// Tag of the messages of `alltoallv`.
const ALLTOALLV: Tag = -90;
/// Bytes are counted in `f64`.
const MOST_BYTES: f64 = 9_007_199_254_740_992.0;

/// Whether a file is a list of traces rather than a trace: its first line does not begin with a rank and an action.
pub fn is_list(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        let mut words = line.split_whitespace();
        words.next().is_none_or(|rank| rank.parse::<u64>().is_err()) || words.next().is_none()
    })
}

/// Reads traces: all ranks in one file, or one file per rank.
///
/// # Errors
/// What is wrong, with file and line.
pub fn parse(files: &[Text<'_>], name: &str) -> Result<Parsed, Problem> {
    let mut reader = Reader { count: count_ranks(files), ..Reader::default() };
    for (number, file) in files.iter().enumerate() {
        reader.with_lines = files.len() == 1;
        reader.file(file, number)?;
    }
    let count = reader.ranks.len() as u64;
    if count == 0 {
        return Err(Problem::new("empty", "there is no action in the trace")
            .in_file(files.first().map_or("", |file| file.file)));
    }
    if let Some(missing) = (0..count).find(|rank| !reader.ranks.contains_key(rank)) {
        let last = reader.ranks.keys().max().copied().unwrap_or(0);
        let message = format!("rank {missing} does nothing, but there is a rank {last}");
        let problem = Problem::new("missing_ranks", message).in_file(files[0].file);
        return Err(problem.hint("each rank needs at least init and finalize"));
    }
    reader.application(count, name, files)
}

/// How many ranks there are: forms with a count for each rank need it before all lines are read.
fn count_ranks(files: &[Text<'_>]) -> usize {
    let mut ranks: MixSet<u64> = MixSet::default();
    let mut last = None;
    for file in files {
        for line in file.bytes.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            let number = line.split(|byte| !byte.is_ascii_digit()).next();
            if let Some(rank) = number.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u64>().ok()) {
                // Lines of a rank mostly stand together.
                if last.replace(rank) != Some(rank) {
                    ranks.insert(rank);
                }
            }
        }
    }
    ranks.len()
}

#[derive(Default)]
struct Reader {
    /// Number of ranks.
    count: usize,
    ranks: MixMap<u64, Rank>,
    blocks: Vec<Block>,
    block_of: MixMap<u64, u32>,
    sites: Vec<u32>,
    /// Whether lines are kept: with one file per rank they would not say which file.
    with_lines: bool,
    lost_waits: u64,
    /// Partners that are checked when the number of ranks is known.
    largest_partner: Option<(u64, usize, u64)>,
}

/// A rank of the trace.
#[derive(Default)]
struct Rank {
    steps: Vec<(Step, Site)>,
    /// Requests under way, by source, destination and tag; -333 and -444 are any.
    open: MixMap<(i64, i64, i64), VecDeque<u32>>,
    /// Requests in the order in which they were begun, each with which use of its number that was.
    order: VecDeque<(u32, u32)>,
    /// Use of each number, and whether it is under way.
    uses: Vec<(u32, bool)>,
    free: Vec<u32>,
    requests: u32,
}

/// A step whose sizes may need the number of ranks.
enum Step {
    Op(Op),
    Collective { kind: CollectiveKind, bytes: f64, per_rank: bool, root: u64 },
}

impl Reader {
    fn file(&mut self, file: &Text<'_>, number: usize) -> Result<(), Problem> {
        let mut words: Vec<&str> = Vec::new();
        for (at, line) in file.bytes.split(|byte| *byte == b'\n').enumerate() {
            let line_number = at as u64 + 1;
            let Ok(line) = std::str::from_utf8(line) else {
                return Err(Problem::new("not_utf8", "the line is not UTF-8").in_file(file.file).at_line(line_number));
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            words.clear();
            words.extend(line.split_whitespace());
            self.line(&words, line_number, number)
                .map_err(|problem| problem.in_file(file.file).at_line(line_number))?;
        }
        Ok(())
    }

    fn line(&mut self, words: &[&str], line: u64, file: usize) -> Result<(), Problem> {
        let Ok(own) = words[0].parse::<u64>() else {
            return Err(Problem::new("not_a_number", "a line must begin with its rank").value(words[0]));
        };
        let Some(action) = words.get(1) else {
            return Err(Problem::new("missing", "the action is missing").allowed(ACTIONS));
        };
        let arguments = Arguments { words: &words[2..] };
        let site = if self.with_lines {
            self.sites.push(u32::try_from(line).unwrap_or(0));
            Site((self.sites.len() - 1) as u32)
        } else {
            Site(0)
        };
        let count = self.count;
        let rank = self.ranks.entry(own).or_default();
        let lower;
        let action = if action.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lower = action.to_ascii_lowercase();
            lower.as_str()
        } else {
            *action
        };
        let op = match action {
            "init" | "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" | "test" => return Ok(()),
            "compute" => {
                let flops = arguments.amount(0)?;
                Step::Op(Op::Compute(block(&mut self.blocks, &mut self.block_of, flops)))
            }
            "sleep" => Step::Op(Op::Sleep(arguments.amount(0)?.to_bits())),
            "send" | "isend" | "recv" | "irecv" => {
                let message = arguments.message()?;
                if let Some(peer) = message.peer
                    && self.largest_partner.is_none_or(|(largest, ..)| peer > largest)
                {
                    self.largest_partner = Some((peer, file, line));
                }
                let partner = |peer: u64| Peer::Offset(peer as i64 - own as i64);
                let source = message.peer.map_or(Source::Any, |peer| Source::Peer(partner(peer)));
                let (size, tag) = (message.size, message.tag.unwrap_or(ANY_TAG));
                let me = own as i64;
                let other = message.peer.map_or(-333, |peer| peer as i64);
                let tag_key = message.tag.unwrap_or(-444);
                let op = match (action, message.peer, message.tag) {
                    ("send" | "isend", None, _) | ("send" | "isend", _, None) => {
                        return Err(Problem::new("bad_rank", "a send needs its receiver and its tag"));
                    }
                    ("send", Some(peer), _) => Op::Send { to: partner(peer), size, tag },
                    ("isend", Some(peer), _) => Op::Isend {
                        to: partner(peer),
                        size,
                        tag,
                        request: rank.begin((me, other, tag_key)),
                        persistent: false,
                    },
                    ("recv", ..) => Op::Recv { from: source, tag },
                    _ => Op::Irecv { from: source, tag, request: rank.begin((other, me, tag_key)) },
                };
                Step::Op(op)
            }
            "wait" => {
                let key = (arguments.whole(0)?, arguments.whole(1)?, arguments.optional_whole(2)?.unwrap_or(0));
                let Some(request) = rank.take(key) else {
                    self.lost_waits += 1;
                    return Ok(());
                };
                Step::Op(Op::Wait { request })
            }
            "waitall" => {
                while let Some((request, turn)) = rank.order.pop_front() {
                    // Those that were waited for one by one are in the order still.
                    if rank.uses[request as usize] == (turn, true) {
                        rank.uses[request as usize].1 = false;
                        rank.free.push(request);
                        rank.steps.push((Step::Op(Op::Wait { request }), site));
                    }
                }
                rank.open.clear();
                return Ok(());
            }
            "barrier" => collective(CollectiveKind::Barrier, 0.0, false, 0),
            "bcast" => {
                let bytes = arguments.bytes(0, 2)?;
                collective(CollectiveKind::Bcast, bytes, false, arguments.root(1)?)
            }
            "reduce" => {
                let bytes = arguments.bytes(0, 3)?;
                let step = collective(CollectiveKind::Reduce, bytes, false, arguments.root(2)?);
                rank.steps.push((step, site));
                Step::Op(Op::Compute(block(&mut self.blocks, &mut self.block_of, arguments.amount(1)?)))
            }
            "allreduce" | "scan" | "exscan" => {
                let bytes = arguments.bytes(0, 2)?;
                let kind = match action {
                    "scan" => CollectiveKind::Scan,
                    "exscan" => CollectiveKind::Exscan,
                    _ => CollectiveKind::Allreduce,
                };
                rank.steps.push((collective(kind, bytes, false, 0), site));
                Step::Op(Op::Compute(block(&mut self.blocks, &mut self.block_of, arguments.amount(1)?)))
            }
            "alltoall" => collective(CollectiveKind::Alltoall, arguments.bytes(0, 2)?, true, 0),
            "allgather" => collective(CollectiveKind::Allgather, arguments.bytes(1, 3)?, true, 0),
            "gather" => collective(CollectiveKind::Gather, arguments.bytes(0, 3)?, true, arguments.root(2)?),
            "scatter" => collective(CollectiveKind::Scatter, arguments.bytes(1, 4)?, true, arguments.root(2)?),
            // With a count for each rank: own count, counts, root, types; counts, own count, root, types; and so on.
            "gatherv" => {
                let bytes = arguments.counts(1, count)? * arguments.type_at(count + 3)?;
                collective(CollectiveKind::Gather, bytes, false, arguments.root(count + 1)?)
            }
            "scatterv" => {
                let bytes = arguments.counts(0, count)? * arguments.type_at(count + 2)?;
                collective(CollectiveKind::Scatter, bytes, false, arguments.root(count + 1)?)
            }
            "allgatherv" => {
                let bytes = arguments.counts(1, count)? * arguments.type_at(count + 2)?;
                collective(CollectiveKind::Allgather, bytes, false, 0)
            }
            "reducescatter" | "reduce_scatter" => {
                let bytes = arguments.counts(0, count)? * arguments.type_at(count + 1)?;
                rank.steps.push((collective(CollectiveKind::ReduceScatter, bytes, false, 0), site));
                let flops = arguments.amount(count)?;
                Step::Op(Op::Compute(block(&mut self.blocks, &mut self.block_of, flops)))
            }
            "alltoallv" => return alltoallv(rank, own, count, &arguments, site),
            other => {
                return Err(Problem::new("unknown_action", "there is no such action").value(other).allowed(ACTIONS));
            }
        };
        rank.steps.push((op, site));
        Ok(())
    }

    fn application(mut self, count: u64, name: &str, files: &[Text<'_>]) -> Result<Parsed, Problem> {
        if let Some((partner, file, line)) = self.largest_partner
            && partner >= count
        {
            let problem = Problem::new("bad_rank", "there is no such rank").value(partner.to_string());
            return Err(problem.allowed(format!("0 to {}", count - 1)).in_file(files[file].file).at_line(line));
        }
        let mut collectives = Calls::default();
        let mut programs = Vec::with_capacity(count as usize);
        for number in 0..count {
            let rank = self.ranks.remove(&number).unwrap_or_default();
            let mut ops = Vec::with_capacity(rank.steps.len());
            for (step, site) in rank.steps {
                let op = match step {
                    Step::Op(op) => op,
                    Step::Collective { kind, bytes, per_rank, root } => {
                        let bytes = if per_rank { bytes * count as f64 } else { bytes };
                        let line = self.sites.get(site.0 as usize).copied().unwrap_or(0);
                        if bytes > MOST_BYTES || root >= count {
                            let (code, text, value) = if root >= count {
                                ("bad_rank", "the root is not a rank", root.to_string())
                            } else {
                                ("too_many_bytes", "more bytes than 2^53", bytes.to_string())
                            };
                            return Err(Problem::new(code, text)
                                .value(value)
                                .in_file(files[0].file)
                                .at_line(line.into()));
                        }
                        Op::Collective(collectives.number(kind, bytes as u64, root))
                    }
                };
                ops.push((op, site));
            }
            programs.push(Program { ops, requests: rank.requests });
        }
        let mut warnings = Vec::new();
        if self.lost_waits > 0 {
            let message = format!("{} waits for requests that were never begun were left out", self.lost_waits);
            warnings.push(Warning::new("lost_wait", message));
        }
        let label = Label::new("rank", 0, count, Programs::PerRank((0..count as u32).collect()));
        if self.sites.is_empty() {
            self.sites.push(0);
        }
        let application = Application {
            name: name.to_owned(),
            file: files[0].file.to_owned(),
            labels: vec![label],
            programs,
            blocks: self.blocks,
            collectives: collectives.all,
            groups: vec![Group { label: 0, members: None }],
            sites: self.sites,
            ..Application::default()
        };
        Ok(Parsed { application, warnings })
    }
}

const ACTIONS: &str = "init, finalize, compute, sleep, send, isend, recv, irecv, wait, waitall, test, barrier, bcast, reduce, \
                       allreduce, alltoall, allgather, gather, scatter, gatherv, scatterv, allgatherv, alltoallv, \
                       reducescatter, comm_size, location";

impl Rank {
    fn begin(&mut self, key: (i64, i64, i64)) -> u32 {
        let request = self.free.pop().unwrap_or_else(|| {
            self.requests += 1;
            self.uses.push((0, false));
            self.requests - 1
        });
        let of_number = &mut self.uses[request as usize];
        *of_number = (of_number.0.wrapping_add(1), true);
        let turn = of_number.0;
        if self.order.len() > 64 + 4 * self.requests as usize {
            let uses = &self.uses;
            self.order.retain(|(request, turn)| uses[*request as usize] == (*turn, true));
        }
        self.open.entry(key).or_default().push_back(request);
        self.order.push_back((request, turn));
        request
    }

    /// The oldest request of a key; a receive from any source was begun under another.
    fn take(&mut self, (source, target, tag): (i64, i64, i64)) -> Option<u32> {
        let keys = [(source, target, tag), (-333, target, tag), (source, target, -444), (-333, target, -444)];
        for key in keys {
            if let Some(request) = self.open.get_mut(&key).and_then(VecDeque::pop_front) {
                self.uses[request as usize].1 = false;
                self.free.push(request);
                return Some(request);
            }
        }
        None
    }
}

/// Collective calls, each once.
#[derive(Default)]
struct Calls {
    all: Vec<Collective>,
    known: HashMap<(CollectiveKind, u64, u64), u32>,
}

impl Calls {
    fn number(&mut self, kind: CollectiveKind, size: u64, root: u64) -> u32 {
        *self.known.entry((kind, size, root)).or_insert_with(|| {
            self.all.push(Collective { kind, size, root, group: 0, algorithm: None, counts: None });
            (self.all.len() - 1) as u32
        })
    }
}

fn collective(kind: CollectiveKind, bytes: f64, per_rank: bool, root: u64) -> Step {
    Step::Collective { kind, bytes, per_rank, root }
}

/// The block of this many operations.
fn block(blocks: &mut Vec<Block>, known: &mut MixMap<u64, u32>, flops: f64) -> u32 {
    *known.entry(flops.to_bits()).or_insert_with(|| {
        blocks.push(Block { ops: flops, ..Block::default() });
        (blocks.len() - 1) as u32
    })
}

/// Messages to and from all: buffer, counts to send, buffer, counts to receive, types.
fn alltoallv(rank: &mut Rank, own: u64, lists: usize, arguments: &Arguments<'_>, site: Site) -> Result<(), Problem> {
    arguments.text(2 * lists + 1)?;
    let (to, from) = (arguments.type_at(2 * lists + 2)?, arguments.type_at(2 * lists + 3)?);
    let mut requests = Vec::new();
    for step in 0..lists as u64 {
        let sender = (own + lists as u64 - step) % lists as u64;
        if arguments.amount(2 + lists + sender as usize)? * from > 0.0 {
            let request = rank.begin((-1, -1, -1));
            requests.push(request);
            let source = Source::Peer(Peer::Offset(sender as i64 - own as i64));
            rank.steps.push((Step::Op(Op::Irecv { from: source, tag: ALLTOALLV, request }), site));
        }
    }
    for step in 0..lists as u64 {
        let receiver = (own + step) % lists as u64;
        let bytes = arguments.amount(1 + receiver as usize)? * to;
        if bytes > MOST_BYTES {
            return Err(Problem::new("too_many_bytes", "more bytes than 2^53").value(bytes.to_string()));
        }
        if bytes > 0.0 {
            let request = rank.begin((-1, -1, -1));
            requests.push(request);
            let to = Peer::Offset(receiver as i64 - own as i64);
            rank.steps.push((
                Step::Op(Op::Isend { to, size: bytes as u64, tag: ALLTOALLV, request, persistent: false }),
                site,
            ));
        }
    }
    for request in requests {
        rank.take((-1, -1, -1));
        rank.steps.push((Step::Op(Op::Wait { request }), site));
    }
    Ok(())
}

/// A message as a line says it.
struct Message {
    peer: Option<u64>,
    tag: Option<Tag>,
    size: u64,
}

struct Arguments<'a> {
    words: &'a [&'a str],
}

impl Arguments<'_> {
    fn text(&self, at: usize) -> Result<&str, Problem> {
        self.words.get(at).copied().ok_or_else(|| {
            Problem::new("missing", format!("the action has {} arguments, but needs more", self.words.len()))
        })
    }

    fn number(&self, at: usize) -> Result<f64, Problem> {
        let text = self.text(at)?;
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| Problem::new("not_a_number", "a number is expected here").value(text))
    }

    /// A number that is not negative.
    fn amount(&self, at: usize) -> Result<f64, Problem> {
        let value = self.number(at)?;
        if value < 0.0 {
            return Err(Problem::new("negative", "a number is negative").value(value.to_string()).allowed("0 or more"));
        }
        Ok(value)
    }

    fn whole(&self, at: usize) -> Result<i64, Problem> {
        let value = self.number(at)?;
        if value.fract() != 0.0 || value.abs() > 1e15 {
            return Err(Problem::new("not_a_number", "a whole number is expected here").value(value.to_string()));
        }
        Ok(value as i64)
    }

    fn optional_whole(&self, at: usize) -> Result<Option<i64>, Problem> {
        if at < self.words.len() { self.whole(at).map(Some) } else { Ok(None) }
    }

    fn root(&self, at: usize) -> Result<u64, Problem> {
        let Some(root) = self.optional_whole(at)? else { return Ok(0) };
        u64::try_from(root).map_err(|_| Problem::new("bad_rank", "the root is not a rank").value(root.to_string()))
    }

    /// Bytes of an item of the type that is here; 1 if there is none.
    fn type_at(&self, at: usize) -> Result<f64, Problem> {
        let Some(number) = self.optional_whole(at)? else { return Ok(1.0) };
        let size = usize::try_from(number).ok().and_then(|number| TYPE_SIZES.get(number).copied());
        size.map(|size| size as f64).ok_or_else(|| {
            Problem::new("unknown_type", "there is no such type of data").value(number.to_string()).allowed("0 to 12")
        })
    }

    /// Bytes of this many items of a type.
    fn bytes(&self, count: usize, of_type: usize) -> Result<f64, Problem> {
        let bytes = self.amount(count)? * self.type_at(of_type)?;
        if bytes > MOST_BYTES {
            return Err(Problem::new("too_many_bytes", "more bytes than 2^53").value(bytes.to_string()));
        }
        Ok(bytes)
    }

    fn message(&self) -> Result<Message, Problem> {
        let peer = self.whole(0)?;
        let tag = self.whole(1)?;
        let size = self.bytes(2, 3)?;
        let peer = if peer as f64 == ANY_SOURCE_NUMBER {
            None
        } else {
            let peer = u64::try_from(peer);
            Some(peer.map_err(|_| Problem::new("bad_rank", "there is no such rank").value(self.words[0]))?)
        };
        // Negative tags of a program are its own business: they fit no other tag.
        let tag = if tag as f64 == ANY_TAG_NUMBER {
            None
        } else if tag < 0 {
            Some(tag.unsigned_abs() as Tag + (1 << 40))
        } else {
            Some(tag)
        };
        Ok(Message { peer, tag, size: size as u64 })
    }

    /// The sum of the counts of all ranks.
    fn counts(&self, from: usize, ranks: usize) -> Result<f64, Problem> {
        let mut sum = 0.0;
        for at in from..from + ranks {
            sum += self.amount(at)?;
        }
        Ok(sum)
    }
}
