//! Where a message-passing library changes its protocol.

/// A jump is more than this many times what the slopes beside it explain,
const UNEXPLAINED: f64 = 3.0;
/// and more than this share of the time before it: small messages differ by noise alone.
const LEAST_SHARE: f64 = 0.2;

/// The knots after which the protocol changes, by their index: the time of the next one differs by more than three times
/// what the slopes on both sides explain, and by more than a fifth. Sizes \[bytes\] rise.
///
/// # Examples
/// ```
/// use runcast_bsf::skeleton::switches;
/// // 0.5 ns/B with 35 us more from 8 KiB on.
/// let sizes = [1024.0, 2048.0, 4096.0, 8192.0, 16384.0];
/// let times = sizes.map(|size| 2e-6 + 5e-10 * size + if size > 4096.0 { 35e-6 } else { 0.0 });
/// assert_eq!(switches(&sizes, &times), [2]);
/// ```
pub fn switches(sizes: &[f64], times: &[f64]) -> Vec<usize> {
    let slope = |left: usize| (times[left + 1] - times[left]) / (sizes[left + 1] - sizes[left]);
    let pairs = sizes.len().min(times.len()).saturating_sub(1);
    let is_jump = |left: &usize| {
        let beside = [left.checked_sub(1), Some(left + 1).filter(|right| *right < pairs)];
        let steepest = beside.into_iter().flatten().map(slope).fold(0.0, f64::max);
        let jump = times[left + 1] - times[*left];
        jump > UNEXPLAINED * steepest * (sizes[left + 1] - sizes[*left]) && jump > LEAST_SHARE * times[*left]
    };
    // Of a single pair nothing is known beside it.
    (0..pairs).filter(|left| pairs > 1 && is_jump(left)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_changes_where_no_slope_explains_the_time() {
        // The messages of the specification's example: a switch after 4,096 bytes and nowhere else.
        let sizes = [1.0, 1024.0, 4096.0, 4097.0, 65_536.0, 1_048_576.0];
        assert_eq!(switches(&sizes, &[2e-6, 3e-6, 5e-6, 4e-5, 6e-5, 3e-4]), [2]);
        // A latency and a bandwidth, over powers of two and with noise of 5 % among the small ones.
        let sizes: Vec<f64> = (0..25).map(|power| f64::from(1_u32 << power)).collect();
        let times = |noise: f64| -> Vec<f64> {
            let wave = |index: usize| 1.0 + noise * (index as f64 * 1.7).sin();
            sizes.iter().enumerate().map(|(index, size)| (1.5e-6 + size / 8e9) * wave(index)).collect()
        };
        assert_eq!(switches(&sizes, &times(0.0)), [0_usize; 0]);
        assert_eq!(switches(&sizes, &times(0.05)), [0_usize; 0]);
        assert_eq!(switches(&[1.0, 2.0], &[1.0, 9.0]), [0_usize; 0]);
        assert_eq!(switches(&[], &[]), [0_usize; 0]);
    }
}
