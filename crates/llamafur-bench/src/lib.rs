//! What measures, checks or makes a part of the project, and is not part of the program.
#![forbid(unsafe_code)]

pub mod encyclopedia;
