//! Profiles are packed here, as the format describes it; times and sums are by hand.

use super::*;
use crate::table::Column;
use std::io::Write;

const ANCHOR: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4"><attr key="n" value="4096"/><!-- made by hand -->
<metrics>
 <metric id="0" type="EXCLUSIVE"><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom></metric>
 <metric id="1" type="TYPE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>
</metrics>
<program>
 <region id="5" mod="" begin="1" end="2"><name>main</name></region>
 <region id="6"><name>f&lt;T&gt;</name></region>
 <region id="7"><name>g</name></region>
 <cnode id="0" calleeId="5"><cnode id="1" calleeId="6"><cnode id="2" calleeId="7"/></cnode><cnode id="3" calleeId="7"></cnode></cnode>
</program>
<system><systemtreenode Id="0"><name>a</name>
 <locationgroup Id="0"><name>MPI Rank 0</name><rank>0</rank><location Id="0"><rank>0</rank></location></locationgroup>
 <locationgroup Id="1"><name>MPI Rank 1</name><rank>1</rank><location Id="1"><rank>0</rank></location></locationgroup>
</systemtreenode></system></cube>"#;

fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in members {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        bytes.extend(header);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

fn index(ids: &[u32], is_big: bool) -> Vec<u8> {
    let number = |value: u32| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut bytes = b"CUBEX.INDEX".to_vec();
    bytes.extend(number(1));
    bytes.extend([0, 0, 1]);
    bytes.extend(number(ids.len() as u32));
    ids.iter().for_each(|id| bytes.extend(number(*id)));
    bytes
}

fn data(rows: &[[f64; 2]], is_big: bool) -> Vec<u8> {
    let values = rows.iter().flatten().flat_map(|v| if is_big { v.to_be_bytes() } else { v.to_le_bytes() });
    b"CUBEX.DATA".iter().copied().chain(values).collect()
}

fn packed(rows: &[[f64; 2]]) -> Vec<u8> {
    let (mut heads, mut segments) = (Vec::new(), Vec::new());
    for row in rows {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        row.iter().for_each(|value| writer.write_all(&value.to_le_bytes()).expect("written"));
        let segment = writer.finish().expect("finished");
        for number in [0, 0, segment.len() as u64] {
            heads.extend(number.to_le_bytes());
        }
        segments.extend(segment);
    }
    [b"ZCUBEX.DATA".as_slice(), &(rows.len() as u64).to_le_bytes(), &heads, &segments].concat()
}

/// Visits of main, f, f/g on both ranks; g below main on rank 0 alone.
fn visits() -> Vec<u8> {
    let counts: [u64; 8] = [1, 1, 2, 2, 4, 4, 3, 0];
    b"CUBEX.DATA".iter().copied().chain(counts.iter().flat_map(|count| count.to_le_bytes())).collect()
}

fn profile(kind: &str, index_of_time: Vec<u8>, data_of_time: Vec<u8>) -> Vec<u8> {
    tar(&[
        ("./anchor.xml", ANCHOR.replace("TYPE", kind).into_bytes()),
        ("0.index", index(&[0, 1, 2, 3], false)),
        ("0.data", visits()),
        ("1.index", index_of_time),
        ("1.data", data_of_time),
    ])
}

fn rows(bytes: &[u8]) -> Vec<(String, f64, f64, f64, f64)> {
    let options = ReadOptions { params: vec!["N=n".into()], ..ReadOptions::default() };
    let table = Table::read("runs/profile.cubex", bytes, &options).expect("a table");
    let text = |name: &str, row: usize| table.column(name).expect(name).cell(row);
    let number = |name: &str, row: usize| text(name, row).parse::<f64>().unwrap_or(f64::NAN);
    assert_eq!((text("P", 0), text("N", 0), text("run", 0)), ("2".into(), "4096".into(), "profile".into()));
    let row = |row| {
        (text("region", row), number("rank", row), number("visits", row), number("time_s", row), number("self_s", row))
    };
    (0..table.rows()).map(row).collect()
}

fn expected() -> Vec<(String, f64, f64, f64, f64)> {
    let row = |region: &str, rank, visits, time, own| (region.to_owned(), rank, visits, time, own);
    vec![
        row("main", 0.0, 1.0, 10.0, 3.0),
        row("main", 1.0, 1.0, 8.0, 3.0),
        row("main/f<T>", 0.0, 2.0, 5.0, 1.0),
        row("main/f<T>", 1.0, 2.0, 5.0, 1.0),
        row("main/f<T>/g", 0.0, 4.0, 4.0, 4.0),
        row("main/f<T>/g", 1.0, 4.0, 4.0, 4.0),
        row("main/g", 0.0, 3.0, 2.0, 2.0),
    ]
}

/// Nodes are numbered depth first: main, f, g of f, g.
#[test]
fn exclusive_times_are_summed() {
    let times = [[3.0, 3.0], [1.0, 1.0], [4.0, 4.0], [2.0, 0.0]];
    for is_big in [false, true] {
        let bytes = profile("EXCLUSIVE", index(&[0, 1, 2, 3], is_big), data(&times, is_big));
        assert_eq!(rows(&bytes), expected());
    }
    // Only some nodes, in another order.
    let bytes = profile("EXCLUSIVE", index(&[3, 2, 1, 0], false), packed(&[times[3], times[2], times[1], times[0]]));
    assert_eq!(rows(&bytes), expected());
    // The whole packed once more.
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(&bytes).expect("written");
    assert_eq!(rows(&writer.finish().expect("finished")), expected());
}

/// Those below a node are numbered before those further down: main, f, g, g of f.
#[test]
fn inclusive_times_are_taken_apart() {
    let bytes = profile(
        "INCLUSIVE",
        index(&[0, 1, 2, 3], false),
        data(&[[10.0, 8.0], [5.0, 5.0], [2.0, 0.0], [4.0, 4.0]], false),
    );
    assert_eq!(rows(&bytes), expected());
}

#[test]
fn what_is_damaged_is_named() {
    let code = |bytes: &[u8]| {
        let problem = Table::read("p.cubex", bytes, &ReadOptions::default()).expect_err("an error").0.remove(0);
        (problem.code, problem.message)
    };
    let good = profile("EXCLUSIVE", index(&[0], false), data(&[[1.0, 1.0]], false));
    assert_eq!(code(&good[..1000]).0, "damaged_archive");
    assert_eq!(code(&tar(&[("other.xml", Vec::new())])).0, "not_a_profile");
    let short = code(&profile("EXCLUSIVE", index(&[0, 1], false), data(&[[1.0, 1.0]], false)));
    assert!(short.0 == "damaged_archive" && short.1.contains("1.data"), "{short:?}");
    assert_eq!(code(&profile("EXCLUSIVE", index(&[9], false), data(&[[1.0, 1.0]], false))).0, "damaged_archive");
    let xml = |text: &str| code(&tar(&[("anchor.xml", text.as_bytes().to_vec())])).0;
    assert_eq!(xml("<!DOCTYPE cube [<!ENTITY a \"aaaa\">]><cube/>"), "bad_xml");
    assert_eq!(xml("<cube><metrics></cube>"), "bad_xml");
    assert_eq!(xml(&"<cube>".repeat(5000)), "too_deep");
    assert_eq!(xml("<cube></cube>"), "empty_table");
    let no_time = ANCHOR.replace(">time<", ">bytes<");
    assert_eq!(xml(&no_time), "no_metric");
}

#[test]
fn columns_of_a_profile_have_roles() {
    let bytes = profile("EXCLUSIVE", index(&[0], false), data(&[[1.0, 1.0]], false));
    let table = Table::read("p.cubex", &bytes, &ReadOptions::default()).expect("a table");
    let roles = table.roles.as_ref().expect("roles");
    assert_eq!((roles.parameters.clone(), roles.metrics.len()), (vec!["P".to_owned()], 2));
    assert_eq!(table.column("P").and_then(Column::as_numbers).expect("numbers").first(), Some(&2.0));
}
