//! Rights of users: at a site, in a project, and with a token.

use crate::error::StoreError;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All of them, the least first.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            /// Reads the word for it.
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }

            pub(crate) fn stored(word: &str) -> Result<Self, StoreError> {
                $name::parse(word).ok_or_else(|| StoreError::Database(format!("{word} is no {}", stringify!($name))))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// What a user may do at a site.
    SiteRole {
        /// May read.
        Viewer = "viewer",
        /// May create projects.
        Author = "author",
        /// May do everything.
        Administrator = "administrator",
    }
}

words! {
    /// What a member may do in a project.
    MemberRole {
        /// May read it.
        Viewer = "viewer",
        /// May change files and launch jobs.
        Author = "author",
        /// Members, others' jobs, rename, delete.
        Owner = "owner",
    }
}

words! {
    /// What a token allows.
    Scope {
        Read = "read",
        /// To read and change.
        Write = "write",
    }
}
