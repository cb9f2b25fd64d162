//! `firstcontact certificate show`: what certificates claim, as JSON.

use super::Outcome;
use clap::{Args, Subcommand};
use firstcontact::{Error, Result};
use firstcontact_verifier::{Claim, Kind, Other, Outline, Reader, Refusal, Time, Witness};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Arguments of `certificate`.
#[derive(Debug, Args)]
pub struct CertificateArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the claim and the number of steps of each certificate as a line of JSON, without verifying anything
    Show(ShowArgs),
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Certificates written by `check --certificates`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show only the certificate of the motion with this number, counted from 0
    #[arg(long, value_name = "N")]
    index: Option<usize>,
}

/// Runs the command.
pub fn run(args: &CertificateArgs) -> Result<Outcome> {
    let Action::Show(args) = &args.action;
    let damaged = |refusal: Refusal| Error::input(refusal.to_string()).in_file(&args.file);
    let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(&args.file);
    let file = BufReader::new(File::open(&args.file).map_err(unreadable)?);
    let (mut n, mut shown) = (0, false);
    for certificate in Reader::without_model(file).map_err(damaged)? {
        let certificate = certificate.map_err(damaged)?;
        if args.index.is_none_or(|index| index == n) {
            show!("{}", line(n, certificate.as_deref()).map_err(damaged)?);
            shown = true;
        }
        n += 1;
    }
    match args.index {
        Some(index) if !shown => {
            let message = format!("there is no certificate {index}: the file has {n}, counted from 0");
            Err(Error::usage(message).in_file(&args.file))
        }
        _ => Ok(Outcome::Free),
    }
}

/// The steps in the order of their bytes.
const STEPS: [&str; 13] = [
    "split_time",
    "split_a",
    "split_b",
    "excluded",
    "+x",
    "-x",
    "+y",
    "-y",
    "+z",
    "-z",
    "axis_i8",
    "axis_i16",
    "axis_f64",
];

fn line(number: usize, certificate: Option<&[u8]>) -> std::result::Result<Value, Refusal> {
    let Some(bytes) = certificate else { return Ok(json!({ "motion": number, "kind": null })) };
    let Outline { claim, n_bytes, n_pairs, steps, depths } = Outline::new(bytes)?;
    let Claim { kind, motion, margin_m, joint_tolerance, end, witness } = claim;
    let kind = match kind {
        Kind::Free => "free",
        Kind::Contact => "contact",
        Kind::PossibleContact => "possible contact",
        Kind::Undecided => "undecided",
    };
    let counts = STEPS.iter().zip(steps).filter(|(_, n)| *n > 0).map(|(name, n)| (name.to_string(), n.into()));
    Ok(json!({
        "motion": number,
        "kind": kind,
        "end": time(end),
        "witness": witness.map(|w| to_json(&w)),
        "margin_m": margin_m,
        "joint_tolerance": joint_tolerance,
        "motion_sha256": motion.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "bytes": n_bytes,
        "pairs": n_pairs,
        "steps": counts.collect::<Map<String, Value>>(),
        "depth": depths.len(),
    }))
}

fn time(Time { segment, local }: Time) -> Value {
    json!({ "segment": segment, "t": local })
}

fn to_json(Witness { time: at, a, b }: &Witness) -> Value {
    let b = match b {
        Other::Object { object, triangle } => json!({ "object": object, "triangle": triangle }),
        Other::Link(of) => json!({ "link": of.link, "triangle": of.triangle }),
    };
    json!({ "time": time(*at), "a": { "link": a.link, "triangle": a.triangle }, "b": b })
}
