//! What the processes of a group do together: collectives and farms.

use super::{Awaited, Outcome, Recorder, at_most_2_53, rank_outside};
use crate::application::{Collective, CollectiveKind, Farm, Group, Op};
use crate::build::arguments::{CollectiveCall, Comm, FarmCall, Request};
use crate::build::requests::Made;
use runcast_core::Problem;
use runcast_core::hash::hash_of;

impl Recorder {
    /// Number of the group of a call, and its size.
    fn group(&mut self, comm: Option<&Comm>) -> Outcome<(u32, u64)> {
        let own = self.own;
        if !own.running {
            return self.push(Op::Phase(0)).map(|()| (0, 0));
        }
        let members = match comm {
            None => None,
            Some(comm) => {
                if let Some(name) = &comm.label
                    && self.label_named(name)? != own.label
                {
                    return Err(Problem::new("wrong_comm", format!("the comm belongs to label `{name}`")));
                }
                if comm.members.last().is_some_and(|last| *last >= own.count)
                    || comm.members.iter().any(|member| *member >= own.count)
                {
                    let worst = comm.members.iter().max().copied().unwrap_or(0);
                    return Err(rank_outside(&self.app.labels[own.label as usize].name, own.count, &worst.to_string()));
                }
                if own.ranked && !comm.members.contains(&own.rank) {
                    return Err(Problem::new("not_in_comm", format!("rank {} is not a member of the comm", own.rank)));
                }
                if !own.ranked && comm.members.len() as u64 != own.count {
                    return Err(Problem::new("not_in_comm", "all ranks make this call, but some are not in the comm")
                        .hint("name the parameter: `run = function(rank) .. end`"));
                }
                Some(comm.members.as_slice())
            }
        };
        let hash = hash_of(&(own.label, members));
        let same = |old: &Group| old.label == own.label && old.members.as_deref() == members;
        let (group, new) = self.groups.intern(&mut self.app.groups, hash, same, || Group {
            label: own.label,
            members: members.map(<[u64]>::to_vec),
        });
        let size = members.map_or(own.count, |members| members.len() as u64);
        if new {
            self.charge(64 + members.map_or(0, |members| 8 * members.len()))?;
        }
        Ok((group, size))
    }

    /// Members of the group of a call, and the own number there.
    #[cfg(feature = "luau")]
    pub(crate) fn members_of(&self, comm: Option<&Comm>) -> (u64, u64) {
        let own = self.own;
        match comm {
            None => (own.count, own.rank),
            Some(comm) => {
                let place = comm.members.iter().position(|member| *member == own.rank);
                (comm.members.len() as u64, place.unwrap_or(0) as u64)
            }
        }
    }

    fn collective_call(&mut self, kind: CollectiveKind, call: &CollectiveCall<'_>) -> Outcome<u32> {
        let (group, processes) = self.group(call.comm)?;
        if call.root >= processes {
            return Err(Problem::new(
                "root_outside",
                format!("root {} is outside the group (0 to {})", call.root, processes.saturating_sub(1)),
            )
            .value(call.root.to_string()));
        }
        let size = at_most_2_53(call.counts.map_or(call.size, |counts| counts.total()))?;
        let counted = call.counts.map(|counts| counts.hash());
        let hash = hash_of(&(kind, size, call.root, group, call.algorithm, counted));
        let same = |old: &Collective| {
            old.kind == kind
                && old.size == size
                && old.root == call.root
                && old.group == group
                && old.algorithm.as_deref() == call.algorithm
                && old.counts.as_ref() == call.counts
        };
        let (collective, new) = self.collectives.intern(&mut self.app.collectives, hash, same, || Collective {
            kind,
            size,
            root: call.root,
            group,
            algorithm: call.algorithm.map(str::to_owned),
            counts: call.counts.cloned(),
        });
        if new {
            self.charge(size_of::<Collective>() + 48 + call.algorithm.map_or(0, str::len))?;
        }
        Ok(collective)
    }

    pub(crate) fn collective(&mut self, kind: CollectiveKind, call: &CollectiveCall<'_>) -> Outcome<()> {
        let collective = self.collective_call(kind, call)?;
        self.push(Op::Collective(collective))
    }

    /// A non-blocking collective.
    pub(crate) fn icollective(&mut self, kind: CollectiveKind, call: &CollectiveCall<'_>) -> Outcome<Request> {
        let collective = self.collective_call(kind, call)?;
        let request = self.request(Made::Collective)?;
        self.push(Op::Icollective { collective, request: request.number })?;
        Ok(request)
    }

    /// Hands out tasks.
    pub(crate) fn farm(&mut self, call: &FarmCall<'_>) -> Outcome<()> {
        let own = self.own;
        let to = self.label_named(call.to)?;
        if own.running && !own.ranked && own.count > 1 {
            return Err(Problem::new("several_masters", "all ranks of the label would be the master of one farm")
                .hint("name the parameter: `run = function(rank) .. end`"));
        }
        if call.window == 0 {
            return Err(Problem::new("bad_number", "`window` is 0").value("0").allowed("a whole number from 1"));
        }
        let work = self.block_of(to, &call.work)?;
        let master_work = call.master_work.as_ref().map(|work| self.block(work)).transpose()?;
        let master = own.first + own.rank;
        let farm = Farm {
            master,
            to,
            tasks: call.tasks,
            task_size: at_most_2_53(call.task_size)?,
            result_size: at_most_2_53(call.result_size)?,
            work,
            master_work,
            window: call.window,
            schedule: call.schedule,
        };
        let hash = hash_of(&(
            master,
            to,
            call.tasks,
            call.task_size,
            (call.result_size, work, master_work, call.window),
            call.schedule,
        ));
        let (farm, new) = self.farms.intern(&mut self.app.farms, hash, |old| *old == farm, || farm.clone());
        if new {
            self.charge(size_of::<Farm>() + 48)?;
        }
        self.push(Op::Farm(farm))
    }

    /// Takes tasks of a farm until there are none left.
    pub(crate) fn farm_worker(&mut self, master: u64) -> Outcome<()> {
        let awaited = Awaited { label: self.own.label, master };
        if self.live {
            let taken = self.taken.entry(master).or_insert(0);
            let farm = crate::application::check::nth_farm(&self.app, awaited, *taken)?;
            *taken += 1;
            return self.push(Op::FarmWorker(farm));
        }
        let (number, _) = self.waiting.intern(&mut self.awaited, hash_of(&awaited), |old| *old == awaited, || awaited);
        self.push(Op::FarmWorker(number))
    }
}
