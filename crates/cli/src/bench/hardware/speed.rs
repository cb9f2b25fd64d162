//! Throughput by data set, batch, mode and device; growth with the scene; coal on all cores.

use super::super::peers::{all_cores, sets};
use super::super::set::Set;
use super::super::throughput::{self, SCALES, Subject};
use super::case::Case;
use super::configuration::{self, Configuration};
use super::deadline::Deadline;
use super::soundness::is_of_device;
use super::verdict_cache::VerdictCache;
use super::{Bench, Coal};
use crate::interruption;
use firstcontact::Result;
use firstcontact::engine::{Backend, Options};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const SETS: [&str; 4] = ["pipes/30", "amr/30", "amr/1", "amr/60"];
const QUICK: [&str; 1] = ["pipes/30"];
/// The sets that are also answered by coal.
const COAL_SETS: [&str; 2] = ["pipes/30", "amr/30"];
/// Figures of a device and set: one by one and two batches, in two modes.
const FIGURES: f64 = 6.0;
/// Number of motions of a large scene that are compared.
const COMPARED: usize = 100;

impl Bench<'_> {
    /// Measures the adapter and the CPU on the data sets.
    pub fn throughput(&mut self, deadline: Deadline) -> Result<()> {
        let names = if self.args.measure.quick { &QUICK[..] } else { &SETS[..] };
        for (k, name) in names.iter().enumerate() {
            if self.left_out.is_over(deadline, || format!("throughput of {name}")) {
                continue;
            }
            let set = Set::load(name, &self.folder)?;
            self.run.datasets.push(set.used(&[]));
            let subject = Subject::new(set.name, &set.robot, set.scene, set.motions)?;
            let first = self.rows.len();
            self.devices(&subject, deadline.one_of(names.len() - k))?;
            tell!("{name}: {} figures", self.rows.len() - first);
            self.put_down()?;
        }
        Ok(())
    }

    /// Measures machine rooms side by side, and compares some answers in each scene.
    pub fn scale(&mut self, deadline: Deadline) -> Result<()> {
        let most = if self.args.measure.quick { 1 } else { self.args.scale };
        let scales: Vec<u64> = std::iter::once(1).chain(SCALES).filter(|scale| *scale <= most).collect();
        let (mut load_s, measured) = (0.0, self.rows.len());
        for (k, &scale) in scales.iter().enumerate() {
            let what = || format!("{scale} machine rooms");
            if self.left_out.is_over(deadline, what) {
                continue;
            }
            // Loading and comparing take time in proportion to the scene.
            let expected_s = load_s * scale as f64 / scales[k.saturating_sub(1)] as f64;
            if expected_s > deadline.left_s() {
                let why = format!("about {expected_s:.0} s for loading alone, {:.0} s are left", deadline.left_s());
                self.left_out.add(what(), why);
                break;
            }
            let begin = Instant::now();
            let Some(subject) = throughput::scaled(scale, &self.folder)? else { break };
            self.compare(&subject, deadline)?;
            load_s = begin.elapsed().as_secs_f64();
            self.devices(&subject, deadline.one_of(scales.len() - k))?;
        }
        self.scaled = self.rows.split_off(measured);
        self.put_down()
    }

    /// Compares the adapter's answers to some motions with those of the CPU: only large scenes have several pages.
    fn compare(&mut self, subject: &Subject, deadline: Deadline) -> Result<()> {
        let case = Case::of_subject(subject, COMPARED)?;
        let options = configuration::on_adapter(self.adapter());
        let configuration = Configuration { name: "all kernels".into(), options };
        match case.engine.with_options(configuration.options.clone()) {
            Ok(engine) => {
                let mut cpu = VerdictCache::new(&case);
                self.soundness.configuration(&case, &configuration, &engine, &mut cpu, deadline)?;
            }
            Err(e) if is_of_device(&e) => self.left_out.add(format!("comparison on {}", case.name), e.to_string()),
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// Measures the adapter, all threads of the CPU, and one.
    fn devices(&mut self, subject: &Subject, deadline: Deadline) -> Result<()> {
        let cpu = |threads| Options { backend: Backend::Cpu, threads, ..Options::default() };
        let devices = [
            ("the adapter", configuration::on_adapter(self.adapter())),
            ("all threads of the CPU", cpu(0)),
            ("one thread of the CPU", cpu(1)),
        ];
        // With a single thread, the last two are the same.
        let devices = if self.run.machine.threads > 1 { &devices[..] } else { &devices[..2] };
        for (k, (name, options)) in devices.iter().enumerate() {
            let what = || format!("{} on {name}", subject.name);
            if self.left_out.is_over(deadline, what) {
                continue;
            }
            let limit_s = deadline.one_of(devices.len() - k).left_s() / FIGURES;
            match throughput::measure(&mut self.run, subject, options, limit_s, &mut self.rows) {
                Err(e) if options.backend == Backend::Gpu && is_of_device(&e) => {
                    self.soundness.failure(&subject.name, "throughput", &e);
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Measures coal with a process for each thread that the machine runs simultaneously.
    pub fn coal(&mut self, deadline: Deadline) -> Result<()> {
        let measured: Vec<String> = self.rows.iter().map(|row| row.dataset.clone()).collect();
        let names: Vec<&str> = COAL_SETS.into_iter().filter(|name| measured.iter().any(|m| m == name)).collect();
        let program = match all_cores::coal(self.args.peers.as_deref()) {
            Ok(program) => program,
            Err(e) => {
                let remark = e.to_string();
                let row = |name: &&str| Coal { set: (*name).into(), per_second: None, remark: remark.clone() };
                self.coal = names.iter().map(row).collect();
                return Ok(());
            }
        };
        for (k, name) in names.iter().enumerate() {
            if !self.left_out.is_over(deadline, || format!("coal on {name}")) {
                let rate = self.coal_on(name, &program, deadline.one_of(names.len() - k))?;
                self.coal.push(rate);
                self.put_down()?;
            }
        }
        Ok(())
    }

    fn coal_on(&self, name: &str, program: &Path, deadline: Deadline) -> Result<Coal> {
        let Set { robot, scene, motions, .. } = Set::load(name, &self.folder)?;
        let set = sets::Set::of(name, robot, scene, &motions);
        let stop = interruption();
        let limit = Duration::from_secs_f64(deadline.left_s());
        let processes = all_cores::Processes { n: self.run.machine.threads, limit, stop: &stop };
        let folder = self.args.measure.out.join("problems").join(name.replace('/', "-"));
        let rate = all_cores::measure(&set, program, processes, &folder)?;
        if stop.load(Ordering::Relaxed) {
            return Err(crate::interrupted("the adapter was measured").in_file(self.args.measure.out.clone()));
        }
        Ok(Coal { set: name.into(), per_second: rate.per_second, remark: rate.remark })
    }
}
