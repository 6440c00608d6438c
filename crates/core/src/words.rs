//! Enumerations whose values have words: in options, in files and in documents.

/// An enumeration whose values have words; made by [`words!`](crate::words!).
pub trait Words: Copy + Send + Sync + 'static {
    /// Each value with its word, in the order in which they are listed.
    const VALUES: &'static [(&'static str, Self)];

    /// The value that has this word.
    fn of_word(word: &str) -> Option<Self> {
        Self::VALUES.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

/// Gives the values of an enumeration their words: all values, a method with the word of each, `Display`, [`Words`].
///
/// ```
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Order {
///     Block,
///     Cyclic,
/// }
/// runcast_core::words!(Order::word: Block = "block", Cyclic = "cyclic");
///
/// use runcast_core::words::Words;
/// assert_eq!(Order::Cyclic.word(), "cyclic");
/// assert_eq!(Order::of_word("block"), Some(Order::Block));
/// assert_eq!(Order::ALL.map(|order| order.to_string()), ["block", "cyclic"]);
/// ```
#[macro_export]
macro_rules! words {
    ($type:ident::$name:ident: $($value:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// All of them, in the order in which they are listed.
            pub const ALL: [$type; [$($word),+].len()] = [$($type::$value),+];

            /// Their words, in the same order.
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];

            /// Its word in options, files and documents.
            pub fn $name(self) -> &'static str {
                match self {
                    $($type::$value => $word,)+
                }
            }
        }

        impl $crate::words::Words for $type {
            const VALUES: &'static [(&'static str, Self)] = &[$(($word, $type::$value)),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.$name())
            }
        }
    };
}
