//! Completes verdicts: motions that start inside a solid.

use super::core::EngineCore;
use super::{Solids, Stats};
use crate::robot::RobotMotion;
use crate::stage::s6_solve::InitialContactPolicy;
use crate::stage::solids::{Workspace, starts_inside};
use crate::verdict::{Contact, Obstacle, Verdict};

impl EngineCore {
    /// Completes the verdict of a motion: counts the pairs of which one starts inside the other, and reports the first
    /// of them as a contact if the options require it. Motions with a contact at the start have their answer, and the
    /// pairs in `ignored` are not tested.
    pub(super) fn complete<I: Iterator<Item = (u32, Obstacle)>>(
        &self,
        space: &mut Workspace,
        motion: &RobotMotion,
        ignored: impl Fn() -> I,
        verdict: Verdict,
        stats: &mut Stats,
    ) -> Verdict {
        let has_contact = matches!(&verdict, Verdict::Contact(contact) if contact.initial_overlap);
        if self.options.solids == Solids::Off || has_contact {
            return verdict;
        }
        let is_ignored = |link: u32, obstacle: Obstacle| ignored().any(|pair| pair == (link, obstacle));
        let found = starts_inside(space, &self.world, motion, &is_ignored);
        let Some(first) = found.first() else { return verdict };
        stats.start_inside += 1;
        for inside in found {
            *stats.inside.entry((inside.link, inside.obstacle)).or_default() += 1;
        }
        let is_contact = self.options.solids == Solids::Contact;
        match self.options.solve.initial {
            InitialContactPolicy::Report if is_contact => Verdict::Contact(Contact::inside(*first)),
            _ => verdict,
        }
    }
}
