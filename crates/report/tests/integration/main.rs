//! Pages and pictures of a made-up study.

mod pages;
mod sample;
