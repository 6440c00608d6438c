//! Platforms of SimGrid in and out.

use super::*;
use crate::catalogue::Catalogue;
use crate::system::{self, Changes};

/// Import, export, import: the same system, also by way of a system file.
fn there_and_back(text: &str) -> Imported {
    let first = import(text, "a.xml").unwrap_or_else(|problem| panic!("{problem}"));
    let exported = export(&first.system).unwrap_or_else(|problem| panic!("{problem}"));
    let second = import(&exported.text, "a.xml").unwrap_or_else(|problem| panic!("{problem}\n{}", exported.text));
    let file = system::write(&first.system);
    assert_eq!(file, system::write(&second.system), "{}", exported.text);
    let read = system::read(&file, "a.toml", Catalogue::builtin(), &Changes::default());
    let read = read.unwrap_or_else(|problems| panic!("{}\n{file}", runcast_core::Problems(problems)));
    assert_eq!(system::write(&read.system), file);
    // The same ways, too.
    let (a, b) = (first.system.platform(&[]).expect("fits"), read.system.platform(&[]).expect("fits"));
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for from in 0..a.machines.min(40) {
        for to in 0..a.machines.min(40) {
            assert_eq!(a.way(from, to, &mut x), b.way(from, to, &mut y));
            assert_eq!(x, y);
        }
    }
    first
}

const ETHERNET: &str = include_str!("../../../../../testdata/sim/platforms/cluster.xml");

#[test]
fn a_cluster_is_a_group_of_like_machines() {
    let imported = there_and_back(ETHERNET);
    let system = &imported.system;
    let ids: Vec<_> = system.components.iter().map(|c| (c.id.as_str(), c.kind, c.total)).collect();
    use crate::system::Kind::{Cpu, Group, Machine};
    assert_eq!(ids, [("AS0", Group, 1), ("eth", Group, 1), ("n", Machine, 104), ("n-cpu", Cpu, 104)]);
    let cpu = &system.components[3].attributes;
    assert_eq!((cpu.get("cores"), cpu.get("flops_double")), (Some(7.0), Some(98.095e6 * 7.0)));
    // Idle, one core at work, all cores: SimGrid's line from epsilon to all.
    let one = 120.5 + (200.25 - 120.5) / 7.0;
    assert_eq!(cpu.curve("power_threads"), Some(&[(0.0, 95.0), (1.0, one), (7.0, 200.25)][..]));
    assert_eq!(cpu.get("power_off"), Some(10.0));
    let platform = system.platform(&[]).expect("fits");
    let mut links = Vec::new();
    let way = platform.way(3, 90, &mut links);
    assert!((way.latency_s - 40e-6).abs() < 1e-18 && links.len() == 3 && way.bandwidth == 125e6);
    let law = &platform.laws[way.law as usize];
    assert_eq!((law.eager_limit, law.detach_limit, law.window), (65536, 65536, Some(16_777_216.0)));
    let sizes: Vec<u64> = law.segments.iter().map(|segment| segment.from).collect();
    assert_eq!(sizes, [0, 1024, 1420, 32768, 65536]);
    let segment = law.segment(1200);
    assert_eq!((segment.latency_factor, segment.bandwidth_factor, segment.send_overhead_s), (1.0, 0.74, 6e-6));
    let segment = law.segment(70_000);
    assert_eq!((segment.latency_factor, segment.send_overhead_s, segment.recv_overhead_s), (2.4, 12e-6, 10e-6));
    let inside = platform.way(5, 5, &mut links);
    assert_eq!((inside.latency_s, inside.bandwidth, links.len()), (1e-6, 1.5e9, 1));
    assert!(!platform.links[links[0] as usize].shared);
    assert_eq!(platform.laws[inside.law as usize].segments, law.segments);
}

#[test]
fn clusters_of_all_topologies_go_there_and_back() {
    let cluster = |more: &str, count: u32| {
        format!(
            "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"node-\" suffix=\".site\" radical=\"0-{}\" speed=\"1Gf\" \
             bw=\"3.3GBps\" lat=\"0.7us\" {more}/></platform>",
            count - 1
        )
    };
    for (more, count) in [
        ("", 4),
        ("sharing_policy=\"FATPIPE\"", 4),
        ("sharing_policy=\"SHARED\" bb_bw=\"1GBps\"", 4),
        ("topology=\"FAT_TREE\" topo_parameters=\"2;16,2;1,8;1,1\"", 32),
        ("topology=\"FAT_TREE\" topo_parameters=\"3;2,3,2;1,2,2;1,1,2\"", 12),
        ("topology=\"TORUS\" topo_parameters=\"3,4,2\"", 24),
        ("topology=\"DRAGONFLY\" topo_parameters=\"3,4;3,2;4,1;2\"", 72),
    ] {
        let imported = there_and_back(&cluster(more, count));
        assert_eq!(imported.system.machine_count(), u64::from(count), "{more}");
        assert_eq!(imported.system.components[1].id, "node");
    }
}

const ZONES: &str = include_str!("../../../../../testdata/sim/platforms/zones.xml");

#[test]
fn zones_with_routes_are_groups_with_explicit_networks() {
    let imported = there_and_back(ZONES);
    let platform = imported.system.platform(&[]).expect("fits");
    let names = |from, to| {
        let mut links = Vec::new();
        platform.way(from, to, &mut links);
        links.iter().map(|&link| platform.links[link as usize].name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(0, 1), ["left: a", "left: b up"]);
    assert_eq!(names(1, 0), ["left: b down", "left: a"]);
    assert_eq!(names(1, 3), ["left: b down", "world: wan", "right: r 1 down"]);
    assert_eq!(names(3, 1), ["right: r 1 up", "world: wan", "left: b up"]);
    assert_eq!(names(0, 0), ["Tremblay___Co: inside"]);
    assert!(imported.warnings.iter().any(|warning| warning.message.contains("first state")));
}

#[test]
fn computed_routes_have_the_fewest_links() {
    let text = r#"<platform version="4"><AS id="z" routing="Floyd">
     <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/><router id="r"/>
     <link id="ar" bandwidth="1GBps" latency="1us"/><link id="rb" bandwidth="1GBps" latency="2us"/><link id="bc" bandwidth="1GBps" latency="4us"/>
     <route src="a" dst="r"><link_ctn id="ar"/></route><route src="r" dst="b"><link_ctn id="rb"/></route>
     <route src="b" dst="c"><link_ctn id="bc"/></route></AS></platform>"#;
    let imported = there_and_back(text);
    let platform = imported.system.platform(&[]).expect("fits");
    let mut links = Vec::new();
    assert!((platform.way(0, 2, &mut links).latency_s - 7e-6).abs() < 1e-15);
    assert!((platform.way(2, 0, &mut links).latency_s - 7e-6).abs() < 1e-15);
}

#[test]
fn what_does_not_map_is_a_warning_each() {
    let text = ETHERNET.replace(
        "<zone id=\"AS0\" routing=\"Full\">",
        "<zone id=\"AS0\" routing=\"Vivaldi\"><peer id=\"p\"/><trace id=\"t\"/><prop id=\"x\" value=\"1\"/>",
    );
    let text = text.replace("<config>", "<config><prop id=\"network/weight-S\" value=\"2\"/>");
    let imported = import(&text, "a.xml").expect("fits");
    for part in ["network/weight-S", "Vivaldi", "<peer>", "<trace>", "only the first state"] {
        assert!(
            imported.warnings.iter().any(|warning| warning.message.contains(part)),
            "{part}: {:?}",
            imported.warnings
        );
    }
}

#[test]
fn hostile_xml_is_an_error_with_its_place() {
    let deep = format!("<platform version=\"4.1\">{}", "<zone id=\"z\" routing=\"Full\">".repeat(100_000));
    let bomb = "<!DOCTYPE lolz [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><platform version=\"4.1\">&b;</platform>";
    let cluster = |what: &str| format!("<platform version=\"4.1\">\n<cluster id=\"c\" {what}/></platform>");
    let all = "radical=\"0-9\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"";
    let cases = [
        (deep, "too_deep"),
        (bomb.to_owned(), "xml_entities"),
        ("<platform version=\"4.1\"><zone id=\"&z;\"/></platform>".to_owned(), "xml"),
        ("<platform version=\"3\"/>".to_owned(), "wrong_version"),
        ("<platform version=\"4.1\"/>".to_owned(), "missing"),
        ("<a/><b/>".to_owned(), "xml"),
        ("<a>".to_owned(), "xml"),
        ("".to_owned(), "xml"),
        ("<html/>".to_owned(), "not_a_platform"),
        ("<platform version=\"4.1\"><zone id=\"a\"/><zone id=\"b\"/></platform>".to_owned(), "two_roots"),
        (cluster("radical=\"0-99999999999\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\""), "out_of_range"),
        (cluster("radical=\"9-0\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\""), "out_of_range"),
        (cluster("radical=\"0-9\" speed=\"1Gf\" bw=\"0Bps\" lat=\"1us\""), "out_of_range"),
        (cluster("radical=\"0-9\" speed=\"fast\" bw=\"1GBps\" lat=\"1us\""), "bad_quantity"),
        (cluster("radical=\"0-9\" speed=\"1Gf\" bw=\"1GBps\" lat=\"-1us\""), "bad_quantity"),
        (cluster(&format!("{all} core=\"0\"")), "out_of_range"),
        (cluster(&format!("{all} topology=\"TORUS\" topo_parameters=\"3,3\"")), "out_of_range"),
        (cluster(&format!("{all} topology=\"TORUS\" topo_parameters=\"-1,x\"")), "out_of_range"),
        (cluster(&format!("{all} topology=\"RING\"")), "unknown_name"),
        (
            "<platform version=\"4.1\"><zone id=\"a\"><host id=\"h\" speed=\"1Gf\"/><route src=\"h\" dst=\"g\"/></zone></platform>".to_owned(),
            "unknown_name",
        ),
    ];
    for (text, code) in cases {
        let problem = import(&text, "a.xml").expect_err(code);
        let start: String = text.chars().take(200).collect();
        assert_eq!(problem.code, code, "{start}: {problem}");
        assert!(problem.line.is_some() && problem.file.is_some(), "{problem}");
    }
}

#[test]
fn what_simgrid_has_no_word_for_is_told() {
    let file = r#"format = "runcast-system/1"
name = "devices"
component = [ { id = "site", kind = "group" }, { id = "node", kind = "machine", parent = "site", count = 2 },
  { id = "cpu", kind = "cpu", parent = "node", set = { flops_double = "1Gflop/s" } },
  { id = "gpu", kind = "gpu", parent = "node", count = 4 } ]
network = [ { of = "site", rails = 2, planes = true, set = { bandwidth = "1GB/s", latency = "1us" } },
  { id = "switch", of = "node", between = ["gpu"], topology = "star", set = { bandwidth = "9GB/s", latency = "1us" } } ]
"#;
    let read = |text: &str| {
        let read = system::read(text, "a.toml", Catalogue::builtin(), &Changes::default());
        read.unwrap_or_else(|problems| panic!("{}\n{text}", runcast_core::Problems(problems))).system
    };
    let system = read(file);
    let exported = export(&system).expect("a platform");
    for told in ["one rail of 2", "switch: ports of devices"] {
        assert!(
            exported.warnings.iter().any(|warning| warning.message.contains(told)),
            "{told}: {:?}",
            exported.warnings
        );
    }
    // A system file has words for them.
    let written = system::write(&system);
    let again = read(&written);
    assert_eq!(system::write(&again), written);
    let (one, other) = (system.platform(&[]).expect("fits"), again.platform(&[]).expect("fits"));
    assert_eq!(one.links, other.links);
    assert_eq!(one.links.len(), 2 * 2 * 2 + 2 * (4 * 2 + 1), "two rails, two switches, and copies in memory");
}
