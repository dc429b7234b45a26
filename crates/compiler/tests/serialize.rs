//! Modules as bytes: back in every state, and refused when they are damaged.

mod common;

use common::{compiled, finalized, module};
use lanewise_compiler as compiler;

use compiler::{Error, Module, State};

const SOURCE: &str = "kernel void k(global float *a, float f) { a[get_global_id(0)] *= f; }
kernel void other(global int *a) { local int s[4]; s[get_local_id(0)] = 1; a[0] = s[0]; }";

fn back(bytes: &[u8]) -> Module {
    let mut m = module();
    m.deserialize(bytes).unwrap_or_else(|e| panic!("{e}"));
    m
}

#[test]
fn every_state_comes_back() {
    let mut linked = module();
    linked.link(&[&compiled(SOURCE, "")]).unwrap();
    for m in [module(), compiled(SOURCE, ""), linked, finalized(SOURCE, "")] {
        let bytes = m.serialize();
        assert_eq!(bytes.len(), m.size());
        let mut again = back(&bytes);
        assert_eq!(again.state(), m.state());
        assert_eq!(again.program_info(), m.program_info());
        assert_eq!(again.serialize(), bytes);
        match m.state() {
            State::Empty => assert!(again.finalize().is_err()),
            State::Compiled | State::Linked => {
                assert_eq!(again.finalize().unwrap().program.kernels.len(), 2);
            }
            State::Finalized => {
                assert!(again.get_kernel("k").is_some() && again.get_kernel("none").is_none());
                again.create_binary().unwrap();
            }
        }
    }
}

#[test]
fn a_deserialized_module_can_be_linked() {
    let user = compiled("int f(int); kernel void k(global int *a) { a[0] = f(1); }", "");
    let library = compiled("int f(int a) { return a + 1; }", "-create-library");
    let mut linked = module();
    linked.link(&[&back(&user.serialize()), &back(&library.serialize())]).unwrap();
    assert_eq!(linked.finalize().unwrap().program.kernels[0].name, "k");
}

#[test]
fn options_come_back() {
    for options in [
        "",
        "-g",
        "-cl-opt-disable",
        "-cl-denorms-are-zero",
        "-cl-fast-relaxed-math -cl-std=CL3.0",
        "-D NAME='a b' -w --test-level 5 --test-flag",
    ] {
        for m in [compiled(SOURCE, options), finalized(SOURCE, options)] {
            assert_eq!(back(&m.serialize()).options(), m.options(), "{options}");
        }
    }
}

#[test]
fn deserializing_replaces_what_was_there() {
    let mut m = finalized("kernel void old() {}", "-g");
    m.add_diagnostic("old news");
    m.get_kernel("old").unwrap();
    m.deserialize(&finalized(SOURCE, "").serialize()).unwrap();
    assert!(m.get_kernel("old").is_none() && m.get_kernel("k").is_some());
    assert!(!m.options().debug && m.build_log().is_empty());
    m.deserialize(&module().serialize()).unwrap();
    assert_eq!(m.state(), State::Empty);
}

#[test]
fn damage_is_refused_wherever_it_is() {
    for good in [module().serialize(), compiled(SOURCE, "-g").serialize(), finalized(SOURCE, "").serialize()]
    {
        let mut m = module();
        let mut refused = |bytes: &[u8], what: &str| {
            let error = m.deserialize(bytes).expect_err(what);
            assert!(matches!(&error, Error::InvalidValue(text) if !text.is_empty()), "{what}: {error:?}");
            assert_eq!(m.state(), State::Empty, "{what}");
        };
        for length in 0..good.len() {
            refused(&good[..length], &format!("cut to {length}"));
        }
        for at in 0..good.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                refused(&bad, &format!("byte {at} changed"));
            }
        }
        refused(&[&good[..], &[0]].concat(), "longer");
    }
}

#[test]
fn a_refused_module_leaves_the_old_one() {
    let mut m = finalized(SOURCE, "");
    let mut bytes = m.serialize();
    bytes.pop();
    m.deserialize(&bytes).unwrap_err();
    assert_eq!(m.state(), State::Finalized);
    assert!(m.get_kernel("k").is_some());
}

#[test]
fn another_version_is_named() {
    let good = compiled(SOURCE, "").serialize();
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at = good.windows(version.len()).position(|w| w == version).unwrap();
    let mut other = good;
    other[at] = b'9';
    let error = module().deserialize(&other).unwrap_err();
    assert!(error.message().contains("9.1.0"), "{error}");
}
