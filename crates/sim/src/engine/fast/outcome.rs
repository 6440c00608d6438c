//! The end: the sums of all parts, combined in their order.

use super::code::Step;
use super::lists::NIL;
use super::part::Part;
use super::plan::Plan;
use super::rank::CROWDED;
use crate::engine::kernel::device::Device;
use crate::outcome::{Counts, DeviceAccount, LabelAccount, Outcome, PhaseAccount};
use crate::plain::warnings;
use std::collections::BTreeMap;

/// What was found out.
pub(super) fn outcome(plan: &Plan<'_>, parts: Vec<Part>, events: u64, operations: u64) -> Outcome {
    let application = plan.application;
    let mut outcome = Outcome::default();
    outcome.finish.reserve_exact(plan.processes as usize);
    outcome.labels = vec![LabelAccount::default(); application.labels.len()];
    outcome.counts = Counts { operations, events, ..Counts::default() };
    let mut computed: Vec<BTreeMap<u64, u128>> = vec![BTreeMap::new(); application.labels.len()];
    let mut phases: BTreeMap<(u32, u32), i128> = BTreeMap::new();
    let mut left = 0;
    let mut devices = Devices::new(plan);
    for mut part in parts {
        left += unreceived(&part);
        for (local, rank) in part.ranks.iter().enumerate() {
            part.accounts.leave_phase(rank, local as u32);
            outcome.finish.push(rank.clocks.cpu);
        }
        for (label, sums) in part.accounts.spans() {
            let account = &mut outcome.labels[label as usize];
            for (sum, ticks) in account.ticks.iter_mut().zip(sums.ticks) {
                *sum += ticks;
            }
            account.messages += sums.messages;
            account.bytes += sums.bytes;
            for (threads, ticks) in &sums.computed {
                *computed[label as usize].entry(*threads).or_default() += ticks;
            }
        }
        for (key, ticks) in &part.accounts.phases {
            *phases.entry(*key).or_default() += ticks;
        }
        devices.add(plan, &part);
    }
    for (number, label) in application.labels.iter().enumerate() {
        let account = &mut outcome.labels[number];
        let finish = &outcome.finish[label.first as usize..(label.first + label.count) as usize];
        account.finish = finish.iter().map(|end| u128::from(*end)).sum();
        account.last = finish.iter().copied().max().unwrap_or(0);
        account.classes = label.count;
        account.thread_ticks =
            computed[number].iter().fold(0.0, |sum, (threads, ticks)| sum + f64::from_bits(*threads) * *ticks as f64);
        outcome.counts.messages += account.messages;
        outcome.counts.bytes += account.bytes;
    }
    outcome.end = outcome.finish.iter().copied().max().unwrap_or(0);
    outcome.phases = phases
        .into_iter()
        .filter(|(_, ticks)| *ticks > 0)
        .map(|((phase, label), ticks)| PhaseAccount { phase, label, ticks: ticks as u128 })
        .collect();
    outcome.devices = devices.finish();
    outcome.warnings = warnings(left, unwaited(plan));
    outcome
}

/// Messages without a receive.
fn unreceived(part: &Part) -> u64 {
    let mut left = part.crowds.messages();
    for rank in part.ranks.iter().filter(|rank| rank.flags & CROWDED == 0) {
        let mut node = rank.unexpected;
        while node != NIL {
            left += 1;
            node = part.messages.next(node);
            if node == rank.unexpected {
                break;
            }
        }
    }
    left
}

/// Requests that no process waits for: what comes last in the text of a program is what happens last, loops or not.
fn unwaited(plan: &Plan<'_>) -> u64 {
    let code = plan.code;
    let ends = code.starts.iter().skip(1).copied().chain([code.steps.len() as u32]);
    let by_program: Vec<u64> = code
        .starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let mut open = std::collections::BTreeSet::new();
            for step in &code.steps[*start as usize..end as usize] {
                match step {
                    Step::Send { request: Some(request), .. } | Step::Receive { request: Some(request), .. } => {
                        open.insert(*request);
                    }
                    Step::Wait(request) => {
                        open.remove(request);
                    }
                    _ => {}
                }
            }
            open.len() as u64
        })
        .collect();
    if by_program.iter().all(|open| *open == 0) {
        return 0;
    }
    let of = |process| plan.application.program_of(process).map_or(0, |program| by_program[program as usize]);
    (0..plan.processes).map(of).sum()
}

/// Accounts of devices.
enum Devices {
    /// One for each process, in order; more devices may follow without processes.
    Own { accounts: Vec<DeviceAccount>, threads: f64, count: usize },
    /// Several processes at one, or several devices for one.
    Shared { devices: Vec<Device>, blocked: Vec<u128>, blocks: Vec<super::accounts::Computed> },
}

impl Devices {
    fn new(plan: &Plan<'_>) -> Devices {
        let count = plan.job.world.devices() as usize;
        if plan.devices.is_none() && count as u64 >= plan.processes {
            let threads = plan.application.blocks.first().map_or(1.0, |block| block.threads);
            return Devices::Own { accounts: Vec::with_capacity(count), threads, count };
        }
        Devices::Shared {
            devices: (0..count).map(|_| Device::new(false)).collect(),
            blocked: vec![0; count],
            blocks: Vec::new(),
        }
    }

    fn add(&mut self, plan: &Plan<'_>, part: &Part) {
        match self {
            Devices::Own { accounts, threads, .. } => {
                for (blocked, computed) in part.accounts.blocked.iter().zip(&part.accounts.computed) {
                    let computing = if *computed > 0 && *threads > 0.0 {
                        vec![(*threads, u128::from(*computed))]
                    } else {
                        Vec::new()
                    };
                    accounts.push(DeviceAccount {
                        computing,
                        blocked: u128::from(*blocked),
                        ..DeviceAccount::default()
                    });
                }
            }
            Devices::Shared { blocked, blocks, .. } => {
                for (local, ticks) in part.accounts.blocked.iter().enumerate() {
                    let device = plan.job.world.place(u64::from(part.first) + local as u64).device;
                    blocked[device as usize] += u128::from(*ticks);
                }
                blocks.extend_from_slice(&part.accounts.blocks);
            }
        }
    }

    fn finish(self) -> Vec<DeviceAccount> {
        match self {
            Devices::Own { mut accounts, count, .. } => {
                accounts.resize(count, DeviceAccount::default());
                accounts
            }
            Devices::Shared { mut devices, blocked, mut blocks } => {
                blocks.sort_by_key(|block| (block.device, block.from));
                for block in &blocks {
                    devices[block.device as usize].compute(block.from, block.to, block.threads);
                }
                let account = |(mut device, blocked): (Device, u128)| {
                    device.finish();
                    DeviceAccount { blocked, ..device.account }
                };
                devices.into_iter().zip(blocked).map(account).collect()
            }
        }
    }
}
