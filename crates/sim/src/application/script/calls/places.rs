//! Grids, factors, groups.

use super::{Outcome, calls, list};
use crate::build::{Cart, Comm, dims};
use crate::script::arguments::{Arg, Args, Key, Keys, integer, text, whole, wrong};
use crate::script::host::Host;
use crate::script::raw::{Return, Shape, list as give_list};
use runcast_core::Problem;

calls! {
    "cart" DeclareCart (list(&[Key::periodic])) |host, args| declare_cart(host, args);
    "coords" Coords (Shape::Values(2)) |host, args| {
        let rank = whole("rank", args.value(1))?;
        Ok(give_list(grid(host, args)?.coords(rank)?))
    };
    "rank" RankAt (Shape::Values(2)) |host, args| {
        let coords = args.stack.table(args.value(1), "coords", Keys::NONE, true)?;
        let coords = in_order(&coords)?.into_iter().map(|arg| integer("coordinate", arg)).collect::<Result<Vec<_>, _>>()?;
        Ok(grid(host, args)?.rank(&coords)?.map_or(Return::Nil, |rank| Return::Number(rank as f64)))
    };
    "neighbor" Neighbor (Shape::Values(4)) |host, args| {
        let (rank, dimension) = (whole("rank", args.value(1))?, whole("dim", args.value(2))?);
        let distance = integer("dir", args.value(3))?;
        let neighbor = grid(host, args)?.neighbor(rank, dimension, distance)?;
        Ok(neighbor.map_or(Return::Nil, |rank| Return::Number(rank as f64)))
    };
    "size" CartSize (Shape::Values(1)) |host, args| Ok(Return::Number(grid(host, args)?.count() as f64));
    "dims" Dims (Shape::Values(2)) |host, args| {
        let (processes, dimensions) = (whole("p", args.value(0))?, whole("n", args.value(1))?);
        // Maximum number of divisions for finding factors.
        if !host.budget.take((processes as f64).sqrt() as i64) {
            return Err(host.budget.spent());
        }
        Ok(give_list(dims(processes, dimensions)?))
    };
    "comm" DeclareComm (list(&[Key::label])) |host, args| {
        let label = match args.get(Key::label) {
            Arg::Nil => None,
            name => Some(text("label", name)?.to_owned()),
        };
        let members = in_order(args)?.into_iter().map(|arg| whole("rank", arg)).collect::<Result<Vec<_>, _>>()?;
        if members.is_empty() {
            return Err(Problem::new("empty_comm", "a comm needs at least one rank").hint("comm{ 0, 1, 2 }"));
        }
        let mut sorted = members.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Problem::new("rank_twice", format!("rank {} is in the comm twice", pair[0])).value(pair[0].to_string()));
        }
        Ok(Return::Comm(host.comm(Comm { label, members })?))
    };
}

/// The grid that a method was called on.
#[inline]
fn grid<'h>(host: &'h Host, args: &Args<'_>) -> Result<&'h Cart, Problem> {
    match args.value(0) {
        Arg::Cart(cart) => Ok(&host.carts[cart as usize]),
        other => Err(wrong("grid", other, "a result of cart{ .. }: write grid:coords(rank), with a colon")),
    }
}

/// Values without names, in their order; there are no holes.
pub(super) fn in_order<'a>(args: &Args<'a>) -> Result<Vec<Arg<'a>>, Problem> {
    let mut entries = args.list.clone();
    entries.sort_by(|left, right| left.0.total_cmp(&right.0));
    if let Some(hole) = entries.iter().enumerate().find(|(index, (place, _))| *place != (*index + 1) as f64) {
        return Err(Problem::new("hole", format!("value {} of the list is missing", hole.0 + 1)));
    }
    Ok(entries.into_iter().map(|(_, arg)| arg).collect())
}

fn declare_cart(host: &mut Host, args: &Args<'_>) -> Outcome {
    let sizes = in_order(args)?.into_iter().map(|arg| whole("size", arg)).collect::<Result<Vec<_>, _>>()?;
    let periodic = match args.get(Key::periodic) {
        Arg::Nil => vec![false; sizes.len()],
        Arg::Bool(all) => vec![all; sizes.len()],
        table => {
            let each = args.stack.table(table, "periodic", Keys::NONE, true)?;
            let one = |arg| match arg {
                Arg::Bool(value) => Ok(value),
                other => Err(wrong("periodic", other, "true or false")),
            };
            in_order(&each)?.into_iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    Ok(Return::Cart(host.cart(Cart::new(&sizes, &periodic)?)?))
}
