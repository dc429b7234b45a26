//! The cache on disk when the file system fails: each call that the store makes is refused, as on a
//! full disk, and the process is killed at it; then another process works with what is left. In
//! processes of their own, which have the kernel refuse or kill.

use lanewise_jit::Store;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, SystemTime};

/// Some kilobytes: more than one page, less than `write` takes at once.
const VALUE: [u8; 10_000] = [0x5a; 10_000];

/// A call of the system's that the store makes, by its number, and an argument that tells the
/// store's calls from others: some bits of which must be set, or a least value.
#[derive(Clone, Copy)]
enum Call {
    Any(libc::c_long),
    WithBits(libc::c_long, u32, u32),
    AtLeast(libc::c_long, u32, u32),
}

/// All that a store does to files. Those that other architectures have not got are left out there.
fn calls() -> Vec<(&'static str, Call)> {
    vec![
        ("create", Call::WithBits(libc::SYS_openat, 2, libc::O_CREAT as u32)),
        ("write", Call::AtLeast(libc::SYS_write, 0, 3)),
        #[cfg(target_arch = "x86_64")]
        ("rename", Call::Any(libc::SYS_rename)),
        #[cfg(not(target_arch = "x86_64"))]
        ("rename", Call::Any(libc::SYS_renameat2)),
        #[cfg(target_arch = "x86_64")]
        ("unlink", Call::Any(libc::SYS_unlink)),
        ("touch", Call::Any(libc::SYS_utimensat)),
        ("list", Call::Any(libc::SYS_getdents64)),
    ]
}

/// From here on the kernel does this at each such call of this thread.
fn at_each(call: Call, action: u32) {
    let step = |code: u32, value: u32, then: u8, otherwise: u8| libc::sock_filter {
        code: code as u16,
        jt: then,
        jf: otherwise,
        k: value,
    };
    // The fields of seccomp_data: the number of the call at 0, its arguments of 8 bytes from 16.
    let load = |place: u32| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, place, 0, 0);
    let jump =
        |test: u32, value, then, otherwise| step(libc::BPF_JMP | libc::BPF_K | test, value, then, otherwise);
    let ret = |value| step(libc::BPF_RET | libc::BPF_K, value, 0, 0);
    let (Call::Any(number) | Call::WithBits(number, ..) | Call::AtLeast(number, ..)) = call;
    let mut program = vec![load(0), jump(libc::BPF_JEQ, number as u32, 1, 0), ret(libc::SECCOMP_RET_ALLOW)];
    let test = match call {
        Call::Any(_) => None,
        Call::WithBits(_, argument, bits) => Some((argument, jump(libc::BPF_JSET, bits, 1, 0))),
        Call::AtLeast(_, argument, least) => Some((argument, jump(libc::BPF_JGE, least, 1, 0))),
    };
    if let Some((argument, test)) = test {
        program.extend([load(16 + 8 * argument), test, ret(libc::SECCOMP_RET_ALLOW)]);
    }
    program.push(ret(action));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: sets a flag of this thread.
    let code = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    assert_eq!(code, 0);
    // SAFETY: reads the filter, which lives until then.
    let code = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter) };
    assert_eq!(code, 0, "{}", std::io::Error::last_os_error());
}

/// What a process does to the store: it finds whole entries or none, and goes on.
fn work(dir: &Path) {
    let store = Store::open(dir).unwrap();
    for key in [b"a", b"b"] {
        let found = store.read(key);
        assert!(found.is_none() || found.as_deref() == Some(&VALUE[..]), "{found:?}");
        if found.is_none() {
            store.write(key, &VALUE);
        }
        let found = store.read(key);
        assert!(found.is_none() || found.as_deref() == Some(&VALUE[..]), "{found:?}");
    }
    // An entry that is broken is removed.
    store.remove(b"c");
}

/// The part of the tests that runs in a process of its own.
#[test]
#[ignore = "a part of the others"]
fn process() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let dir = PathBuf::from(variable("STORE"));
    let action = match variable("ACTION").as_str() {
        "kill" => Some(libc::SECCOMP_RET_KILL_PROCESS),
        "full" => Some(libc::SECCOMP_RET_ERRNO | libc::ENOSPC as u32),
        "denied" => Some(libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
        _ => None,
    };
    if let Ok(most) = variable("FILE_SIZE").parse::<u64>() {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: sets a limit of this process.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
        if variable("ACTION") == "ignore" {
            // SAFETY: changes what this process does at a signal.
            unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        }
    }
    if let Some(action) = action {
        let (_, call) = calls().into_iter().find(|(name, _)| *name == variable("CALL")).unwrap();
        at_each(call, action);
    }
    work(&dir);
}

/// Runs [`process`].
fn run(dir: &Path, variables: &[(&str, &str)]) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "process", "--ignored", "--nocapture"]).env("STORE", dir);
    command.stdout(std::process::Stdio::null());
    command.envs(variables.iter().copied()).status().unwrap()
}

/// A directory for one test, which is removed with it.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("lanewise-faults-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Directory(path)
    }

    /// The names of its files that are no entries.
    fn unfinished(&self) -> usize {
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("new-")).count()
    }

    /// Another process works with what is left, and afterwards both entries are there.
    fn is_sound(&self, after: &str) {
        assert!(run(&self.0, &[]).success(), "after {after}");
        let store = Store::open(&self.0).unwrap();
        for key in [b"a", b"b"] {
            assert_eq!(store.read(key).as_deref(), Some(&VALUE[..]), "after {after}");
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_process_that_is_killed_at_a_call_leaves_a_sound_store() {
    let mut killed = Vec::new();
    for (name, _) in calls() {
        let dir = Directory::new(&format!("kill-{name}"));
        fs::create_dir(&dir.0).unwrap();
        let status = run(&dir.0, &[("CALL", name), ("ACTION", "kill")]);
        match status.signal() {
            Some(libc::SIGSYS) => killed.push(name),
            _ => assert!(status.success(), "{name}: {status}"),
        }
        dir.is_sound(name);
    }
    let expected: Vec<&str> = calls().iter().map(|(name, _)| *name).collect();
    assert_eq!(killed, expected);
}

#[test]
fn calls_that_fail_leave_the_entry_out() {
    for (name, _) in calls() {
        for action in ["full", "denied"] {
            let dir = Directory::new(&format!("{action}-{name}"));
            fs::create_dir(&dir.0).unwrap();
            // With an empty store, and with one that has both entries.
            for _ in 0..2 {
                let status = run(&dir.0, &[("CALL", name), ("ACTION", action)]);
                assert!(status.success(), "{name}, {action}: {status}");
                assert!(name == "unlink" || dir.unfinished() == 0, "{name}, {action}");
                dir.is_sound(name);
            }
        }
    }
}

/// The disk is full after so many bytes of an entry, or the process dies there.
#[test]
fn an_entry_that_ends_at_any_byte_is_none() {
    for bytes in ["0", "1", "7", "8", "31", "4096", "9999", "10000", "10040"] {
        for (action, signal) in [("", Some(libc::SIGXFSZ)), ("ignore", None)] {
            let dir = Directory::new(&format!("{bytes}-{action}"));
            let status = run(&dir.0, &[("FILE_SIZE", bytes), ("ACTION", action)]);
            assert_eq!(status.signal(), signal, "{bytes}: {status}");
            assert_eq!(dir.unfinished(), usize::from(signal.is_some()), "{bytes}");
            dir.is_sound(bytes);
        }
    }
}

/// What processes that died left behind is removed in the end, also where the clock was ahead then;
/// and entries of that time are not taken for the ones that were used last.
#[test]
fn a_clock_that_was_set_back_keeps_nothing_for_ever() {
    let dir = Directory::new("clock");
    drop(Store::open(&dir.0).unwrap());
    let (now, day) = (SystemTime::now(), Duration::from_secs(86_400));
    for (name, time) in [("new-1-0", now - day), ("new-2-0", now + day), ("new-3-0", now)] {
        File::create(dir.0.join(name)).unwrap().set_modified(time).unwrap();
    }
    // The first entry that a process writes has the store look for such files.
    Store::open(&dir.0).unwrap().write(b"key", b"value");
    assert_eq!(dir.unfinished(), 1);
    assert!(dir.0.join("new-3-0").exists());
}
