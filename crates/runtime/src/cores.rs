//! Compute units and the CPUs they run on: which of them share a cache or a memory node, and sets
//! of them.

use crate::device::Properties;
use crate::lock;
pub use crate::topology::Domain;
use crate::topology::{Place, Topology};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

/// Some compute units, each by the CPU it runs on. There is one value for each set, which lives for
/// ever: the threads that belong to it do so, too.
#[derive(Debug)]
pub struct Cores {
    cpus: Vec<usize>,
    topology: Topology,
    /// Whether threads are bound to the CPUs. Threads of the whole machine are scheduled by the
    /// system, within their memory node.
    bound: bool,
}

impl Cores {
    /// All compute units of this machine. Neighbours in the list are neighbours in the machine.
    pub fn all() -> &'static Cores {
        static ALL: OnceLock<Cores> = OnceLock::new();
        ALL.get_or_init(|| {
            let mut cpus = allowed_cpus();
            let places = places();
            cpus.sort_by_key(|cpu| (places.get(cpu), *cpu));
            Cores::new(spread(&cpus, Properties::this_machine().compute_units), false)
        })
    }

    fn new(cpus: Vec<usize>, bound: bool) -> Cores {
        let place = |cpu| places().get(cpu).copied().unwrap_or_default();
        let topology = Topology::new(cpus.iter().map(place).collect());
        Cores { cpus, topology, bound }
    }

    /// Compute units at made-up places. Their threads run anywhere.
    #[cfg(test)]
    pub(crate) fn made_up(places: Vec<Place>) -> &'static Cores {
        let cpus = (0..places.len()).collect();
        Box::leak(Box::new(Cores { cpus, topology: Topology::new(places), bound: false }))
    }

    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The thread for the CPU that the caller is on; the first one if there is none for it.
    pub(crate) fn thread_here(&self) -> usize {
        if self.topology.leaves().len() == 1 {
            return 0;
        }
        // SAFETY: asks the system for a number.
        let cpu = usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0);
        self.cpus.iter().position(|own| *own == cpu).unwrap_or(0)
    }

    /// How many compute units there are.
    pub fn count(&self) -> usize {
        self.cpus.len()
    }

    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    pub(crate) fn are_bound(&self) -> bool {
        self.bound
    }

    /// The first of them, then the next, in sets of these sizes; `None` if there are not so many.
    pub fn cut(&self, sizes: &[usize]) -> Option<Vec<&'static Cores>> {
        let mut rest = self.cpus.as_slice();
        let mut parts = Vec::new();
        for size in sizes {
            let (part, others) = rest.split_at_checked(*size)?;
            parts.push(Cores::of(part.to_vec()));
            rest = others;
        }
        Some(parts)
    }

    /// One set for each part of the machine at this level; `None` if that would not be several.
    pub fn split(&self, domain: Domain) -> Option<Vec<&'static Cores>> {
        let parts = group(&self.cpus, places(), domain)?;
        Some(parts.into_iter().map(Cores::of).collect())
    }

    fn of(cpus: Vec<usize>) -> &'static Cores {
        static SETS: Mutex<Vec<&'static Cores>> = Mutex::new(Vec::new());
        let mut sets = lock(&SETS);
        if let Some(found) = sets.iter().find(|set| set.cpus == cpus) {
            return found;
        }
        let set: &'static Cores = Box::leak(Box::new(Cores::new(cpus, true)));
        sets.push(set);
        set
    }

    /// Keeps the calling thread, the one of this number, on these CPUs, if they are bound, and on
    /// those of its memory node, if there are several.
    pub(crate) fn bind_thread(&self, thread: usize) {
        let nodes = self.topology.has_memory_nodes();
        if !self.bound && !nodes {
            return;
        }
        let node = |thread: usize| self.topology.memory_node(thread.min(self.cpus.len() - 1));
        let is_near = |other: &usize| !nodes || node(*other) == node(thread);
        let near = (0..self.cpus.len()).filter(is_near).map(|thread| self.cpus[thread]);
        // SAFETY: a set of CPUs is a plain array of bits.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for cpu in near.filter(|cpu| *cpu < libc::CPU_SETSIZE as usize) {
            // SAFETY: the number is within the set.
            unsafe { libc::CPU_SET(cpu, &mut set) };
        }
        // A CPU that was taken offline is no reason not to run.
        // SAFETY: the set lives for the call; 0 is the calling thread.
        unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) };
    }
}

/// The CPUs this process may run on.
fn allowed_cpus() -> Vec<usize> {
    // SAFETY: a set of CPUs is a plain array of bits.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid place for the result; 0 is the calling thread.
    let asked = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) };
    // SAFETY: the number is within the set.
    let has = |cpu: &usize| unsafe { libc::CPU_ISSET(*cpu, &set) };
    let cpus: Vec<usize> = (0..libc::CPU_SETSIZE as usize).filter(has).collect();
    if asked != 0 || cpus.is_empty() { vec![0] } else { cpus }
}

/// So many compute units on these CPUs: the first ones, or several on each.
fn spread(cpus: &[usize], count: usize) -> Vec<usize> {
    (0..count).map(|i| if count <= cpus.len() { cpus[i] } else { cpus[i * cpus.len() / count] }).collect()
}

/// CPUs grouped by the domain they share; `None` if the domain of a CPU is unknown, or there is
/// only one.
fn group(cpus: &[usize], places: &BTreeMap<usize, Place>, domain: Domain) -> Option<Vec<Vec<usize>>> {
    let mut parts: Vec<(usize, Vec<usize>)> = Vec::new();
    for cpu in cpus {
        let id = places.get(cpu)?[domain as usize]?;
        match parts.iter_mut().find(|(known, _)| *known == id) {
            Some((_, part)) => part.push(*cpu),
            None => parts.push((id, vec![*cpu])),
        }
    }
    (parts.len() > 1).then(|| parts.into_iter().map(|(_, part)| part).collect())
}

fn places() -> &'static BTreeMap<usize, Place> {
    static PLACES: OnceLock<BTreeMap<usize, Place>> = OnceLock::new();
    PLACES.get_or_init(|| read_places(Path::new("/sys/devices/system")))
}

/// The place of each CPU, from the system's files.
fn read_places(system: &Path) -> BTreeMap<usize, Place> {
    let mut places: BTreeMap<usize, Place> = BTreeMap::new();
    let read = |path: &Path| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    for (cpu, path) in numbered(&system.join("cpu"), "cpu") {
        let place = places.entry(cpu).or_default();
        for (_, cache) in numbered(&path.join("cache"), "index") {
            let kind = read(&cache.join("type")).unwrap_or_default();
            let level = read(&cache.join("level")).and_then(|text| text.parse::<usize>().ok());
            let Some(level @ 1..=4) = level.filter(|_| kind != "Instruction") else { continue };
            let sharing = read(&cache.join("shared_cpu_list")).map(|text| parse_list(&text));
            // Level 1 is the last domain.
            place[Domain::ALL.len() - level] = sharing.and_then(|cpus| cpus.first().copied());
        }
    }
    for (node, path) in numbered(&system.join("node"), "node") {
        for cpu in read(&path.join("cpulist")).map(|text| parse_list(&text)).unwrap_or_default() {
            places.entry(cpu).or_default()[Domain::Numa as usize] = Some(node);
        }
    }
    places
}

/// The entries of a directory that are called `name` and a number.
fn numbered(dir: &Path, name: &str) -> Vec<(usize, std::path::PathBuf)> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix(name)?.parse().ok();
    entries.flatten().filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect()
}

/// `0-3,8,10-11`: numbers and ranges of them.
fn parse_list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse::<usize>().ok()?)
    };
    text.split(',').filter_map(range).flatten().take(1 << 16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        assert_eq!(parse_list("0-3,8,10-11"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse_list("5"), [5]);
        assert!(parse_list("").is_empty() && parse_list("x-3").is_empty() && parse_list("3-1").is_empty());
    }

    #[test]
    fn units_on_cpus() {
        assert_eq!(spread(&[4, 5, 6, 7], 2), [4, 5]);
        assert_eq!(spread(&[4, 5], 2), [4, 5]);
        assert_eq!(spread(&[4, 5], 4), [4, 4, 5, 5]);
        assert_eq!(spread(&[4, 5], 3), [4, 4, 5]);
    }

    /// Two nodes of two cores with two threads each; a third-level cache for each node, one of the
    /// second level for each core.
    #[test]
    fn a_machine_is_read_and_split() {
        let root = std::env::temp_dir().join(format!("lanewise-topology-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let write = |path: String, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        // The threads of a core are n and n + 4.
        for cpu in 0..8 {
            let (core, node) = (cpu % 4, cpu % 4 / 2);
            let of_core = format!("{core},{}\n", core + 4);
            let of_node = format!("{0}-{1},{2}-{3}\n", node * 2, node * 2 + 1, node * 2 + 4, node * 2 + 5);
            let caches = [
                ("Data", 1, &of_core),
                ("Instruction", 1, &of_core),
                ("Unified", 2, &of_core),
                ("Unified", 3, &of_node),
            ];
            for (index, (kind, level, sharing)) in caches.into_iter().enumerate() {
                let dir = format!("cpu/cpu{cpu}/cache/index{index}");
                write(format!("{dir}/type"), &format!("{kind}\n"));
                write(format!("{dir}/level"), &format!("{level}\n"));
                write(format!("{dir}/shared_cpu_list"), sharing);
            }
            write(format!("node/node{node}/cpulist"), &of_node);
        }
        write("cpu/cpufreq/nothing".to_owned(), "");
        let places = read_places(&root);
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(places.len(), 8);
        let mut cpus: Vec<usize> = (0..8).collect();
        cpus.sort_by_key(|cpu| (places.get(cpu), *cpu));
        assert_eq!(cpus, [0, 4, 1, 5, 2, 6, 3, 7]);
        let nodes = vec![vec![0, 4, 1, 5], vec![2, 6, 3, 7]];
        let cores = vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        assert_eq!(group(&cpus, &places, Domain::Numa), Some(nodes.clone()));
        assert_eq!(group(&cpus, &places, Domain::L3), Some(nodes));
        assert_eq!(group(&cpus, &places, Domain::L2), Some(cores.clone()));
        assert_eq!(group(&cpus, &places, Domain::L1), Some(cores));
        assert_eq!(group(&cpus, &places, Domain::L4), None);
        // Within a node, and within a core.
        assert_eq!(group(&cpus[..4], &places, Domain::Numa), None);
        assert_eq!(group(&cpus[..4], &places, Domain::L1), Some(vec![vec![0, 4], vec![1, 5]]));
        assert_eq!(group(&cpus[..2], &places, Domain::L1), None);
        assert_eq!(group(&[99], &places, Domain::L1), None);
    }

    #[test]
    fn equal_sets_are_one() {
        let all = Cores::all();
        assert_eq!(all.count(), Properties::this_machine().compute_units);
        let one = all.cut(&[1]).unwrap();
        assert!(std::ptr::eq(one[0], all.cut(&[1]).unwrap()[0]) && one[0].cpus() == &all.cpus()[..1]);
        assert!(all.cut(&[all.count() + 1]).is_none());
    }
}
