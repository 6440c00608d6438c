//! The macros of `runcast-cll`, which is the crate to depend on; its documentation explains their use.
//!
//! A macro reads its options (`options`), checks the formulas (`formulas`) and puts a region around the code
//! (`region`). Without the feature `trace` the same is checked, and the code comes out as it went in. What is wrong
//! becomes a compile error (`trouble`) that shows the place inside the formula (`place`).

use proc_macro::TokenStream;

mod formulas;
mod function;
mod options;
mod place;
mod region;
mod source;
mod trouble;

/// Whether regions are put around the code.
const TRACE: bool = cfg!(feature = "trace");

/// The attribute `#[cll(..)]`: see `runcast_cll::cll`.
#[proc_macro_attribute]
pub fn cll(options: TokenStream, function: TokenStream) -> TokenStream {
    function::expand(options.into(), function.into(), TRACE).into()
}

/// The expression `cll!(..)`: see `runcast_cll::prelude::cll`.
#[proc_macro]
pub fn cll_expression(input: TokenStream) -> TokenStream {
    region::expand(input.into(), TRACE).into()
}
