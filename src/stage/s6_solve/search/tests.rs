//! Tests of the search with items whose contacts are known to the last bit, with windows without slack except that
//! added by a test, and with phantoms: times that one interval cannot rule out, but another can.
//!
//! With real windows the search's own handling of rounding would not be visible, because their slack is a hundred times
//! as large.

use super::*;

/// Deterministic pseudo-random numbers.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A time with more precision than one number: a number and a small fraction of its last digit.
#[derive(Clone, Copy, Debug, Default)]
struct Time {
    number: f64,
    rest: f64,
}

impl Time {
    fn exactly(number: f64) -> Self {
        Self { number, rest: 0.0 }
    }

    /// Returns whether it is not before a number.
    fn is_from(self, t: f64) -> bool {
        self.number > t || self.number == t && self.rest >= 0.0
    }

    /// Returns whether it is not after a number.
    fn is_until(self, t: f64) -> bool {
        self.number < t || self.number == t && self.rest <= 0.0
    }

    /// Its distance from `m`, rounded down and rounded up.
    fn local(self, m: f64) -> [f64; 2] {
        let d = self.number - m;
        // The rounding error of the difference (Knuth).
        let back = d + m;
        let lost = (self.number - back) + ((back - d) - m) + self.rest;
        [if lost < 0.0 { d.next_down() } else { d }, if lost > 0.0 { d.next_up() } else { d }]
    }
}

/// An item: it touches from a time on for some duration, and appears to touch at the phantoms, where half of all
/// intervals cannot exclude contact.
#[derive(Debug, Default)]
struct Known {
    contact: Option<(Time, f64)>,
    phantoms: Vec<f64>,
}

#[derive(Debug)]
struct Fake {
    items: Vec<Known>,
    eps_t: f64,
    mid: f64,
    h: f64,
    seed: u64,
}

impl Known {
    /// The first and last time at which it touches.
    fn times(&self) -> Option<[Time; 2]> {
        self.contact.map(|(from, lasts)| {
            let until = Time::exactly((from.number + lasts).min(1.0));
            [from, if lasts > 0.0 { until } else { from }]
        })
    }
}

impl Fake {
    /// A hash of an item and the current interval.
    fn coin(&self, item: u32) -> u64 {
        mixed(self.seed ^ u64::from(item) ^ mixed(self.mid.to_bits()) ^ mixed(self.h.to_bits() ^ 1))
    }

    /// The hull of all times within the interval that cannot be ruled out, as tight as the number format allows.
    fn window(&self, item: u32) -> Window<f64> {
        let known = &self.items[item as usize];
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut add = |from: Time, to: Time| {
            let ([a, a_up], [b_down, b]) = (from.local(self.mid), to.local(self.mid));
            if a_up <= self.h && b_down >= -self.h {
                (lo, hi) = (lo.min(a.max(-self.h)), hi.max(b.min(self.h)));
            }
        };
        if let Some([from, to]) = known.times() {
            add(from, to);
        }
        for (k, t) in known.phantoms.iter().enumerate() {
            if self.coin(item) >> k & 1 == 0 {
                add(Time::exactly(*t), Time::exactly(*t));
            }
        }
        Window { lo, hi }
    }
}

impl System for Fake {
    fn bound(&mut self, _: &[Active], mid: f64, h: f64) -> u64 {
        (self.mid, self.h) = (mid, h);
        0
    }
    fn depth(&self, _: u32) -> u32 {
        0
    }
    fn contract_all(&self, items: &[Active], _: f64, _: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        windows.extend(items.iter().map(|a| self.window(a.item)));
    }
    fn is_still(&self, _: u32, _: f64, h: f64) -> bool {
        h < 1e-15
    }
    fn settle_all(&self, items: &[Active], _: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        windows.extend(items.iter().map(|a| self.window(a.item)));
    }
    fn meets(&self, item: u32) -> bool {
        let times = self.items[item as usize].times();
        times.is_some_and(|[from, to]| from.number < self.mid && self.mid < to.number && self.coin(item) & 2 == 0)
    }
    fn meets_within(&self, item: u32, t0: f64, t1: f64) -> bool {
        let times = self.items[item as usize].times();
        times.is_some_and(|[from, to]| from.is_until(t1) && to.is_from(t0) && mixed(t0.to_bits() ^ self.seed) & 3 == 0)
    }
    /// The correct time, a wrong time, a time at which the search cuts exactly at the contact or slightly before, or no
    /// guess.
    fn guess(&self, items: &[Active]) -> Option<f64> {
        let first = items.iter().reduce(|a, b| if b.lo < a.lo { b } else { a })?;
        let (item, from, until) = (first.item, first.lo, items.iter().fold(first.lo, |m, a| m.max(a.hi)));
        let share = (self.coin(item) >> 20) as f64 / (1u64 << 44) as f64;
        let contact = self.items[item as usize].contact.map(|c| c.0.number);
        let t = match self.coin(item) & 7 {
            0 => contact?,
            1 => from + share * (until - from),
            2 => contact? - self.eps_t / 8.0,
            3 => contact? - self.eps_t / 8.0 - 2e-12 * share,
            _ => return None,
        };
        (t >= from && t <= until).then_some(t)
    }
}

fn fake(n: &mut Numbers, eps_t: f64) -> Fake {
    let about = n.unit();
    // Close to one another, spread over the distances that matter.
    let time = |n: &mut Numbers| {
        let away = eps_t * 10f64.powf(3.0 * n.unit() - 2.0) * if n.below(2) == 0 { 1.0 } else { -1.0 };
        match n.below(6) {
            0 => 0.0,
            1 => n.unit(),
            _ => (about + away).clamp(0.0, 1.0),
        }
    };
    let items = (0..1 + n.below(5)).map(|_| {
        let number = time(n);
        let within = number > 0.0 && number < 1.0;
        let rest = if within { (n.unit() - 0.5) * (number - number.next_down()) * 0.5 } else { 0.0 };
        let lasts = if n.below(3) == 0 { 0.0 } else { 1e-12 + n.unit() * 10f64.powf(-10.0 * n.unit()) };
        let contact = (n.below(3) > 0).then_some((Time { number, rest }, lasts));
        Known { contact, phantoms: (0..n.below(4)).map(|_| time(n)).collect() }
    });
    Fake { items: items.collect(), eps_t, mid: 0.0, h: 0.0, seed: n.next() }
}

/// The earliest contact of any item.
fn first(fake: &Fake) -> Option<Time> {
    let all = fake.items.iter().filter_map(|k| k.contact).map(|c| c.0);
    all.reduce(|a, b| if (b.number, b.rest) < (a.number, a.rest) { b } else { a })
}

#[test]
fn no_contact_is_before_the_reported_one() {
    let (mut seen, mut with_proof, mut capped, mut exact) = (0, 0, 0, 0);
    for k in 0..60_000 {
        let n = &mut Numbers(k);
        let eps_t = [1e-9, 1e-9, 1e-5, 1e-3][n.below(4) as usize];
        let mut fake = fake(n, eps_t);
        let cap = if n.below(4) == 0 { n.below(40) } else { 100_000 };
        let active: Vec<Active> = (0..fake.items.len() as u32).map(|item| Active { item, lo: 0.0, hi: 1.0 }).collect();
        let mut search = Search::default();
        let found =
            search.run(&mut fake, &Task { eps_t, cap, proof_is_enough: false }, &active, &mut SolveCounts::default());
        let known = first(&fake);
        match found {
            Found::Nothing => assert!(known.is_none(), "{k}: {fake:?}"),
            Found::Contact { lo, proof, .. } => {
                seen += 1;
                with_proof += usize::from(proof.is_some());
                assert!(known.is_none_or(|t| t.is_from(lo)), "{k}: {found:?}, but {known:?}: {fake:?}");
                assert!(
                    proof.is_none_or(|p| known.is_some_and(|t| t.is_until(p))),
                    "{k}: {found:?}, but {known:?}: {fake:?}"
                );
                exact += usize::from(known.is_some_and(|t| t.number.next_down() <= lo));
            }
            Found::Capped { clear_until, proved_until } => {
                capped += 1;
                assert!(known.is_none_or(|t| t.is_from(clear_until)), "{k}: {found:?}, but {known:?}: {fake:?}");
                assert!(
                    proved_until.is_none_or(|(_, p)| known.is_some_and(|t| t.is_until(p))),
                    "{k}: {found:?}: {fake:?}"
                );
            }
        }
    }
    assert!(seen > 10_000 && with_proof > 5000 && capped > 500 && exact > 500, "{seen} {with_proof} {capped} {exact}");
}

/// An interval's half width reaches both of its ends despite rounding.
#[test]
fn half_widths_reach_the_ends() {
    let n = &mut Numbers(1);
    for _ in 0..200_000 {
        let scale = 10f64.powf(-16.0 * n.unit());
        let (a, b) = (n.unit() * scale, n.unit());
        let (t0, t1) = (a.min(b), a.max(b));
        let (m, h) = (0.5 * (t0 + t1), half_width(t0, t1));
        // Exact comparison: -h is not above the lower end's local time rounded down, and h is not below the upper end's
        // rounded up.
        let (below, above) = (Time::exactly(t0).local(m)[0], Time::exactly(t1).local(m)[1]);
        assert!(-h <= below && above <= h, "{t0:e} {t1:e}");
    }
}

/// An item that nothing but its absence before the contact narrows, with a guess that is always too early.
struct Stubborn {
    contact: f64,
    mid: f64,
    h: f64,
}

impl System for Stubborn {
    fn bound(&mut self, _: &[Active], mid: f64, h: f64) -> u64 {
        (self.mid, self.h) = (mid, h);
        0
    }
    fn depth(&self, _: u32) -> u32 {
        0
    }
    fn contract_all(&self, items: &[Active], h: f64, _: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        let is_free = self.mid + self.h < self.contact;
        windows.extend(
            items.iter().map(|_| if is_free { Window { lo: 1.0, hi: -1.0 } } else { Window { lo: -h, hi: h } }),
        );
    }
    fn is_still(&self, _: u32, _: f64, h: f64) -> bool {
        h < 1e-15
    }
    fn settle_all(&self, items: &[Active], h: f64, windows: &mut Vec<Window<f64>>) {
        self.contract_all(items, h, 0.0, windows);
    }
    fn meets(&self, _: u32) -> bool {
        self.mid >= self.contact
    }
    fn meets_within(&self, _: u32, _: f64, t1: f64) -> bool {
        t1 >= self.contact
    }
    fn guess(&self, items: &[Active]) -> Option<f64> {
        items.iter().map(|a| a.lo).reduce(f64::min)
    }
}

#[test]
fn wrong_guesses_do_not_use_up_the_evaluations() {
    for contact in [1e-6, 0.3, 0.999] {
        let (mut system, mut search) = (Stubborn { contact, mid: 0.0, h: 0.0 }, Search::default());
        let task = Task { eps_t: 1e-9, cap: 2000, proof_is_enough: false };
        let active = [Active { item: 0, lo: 0.0, hi: 1.0 }];
        let found = search.run(&mut system, &task, &active, &mut SolveCounts::default());
        let Found::Contact { lo, proof: Some(hi), .. } = found else { panic!("{contact}: {found:?}") };
        assert!(lo <= contact && contact <= hi && hi - lo <= 1e-9, "{contact}: {found:?}");
    }
}
