//! `firstcontact verify`: checks a certificate of `tolerance`.

use super::Outcome;
use clap::Args;
use firstcontact::Result;
use firstcontact::io::load::LoadLimits;
use firstcontact::toleranced::record;
use std::path::PathBuf;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A certificate written by `tolerance --certificate`
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
}

/// Runs the command: 0 if the certificate is valid, 1 if it is refused.
pub fn run(args: &VerifyArgs) -> Result<Outcome> {
    match record::verify(&args.certificate, &LoadLimits::default())? {
        Ok(n) => {
            say!("valid: {n} motions are free");
            Ok(Outcome::Free)
        }
        Err(why) => {
            say!("refused: {why}");
            Ok(Outcome::Refused)
        }
    }
}
