//! A Slurm cluster of one node on loopback, from Debian's packages `slurmctld`, `slurmd`, `slurm-client`, `munge`.
//!
//! Three daemons (munged, slurmctld, slurmd) run in the foreground under the same supervision as any benchmark, so
//! they and every job end with the test, whatever happens to it. Ports, sockets, keys and states are the cluster's
//! own, in a temporary folder; an installed Slurm is not touched. The node claims four processors however many there
//! are. Processes are tracked by `/proc` rather than by control groups, which containers rarely let one use.

use runcast_bench::Supervised;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub const PROGRAMS: [&str; 7] = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "srun"];

/// A running cluster; it ends when dropped.
pub struct Cluster {
    folder: tempfile::TempDir,
    daemons: Vec<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    host: String,
}

impl Cluster {
    /// Starts the daemons and waits until the node takes jobs.
    pub fn start() -> Cluster {
        Self::start_with("")
    }

    /// The same, with further lines of its configuration.
    pub fn start_with(settings: &str) -> Cluster {
        let folder = tempfile::Builder::new().prefix("slurm").tempdir_in("/tmp").expect("a folder");
        let host = said("hostname -s");
        let mut cluster = Cluster { folder, daemons: Vec::new(), stop: Arc::default(), host };
        let at = |name: &str| cluster.folder.path().join(name);
        for name in ["munge", "state", "spool"] {
            std::fs::create_dir(at(name)).expect("made");
        }
        let random: Vec<u8> = (0u16..1024).map(|n| (n.wrapping_mul(181) >> 3) as u8).collect();
        std::fs::write(at("munge/key"), random).expect("written");
        for name in ["munge", "munge/key"] {
            let mode = if name == "munge" { 0o700 } else { 0o600 };
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).expect("ours");
        }
        std::fs::write(at("slurm.conf"), configuration(cluster.folder.path(), &cluster.host) + settings)
            .expect("written");
        std::fs::write(at("cgroup.conf"), format!("CgroupPlugin={}\n", cgroup_plugin())).expect("written");

        let munge = |option: &str, name: &str| format!("--{option}={}", at(name).display());
        let munged = vec![
            "munged".to_owned(),
            "--force".to_owned(),
            "--foreground".to_owned(),
            munge("key-file", "munge/key"),
            munge("socket", "munge/socket"),
            munge("pid-file", "munge/pid"),
            munge("seed-file", "munge/seed"),
        ];
        let socket = at("munge/socket");
        cluster.daemon(munged);
        cluster.until("munged", || socket.exists());
        cluster.daemon(vec!["slurmctld".to_owned(), "-D".to_owned(), "-i".to_owned()]);
        cluster.start_node();
        cluster
    }

    /// Starts the node, also after [`Cluster::kill_node`], and waits until it takes jobs.
    pub fn start_node(&mut self) {
        self.daemon(vec!["slurmd".to_owned(), "-D".to_owned(), "-N".to_owned(), self.host.clone()]);
        self.until("the node", || self.call("sinfo -h -o %T").trim() == "idle");
    }

    /// Kills the node without a warning, and with it all that runs there.
    #[allow(dead_code, reason = "not all who start a cluster kill its node")]
    pub fn kill_node(&mut self) {
        let pid = std::fs::read_to_string(self.folder.path().join("slurmd.pid")).expect("the number of slurmd");
        self.call(&format!("kill -KILL {}", pid.trim()));
        let node = self.daemons.pop().expect("the node is the last one");
        node.join().expect("its end");
    }

    /// What `SLURM_CONF` must be.
    pub fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    /// The output of a command of Slurm.
    pub fn call(&self, command: &str) -> String {
        self.prepare(Supervised::new(["sh", "-c", command])).run_quietly().stdout_tail
    }

    fn daemon(&mut self, argv: Vec<String>) {
        let name = argv.first().cloned().unwrap_or_default();
        let program = self.prepare(Supervised::new(argv));
        let stop = self.stop.clone();
        self.daemons.push(std::thread::spawn(move || {
            let finished = program.run(&stop, &|_, _| {});
            if !stop.load(Ordering::Relaxed) {
                eprintln!("{name} ended: {:?}\n{}{}", finished.end, finished.stdout_tail, finished.stderr_tail);
            }
        }));
    }

    fn prepare(&self, mut program: Supervised) -> Supervised {
        let path = std::env::var("PATH").unwrap_or_default();
        program.env.push(("SLURM_CONF".into(), self.configuration().into()));
        program.env.push(("PATH".into(), format!("{path}:/usr/sbin:/sbin").into()));
        program.grace = Duration::from_secs(3);
        program
    }

    fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let start = Instant::now();
        while !holds() {
            if start.elapsed() > Duration::from_secs(60) {
                for log in ["slurmctld.log", "slurmd.log"] {
                    eprintln!("{log}: {}", std::fs::read_to_string(self.folder.path().join(log)).unwrap_or_default());
                }
                panic!("waited a minute for {what}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for daemon in self.daemons.drain(..) {
            let _ = daemon.join();
        }
    }
}

fn configuration(folder: &Path, host: &str) -> String {
    let user = said("id -un");
    let folder = folder.display();
    let [controller_port, node_port] = free_ports();
    format!(
        "ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"
    )
}

/// How to say that control groups are not used: `disabled` since Slurm 23.11, before that version 1, which is then
/// never asked for anything.
fn cgroup_plugin() -> &'static str {
    let version = said("slurmd -V");
    let year = version.split_whitespace().nth(1).and_then(|text| text.split('.').next()?.parse().ok()).unwrap_or(22);
    if year >= 24 { "disabled" } else { "cgroup/v1" }
}

/// Ports that are free now, held at once so that they differ.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("bound").port())
}

fn said(script: &str) -> String {
    let script = format!("PATH=$PATH:/usr/sbin:/sbin; {script}");
    Supervised::new(["sh", "-c", &script]).run_quietly().stdout_tail.trim().to_owned()
}
