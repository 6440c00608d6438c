//! Half round trips of the check data (`testdata/sim/simgrid/pingpong.csv`: SimGrid SMPI 3.32), within 2 %.

use super::stage::{application, ethernet, galera, play_in, recv, send};
use crate::application::Block;
use crate::outcome::Blind;
use crate::platform::MachineId;
use crate::tick::PICOSECOND;
use crate::world::{Cost, Device, DeviceId, Io, IoCost, Place, World};
use runcast_core::Problem;

/// Two processes on machines of choice.
pub struct Pair(pub MachineId, pub MachineId);

impl World for Pair {
    fn place(&self, process: u64) -> Place {
        let machine = if process == 0 { self.0 } else { self.1 };
        Place { machine, device: process as u32, slot: 0, class: 0 }
    }

    fn devices(&self) -> u32 {
        2
    }

    fn device(&self, device: DeviceId) -> Device {
        Device { machine: device, component: 0, cores: 1.0, placed: 1.0 }
    }

    fn device_of(&self, process: u64, _: &str) -> Result<DeviceId, Problem> {
        Ok(process as u32)
    }

    fn compute(&self, block: &Block, _: u32) -> Result<Cost, Problem> {
        Ok(Cost { seconds: block.time_s.unwrap_or(0.0), spread: None })
    }

    fn throughput(&self, _: DeviceId, busy: f64) -> Result<f64, Problem> {
        Ok(busy)
    }

    fn shares(&self, _: DeviceId) -> bool {
        false
    }

    fn io(&self, _: Io<'_>, _: u64, _: u64) -> Result<IoCost, Problem> {
        Err(Problem::new("no_storage", "no storage"))
    }
}

#[test]
fn every_size_is_within_two_percent() {
    let rows = include_str!("../../../../../../../testdata/sim/simgrid/pingpong.csv");
    let mut checked = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#')).skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [platform, path, size, time] = cells[..] else { panic!("{row}") };
        let machines = match path {
            "same_node" => Pair(3, 3),
            "two_nodes" | "same_leaf" => Pair(0, 1),
            "two_leaves" => Pair(0, 16),
            _ => panic!("{row}"),
        };
        let built = if platform == "galera" { galera() } else { ethernet() };
        let size: u64 = size.parse().expect("a size");
        let time: f64 = time.parse().expect("a time");
        let mut app = application(vec![vec![send(1, size), recv(1)], vec![recv(0), send(0, size)]], Vec::new());
        let outcome = play_in(&built, &mut app, &machines, &mut Blind).expect("runs");
        let half = PICOSECOND.to_seconds(outcome.finish[0]) / 2.0;
        assert!((half / time - 1.0).abs() < 0.02, "{row}: {half}");
        checked += 1;
    }
    assert_eq!(checked, 25);
}
