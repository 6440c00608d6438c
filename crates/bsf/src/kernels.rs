//! Loops over many numbers at memory speed, with the widest vectors of the processor.
//!
//! A default build of Rust uses vectors of 128 bits, so that it runs everywhere. Here the width is chosen at run time,
//! and **every width gives the same bits**: the order in which numbers are added is part of each definition below, and
//! a product is rounded before it is added (no fused multiply-add, which not every processor has).
//!
//! # What was tried for [`add_columns`]
//! Columns of n numbers added to a sum of n numbers, n = 5000 and 10000, one core of a virtual machine (x86-64 with
//! AVX-512, 300 MB of shared cache); share of the bandwidth of that core, which is that of a sum over 768 MB:
//!
//! | columns at once | 128 bits | 256 bits | 512 bits |
//! |---|---|---|---|
//! | 1 | 58, 56 % | 73, 69 % | 82, 74 % |
//! | 4 | 98, 85 % | 92, 84 % | 100, 88 % |
//! | 8 | 100, 92 % | 107, 92 % | 115, 101 % |
//! | **16** | 106, 94 % | 111, 101 % | 119, 106 % |
//!
//! More than 100 % is possible because the smaller matrix stays in the shared cache in part. Bands of 512 or 2048 rows,
//! which keep the part of the sum in the nearest cache, were never faster and often slower (70 to 103 %): short runs of
//! each column defeat the hardware prefetcher. Fetching 64 to 128 numbers ahead by instruction gained another 3
//! to 8 %, fetching past the caches lost half; neither is worth code for one architecture alone.

mod wide;

pub use wide::Vectors;

use wide::Kernel;

/// Adds columns, each times its factor, to a sum: `sum_i += c_ij * factor_j`, for one `j` after the other.
///
/// The columns stand one behind the other. As every `sum_i` takes its terms in the order of the columns, the bits are
/// those of adding the columns one by one, however they are grouped.
///
/// # Panics
/// If there are not `sum.len()` numbers in `columns` for each factor.
///
/// # Examples
/// ```
/// let mut sum = [1.0, 1.0];
/// runcast_bsf::kernels::add_columns(&mut sum, &[1.0, 2.0, 10.0, 20.0], &[3.0, 0.5]);
/// assert_eq!(sum, [9.0, 17.0]);
/// ```
pub fn add_columns(sum: &mut [f64], columns: &[f64], factors: &[f64]) {
    add_columns_by(Vectors::widest(), sum, columns, factors);
}

/// [`add_columns`] with vectors of this width.
///
/// # Panics
/// As [`add_columns`].
pub fn add_columns_by(vectors: Vectors, sum: &mut [f64], columns: &[f64], factors: &[f64]) {
    let needed = sum.len().checked_mul(factors.len());
    assert_eq!(needed, Some(columns.len()), "a column of {} numbers for each of {} factors", sum.len(), factors.len());
    if !columns.is_empty() {
        vectors.run(AddColumns { sum, columns, factors });
    }
}

/// The product of two vectors: `a_0 b_0 + a_1 b_1 + ..`
///
/// Sixteen partial sums take turns, then each half is added to the other: the order is fixed, but not that of a plain
/// loop.
///
/// # Panics
/// If one is longer than the other.
///
/// # Examples
/// ```
/// assert_eq!(runcast_bsf::kernels::dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
/// ```
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    dot_by(Vectors::widest(), a, b)
}

/// [`dot`] with vectors of this width.
///
/// # Panics
/// As [`dot`].
pub fn dot_by(vectors: Vectors, a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of one length");
    vectors.run(Dot { a, b })
}

/// The sum of many numbers, in 64 partial sums: the minimum cost of reading memory.
pub fn sum(numbers: &[f64]) -> f64 {
    Vectors::widest().run(Sum { numbers })
}

struct AddColumns<'a> {
    sum: &'a mut [f64],
    columns: &'a [f64],
    factors: &'a [f64],
}

impl Kernel for AddColumns<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let AddColumns { sum, columns, factors } = self;
        let rows = sum.len();
        let (columns, factors) = add_groups::<16>(sum, columns, factors, rows);
        let (columns, factors) = add_groups::<8>(sum, columns, factors, rows);
        let (columns, factors) = add_groups::<4>(sum, columns, factors, rows);
        let (columns, factors) = add_groups::<2>(sum, columns, factors, rows);
        add_groups::<1>(sum, columns, factors, rows);
    }
}

/// Adds all complete groups of `N` columns; returns the remaining columns.
#[inline(always)]
fn add_groups<'a, const N: usize>(
    sum: &mut [f64],
    columns: &'a [f64],
    factors: &'a [f64],
    rows: usize,
) -> (&'a [f64], &'a [f64]) {
    let (groups, left) = factors.as_chunks::<N>();
    let (grouped, columns_left) = columns.split_at(groups.len() * N * rows);
    for (factors, columns) in groups.iter().zip(grouped.chunks_exact(N * rows)) {
        add_group(sum, columns, factors);
    }
    (columns_left, left)
}

#[inline(always)]
fn add_group<const N: usize>(sum: &mut [f64], columns: &[f64], factors: &[f64; N]) {
    let rows = sum.len();
    // Slices of one length known to the compiler, so that it checks no index in the loop.
    let columns: [&[f64]; N] = std::array::from_fn(|column| &columns[column * rows..][..rows]);
    for (row, sum) in sum.iter_mut().enumerate() {
        let mut total = *sum;
        for column in 0..N {
            total += columns[column][row] * factors[column];
        }
        *sum = total;
    }
}

/// Partial sums of [`dot`]: two of the widest vectors, eight of the narrowest.
const LANES: usize = 16;

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl Kernel for Dot<'_> {
    type Out = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let (a, a_left) = self.a.as_chunks::<LANES>();
        let (b, b_left) = self.b.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            for lane in 0..LANES {
                sums[lane] += a[lane] * b[lane];
            }
        }
        for ((sum, a), b) in sums.iter_mut().zip(a_left).zip(b_left) {
            *sum += a * b;
        }
        halved(sums)
    }
}

struct Sum<'a> {
    numbers: &'a [f64],
}

impl Kernel for Sum<'_> {
    type Out = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let (chunks, left) = self.numbers.as_chunks::<64>();
        let mut sums = [0.0; 64];
        for chunk in chunks {
            for (sum, number) in sums.iter_mut().zip(chunk) {
                *sum += number;
            }
        }
        for (sum, number) in sums.iter_mut().zip(left) {
            *sum += number;
        }
        halved(sums)
    }
}

/// Adds the second half to the first until one number is left.
#[inline(always)]
fn halved<const N: usize>(mut sums: [f64; N]) -> f64 {
    let mut half = N / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One column after the other, one row after the other.
    fn slow_add(sum: &mut [f64], columns: &[f64], factors: &[f64]) {
        let rows = sum.len();
        for (column, factor) in factors.iter().enumerate() {
            for row in 0..rows {
                sum[row] += columns[column * rows + row] * factor;
            }
        }
    }

    fn slow_dot(a: &[f64], b: &[f64]) -> f64 {
        let mut sums = [0.0; 16];
        for place in 0..a.len() {
            sums[place % 16] += a[place] * b[place];
        }
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                sums[lane] += sums[lane + half];
            }
        }
        sums[0]
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    /// Numbers of many sizes, so that a different order shows in the last bits.
    fn numbers(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        (0..count).map(|_| (next() as f64 - 2f64.powi(52)) * 2f64.powi((next() % 40) as i32 - 60)).collect()
    }

    proptest! {
        #[test]
        fn columns_are_added_as_a_slow_loop_adds_them(rows in 0_usize..70, count in 0_usize..40, seed: u64) {
            let columns = numbers(seed, rows * count);
            let factors = numbers(seed ^ 1, count);
            let start = numbers(seed ^ 2, rows);
            let mut expected = start.clone();
            slow_add(&mut expected, &columns, &factors);
            for vectors in Vectors::available() {
                let mut sum = start.clone();
                add_columns_by(vectors, &mut sum, &columns, &factors);
                prop_assert_eq!(bits(&sum), bits(&expected), "{:?}", vectors);
            }
        }

        #[test]
        fn products_are_those_of_a_slow_loop(length in 0_usize..200, seed: u64) {
            let (a, b) = (numbers(seed, length), numbers(seed ^ 1, length));
            for vectors in Vectors::available() {
                prop_assert_eq!(dot_by(vectors, &a, &b).to_bits(), slow_dot(&a, &b).to_bits(), "{:?}", vectors);
            }
        }
    }

    #[test]
    fn how_columns_are_split_does_not_matter() {
        let (columns, factors) = (numbers(1, 33 * 50), numbers(2, 50));
        let mut whole = numbers(3, 33);
        let mut parts = whole.clone();
        add_columns(&mut whole, &columns, &factors);
        add_columns(&mut parts, &columns[..33 * 7], &factors[..7]);
        add_columns(&mut parts, &columns[33 * 7..], &factors[7..]);
        assert_eq!(bits(&whole), bits(&parts));
    }

    #[test]
    fn numbers_are_all_in_the_sum() {
        let numbers: Vec<f64> = (1..=1003).map(f64::from).collect();
        assert_eq!(sum(&numbers), 1003.0 * 1004.0 / 2.0);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    #[should_panic(expected = "a column of 2 numbers for each of 2 factors")]
    fn columns_of_another_length_are_refused() {
        add_columns(&mut [0.0, 0.0], &[1.0, 2.0, 3.0], &[1.0, 1.0]);
    }
}
