//! LogGOPS word by word: all events in one list, searched through for the first; what finds its processor busy goes back into
//! the list; receives and messages in lists. Slow, and obvious.

use runcast_sim::schedule::{ANY_SOURCE, ANY_TAG, Kind, Parameters, Schedule};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    Operation(usize, usize),
    Message(usize, usize),
}

struct State<'a> {
    schedule: &'a Schedule,
    parameters: &'a Parameters,
    events: Vec<(i64, u64, What)>,
    number: u64,
    cpu: HashMap<(usize, u16), i64>,
    send_nic: HashMap<(usize, u16), i64>,
    take_nic: HashMap<(usize, u16), i64>,
    needs: Vec<Vec<usize>>,
    ready_at: Vec<Vec<i64>>,
    done: Vec<Vec<bool>>,
    /// Receives by rank, in the order in which they were posted.
    receives: Vec<Vec<usize>>,
    /// Messages by rank, with the end of their take, in the order in which they were taken.
    messages: Vec<Vec<(usize, usize, i64)>>,
    ready: Vec<(usize, usize)>,
}

/// Last processor clock of each rank; none if a process waits forever.
pub fn play(schedule: &Schedule, parameters: &Parameters) -> Option<Vec<u64>> {
    let ranks = schedule.ranks.len();
    let counts: Vec<usize> = (0..ranks).map(|rank| schedule.shape(rank as u32).operations.len()).collect();
    let mut state = State {
        schedule,
        parameters,
        events: Vec::new(),
        number: 0,
        cpu: HashMap::new(),
        send_nic: HashMap::new(),
        take_nic: HashMap::new(),
        needs: counts.iter().map(|count| vec![0; *count]).collect(),
        ready_at: counts.iter().map(|count| vec![0; *count]).collect(),
        done: counts.iter().map(|count| vec![false; *count]).collect(),
        receives: vec![Vec::new(); ranks],
        messages: vec![Vec::new(); ranks],
        ready: Vec::new(),
    };
    for (rank, count) in counts.iter().enumerate() {
        for operation in 0..*count {
            for (later, _) in schedule.shape(rank as u32).dependents(operation as u32) {
                state.needs[rank][later as usize] += 1;
            }
        }
    }
    for (rank, count) in counts.iter().enumerate() {
        for operation in 0..*count {
            if state.needs[rank][operation] == 0 {
                state.ready.push((rank, operation));
            }
        }
    }
    state.number_what_is_ready();
    while let Some(first) = (0..state.events.len()).min_by_key(|at| (state.events[*at].0, state.events[*at].1)) {
        let (now, number, what) = state.events.remove(first);
        state.event(now, number, what);
        state.number_what_is_ready();
    }
    if state.done.iter().flatten().any(|done| !done) {
        return None;
    }
    let last = |rank| state.cpu.iter().filter(|((of, _), _)| *of == rank).map(|(_, at)| *at as u64).max().unwrap_or(0);
    Some((0..ranks).map(last).collect())
}

fn at(clocks: &HashMap<(usize, u16), i64>, key: (usize, u16)) -> i64 {
    clocks.get(&key).copied().unwrap_or(0)
}

impl State<'_> {
    fn ns(seconds: f64) -> i64 {
        (seconds * 1e9).round() as i64
    }

    /// w: bytes after the first.
    fn more(&self, size: u64) -> i64 {
        if size == 0 && self.parameters.as_loggopsim { -1 } else { size.max(1) as i64 - 1 }
    }

    fn event(&mut self, now: i64, number: u64, what: What) {
        let p = self.parameters.loggops;
        let (l, o, g) = (Self::ns(p.L), Self::ns(p.o), Self::ns(p.g));
        let (big_g, big_o) = (Self::ns(p.G), Self::ns(p.O));
        match what {
            What::Operation(rank, operation) => {
                let op = self.schedule.shape(rank as u32).operations[operation];
                let cpu = (rank, op.cpu);
                let nic = (rank, op.nic);
                match op.kind {
                    Kind::Calc => {
                        let free = at(&self.cpu, cpu);
                        if free > now {
                            self.events.push((free, number, what));
                            return;
                        }
                        self.cpu.insert(cpu, now + op.size as i64);
                        self.meet(rank, operation, true, now);
                        self.complete(rank, operation, now + op.size as i64);
                    }
                    Kind::Send => {
                        let free = at(&self.cpu, cpu).max(at(&self.send_nic, nic));
                        if free > now {
                            self.events.push((free, number, what));
                            return;
                        }
                        let w = self.more(op.size);
                        self.cpu.insert(cpu, now + o + w * big_o);
                        self.send_nic.insert(nic, now + g + w * big_g);
                        self.events.push((now + o + l, self.number, What::Message(rank, operation)));
                        self.number += 1;
                        self.meet(rank, operation, true, now);
                        if op.size <= p.S {
                            self.complete(rank, operation, now + o + w * big_o);
                        }
                    }
                    Kind::Recv => {
                        self.meet(rank, operation, true, now);
                        let found = self.messages[rank]
                            .iter()
                            .position(|(sender, sent, _)| self.fits(rank, operation, *sender, *sent));
                        let Some(found) = found else {
                            self.receives[rank].push(operation);
                            return;
                        };
                        let (sender, sent, taken) = self.messages[rank].remove(found);
                        self.complete(rank, operation, now.max(taken));
                        self.may_go_on(sender, sent, now);
                    }
                }
            }
            What::Message(sender, sent) => {
                let op = self.schedule.shape(sender as u32).operations[sent];
                let rank = self.schedule.partner(sender as u32, &op).expect("a send has a receiver") as usize;
                let free = at(&self.cpu, (rank, op.cpu)).max(at(&self.take_nic, (rank, op.nic)));
                if free > now {
                    self.events.push((free, number, what));
                    return;
                }
                let w = self.more(op.size);
                let taken = now + o + (w * big_o).max(w * big_g);
                self.cpu.insert((rank, op.cpu), taken);
                self.take_nic.insert((rank, op.nic), now + g + w * big_g);
                let found = self.receives[rank].iter().position(|receive| self.fits(rank, *receive, sender, sent));
                let Some(found) = found else {
                    self.messages[rank].push((sender, sent, taken));
                    return;
                };
                let receive = self.receives[rank].remove(found);
                self.complete(rank, receive, taken);
                self.may_go_on(sender, sent, now);
            }
        }
    }

    fn fits(&self, rank: usize, receive: usize, sender: usize, sent: usize) -> bool {
        let receive = self.schedule.shape(rank as u32).operations[receive];
        let tag = self.schedule.shape(sender as u32).operations[sent].tag;
        let from = self.schedule.partner(rank as u32, &receive);
        (receive.peer == ANY_SOURCE || from == Some(sender as u32)) && (receive.tag == ANY_TAG || receive.tag == tag)
    }

    /// The receive of a large message is posted.
    fn may_go_on(&mut self, sender: usize, sent: usize, now: i64) {
        let op = self.schedule.shape(sender as u32).operations[sent];
        if op.size > self.parameters.loggops.S {
            let (cpu, nic) = ((sender, op.cpu), (sender, op.nic));
            let cpu_free = at(&self.cpu, cpu).max(now);
            self.cpu.insert(cpu, cpu_free);
            let nic_free = at(&self.send_nic, nic).max(now);
            self.send_nic.insert(nic, nic_free);
            self.complete(sender, sent, now);
        }
    }

    fn complete(&mut self, rank: usize, operation: usize, when: i64) {
        self.done[rank][operation] = true;
        self.meet(rank, operation, false, when);
    }

    fn meet(&mut self, rank: usize, operation: usize, start: bool, when: i64) {
        let shape = self.schedule.shape(rank as u32);
        for (later, of_start) in shape.dependents(operation as u32) {
            if of_start == start {
                let later = later as usize;
                self.ready_at[rank][later] = self.ready_at[rank][later].max(when);
                self.needs[rank][later] -= 1;
                if self.needs[rank][later] == 0 {
                    self.ready.push((rank, later));
                }
            }
        }
    }

    fn number_what_is_ready(&mut self) {
        let mut ready = std::mem::take(&mut self.ready);
        let kind = |rank: usize, operation: usize| self.schedule.shape(rank as u32).operations[operation].kind;
        ready.sort_by_key(|(rank, operation)| (*rank, kind(*rank, *operation)));
        for (rank, operation) in ready {
            let op = self.schedule.shape(rank as u32).operations[operation];
            let mut time = at(&self.cpu, (rank, op.cpu));
            if !self.parameters.as_loggopsim {
                time = time.max(self.ready_at[rank][operation]);
            }
            self.events.push((time, self.number, What::Operation(rank, operation)));
            self.number += 1;
        }
    }
}
