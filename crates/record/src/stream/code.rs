//! Streams as bytes.
//!
//! ```text
//! stream  u(n) term..
//! term    0 s(base) | 1-3 s(base){u(count) s(stride)}x1-3 | 4 u(count) stream
//!         | 5 u(n) s(least) s(greatest) s(sum) u(m){s(value) u(n)}
//! ```

use super::{Level, Nest, Sketch, Stream, Term};
use crate::wire::{Input, put_s, put_u};
use runcast_core::Problem;

/// Repeats within repeats.
const DEEPEST: usize = 64;

/// More values cannot have been recorded, and their number is exact as a floating-point number.
pub(crate) const MOST_VALUES: u64 = 1 << 53;

const REPEAT: u64 = 4;
const SKETCH: u64 = 5;

/// Appends a stream.
pub(crate) fn put_stream(out: &mut Vec<u8>, stream: &Stream) {
    match stream {
        Stream::Exact(terms) => put_terms(out, terms),
        Stream::Sketch(sketch) => {
            put_u(out, 1);
            put_u(out, SKETCH);
            put_u(out, sketch.count);
            put_s(out, sketch.least);
            put_s(out, sketch.greatest);
            put_s(out, sketch.sum);
            put_u(out, sketch.common.len() as u64);
            for (value, count) in &sketch.common {
                put_s(out, *value);
                put_u(out, *count);
            }
        }
    }
}

fn put_terms(out: &mut Vec<u8>, terms: &[Term]) {
    put_u(out, terms.len() as u64);
    for term in terms {
        match term {
            Term::Nest(nest) => {
                out.push(nest.depth);
                put_s(out, nest.base);
                for level in nest.levels() {
                    put_u(out, level.count);
                    put_s(out, level.stride);
                }
            }
            Term::Repeat { count, body } => {
                put_u(out, REPEAT);
                put_u(out, *count);
                put_terms(out, body);
            }
        }
    }
}

/// Reads a stream.
///
/// # Errors
/// It is not one; it has more than 2^53 values, or one that does not fit into 64 bits.
pub(crate) fn get_stream(input: &mut Input<'_>) -> Result<Stream, Problem> {
    let count = input.count(2)?;
    if count == 1 {
        let mut ahead = input.clone();
        if ahead.u()? == SKETCH {
            *input = ahead;
            return get_sketch(input).map(|sketch| Stream::Sketch(Box::new(sketch)));
        }
    }
    let stream = Stream::Exact(get_terms(input, count, 0)?);
    if stream.len() > MOST_VALUES {
        return Err(input.problem("a stream has more than 2^53 values"));
    }
    Ok(stream)
}

fn get_terms(input: &mut Input<'_>, count: usize, depth: usize) -> Result<Vec<Term>, Problem> {
    if depth > DEEPEST {
        return Err(input.problem("repeats are nested more than 64 deep"));
    }
    (0..count).map(|_| get_term(input, depth)).collect()
}

fn get_term(input: &mut Input<'_>, depth: usize) -> Result<Term, Problem> {
    match input.u()? {
        levels @ 0..=3 => get_nest(input, levels).map(Term::Nest),
        REPEAT => {
            let count = input.u()?;
            let length = input.count(2)?;
            let body = get_terms(input, length, depth + 1)?;
            if count == 0 || body.is_empty() {
                return Err(input.problem("a repeat of nothing"));
            }
            Ok(Term::Repeat { count, body })
        }
        SKETCH => Err(input.problem("a sketch beside other terms")),
        kind => Err(input.problem(format_args!("a term of kind {kind}; allowed are 0 to 5"))),
    }
}

fn get_nest(input: &mut Input<'_>, levels: u64) -> Result<Nest, Problem> {
    let mut nest = Nest::single(input.s()?);
    for _ in 0..levels {
        let level = Level { count: input.u()?, stride: input.s()? };
        if level.count == 0 {
            return Err(input.problem("a level that is never executed"));
        }
        nest = nest.deepened(level.count, level.stride);
    }
    let (least, greatest) = nest.range();
    if least < i64::MIN.into() || greatest > i64::MAX.into() {
        return Err(input.problem("the values of a stream do not fit into 64 bits"));
    }
    Ok(nest)
}

fn get_sketch(input: &mut Input<'_>) -> Result<Sketch, Problem> {
    let (count, least, greatest, sum) = (input.u()?, input.s()?, input.s()?, input.s()?);
    let common = input.count(2)?;
    let common = (0..common).map(|_| Ok((input.s()?, input.u()?))).collect::<Result<_, Problem>>()?;
    if count > MOST_VALUES || least > greatest {
        return Err(input.problem("a sketch whose numbers contradict each other"));
    }
    Ok(Sketch { count, least, greatest, sum, common })
}
