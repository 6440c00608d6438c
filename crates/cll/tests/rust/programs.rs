//! Small annotated programs, each for one thing that must hold.

use std::fmt::Debug;
use std::hint::black_box;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

use runcast_cll::{cll, prelude::*};

/// Their names and where they begin.
pub const ALL: &[(&str, fn())] = &[
    ("attribute", attribute),
    ("expression", expression),
    ("fields", fields),
    ("recursion", recursion),
    ("depth", depth),
    ("question_mark", question_mark),
    ("panics", panics),
    ("leaves", leaves),
    ("exits_ok", exits_ok),
    ("threads", threads),
    ("generic", generic),
    ("at_end", at_end),
    ("every_third", every_third),
    ("aggregates", aggregates),
    ("options", options),
    ("switched", switched),
    ("reports", reports),
    ("left_open", left_open),
    ("processes", processes),
    ("nested", nested),
    ("kinds_of_functions", kinds_of_functions),
    ("pairs", pairs),
];

fn spin(steps: u64) -> u64 {
    (0..steps).fold(1, |sum, step| black_box(sum ^ step.wrapping_mul(0x9E37_79B9)))
}

#[cll(model = "f[0] + f[1]*n*log2(n)", vars(n))]
fn sort(n: u64) -> u64 {
    spin(n)
}

fn attribute() {
    for n in [100, 200, 300] {
        black_box(sort(n));
    }
}

fn expression() {
    let mut total = 0;
    for n in 1..=4u32 {
        total += cll!("F", "F[0] + F[1]*n", vars(n), {
            let doubled = 2 * n;
            spin(u64::from(doubled));
            doubled
        });
    }
    assert_eq!(total, 20);
}

struct Matrix {
    rows: usize,
    cells: Vec<f32>,
}

impl Matrix {
    fn columns(&self) -> usize {
        self.cells.len() / self.rows
    }

    #[cll(model = "m[0] + m[1]*self.rows*columns/P", vars(self.rows, columns = self.columns(), factor))]
    fn scale(self, factor: f32) -> Matrix {
        // The values were read before: self is moved here.
        let Matrix { rows, cells } = self;
        Matrix { rows, cells: cells.into_iter().map(|cell| cell * factor).collect() }
    }
}

fn fields() {
    let matrix = Matrix { rows: 3, cells: vec![1.0; 12] };
    assert_eq!(matrix.scale(0.5).cells, [0.5; 12]);
}

#[cll(model = "r[0] + r[1]*n", vars(n))]
fn halves(n: u64) -> u64 {
    if n <= 1 { spin(50) } else { halves(n / 2) ^ halves(n - n / 2) }
}

fn recursion() {
    black_box(halves(8));
}

#[cll(model = "d[0]", vars(n), mode(trace))]
fn down(n: u32) -> u32 {
    if n == 0 { 0 } else { 1 + down(n - 1) }
}

fn depth() {
    let stack = thread::Builder::new().stack_size(64 << 20);
    let reached = stack.spawn(|| down(9_999)).expect("a thread").join().expect("no overflow");
    assert_eq!(reached, 9_999);
}

#[cll(model = "q[0] + q[1]*n", vars(n = text.len()))]
fn parsed(text: &str) -> Result<i32, std::num::ParseIntError> {
    let number: i32 = text.parse()?;
    Ok(number + 1)
}

fn question_mark() {
    assert_eq!(parsed("41"), Ok(42));
    assert!(parsed("none").is_err());
    let inside =
        |text: &str| -> Option<u32> { Some(cll!("B", vars(n = text.len()), { text.parse::<u32>().ok()? }) + 1) };
    assert_eq!((inside("6"), inside("six")), (Some(7), None));
}

#[cll(model = "p[0] + p[1]*n", vars(n))]
fn divided(n: u32) -> u32 {
    12 / n
}

fn panics() {
    panic::set_hook(Box::new(|_| {}));
    assert_eq!(divided(3), 4);
    assert!(panic::catch_unwind(|| divided(0)).is_err());
    assert_eq!(divided(4), 3);
    let mut reached = 0;
    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
        cll!("outer", {
            cll!("inner", {
                reached += 1;
                assert!(black_box(reached) == 0, "on purpose");
            });
            reached += 10;
        });
    }));
    assert!(caught.is_err());
    assert_eq!(reached, 1);
    assert_eq!(divided(6), 2);
}

fn found(numbers: &[i32], wanted: i32) -> Option<usize> {
    for (place, number) in numbers.iter().enumerate() {
        cll!("return", vars(place), {
            if *number == wanted {
                return Some(place);
            }
        });
    }
    None
}

fn leaves() {
    assert_eq!(found(&[5, 6, 7, 8], 7), Some(2));
    let mut odd = 0;
    for number in 0..6 {
        cll!("continue", vars(number), {
            if number % 2 == 0 {
                continue;
            }
            odd += number;
        });
    }
    assert_eq!(odd, 9);
    let broken = 'outer: {
        let mut step = 0;
        loop {
            step += 1;
            cll!("break", vars(step), {
                if step == 3 {
                    break 'outer step * 10;
                }
            });
        }
    };
    assert_eq!(broken, 30);
}

#[cll(model = "e[0] + e[1]*n", vars(n), exits(ok))]
fn early(n: u32) -> u32 {
    if n > 1 {
        return n;
    }
    0
}

fn exits_ok() {
    assert_eq!((early(1), early(2)), (0, 2));
}

#[cll(model = "t[0] + t[1]*n", vars(n))]
fn task(n: u64) -> u64 {
    spin(n)
}

fn threads() {
    let early: Vec<_> = (0..3).map(|number| thread::spawn(move || (0..=number).map(task).sum::<u64>())).collect();
    for thread in early {
        thread.join().expect("a thread");
    }
    thread::scope(|scope| {
        for number in 3..8 {
            scope.spawn(move || (0..=number).map(task).sum::<u64>());
        }
    });
}

#[cll(model = "g[0] + g[1]*n", vars(n = items.as_ref().len()))]
fn shown<T: Debug + ?Sized, L: AsRef<[Box<T>]>>(items: L) -> impl Iterator<Item = String> {
    let texts: Vec<String> = items.as_ref().iter().map(|item| format!("{item:?}")).collect();
    texts.into_iter()
}

fn generic() {
    assert_eq!(shown([Box::new(1), Box::new(2)]).collect::<String>(), "12");
    let texts: Vec<Box<str>> = vec!["a".into()];
    assert_eq!(shown(texts).collect::<String>(), "\"a\"");
}

fn at_end() {
    let mut numbers = Vec::new();
    for wanted in [2u32, 5] {
        cll!("A", "A[0] + A[1]*found", vars(found = numbers.len()), at(end), {
            numbers.extend(0..wanted);
        });
    }
    #[cll(model = "z[0] + z[1]*n", vars(n = grown.len()), at(end))]
    fn grow(grown: &mut Vec<u8>, stop: bool) -> usize {
        grown.push(0);
        if stop {
            return 0;
        }
        grown.push(1);
        grown.len()
    }
    let mut grown = Vec::new();
    assert_eq!(grow(&mut grown, false), 2);
    assert_eq!(grow(&mut grown, true), 0);
}

fn every_third() {
    for n in 0..10u32 {
        cll!("E", "E[0] + E[1]*n", vars(n), every(3), { spin(u64::from(n)) });
    }
}

fn aggregates() {
    for n in 0..200u32 {
        cll!("G", "G[0] + G[1]*half", vars(half = n % 2), mode(aggregate), { spin(10) });
    }
}

fn options() {
    let (n, bytes) = (6u32, 48u64);
    cll!("O", "O[0] + O[1]*n/P", vars(n, bytes), seg("n / P", "bytes"), metric(cpu, PAPI_TOT_INS), mode(trace), {
        spin(1)
    });
}

fn switched() {
    let step = |n: u32| cll!("S", "S[0]*n", vars(n), { spin(u64::from(n)) });
    step(1);
    runcast_cll::off();
    step(2);
    runcast_cll::on();
    step(3);
}

fn reports() {
    cll!("A", "A[0]", { spin(1) });
    cll!("B", "B[0]", { spin(1) });
    runcast_cll::report_to(&["A"], "only-a.csv");
    cll!("A", "A[0]", { spin(1) });
}

fn left_open() {
    cll!("before", { spin(1) });
    cll!("unfinished", {
        cll!("inside", { spin(1) });
        std::process::exit(0);
    })
}

fn processes() {
    runcast_cll::rank(2, 8);
    cll!("R", "R[0] + R[1]/P", { spin(1) });
}

fn nested() {
    for n in 1..=3u64 {
        let sum: u64 = cll!("outer", "outer[0] + outer[1]*n", vars(n), {
            let one = cll!("inner", "inner[0]*n", vars(n), { spin(2_000) });
            one ^ cll!("inner2", "c[0]", { spin(2_000) })
        });
        black_box(sum);
    }
}

trait Shape {
    fn sides(&self) -> u32;

    #[cll(model = "s[0]*sides", vars(sides = self.sides()), name = "by_default")]
    fn corners(&self) -> u32 {
        self.sides()
    }
}

struct Square;

impl Shape for Square {
    fn sides(&self) -> u32 {
        4
    }
}

/// The attributes and lifetimes of functions stay theirs.
#[cll]
#[must_use = "it is the longer one"]
#[inline(never)]
pub fn longer<'t>(one: &'t str, other: &'t str) -> &'t str {
    #![allow(clippy::let_and_return)]
    let found = if one.len() > other.len() { one } else { other };
    found
}

#[cll(vars(n))]
fn failing(n: u32) -> Result<(), Box<dyn std::error::Error>> {
    if n > 2 { Err(Box::new(std::fmt::Error)) } else { Ok(()) }
}

#[cll(vars(n))]
fn boxed(n: u32) -> Box<dyn Fn(u32) -> u32> {
    Box::new(move |other| n + other)
}

#[cll(vars(n))]
fn opaque(n: u32) -> Result<impl Fn(u32) -> u32, Box<dyn std::error::Error>> {
    if n == 0 { Err(Box::new(std::fmt::Error)) } else { Ok(move |other| n + other) }
}

#[cll]
fn never() -> ! {
    panic::resume_unwind(Box::new(7))
}

#[cll]
unsafe fn trusted() -> u32 {
    3
}

#[cll]
extern "C" fn called_by_c(n: i32) -> i32 {
    n + 1
}

#[cll(name = "matched")]
fn r#match((first, _): (u8, u8), [.., last]: [u8; 3]) -> (u8, u8) {
    (first, last)
}

fn kinds_of_functions() {
    assert_eq!(Square.corners(), 4);
    assert_eq!(longer("ab", "a"), "ab");
    assert!(failing(1).is_ok() && failing(3).is_err());
    assert_eq!(boxed(2)(3), 5);
    assert_eq!(opaque(2).map(|add| add(3)).ok(), Some(5));
    assert!(opaque(0).is_err());
    assert!(panic::catch_unwind(|| never()).is_err());
    // SAFETY: it does nothing that needs trust.
    #[expect(unsafe_code, reason = "a function of this kind is what is tried")]
    let trusted = unsafe { trusted() };
    assert_eq!(trusted + called_by_c(1).unsigned_abs(), 5);
    assert_eq!(r#match((1, 2), [3, 4, 5]), (1, 5));
    let coerced: Box<dyn Debug> = cll!("coerced", { Box::new(5) });
    let slice: &[u8] = cll!("slice", { &[1, 2] });
    assert_eq!((format!("{coerced:?}"), slice.len()), ("5".to_owned(), 2));
    let result: Result<u8, Box<dyn std::error::Error>> = cll!("result", { Err(Box::new(std::fmt::Error)) });
    assert!(result.is_err());
}

/// 2,000 pairs, for a look at what a pair costs.
fn pairs() {
    for n in 0..2_000u32 {
        cll!("pair", "pair[0] + pair[1]*n", vars(n, m = 2 * n), {});
    }
}
