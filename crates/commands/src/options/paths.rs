//! Paths on the command line: their types tell the shell and a job on a server what is done with them.

use clap::Arg;
use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use std::any::TypeId;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// What an option is to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A value that names no file.
    Plain,
    /// Names files of the project, or folders of files.
    Reads,
    /// Names a file to write, or a folder for files.
    Writes,
    /// Names a file that is read if it is there, and written.
    Updates,
    /// Never in a job; why.
    Refused(&'static str),
}

macro_rules! paths {
    ($($(#[$doc:meta])* $name:ident: $role:ident),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Default, PartialEq, Eq)]
            pub struct $name(PathBuf);

            impl Deref for $name {
                type Target = Path;

                fn deref(&self) -> &Path {
                    &self.0
                }
            }

            impl AsRef<Path> for $name {
                fn as_ref(&self) -> &Path {
                    &self.0
                }
            }

            impl From<PathBuf> for $name {
                fn from(path: PathBuf) -> Self {
                    $name(path)
                }
            }

            impl From<$name> for PathBuf {
                fn from(path: $name) -> PathBuf {
                    path.0
                }
            }

            impl ValueParserFactory for $name {
                type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> $name>;

                fn value_parser() -> Self::Parser {
                    PathBufValueParser::new().map($name)
                }
            }
        )+

        /// What an option is to a job, by the type of its value.
        pub fn role(option: &Arg) -> Role {
            let of = option.get_value_parser().type_id();
            $(if of == TypeId::of::<$name>() {
                return Role::$role;
            })+
            Role::Plain
        }
    };
}

paths! {
    /// A file that is read, or a folder whose files are; `-` is the standard input where a command takes that.
    InputFile: Reads,
    /// A file that is written at the end, in a folder that must be there; `-` is the standard output.
    OutputFile: Writes,
    /// A folder for files, which is made where it is missing; or what may be a file or a folder.
    OutputPath: Writes,
    /// A file that is read if it is there, and written.
    UpdatedFile: Updates,
}

/// Whether an option names files of which the folder must be there before the work begins.
pub fn is_output_file(option: &Arg) -> bool {
    let of = option.get_value_parser().type_id();
    of == TypeId::of::<OutputFile>() || of == TypeId::of::<UpdatedFile>()
}
