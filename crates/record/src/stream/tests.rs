//! Streams against values written out.

use super::*;
use crate::wire::Input;
use proptest::prelude::*;

fn level(count: u64, stride: i64) -> Level {
    Level { count, stride }
}

fn nest(base: i64, levels: &[Level]) -> Term {
    Term::Nest(levels.iter().fold(Nest::single(base), |nest, level| nest.deepened(level.count, level.stride)))
}

fn coded(stream: &Stream) -> Stream {
    let mut bytes = Vec::new();
    put_stream(&mut bytes, stream);
    let mut input = Input::new(&bytes, 0, "a test");
    let read = get_stream(&mut input).expect("what was written");
    assert_eq!(input.left(), 0);
    read
}

#[test]
fn what_comes_twice_is_a_repeat() {
    let stream = Stream::of([1, 2, 3, 10, 20, 30, 1, 2, 3, 10, 20, 30]);
    let body = vec![nest(1, &[level(3, 1)]), nest(10, &[level(3, 10)])];
    assert_eq!(stream.terms(), [Term::Repeat { count: 2, body }]);
}

#[test]
fn neighbors_in_three_dimensions_are_three_terms() {
    let stream = Stream::of((0..20).flat_map(|_| [22, 20, 25, 17, 37, 5]));
    let body = vec![nest(22, &[level(2, -2)]), nest(25, &[level(2, -8)]), nest(37, &[level(2, -32)])];
    assert_eq!(stream.terms(), [Term::Repeat { count: 20, body }]);
}

#[test]
fn random_values_become_a_sketch() {
    let mut state = 1_u64;
    let values: Vec<i64> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as i64
    })
    .take(9_000)
    .collect();
    let stream = Stream::of(values.iter().copied());
    let Stream::Sketch(sketch) = &stream else { panic!("{} terms", stream.size()) };
    assert_eq!(sketch.count, 9_000);
    assert_eq!(sketch.sum, values.iter().sum::<i64>());
    assert_eq!(stream.range(), values.iter().copied().min().zip(values.iter().copied().max()));
    assert_eq!(coded(&stream), stream);
}

#[test]
fn hostile_streams_are_refused() {
    // A billion terms in no bytes; a stride that leaves 64 bits; 2^60 values; a repeat of nothing; a sketch beside others.
    let mut overflow = vec![1, 1, 0, 3];
    crate::wire::put_s(&mut overflow, i64::MAX);
    let mut many = vec![1, 1, 0];
    crate::wire::put_u(&mut many, 1 << 60);
    many.push(0);
    let deep: Vec<u8> = std::iter::repeat_n([1, 4, 2], 100_000).flatten().collect();
    let hostile: [&[u8]; 7] = [
        &[0xff, 0xff, 0xff, 0xff, 0x0f],
        &overflow,
        &many,
        &deep,
        &[1, 4, 9, 0],
        &[2, 0, 0, 5, 0, 0, 0, 0, 0],
        &[1, 7, 0],
    ];
    for bytes in hostile {
        assert!(get_stream(&mut Input::new(bytes, 0, "a test")).is_err(), "{:?}", &bytes[..bytes.len().min(8)]);
    }
}

proptest! {
    #[test]
    fn a_stream_holds_its_values(values in prop::collection::vec(-3..4_i64, 0..200), far in prop::collection::vec(any::<i64>(), 0..8)) {
        let values: Vec<i64> = values.into_iter().chain(far).collect();
        let stream = Stream::of(values.iter().copied());
        prop_assert_eq!(stream.values().collect::<Vec<_>>(), values.clone());
        prop_assert_eq!(stream.len(), values.len() as u64);
        prop_assert_eq!(stream.sum(), values.iter().map(|value| i128::from(*value)).sum::<i128>());
        prop_assert_eq!(stream.range(), values.iter().copied().min().zip(values.iter().copied().max()));
        prop_assert_eq!(coded(&stream), stream);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = get_stream(&mut Input::new(&bytes, 0, "a test"));
    }
}
