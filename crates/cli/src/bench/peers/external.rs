//! Peers that are separate programs: they are started, their output is read, and they are stopped at their time limit.
//!
//! A peer is called as `PROGRAM FOLDER METHOD STEP` and writes lines: `about NAME VERSION`, `build SECONDS`, for each
//! motion `answer NUMBER free|contact TIME|- CPU_SECONDS WALL_SECONDS`, and `end`. No failure of a peer stops the
//! measurement.

use super::contender::{Answer, Answers, Reported};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest line that a peer may write, bytes.
const LONGEST_LINE: u64 = 1 << 12;
/// Time between two checks for an interruption of the measurement.
const GLANCE: Duration = Duration::from_millis(200);
/// Maximum time between a peer's last line and its end.
const GRACE: Duration = Duration::from_secs(5);

/// The parameters of a peer's call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The program.
    pub program: &'a Path,
    /// The folder that describes the problem.
    pub problem: &'a Path,
    /// The name of the method.
    pub method: &'a str,
    /// Its step, as text.
    pub step: &'a str,
    /// Number of motions in the problem.
    pub n_motions: usize,
    /// Maximum total time.
    pub limit: Duration,
    /// Set when the measurement is interrupted.
    pub stop: &'a AtomicBool,
}

/// Runs a peer; `progress` receives the number of motions that it has answered.
pub fn run(call: &Call, progress: &mut dyn FnMut(usize)) -> Answers {
    let mut answers = Answers::none(call.n_motions);
    let mut command = Command::new(call.program);
    command.arg(call.problem).arg(call.method).arg(call.step);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A separate process group, so that processes that the peer has started end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            answers.trouble = Some(format!("it cannot be started: {e}"));
            return answers;
        }
    };
    let deadline = Instant::now() + call.limit;
    let lines = listen(child.stdout.take());
    let last_words = Arc::new(Mutex::new(String::new()));
    let overhearing = overhear(listen(child.stderr.take()), Arc::clone(&last_words));
    let ended = hear(&lines, deadline, call.stop, &mut answers, progress);
    let status = match ended {
        Ended::Itself | Ended::Silent => wait(&mut child, deadline.min(Instant::now() + GRACE)),
        Ended::Late | Ended::Interrupted | Ended::Nonsense(_) => None,
    };
    if status.is_none() {
        stop(&mut child);
    }
    // Its last lines may not have been received yet.
    let until = Instant::now() + GLANCE;
    while !overhearing.is_finished() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    let n = format!("{} of {} motions answered", answers.count(), call.n_motions);
    answers.trouble = match (ended, status) {
        (Ended::Nonsense(line), _) => Some(format!("it wrote an invalid line, '{line}': {n}")),
        (Ended::Interrupted, _) => Some(format!("interrupted: {n}")),
        (Ended::Late, _) => Some(format!("stopped after {} s: {n}", call.limit.as_secs())),
        (_, None) => Some(format!("it closed its output but did not end: {n}")),
        (Ended::Itself, Some(status)) if status.success() && answers.count() == call.n_motions => None,
        (_, Some(status)) => {
            let words = last_words.lock().map(|words| words.clone()).unwrap_or_default();
            let words = if words.is_empty() { words } else { format!(", last output '{words}'") };
            Some(format!("it ended early ({status}{words}): {n}"))
        }
    };
    answers
}

/// The reason why reading the peer's output ended.
enum Ended {
    /// The peer reported that it was done.
    Itself,
    /// Its output ended.
    Silent,
    /// The time limit was reached.
    Late,
    /// The measurement was interrupted.
    Interrupted,
    /// A line was not valid.
    Nonsense(String),
}

fn hear(
    lines: &Receiver<String>,
    deadline: Instant,
    stop: &AtomicBool,
    answers: &mut Answers,
    progress: &mut dyn FnMut(usize),
) -> Ended {
    let mut n = 0;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left.min(GLANCE)) {
            _ if stop.load(Ordering::Relaxed) => return Ended::Interrupted,
            _ if left.is_zero() => return Ended::Late,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ended::Silent,
            Ok(line) if line == "end" => return Ended::Itself,
            Ok(line) if take(&line, answers).is_none() => return Ended::Nonsense(shown(&line)),
            Ok(_) => {
                let now = answers.count();
                if now > n {
                    n = now;
                    progress(n);
                }
            }
        }
    }
}

/// Parses a line; `None` if it is not valid.
fn take(line: &str, answers: &mut Answers) -> Option<()> {
    let (word, rest) = line.split_once(' ')?;
    let seconds = |text: &str| text.parse::<f64>().ok().filter(|s| s.is_finite() && *s >= 0.0);
    match word {
        "about" => answers.about = Some(shown(rest)),
        "build" => answers.build_s = Some(seconds(rest)?),
        "answer" => {
            let words: Vec<&str> = rest.split(' ').collect();
            let &[number, reported, time, cpu, wall] = words.as_slice() else { return None };
            let reported = match (reported, time) {
                ("free", "-") => Reported::Free,
                ("contact", "-") => Reported::Contact(None),
                ("contact", t) => Reported::Contact(Some(seconds(t).filter(|t| *t <= 1.0)?)),
                _ => return None,
            };
            let slot = answers.by_motion.get_mut(number.parse::<usize>().ok()?)?;
            let answer = Answer { reported, cpu_s: seconds(cpu)?, wall_s: seconds(wall)? };
            // A second answer to the same motion is not valid.
            slot.is_none().then(|| *slot = Some(answer))?;
        }
        _ => return None,
    }
    Some(())
}

/// The lines of a stream, as they arrive. A line that is too long arrives in pieces.
fn listen(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    // Maximum number of lines that wait in the channel.
    let (to, lines) = sync_channel(1 << 10);
    if let Some(stream) = stream {
        std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while stream.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_string();
                line.clear();
                if to.send(text).is_err() {
                    break;
                }
            }
        });
    }
    lines
}

/// Keeps the last line of a stream.
fn overhear(lines: Receiver<String>, last: Arc<Mutex<String>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in lines.iter().filter(|line| !line.is_empty()) {
            if let Ok(mut last) = last.lock() {
                *last = shown(&line);
            }
        }
    })
}

fn wait(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            _ => return None,
        }
    }
}

/// Ends a peer and all processes that it has started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The beginning of a text on one line, for a message.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect()
}
