//! The driver that `docs/new-target.md` ends with.

include!(concat!(env!("OUT_DIR"), "/tutorial.rs"));
include!(concat!(env!("OUT_DIR"), "/driver.rs"));
