//! Numbers of the specification, and small situations with times that follow by hand.

mod numbers;
mod patterns;
mod pingpong;
mod programs;
mod stage;
mod worlds;
