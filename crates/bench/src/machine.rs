//! The machine that runs were made on.

use crate::supervise::Supervised;
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::Duration;

/// Facts about a machine for comparing its runs with others'. Unknown values are null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Its name in the network.
    pub host: Option<String>,
    /// Name and version of the operating system.
    pub os: Option<String>,
    /// Version of the kernel.
    pub kernel: Option<String>,
    /// `x86_64`, `aarch64`.
    pub architecture: String,
    /// Model of the processor.
    pub cpu: Option<String>,
    pub sockets: Option<u32>,
    /// Physical cores.
    pub cores: Option<u32>,
    pub hardware_threads: Option<u32>,
    /// Threads that may run at once for this process (affinity and control groups counted in).
    pub usable_threads: Option<u32>,
    pub numa_nodes: Option<u32>,
    /// Main memory.
    pub memory_bytes: Option<u64>,
    /// Frequency governor of the first core: with `powersave`, short runs are slow.
    pub governor: Option<String>,
    /// Whether cores may exceed their nominal frequency.
    pub boost: Option<bool>,
    /// Whether it runs under a hypervisor.
    pub virtual_machine: Option<bool>,
    /// Running processes, averaged over the last minute.
    pub load: Option<f64>,
}

impl Machine {
    /// The machine that this process runs on.
    pub fn observe() -> Machine {
        let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
        let topology = Topology::of(&cpuinfo);
        let threads = std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok());
        Machine {
            host: read("/proc/sys/kernel/hostname").or_else(|| said(&["hostname"])),
            os: read("/etc/os-release")
                .and_then(|text| field(&text, "PRETTY_NAME=").map(|name| name.trim_matches('"').to_owned()))
                .or_else(|| said(&["uname", "-s"])),
            kernel: read("/proc/sys/kernel/osrelease").or_else(|| said(&["uname", "-r"])),
            architecture: std::env::consts::ARCH.to_owned(),
            cpu: cpu_model(&cpuinfo),
            sockets: topology.sockets,
            cores: topology.cores,
            hardware_threads: topology.threads,
            usable_threads: threads,
            numa_nodes: numa_nodes(),
            memory_bytes: read("/proc/meminfo").and_then(|text| memory_bytes(&text)),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            boost: boost(),
            virtual_machine: cpuinfo.contains("flags").then(|| {
                field(&cpuinfo, "flags").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
            }),
            load: read("/proc/loadavg").and_then(|text| text.split_whitespace().next()?.parse().ok()),
        }
    }
}

/// The first line that a program prints, when it succeeds within ten seconds.
pub(crate) fn said(argv: &[&str]) -> Option<String> {
    let mut program = Supervised::new(argv.iter().copied());
    program.time_limit = Some(Duration::from_secs(10));
    let finished = program.run_quietly();
    let text = finished.stdout_tail.lines().next().unwrap_or_default().trim().to_owned();
    (finished.end.is_ok() && !text.is_empty()).then_some(text)
}

#[derive(Debug, Default, PartialEq)]
struct Topology {
    sockets: Option<u32>,
    cores: Option<u32>,
    threads: Option<u32>,
}

impl Topology {
    /// Counts distinct sockets and cores; many ARM kernels report neither.
    fn of(cpuinfo: &str) -> Topology {
        let mut cores = Vec::new();
        let mut threads = 0;
        for block in cpuinfo.split("\n\n").filter(|block| block.starts_with("processor")) {
            threads += 1;
            if let (Some(socket), Some(core)) = (field(block, "physical id"), field(block, "core id")) {
                cores.push((socket, core));
            }
        }
        cores.sort_unstable();
        cores.dedup();
        let count = |length: usize| u32::try_from(length).ok().filter(|&count| count > 0);
        let mut sockets: Vec<_> = cores.iter().map(|(socket, _)| socket).collect();
        sockets.dedup();
        Topology { sockets: count(sockets.len()), cores: count(cores.len()), threads: count(threads) }
    }
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    ["model name", "Model", "cpu\t"].iter().find_map(|name| field(cpuinfo, name)).map(str::to_owned)
}

fn memory_bytes(meminfo: &str) -> Option<u64> {
    field(meminfo, "MemTotal")?.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn numa_nodes() -> Option<u32> {
    let entries = fs::read_dir("/sys/devices/system/node").ok()?;
    let is_node = |name: &str| name.strip_prefix("node").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let count = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_node)).count();
    u32::try_from(count).ok().filter(|&count| count > 0)
}

fn boost() -> Option<bool> {
    let intel = read("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|text| text == "0");
    intel.or_else(|| read("/sys/devices/system/cpu/cpufreq/boost").map(|text| text == "1"))
}

/// What follows a name at the start of a line, without `:` or `=` and white space.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let rest = rest.trim_start().trim_start_matches([':', '=']).trim();
    (!rest.is_empty()).then_some(rest)
}

fn read(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_apart_from_hardware_threads() {
        let block = |thread: u32, socket: u32, core: u32| {
            format!(
                "processor\t: {thread}\nmodel name\t: A CPU @ 2 GHz\nphysical id\t: {socket}\ncore id\t\t: {core}\n\n"
            )
        };
        let cpuinfo: String =
            [block(0, 0, 0), block(1, 0, 1), block(2, 1, 0), block(3, 1, 1), block(4, 0, 0), block(5, 0, 1)].concat();
        let expected = Topology { sockets: Some(2), cores: Some(4), threads: Some(6) };
        assert_eq!(Topology::of(&cpuinfo), expected);
        assert_eq!(cpu_model(&cpuinfo).as_deref(), Some("A CPU @ 2 GHz"));
        assert_eq!(memory_bytes("MemTotal:       24576 kB\nMemFree: 1 kB"), Some(25_165_824));
    }

    #[test]
    fn this_machine_has_threads_and_survives_a_round_trip() {
        let machine = Machine::observe();
        assert!(machine.usable_threads.is_some_and(|threads| threads > 0));
        let text = serde_json::to_string(&machine).expect("plain data");
        assert_eq!(serde_json::from_str::<Machine>(&text).expect("the same shape"), machine);
    }
}
