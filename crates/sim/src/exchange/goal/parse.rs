//! Reads GOAL text: one pass, no copies, memory in proportion to the input.

use crate::schedule::replay::MOST_OPERATIONS;
use crate::schedule::{ANY_SOURCE, ANY_TAG, Builder, Edge, Kind, Operation, Schedule};
use runcast_core::hash::MixMap;
use runcast_core::{Problem, Warning};

/// What a file holds.
#[derive(Debug)]
pub struct Parsed {
    pub schedule: Schedule,
    /// Ranks that are not described.
    pub warnings: Vec<Warning>,
}

/// Most bytes of a message: they are counted in `f64`.
const MOST_BYTES: u64 = 1 << 53;
/// Number of ranks that may be left out; more only if the file describes a fair share of them.
const RANKS_LEFT_OUT: u64 = 65_536;
/// Labels `l0` to this are looked up by number.
const NUMBERED_LABELS: u32 = 1 << 20;
/// A label that has no operation yet.
const UNDEFINED: u32 = u32::MAX;

/// Reads a schedule.
///
/// # Errors
/// What is wrong, with line and column: unknown words, ranks out of range or described twice, labels that are not there,
/// operations that wait for themselves.
pub fn parse(text: &[u8], file: &str) -> Result<Parsed, Problem> {
    let mut reader = Reader { text, at: 0, file };
    reader.skip()?;
    reader.word("num_ranks")?;
    let start = reader.at;
    let ranks = reader.number()?;
    if ranks == 0 || ranks >= u64::from(u32::MAX) / 4 {
        let problem = reader.problem(start, "bad_rank", "this is not a number of ranks");
        return Err(problem.value(ranks.to_string()).allowed("1 to 2^30"));
    }
    let mut builder = Builder::new(file, ranks as u32);
    let mut block = Block::default();
    let mut described = 0_u64;
    loop {
        reader.skip()?;
        if reader.at == text.len() {
            break;
        }
        reader.rank(&mut builder, &mut block)?;
        described += 1;
    }
    let missing = ranks - described;
    if missing > RANKS_LEFT_OUT.max(16 * described) {
        let message = format!("{ranks} ranks are announced, but {described} described");
        let problem = reader.problem(start, "missing_ranks", &message);
        return Err(problem.value(ranks.to_string()).hint("describe each rank: rank 0 { .. }"));
    }
    let (mut schedule, missing) = builder.finish();
    schedule.by_rank = text.starts_with(super::BY_RANK.as_bytes());
    let mut warnings = Vec::new();
    if missing > 0 {
        let message = format!("{missing} of {ranks} ranks are not described: they do nothing");
        warnings.push(Warning::new("missing_ranks", message).in_file(file, reader.line_column(start).0));
    }
    Ok(Parsed { schedule, warnings })
}

/// The line of an operation of a rank: the file is searched again, which happens only for errors.
pub fn line_of(text: &[u8], rank: u32, operation: u32) -> Option<u64> {
    let mut reader = Reader { text, at: 0, file: "" };
    reader.skip().ok()?;
    reader.word("num_ranks").ok()?;
    let mut builder = Builder::new("", u32::try_from(reader.number().ok()?).ok()?);
    let mut block = Block::default();
    loop {
        reader.skip().ok()?;
        if reader.at == text.len() {
            return None;
        }
        if reader.rank(&mut builder, &mut block).ok()? == rank {
            let place = *block.places.get(operation as usize)?;
            return Some(reader.line_column(place).0);
        }
    }
}

/// The rank at hand; its memory is used again for the next.
#[derive(Default)]
struct Block<'a> {
    operations: Vec<Operation>,
    places: Vec<usize>,
    /// By labels, until the end of the rank.
    edges: Vec<Edge>,
    /// Labels in the order in which they were first named: their operation, and where that was.
    labels: Vec<(u32, usize)>,
    /// Labels `l5` by number: the rank, and which label.
    numbered: Vec<(u32, u32)>,
    named: MixMap<&'a [u8], u32>,
    /// Counts the blocks.
    block: u32,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    file: &'a str,
}

impl<'a> Reader<'a> {
    /// A rank; returns its number.
    fn rank(&mut self, builder: &mut Builder, block: &mut Block<'a>) -> Result<u32, Problem> {
        self.word("rank")?;
        let start = self.at;
        let rank = self.number()?;
        if rank >= u64::from(builder.ranks()) {
            let problem = self.problem(start, "bad_rank", "there is no such rank");
            return Err(problem.value(rank.to_string()).allowed(format!("0 to {}", builder.ranks() - 1)));
        }
        let rank = rank as u32;
        if builder.has(rank) {
            return Err(self.problem(start, "twice", "this rank is described twice").value(rank.to_string()));
        }
        self.skip()?;
        self.sign(b'{')?;
        block.operations.clear();
        block.places.clear();
        block.edges.clear();
        block.labels.clear();
        block.named.clear();
        block.block += 1;
        loop {
            self.skip()?;
            match self.text.get(self.at) {
                Some(b'}') => break,
                Some(b';') => self.at += 1,
                Some(_) => self.statement(rank, builder, block)?,
                None => {
                    return Err(self
                        .problem(self.at, "unexpected_end", "the file ends inside a rank")
                        .hint("close it with }"));
                }
            }
        }
        self.at += 1;
        for edge in &mut block.edges {
            for end in [&mut edge.later, &mut edge.earlier] {
                let (operation, place) = block.labels[*end as usize];
                if operation == UNDEFINED {
                    let name = String::from_utf8_lossy(self.word_at(place)).into_owned();
                    let problem = self.problem(place, "unknown_label", "no operation of this rank has this label");
                    return Err(problem.value(name));
                }
                *end = operation;
            }
        }
        match builder.rank(rank, &block.operations, &block.edges) {
            Ok(()) => Ok(rank),
            Err(operation) => {
                let place = block.places[operation as usize];
                let text = self.text_of_line(place);
                let problem = self.problem(place, "cyclic_requires", "this operation waits for itself, through others");
                Err(problem.value(text).hint("remove one of the `requires` of the cycle"))
            }
        }
    }

    /// `l1: send ..`, `send ..`, `l2 requires l1`.
    fn statement(&mut self, rank: u32, builder: &Builder, block: &mut Block<'a>) -> Result<(), Problem> {
        let start = self.at;
        let first = self.name()?;
        self.skip()?;
        if self.text.get(self.at) == Some(&b':') {
            self.at += 1;
            let label = block.label(first, start);
            if block.labels[label as usize].0 != UNDEFINED {
                let problem = self.problem(start, "twice", "this label is given twice");
                return Err(problem.value(String::from_utf8_lossy(first)));
            }
            block.labels[label as usize].0 = block.operations.len() as u32;
            self.skip()?;
            let verb_at = self.at;
            let verb = self.name()?;
            self.operation(verb, verb_at, rank, builder, block)?;
            if let Some(place) = block.places.last_mut() {
                *place = start;
            }
            return Ok(());
        }
        // An operation has a number next, a dependence a word.
        if self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            return self.operation(first, start, rank, builder, block);
        }
        let place = self.at;
        let relation = self.name()?;
        let is_start = match relation {
            b"requires" => false,
            b"irequires" => true,
            _ => {
                let what = if matches!(first, b"send" | b"recv" | b"calc") { "a size" } else { ": or requires" };
                let problem = self.problem(place, "bad_goal", &format!("expected {what} here"));
                return Err(problem.value(String::from_utf8_lossy(relation)).allowed(
                    "LABEL: send SIZEb to RANK, LABEL: recv SIZEb from RANK, LABEL: calc TIME, LABEL requires LABEL, \
                     LABEL irequires LABEL",
                ));
            }
        };
        self.skip()?;
        let earlier_at = self.at;
        let earlier = self.name()?;
        let later = block.label(first, start);
        let earlier = block.label(earlier, earlier_at);
        block.edges.push(Edge { later, earlier, start: is_start });
        Ok(())
    }

    fn operation(
        &mut self,
        verb: &[u8],
        start: usize,
        rank: u32,
        builder: &Builder,
        block: &mut Block<'a>,
    ) -> Result<(), Problem> {
        let kind = match verb {
            b"send" => Kind::Send,
            b"recv" => Kind::Recv,
            b"calc" => Kind::Calc,
            _ => {
                let problem = self.problem(start, "unknown_operation", "there is no such operation");
                return Err(problem.value(String::from_utf8_lossy(verb)).allowed("send, recv, calc"));
            }
        };
        if block.operations.len() >= MOST_OPERATIONS {
            return Err(self.problem(start, "too_many_operations", "a rank has too many operations"));
        }
        self.skip()?;
        let place = self.at;
        let size = self.number()?;
        if kind != Kind::Calc {
            if self.text.get(self.at) == Some(&b'b') {
                self.at += 1;
            }
            if size > MOST_BYTES {
                let problem = self.problem(place, "too_many_bytes", "a message is too large");
                return Err(problem.value(size.to_string()).allowed("up to 2^53 bytes"));
            }
        }
        let mut partner = None;
        let mut operation = Operation { size, peer: 0, tag: 0, cpu: 0, nic: 0, kind };
        loop {
            self.skip()?;
            let place = self.at;
            // The next word may begin the next statement.
            let word = self.word_at(place);
            match (word, kind) {
                (b"to", Kind::Send) | (b"from", Kind::Recv) => {
                    self.at += word.len();
                    partner = Some(self.partner(builder, kind)?);
                }
                (b"tag", Kind::Send | Kind::Recv) => {
                    self.at += word.len();
                    operation.tag = self.tag(kind)?;
                }
                (b"cpu", _) => {
                    self.at += word.len();
                    operation.cpu = self.small(u16::MAX.into())? as u16;
                }
                (b"nic", _) => {
                    self.at += word.len();
                    operation.nic = self.small((1 << 14) - 1)? as u16;
                }
                _ => break,
            }
            // `cpu: ..` would be a label.
            if self.text.get(self.at) == Some(&b':') {
                return Err(self.problem(place, "bad_goal", "an option has no value here"));
            }
        }
        if kind != Kind::Calc {
            let Some(partner) = partner else {
                let want = if kind == Kind::Send { "to RANK" } else { "from RANK" };
                return Err(self.problem(start, "bad_goal", &format!("`{want}` is missing")));
            };
            operation.peer = if partner == ANY_SOURCE { ANY_SOURCE } else { builder.distance(rank, partner) };
        }
        block.operations.push(operation);
        block.places.push(start);
        Ok(())
    }

    fn partner(&mut self, builder: &Builder, kind: Kind) -> Result<u32, Problem> {
        self.skip()?;
        let start = self.at;
        if self.is_any() {
            if kind == Kind::Recv {
                return Ok(ANY_SOURCE);
            }
            return Err(self.problem(start, "bad_rank", "a send needs a receiver").value("-1"));
        }
        let partner = self.number()?;
        if partner >= u64::from(builder.ranks()) {
            let problem = self.problem(start, "bad_rank", "there is no such rank");
            return Err(problem.value(partner.to_string()).allowed(format!("0 to {}", builder.ranks() - 1)));
        }
        Ok(partner as u32)
    }

    fn tag(&mut self, kind: Kind) -> Result<u32, Problem> {
        self.skip()?;
        let start = self.at;
        if self.is_any() {
            if kind == Kind::Recv {
                return Ok(ANY_TAG);
            }
            return Err(self.problem(start, "bad_tag", "a send needs a tag of its own").value("-1"));
        }
        self.small(u64::from(ANY_TAG) - 1).map(|tag| tag as u32)
    }

    /// `-1`.
    fn is_any(&mut self) -> bool {
        let is_any =
            self.text[self.at..].starts_with(b"-1") && !self.text.get(self.at + 2).is_some_and(u8::is_ascii_digit);
        if is_any {
            self.at += 2;
        }
        is_any
    }

    fn small(&mut self, most: u64) -> Result<u64, Problem> {
        self.skip()?;
        let start = self.at;
        let value = self.number()?;
        if value > most {
            let problem = self.problem(start, "too_large", "this number is too large");
            return Err(problem.value(value.to_string()).allowed(format!("0 to {most}")));
        }
        Ok(value)
    }

    /// Skips blanks and comments.
    #[inline]
    fn skip(&mut self) -> Result<(), Problem> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') => match self.text.get(self.at + 1) {
                    Some(b'/') => {
                        let rest = &self.text[self.at..];
                        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    }
                    Some(b'*') => {
                        let rest = &self.text[self.at + 2..];
                        let Some(end) = rest.windows(2).position(|two| two == b"*/") else {
                            return Err(self.problem(self.at, "unexpected_end", "this comment does not end"));
                        };
                        self.at += end + 4;
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    /// A whole number; blanks before it are skipped.
    #[inline]
    fn number(&mut self) -> Result<u64, Problem> {
        self.skip()?;
        let start = self.at;
        let mut value = 0_u64;
        while let Some(digit) = self.text.get(self.at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            value = match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit))) {
                Some(value) => value,
                None => {
                    let problem = self.problem(start, "too_large", "this number does not fit into 64 bits");
                    return Err(problem.value(String::from_utf8_lossy(self.word_at(start))));
                }
            };
            self.at += 1;
        }
        if self.at == start {
            let found = String::from_utf8_lossy(self.text_at(start)).into_owned();
            return Err(self.problem(start, "not_a_number", "a whole number is missing here").value(found));
        }
        Ok(value)
    }

    /// A name, which is there.
    #[inline]
    fn name(&mut self) -> Result<&'a [u8], Problem> {
        let word = self.word_at(self.at);
        if word.is_empty() {
            let found = String::from_utf8_lossy(self.text_at(self.at)).into_owned();
            let problem = self.problem(self.at, "bad_goal", "a word is missing here").value(found);
            return Err(problem.allowed("send, recv, calc, a label, or }"));
        }
        self.at += word.len();
        Ok(word)
    }

    /// The letters, digits and `_ . -` from here.
    #[inline]
    fn word_at(&self, at: usize) -> &'a [u8] {
        let rest = &self.text[at..];
        let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        &rest[..rest.iter().position(|byte| !of_word(byte)).unwrap_or(rest.len())]
    }

    /// What is here, for a message.
    fn text_at(&self, at: usize) -> &'a [u8] {
        let word = self.word_at(at);
        if word.is_empty() { &self.text[at..self.text.len().min(at + 1)] } else { word }
    }

    fn text_of_line(&self, at: usize) -> String {
        let rest = &self.text[at..];
        let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
        String::from_utf8_lossy(line).trim_end().to_owned()
    }

    /// This word, and no other.
    fn word(&mut self, word: &str) -> Result<(), Problem> {
        let start = self.at;
        let found = self.text_at(start);
        if found == word.as_bytes() {
            self.at += word.len();
            return Ok(());
        }
        let problem = self.problem(start, "bad_goal", &format!("expected `{word}`"));
        Err(problem.value(String::from_utf8_lossy(found)))
    }

    fn sign(&mut self, sign: u8) -> Result<(), Problem> {
        if self.text.get(self.at) == Some(&sign) {
            self.at += 1;
            return Ok(());
        }
        let found = String::from_utf8_lossy(self.text_at(self.at)).into_owned();
        Err(self.problem(self.at, "bad_goal", &format!("expected `{}`", char::from(sign))).value(found))
    }

    #[cold]
    fn problem(&self, at: usize, code: &str, message: &str) -> Problem {
        let (line, column) = self.line_column(at);
        Problem::new(code, message).in_file(self.file).at_line(line).at_column(column)
    }

    #[cold]
    fn line_column(&self, at: usize) -> (u64, u64) {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        (line, String::from_utf8_lossy(&before[start..]).chars().count() as u64 + 1)
    }
}

impl<'a> Block<'a> {
    /// Which label a name is, in this rank.
    #[inline]
    fn label(&mut self, name: &'a [u8], place: usize) -> u32 {
        let fresh = self.labels.len() as u32;
        let label = match numbered(name) {
            Some(number) => {
                if self.numbered.len() <= number as usize {
                    self.numbered.resize(number as usize + 1, (0, 0));
                }
                let known = &mut self.numbered[number as usize];
                if known.0 != self.block {
                    *known = (self.block, fresh);
                }
                known.1
            }
            None => *self.named.entry(name).or_insert(fresh),
        };
        if label == fresh {
            self.labels.push((UNDEFINED, place));
        }
        label
    }
}

/// The number of a label such as `l17`.
#[inline]
fn numbered(name: &[u8]) -> Option<u32> {
    let digits = name.strip_prefix(b"l")?;
    if digits.is_empty() || digits.len() > 7 || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    let mut value = 0;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u32::from(byte - b'0');
    }
    (value < NUMBERED_LABELS).then_some(value)
}
