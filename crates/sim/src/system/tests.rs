//! System files.

use super::*;
use crate::catalogue::Catalogue;

fn system(text: &str) -> System {
    let read = read(text, "test.toml", Catalogue::builtin(), &Changes::default());
    read.unwrap_or_else(|problems| panic!("{}", runcast_core::Problems(problems))).system
}

const GALERA: &str = include_str!("../../../../testdata/sim/systems/galera.toml");

#[test]
fn the_example_of_the_specification_is_read_as_it_is_meant() {
    let galera = system(GALERA);
    let ids: Vec<_> = galera.components.iter().map(|c| (c.id.as_str(), c.count, c.total, c.parent)).collect();
    assert_eq!(ids, [("galera", 1, 1, None), ("node", 32, 32, Some(0)), ("cpu", 2, 64, Some(1))]);
    let cpu = &galera.components[2].attributes;
    assert_eq!((cpu.get("cores"), cpu.get("smt_gain"), cpu.get("clock")), (Some(6.0), Some(1.22), Some(2.27e9)));
    let node = &galera.components[1].attributes;
    assert_eq!(node.get("mtbf"), Some(5.0 * 8760.0 * 3600.0));
    assert_eq!(galera.model_of(2), Some("mpi"));
    assert_eq!(galera.machines(), [MachineRun { component: 1, first: 0, count: 32 }]);
    let platform = galera.platform(&[]).expect("fits");
    assert_eq!(platform.machines, 32);
    // 32 machines and 2 x 8 up-links, each a link up and a link down, and the inside of 32 machines.
    assert_eq!(platform.links.len(), 2 * (32 + 16) + 32);
    let law = &platform.laws[0];
    assert_eq!((law.eager_limit, law.detach_limit), (16384, 65536));
    let segment = law.segment(2000);
    assert_eq!((segment.latency_factor, segment.bandwidth_factor, segment.recv_overhead_s), (1.3, 0.42, 0.5e-6));
    assert_eq!(law.segment(70_000).send_overhead_per_byte_s, 0.1e-9);
    let mut links = Vec::new();
    let same = platform.way(3, 3, &mut links);
    assert_eq!((same.latency_s, same.bandwidth, links.len()), (0.3e-6, 3.5e9, 1));
    assert_eq!(platform.laws[same.law as usize].name, "node");
    let leaf = platform.way(0, 15, &mut links);
    assert!((leaf.latency_s - 0.8e-6).abs() < 1e-15 && links.len() == 2);
    let leaves = platform.way(0, 16, &mut links);
    assert!((leaves.latency_s - 1.6e-6).abs() < 1e-15 && links.len() == 4);
    let names: Vec<_> = links.iter().map(|&link| platform.links[link as usize].name.as_str()).collect();
    assert_eq!(
        names,
        ["galera: node 0 up", "galera: leaf switch 1 up 1", "galera: leaf switch 2 down 1", "galera: node 16 down"]
    );
}

/// Ways of both platforms of a system are equally long and wide, and pairs of a class have equal ways.
fn check_ways(text: &str, use_: &[(String, String)]) {
    let system = system(text);
    let (full, unshared) = (system.platform(use_).expect("fits"), system.platform_unshared(use_).expect("fits"));
    let mut by_class = std::collections::HashMap::new();
    let mut links = Vec::new();
    for from in 0..full.machines {
        for to in 0..full.machines {
            let way = full.way(from, to, &mut links);
            let shown: Vec<_> = links.iter().map(|&link| full.links[link as usize].name.clone()).collect();
            let mut known = links.clone();
            known.sort_unstable();
            known.dedup();
            assert_eq!(known.len(), links.len(), "{from} to {to} passes a link twice: {shown:?}");
            assert_eq!(unshared.way(from, to, &mut links), way, "{from} to {to}");
            if let Some(class) = full.routing.class(from.into(), to.into()) {
                let first = *by_class.entry(class).or_insert(way);
                assert_eq!(first.law, way.law);
                assert_eq!(first.bandwidth, way.bandwidth, "{from} to {to}");
                assert!((first.latency_s - way.latency_s).abs() < 1e-15, "{from} to {to}");
            }
        }
    }
}

const RACKS: &str = include_str!("../../../../testdata/sim/systems/sites.toml");

#[test]
fn ways_through_nested_groups_pass_what_is_on_the_way_up() {
    let racks = system(RACKS);
    let runs: Vec<_> =
        racks.machines().iter().map(|run| (racks.components[run.component].id.clone(), run.first, run.count)).collect();
    let expected = [("big", 0, 3), ("small", 3, 2), ("big", 5, 3), ("small", 8, 2), ("home", 10, 2)];
    assert_eq!(runs, expected.map(|(id, first, count)| (id.to_owned(), first, count)));
    let platform = racks.platform(&[]).expect("fits");
    let names = |from, to| {
        let mut links = Vec::new();
        let way = platform.way(from, to, &mut links);
        let names = links.iter().map(|&link| platform.links[link as usize].name.clone()).collect::<Vec<_>>();
        (names, platform.laws[way.law as usize].name.clone())
    };
    let (links, law) = names(0, 1);
    assert_eq!(links, ["big 0: inside", "site 0: big 0 up", "site 0: backbone", "site 0: big 1 down", "big 1: inside"]);
    assert_eq!(law, "site");
    let (links, law) = names(4, 6);
    assert_eq!(
        links,
        [
            "site 0: small 1 up",
            "site 0: backbone",
            "world: site 0 up",
            "world: site 1 down",
            "site 1: backbone",
            "site 1: big 1 down",
            "big 4: inside"
        ]
    );
    assert_eq!(law, "world");
    assert_eq!(names(10, 11).0, ["world: home 0 up", "world: home 1 down"]);
    let (links, law) = names(8, 8);
    assert_eq!((links, law.as_str()), (vec!["small (assumed) 2: inside".to_owned()], "small (assumed)"));
    check_ways(RACKS, &[]);
    check_ways(RACKS, &[("site".to_owned(), "slow".to_owned())]);
    let error = racks.platform(&[("site".to_owned(), "slwo".to_owned())]).expect_err("a slip");
    assert_eq!((error.code.as_str(), error.hint.as_deref()), ("unknown_network", Some("did you mean slow?")));
    assert!(racks.assumed.iter().any(|text| text.contains("small has no network")), "{:?}", racks.assumed);
}

fn group(count: u32, topology: &str) -> String {
    format!(
        "format = \"runcast-system/1\"\ncomponent = [{{ id = \"g\", kind = \"group\" }}, \
         {{ id = \"m\", kind = \"machine\", parent = \"g\", count = {count} }}]\n\
         network = [{{ of = \"g\", topology = {topology}, set = {{ bandwidth = 1e9, latency = 1e-6 }} }}]\n"
    )
}

#[test]
fn classes_and_unshared_platforms_agree_with_the_links() {
    for (count, topology) in [
        (5, "\"star\""),
        (5, "\"bus\""),
        (5, "\"crossbar\""),
        (24, "{ kind = \"fat_tree\", down = [3, 4, 2], up = [2, 3, 2], links = [2, 1, 3] }"),
        (32, "{ kind = \"fat_tree\", down = [16, 2], up = [1, 8] }"),
        (24, "{ kind = \"torus\", dims = [4, 3, 2] }"),
        (24, "{ kind = \"dragonfly\", groups = 3, chassis = 2, routers = 4, nodes = 1, group_links = 4 }"),
    ] {
        check_ways(&group(count, topology), &[]);
    }
    let explicit = r#"
format = "runcast-system/1"
component = [ { id = "g", kind = "group" }, { id = "a", kind = "machine", parent = "g" }, { id = "b", kind = "machine", parent = "g", count = 2 } ]
[[network]]
of = "g"
[network.topology]
kind = "explicit"
link = [ { id = "x", bandwidth = "1GB/s", latency = "1us" }, { id = "y", bandwidth = "2GB/s", latency = "2us", shared = false }, { id = "z", bandwidth = "3GB/s" } ]
route = [ { from = "a", to = "b[0]", links = ["x", "y"] }, { from = "a", to = "b[1]", links = ["x", "z"] }, { from = "b[1]", to = "b[0]", links = ["-z", "y"], one_way = true }, { from = "b[0]", to = "b[1]", links = ["z"], one_way = true } ]
"#;
    check_ways(explicit, &[]);
    let platform = system(explicit).platform(&[]).expect("fits");
    let names = |from, to| {
        let mut links = Vec::new();
        platform.way(from, to, &mut links);
        links.iter().map(|&link| platform.links[link as usize].name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(0, 1), ["g: x up", "g: y"]);
    assert_eq!(names(1, 0), ["g: y", "g: x down"]);
    assert_eq!(names(2, 1), ["g: z down", "g: y"]);
}

#[test]
fn a_billion_machines_have_an_unshared_platform_and_no_other() {
    let text = group(1_000_000_000, "\"star\"");
    let system = system(&text);
    let platform = system.platform_unshared(&[]).expect("fits");
    let mut links = Vec::new();
    assert_eq!(platform.way(7, 999_999_999, &mut links).latency_s, 2e-6);
    assert_eq!(system.platform(&[]).expect_err("too many links").code, "too_large");
    assert_eq!(system.machines(), [MachineRun { component: 1, first: 0, count: 1_000_000_000 }]);
}

/// A system of these components, networks and whatever follows.
fn text(components: &str, more: &str) -> String {
    format!("format = \"runcast-system/1\"\ncomponent = [\n{components}\n]\n{more}")
}

const TWO: &str = "{ id = \"g\", kind = \"group\" },\n{ id = \"m\", kind = \"machine\", parent = \"g\", count = 2 },";

#[test]
fn what_is_wrong_is_told_with_line_and_field() {
    let network = |more: &str| text(TWO, &format!("[[network]]\nof = \"g\"\n{more}"));
    let link = "set = { bandwidth = \"1GB/s\", latency = \"1us\" }";
    // Text, code, line, a part of the pointer.
    let cases: Vec<(String, &str, u64, &str)> = vec![
        ("".to_owned(), "missing", 1, "format"),
        ("format = \"runcast-experiment/1\"".to_owned(), "wrong_format", 1, "format"),
        ("format = [".to_owned(), "toml", 1, ""),
        (text("", ""), "missing", 1, "component"),
        (text("{ id = \"a\", kind = \"group\", parent = \"a\" },", ""), "cycle", 3, "component/0/parent"),
        (
            text(
                "{ id = \"r\", kind = \"group\" },\n{ id = \"a\", kind = \"group\", parent = \"b\" },\n{ id = \"b\", kind = \"group\", parent = \"a\" },",
                "",
            ),
            "cycle",
            4,
            "component/1/parent",
        ),
        (
            text("{ id = \"a\", kind = \"group\" },\n{ id = \"b\", kind = \"group\" },", ""),
            "two_roots",
            4,
            "component/1/parent",
        ),
        (text("{ id = \"a\", kind = \"group\", count = 2 },", ""), "out_of_range", 3, "component/0/count"),
        (text("{ id = \"a\", kind = \"cpu\" },", ""), "wrong_parent", 3, "component/0"),
        (text("{ id = \"a\", kind = \"grupo\" },", ""), "unknown_name", 3, "component/0/kind"),
        (text("{ id = \"a b\", kind = \"group\" },", ""), "bad_name", 3, "component/0/id"),
        (text("{ id = \"a\", kind = \"group\", colour = 3 },", ""), "unknown_key", 3, "component/0/colour"),
        (
            text("{ id = \"a\", kind = \"group\" },\n{ id = \"a\", kind = \"group\", parent = \"a\" },", ""),
            "twice",
            4,
            "",
        ),
        (
            text("{ id = \"a\", kind = \"group\" },\n{ id = \"c\", kind = \"cpu\", parent = \"a\" },", ""),
            "wrong_parent",
            4,
            "component/1/parent",
        ),
        (
            text("{ id = \"a\", kind = \"group\" },\n{ id = \"c\", kind = \"machine\", parent = \"aa\" },", ""),
            "unknown_component",
            4,
            "component/1/parent",
        ),
        (
            text(
                "{ id = \"a\", kind = \"group\" },\n{ id = \"c\", kind = \"machine\", parent = \"a\", count = 0 },",
                "",
            ),
            "out_of_range",
            4,
            "component/1/count",
        ),
        (
            text(
                "{ id = \"m\", kind = \"machine\" },\n{ id = \"c\", kind = \"cpu\", parent = \"m\", hardware = \"intel-xeon-l5460\" },",
                "",
            ),
            "unknown_hardware",
            4,
            "component/1/hardware",
        ),
        (
            text(
                "{ id = \"m\", kind = \"machine\" },\n{ id = \"c\", kind = \"cpu\", parent = \"m\", hardware = \"ethernet-1g\" },",
                "",
            ),
            "wrong_kind",
            4,
            "component/1/hardware",
        ),
        (
            text("{ id = \"m\", kind = \"machine\", set = { memory = \"12GB/s\" } },", ""),
            "bad_quantity",
            3,
            "set/memory",
        ),
        (text("{ id = \"m\", kind = \"machine\", set = { turbo = -0.1 } },", ""), "out_of_range", 3, "set/turbo"),
        (
            text("{ id = \"m\", kind = \"machine\", set = { power_threads = [[1, 2], [0, 3]] } },", ""),
            "bad_curve",
            3,
            "set/power_threads",
        ),
        (text("{ id = \"m\", kind = \"machine\", set = { mtbf = \"5y\", failure_rate = 1 } },", ""), "twice", 3, "set"),
        (text("{ id = \"m\", kind = \"machine\", model = \"mpi\" },", ""), "unknown_model", 3, "component/0/model"),
        (network("set = { bandwidth = 0, latency = 0 }"), "out_of_range", 8, "set/bandwidth"),
        (network("set = { bandwidth = \"-1GB/s\", latency = 0 }"), "out_of_range", 8, "set/bandwidth"),
        (network("set = { latency = 0 }"), "missing", 8, "set/bandwidth"),
        (network("set = { bandwidth = 1e9, latency = \"-1us\" }"), "out_of_range", 8, "set/latency"),
        (network("set = { bandwidth = 1e9, latency = 0, duplex = \"both\" }"), "unknown_name", 8, "set/duplex"),
        (
            network("set = { bandwidth = 1e9, latency = 0, eager_limit = 9, detach_limit = 8 }"),
            "out_of_range",
            8,
            "set/eager_limit",
        ),
        (network(&format!("topology = \"ring\"\n{link}")), "unknown_name", 8, "topology"),
        (network(&format!("topology = \"torus\"\n{link}")), "missing", 8, "topology"),
        (network(&format!("topology = {{ kind = \"torus\", dims = [1] }}\n{link}")), "too_small", 8, "dims"),
        (network(&format!("topology = {{ kind = \"torus\", dims = [70000, 70000] }}\n{link}")), "too_large", 8, "dims"),
        (
            network(&format!("topology = {{ kind = \"fat_tree\", down = [2, 2], up = [1] }}\n{link}")),
            "out_of_range",
            8,
            "up",
        ),
        (
            network(&format!("topology = {{ kind = \"dragonfly\", groups = 5, routers = 2, nodes = 1 }}\n{link}")),
            "out_of_range",
            8,
            "routers",
        ),
        (
            network(&format!("topology = {{ kind = \"star\", backbone = {{ bandwidth = 0 }} }}\n{link}")),
            "out_of_range",
            8,
            "backbone/bandwidth",
        ),
        (network("topology = \"explicit\"\nlink = []\nroute = []"), "no_route", 6, "route"),
        (
            network(
                "topology = \"explicit\"\nlink = [{ id = \"x\", bandwidth = 1 }]\nroute = [{ from = \"m[0]\", to = \"m[2]\", links = [\"x\"] }]",
            ),
            "unknown_component",
            10,
            "route/0/to",
        ),
        (
            network(
                "topology = \"explicit\"\nlink = [{ id = \"x\", bandwidth = 1 }]\nroute = [{ from = \"m[0]\", to = \"m[1]\", links = [\"y\"] }]",
            ),
            "unknown_link",
            10,
            "route/0/links/0",
        ),
        (
            network(&format!("segments = [{{ from = 10 }}, {{ from = 5 }}]\n{link}")),
            "out_of_range",
            8,
            "segments/1/from",
        ),
        (
            network(&format!("segments = [{{ from = 0, bandwidth_factor = 0 }}]\n{link}")),
            "out_of_range",
            8,
            "segments/0/bandwidth_factor",
        ),
        (network(&format!("{link}\n[[network]]\nof = \"g\"\n{link}")), "twice", 9, ""),
        (text(TWO, "[[network]]\nof = \"gg\"\n"), "unknown_component", 7, "network/0/of"),
        (
            text(
                "{ id = \"m\", kind = \"machine\" },\n{ id = \"c\", kind = \"cpu\", parent = \"m\" },",
                "[[network]]\nof = \"c\"\n",
            ),
            "wrong_kind",
            7,
            "network/0/of",
        ),
    ];
    for (text, code, line, pointer) in cases {
        let problems = read(&text, "test.toml", Catalogue::builtin(), &Changes::default()).expect_err(&text);
        let first = &problems[0];
        assert_eq!((first.code.as_str(), first.line), (code, Some(line)), "{text}\n{first}");
        let seen = first.pointer.clone().unwrap_or_default();
        assert!(seen.contains(pointer), "{text}\n{seen} has no {pointer}");
        assert_eq!(first.file.as_deref(), Some("test.toml"));
    }
}

#[test]
fn slips_get_the_nearest_word() {
    let cases = [
        (
            text(
                "{ id = \"m\", kind = \"machine\" },\n{ id = \"c\", kind = \"cpu\", parent = \"m\", hardware = \"intel-xeon-l5460\" },",
                "",
            ),
            "intel-xeon-l5640",
        ),
        (
            text("{ id = \"group\", kind = \"group\" },\n{ id = \"m\", kind = \"machine\", parent = \"gruop\" },", ""),
            "group",
        ),
        (text(TWO, "[[network]]\nof = \"g\"\ntopolgy = \"star\"\nset = { bandwidth = 1, latency = 0 }"), "topology"),
        (
            text(TWO, "[[network]]\nof = \"g\"\ntopology = \"fattree\"\nset = { bandwidth = 1, latency = 0 }"),
            "fat_tree",
        ),
    ];
    for (text, word) in cases {
        let problems = read(&text, "test.toml", Catalogue::builtin(), &Changes::default()).expect_err(&text);
        assert_eq!(problems[0].hint, Some(format!("did you mean {word}?")), "{}", problems[0]);
    }
    let read = read(
        &text("{ id = \"m\", kind = \"machine\", set = { power_laod = 3, rack_units = 2 } },", ""),
        "test.toml",
        Catalogue::builtin(),
        &Changes::default(),
    );
    let read = read.expect("further keys are allowed");
    assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
    assert!(read.warnings[0].message.contains("power_load"));
    assert_eq!(read.system.components[0].attributes.get("rack_units"), Some(2.0));
}

#[test]
fn announced_numbers_take_no_memory() {
    let many = "{ id = \"w\", kind = \"wan\" },\n{ id = \"g\", kind = \"group\", parent = \"w\", count = 1000000000 },\n\
        { id = \"a\", kind = \"machine\", parent = \"g\" },\n{ id = \"b\", kind = \"machine\", parent = \"g\" },";
    let problems = read(&text(many, ""), "test.toml", Catalogue::builtin(), &Changes::default()).expect_err("too many");
    assert_eq!(problems[0].code, "too_large");
    let more = many
        .replace("count = 1000000000", "count = 1000000000000")
        .replace("\"machine\", parent = \"g\"", "\"machine\", parent = \"g\", count = 1000000000");
    let problems =
        read(&text(&more, ""), "test.toml", Catalogue::builtin(), &Changes::default()).expect_err("too many");
    assert_eq!(problems[0].code, "too_large");
    // A hundred levels, and ten thousand components.
    let deep: String = (0..100)
        .map(|at| match at {
            0 => "{ id = \"g0\", kind = \"group\" },\n".to_owned(),
            at => format!("{{ id = \"g{at}\", kind = \"group\", parent = \"g{}\" }},\n", at - 1),
        })
        .collect();
    let problems =
        read(&text(&deep, ""), "test.toml", Catalogue::builtin(), &Changes::default()).expect_err("too deep");
    assert_eq!(problems[0].code, "too_large");
    let wide: String =
        (0..9_000).map(|at| format!("{{ id = \"m{at}\", kind = \"machine\", parent = \"g\" }},\n")).collect();
    let wide = text(&format!("{{ id = \"g\", kind = \"group\" }},\n{wide}"), "");
    let read = read(&wide, "test.toml", Catalogue::builtin(), &Changes::default()).expect("fits");
    let platform = read.system.platform(&[]).expect("fits");
    assert_eq!(platform.machines, 9_000);
    assert!(platform.routing.class(3.into(), 4.into()).is_none());
}

#[test]
fn other_hardware_takes_the_place_of_what_the_file_names() {
    let changes =
        |id: &str, entry: &str| Changes { hardware: vec![(id.to_owned(), entry.to_owned())], ..Changes::default() };
    let read = |changes: &Changes| read(GALERA, "test.toml", Catalogue::builtin(), changes);
    let system = read(&changes("cpu", "intel-xeon-x5680")).expect("fits").system;
    let cpu = &system.components[2];
    assert_eq!((cpu.attributes.get("clock"), cpu.attributes.get("smt_gain")), (Some(3.33e9), Some(1.22)));
    assert_eq!(cpu.hardware.as_deref(), Some("intel-xeon-x5680"));
    let system = read(&changes("galera", "infiniband-edr-4x")).expect("fits").system;
    // Its own bandwidth was 3.4 of the 4 GB/s of QDR: so much of the 12.5 GB/s of EDR.
    assert_eq!(system.networks[0].attributes.get("bandwidth"), Some(12.5e9 * 3.4e9 / 4e9));
    assert_eq!(system.networks[0].hardware.as_deref(), Some("infiniband-edr-4x"));
    let wrong = read(&changes("cup", "intel-xeon-x5680")).expect_err("no such component");
    assert_eq!((wrong[0].code.as_str(), wrong[0].hint.as_deref()), ("unknown_component", Some("did you mean cpu?")));
    let wrong = read(&changes("cpu", "intel-xeon-x5860")).expect_err("no such entry");
    assert_eq!(wrong[0].hint.as_deref(), Some("did you mean intel-xeon-x5680?"));
}

#[test]
fn totals_are_sums_over_the_tree() {
    let totals = system(GALERA).totals();
    assert_eq!((totals.machines, totals.cores, totals.accelerators), (32, 384.0, 0));
    assert!((totals.flops_double_per_s - 64.0 * 54.48e9).abs() < 1.0);
    // 32 boards of 60 W; 64 processors of 60 W, idle 0.4 of it.
    assert_eq!(
        (totals.power_load_w, totals.power_idle_w),
        (Some(32.0 * 60.0 + 64.0 * 60.0), Some(32.0 * 60.0 + 64.0 * 24.0))
    );
    let rate = totals.failure_rate_per_s.expect("the machines tell it");
    assert!((rate * 5.0 * 8760.0 * 3600.0 / 32.0 - 1.0).abs() < 1e-12);
}

#[test]
fn a_system_that_is_written_reads_back_as_the_same() {
    for text in [RACKS, &group(32, "{ kind = \"fat_tree\", down = [16, 2], up = [1, 8] }")] {
        let first = super::write(&system(text));
        assert_eq!(super::write(&system(&first)), first);
    }
}
