//! Reading `plan.toml`: every value becomes the text of the option of the same name, with its position in the file.

use super::key::{KEYS, Key, Kind, Place, SIZE_KEYS, assign, unknown};
use super::layout::MOST_SIZES;
use super::parse;
use super::spec::PlanSpec;
use crate::problem::{Problem, Problems, shorten};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Size limit of a file \[bytes\].
const LARGEST: usize = 32 << 20;

/// Maximum number of problems reported for one file.
const MOST_PROBLEMS: usize = 20;

pub(super) fn read(name: &str, text: &str) -> Result<PlanSpec, Problems> {
    let source = Source { name, text };
    if text.len() > LARGEST {
        let problem = Problem::new("too_large", format!("a plan of {} bytes", text.len()));
        return Err(problem.in_file(name).allowed(format!("at most {LARGEST} bytes")).into());
    }
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        source.place(at, String::new()).locate(Problem::new("toml", one_line(error.message()))).without_pointer()
    })?;
    let mut reader = Reader { source, spec: PlanSpec::default(), problems: Vec::new() };
    reader.document(document.get_ref());
    if reader.problems.is_empty() { Ok(reader.spec) } else { Err(Problems(reader.problems)) }
}

struct Reader<'a> {
    source: Source<'a>,
    spec: PlanSpec,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn document(&mut self, document: &DeTable<'_>) {
        for (name, value) in in_order(document) {
            if self.problems.len() >= MOST_PROBLEMS {
                return;
            }
            let place = self.source.place(name.span().start, format!("/{}", name.get_ref()));
            match Key::find(name.get_ref()) {
                Some(key) => self.key(key, value, &place),
                None => {
                    let keys = KEYS.iter().map(|key| key.name);
                    self.fail(&place, unknown("key of a plan", name.get_ref(), keys, str::to_owned));
                }
            }
        }
    }

    fn key(&mut self, key: &Key, value: &Spanned<DeValue<'_>>, place: &Place) {
        match (key.kind, value.get_ref()) {
            (Kind::Sizes, DeValue::Table(sizes)) => self.sizes(sizes),
            (Kind::Assignments | Kind::Constant, DeValue::Table(values)) => self.assignments(key, values, place),
            (Kind::Grid | Kind::ListOrGrid, DeValue::Table(lists)) => self.grid(key, lists, place),
            _ => {
                let text = text_of(key.kind, value.get_ref());
                let place = self.source.value_place(value, place.pointer.clone());
                let Some(text) = text else { return self.wrong_type(&place, value, wanted(key.kind)) };
                if let Err(problem) = assign(&mut self.spec, key, &text, &place) {
                    self.fail(&place, problem);
                }
            }
        }
    }

    fn assignments(&mut self, key: &Key, values: &DeTable<'_>, place: &Place) {
        if values.len() > MOST_SIZES {
            let problem = Problem::new("too_many_sizes", format!("{} parameters", values.len()));
            return self.fail(place, problem.allowed(format!("at most {MOST_SIZES}")));
        }
        let mut parts = Vec::new();
        for (name, value) in in_order(values) {
            let pointer = format!("{}/{}", place.pointer, name.get_ref());
            let place = self.source.place(value.span().start, pointer);
            match text_of(Kind::Number, value.get_ref()) {
                None => return self.wrong_type(&place, value, "a number"),
                // The text is assembled from parts, so each is checked alone first.
                Some(text) => match parse::number(&text) {
                    Err(problem) => return self.fail(&place, problem),
                    Ok(_) => parts.push(format!("{}={text}", name.get_ref())),
                },
            }
        }
        if parts.is_empty() {
            return self.fail(place, Problem::new("empty", "the table is empty").allowed("p = 8, N = 20000"));
        }
        if let Err(problem) = assign(&mut self.spec, key, &parts.join(","), place) {
            self.fail(place, problem);
        }
    }

    fn grid(&mut self, key: &Key, lists: &DeTable<'_>, place: &Place) {
        if lists.len() > MOST_SIZES {
            let problem = Problem::new("too_many_sizes", format!("{} parameters", lists.len()));
            return self.fail(place, problem.allowed(format!("at most {MOST_SIZES}")));
        }
        let mut parts = Vec::new();
        for (name, value) in in_order(lists) {
            let place = self.source.value_place(value, format!("{}/{}", place.pointer, name.get_ref()));
            let Some(text) = text_of(Kind::List, value.get_ref()) else {
                return self.wrong_type(&place, value, wanted(Kind::List));
            };
            // The text is assembled from parts, so each is checked alone first.
            if text.contains([';', '=']) {
                let problem = Problem::new("list", format!("\"{}\" is not a list of numbers", shorten(&text, 60)));
                return self.fail(&place, problem.value(text).allowed(wanted(Kind::List)));
            }
            parts.push(format!("{}={text}", name.get_ref()));
        }
        if let Err(problem) = assign(&mut self.spec, key, &parts.join(";"), place) {
            self.fail(place, problem);
        }
    }

    fn sizes(&mut self, sizes: &DeTable<'_>) {
        for (name, fields) in in_order(sizes).into_iter().take(MOST_SIZES + 1) {
            let place = self.source.place(name.span().start, format!("/size/{}", name.get_ref()));
            let DeValue::Table(fields) = fields.get_ref() else {
                self.wrong_type(&place, fields, "a table such as { multiple = 100, min = 100 }");
                continue;
            };
            match parse::size_name(name.get_ref()) {
                Ok(name) => self.size(&name, fields, place),
                Err(problem) => self.fail(&place, problem),
            }
        }
    }

    fn size(&mut self, name: &str, fields: &DeTable<'_>, place: Place) {
        let mut size = self.spec.sizes.get(name).cloned().unwrap_or_default();
        self.spec.places.insert(format!("size/{name}"), place);
        for (key, value) in in_order(fields).into_iter().take(MOST_PROBLEMS) {
            let key_text: &str = key.get_ref();
            let place = self.source.value_place(value, format!("/size/{name}/{key_text}"));
            let (kind, wanted) = match key_text {
                "multiple" => (Kind::Formula, "a number or a formula of p in quotes"),
                "real" => (Kind::Word, "true or false"),
                "min" | "max" => (Kind::Number, "a number"),
                other => {
                    let place = self.source.place(key.span().start, place.pointer);
                    self.fail(&place, unknown("key of a size", other, SIZE_KEYS.into_iter(), str::to_owned));
                    continue;
                }
            };
            let text = match (key_text, value.get_ref()) {
                ("real", DeValue::Boolean(real)) => Some(real.to_string()),
                ("real", _) => None,
                (_, value) => text_of(kind, value),
            };
            match text {
                None => self.wrong_type(&place, value, wanted),
                Some(text) => match parse::size_key(&mut size, key_text, &text) {
                    Err(problem) => self.fail(&place, problem),
                    Ok(()) => {
                        self.spec.places.insert(format!("size/{name}/{key_text}"), place);
                    }
                },
            }
        }
        self.spec.sizes.insert(name.to_owned(), size);
    }

    fn wrong_type(&mut self, place: &Place, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let seen = self.source.text.get(value.span()).unwrap_or_default();
        let found = value.get_ref().type_str();
        let problem = Problem::new("wrong_type", format!("{found} where {wanted} is expected"));
        self.fail(place, problem.value(one_line(seen)).allowed(wanted));
    }

    fn fail(&mut self, place: &Place, problem: Problem) {
        self.problems.push(place.locate(problem));
    }
}

/// The entries in the order of the file.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

/// The value as the text of an option, if it has the right type.
fn text_of(kind: Kind, value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => (kind != Kind::Number).then(|| text.to_string()),
        DeValue::Integer(number) => {
            let digits = i128::from_str_radix(number.as_str(), number.radix()).ok()?.to_string();
            (kind != Kind::Word).then_some(digits)
        }
        DeValue::Float(number) => (kind != Kind::Word).then(|| number.as_str().replace('_', "")),
        DeValue::Array(values) if matches!(kind, Kind::List | Kind::ListOrGrid) => {
            let texts: Option<Vec<String>> =
                values.iter().map(|value| text_of(Kind::Number, value.get_ref())).collect();
            texts.map(|texts| format!("list:{}", texts.join(",")))
        }
        _ => None,
    }
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Word => "a string",
        Kind::Formula => "a formula in quotes",
        Kind::Number => "a number",
        Kind::Share => "a share such as \"5%\" or 0.05",
        Kind::List => "an array of numbers or a string such as \"squares\"",
        Kind::Assignments => "a table such as { N = 50000 }",
        Kind::Constant => "a number or a table such as { p = 8, N = 20000 }",
        Kind::Sizes => "a table for each size, as in [size.N]",
        Kind::Grid => "a table of lists such as { p = [2, 4, 8], N = [1000, 2000] }",
        Kind::ListOrGrid => {
            "an array of numbers, a string such as \"squares\", or a table such as { p = 64, N = 8000 }"
        }
    }
}

#[derive(Clone, Copy)]
struct Source<'a> {
    name: &'a str,
    text: &'a str,
}

impl Source<'_> {
    /// The position of a byte.
    fn place(&self, offset: usize, pointer: String) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() as u64 + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].chars().count() as u64 + 1;
        Place { file: Some(self.name.to_owned()), line, column, pointer, is_plain_text: false }
    }

    fn value_place(&self, value: &Spanned<DeValue<'_>>, pointer: String) -> Place {
        let raw = self.text.get(value.span()).unwrap_or_default();
        let within = raw.len().checked_sub(1).and_then(|end| raw.get(1..end));
        let is_plain_text = value.get_ref().as_str().is_some_and(|text| Some(text) == within && !text.contains('\n'));
        Place { is_plain_text, ..self.place(value.span().start, pointer) }
    }
}

impl Problem {
    fn without_pointer(mut self) -> Self {
        self.pointer = None;
        self
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Constant, Multiple, Rounding, Scaling};

    fn problems(text: &str) -> String {
        PlanSpec::from_toml("plan.toml", text).expect_err("problems").to_string()
    }

    #[test]
    fn every_key_is_read() {
        let spec = PlanSpec::from_toml(
            "plan.toml",
            r#"
            scaling = "weak"
            complexity = "2/3*N^3"
            constant = { p = 8, N = 20000 }
            repetitions = 5
            processes = "squares"
            min_p = 4
            max_p = 196
            count = 8
            targets = "list:400,576"
            keep = "8*N^2/p <= 2e9"
            round = "down"
            fixed = { I = 100 }
            start = { N = 1_000 }
            ratio = 1.5
            max_deviation = "5%"
            [size.N]
            multiple = "50*sqrt(p)"
            min = 100
            [size.A]
            real = true
            max = 1e3
            "#,
        )
        .expect("a plan");
        assert_eq!(spec.scaling, Some(Scaling::Weak));
        assert!(matches!(&spec.constant, Some(Constant::At(at)) if at.get("N") == Some(20000.0)));
        assert_eq!((spec.repetitions, spec.count, spec.round), (Some(5), Some(8), Rounding::Down));
        assert_eq!((spec.min_p, spec.max_p), (Some(4.0), Some(196.0)));
        assert_eq!((spec.fixed["I"], spec.start["N"], spec.ratio), (100.0, 1000.0, Some(1.5)));
        assert_eq!(spec.max_deviation, Some(0.05));
        assert_eq!(spec.sizes.keys().collect::<Vec<_>>(), ["N", "A"], "the order of the file");
        assert!(matches!(&spec.sizes["N"].multiple, Some(Multiple::Formula(_))));
        assert_eq!((spec.sizes["A"].max, spec.sizes["A"].real), (Some(1e3), true));
        assert_eq!(spec.keep.as_ref().map(|keep| keep.text()), Some("8*N^2/p <= 2e9"));
    }

    #[test]
    fn lists_are_strings_arrays_or_a_number() {
        for list in ["[4, 8]", "\"4,8\"", "'list:4,8'", "[4.0, 8]"] {
            let spec = PlanSpec::from_toml("plan.toml", &format!("processes = {list}")).expect(list);
            assert!(spec.processes.is_some());
        }
        assert!(PlanSpec::from_toml("plan.toml", "processes = 8").is_ok());
    }

    #[test]
    fn a_slip_is_told_with_its_place() {
        assert_eq!(
            problems("scaling = \"weak\"\ncomplexty = \"N^3\"\n").lines().last(),
            Some("hint: did you mean complexity?")
        );
        assert!(problems("\ncount = \"8\"").starts_with("plan.toml:2:9: /count: string where a number is expected"));
        assert!(problems("complexity = 'N^^3'").starts_with("plan.toml:1:17: /complexity: in the formula \"N^^3\""));
        assert!(problems("[size.N]\nmultipel = 5").starts_with("plan.toml:2:1: /size/N/multipel: \"multipel\" is no"));
        assert!(problems("[size.N]\nreal = 'yes'").starts_with("plan.toml:2:8: /size/N/real: string where true or"));
        assert!(problems("[size.p]\nmin = 1").starts_with("plan.toml:1:7: /size/p: p counts processes"));
        assert!(problems("constant = { p = 8, N = '9' }").starts_with("plan.toml:1:25: /constant/N: string where"));
        assert!(problems("constant = nan").starts_with("plan.toml:1:12: /constant: \"nan\" is not a number"));
        assert!(problems("constant = {}").contains("the table is empty"));
        assert!(problems("max_deviation = -1").contains("allowed: a share"));
        assert!(problems("scaling = weak").starts_with("plan.toml:1:11: "));
        assert!(problems("processes = [1, 'x']").contains("where an array of numbers"));
        assert!(problems("processes = 2020-01-01").contains("where an array of numbers"));
    }

    #[test]
    fn all_problems_are_told_together() {
        let found = PlanSpec::from_toml("plan.toml", "rond = 1\ncount = 0\n[size]\nN = 3\n").expect_err("problems");
        assert_eq!(found.0.len(), 3);
    }
}
