//! Sorts and sums lists of growing lengths, with the complexity of both beside the code.
//!
//! ```sh
//! cargo run --release --example sorting        # lists of 2^8 to 2^20 numbers; `-- 16`: up to 2^16
//! runcast llac -e 'load sorting.cll.*.csv as t; fit sort in t as m; predict m at n=4194304'
//! ```

use runcast_cll::{cll, prelude::*};

// A function: its complexity, and the variables in it.
#[cll(model = "sort[0] + sort[1]*n*log2(n)", vars(n = numbers.len()), seg("n"))]
fn sort(numbers: &mut [u64]) {
    numbers.sort_unstable();
}

// A block: the expression has the value of the block. `return` and `?` inside work as ever.
fn sum(numbers: &[u64]) -> u64 {
    let n = numbers.len();
    cll!("sum", "sum[0] + sum[1]*n", vars(n, bytes = 8 * n), seg("bytes"), {
        numbers.iter().fold(0, |sum, number| sum.wrapping_add(*number))
    })
}

/// Numbers in no order: a linear congruential generator.
fn unsorted(length: usize) -> Vec<u64> {
    let next =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(length as u64), next).take(length).collect()
}

fn main() {
    let most = std::env::args().nth(1).and_then(|most| most.parse().ok()).unwrap_or(20);
    for power in 8..=most {
        // Between the powers of two, too: a list of 3/4 of the length.
        for length in [(3 << power) / 4, 1 << power] {
            for _ in 0..5 {
                let mut numbers = unsorted(length);
                let before = sum(&numbers);
                sort(&mut numbers);
                assert!(numbers.is_sorted() && sum(&numbers) == before);
            }
        }
    }
}
