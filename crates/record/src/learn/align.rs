//! Trees of several positions and recordings laid over each other.

use super::normal::{Call, Law, Piece, Share};
use super::reach::Reach;
use super::rules::Told;
use super::{Cell, Key, Learnt, Own, is_message};
use crate::vocabulary::Field;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// A call or a loop of a column.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Call { call: Box<Call>, to: Reach, from: Reach },
    Loop { trips: Law, body: Vec<Node> },
}

/// Ranks of one recording that do the same.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub recording: usize,
    pub cell: Cell,
    pub ranks: Vec<u32>,
    pub nodes: Vec<Node>,
}

/// A call or a loop of the program.
#[derive(Debug, Clone)]
pub struct Item {
    /// Which call; none of a loop.
    pub key: Option<Key>,
    /// 0: of all ranks; 1: of the rank alone; 2 and a bit for each dimension of the grid that members differ in.
    pub comm: u32,
    /// Whom it sends to, or receives from.
    pub to: Reach,
    /// Whom a sendrecv receives from.
    pub from: Reach,
    /// What a loop repeats.
    pub body: Vec<Item>,
    /// What was learnt of turns, sizes, tags, roots and times.
    pub told: Told,
    /// Whether ranks without this partner call it with `MPI_PROC_NULL`.
    pub calls_nobody: bool,
    /// Numbers of the calls whose requests it completes.
    pub completes: Vec<usize>,
    /// Whether its turns cannot be told as one: a request is waited for in another turn, or outside.
    pub is_entangled: bool,
    /// Its own number, in preorder.
    pub number: usize,
    /// What each column has here.
    pub(super) seen: BTreeMap<usize, Seen>,
}

impl Item {
    /// The item as these columns do it.
    pub(super) fn only_of(&self, columns: &[usize]) -> Item {
        let mut own = self.clone();
        own.seen.retain(|column, _| columns.contains(column));
        own.body = self.body.iter().map(|item| item.only_of(columns)).filter(|item| !item.seen.is_empty()).collect();
        own
    }
}

/// What a column has at an item.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub trips: Law,
    pub fields: [Option<Law>; 8],
    pub leaf: usize,
    pub share: Share,
    /// Leaves that are left out before it.
    pub more: Vec<usize>,
}

/// The calls of a rank, with their functions.
pub(super) fn nodes(
    pieces: &[Piece],
    own: &Own,
    learnt: &Learnt,
    reaches: &IndexMap<(Key, Field), Reach>,
) -> Vec<Node> {
    let reach = |call: &Call, field: Field| match (is_message(call.key.call), call.law(field)) {
        (true, Some(law)) => reaches.get(&(call.key, field)).cloned().unwrap_or_else(|| own_steps(law, own, learnt)),
        _ => Reach::Nobody,
    };
    let one = |piece: &Piece| match piece {
        Piece::Loop { trips, body } => Node::Loop { trips: trips.clone(), body: nodes(body, own, learnt, reaches) },
        Piece::Call(call) => {
            Node::Call { to: reach(call, Field::Peer), from: reach(call, Field::Peer2), call: call.clone() }
        }
    };
    pieces.iter().map(one).collect()
}

/// The steps to one partner.
fn own_steps(law: &Law, own: &Own, learnt: &Learnt) -> Reach {
    match (law, &learnt.grid) {
        (Law::Constant(peer), Some(grid)) if *peer >= 0 => {
            Reach::Grid(grid.shape(own.recording).offset(own.rank, *peer))
        }
        (Law::Constant(_), _) => Reach::Nobody,
        // No function at all: no other call is like it.
        _ => Reach::Fixed(Vec::new()),
    }
}

/// Takes in another rank of the same position; the first call that differs, if one does.
///
/// `before` ranks were taken in already; where receives are from any source, turns may differ, and are their mean.
pub(super) fn pure(nodes: &mut [Node], other: &[Node], (before, is_wild): (f64, bool)) -> Option<Key> {
    let key = |nodes: &[Node]| nodes.iter().find_map(first_key);
    if nodes.len() != other.len() {
        let differs = nodes.iter().zip(other).position(|(a, b)| first_key(a) != first_key(b));
        return key(&other[differs.unwrap_or(0).min(other.len())..]).or(key(nodes));
    }
    for (node, other) in nodes.iter_mut().zip(other) {
        match (node, other) {
            (Node::Loop { trips, body }, Node::Loop { trips: more, body: others }) => {
                if trips != more {
                    if !is_wild {
                        return key(body);
                    }
                    *trips = Law::Free((trips.mean() * before + more.mean()) / (before + 1.0));
                }
                if let Some(odd) = pure(body, others, (before, is_wild)) {
                    return Some(odd);
                }
            }
            (Node::Call { call, to, from }, Node::Call { call: other, to: to_other, from: from_other }) => {
                let is_like =
                    call.key == other.key && call.comm == other.comm && alike(to, to_other) && alike(from, from_other);
                if !is_like || *to == Reach::Fixed(Vec::new()) {
                    return Some(call.key);
                }
                if *to == Reach::Nobody {
                    (*to, *from) = (to_other.clone(), from_other.clone());
                }
                call.nobody |= other.nobody;
                let silent = Some(&Law::Constant(-1));
                if call.law(Field::Peer) == silent && other.law(Field::Peer) != silent {
                    call.fields = other.fields.clone();
                    continue;
                }
                for field in [Field::Size, Field::Tag, Field::Root] {
                    let (Some(law), Some(more)) = (&mut call.fields[field as usize], other.law(field)) else {
                        continue;
                    };
                    let speaks = other.law(Field::Peer) != Some(&Law::Constant(-1));
                    if law != more && speaks {
                        *law = Law::Free((law.mean() + more.mean()) / 2.0);
                    }
                }
            }
            (node, _) => return first_key(node),
        }
    }
    None
}

/// The nodes in the shape of others, which have loops where these have one turn or none; as they are if they have not.
pub(super) fn shaped(template: &[Node], nodes: &[Node]) -> Vec<Node> {
    let mut rest = nodes;
    let mut all = Vec::new();
    for wanted in template {
        match (wanted, rest.split_first()) {
            (Node::Loop { .. }, Some((own @ Node::Loop { .. }, after))) if first_key(own) == first_key(wanted) => {
                all.push(own.clone());
                rest = after;
            }
            (Node::Loop { body, .. }, _) => {
                let keys = |nodes: &[Node]| nodes.iter().map(first_key).collect::<Vec<_>>();
                let turn = rest.get(..body.len()).filter(|turn| keys(turn) == keys(body));
                let (trips, body) = turn.map_or((0, body.as_slice()), |turn| (1, turn));
                all.push(Node::Loop { trips: Law::Constant(trips), body: body.to_vec() });
                rest = if trips > 0 { &rest[body.len()..] } else { rest };
            }
            (Node::Call { .. }, Some((own, after))) if first_key(own) == first_key(wanted) => {
                all.push(own.clone());
                rest = after;
            }
            _ => return nodes.to_vec(),
        }
    }
    if rest.is_empty() { all } else { nodes.to_vec() }
}

/// The nodes with loops of one turn where others have loops of several calls; `depth` loops are around them.
pub(super) fn turned_once(template: &[Node], nodes: Vec<Node>, depth: usize) -> Vec<Node> {
    let plain: Vec<Key> = template
        .iter()
        .filter_map(|node| if let Node::Call { call, .. } = node { Some(call.key) } else { None })
        .collect();
    let bodies =
        || template.iter().filter_map(|node| if let Node::Loop { body, .. } = node { Some(body) } else { None });
    let mut all = Vec::new();
    let mut rest = nodes;
    while !rest.is_empty() {
        let first = first_key(&rest[0]);
        let like = bodies().find(|body| body.len() > 1 && body.first().and_then(first_key) == first);
        if let Node::Loop { .. } = &rest[0] {
            let own = rest.remove(0);
            let Node::Loop { trips, body } = own else { continue };
            let body = like.map_or_else(|| body.clone(), |like| turned_once(like, body.clone(), depth + 1));
            all.push(Node::Loop { trips, body });
            continue;
        }
        let is_plain = first.is_some_and(|key| plain.contains(&key));
        let turn = like.filter(|like| !is_plain && rest.len() >= like.len()).map(Vec::len).filter(|turn| {
            let keys = |nodes: &[Node]| nodes.iter().map(first_key).collect::<Vec<_>>();
            like.is_some_and(|like| keys(&rest[..*turn]) == keys(like))
        });
        match (turn, like) {
            (Some(turn), Some(like)) => {
                let mut body: Vec<Node> = rest.drain(..turn).collect();
                deepen(&mut body, depth);
                all.push(Node::Loop { trips: Law::Constant(1), body: turned_once(like, body, depth + 1) });
            }
            _ => all.push(rest.remove(0)),
        }
    }
    all
}

/// One more loop lies around these, at this depth.
fn deepen(nodes: &mut [Node], at: usize) {
    let one = |law: &mut Law| {
        if let Law::List { depth, .. } = law
            && *depth >= at
        {
            *depth += 1;
        }
    };
    for node in nodes {
        match node {
            Node::Call { call, .. } => call.fields.iter_mut().flatten().for_each(one),
            Node::Loop { trips, body } => {
                one(trips);
                deepen(body, at);
            }
        }
    }
}

/// Loops among these, and in them.
pub(super) fn loops(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| if let Node::Loop { body, .. } = node { 1 + loops(body) } else { 0 }).sum()
}

/// How many calls and loops there are.
pub(super) fn size(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| if let Node::Loop { body, .. } = node { 1 + size(body) } else { 1 }).sum()
}

fn first_key(node: &Node) -> Option<Key> {
    match node {
        Node::Call { call, .. } => Some(call.key),
        Node::Loop { body, .. } => body.iter().find_map(first_key),
    }
}

fn alike(a: &Reach, b: &Reach) -> bool {
    a == b || *a == Reach::Nobody || *b == Reach::Nobody
}

/// All columns as one tree.
pub(super) fn lay_over(columns: &[Column], learnt: &Learnt) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let over = Over { column: number, learnt, sizes: learnt.sizes(column.recording) };
        items = over.merge(items, &column.nodes);
    }
    number(&mut items);
    items
}

/// Numbers items in preorder.
pub(super) fn number(items: &mut [Item]) {
    numbered(items, &mut 0);
}

fn numbered(items: &mut [Item], next: &mut usize) {
    for item in items {
        *next += 1;
        item.number = *next;
        numbered(&mut item.body, next);
    }
}

struct Over<'a> {
    column: usize,
    learnt: &'a Learnt,
    sizes: &'a [i64],
}

impl Over<'_> {
    /// How many calls the two have in common.
    fn score(&self, item: &Item, node: &Node) -> f64 {
        match (item.key, node) {
            (Some(key), Node::Call { call, to, from }) => {
                let fits =
                    key == call.key && item.comm == call.comm && self.fits(&item.to, to) && self.fits(&item.from, from);
                if fits { 1.0 } else { 0.0 }
            }
            (None, Node::Loop { body, .. }) => 1.01 * self.table(&item.body, body)[0][0],
            // A call is a loop of one turn.
            (None, call @ Node::Call { .. }) => match item.body.as_slice() {
                [only] => 0.9 * self.score(only, call),
                _ => 0.0,
            },
            (Some(_), Node::Loop { body, .. }) => match body.as_slice() {
                [only] => 0.9 * self.score(item, only),
                _ => 0.0,
            },
        }
    }

    fn fits(&self, a: &Reach, b: &Reach) -> bool {
        let wraps = self.learnt.grid.as_ref().is_some_and(|grid| grid.wrap);
        match (a, b) {
            (Reach::Grid(a), Reach::Grid(b)) if wraps => {
                a.iter().zip(b).zip(self.sizes).all(|((a, b), size)| (a - b).rem_euclid(*size) == 0)
            }
            (a, b) => alike(a, b),
        }
    }

    /// The most that the rests of both have in common, by their starts.
    fn table(&self, items: &[Item], nodes: &[Node]) -> Vec<Vec<f64>> {
        let mut best = vec![vec![0.0_f64; nodes.len() + 1]; items.len() + 1];
        for i in (0..items.len()).rev() {
            for j in (0..nodes.len()).rev() {
                let score = self.score(&items[i], &nodes[j]);
                let both = if score > 0.0 { score + best[i + 1][j + 1] } else { 0.0 };
                best[i][j] = both.max(best[i + 1][j]).max(best[i][j + 1]);
            }
        }
        best
    }

    fn merge(&self, items: Vec<Item>, nodes: &[Node]) -> Vec<Item> {
        let best = self.table(&items, nodes);
        let mut merged = Vec::new();
        let mut j = 0;
        for (i, item) in items.into_iter().enumerate() {
            while j < nodes.len() && best[i][j] > best[i + 1][j] && best[i][j] <= best[i][j + 1] {
                merged.push(self.item(&nodes[j]));
                j += 1;
            }
            if j < nodes.len() && best[i][j] > best[i + 1][j] {
                merged.push(self.both(item, &nodes[j]));
                j += 1;
                continue;
            }
            while j < nodes.len() && best[i][j] <= best[i][j + 1] && self.is_before(&nodes[j], &item) {
                merged.push(self.item(&nodes[j]));
                j += 1;
            }
            merged.push(item);
        }
        merged.extend(nodes[j..].iter().map(|node| self.item(node)));
        merged
    }

    /// Whether a message comes before one of the same call: where partners are sorted, by the steps to them.
    fn is_before(&self, node: &Node, item: &Item) -> bool {
        let (Node::Call { call, to: Reach::Grid(own), .. }, Reach::Grid(others)) = (node, &item.to) else {
            return false;
        };
        self.learnt.is_sorted && item.key == Some(call.key) && own < others
    }

    fn both(&self, mut item: Item, node: &Node) -> Item {
        match (item.key, node) {
            (Some(_), Node::Call { call, to, from }) => {
                if item.to == Reach::Nobody {
                    item.to = to.clone();
                }
                if item.from == Reach::Nobody {
                    item.from = from.clone();
                }
                item.calls_nobody |= call.nobody;
                item.seen.insert(self.column, Seen::of(call));
                item
            }
            (None, Node::Loop { trips, body }) => {
                item.body = self.merge(std::mem::take(&mut item.body), body);
                item.seen.insert(self.column, Seen::turns(trips.clone()));
                item
            }
            (None, call) => {
                item.body = self.merge(std::mem::take(&mut item.body), std::slice::from_ref(call));
                item.seen.insert(self.column, Seen::turns(Law::Constant(1)));
                item
            }
            (Some(_), Node::Loop { .. }) => {
                let seen = item.seen.keys().map(|column| (*column, Seen::turns(Law::Constant(1)))).collect();
                let around = Item { body: vec![item], seen, ..blank(None) };
                self.both(around, node)
            }
        }
    }

    fn item(&self, node: &Node) -> Item {
        match node {
            Node::Loop { trips, body } => {
                let body = body.iter().map(|node| self.item(node)).collect();
                let seen = BTreeMap::from([(self.column, Seen::turns(trips.clone()))]);
                Item { body, seen, ..blank(None) }
            }
            Node::Call { call, to, from } => {
                let seen = BTreeMap::from([(self.column, Seen::of(call))]);
                let (to, from) = (to.clone(), from.clone());
                Item { to, from, seen, calls_nobody: call.nobody, comm: call.comm, ..blank(Some(call.key)) }
            }
        }
    }
}

fn blank(key: Option<Key>) -> Item {
    Item {
        key,
        comm: 0,
        to: Reach::Nobody,
        from: Reach::Nobody,
        body: Vec::new(),
        told: Told::default(),
        calls_nobody: false,
        completes: Vec::new(),
        is_entangled: false,
        number: 0,
        seen: BTreeMap::new(),
    }
}

impl Seen {
    fn of(call: &Call) -> Self {
        let (fields, more) = (call.fields.clone(), call.more.clone());
        Seen { trips: Law::Constant(1), fields, leaf: call.leaf, share: call.share, more }
    }

    fn turns(trips: Law) -> Self {
        Seen { trips, fields: Default::default(), leaf: usize::MAX, share: Share::ALL, more: Vec::new() }
    }
}
