//! The end of processes that others have started, such as the ranks below an MPI launcher.

use std::time::Duration;

/// Processes of this machine, watched for their end without being their parent (Linux 5.3 or newer; elsewhere nothing
/// is ever seen).
///
/// Launchers end all ranks when one of them ends, and not all of them say which one it was; who waits for the processes
/// themselves sees the first one go.
#[derive(Debug)]
pub struct Ends(system::Watched);

impl Ends {
    /// Watches nothing yet.
    pub fn new() -> Self {
        Ends(system::Watched::new())
    }

    /// Watches a process.
    pub fn add(&mut self, pid: u32) {
        self.0.add(pid);
    }

    /// Waits until at least one of the processes has ended, or the time is up. Reports each once, in the order of their ends.
    pub fn wait(&mut self, most: Duration) -> Vec<u32> {
        self.0.wait(most)
    }
}

impl Default for Ends {
    fn default() -> Self {
        Ends::new()
    }
}

#[cfg(target_os = "linux")]
mod system {
    //! Handles of processes in an epoll, whose events come in the order in which they happened.

    use rustix::event::{Timespec, epoll};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use std::collections::HashMap;
    use std::mem::take;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    /// Maximum number of ends reported at once.
    const AT_ONCE: usize = 256;

    #[derive(Debug)]
    pub struct Watched {
        /// None when the system has no more files to give.
        events: Option<OwnedFd>,
        handles: HashMap<u32, OwnedFd>,
        /// Ended before they could be watched.
        before: Vec<u32>,
    }

    impl Watched {
        pub fn new() -> Self {
            let events = epoll::create(epoll::CreateFlags::CLOEXEC).ok();
            Watched { events, handles: HashMap::new(), before: Vec::new() }
        }

        pub fn add(&mut self, pid: u32) {
            let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
            match (pidfd_open(process, PidfdFlags::empty()), &self.events) {
                (Ok(handle), Some(events)) => {
                    let data = epoll::EventData::new_u64(pid.into());
                    if epoll::add(events, &handle, data, epoll::EventFlags::IN).is_ok() {
                        self.handles.insert(pid, handle);
                    }
                }
                (Err(rustix::io::Errno::SRCH), _) => self.before.push(pid),
                _ => {}
            }
        }

        pub fn wait(&mut self, most: Duration) -> Vec<u32> {
            if !self.before.is_empty() {
                return take(&mut self.before);
            }
            let Some(events) = &self.events else {
                std::thread::sleep(most);
                return Vec::new();
            };
            let mut found = Vec::with_capacity(AT_ONCE);
            let timeout = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: most.subsec_nanos().into() };
            // After an error, a signal for instance, the caller polls again.
            let _ = epoll::wait(events, rustix::buffer::spare_capacity(&mut found), Some(&timeout));
            let ended: Vec<u32> = found.iter().map(|event| event.data.u64() as u32).collect();
            // A handle that is closed leaves the epoll.
            ended.iter().for_each(|pid| _ = self.handles.remove(pid));
            ended
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Nothing can be seen here.

    use std::time::Duration;

    #[derive(Debug)]
    pub struct Watched;

    impl Watched {
        pub fn new() -> Self {
            Watched
        }

        pub fn add(&mut self, _: u32) {}

        pub fn wait(&mut self, most: Duration) -> Vec<u32> {
            std::thread::sleep(most);
            Vec::new()
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Child, Command};
    use std::time::Instant;

    fn sleep(seconds: &str) -> Child {
        Command::new("sleep").arg(seconds).spawn().expect("it starts")
    }

    #[test]
    fn the_first_one_to_end_is_told_first_and_each_once() {
        let mut children = [sleep("60"), sleep("0.1"), sleep("0.4")];
        let mut ends = Ends::new();
        children.iter().for_each(|child| ends.add(child.id()));
        let long = Duration::from_secs(20);
        assert_eq!(ends.wait(long), [children[1].id()]);
        assert_eq!(ends.wait(long), [children[2].id()]);
        assert!(ends.wait(Duration::from_millis(20)).is_empty());
        children[0].kill().expect("killed");
        assert_eq!(ends.wait(long), [children[0].id()], "also before its parent has asked");
        children.iter_mut().for_each(|child| _ = child.wait());
    }

    #[test]
    fn ends_are_told_in_their_order_however_late_one_asks() {
        let mut children = [sleep("0.3"), sleep("0.1"), sleep("0.2")];
        let mut ends = Ends::new();
        children.iter().for_each(|child| ends.add(child.id()));
        std::thread::sleep(Duration::from_millis(600));
        assert_eq!(ends.wait(Duration::ZERO), [1, 2, 0].map(|place: usize| children[place].id()));
        children.iter_mut().for_each(|child| _ = child.wait());
    }

    #[test]
    fn what_has_ended_before_is_told_and_waiting_for_nothing_takes_its_time() {
        let mut child = sleep("0");
        child.wait().expect("a child of ours");
        let mut ends = Ends::new();
        ends.add(child.id());
        assert_eq!(ends.wait(Duration::from_secs(20)), [child.id()]);
        let start = Instant::now();
        assert!(ends.wait(Duration::from_millis(30)).is_empty());
        assert!(start.elapsed() >= Duration::from_millis(30));
    }
}
