//! XML as elements with their places. Entities are not expanded; depth and size are limited.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::Source;

/// Elements are not nested deeper.
const DEEPEST: usize = 64;
/// The largest file that is read, in bytes.
const LARGEST: usize = 64 << 20;

#[derive(Debug, Clone, Default)]
pub(super) struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// Byte in the file.
    pub offset: usize,
}

impl Element {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    pub(super) fn named<'e>(&'e self, name: &str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The root element of a file.
pub(super) fn read(source: Source<'_>) -> Result<Element, Problem> {
    if source.text.len() > LARGEST {
        let problem = Problem::new("too_large", format!("a file of {} bytes", source.text.len()));
        return Err(problem.in_file(source.name).allowed(format!("at most {LARGEST} bytes")));
    }
    let at = |offset: u64, code: &str, message: String| {
        let (line, column) = source.line_and_column((offset as usize).min(source.text.len()));
        Problem::new(code, message).in_file(source.name).at_line(line).at_column(column)
    };
    let mut reader = quick_xml::Reader::from_str(source.text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let before = reader.buffer_position();
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(at(reader.error_position(), "xml", error.to_string())),
        };
        let (element, is_open) = match event {
            Event::Start(start) => (element(&start, before).map_err(|text| at(before, "xml", text))?, true),
            Event::Empty(start) => (element(&start, before).map_err(|text| at(before, "xml", text))?, false),
            Event::End(_) => match open.pop() {
                Some(element) => (element, false),
                None => return Err(at(before, "xml", "an end without a start".to_owned())),
            },
            Event::DocType(doctype) if doctype.contains('[') => {
                let problem = at(before, "xml_entities", "the file declares entities of its own".to_owned());
                return Err(problem.allowed("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"));
            }
            Event::GeneralRef(_) => {
                return Err(at(before, "xml_entities", "text with an entity where elements are expected".to_owned()));
            }
            Event::Eof => break,
            _ => continue,
        };
        if is_open {
            if open.len() >= DEEPEST {
                let problem = at(before, "too_deep", "elements are nested too deeply".to_owned());
                return Err(problem.allowed(format!("at most {DEEPEST} levels")));
            }
            open.push(element);
            continue;
        }
        match open.last_mut() {
            Some(parent) => parent.children.push(element),
            None if root.is_none() => root = Some(element),
            None => return Err(at(element.offset as u64, "xml", "a second root element".to_owned())),
        }
    }
    if let Some(element) = open.last() {
        let message = format!("<{}> is not closed", shorten(&element.name, 40));
        return Err(at(element.offset as u64, "xml", message));
    }
    root.ok_or_else(|| at(0, "xml", "there is no element".to_owned()))
}

fn element(start: &BytesStart<'_>, offset: u64) -> Result<Element, String> {
    let name = start.name();
    let name: &str = name.as_ref();
    let mut element = Element { name: name.to_owned(), offset: offset as usize, ..Element::default() };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key: &str = attribute.key.as_ref();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| error.to_string())?;
        element.attributes.push((key.to_owned(), value.into_owned()));
    }
    Ok(element)
}

/// A text as it is in an attribute.
pub(super) fn escape(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}
