//! What scripts rely on: the documents of `fit`, `predict`, `evaluate` and `advise`, their exit codes, and what they say
//! to bad input.

mod advice;
mod bad_input;
mod documents;
mod real_input;
mod run;
