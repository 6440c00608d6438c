//! Tags and texts of XML, as far as profiles need them: no types of documents, so that nothing expands.

use crate::problem::{Problem, shorten};

/// What comes next.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    Open { name: &'a str, attributes: Vec<(&'a str, String)>, is_empty: bool },
    Close(&'a str),
    Text(String),
}

/// Goes through a text.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Reader { text, at: 0 }
    }

    fn wrong(&self, what: &str) -> Problem {
        let line = self.text[..self.at].matches('\n').count() + 1;
        let here = shorten(self.text[self.at..].lines().next().unwrap_or_default(), 40);
        Problem::new("bad_xml", format!("anchor.xml, line {line}: {what}")).value(here)
    }

    /// The next piece; none at the end.
    pub fn next(&mut self) -> Result<Option<Piece<'a>>, Problem> {
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return Ok(None);
            }
            let Some(tag) = rest.strip_prefix('<') else {
                let end = rest.find('<').unwrap_or(rest.len());
                self.at += end;
                let text = rest[..end].trim();
                if text.is_empty() {
                    continue;
                }
                return Ok(Some(Piece::Text(unescaped(text))));
            };
            let skipped = [("!--", "-->"), ("?", "?>")].iter().find(|(start, _)| tag.starts_with(start));
            if let Some((_, end)) = skipped {
                let length = tag.find(end).ok_or_else(|| self.wrong("a comment has no end"))?;
                self.at += 1 + length + end.len();
                continue;
            }
            if let Some(text) = tag.strip_prefix("![CDATA[") {
                let length = text.find("]]>").ok_or_else(|| self.wrong("a text has no end"))?;
                self.at += "<![CDATA[".len() + length + "]]>".len();
                return Ok(Some(Piece::Text(text[..length].to_owned())));
            }
            if tag.starts_with('!') {
                return Err(self.wrong("types of documents are not read"));
            }
            let length = end_of_tag(tag).ok_or_else(|| self.wrong("a tag has no end"))?;
            let piece = piece(&tag[..length]).ok_or_else(|| self.wrong("this is no tag"))?;
            self.at += length + 2;
            return Ok(Some(piece));
        }
    }
}

/// Where the `>` of a tag is; those in quotes are not meant.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (place, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(place),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn piece(tag: &str) -> Option<Piece<'_>> {
    if let Some(name) = tag.strip_prefix('/') {
        return Some(Piece::Close(name.trim()));
    }
    let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
    let (name, mut rest) = tag.split_once(|c: char| c.is_whitespace()).unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let (key, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        let (text, more) = value[1..].split_once(quote)?;
        attributes.push((key.trim(), unescaped(text)));
        rest = more;
    }
    (!name.is_empty()).then_some(Piece::Open { name, attributes, is_empty })
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    known.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
