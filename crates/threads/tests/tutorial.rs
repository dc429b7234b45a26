//! The code of `docs/new-target.md`, block after block, as a newcomer would write it down.

include!(concat!(env!("OUT_DIR"), "/tutorial.rs"));
