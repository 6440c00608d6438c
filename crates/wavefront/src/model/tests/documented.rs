//! Models in the documentation are models.

use super::{Overrides, read_with};

const PAGE: &str = include_str!("../../../../../docs/reference/wavefront-model.md");
const FILES: [(&str, &str); 4] = [
    ("samples.csv", "kind,process,peer,rep,time_s\nupdate,ws3,,1,0.52\nupdate,ws3,,2,0.71\nupdate,ws1,,1,9\n"),
    ("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n30 30 1\n2 1 0.5\n"),
    ("f.csv", "value,prob\n0.1,0.5\n0.2,0.5\n"),
    ("owner.csv", "row,process\n1,ws1\n2,ws2\n"),
];

#[test]
fn examples_are_read() {
    let mut count = 0;
    for block in PAGE.split("```toml").skip(1) {
        let text = block.split_once('\n').expect("a line").1.split("```").next().expect("an end");
        let read = read_with(text, &FILES, &Overrides::default());
        read.unwrap_or_else(|problems| panic!("{text}\n{problems}"));
        count += 1;
    }
    assert!(count >= 3, "{count} examples");
}
