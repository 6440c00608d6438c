//! What a command needs from whoever calls it.

use crate::failure::Failure;
use crate::input::Input;
use crate::output::{Content, Destination, OutFile};
use runcast_core::Problem;
use runcast_core::roles::ReadAs;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "methods")]
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a command needs from whoever calls it.
pub struct Context {
    /// Where files come from.
    pub files: Box<dyn Files + Send>,
    /// Who shows how far the work has come.
    pub progress: Box<dyn Progress + Send>,
    /// Raised from outside to stop long work.
    pub interrupt: Arc<AtomicBool>,
    /// What the result for people is shown on.
    pub screen: Screen,
    /// The executable of runcast, which programs that run a program start again.
    pub executable: PathBuf,
    /// The command line, for pages that tell where they come from.
    pub command_line: Vec<String>,
    /// Whether what is written while the work goes on (the table of a sweep) goes to the disk; else it is among the files
    /// of the output.
    pub on_disk: bool,
    /// How the table of runs was read.
    pub read_as: Option<ReadAs>,
    read: Vec<PathBuf>,
    /// The same, to be found among many.
    known: HashSet<PathBuf>,
    written: Vec<(PathBuf, Vec<u8>)>,
    pretended: Vec<(PathBuf, Vec<u8>)>,
    stdin_taken: bool,
}

/// Where files come from: the disk, or what a server has frozen.
pub trait Files {
    /// The content of a file; `-` is the standard input.
    ///
    /// # Errors
    /// Those of the system.
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>>;

    /// A file that may be large; `-` is the standard input.
    ///
    /// # Errors
    /// Those of the system.
    fn input(&mut self, path: &Path) -> io::Result<Input> {
        self.read(path).map(Input::Bytes)
    }

    /// Whether there is a file of this name.
    fn is_file(&mut self, path: &Path) -> bool;

    /// Whether there is a folder of this name.
    fn is_folder(&mut self, path: &Path) -> bool;

    /// What is in a folder, in any order; the path of each begins with the folder's.
    ///
    /// # Errors
    /// Those of the system.
    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>>;
}

/// Bytes up to which a pipe or a device is read: what has no end, such as `/dev/zero`, does not fill the memory.
const MOST_FROM_A_STREAM: u64 = 1 << 30;

/// The disk and the standard input.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnDisk;

impl Files for OnDisk {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
        let mut file = std::fs::File::open(path)?;
        let metadata = file.metadata()?;
        let is_ordinary = metadata.file_type().is_file();
        let most = if is_ordinary { u64::MAX } else { MOST_FROM_A_STREAM };
        // One byte more than there is: the end is seen without growing.
        let room = if is_ordinary { usize::try_from(metadata.len()).unwrap_or(0).saturating_add(1) } else { 0 };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(room).map_err(io::Error::from)?;
        (&mut file).take(most).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is no ordinary file, and has no end"));
        }
        Ok(bytes)
    }

    fn input(&mut self, path: &Path) -> io::Result<Input> {
        match Input::large(path).filter(|_| path.as_os_str() != "-") {
            Some(large) => Ok(large),
            None => self.read(path).map(Input::Bytes),
        }
    }

    fn is_file(&mut self, path: &Path) -> bool {
        path.is_file()
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        path.is_dir()
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(listed)?;
        Ok(entries.filter_map(|entry| Some(folder.join(entry.ok()?.file_name()))).collect())
    }
}

/// The files of one context, for several at once.
#[cfg(feature = "methods")]
struct Shared(Arc<Mutex<Box<dyn Files + Send>>>);

/// What a lock guards, whoever held it last.
#[cfg(feature = "methods")]
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(feature = "methods")]
impl Files for Shared {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        lock(&self.0).read(path)
    }

    fn input(&mut self, path: &Path) -> io::Result<Input> {
        lock(&self.0).input(path)
    }

    fn is_file(&mut self, path: &Path) -> bool {
        lock(&self.0).is_file(path)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        lock(&self.0).is_folder(path)
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        lock(&self.0).list(folder)
    }
}

/// Shows how far long work has come.
pub trait Progress {
    /// A piece of work begins: what it is, and how many steps it has.
    fn begin(&mut self, what: &str, steps: u64);
    /// So many steps are done; `now` is what happens next.
    fn step(&mut self, done: u64, now: &str);
    /// The piece of work is over.
    fn end(&mut self);
    /// A line that stays, such as a warning.
    fn line(&mut self, text: &str);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&mut self, _: &str, _: u64) {}
    fn step(&mut self, _: u64, _: &str) {}
    fn end(&mut self) {}
    fn line(&mut self, _: &str) {}
}

/// What the result for people is shown on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Screen {
    /// Columns of the terminal; none when it is a file or a pipe: then nothing is shortened.
    pub width: Option<usize>,
    /// Whether colors are welcome.
    pub color: bool,
}

impl Context {
    /// A context that reads from the disk and shows nothing on the way.
    pub fn new() -> Self {
        Context {
            files: Box::new(OnDisk),
            progress: Box::new(NoProgress),
            interrupt: Arc::new(AtomicBool::new(false)),
            screen: Screen::default(),
            executable: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("runcast")),
            command_line: Vec::new(),
            on_disk: true,
            read_as: None,
            read: Vec::new(),
            known: HashSet::new(),
            written: Vec::new(),
            pretended: Vec::new(),
            stdin_taken: false,
        }
    }

    /// A context that reads these files and nothing else, and writes nothing.
    pub fn of_files(files: Box<dyn Files + Send>) -> Self {
        Context { files, executable: PathBuf::from("runcast"), on_disk: false, ..Context::new() }
    }

    /// The content of a file; `-` is the standard input, once.
    ///
    /// # Errors
    /// It cannot be read: wrong input.
    pub fn read(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        self.take(path, |files| files.read(path), <[u8]>::to_vec)
    }

    /// A file that may be too large for memory; `-` is the standard input, once.
    ///
    /// # Errors
    /// It cannot be read: wrong input.
    pub fn input(&mut self, path: &Path) -> Result<Input, Failure> {
        self.take(path, |files| files.input(path), |bytes| Input::Bytes(bytes.to_vec()))
    }

    fn take<T>(
        &mut self,
        path: &Path,
        read: impl FnOnce(&mut dyn Files) -> io::Result<T>,
        written: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Failure> {
        let is_stdin = path.as_os_str() == "-";
        if is_stdin && std::mem::replace(&mut self.stdin_taken, true) {
            let problem = Problem::new("stdin_twice", "the standard input can be read once only");
            return Err(problem.value("-").hint("name a file instead of the second -").into());
        }
        if let Some((_, bytes)) = self.pretended.iter().chain(&self.written).find(|(known, _)| known == path) {
            return Ok(written(bytes));
        }
        let taken = read(&mut *self.files).map_err(|error| Failure::reading(path, &error))?;
        if !is_stdin && !self.known.contains(path) {
            self.known.insert(path.to_owned());
            self.read.push(path.to_owned());
        }
        Ok(taken)
    }

    /// Writes a file at once, before the command is done.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
        if self.on_disk {
            return OutFile { to: Destination::Path(path.to_owned()), content: Content::Bytes(bytes) }.write(None, &[]);
        }
        self.written.retain(|(known, _)| known != path);
        self.written.push((path.to_owned(), bytes));
        Ok(())
    }

    /// A file is read as if this were in it, until that ends.
    #[cfg(feature = "methods")]
    pub(crate) fn pretend(&mut self, path: &Path, bytes: Vec<u8>) {
        self.pretended.push((path.to_owned(), bytes));
    }

    /// The file is read as it is again.
    #[cfg(feature = "methods")]
    pub(crate) fn end_pretending(&mut self, path: &Path) {
        self.pretended.retain(|(known, _)| known != path);
    }

    /// Does pieces of work at once, so many at a time, each with a context of its own that reads the same files; what they
    /// say is in the order of the work.
    #[cfg(feature = "methods")]
    pub(crate) fn at_once<T: Send, A: Send>(
        &mut self,
        jobs: usize,
        work: Vec<T>,
        each: impl Fn(T, &mut Context) -> A + Sync,
    ) -> Vec<A> {
        let jobs = jobs.min(work.len());
        if jobs < 2 {
            return work.into_iter().map(|piece| each(piece, self)).collect();
        }
        let files = Arc::new(Mutex::new(std::mem::replace(&mut self.files, Box::new(OnDisk))));
        let contexts: Vec<Context> = (0..jobs)
            .map(|_| Context {
                files: Box::new(Shared(Arc::clone(&files))),
                interrupt: Arc::clone(&self.interrupt),
                executable: self.executable.clone(),
                on_disk: self.on_disk,
                pretended: self.pretended.clone(),
                written: self.written.clone(),
                ..Context::new()
            })
            .collect();
        let next = Mutex::new(work.into_iter().enumerate());
        let work_off = |mut context: Context| {
            let mut said = Vec::new();
            loop {
                let piece = lock(&next).next();
                let Some((place, piece)) = piece else { break (said, std::mem::take(&mut context.read)) };
                said.push((place, each(piece, &mut context)));
            }
        };
        let ended: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = contexts.into_iter().map(|context| scope.spawn(|| work_off(context))).collect();
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        std::mem::swap(&mut self.files, &mut *lock(&files));
        let (said, read): (Vec<_>, Vec<_>) = ended.into_iter().unzip();
        for path in read.into_iter().flatten() {
            if self.known.insert(path.clone()) {
                self.read.push(path);
            }
        }
        let mut said: Vec<(usize, A)> = said.into_iter().flatten().collect();
        said.sort_by_key(|(place, _)| *place);
        said.into_iter().map(|(_, answer)| answer).collect()
    }

    /// What was written at once, but not to the disk.
    pub fn take_written(&mut self) -> Vec<(PathBuf, Vec<u8>)> {
        std::mem::take(&mut self.written)
    }

    /// The content of a file that may be there or not, such as the journal beside a table.
    pub fn read_if_there(&mut self, path: &Path) -> Option<Vec<u8>> {
        self.read(path).ok()
    }

    /// The content of a text file in UTF-8.
    ///
    /// # Errors
    /// It cannot be read, or is not UTF-8.
    pub fn read_text(&mut self, path: &Path) -> Result<String, Failure> {
        String::from_utf8(self.read(path)?).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            let problem = Problem::new("not_utf8", "the file is not UTF-8");
            problem.in_file(path.display().to_string()).at_line(line).into()
        })
    }

    /// The files that were read so far, those named in other files included.
    pub fn files_read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Whether the user asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

#[cfg(all(test, feature = "methods"))]
mod tests {
    use super::*;

    #[test]
    fn work_at_once_reads_the_same_files_and_says_what_it_has_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> = (0..20).map(|k| folder.path().join(format!("{k}.txt"))).collect();
        for (k, path) in paths.iter().enumerate() {
            std::fs::write(path, k.to_string()).expect("writes");
        }
        for jobs in [1, 3, 50] {
            let mut context = Context::new();
            context.pretend(&paths[4], b"four".to_vec());
            let read = |path: PathBuf, context: &mut Context| context.read_text(&path).expect("reads");
            let said = context.at_once(jobs, paths.clone(), read);
            let expected: Vec<String> =
                (0..20).map(|k| if k == 4 { "four".to_owned() } else { k.to_string() }).collect();
            assert_eq!(said, expected);
            assert_eq!(context.files_read().len(), 19, "what is pretended is not read");
            assert_eq!(context.read_text(&paths[5]).expect("its own files are back"), "5");
        }
    }
}
