//! Numbers without a unit where a unit is dangerous to guess: `--latency 15` is 15 seconds, and says so.

use runcast_core::Warning;
use runcast_formula::units::Usual;

/// Options whose values are quantities, and how large these usually are. Lists stand for a value and its interval.
const OPTIONS: [(&str, Usual); 4] = [
    ("--latency", Usual::Latency),
    ("--overhead", Usual::Latency),
    ("--op-time", Usual::Operation),
    ("--transfer-time", Usual::Operation),
];

/// Options that are lists of named quantities.
const PARTS: [(&str, &str, Usual); 6] = [
    ("--loggops", "L", Usual::Latency),
    ("--loggops", "o", Usual::Latency),
    ("--loggops", "g", Usual::Latency),
    ("--loggops", "G", Usual::Byte),
    ("--loggops", "O", Usual::Byte),
    ("--limit", "memory", Usual::Memory),
];

/// A warning for each bare number of a command line that is far from what is usual for its option.
pub(crate) fn warnings(words: &[String]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut words = words.iter().take_while(|word| *word != "--").peekable();
    while let Some(word) = words.next() {
        let (option, joined) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), None),
        };
        let Some(value) = joined.or_else(|| words.peek().map(|next| next.as_str())) else { continue };
        for part in value.split(',') {
            let (name, number) =
                part.split_once('=').map_or((None, part), |(name, number)| (Some(name.trim()), number));
            let usual = match name {
                None => OPTIONS.iter().find(|known| known.0 == option).map(|known| known.1),
                Some(name) => PARTS.iter().find(|known| known.0 == option && known.1 == name).map(|known| known.2),
            };
            let Some(doubt) = usual.and_then(|usual| usual.doubt(number)) else { continue };
            let equals = name.map_or(String::new(), |name| format!("{name}="));
            let message =
                format!("read {option} {equals}{} as {}; hint: {equals}{}?", number.trim(), doubt.read_as, doubt.hint);
            warnings.push(Warning::new("bare_number", message));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_told_with_what_may_be_meant() {
        let told = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            warnings(&words).into_iter().map(|warning| warning.message).collect::<Vec<_>>()
        };
        assert_eq!(told("bsf predict --latency 15"), ["read --latency 15 as 15 s; hint: 15us?"]);
        assert_eq!(told("bsf predict --op-time=29,24ns"), ["read --op-time 29 as 29 s; hint: 29ns?"]);
        assert_eq!(
            told("sim run x --loggops L=2,o=1us,G=0.4 --limit memory=4"),
            [
                "read --loggops L=2 as 2 s; hint: L=2us?",
                "read --loggops G=0.4 as 0.4 s/B; hint: G=0.4ns/B?",
                "read --limit memory=4 as 4 B; hint: memory=4GiB?"
            ]
        );
        assert!(told("bsf predict --latency 15us --op-time 2.9e-8 --size 1500").is_empty());
        assert!(told("bench plan.csv -- ./program --latency 15").is_empty(), "options of the program are its own");
    }
}
