//! A small profile, whole and damaged.

use super::*;

/// Two ranks of a small program; `main` holds `solve`, which is entered under two iterations.
const TEXT: &str = "__rec=node,id=12,attr=10,data=64,parent=3\n\
    __rec=node,id=14,attr=8,data=attribute.unit,parent=12\n\
    __rec=node,id=20,attr=14,data=msec,parent=5\n\
    __rec=node,id=21,attr=10,data=65,parent=20\n\
    __rec=node,id=22,attr=8,data=sum#time.duration,parent=21\n\
    __rec=node,id=23,attr=10,data=65,parent=1\n\
    __rec=node,id=24,attr=8,data=count,parent=23\n\
    __rec=node,id=25,attr=8,data=mpi.rank,parent=23\n\
    __rec=node,id=31,attr=10,data=268,parent=3\n\
    __rec=node,id=32,attr=8,data=function,parent=31\n\
    __rec=node,id=33,attr=32,data=main\n\
    __rec=node,id=34,attr=32,data=solve\\,fast/er,parent=33\n\
    __rec=node,id=35,attr=10,data=512,parent=1\n\
    __rec=node,id=36,attr=8,data=mpi.world.size,parent=35\n\
    __rec=node,id=37,attr=8,data=n,parent=35\n\
    __rec=node,id=38,attr=36,data=2\n\
    __rec=ctx,ref=33,attr=22=24=25,data=1500=1=0\n\
    __rec=ctx,ref=34,attr=22=24=25,data=500=4=0\n\
    __rec=ctx,ref=34,attr=22=24=25,data=250=2=0\n\
    __rec=ctx,ref=33,attr=22=24=25,data=1000=1=1\n\
    __rec=globals,ref=38,attr=37,data=4096\n";

fn cells(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name).expect(name);
    (0..column.len()).map(|row| column.cell(row)).collect()
}

#[test]
fn a_profile_is_put_together() {
    assert!(recognizes(&Probe::new(TEXT)));
    let options = ReadOptions { params: vec!["N=n".to_owned()], ..ReadOptions::default() };
    let table = read("runs/lab.cali", TEXT, &options).expect("a table");
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names.join(","), "region,run,rank,thread,visits,N,P,time_s,self_s");
    assert_eq!(cells(&table, "region"), ["main", "main/solve,fast|er", "main"]);
    assert_eq!(cells(&table, "rank"), ["0", "0", "1"]);
    assert_eq!(cells(&table, "visits"), ["1", "6", "1"]);
    // Times without what is inside are given: 1.5 s and 0.5 + 0.25 s.
    assert_eq!(cells(&table, "time_s"), ["2.25", "0.75", "1"]);
    assert_eq!(cells(&table, "self_s"), ["1.5", "0.75", "1"]);
    assert_eq!((cells(&table, "P"), cells(&table, "N")), (vec!["2".to_owned(); 3], vec!["4096".to_owned(); 3]));
    assert_eq!(cells(&table, "run"), ["lab"; 3]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let problem = |text: &str| {
        let problems = read("a.cali", text, &ReadOptions::default()).expect_err("an error");
        (problems.0[0].code.clone(), problems.0[0].line)
    };
    assert_eq!(
        problem(&TEXT.replace("ref=33,attr=22=24=25,data=1500", "ref=99,attr=22=24=25,data=1500")),
        ("unknown_id".to_owned(), Some(17))
    );
    assert_eq!(
        problem(&TEXT.replace("id=33,attr=32,data=main", "id=33,attr=32,data=main,parent=34")),
        ("too_deep".to_owned(), Some(17))
    );
    assert_eq!(problem(&TEXT.replace("id=33", "id=x")), ("bad_id".to_owned(), Some(11)));
    assert_eq!(problem(&TEXT.replace("sum#time.duration", "sum#bytes")), ("no_metric".to_owned(), None));
    assert_eq!(problem("__rec=node,id=1\n"), ("missing_field".to_owned(), Some(1)));
    assert_eq!(problem("time=3\n"), ("not_a_record".to_owned(), Some(1)));
    let cut: Vec<usize> = (0..TEXT.len()).step_by(7).collect();
    // A file that was cut anywhere is an error or a table, never anything else.
    assert!(
        cut.into_iter()
            .all(|end| read("a.cali", &TEXT[..end], &ReadOptions::default()).map_or(true, |table| table.rows() <= 4))
    );
}
