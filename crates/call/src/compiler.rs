//! Command lines of compilers of C and C++, and what the sources on them include.
//!
//! `runcast cll cc` stands before a compiler, replaces annotated sources by their translations, and leaves everything
//! else to the compiler. What it must know for that is here, without any input or output of its own:
//!
//! | part | does |
//! |---|---|
//! | `line` | finds the compiler, the sources, the output and the search path among the words |
//! | `response` | reads `@file` |
//! | `includes` | finds the `#include` lines of a file |
//! | `closure` | follows them, and says which files are *ours*: annotated, or including one that is |
//! | `depend` | gives the user's names back to a dependency file |

mod closure;
mod depend;
mod includes;
mod line;
mod response;

pub use closure::{Closure, Node, Search, Target, normal};
pub use depend::mend;
pub use includes::{Included, Includes};
pub use line::{Line, Source, Stage};
