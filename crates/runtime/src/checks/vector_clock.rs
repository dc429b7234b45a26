//! Vector clocks of many work-items, of which copies share what is the same.
//!
//! Each work-item with fences keeps some clocks, and each of them knows of all work-items before
//! it that released something: as tables they would take the square of their number. They are
//! trees of sixteen ways, four bits of the key a level, so that a copy that learns of one more
//! work-item has one path of its own, and two that agree on a part are compared by its address.

use std::sync::Arc;

/// A number for each key, 0 for most.
#[derive(Clone, Debug, Default)]
pub struct VectorClock {
    root: Link,
    /// The levels of branches above the leaves.
    levels: u32,
}

#[derive(Clone, Debug)]
enum Node {
    Branch([Link; 16]),
    Leaf([u32; 16]),
}

type Link = Option<Arc<Node>>;

/// The place of a key in a node, whose keys have so many more bits.
fn slot(key: u64, level: u32) -> usize {
    (key >> (4 * level) & 15) as usize
}

impl VectorClock {
    pub fn get(&self, key: u64) -> u32 {
        if key >> (4 * self.levels) > 15 {
            return 0;
        }
        let (mut node, mut level) = (self.root.as_deref(), self.levels);
        loop {
            match node {
                None => return 0,
                Some(Node::Leaf(values)) => return values[slot(key, 0)],
                Some(Node::Branch(nodes)) => {
                    node = nodes[slot(key, level)].as_deref();
                    level -= 1;
                }
            }
        }
    }

    /// Makes the number of a key at least this.
    pub fn raise(&mut self, key: u64, to: u32) {
        if self.get(key) >= to {
            return;
        }
        let mut levels = self.levels;
        while key >> (4 * levels) > 15 {
            levels += 1;
        }
        self.grow(levels);
        let (mut node, mut level) = (&mut self.root, self.levels);
        loop {
            let new =
                || Arc::new(if level == 0 { Node::Leaf([0; 16]) } else { Node::Branch(Default::default()) });
            match Arc::make_mut(node.get_or_insert_with(new)) {
                Node::Leaf(values) => {
                    values[slot(key, 0)] = to;
                    return;
                }
                Node::Branch(nodes) => {
                    node = &mut nodes[slot(key, level)];
                    level -= 1;
                }
            }
        }
    }

    /// Makes each number the larger one of both clocks.
    pub fn join(&mut self, other: &VectorClock) {
        let mut other = other.clone();
        other.grow(self.levels);
        self.grow(other.levels);
        self.root = joined(&self.root, &other.root);
    }

    fn grow(&mut self, levels: u32) {
        while self.levels < levels {
            if let Some(root) = self.root.take() {
                let mut nodes: [Link; 16] = Default::default();
                nodes[0] = Some(root);
                self.root = Some(Arc::new(Node::Branch(nodes)));
            }
            self.levels += 1;
        }
    }
}

fn is_same(a: &Link, b: &Link) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Joins trees of the same height. The result is one of the two where that has all, and the other
/// one where both have: what is learned goes from clock to clock, and equal parts become one.
fn joined(own: &Link, other: &Link) -> Link {
    let (Some(a), Some(b)) = (own, other) else { return own.clone().or_else(|| other.clone()) };
    if Arc::ptr_eq(a, b) {
        return own.clone();
    }
    let (node, is_own, is_other) = match (&**a, &**b) {
        (Node::Branch(a), Node::Branch(b)) => {
            let nodes: [Link; 16] = std::array::from_fn(|i| joined(&a[i], &b[i]));
            let is = |all: &[Link; 16]| all.iter().zip(&nodes).all(|(one, node)| is_same(one, node));
            let (is_own, is_other) = (is(a), is(b));
            (Node::Branch(nodes), is_own, is_other)
        }
        (Node::Leaf(a), Node::Leaf(b)) => {
            let values: [u32; 16] = std::array::from_fn(|i| a[i].max(b[i]));
            (Node::Leaf(values), values == *a, values == *b)
        }
        _ => unreachable!("trees of one height have leaves at one level"),
    };
    match (is_own, is_other) {
        (_, true) => other.clone(),
        (true, _) => own.clone(),
        _ => Some(Arc::new(node)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_clock_is_a_table_of_maxima() {
        let mut seed = 1u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % n
        };
        let mut clocks = vec![VectorClock::default(); 6];
        let mut tables = vec![HashMap::<u64, u32>::new(); 6];
        for _ in 0..4000 {
            let (i, j) = (next(6) as usize, next(6) as usize);
            if next(4) == 0 {
                let other = clocks[j].clone();
                clocks[i].join(&other);
                for (key, value) in tables[j].clone() {
                    let own = tables[i].entry(key).or_default();
                    *own = (*own).max(value);
                }
            } else {
                let key = [next(20), next(20) << 16 | next(3), next(1 << 40)][next(3) as usize];
                let value = next(50) as u32;
                clocks[i].raise(key, value);
                let own = tables[i].entry(key).or_default();
                *own = (*own).max(value);
            }
            for (key, value) in &tables[i] {
                assert_eq!(clocks[i].get(*key), *value);
            }
            assert_eq!(clocks[i].get(1 << 47), 0);
        }
    }

    #[test]
    fn what_is_the_same_is_shared() {
        let mut first = VectorClock::default();
        (0..1000).for_each(|key| first.raise(key << 16, 1));
        let mut second = first.clone();
        second.raise(7, 1);
        first.join(&second);
        assert!(is_same(&first.root, &second.root));
        first.join(&VectorClock::default());
        assert!(is_same(&first.root, &second.root));
    }
}
