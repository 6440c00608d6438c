//! Literals with a unit of time in formulas of rules, `2ns*size`: coefficients without a name of their own.

use runcast_formula::is_name;
use runcast_formula::units::Quantity;

/// A literal of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Literal {
    /// As written.
    pub text: String,
    /// What stands in its place: as long, and a name.
    pub name: String,
    pub quantity: Quantity,
    /// Where it is, in bytes.
    pub offset: usize,
}

/// The formula with a name in place of every literal that has a unit of time; everything else stays where it is.
pub(super) fn mask(text: &str) -> (String, Vec<Literal>) {
    let mut masked = String::with_capacity(text.len());
    let mut found: Vec<Literal> = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let before = text[..at].chars().next_back();
        let in_name = before.is_some_and(|before| is_name(&format!("a{before}")) || before == '.');
        let literal = (letter.is_ascii_digit() && !in_name).then(|| literal(&text[at..])).flatten();
        let Some((length, quantity)) = literal else {
            masked.push(letter);
            at += letter.len_utf8();
            continue;
        };
        let written = &text[at..at + length];
        let known = found.iter().find(|known| known.text == written).map(|known| known.name.clone());
        let Some(name) = known.or_else(|| free_name(text, length, &found)) else {
            masked.push_str(written);
            at += length;
            continue;
        };
        masked.push_str(&name);
        found.push(Literal { text: written.to_owned(), name, quantity, offset: at });
        at += length;
    }
    (masked, found)
}

/// The length of the literal with a unit of time at the beginning, and what it says.
fn literal(text: &str) -> Option<(usize, Quantity)> {
    let digits = number_length(text);
    let letters = |from: usize| {
        let is_part = |c: char| c.is_alphabetic() || c == 'µ';
        from + text[from..].chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>()
    };
    let unit = letters(digits);
    let mut ends = vec![unit];
    if unit > digits && text[unit..].starts_with('/') {
        // Times per byte, per operation.
        ends.insert(0, letters(unit + 1));
    }
    ends.into_iter().filter(|end| *end > digits).find_map(|end| {
        // What goes on with digits is no unit.
        let goes_on = text[end..].starts_with(|c: char| c.is_ascii_digit() || c == '_' || c == '.');
        let quantity = Quantity::parse(&text[..end]).ok().filter(|quantity| quantity.powers.time > 0 && !goes_on)?;
        Some((end, quantity))
    })
}

/// Digits, a point, digits, and an exponent if it has digits.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| from + text.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

/// A name of this many bytes that the formula does not hold.
fn free_name(text: &str, length: usize, found: &[Literal]) -> Option<String> {
    let letters = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let more = "_".repeat(length.checked_sub(2)?);
    letters
        .iter()
        .map(|letter| format!("_{}{more}", char::from(*letter)))
        .find(|name| !text.contains(name.as_str()) && found.iter().all(|known| known.name != *name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(formula: &str) -> Vec<(String, f64)> {
        mask(formula).1.into_iter().map(|one| (one.text, one.quantity.value)).collect()
    }

    #[test]
    fn units_of_time_make_literals() {
        assert_eq!(texts("2ns*size"), [("2ns".to_owned(), 2e-9)]);
        assert_eq!(texts("1.5e1us + 2ns/B*bytes"), [("1.5e1us".to_owned(), 15e-6), ("2ns/B".to_owned(), 2e-9)]);
        assert_eq!(texts("2ns/size"), [("2ns".to_owned(), 2e-9)]);
        assert_eq!(texts("2ns/h"), [("2ns".to_owned(), 2e-9)], "a quotient of times is no time");
        for plain in
            ["2*size", "1e3*n", "size2*3", "c.a2ns*size", "x2s", "3GB/s", "16B*size", "2e3", "2ns3", "a_2ns", ""]
        {
            assert_eq!(texts(plain), [], "{plain}");
        }
        assert_eq!(mask("2s + 2s*size + 3s").0, "_0 + _0*size + _1");
        assert_eq!(mask("_0 + 2s").0, "_0 + _1");
    }

    proptest! {
        #[test]
        fn everything_else_stays_where_it_is(text in "[0-9a-zµ_.*/+ ()é]{0,40}") {
            let (masked, literals) = mask(&text);
            prop_assert_eq!(masked.len(), text.len());
            for one in &literals {
                prop_assert_eq!(&text[one.offset..one.offset + one.text.len()], one.text.as_str());
                prop_assert_eq!(&masked[one.offset..one.offset + one.name.len()], one.name.as_str());
            }
        }
    }
}
