//! Lists in one array: messages and posted receives of all processes of a partition, with 32-bit links.

/// No node.
pub(super) const NIL: u32 = u32::MAX;

/// Nodes with links. A free node is linked into the list of free ones.
#[derive(Debug)]
pub(super) struct Lists<T> {
    nodes: Vec<Node<T>>,
    free: u32,
}

#[derive(Debug, Clone, Copy)]
struct Node<T> {
    value: T,
    next: u32,
}

/// A message under way, or taken and not asked for yet. Times are words, so that a node with its link has no padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message {
    arrival: [u32; 2],
    /// Sender.
    pub(super) from: u32,
    /// Number of its kind.
    pub(super) kind: u32,
    /// Receiver: a number in its partition.
    pub(super) to: u16,
    /// Which of the messages of the sender it is, modulo 2^16.
    pub(super) number: u16,
}

impl Message {
    /// A message under way.
    #[inline]
    pub(super) fn new(arrival: u64, from: u32, kind: u32, to: u16, number: u16) -> Message {
        Message { arrival: [arrival as u32, (arrival >> 32) as u32], from, kind, to, number }
    }

    /// When its head arrives.
    #[inline]
    pub(super) fn arrival(&self) -> u64 {
        u64::from(self.arrival[0]) | u64::from(self.arrival[1]) << 32
    }
}

impl<T: Copy> Lists<T> {
    /// No nodes.
    pub(super) fn new() -> Lists<T> {
        Lists { nodes: Vec::new(), free: NIL }
    }

    #[inline]
    pub(super) fn add(&mut self, value: T, next: u32) -> u32 {
        if self.free != NIL {
            let at = self.free;
            let node = &mut self.nodes[at as usize];
            self.free = node.next;
            *node = Node { value, next };
            return at;
        }
        self.grow(value, next)
    }

    #[cold]
    fn grow(&mut self, value: T, next: u32) -> u32 {
        if self.nodes.len() == self.nodes.capacity() {
            // By an eighth: doubling would waste as much as all other state of a process takes.
            self.nodes.reserve_exact(self.nodes.len() / 8 + 64);
        }
        self.nodes.push(Node { value, next });
        (self.nodes.len() - 1) as u32
    }

    /// Gives a node back.
    #[inline]
    pub(super) fn remove(&mut self, at: u32) {
        self.nodes[at as usize].next = self.free;
        self.free = at;
    }

    /// The value of a node.
    #[inline]
    pub(super) fn get(&self, at: u32) -> &T {
        &self.nodes[at as usize].value
    }

    /// The node after it.
    #[inline]
    pub(super) fn next(&self, at: u32) -> u32 {
        self.nodes[at as usize].next
    }

    /// Sets the node after it.
    #[inline]
    pub(super) fn link(&mut self, at: u32, next: u32) {
        self.nodes[at as usize].next = next;
    }

    /// Appends a node to a list. Lists are circles, and known by their last node: both ends are at hand.
    #[inline]
    pub(super) fn append(&mut self, last: &mut u32, at: u32) {
        if *last == NIL {
            self.link(at, at);
        } else {
            let first = self.next(*last);
            self.link(at, first);
            self.link(*last, at);
        }
        *last = at;
    }

    /// Takes a node out of a list; `before` is the one before it.
    #[inline]
    pub(super) fn take_out(&mut self, last: &mut u32, before: u32, at: u32) {
        if before == at {
            *last = NIL;
            return;
        }
        let next = self.next(at);
        self.link(before, next);
        if *last == at {
            *last = before;
        }
    }
}
