//! A first look at a file, shared by the formats that try to recognize it.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A first look at a file.
#[derive(Debug)]
pub struct Probe<'a> {
    text: &'a str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Not JSON.
    Lines,
    /// An object, or several.
    Object(Vec<Entry>),
    /// An array; the keys of its first object.
    Array(Vec<Entry>),
}

#[derive(Debug)]
struct Entry {
    key: String,
    /// Its value, where that is a short text.
    text: Option<String>,
}

impl<'a> Probe<'a> {
    /// Examines a text without byte order mark.
    pub fn new(text: &'a str) -> Self {
        let mut entries = Vec::new();
        let mut values = serde_json::Deserializer::from_str(text);
        let kind = match text.trim_ascii_start().bytes().next() {
            Some(b'{') => {
                // Keys seen before an error are kept; the reader of the format then reports the error.
                let _ = Keys(&mut entries).deserialize(&mut values);
                Kind::Object(entries)
            }
            Some(b'[') => {
                let _ = FirstOf(&mut entries).deserialize(&mut values);
                Kind::Array(entries)
            }
            _ => Kind::Lines,
        };
        Probe { text, kind }
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Whether it begins like JSON.
    pub fn is_json(&self) -> bool {
        !matches!(self.kind, Kind::Lines)
    }

    /// Whether it begins with an array.
    pub fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array(_))
    }

    /// Whether the first object has this key.
    pub fn has_key(&self, key: &str) -> bool {
        match &self.kind {
            Kind::Lines => false,
            Kind::Object(entries) | Kind::Array(entries) => entries.iter().any(|entry| entry.key == key),
        }
    }

    /// Whether the first object has a key that satisfies the predicate.
    pub fn any_key(&self, mut holds: impl FnMut(&str) -> bool) -> bool {
        match &self.kind {
            Kind::Lines => false,
            Kind::Object(entries) | Kind::Array(entries) => entries.iter().any(|entry| holds(&entry.key)),
        }
    }

    /// The first lines that are neither empty nor comments.
    pub fn first_lines(&self, most: usize) -> impl Iterator<Item = &'a str> {
        self.text.lines().map(str::trim_ascii).filter(|line| !line.is_empty() && !line.starts_with('#')).take(most)
    }

    /// The kind of a runcast document.
    pub fn document_kind(&self) -> Option<&str> {
        match &self.kind {
            Kind::Object(entries) if self.has_key("version") => {
                entries.iter().find(|entry| entry.key == "kind").and_then(|entry| entry.text.as_deref())
            }
            _ => None,
        }
    }
}

/// Collects the keys of an object, even if it is incomplete.
struct Keys<'k>(&'k mut Vec<Entry>);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.push(Entry { key, text: None });
            let ShortText(text) = map.next_value()?;
            if let Some(entry) = self.0.last_mut() {
                entry.text = text;
            }
        }
        Ok(())
    }
}

/// Collects the keys of the first object of an array.
struct FirstOf<'k>(&'k mut Vec<Entry>);

impl<'de> DeserializeSeed<'de> for FirstOf<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for FirstOf<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        sequence.next_element_seed(Keys(self.0))?;
        // The rest is not examined; the parser's error about it is ignored.
        Ok(())
    }
}

/// A text, or nothing for values of any other kind.
struct ShortText(Option<String>);

impl<'de> Deserialize<'de> for ShortText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShortTextVisitor;
        impl<'de> Visitor<'de> for ShortTextVisitor {
            type Value = ShortText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<ShortText, E> {
                Ok(ShortText((text.len() <= 40).then(|| text.to_owned())))
            }
            fn visit_unit<E>(self) -> Result<ShortText, E> {
                Ok(ShortText(None))
            }
            fn visit_bool<E>(self, _: bool) -> Result<ShortText, E> {
                Ok(ShortText(None))
            }
            fn visit_i64<E>(self, _: i64) -> Result<ShortText, E> {
                Ok(ShortText(None))
            }
            fn visit_u64<E>(self, _: u64) -> Result<ShortText, E> {
                Ok(ShortText(None))
            }
            fn visit_f64<E>(self, _: f64) -> Result<ShortText, E> {
                Ok(ShortText(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<ShortText, A::Error> {
                while sequence.next_element::<IgnoredAny>()?.is_some() {}
                Ok(ShortText(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ShortText, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(ShortText(None))
            }
        }
        deserializer.deserialize_any(ShortTextVisitor)
    }
}
