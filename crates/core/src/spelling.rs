//! How people spell the names of columns.

/// The words of a name in lower case: `OMP_NUM_THREADS`, `numThreads`, `#threads`, `Threads [1]`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let bare = name.split(['(', '[']).next().unwrap_or(name);
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in bare.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        after_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
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
            ("", vec![]),
        ] {
            assert_eq!(words_of(name), words, "{name}");
        }
    }
}
