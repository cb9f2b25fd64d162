//! The adapter's answers compared with those of the CPU backend, configuration by configuration.

use super::super::peers::fact::Fact;
use super::agreement::{Disagreement, shown};
use super::case::{Case, Claim, Source};
use super::configuration::{self, Configuration};
use super::deadline::Deadline;
use super::entries;
use super::left_out::LeftOut;
use super::verdict_cache::{VerdictCache, some};
use crate::Outcome;
use firstcontact::engine::{Engine, Options};
use firstcontact::verdict::Verdict;
use firstcontact::{Error, ErrorKind, Result};
use std::path::Path;

/// The name of the comparison with statements from other sources.
const TRUTH: &str = "known truth";
/// The name of the comparison of pairs.
const ENTRIES: &str = "pairs of the kernels";
/// The share of a data set's time for the comparison of pairs.
const ENTRIES_SHARE: f64 = 0.1;
/// The adapter's share of a configuration's time.
const ADAPTER_SHARE: f64 = 0.75;
/// Maximum number of disagreements of a comparison that are listed.
const MAX_LISTED: usize = 5;

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The data set.
    pub case: String,
    /// The configuration of the adapter.
    pub configuration: String,
    /// The motion's name; empty if the adapter failed.
    pub motion: String,
    /// The kind of the difference.
    pub kind: &'static str,
    /// The answer of the CPU, or a known truth.
    pub expected: String,
    /// The answer of the adapter, or its error.
    pub adapter: String,
    /// The motion as in a JSON file of motions.
    pub values: String,
}

/// The extent of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The data set.
    pub case: String,
    /// The configuration of the adapter.
    pub configuration: String,
    /// Motions compared.
    pub motions: usize,
    /// Motions with a contact; in comparisons of pairs, the number of pairs of triangles.
    pub found: usize,
    /// Disagreements.
    pub faults: usize,
}

/// All comparisons.
#[derive(Debug, Default)]
pub struct Soundness {
    /// Disagreements, the first ones of each comparison.
    pub faults: Vec<Fault>,
    /// The comparisons.
    pub comparisons: Vec<Comparison>,
}

/// The extent of the comparisons.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The data sets.
    pub sources: &'a [Source],
    /// The folder of data sets.
    pub folder: &'a Path,
    /// Maximum number of a set's motions, and of random ones.
    pub n: usize,
    /// Part of the adapter's name.
    pub adapter: Option<&'a str>,
}

impl Soundness {
    /// Number of disagreements, including those that are not listed.
    pub fn n_faults(&self) -> usize {
        self.comparisons.iter().map(|c| c.faults).sum()
    }

    /// The result of the command.
    pub fn outcome(&self) -> Outcome {
        if self.n_faults() == 0 { Outcome::Free } else { Outcome::Refused }
    }

    /// Number of comparisons of a motion.
    pub fn n_compared(&self) -> usize {
        self.comparisons.iter().map(|c| c.motions).sum()
    }

    /// Runs as many comparisons as the time allows.
    ///
    /// # Errors
    /// The adapter cannot be opened, or a data set cannot be made.
    pub fn run(&mut self, plan: Plan, deadline: Deadline, left_out: &mut LeftOut) -> Result<()> {
        for (k, source) in plan.sources.iter().enumerate() {
            let what = || format!("comparisons on {}", source.name());
            if left_out.is_over(deadline, what) {
                continue;
            }
            let part = deadline.one_of(plan.sources.len() - k);
            match source.load(plan.folder, plan.n) {
                Ok(cases) => {
                    for (j, case) in cases.iter().enumerate() {
                        self.case(case, plan.adapter, part.one_of(cases.len() - j), left_out)?;
                    }
                }
                // Generated sets always exist.
                Err(e) if e.kind() == ErrorKind::Input => left_out.add(what(), e.to_string()),
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Compares all configurations on one case.
    fn case(&mut self, case: &Case, adapter: Option<&str>, deadline: Deadline, left_out: &mut LeftOut) -> Result<()> {
        self.entries(case, &configuration::on_adapter(adapter), deadline.share(ENTRIES_SHARE))?;
        let configurations = configuration::all(adapter);
        let mut cpu = VerdictCache::new(case);
        for (k, each) in configurations.iter().enumerate() {
            let names = || configurations[k..].iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            if left_out.is_over(deadline, || format!("{} on {}", names(), case.name)) {
                break;
            }
            let part = deadline.one_of(configurations.len() - k);
            match case.engine.with_options(each.options.clone()) {
                Ok(engine) => {
                    let answers = self.configuration(case, each, &engine, &mut cpu, part)?;
                    if k == 0 {
                        self.truth(case, &answers);
                    }
                }
                // If the configuration with all kernels fails, nothing can be compared; other forms may need features
                // that an adapter lacks.
                Err(e) if k > 0 && is_of_device(&e) => {
                    left_out.add(format!("{} on {}", each.name, case.name), e.to_string());
                }
                Err(e) => return Err(e),
            }
        }
        tell!("{}: {} comparisons so far, {} disagreements", case.name, self.n_compared(), self.n_faults());
        Ok(())
    }

    /// Compares one configuration and returns the adapter's answers.
    pub fn configuration(
        &mut self,
        case: &Case,
        configuration: &Configuration,
        engine: &Engine,
        cpu: &mut VerdictCache,
        deadline: Deadline,
    ) -> Result<Vec<Verdict>> {
        let mut answers = Vec::new();
        match some(engine, &case.motions, ADAPTER_SHARE * deadline.left_s(), &mut answers) {
            Err(e) if is_of_device(&e) => self.failure(&case.name, &configuration.name, &e),
            other => other?,
        }
        self.answers(case, &configuration.name, cpu.first(configuration, answers.len(), deadline)?, &answers);
        Ok(answers)
    }

    /// Compares answers to the first motions of a case.
    fn answers(&mut self, case: &Case, configuration: &str, cpu: &[Verdict], adapter: &[Verdict]) {
        let differ = |(i, (cpu, adapter)): (usize, (&Verdict, &Verdict))| {
            let kind = Disagreement::between(cpu, adapter)?;
            Some(fault(case, configuration, i, kind.name(), [shown(cpu), shown(adapter)]))
        };
        let faults: Vec<Fault> = cpu.iter().zip(adapter).enumerate().filter_map(differ).collect();
        let contacts = cpu.iter().zip(adapter).filter(|(_, v)| v.is_contact()).count();
        self.add(&case.name, configuration, [cpu.len().min(adapter.len()), contacts], faults);
    }

    /// Compares answers with statements from other sources, if there are any.
    fn truth(&mut self, case: &Case, adapter: &[Verdict]) {
        let claims = case.facts.iter().zip(adapter).enumerate().filter_map(|(i, (c, v))| Some((i, (*c)?, v)));
        let claims: Vec<(usize, Claim, &Verdict)> = claims.collect();
        let differ = |&(i, claim, verdict): &(usize, Claim, &Verdict)| {
            Fact::proved(verdict).differs(claim.fact, claim.travel_m)?;
            Some(fault(case, TRUTH, i, "truth", [claim.fact.text(), shown(verdict)]))
        };
        let contacts = claims.iter().filter(|(_, claim, _)| claim.fact.is_contact()).count();
        if !claims.is_empty() {
            self.add(&case.name, TRUTH, [claims.len(), contacts], claims.iter().filter_map(differ).collect());
        }
    }

    /// Compares the pairs of the kernels with those of their twin.
    fn entries(&mut self, case: &Case, options: &Options, deadline: Deadline) -> Result<()> {
        match entries::compare(case, options, deadline) {
            Ok(found) => {
                let lost = found.lost.iter().map(|(i, n)| {
                    let texts = ["kept by both algorithms".into(), format!("{n} pairs of triangles are lost")];
                    fault(case, ENTRIES, *i, "pairs", texts)
                });
                self.add(&case.name, ENTRIES, [found.motions, found.pairs], lost.collect());
            }
            Err(e) if is_of_device(&e) => self.failure(&case.name, ENTRIES, &e),
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// Adds a failure of the device.
    pub fn failure(&mut self, case: &str, configuration: &str, error: &Error) {
        let fault = Fault {
            case: case.into(),
            configuration: configuration.into(),
            motion: String::new(),
            kind: "failure",
            expected: String::new(),
            adapter: error.to_string(),
            values: String::new(),
        };
        self.add(case, configuration, [0, 0], vec![fault]);
    }

    fn add(&mut self, case: &str, configuration: &str, [motions, found]: [usize; 2], faults: Vec<Fault>) {
        let (case, configuration) = (case.into(), configuration.into());
        self.comparisons.push(Comparison { case, configuration, motions, found, faults: faults.len() });
        self.faults.extend(faults.into_iter().take(MAX_LISTED));
    }
}

/// Returns whether an error is caused by the device, rather than by files or options.
pub fn is_of_device(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Gpu | ErrorKind::Memory)
}

fn fault(case: &Case, configuration: &str, i: usize, kind: &'static str, [expected, adapter]: [String; 2]) -> Fault {
    let (motion, values) = (case.labels[i].clone(), case.values(i));
    Fault { case: case.name.clone(), configuration: configuration.into(), motion, kind, expected, adapter, values }
}

#[cfg(test)]
mod tests {
    use super::super::case::tests::small;
    use super::*;
    use firstcontact::engine::Options;

    /// Compares answers of the CPU with changed copies, which represent the answers of an adapter.
    fn compared(change: impl FnOnce(&mut Vec<Verdict>)) -> Soundness {
        let case = small(40);
        let configuration = Configuration { name: "changed".into(), options: Options::default() };
        let mut cache = VerdictCache::new(&case);
        let cpu = cache.first(&configuration, case.motions.len(), Deadline::after_s(100.0)).unwrap().to_vec();
        let mut adapter = cpu.clone();
        change(&mut adapter);
        let mut soundness = Soundness::default();
        soundness.answers(&case, &configuration.name, &cpu, &adapter);
        soundness
    }

    fn contact(answers: &[Verdict]) -> usize {
        answers.iter().position(|v| matches!(v, Verdict::Contact(c) if c.is_certified() && c.toc[0] > 0.0)).unwrap()
    }

    #[test]
    fn equal_answers_agree() {
        let soundness = compared(|_| ());
        assert_eq!((soundness.n_faults(), soundness.n_compared(), soundness.faults.len()), (0, 80, 0));
        assert_eq!(soundness.outcome(), Outcome::Free);
        assert!((1..80).contains(&soundness.comparisons[0].found));
    }

    #[test]
    fn an_answer_that_is_changed_is_reported_with_its_motion() {
        let mut at = 0;
        let freed = compared(|answers| {
            at = contact(answers);
            answers[at] = Verdict::Free;
        });
        let [fault] = &freed.faults[..] else { panic!("{:?}", freed.faults) };
        assert_eq!((fault.kind, fault.adapter.as_str(), freed.n_faults()), ("verdict", "free", 1));
        assert_eq!(freed.outcome(), Outcome::Refused);
        let case = small(40);
        assert_eq!((&fault.motion, &fault.values), (&case.labels[at], &case.values(at)));
        let late = compared(|answers| {
            at = contact(answers);
            let Verdict::Contact(c) = &mut answers[at] else { panic!() };
            c.toc = c.toc.map(|t| t + 1e-6);
        });
        assert_eq!((late.faults[0].kind, late.n_faults()), ("time", 1));
        // All are counted, the first ones are listed.
        let all = compared(|answers| {
            answers.iter_mut().for_each(|v| {
                if v.is_contact() {
                    *v = Verdict::Free;
                }
            })
        });
        assert!(all.n_faults() > MAX_LISTED && all.faults.len() == MAX_LISTED);
    }

    #[test]
    fn a_known_truth_is_compared() {
        let mut case = small(40);
        let answers = case.engine.check(&case.motions).unwrap().verdicts;
        let at = contact(&answers);
        for (fact, expected) in [(Fact::proved(&answers[at]), 0), (Fact::Free, 1), (Fact::Unknown, 0)] {
            case.facts[at] = Some(Claim { fact, travel_m: 1.0 });
            let mut soundness = Soundness::default();
            soundness.truth(&case, &answers);
            assert_eq!((soundness.n_faults(), soundness.n_compared()), (expected, 1), "{fact:?}");
        }
    }

    #[test]
    fn a_device_that_fails_is_a_disagreement() {
        let mut soundness = Soundness::default();
        soundness.failure("pipes/30", "all kernels", &Error::new(ErrorKind::Gpu, "the device is lost"));
        assert_eq!((soundness.n_faults(), soundness.n_compared()), (1, 0));
        assert!(soundness.faults[0].adapter.contains("the device is lost"));
    }
}
