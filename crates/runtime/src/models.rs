//! Models of how threads share work without a lock, for loom, which tries every order of their
//! steps. loom is slow: each model is as small as its question allows.

use crate::fork::Gate;
use crate::seats::Seat;
use crate::shares::{Share, Shares};
use crate::sync::Word;
use crate::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::sync::atomic::{AtomicU64, AtomicUsize};
use crate::team::{Member, Team};
use crate::topology::Topology;
use crate::topology::tests::made_up;
use loom::sync::Arc;
use loom::thread;
use std::cell::Cell;

/// Tries all orders with so many changes of the thread that nothing forces.
fn model(preemptions: usize, run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(run);
}

/// What a pool has for its workers.
struct Place {
    seat: Seat,
    /// How much work the list has.
    demand: Word,
}

impl Place {
    /// A seat that a worker has.
    fn new() -> Arc<Place> {
        let place = Place { seat: Seat::default(), demand: Word::default() };
        assert!(place.seat.take());
        Arc::new(place)
    }

    /// Puts work into the list and calls the worker for it, as `Pool::staff` does.
    fn call(&self) {
        self.demand.store(1, SeqCst);
        if self.seat.wake_for_list() {
            self.seat.rouse();
        }
    }

    /// A worker's life until there is work in the list (`Pool::work`); the offers it took.
    fn work(&self, mut take: impl FnMut(*const Member)) {
        loop {
            while let Some(member) = self.seat.take_offer() {
                take(member);
            }
            if self.demand.load(SeqCst) > 0 {
                return;
            }
            self.seat.look_out(|| ());
            if self.seat.has_offer() || self.demand.load(SeqCst) > 0 {
                continue;
            }
            self.seat.sleep(|| self.demand.load(SeqCst) > 0);
        }
    }
}

/// An offer is taken by the worker, or taken back, and never both; the worker is woken for it and
/// for the list.
#[test]
fn an_offer_is_taken_once() {
    model(3, || {
        let (place, member) = (Place::new(), Arc::new(Member::default()));
        let worker = thread::spawn({
            let place = place.clone();
            move || {
                let mut taken = 0;
                place.work(|_| taken += 1);
                taken
            }
        });
        let offered = place.seat.offer(&member);
        let revoked = offered && place.seat.revoke(&member);
        place.call();
        let taken = worker.join().unwrap();
        // What was offered as the worker left is still there.
        let left = usize::from(place.seat.take_offer().is_some());
        assert_eq!(taken + left, usize::from(offered && !revoked));
    });
}

/// Two threads offer work at one seat: it has one offer at a time, and none is lost.
#[test]
fn a_seat_has_one_offer() {
    model(2, || {
        let place = Place::new();
        let members = Arc::new([Member::default(), Member::default()]);
        let worker = thread::spawn({
            let place = place.clone();
            move || {
                let mut taken = Vec::new();
                place.work(|member| taken.push(member as usize));
                taken
            }
        });
        let offer = |i: usize| {
            let (place, members) = (place.clone(), members.clone());
            move || place.seat.offer(&members[i])
        };
        let other = thread::spawn(offer(1));
        let offered = [offer(0)(), other.join().unwrap()];
        place.call();
        let mut taken = worker.join().unwrap();
        taken.extend(place.seat.take_offer().map(|member| member as usize));
        for (member, offered) in members.iter().zip(offered) {
            let times = taken.iter().filter(|at| **at == std::ptr::from_ref(member) as usize).count();
            assert_eq!(times, usize::from(offered));
        }
    });
}

/// A team whose members are called through a seat each: one thread leaves last, and it sees what
/// all of them did.
#[test]
fn the_last_of_a_team_sees_what_all_did() {
    model(2, || {
        let topology = Arc::new(Topology::new(made_up(1, 1, 3)));
        let team = Arc::new(Team::new(&topology, 0, 2));
        let places = Arc::new([Place::new(), Place::new()]);
        let done = Arc::new(AtomicUsize::new(0));
        // Leaves, and if it is the last one, sums up.
        let leave = {
            let (team, done) = (team.clone(), done.clone());
            move |position: usize| {
                team.member(position).busy_ns.fetch_add(1 << (8 * position), Relaxed);
                if Team::leave(team.members(), position) {
                    done.fetch_add(1, Relaxed);
                    return Some(team.busy_ns());
                }
                None
            }
        };
        let workers = [1, 2].map(|thread| {
            let (places, leave) = (places.clone(), leave.clone());
            thread::spawn(move || {
                let mut sum = None;
                places[thread - 1].work(|member| {
                    // SAFETY: the team lives until the end of the model.
                    let position = unsafe { (*member).position() };
                    sum = leave(position);
                });
                (sum, places[thread - 1].seat.take_offer().is_some())
            })
        });
        let mut called = Vec::new();
        // Nobody reads what the job is.
        let job = std::ptr::null();
        team.call(&topology, 0, job, &mut called, |thread, member| places[thread - 1].seat.offer(member));
        let expected = Cell::new(1 + called.iter().map(|position| 1 << (8 * position)).sum::<u64>());
        team.revoke(0, &called, |thread, member| {
            let revoked = places[thread - 1].seat.revoke(member);
            if revoked {
                expected.set(expected.get() - (1 << (8 * member.position())));
            }
            revoked
        });
        let own = leave(0);
        places.iter().for_each(|place| place.call());
        let mut sums = vec![own];
        let mut is_left = false;
        for worker in workers {
            let (sum, left) = worker.join().unwrap();
            sums.push(sum);
            is_left |= left;
        }
        // A worker of the model goes home when the list calls it, with an offer at its seat.
        if !is_left {
            assert_eq!(done.load(Relaxed), 1);
            assert_eq!(sums.into_iter().flatten().collect::<Vec<_>>(), [expected.get()]);
        }
    });
}

/// Who joins while a team leaves is of it, or comes too late.
#[test]
fn a_thread_that_joins_leaves_too() {
    model(3, || {
        let topology = Topology::new(made_up(1, 1, 2));
        let team = Arc::new(Team::new(&topology, 0, 1));
        let helper = thread::spawn({
            let team = team.clone();
            move || {
                let joins = team.join();
                if joins {
                    team.member(0).busy_ns.fetch_add(1, Relaxed);
                }
                (joins, joins && Team::leave(team.members(), 0))
            }
        });
        team.member(0).busy_ns.fetch_add(2, Relaxed);
        let is_last = Team::leave(team.members(), 0);
        let sum = team.busy_ns();
        let (joins, was_last) = helper.join().unwrap();
        assert!(is_last ^ was_last, "{joins}");
        assert!(!is_last || sum == 2 + u64::from(joins));
    });
}

/// Each part of the work is taken once, whoever takes from whose share.
#[test]
fn each_part_is_taken_once() {
    model(3, || {
        let topology = Arc::new(Topology::new(made_up(2, 1, 1)));
        let shares = Arc::new(Shares::new(&topology, &[0, 1], 0, 3));
        let take = |thread: usize| {
            let (topology, shares) = (topology.clone(), shares.clone());
            move || {
                let one = |share: &Share| {
                    let at = share.cursor.fetch_add(1, Relaxed);
                    (at < share.end).then_some(at)
                };
                let next = || shares.take(&topology, thread, one);
                std::iter::from_fn(next).map(|at| 1 << (8 * at)).sum::<u64>()
            }
        };
        let sum = Arc::new(AtomicU64::new(0));
        let other = thread::spawn({
            let (take, sum) = (take(1), sum.clone());
            move || sum.fetch_add(take(), Relaxed)
        });
        let own = take(0)();
        other.join().unwrap();
        assert_eq!(sum.load(Relaxed) + own, 0x01_0101);
    });
}

/// Whoever forks finds nobody inside, and threads come in before it or after it.
#[test]
fn a_fork_is_alone() {
    model(3, || {
        let gate = Arc::new(Gate::<2>::new());
        // What threads do inside is unfinished for a while.
        let half_done = Arc::new(AtomicUsize::new(0));
        let threads = [0, 1].map(|place| {
            let (gate, half_done) = (gate.clone(), half_done.clone());
            thread::spawn(move || {
                gate.come_in(place);
                half_done.fetch_add(1, Relaxed);
                half_done.fetch_sub(1, Relaxed);
                gate.leave(place);
            })
        });
        gate.close();
        // It has no patience here, for which there would be no end of orders.
        if gate.inside() == 0 {
            assert_eq!(half_done.load(Relaxed), 0);
        }
        gate.open();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(gate.inside(), 0);
    });
}
