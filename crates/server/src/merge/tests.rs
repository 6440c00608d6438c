//! Merges end merged with both changes, or as a conflict.

use super::*;
use proptest::prelude::*;

const SYSTEM: &str = "# A lab.
name = \"lab\"
component = [
  { id = \"node\", count = 4, set = { memory = \"64GiB\" } }, # bought in May
  { id = \"cpu\", parent = \"node\", count = 2 },
]
[[network]]
of = \"lab\"
set = { latency = \"2us\" }
";

fn system(theirs: (&str, &str), mine: (&str, &str)) -> Result<String, Vec<Conflict>> {
    let (theirs, mine) = (SYSTEM.replacen(theirs.0, theirs.1, 1), SYSTEM.replacen(mine.0, mine.1, 1));
    assert!(theirs != SYSTEM && mine != SYSTEM);
    merge("systems/lab.toml", SYSTEM, &theirs, &mine)
}

#[test]
fn different_keys_of_one_line_are_merged() {
    let merged = system(("count = 4", "count = 8"), ("64GiB", "128GiB")).expect("merged");
    assert_eq!(merged, SYSTEM.replace("count = 4", "count = 8").replace("64GiB", "128GiB"));
}

#[test]
fn a_value_goes_to_its_part_wherever_that_stands_now() {
    let first = "component = [\n  { id = \"gpu\", parent = \"node\" },\n";
    let merged = system(("component = [\n", first), ("count = 2", "count = 1")).expect("merged");
    assert_eq!(merged, SYSTEM.replace("component = [\n", first).replace("count = 2", "count = 1"));
    let merged = system(("count = 2", "count = 1"), ("component = [\n", first)).expect("merged");
    assert_eq!(merged, SYSTEM.replace("component = [\n", first).replace("count = 2", "count = 1"));
}

#[test]
fn the_same_key_is_a_conflict_with_its_place() {
    let conflicts = system(("count = 4", "count = 8"), ("count = 4", "count = 16")).expect_err("a conflict");
    assert_eq!(conflicts, [Conflict { place: "component/node/count".to_owned(), line: Some(4) }]);
    assert!(system(("count = 4", "count = 8"), ("count = 4", "count = 8")).is_ok());
    // Deleted by one, changed by the other.
    let gone = ("  { id = \"cpu\", parent = \"node\", count = 2 },\n", "");
    assert!(system(gone, ("count = 2", "count = 3")).is_err());
    // Both add a part of the same name, in different places.
    let second = ("]\n", "  { id = \"gpu\" },\n]\n");
    assert!(system(("component = [\n", "component = [\n  { id = \"gpu\" },\n"), second).is_err());
}

#[test]
fn comments_and_parts_of_both_stay() {
    let merged = system(("# A lab.", "# Our lab."), ("[[network]]", "[[network]] # to be replaced")).expect("merged");
    assert!(merged.starts_with("# Our lab.") && merged.contains("to be replaced"));
}

#[test]
fn views_are_merged_by_part() {
    let base = r#"{"positions": {"a": [1, 2], "b": [3, 4]}, "open": {}}"#;
    let theirs = r#"{"positions": {"a": [9, 2], "b": [3, 4]}, "open": {"a": true}}"#;
    let mine = r#"{"positions": {"a": [1, 2], "c": [5, 6]}, "open": {}}"#;
    let merged: serde_json::Value =
        serde_json::from_str(&merge("systems/lab.view.json", base, theirs, mine).expect("merged")).expect("JSON");
    assert_eq!(merged, serde_json::json!({"positions": {"a": [9, 2], "c": [5, 6]}, "open": {"a": true}}));
    let other = r#"{"positions": {"a": [8, 2], "b": [3, 4]}, "open": {}}"#;
    assert_eq!(merge("x.view.json", base, theirs, other).expect_err("both")[0].place, "positions/a");
}

#[test]
fn scripts_are_merged_by_lines() {
    let base = "a\nb\nc\nd\ne\n";
    let merged = merge("a.luau", base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n").expect("merged");
    assert_eq!(merged, "A\nb\nc\nd\nE\nf\n");
    assert_eq!(merge("a.luau", base, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n").expect_err("both")[0].line, Some(2));
}

/// Lines with one edit each: of a number of lines, some are changed, deleted, or get one before them.
fn edited(lines: &[String], edits: &[(usize, u8)], by: &str) -> String {
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        match edits.iter().find(|(at, _)| *at == number).map(|(_, kind)| kind % 3) {
            Some(0) => text.push_str(&format!("{line} {by}{number}\n")),
            Some(1) => {}
            Some(_) => text.push_str(&format!("{by}{number}\n{line}\n")),
            None => text.push_str(&format!("{line}\n")),
        }
    }
    text
}

proptest! {
    #[test]
    fn no_byte_is_lost(count in 0_usize..30, different in 1_usize..40, theirs in prop::collection::vec((0_usize..30, 0_u8..3), 0..5),
        mine in prop::collection::vec((0_usize..30, 0_u8..3), 0..5)) {
        let lines: Vec<String> = (0..count).map(|number| format!("line {}", number % different)).collect();
        let deleted = |edits: &[(usize, u8)], number: usize| edits.iter().find(|(at, _)| *at == number).is_some_and(|(_, kind)| kind % 3 == 1);
        let by_both = (0..count).filter(|number| deleted(&theirs, *number) && deleted(&mine, *number)).count() as i64;
        let base = edited(&lines, &[], "");
        let (theirs, mine) = (edited(&lines, &theirs, "theirs"), edited(&lines, &mine, "mine"));
        if let Ok(merged) = merge("a.luau", &base, &theirs, &mine) {
            for added in theirs.lines().chain(mine.lines()).filter(|line| line.contains("theirs") || line.contains("mine")) {
                prop_assert!(merged.lines().any(|line| line == added), "{added} is lost");
            }
            let counts = |text: &str| text.lines().count() as i64;
            let (changed, sum) = (counts(&merged) - counts(&base), counts(&theirs) + counts(&mine) - 2 * counts(&base));
            if different >= count {
                // What both deleted is gone once.
                prop_assert_eq!(changed, sum + by_both);
            } else {
                // Among equal lines nothing tells whether both deleted the same one; each has four edits at most.
                prop_assert!((sum..=sum + 4).contains(&changed), "{changed} for {sum}");
            }
        }
    }
}
