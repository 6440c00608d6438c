//! Placement of processes: machine and device of each, computed from a few rules rather than stored.
//!
//! | place | processes |
//! |---|---|
//! | default | ranks in order, one per core, machine after machine; more processes than cores: `ceil(p/machines)` on each |
//! | `order = "block"` | `per` on a machine, then the next; behind the machines of earlier entries, if there are enough |
//! | `order = "cyclic"` | one on each machine in turn, on as many machines as `per` makes necessary |
//! | `list = [..]` | rank i on the machine of that number among those of `on` |
//!
//! All of it within the share of the machines that its application has, if it has one.
//!
//! Labels without an entry go to the cores that entries leave free, or, where there are not enough of them, evenly to all
//! machines. On a machine processes take its cores in order; when there are more processes than cores, each processor gets its
//! share of them.

mod devices;
mod hosts;
mod piece;
mod shares;
mod zones;

pub use devices::{DeviceRun, MachineDevices, Slot, machine_devices};
pub use shares::{Share, Shares};
pub use zones::{Part, Zone};

use crate::application::Application;
use crate::model::Location;
use crate::platform::MachineId;
use crate::system::System;
use hosts::{Hosts, hosts_of};
use piece::{Piece, Spread};
use runcast_core::Problem;
use runcast_formula::nearest;

/// An entry of `place`: where processes of a label go. A label may have several, each with a `count`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Index of the application; none: any that has the label.
    pub app: Option<u32>,
    pub label: String,
    /// Component: a machine, a group of machines, a device of machines; none: all machines.
    pub on: Option<String>,
    /// Processes per machine; none: one per core.
    pub per: Option<u64>,
    pub order: Order,
    /// Numbers of machines among those of `on`, one for each rank.
    pub list: Option<Vec<u64>>,
    /// Number of processes; none: all that are left.
    pub count: Option<u64>,
    pub location: Location,
}

/// In which order processes go to machines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// Machine after machine.
    #[default]
    Block,
    /// One on each in turn.
    Cyclic,
}

/// The placement of all processes.
#[derive(Debug)]
pub struct Placement {
    pieces: Vec<Piece>,
    zones: Vec<Zone>,
    /// What is in each machine component.
    kinds: Vec<Option<MachineDevices>>,
    runs: Vec<DeviceRun>,
    /// Host sets of cyclic pieces.
    hosts: Vec<Hosts>,
}

/// The place of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    pub machine: MachineId,
    /// Zone: machines with equivalent processes.
    pub zone: u32,
    /// Device among those of the machine.
    pub device: u32,
    /// Processes before it on the machine that sit on the same kind of device.
    pub nth: u64,
}

/// Processes that must be placed: a stretch of a label.
struct Wanted<'a> {
    label: u32,
    first: u64,
    count: u64,
    entry: Option<&'a Entry>,
    on: Option<&'a str>,
}

impl Placement {
    /// Places all processes of an application, those of each application within its share of the machines.
    ///
    /// # Errors
    /// Entries for labels or components that are not there, labels larger than `per` x machines, machines beyond the end.
    pub fn new(
        system: &System,
        application: &Application,
        entries: &[Entry],
        shares: &[Option<Share>],
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let kinds: Vec<Option<MachineDevices>> =
            (0..system.components.len()).map(|component| machine_devices(system, component)).collect();
        let all = hosts_of(system, None).map_err(|problem| vec![problem])?;
        for (app, share) in shares.iter().enumerate() {
            let name = application.parts.get(app).map_or("", |app| app.name.as_str());
            share.iter().try_for_each(|share| share.check(system, name)).map_err(|problem| vec![problem])?;
        }
        let runs = devices::runs(system, &kinds);
        let mut placement = Placement { pieces: Vec::new(), zones: Vec::new(), kinds, runs, hosts: Vec::new() };
        // Those that go wherever there is room, by their share of the machines.
        let mut open: Vec<(Option<&Share>, Vec<Wanted<'_>>)> = Vec::new();
        for wanted in wanted(application, entries, &mut problems) {
            if wanted.entry.is_none() && wanted.on.is_none() {
                let share = share_of(application, shares, wanted.label);
                match open.iter_mut().find(|(known, _)| *known == share) {
                    Some((_, all)) => all.push(wanted),
                    None => open.push((share, vec![wanted])),
                }
                continue;
            }
            let share = share_of(application, shares, wanted.label);
            if let Err(problem) = placement.place_explicitly(system, application, &wanted, share) {
                let location = wanted.entry.map(|entry| &entry.location);
                let problem = location.map_or(problem.clone(), |location| location.locate(problem));
                problems.push(problem);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        for (share, open) in &open {
            placement.zones = zones::zones(&placement);
            let hosts = all.clone().within(*share);
            if hosts.machines == 0 {
                return Err(vec![no_machine(application, open[0].label, "the system")]);
            }
            placement.place_rest(&hosts, open);
        }
        placement.pieces.sort_by_key(|piece| piece.first);
        placement.zones = zones::zones(&placement);
        Ok(placement)
    }

    /// The place of a process.
    ///
    /// # Panics
    /// Never for a process of the application.
    #[inline]
    pub fn seat(&self, process: u64) -> Seat {
        let index = self.pieces.partition_point(|piece| piece.first <= process).saturating_sub(1);
        let piece = &self.pieces[index];
        let (machine, nth) = piece.machine(process - piece.first, &self.hosts);
        let zone = self.zone_of(machine);
        let found = &self.zones[zone];
        let before = found.parts.iter().find(|part| part.piece == index as u32).map_or(0, |part| part.before);
        let devices = self.devices_of(found);
        let total = found.in_group(piece.device);
        let device = devices.slot(piece.device, before + nth, total);
        Seat { machine, zone: zone as u32, device, nth: before + nth }
    }

    /// Which of the processes on its device a process is, and how many there are.
    pub fn on_its_device(&self, process: u64) -> (u64, u64) {
        let seat = self.seat(process);
        let zone = &self.zones[seat.zone as usize];
        let index = self.pieces.partition_point(|piece| piece.first <= process).saturating_sub(1);
        let device = self.pieces[index].device;
        let (devices, total) = (self.devices_of(zone), zone.in_group(device));
        // Devices are taken in order, so that the first process of one is found by bisection.
        let (mut low, mut high) = (0, seat.nth);
        while low < high {
            let middle = low + (high - low) / 2;
            if devices.slot(device, middle, total) < seat.device {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (seat.nth - low, devices.stretch(device, low, total) - low)
    }

    /// Number of the zone of a machine.
    pub fn zone_of(&self, machine: MachineId) -> usize {
        self.zones.partition_point(|zone| zone.first <= machine).saturating_sub(1)
    }

    /// Machines in stretches that hold identical processes, by their numbers; together all machines.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// The devices in the machines of a zone.
    pub fn devices_of(&self, zone: &Zone) -> &MachineDevices {
        self.kinds[zone.component].as_ref().unwrap_or(&devices::NONE)
    }

    /// How many processes of each label sit on each device of a machine of a zone: `(device, label, processes)`.
    pub fn on_devices(&self, zone: &Zone) -> Vec<(u32, u32, u64)> {
        let devices = self.devices_of(zone);
        let mut all: Vec<(u32, u32, u64)> = Vec::new();
        for part in &zone.parts {
            let piece = &self.pieces[part.piece as usize];
            let total = zone.in_group(piece.device);
            let mut nth = part.before;
            while nth < part.before + part.count {
                let device = devices.slot(piece.device, nth, total);
                let until = devices.stretch(piece.device, nth, total).min(part.before + part.count);
                match all.iter_mut().find(|(at, label, _)| (*at, *label) == (device, piece.label)) {
                    Some((_, _, count)) => *count += until - nth,
                    None => all.push((device, piece.label, until - nth)),
                }
                nth = until;
            }
        }
        all
    }

    /// Number of the first device of a machine.
    pub fn first_device(&self, machine: MachineId) -> u32 {
        let index = self.runs.partition_point(|run| run.first_machine <= machine).saturating_sub(1);
        self.runs.get(index).map_or(0, |run| run.first + (machine - run.first_machine) * run.each)
    }

    /// Machine of a device, and which of its devices it is.
    pub fn machine_of(&self, device: u32) -> (MachineId, u32) {
        let index = self.runs.partition_point(|run| run.first <= device).saturating_sub(1);
        let Some(run) = self.runs.get(index) else { return (0, 0) };
        let at = device - run.first;
        (run.first_machine + at / run.each.max(1), at % run.each.max(1))
    }

    /// Number of devices.
    pub fn device_count(&self) -> u32 {
        self.runs.last().map_or(0, |run| run.first + run.machines * run.each)
    }

    fn place_explicitly(
        &mut self,
        system: &System,
        application: &Application,
        wanted: &Wanted<'_>,
        share: Option<&Share>,
    ) -> Result<(), Problem> {
        let entry = wanted.entry;
        let label = &application.labels[wanted.label as usize];
        let on = entry.and_then(|entry| entry.on.as_deref()).or(wanted.on);
        let hosts = hosts_of(system, on)?.within(share);
        if hosts.machines == 0 {
            return Err(no_machine(application, wanted.label, on.unwrap_or("the system")));
        }
        let none = Entry::default();
        let entry = entry.unwrap_or(&none);
        let piece = |first, count, spread| Piece { first, count, label: wanted.label, device: hosts.device, spread };
        if let Some(list) = &entry.list {
            let places = piece::listed(list, wanted.count, &hosts, &label.name)?;
            self.pieces.push(piece(wanted.first, wanted.count, Spread::List(places)));
            return Ok(());
        }
        if let Some(per) = entry.per {
            let most = u128::from(per) * u128::from(hosts.machines);
            if u128::from(wanted.count) > most {
                let message = format!(
                    "label {} has {} processes, which is more than {per} on each of {} machines",
                    label.name, wanted.count, hosts.machines
                );
                let problem = Problem::new("label_too_large", message).at("per").value(per.to_string());
                let least = wanted.count.div_ceil(hosts.machines.max(1));
                return Err(problem.allowed(format!("{least} or more")));
            }
        }
        if entry.order == Order::Cyclic {
            let machines =
                entry.per.map_or(hosts.machines, |per| wanted.count.div_ceil(per)).min(hosts.machines).max(1);
            let set = self.hosts.len();
            self.pieces.push(piece(wanted.first, wanted.count, Spread::Cyclic { hosts: set, machines }));
            self.hosts.push(hosts);
            return Ok(());
        }
        let ranges = self.behind(&hosts, wanted.count, entry.per);
        let cores = hosts.ranges.iter().fold(0_u64, |sum, range| {
            let each = self.kinds[range.component].as_ref().map_or(1, |devices| devices.units(hosts.device));
            sum.saturating_add(each.saturating_mul(u64::from(range.count)))
        });
        let evenly = (wanted.count > cores).then(|| wanted.count.div_ceil(hosts.machines.max(1)));
        let (mut first, mut left) = (wanted.first, wanted.count);
        for (component, machine, machines) in ranges {
            let units = self.kinds[component].as_ref().map_or(1, |devices| devices.units(hosts.device));
            let per = entry.per.or(evenly).unwrap_or(units).max(1);
            let count = left.min(per.saturating_mul(u64::from(machines)));
            if count > 0 {
                self.pieces.push(piece(first, count, Spread::Block { machine, per }));
            }
            (first, left) = (first + count, left - count);
        }
        Ok(())
    }

    /// Machines behind those that earlier entries took on the same kind of device, by component, if this many processes fit
    /// there; otherwise all.
    fn behind(&self, hosts: &Hosts, count: u64, per: Option<u64>) -> Vec<(usize, MachineId, u32)> {
        let taken: Vec<(MachineId, MachineId)> = self
            .pieces
            .iter()
            .filter(|piece| piece.device == hosts.device)
            .flat_map(|piece| piece.stretches(&self.hosts))
            .map(|(first, machines, _)| (first, first + machines))
            .collect();
        let free = hosts.ranges.iter().map(|range| {
            let end = range.first + range.count;
            let inside = taken.iter().filter(|(from, until)| *from < end && *until > range.first);
            let start = inside.map(|(_, until)| (*until).min(end)).max().unwrap_or(range.first);
            (range.component, start, end - start)
        });
        let free: Vec<(usize, MachineId, u32)> = free.collect();
        let room = free.iter().fold(0_u64, |sum, (component, _, machines)| {
            let units = self.kinds[*component].as_ref().map_or(1, |devices| devices.units(hosts.device));
            sum.saturating_add(per.unwrap_or(units).max(1).saturating_mul(u64::from(*machines)))
        });
        if room >= count {
            return free;
        }
        hosts.ranges.iter().map(|range| (range.component, range.first, range.count)).collect()
    }

    /// Labels without a place: one process a free core of these machines, or evenly on all of them when there are not enough.
    fn place_rest(&mut self, hosts: &Hosts, open: &[Wanted<'_>]) {
        let count: u64 = open.iter().map(|wanted| wanted.count).sum();
        if count == 0 {
            return;
        }
        let mut free: Vec<(MachineId, u32, u64)> = Vec::new();
        for zone in &self.zones {
            let cores = self.devices_of(zone).units(None);
            let taken = zone.in_group(None);
            if cores <= taken {
                continue;
            }
            for range in &hosts.ranges {
                let (first, end) =
                    (zone.first.max(range.first), (zone.first + zone.count).min(range.first + range.count));
                if first < end {
                    free.push((first, end - first, cores - taken));
                }
            }
        }
        let room = free.iter().fold(0_u64, |sum, (_, machines, each)| sum.saturating_add(u64::from(*machines) * each));
        if room < count {
            let per = count.div_ceil(hosts.machines.max(1));
            free = hosts.ranges.iter().map(|range| (range.first, range.count, per)).collect();
        }
        let mut open =
            open.iter().map(|wanted| (wanted.label, wanted.first, wanted.count)).collect::<Vec<_>>().into_iter();
        let mut next = open.next();
        for (first, machines, per) in free {
            // Processes of several labels may share a machine: each stretch of machines is filled from where the last ended.
            let (mut machine, mut taken) = (first, 0);
            while let Some((label, process, left)) = next {
                if machine >= first + machines {
                    break;
                }
                let (count, spread) = if taken > 0 || left < per {
                    // The rest of a machine that another label began, or a machine that this one does not fill.
                    (left.min(per - taken), Spread::Block { machine, per })
                } else {
                    let full = (left / per).min(u64::from(first + machines - machine));
                    (full * per, Spread::Block { machine, per })
                };
                self.pieces.push(Piece { first: process, count, label, device: None, spread });
                let filled = taken + count;
                machine += (filled / per) as u32;
                taken = filled % per;
                next = if count == left { open.next() } else { Some((label, process + count, left - count)) };
            }
        }
    }
}

/// The share of the machines that the application of a label has.
fn share_of<'s>(application: &Application, shares: &'s [Option<Share>], label: u32) -> Option<&'s Share> {
    shares.get(application.labels[label as usize].app as usize)?.as_ref()
}

fn no_machine(application: &Application, label: u32, on: &str) -> Problem {
    let label = &application.labels[label as usize];
    let message = format!("the share of its application has no machine in {on} for label {}", label.name);
    Problem::new("no_machine", message).at("on")
}

/// The processes to place, in order: each label by its entries.
fn wanted<'a>(application: &'a Application, entries: &'a [Entry], problems: &mut Vec<Problem>) -> Vec<Wanted<'a>> {
    let mut all = Vec::new();
    for entry in entries {
        let fits = |label: &&crate::application::Label| {
            label.name == entry.label && entry.app.is_none_or(|app| app == label.app)
        };
        if !application.labels.iter().any(|label| fits(&label)) {
            let message = format!("there is no label {}", entry.label);
            let known: Vec<&str> = application.labels.iter().map(|label| label.name.as_str()).collect();
            let mut problem =
                Problem::new("unknown_label", message).value(entry.label.as_str()).allowed(known.join(", "));
            problem.hint = nearest(&entry.label, known).map(|near| format!("did you mean {near}?"));
            problems.push(entry.location.locate(problem));
        }
    }
    for (index, label) in application.labels.iter().enumerate() {
        let (mut first, mut left) = (label.first, label.count);
        let index = index as u32;
        let own =
            entries.iter().filter(|entry| entry.label == label.name && entry.app.is_none_or(|app| app == label.app));
        let mut last: Option<&Entry> = None;
        for entry in own {
            if left == 0 && entry.count != Some(0) {
                let message = format!("label {} has no processes left for this place", label.name);
                let problem = Problem::new("label_too_small", message).at("count");
                problems.push(entry.location.locate(problem.hint("give the places before it a count")));
            }
            let count = entry.count.unwrap_or(left);
            if count > left {
                let message = format!("label {} has only {left} processes for this place", label.name);
                let problem = Problem::new("label_too_small", message).at("count").value(count.to_string());
                problems.push(entry.location.locate(problem.allowed(format!("0 to {left}"))));
                left = 0;
                break;
            }
            if count > 0 {
                all.push(Wanted { label: index, first, count, entry: Some(entry), on: label.on.as_deref() });
            }
            (first, left) = (first + count, left - count);
            last = Some(entry);
        }
        if left > 0
            && let Some(entry) = last
        {
            let message = format!("{left} processes of label {} have no place", label.name);
            let problem = Problem::new("label_too_large", message).at("count");
            problems.push(entry.location.locate(problem.hint("leave out the count of its last place")));
        } else if left > 0 {
            all.push(Wanted { label: index, first, count: left, entry: None, on: label.on.as_deref() });
        }
    }
    all
}

#[cfg(test)]
mod tests;
