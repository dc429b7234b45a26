//! Value specialization: when to compile a variant for certain values of a kernel's arguments.
//!
//! A kernel may have steering arguments (`KernelFacts::steering_args`). Their values in each launch
//! are watched, and the time of the launch. Once launches with the same values have taken some time
//! together, a variant for these values is requested; until it is compiled, and for all other
//! values, launches run the general code, so that none waits. A variant that turns out to be no
//! faster is dropped. The numbers of watched values and of variants are bounded.
//!
//! A *rival* is a variant for no values: scalar code where the general code is vector code, or the
//! reverse, of a kernel whose estimate left that open (`KernelFacts::undecided`).

use passes::KnownArgument;
use runtime::Executable;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most sets of values that are watched at a time.
const MOST_WATCHED: usize = 16;
/// The most sets of values with variants.
const MOST_MADE: usize = 4;
/// A variant is requested after this many launches that took this long together: about twice the
/// time of a compilation.
const LEAST_LAUNCHES: u64 = 4;
const LEAST_NANOSECONDS: u64 = 100_000_000;
/// A rival is requested after this time: it decides what code for values is compared with.
const LEAST_OF_RIVAL: u64 = 30_000_000;
/// Launches that take longer have no rival: it might take ten times as long.
const LONGEST_OF_RIVAL: u64 = 10_000_000;
/// After this many launches a variant is compared with the general code, and dropped unless it
/// takes at most this part of the general code's time.
const TRIAL_LAUNCHES: u64 = 8;
const FASTER: f64 = 0.98;
/// A variant that takes so many times as long is dropped after its first launch.
const FAR_SLOWER: f64 = 2.0;

/// The measured time of the launches of some code.
#[derive(Debug, Default)]
pub struct Timing {
    launches: AtomicU64,
    nanoseconds: AtomicU64,
    /// The best rate, in work-items per second; none yet if 0.
    rate: AtomicU64,
}

impl runtime::Timing for Timing {
    fn note(&self, items: usize, nanoseconds: u64) {
        let rate = items as u128 * 1_000_000_000 / u128::from(nanoseconds.max(1));
        self.rate.fetch_max(u64::try_from(rate).unwrap_or(u64::MAX), Relaxed);
        self.nanoseconds.fetch_add(nanoseconds, Relaxed);
        self.launches.fetch_add(1, Relaxed);
    }
}

impl Timing {
    fn launches(&self) -> u64 {
        self.launches.load(Relaxed)
    }

    /// Whether the launches so far took this time.
    fn took(&self, nanoseconds: u64) -> bool {
        self.launches() >= LEAST_LAUNCHES && self.nanoseconds.load(Relaxed) >= nanoseconds
    }

    fn is_short(&self) -> bool {
        self.nanoseconds.load(Relaxed) <= LONGEST_OF_RIVAL * self.launches()
    }

    /// Whether launches of a variant showed that it is no faster than general code.
    fn is_no_faster_than(&self, general: &Timing) -> bool {
        let [own, other] = [self, general].map(|timing| timing.rate.load(Relaxed) as f64);
        self.launches() >= TRIAL_LAUNCHES && own * FASTER < other
            || self.launches() > 0 && own * FAR_SLOWER < other
    }

    /// Whether the trial of a variant is over.
    fn is_tried(&self) -> bool {
        self.launches() >= TRIAL_LAUNCHES
    }
}

/// The watched values of one kernel.
pub struct Specialized<K> {
    watched: Vec<Watched<K>>,
}

impl<K> Default for Specialized<K> {
    fn default() -> Self {
        Specialized { watched: Vec::new() }
    }
}

/// One set of values.
struct Watched<K> {
    /// The specialization that the code is made for, apart from the values.
    key: K,
    arguments: Vec<KnownArgument>,
    /// The time of the general code with these values.
    general: Arc<Timing>,
    state: State,
}

impl<K> Watched<K> {
    fn is_rival(&self) -> bool {
        self.arguments.is_empty()
    }

    /// The time that launches take before a variant is requested.
    fn least(&self) -> u64 {
        if self.is_rival() { LEAST_OF_RIVAL } else { LEAST_NANOSECONDS }
    }
}

enum State {
    Watched,
    /// The code is being made.
    Ordered,
    Made(Arc<Executable>, Arc<Timing>),
    /// The variant cannot be compiled, or is no faster.
    Useless,
}

/// The decision for a launch.
pub enum Advice {
    /// Run the general code, and record its time here if these values are watched.
    General(Option<Arc<Timing>>),
    Special(Arc<Executable>, Arc<Timing>),
    /// Run the general code, and compile a variant for these values.
    Make(Vec<KnownArgument>),
}

impl Advice {
    /// The code that is known to be faster, if there is some.
    pub fn won(&self) -> Option<Arc<Executable>> {
        match self {
            Advice::Special(code, timing) if timing.is_tried() => Some(code.clone()),
            _ => None,
        }
    }
}

/// The bytes of an argument by its index; `None` if it is not passed by value.
pub type ValueOf<'a> = &'a dyn Fn(usize) -> Option<&'a [u8]>;

impl<K: PartialEq + Clone> Specialized<K> {
    pub fn advise(&mut self, key: &K, steering: &[usize], value: ValueOf<'_>) -> Advice {
        let is_it = |w: &&mut Watched<K>| {
            w.key == *key && w.arguments.iter().all(|a| value(a.index as usize) == Some(a.bytes.as_slice()))
        };
        let takes_room = |w: &&Watched<K>| matches!(w.state, State::Ordered | State::Made(..));
        let made = self.watched.iter().filter(takes_room).count();
        let Some(watched) = self.watched.iter_mut().find(is_it) else {
            let known = |&index: &usize| {
                let bytes = value(index)?.to_vec();
                Some(KnownArgument { index: index as u32, bytes })
            };
            let arguments = steering.iter().map(known).collect::<Option<Vec<_>>>();
            return Advice::General(arguments.and_then(|arguments| self.watch(key.clone(), arguments)));
        };
        match &watched.state {
            State::Watched if watched.general.took(watched.least()) && made < MOST_MADE => {
                if watched.is_rival() && !watched.general.is_short() {
                    watched.state = State::Useless;
                    return Advice::General(None);
                }
                watched.state = State::Ordered;
                Advice::Make(watched.arguments.clone())
            }
            State::Watched => Advice::General(Some(watched.general.clone())),
            State::Made(_, timing) if timing.is_no_faster_than(&watched.general) => {
                watched.state = State::Useless;
                Advice::General(None)
            }
            State::Made(code, timing) => Advice::Special(code.clone(), timing.clone()),
            State::Ordered | State::Useless => Advice::General(None),
        }
    }

    /// Watches new values. If too many are watched, they replace those that took the least time so
    /// far.
    fn watch(&mut self, key: K, arguments: Vec<KnownArgument>) -> Option<Arc<Timing>> {
        let general = Arc::<Timing>::default();
        let new = Watched { key, arguments, general: general.clone(), state: State::Watched };
        if self.watched.len() < MOST_WATCHED {
            self.watched.push(new);
            return Some(general);
        }
        let open = self.watched.iter_mut().filter(|w| matches!(w.state, State::Watched));
        *open.min_by_key(|w| w.general.nanoseconds.load(Relaxed))? = new;
        Some(general)
    }

    /// Takes the requested variant; `None` if it could not be compiled.
    pub fn made(&mut self, key: &K, arguments: &[KnownArgument], code: Option<Arc<Executable>>) {
        let is_it = |w: &&mut Watched<K>| w.key == *key && w.arguments == arguments;
        if let Some(watched) = self.watched.iter_mut().find(is_it) {
            watched.state = code.map_or(State::Useless, |code| State::Made(code, Arc::default()));
        }
    }

    /// The number of variants.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.watched.iter().filter(|w| matches!(w.state, State::Made(..))).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use compiler::KernelFacts;
    use runtime::{Failure, GroupBox, KernelCode, Launch, Limits, Timing as _};

    struct Nothing;

    impl KernelCode for Nothing {
        fn run(&self, _: &Launch, _: &mut dyn FnMut() -> Option<GroupBox>) -> Result<(), Failure> {
            Ok(())
        }
    }

    fn code() -> Arc<Executable> {
        let facts = KernelFacts { steering_args: vec![1], ..KernelFacts::plain("k") };
        let limits = Limits { max_work_group_size: 1, local_memory_bytes: 0, threads: 1 };
        // SAFETY: the code does nothing with what it is given.
        Arc::new(unsafe { Executable::new(facts, limits, Box::new(Nothing)) })
    }

    /// One launch with a value, where the general code takes `general` and other code `special`
    /// nanoseconds.
    fn launch(of: &mut Specialized<u8>, n: u32, general: u64, special: u64) -> Advice {
        let bytes = n.to_le_bytes();
        let value = |i: usize| (i == 1).then_some(bytes.as_slice());
        let advice = of.advise(&0, &[1], &value);
        match &advice {
            Advice::General(Some(timing)) => timing.note(1000, general),
            Advice::Special(_, timing) => timing.note(1000, special),
            _ => {}
        }
        advice
    }

    /// After how many launches code is asked for.
    fn ordered(of: &mut Specialized<u8>, n: u32, general: u64) -> Option<u32> {
        (0..1000).find(|_| matches!(launch(of, n, general, 0), Advice::Make(_)))
    }

    fn arguments(n: u32) -> Vec<KnownArgument> {
        vec![KnownArgument { index: 1, bytes: n.to_le_bytes().to_vec() }]
    }

    #[test]
    fn code_is_asked_for_once_it_would_pay() {
        // Few launches are not enough, however long, nor are many short ones until they add up.
        assert_eq!(ordered(&mut Specialized::default(), 5, 1 << 40), Some(4));
        assert_eq!(ordered(&mut Specialized::default(), 5, 1_000_000), Some(100));
        assert_eq!(ordered(&mut Specialized::default(), 5, 1_000), None);
        let of = &mut Specialized::default();
        ordered(of, 5, 1 << 30).unwrap();
        // It is asked for once, and used as soon as it is there.
        assert!(matches!(launch(of, 5, 1 << 30, 0), Advice::General(None)));
        let own = code();
        of.made(&0, &arguments(5), Some(own.clone()));
        let Advice::Special(got, _) = launch(of, 5, 1 << 30, 0) else { panic!() };
        assert!(Arc::ptr_eq(&got, &own));
        assert!(matches!(launch(of, 6, 1 << 30, 0), Advice::General(_)));
    }

    #[test]
    fn code_that_is_no_faster_or_cannot_be_made_is_not_used() {
        for (special, kept) in [(900, true), (1000, false), (1200, false)] {
            let of = &mut Specialized::default();
            ordered(of, 5, LEAST_NANOSECONDS).unwrap();
            of.made(&0, &arguments(5), Some(code()));
            let special = special * LEAST_NANOSECONDS / 1000;
            let last = (0..40).map(|_| launch(of, 5, LEAST_NANOSECONDS, special)).last().unwrap();
            assert_eq!(matches!(last, Advice::Special(..)), kept, "{special}");
        }
        let of = &mut Specialized::default();
        ordered(of, 5, LEAST_NANOSECONDS).unwrap();
        of.made(&0, &arguments(5), None);
        assert_eq!(ordered(of, 5, LEAST_NANOSECONDS), None);
    }

    /// What a rival's trial says after each of its launches, which take `rival` nanoseconds where
    /// the general code takes `general`; none if no rival is asked for.
    fn trial(general: u64, rival: u64) -> Vec<Advice> {
        let of = &mut Specialized::default();
        let mut launch = || {
            let advice = of.advise(&0, &[], &|_| None);
            match &advice {
                Advice::General(Some(timing)) => timing.note(1000, general),
                Advice::Special(_, timing) => timing.note(1000, rival),
                _ => {}
            }
            advice
        };
        if !(0..1000).any(|_| matches!(launch(), Advice::Make(_))) {
            return Vec::new();
        }
        of.made(&0, &[], Some(code()));
        (0..20)
            .map(|_| of.advise(&0, &[], &|_| None))
            .inspect(|advice| {
                if let Advice::Special(_, timing) = advice {
                    timing.note(1000, rival);
                }
            })
            .collect()
    }

    #[test]
    fn a_rival_wins_or_goes() {
        const SHORT: u64 = LONGEST_OF_RIVAL;
        let won = |trial: &[Advice]| trial.last().is_some_and(|advice| advice.won().is_some());
        let launches = |trial: &[Advice]| {
            trial.iter().filter(|advice| matches!(advice, Advice::Special(..))).count() as u64
        };
        assert!(won(&trial(SHORT, SHORT / 2)));
        let slower = trial(SHORT, SHORT * 3 / 2);
        assert!(!won(&slower) && launches(&slower) == TRIAL_LAUNCHES);
        // One launch is enough to see that it is far slower, and long launches are not tried.
        assert_eq!(launches(&trial(SHORT, SHORT * 10)), 1);
        assert!(trial(2 * SHORT, SHORT).is_empty());
    }

    #[test]
    fn there_is_no_end_of_values_but_one_of_memory() {
        let of = &mut Specialized::default();
        let mut made = 0;
        for n in 0..1000 {
            if ordered(of, n % 50, LEAST_NANOSECONDS).is_some() {
                of.made(&0, &arguments(n % 50), Some(code()));
                made += 1;
            }
        }
        assert_eq!((made, of.count()), (MOST_MADE, MOST_MADE));
        assert!(of.watched.len() <= MOST_WATCHED);
    }
}
