//! What scripts rely on: the documents of `fit`, `predict`, `evaluate` and `advise`, their exit codes, and what they say
//! to bad input.
#![expect(clippy::print_stderr, reason = "whoever runs the tests without the public data should know")]

mod advice;
mod bad_input;
mod bsf_calibrate;
mod bsf_predict;
mod bsf_run;
mod bsf_validate;
mod documents;
mod real_input;
mod run;
