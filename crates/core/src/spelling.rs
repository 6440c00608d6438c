//! How people spell the names of columns.

/// The words of a name in lower case and without accents: `OMP_NUM_THREADS`, `numThreads`, `#threads`, `Iteración [1]`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let bare = name.split(['(', '[']).next().unwrap_or(name);
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in bare.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase().map(unaccented)));
        }
        after_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A small Latin letter without its accent.
fn unaccented(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'é' | 'è' | 'ê' | 'ë' | 'ę' => 'e',
        'ğ' => 'g',
        'í' | 'ì' | 'î' | 'ï' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'œ' => 'o',
        'ś' | 'š' | 'ş' => 's',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_spelling() {
        for (name, words) in [
            ("OMP_NUM_THREADS", vec!["omp", "num", "threads"]),
            ("numThreads", vec!["num", "threads"]),
            ("#threads", vec!["threads"]),
            ("Threads [1]", vec!["threads"]),
            ("Wall Clock Time (s)", vec!["wall", "clock", "time"]),
            ("Tamaño_de_Ejecución", vec!["tamano", "de", "ejecucion"]),
            ("", vec![]),
        ] {
            assert_eq!(words_of(name), words, "{name}");
        }
    }
}
