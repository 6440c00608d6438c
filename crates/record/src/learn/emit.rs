//! The program as a script of the simulator.

mod help;

use super::align::Item;
use super::block::Block;
use super::check::posts;
use super::reach::Reach;
use super::rules::Rule;
use super::{Apart, Cell, Key, Learnt, grid};
use crate::formula::Monomial;
use crate::vocabulary::{Flags, call, shown};
use help::HELP;
use std::fmt::Write;

/// Blocks of a smaller share of all processor time are left out.
const LEAST_SHARE: f64 = 1e-4;

/// The least doubt of the time of a block, as a share.
const LEAST_DOUBT: f64 = 0.03;

/// Executions that differ less take the same time.
const LEAST_SPREAD: f64 = 0.02;

/// Executions differ at most so much: an exponential law cannot be wider than its mean.
const MOST_SPREAD: f64 = 0.9;

/// A script with its coefficients.
#[derive(Debug, Clone, Default)]
pub struct Emitted {
    /// The script.
    pub script: String,
    /// Of each block that the script has.
    pub coefficients: Vec<Coefficient>,
    /// Share of the processor time that the script has.
    pub time_share: f64,
}

impl Learnt {
    /// The script; `params` are values of the parameters, with their names.
    pub fn emit(&self, params: &[(String, f64)], head: &[String]) -> Emitted {
        let mut writer = Writer { learnt: self, out: Emitted::default(), depth: 1, total_s: 0.0, kept_s: 0.0 };
        writer.total_s = self.items.iter().map(total_s).sum();
        writer.head(params, head);
        let head = std::mem::take(&mut writer.out.script);
        writer.body(&self.items, &[]);
        let body = std::mem::replace(&mut writer.out.script, head);
        if body.contains("post(") || body.contains("finish{") || body.contains("r[") {
            writer.line("local r, lasting = {}, {}  -- requests by the number of the call that made them");
        }
        let is_used = |name: &str| body.contains(name) || name == "quiet(" && body.contains("access(");
        for (_, help) in HELP.iter().filter(|(name, _)| is_used(name)) {
            writer.out.script.push_str("  ");
            writer.out.script.push_str(help);
        }
        writer.out.script.push_str(&body);
        writer.out.script.push_str("end }\n");
        writer.out.time_share = if writer.total_s > 0.0 { writer.kept_s / writer.total_s } else { 1.0 };
        writer.out
    }
}

/// Processor time of the blocks of an item, over all recordings.
pub(super) fn total_s(item: &Item) -> f64 {
    let own = [&item.told.block, &item.told.first].into_iter().flatten();
    own.map(Block::total_s).sum::<f64>() + item.body.iter().map(total_s).sum::<f64>()
}

impl Block {
    /// Over all recordings.
    pub fn total_s(&self) -> f64 {
        self.means_s.iter().zip(&self.executions).map(|(mean, n)| mean.unwrap_or(0.0) * n).sum()
    }
}

/// The time of a block of the script.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// The type of the block.
    pub name: String,
    /// Seconds a unit of its size: the least that an execution takes.
    pub value_s: f64,
    /// Lower end of its range.
    pub low_s: f64,
    /// Upper end.
    pub high_s: f64,
    /// Share of all processor time.
    pub share: f64,
    /// Executions take `1 + X` times as long, X exponential with this mean.
    pub noise: f64,
}

impl Coefficient {
    /// Executions differ by this share of what they did; their mean stays.
    pub fn spread_by(&mut self, share: f64) {
        // X of mean m has the standard deviation m in a mean of 1 + m.
        let variation = share * self.noise / (1.0 + self.noise);
        let noise = variation / (1.0 - variation);
        let factor = (1.0 + self.noise) / (1.0 + noise);
        [&mut self.value_s, &mut self.low_s, &mut self.high_s].into_iter().for_each(|time| *time *= factor);
        self.noise = noise;
    }
}

struct Writer<'a> {
    learnt: &'a Learnt,
    out: Emitted,
    depth: usize,
    total_s: f64,
    kept_s: f64,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out.script, "{}{text}", "  ".repeat(self.depth));
    }

    fn head(&mut self, params: &[(String, f64)], head: &[String]) {
        self.depth = 0;
        for line in head {
            self.line(&format!("-- {line}"));
        }
        let most = self.learnt.p.iter().max().copied().unwrap_or(1);
        self.line(&format!("local p = param(\"p\", {most}, \"processes\")"));
        for (name, value) in params {
            self.line(&format!("local {name} = param(\"{name}\", {value}, \"of the program\")"));
        }
        self.line("local ceil, floor, sqrt = math.ceil, math.floor, math.sqrt");
        self.line("local lg = ceil(math.log(p)/math.log(2) - 1e-9)  -- rounds in which all ranks reach each other");
        if let Some(found) = &self.learnt.grid {
            let names: Vec<String> = (1..=found.dims).map(|dim| format!("q[{dim}]")).collect();
            if found.rule == grid::Rule::Bisected {
                self.out.script.push_str(&help::bisected(found.dims));
            } else {
                self.line(&format!("local q = dims(p, {})", found.dims));
            }
            if found.rule == grid::Rule::Reversed && found.dims > 1 {
                let reversed: Vec<&str> = names.iter().rev().map(String::as_str).collect();
                self.line(&format!("q = {{ {} }}", reversed.join(", ")));
            }
            self.line(&format!("local g = cart{{ {}, periodic = {} }}", names.join(", "), found.wrap));
        }
        self.line("local function whole(x) return floor(x + 0.5) end");
        for one in &self.learnt.unforeseen {
            let near = one.rule.text(&self.learnt.symbols, "0");
            let near = if one.is_whole { format!("whole({near})") } else { near };
            let (name, at) = (&one.name, plain(&one.at));
            self.line(&format!("local {name} = param(\"{name}\", {near}, \"turns, from the data: {at}\")"));
        }
        self.out.script.push('\n');
        self.line("label{ \"rank\", count = p, run = function(rank)");
        self.depth = 1;
        if self.learnt.apart == Apart::Bits {
            self.line("-- zeros at the end of the number of the rank, in binary");
            self.line("local z = if rank == 0 then whole(lg) else 0");
            self.line("while rank > 0 and rank % 2^(z + 1) == 0 do z = z + 1 end");
            self.line("local w = 2^z");
        }
        if let Some(found) = &self.learnt.grid {
            let is_bisected = found.rule == grid::Rule::Bisected;
            self.line(if is_bisected { "local c = dealt(rank)" } else { "local c = g:coords(rank)" });
            let dims = (1..=found.dims).map(|dim| format!("c[{dim}] + steps[{dim}]"));
            let to = dims.collect::<Vec<_>>().join(", ");
            self.line("-- the rank so many steps away; none outside of the grid");
            let place = format!("g:rank{{ {to} }}");
            let place = if is_bisected { format!("from_place({place})") } else { place };
            self.line(&format!("local function at(steps) return {place} end"));
        }
    }

    fn body(&mut self, items: &[Item], open: &[String]) {
        let mut place = 0;
        while place < items.len() {
            let item = &items[place];
            let guard = self.guard(item);
            // Calls that differ in their steps only are a loop over these.
            let alike = items[place..].iter().take_while(|other| self.same_but_steps(item, other)).count();
            if let Some(guard) = &guard {
                self.line(&format!("if {guard} then"));
                self.depth += 1;
            }
            match item.key {
                None => self.cycle(item, open),
                Some(key) if alike > 2 => self.neighbors(key, &items[place..place + alike]),
                Some(key) => self.call(item, key, open),
            }
            if guard.is_some() {
                self.depth -= 1;
                self.line("end");
            }
            place += if alike > 2 { alike } else { 1 };
        }
    }

    fn same_but_steps(&self, first: &Item, other: &Item) -> bool {
        let is_steps = |item: &Item| matches!(item.to, Reach::Grid(_)) && item.told.trips.is_none();
        let is_kind = first.key.is_some_and(posts) && first.key == other.key;
        is_kind && is_steps(first) && is_steps(other) && first.told.cells.is_none() && other.told.cells.is_none()
    }

    fn cycle(&mut self, item: &Item, open: &[String]) {
        let index = index_of(item, open);
        let trips = item.told.trips.as_ref().map_or("1".to_owned(), |rule| self.text(rule, &index));
        let trips = if item.told.is_shared { format!("floor(({trips} + p - 1 - rank)/(p - 1))") } else { trips };
        let own = format!("k{}", open.len());
        let takes_turns = item.body.iter().any(|inner| inner.to == Reach::Answer);
        if let Some((first, block)) = item.body.first().and_then(|first| Some((first, first.told.first.as_ref()?))) {
            self.compute(block, &format!("b{}_first", first.number), &format!("whole({trips}) > 0"));
        }
        let is_indexed = takes_turns || item.is_entangled || item.body.iter().any(|inner| uses(inner, open.len()));
        if is_indexed {
            self.line(&format!("local n{} = whole({trips})", open.len()));
            self.line(&format!("for {own} = 0, n{} - 1 do", open.len()));
        } else {
            self.line(&format!("loop(whole({trips}), function()"));
        }
        self.depth += 1;
        let mut inside = open.to_vec();
        inside.push(own);
        self.body(&item.body, &inside);
        self.depth -= 1;
        self.line(if is_indexed { "end" } else { "end)" });
    }

    fn text(&self, rule: &Rule, index: &str) -> String {
        rule.text(&self.learnt.symbols, index)
    }

    /// The condition on the position; none where all do it.
    fn guard(&self, item: &Item) -> Option<String> {
        let mut all: Vec<String> = item.told.cells.iter().map(|cells| where_(cells)).collect();
        if let (Some(_), Some(rule)) = (item.key, &item.told.trips) {
            all.push(format!("whole({}) > 0", self.text(rule, "0")));
        }
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// A comment that names the call, with its number in the documents.
    fn comment(&self, key: Key) -> String {
        let site = plain(self.learnt.sites.get(key.site).map_or("", String::as_str));
        format!("  -- s{} {} {site}", key.site, shown(key.call, key.flags))
    }

    /// The time before a call.
    fn block(&mut self, item: &Item) {
        let Some(block) = &item.told.block else { return };
        let name = format!("b{}", item.number);
        if item.told.by_cell.is_empty() {
            return self.compute(block, &name, "");
        }
        for (cell, block) in &item.told.by_cell {
            self.compute(block, &format!("{name}_{}", cell.text()), &cell.condition());
        }
    }

    /// A block with its coefficient, under a condition if there is one.
    fn compute(&mut self, block: &Block, name: &str, condition: &str) {
        let total = block.total_s();
        if total < LEAST_SHARE * self.total_s || block.factor_s <= 0.0 {
            return;
        }
        self.kept_s += total;
        self.part(block, (block.factor_s, &block.term, total), name, condition);
        if let Some((factor_s, term)) = &block.more {
            self.part(block, (*factor_s, term, 0.0), &format!("{name}_more"), condition);
        }
    }

    /// A term of a block, with its share of all time.
    fn part(&mut self, block: &Block, (factor_s, term, total): (f64, &Monomial, f64), name: &str, condition: &str) {
        let name = name.to_owned();
        let names: Vec<&str> = self.learnt.symbols.iter().map(String::as_str).collect();
        let term = crate::formula::term_text(term, &names);
        let call = format!("compute{{ type = \"{name}\", size = {term} }}");
        if condition.is_empty() {
            self.line(&call);
        } else {
            self.line(&format!("if {condition} then {call} end"));
        }
        let doubt = LEAST_DOUBT.max(1.645 * block.misfit);
        // The standard deviation of 1 + X is m in a mean of 1 + m.
        let spread = block.spread.min(MOST_SPREAD);
        let noise = if spread > LEAST_SPREAD { spread / (1.0 - spread) } else { 0.0 };
        let value_s = factor_s / (1.0 + noise);
        let (low_s, high_s) = (value_s * (-doubt).exp(), value_s * doubt.exp());
        self.out.coefficients.push(Coefficient { name, value_s, low_s, high_s, share: total / self.total_s, noise });
    }

    fn call(&mut self, item: &Item, key: Key, open: &[String]) {
        let is_message = matches!(key.call, call::SEND..=call::PSEND | call::RECV..=call::PRECV);
        if !(is_message && may_lack_partner(item)) {
            self.block(item);
        }
        let innermost = open.last().filter(|_| item.to == Reach::Answer);
        let index = innermost.cloned().unwrap_or_else(|| index_of(item, open));
        let note = self.comment(key);
        let down = format!("({} - 1 - {index})", index.replace('k', "n"));
        let field = |place: usize| {
            let index = if item.told.counts_down[place] { &down } else { &index };
            item.told.fields[place].as_ref().map_or("0".to_owned(), |rule| self.text(rule, index))
        };
        let (size, tag) = (format!("whole({})", field(0)), field(1));
        let is_fitted = matches!(item.told.fields[2], Some(Rule::Fitted(..)));
        let root = if is_fitted { format!("whole({})", field(2)) } else { field(2) };
        let code = key.call;
        match code {
            call::SEND..=call::PSEND | call::RECV..=call::PRECV => self.message(item, key, &index, (&size, &tag)),
            call::SENDRECV => {
                let (to, from) = (self.partner(&item.to, &index), self.partner(&item.from, &index));
                self.line(&format!("exchange({to}, {from}, {size}, {tag}){note}"));
            }
            call::WAIT..=call::WAITSOME if !item.completes.is_empty() => {
                self.line(&format!("finish{{ {} }}{note}", ranges(&item.completes)));
            }
            call::START => {
                self.line(&format!("begin{{ {} }}{note}", ranges(&item.completes)));
            }
            call::BARRIER..=call::LAST_COLLECTIVE if item.comm == 1 => {
                self.line(&format!("{}: of this rank alone", note.trim_start()));
            }
            call::BARRIER if !key.flags.has(Flags::NONBLOCKING) => {
                let call = if item.comm > 1 {
                    format!("barrier{{ comm = {} }}", line_of(item.comm))
                } else {
                    "barrier()".to_owned()
                };
                self.line(&format!("{call}{note}"));
            }
            call::NEIGHBOR_ALLGATHER..=call::LAST_COLLECTIVE if !self.learnt.is_left_out(code) => {
                self.line(&format!("halo({size}/(2*#q)){note}"));
            }
            call::BARRIER..=call::LAST_COLLECTIVE => match collective(code) {
                Some((name, has_root)) => {
                    let mut root = if has_root { format!(", root = {root}") } else { String::new() };
                    if item.comm > 1 {
                        root.push_str(&format!(", comm = {}", line_of(item.comm)));
                    }
                    let call = if key.flags.has(Flags::NONBLOCKING) {
                        format!("post({}, icollective(\"{name}\", {{ size = {size}{root} }}))", item.number)
                    } else {
                        format!("{name}{{ size = {size}{root} }}")
                    };
                    self.line(&format!("{call}{note}"));
                }
                None => self.line(&format!("{}: not modelled", note.trim_start())),
            },
            call::PUT..=call::ACCUMULATE => self.access(item, key, (&index, &size)),
            call::WIN | call::FENCE => self.line(&format!("quiet() barrier(){note}")),
            call::COMPLETE_WAIT | call::UNLOCK | call::FLUSH => self.line(&format!("quiet(){note}")),
            _ if self.learnt.is_left_out(code) => self.line(&format!("{}: not modelled", note.trim_start())),
            _ => {}
        }
    }

    /// An access to the window of another rank is a message, which the other one receives: all ranks that make the call
    /// know who makes it with them. What is got comes from there.
    fn access(&mut self, item: &Item, key: Key, (index, size): (&str, &str)) {
        let note = self.comment(key);
        let back = match &item.to {
            Reach::Grid(steps) => Some(Reach::Grid(steps.iter().map(|step| -step).collect())),
            Reach::Affine { sign: 1, shift } => Some(Reach::Affine { sign: 1, shift: -shift }),
            Reach::Power { sign, wrap, down } => Some(Reach::Power { sign: -sign, wrap: *wrap, down: *down }),
            same @ (Reach::Xor { .. } | Reach::XorBits(_) | Reach::Affine { .. } | Reach::Transpose) => {
                Some(same.clone())
            }
            Reach::All(sign) if *sign != 0 => Some(Reach::All(-sign)),
            _ => None,
        };
        let Some(back) = back else {
            self.line(&format!("{}: not modelled", note.trim_start()));
            return;
        };
        let (there, here) = (self.partner(&item.to, index), self.partner(&back, index));
        let (to, from) = if key.call == call::GET { (here, there) } else { (there, here) };
        self.line(&format!("access({to}, {from}, {size}){note}"));
    }

    fn message(&mut self, item: &Item, key: Key, index: &str, (size, tag): (&str, &str)) {
        let sends = key.call < call::RECV;
        let (what, whom) = if sends { ("send", "to") } else { ("recv", "from") };
        let size = if sends { format!(", size = {size}") } else { String::new() };
        let partner = self.partner(&item.to, index);
        let name = match () {
            () if key.flags.has(Flags::PERSISTENT) => format!("{what}_init"),
            () if key.flags.has(Flags::NONBLOCKING) => format!("i{what}"),
            () => what.to_owned(),
        };
        let number = item.number;
        let made = |partner: &str| {
            let call = format!("{name}{{ {whom} = {partner}{size}, tag = {tag} }}");
            match () {
                () if key.flags.has(Flags::PERSISTENT) => {
                    format!("lasting[{number}] = true; r[{number}] = {{ {call} }}")
                }
                () if posts(key) => format!("post({number}, {call})"),
                () => call,
            }
        };
        let note = self.comment(key);
        if always_has_partner(&item.to) {
            self.line(&format!("{}{note}", made(&partner)));
            return;
        }
        let before = if may_lack_partner(item) { self.block_within(item, 2) } else { String::new() };
        if before.is_empty() {
            self.line(&format!("do local to = {partner}; if to then {} end end{note}", made("to")));
            return;
        }
        self.line(&format!("do local to = {partner}{note}"));
        self.line("  if to then");
        self.out.script.push_str(&before);
        self.line(&format!("    {}", made("to")));
        self.line("  end");
        self.line("end");
    }

    /// The time before a call as lines so much deeper, to be put where only ranks that make the call get.
    fn block_within(&mut self, item: &Item, deeper: usize) -> String {
        let script = std::mem::take(&mut self.out.script);
        self.depth += deeper;
        self.block(item);
        self.depth -= deeper;
        std::mem::replace(&mut self.out.script, script)
    }

    /// Messages of one call to many neighbors.
    fn neighbors(&mut self, key: Key, items: &[Item]) {
        for item in items {
            let before = self.block_within(item, usize::from(may_lack_partner(item)));
            if !may_lack_partner(item) {
                self.out.script.push_str(&before);
            } else if !before.is_empty() {
                self.line(&format!("if {} then", self.partner(&item.to, "0")));
                self.out.script.push_str(&before);
                self.line("end");
            }
        }
        let sends = key.call < call::RECV;
        let note = self.comment(key);
        self.line(&format!("for _, o in {{{note}"));
        for item in items {
            let Reach::Grid(steps) = &item.to else { continue };
            let steps = steps.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let field =
                |place: usize| item.told.fields[place].as_ref().map_or("0".to_owned(), |rule| self.text(rule, "0"));
            let size = if sends { format!("size = whole({}), ", field(0)) } else { String::new() };
            let line = format!("  {{ {steps}, {size}tag = {}, n = {} }},", field(1), item.number);
            self.line(&line);
        }
        self.line("} do");
        let call =
            if sends { "isend{ to = to, size = o.size, tag = o.tag }" } else { "irecv{ from = to, tag = o.tag }" };
        self.line("  local to = at(o)");
        self.line(&format!("  if to then post(o.n, {call}) end"));
        self.line("end");
    }

    /// The partner as an expression.
    fn partner(&self, reach: &Reach, index: &str) -> String {
        let turns = index.replace('k', "n");
        let bit = |down: bool| if down { format!("2^({turns} - 1 - {index})") } else { format!("2^{index}") };
        match reach {
            Reach::Nobody => "nil".to_owned(),
            Reach::Matched => "\"any\"".to_owned(),
            Reach::Answer => format!("1 + {index} % (p - 1)"),
            Reach::Fixed(roots) => {
                let last = roots.iter().zip(&self.learnt.p).all(|(root, p)| *root + 1 == i64::from(*p));
                if last { "p - 1".to_owned() } else { roots.first().map_or("0".to_owned(), i64::to_string) }
            }
            Reach::Grid(steps) => {
                format!("at{{ {} }}", steps.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
            }
            Reach::Xor { down } => format!("inside(bit32.bxor(rank, {}))", bit(*down)),
            Reach::XorBits(bits) => format!("inside(bit32.bxor(rank, {bits}))"),
            Reach::Power { sign, wrap, down } => {
                let to = format!("rank {} {}", if *sign < 0 { '-' } else { '+' }, bit(*down));
                if *wrap { format!("({to}) % p") } else { format!("inside({to})") }
            }
            Reach::Affine { sign, shift } => {
                format!("({}rank + {shift}) % p", if *sign < 0 { "-" } else { "" })
            }
            Reach::Parent => "(if rank > 0 then bit32.band(rank, rank - 1) else nil)".to_owned(),
            Reach::Transpose => "(rank % sqrt(p))*sqrt(p) + floor(rank/sqrt(p))".to_owned(),
            Reach::All(0) => format!("(if {index} < rank then {index} else {index} + 1)"),
            Reach::All(sign) => format!("(rank + {sign}*({index} + 1)) % p"),
        }
    }
}

/// The innermost address of a call site, as it may stand in a comment or a text.
fn plain(site: &str) -> String {
    let inner = site.split(" < ").next().unwrap_or_default();
    inner.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\')).collect()
}

/// The communicator of a number that is 2 and a bit for each dimension.
fn line_of(comm: u32) -> String {
    let mask = comm - 2;
    let free = (0..32).filter(|dim| mask >> dim & 1 == 1).map(|dim| format!("[{}] = true", dim + 1));
    format!("line{{ {} }}", free.collect::<Vec<_>>().join(", "))
}

/// Numbers of calls.
fn ranges(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The name of the index that an item follows.
fn index_of(item: &Item, open: &[String]) -> String {
    item.told.depth.and_then(|depth| open.get(depth)).cloned().unwrap_or_else(|| "0".to_owned())
}

/// Whether each rank has this partner.
fn always_has_partner(to: &Reach) -> bool {
    matches!(to, Reach::Matched | Reach::Answer | Reach::Fixed(_) | Reach::Affine { .. })
}

/// Whether ranks without the partner do not make the call, nor what comes before it.
fn may_lack_partner(item: &Item) -> bool {
    !item.calls_nobody && !always_has_partner(&item.to) && item.to != Reach::Nobody
}

/// Whether something in an item follows the index of the loop at this depth.
fn uses(item: &Item, depth: usize) -> bool {
    item.told.depth == Some(depth) || item.body.iter().any(|inner| uses(inner, depth))
}

impl Learnt {
    /// Whether a call takes time and has no counterpart in a script: collectives over neighbors that are not those of a
    /// grid, accesses to windows of ranks that no function gives, files.
    pub(super) fn is_left_out(&self, code: u16) -> bool {
        match code {
            call::NEIGHBOR_ALLGATHER..=call::LAST_COLLECTIVE => !self.grid.as_ref().is_some_and(|grid| grid.is_cart),
            call::BARRIER..=call::LAST_COLLECTIVE => collective(code).is_none(),
            call::FILE => true,
            _ => false,
        }
    }
}

fn collective(code: u16) -> Option<(&'static str, bool)> {
    Some(match code {
        call::BARRIER => ("barrier", false),
        call::BCAST => ("bcast", true),
        call::GATHER | call::GATHERV => ("gather", true),
        call::SCATTER | call::SCATTERV => ("scatter", true),
        call::ALLGATHER | 47 => ("allgather", false),
        48..=50 => ("alltoall", false),
        call::REDUCE => ("reduce", true),
        call::ALLREDUCE => ("allreduce", false),
        53 | 54 => ("reduce_scatter", false),
        call::SCAN => ("scan", false),
        call::EXSCAN => ("exscan", false),
        _ => return None,
    })
}

/// A condition on the coordinates that holds in these cells: one for each dimension if that is enough.
pub(super) fn where_(cells: &[Cell]) -> String {
    let letters: String = cells.iter().flat_map(|cell| cell.0.first()).collect();
    let known = match letters.as_str() {
        "R" => Some("rank == 0"),
        "O" | "IL" | "LI" => Some("rank > 0"),
        "I" => Some("rank > 0 and z > 0"),
        "L" => Some("z == 0"),
        "IR" | "RI" => Some("z > 0"),
        "LR" | "RL" => Some("(rank == 0 or z == 0)"),
        _ => None,
    };
    if let Some(known) = known {
        return known.to_owned();
    }
    let dims = cells.first().map_or(0, |cell| cell.0.len());
    let letters = |dim: usize| {
        let mut found: Vec<char> = cells.iter().filter_map(|cell| cell.0.get(dim).copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let product: usize = (0..dims).map(|dim| letters(dim).len()).product();
    if product == cells.len() {
        let all: Vec<String> = (0..dims).filter_map(|dim| one_of(&letters(dim), dim)).collect();
        return if all.is_empty() { "true".to_owned() } else { all.join(" and ") };
    }
    let one = |cell: &Cell| {
        let all: Vec<String> = cell.0.iter().enumerate().filter_map(|(dim, at)| one_of(&[*at], dim)).collect();
        format!("({})", all.join(" and "))
    };
    format!("({})", cells.iter().map(one).collect::<Vec<_>>().join(" or "))
}

fn one_of(letters: &[char], dim: usize) -> Option<String> {
    let (at, last) = (format!("c[{}]", dim + 1), format!("q[{}] - 1", dim + 1));
    let has = |letter| letters.contains(&letter);
    Some(match (has('f'), has('m'), has('l')) {
        (true, true, true) | (false, false, false) => return None,
        (true, true, false) => format!("{at} < {last}"),
        (false, true, true) => format!("{at} > 0"),
        (true, false, true) => format!("({at} == 0 or {at} == {last})"),
        (true, false, false) => format!("{at} == 0"),
        (false, false, true) => format!("{at} == {last}"),
        (false, true, false) => format!("{at} > 0 and {at} < {last}"),
    })
}

#[cfg(test)]
mod tests {
    use super::Coefficient;

    /// A standard deviation of 0.6 of the mean: half of it is 0.3, and 0.4 s * 2.5 = 0.7 s * (1 + 3/7) = 1 s.
    #[test]
    fn half_the_spread_has_the_same_mean() {
        let (name, share) = ("b1".to_owned(), 1.0);
        let mut one = Coefficient { name, value_s: 0.4, low_s: 0.36, high_s: 0.44, share, noise: 1.5 };
        one.spread_by(0.5);
        assert!((one.noise - 3.0 / 7.0).abs() < 1e-12 && (one.value_s - 0.7).abs() < 1e-12, "{one:?}");
        assert!((one.high_s / one.value_s - 1.1).abs() < 1e-12);
    }
}
