//! `anchor.xml`: what was measured, where in the program, and by whom.

use super::super::regions::DEEPEST;
use super::xml::{Piece, Reader};
use crate::problem::{Problem, shorten};
use std::collections::HashMap;
use std::io::Read;

/// A metric of the profile.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Metric {
    pub id: u64,
    pub name: String,
    pub kind: String,
    pub is_inclusive: bool,
}

/// A place in the tree of calls.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub id: u64,
    callee: u64,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// What a profile says of itself.
#[derive(Debug, Default)]
pub(super) struct Anchor {
    pub attributes: Vec<(String, String)>,
    pub metrics: Vec<Metric>,
    pub nodes: Vec<Node>,
    /// Rank and thread, in the order of values.
    pub locations: Vec<(f64, f64)>,
    pub processes: usize,
    regions: HashMap<u64, String>,
}

/// Texts of more than this are no description of a profile.
const MOST_BYTES: u64 = 1 << 30;
/// Of all paths together.
const MOST_LETTERS: usize = 1 << 28;

impl Anchor {
    /// Reads the text, packed or not.
    ///
    /// # Errors
    /// It is no XML, or nodes are nested too deeply.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let mut unpacked = Vec::new();
        let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
            let packed = flate2::read::GzDecoder::new(bytes).take(MOST_BYTES).read_to_end(&mut unpacked);
            packed.map_err(|error| Problem::new("gzip", format!("anchor.xml cannot be unpacked: {error}")))?;
            &unpacked
        } else {
            bytes
        };
        let text = std::str::from_utf8(bytes).map_err(|_| Problem::new("not_utf8", "anchor.xml is not UTF-8"))?;
        let mut building = Building::default();
        let mut reader = Reader::new(text);
        while let Some(piece) = reader.next()? {
            building.piece(piece)?;
        }
        building.done()
    }

    pub fn metric(&self, name: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// Names from the outermost call on, by node.
    ///
    /// # Errors
    /// A node calls a region that is not there.
    pub fn paths(&self) -> Result<Vec<String>, Problem> {
        let mut paths: Vec<String> = Vec::with_capacity(self.nodes.len());
        let mut letters = 0;
        for node in &self.nodes {
            let name = self.regions.get(&node.callee).ok_or_else(|| {
                let message = format!("node {} calls region {}, which is not there", node.id, node.callee);
                Problem::new("unknown_id", message)
            })?;
            let path = match node.parent {
                Some(parent) => format!("{}/{name}", paths[parent]),
                None => name.clone(),
            };
            letters += path.len();
            if letters > MOST_LETTERS {
                let message = format!("the names of all calls, outermost first, have more than {MOST_LETTERS} letters");
                return Err(Problem::new("too_large", message));
            }
            paths.push(path);
        }
        Ok(paths)
    }

    /// The nodes in the order in which an index numbers them.
    pub fn order(&self, is_inclusive: bool) -> Vec<usize> {
        // Nodes are kept as they are read, each before those below it.
        if !is_inclusive {
            return (0..self.nodes.len()).collect();
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        for root in (0..self.nodes.len()).filter(|&node| self.nodes[node].parent.is_none()) {
            order.push(root);
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                order.extend(&self.nodes[node].children);
                open.extend(self.nodes[node].children.iter().rev());
            }
        }
        order
    }
}

/// The tags that are open, and what has been read.
#[derive(Default)]
struct Building {
    anchor: Anchor,
    open: Vec<String>,
    metrics: Vec<usize>,
    nodes: Vec<usize>,
    region: Option<u64>,
    /// Of the process that is open.
    rank: f64,
    /// Of the location that is open: its number, and its thread.
    location: Option<(u64, f64)>,
    locations: Vec<(u64, f64, f64)>,
}

impl Building {
    fn piece(&mut self, piece: Piece<'_>) -> Result<(), Problem> {
        match piece {
            Piece::Open { name, attributes, is_empty } => {
                if self.open.len() >= DEEPEST {
                    let message = format!("more than {DEEPEST} tags of anchor.xml are inside each other");
                    return Err(Problem::new("too_deep", message));
                }
                self.open(name, &attributes)?;
                self.open.push(name.to_owned());
                if is_empty {
                    self.close(name)?;
                }
            }
            Piece::Close(name) => self.close(name)?,
            Piece::Text(text) => self.text(&text),
        }
        Ok(())
    }

    fn open(&mut self, tag: &str, attributes: &[(&str, String)]) -> Result<(), Problem> {
        let text = |key: &str| {
            attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, text)| text.as_str())
        };
        let id = |key: &str| {
            let text = text(key).unwrap_or_default();
            text.parse::<u64>().map_err(|_| {
                let problem = Problem::new("bad_id", format!("anchor.xml: <{tag}> has no number \"{key}\""));
                problem.value(shorten(text, 40))
            })
        };
        match tag {
            "attr" if self.open.len() == 1 => {
                let pair = text("key").zip(text("value"));
                self.anchor.attributes.extend(pair.map(|(key, value)| (key.to_owned(), value.to_owned())));
            }
            "metric" => {
                let is_inclusive = text("type") == Some("INCLUSIVE");
                self.metrics.push(self.anchor.metrics.len());
                self.anchor.metrics.push(Metric {
                    id: id("id")?,
                    name: String::new(),
                    kind: String::new(),
                    is_inclusive,
                });
            }
            "region" => {
                let id = id("id")?;
                self.region = Some(id);
                self.anchor.regions.insert(id, String::new());
            }
            "cnode" => {
                let (own, parent) = (self.anchor.nodes.len(), self.nodes.last().copied());
                if let Some(parent) = parent {
                    self.anchor.nodes[parent].children.push(own);
                }
                self.anchor.nodes.push(Node { id: id("id")?, callee: id("calleeId")?, parent, children: Vec::new() });
                self.nodes.push(own);
            }
            "locationgroup" | "process" => {
                self.rank = self.anchor.processes as f64;
                self.anchor.processes += 1;
            }
            "location" | "thread" => self.location = Some((id("Id")?, f64::NAN)),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, tag: &str) -> Result<(), Problem> {
        if self.open.pop().as_deref() != Some(tag) {
            return Err(Problem::new("bad_xml", format!("anchor.xml: </{}> closes nothing", shorten(tag, 40))));
        }
        match tag {
            "metric" => drop(self.metrics.pop()),
            "region" => self.region = None,
            "cnode" => drop(self.nodes.pop()),
            "location" | "thread" => {
                self.locations.extend(self.location.take().map(|(id, thread)| (id, self.rank, thread)));
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        let [.., around, tag] = self.open.as_slice() else { return };
        match (around.as_str(), tag.as_str()) {
            ("metric", "uniq_name" | "dtype") => {
                let Some(&metric) = self.metrics.last() else { return };
                let metric = &mut self.anchor.metrics[metric];
                let field = if tag == "dtype" { &mut metric.kind } else { &mut metric.name };
                text.clone_into(field);
            }
            ("region", "name") => {
                if let Some(name) = self.region.and_then(|id| self.anchor.regions.get_mut(&id)) {
                    *name = text.replace('/', "|");
                }
            }
            ("locationgroup" | "process", "rank") => self.rank = text.parse().unwrap_or(self.rank),
            ("location" | "thread", "rank") => {
                if let Some((_, thread)) = &mut self.location {
                    *thread = text.parse().unwrap_or(f64::NAN);
                }
            }
            _ => {}
        }
    }

    fn done(mut self) -> Result<Anchor, Problem> {
        if let Some(tag) = self.open.last() {
            return Err(Problem::new("bad_xml", format!("anchor.xml ends inside <{tag}>")));
        }
        if self.anchor.nodes.is_empty() || self.locations.is_empty() {
            return Err(Problem::new("empty_table", "anchor.xml names no calls, or no locations that measured"));
        }
        self.locations.sort_by_key(|(id, ..)| *id);
        self.anchor.locations = self.locations.iter().map(|(_, rank, thread)| (*rank, *thread)).collect();
        Ok(self.anchor)
    }
}
