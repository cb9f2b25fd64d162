//! `firstcontact dataset fetch` and `list`.

use super::FolderArgs;
use crate::progress::Progress;
use clap::Args;
use comfy_table::{Table, presets};
use firstcontact::{Error, Result};
use firstcontact_datasets::fetch::{self, Sources, Step, unpack::Limits};
use firstcontact_datasets::manifest::{FetchSet, Manifest};
use firstcontact_datasets::{NAMES, fetch::is_fetched};
use indicatif::HumanBytes;

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// The sets to fetch; `list` prints the names. Files that several sets share are downloaded once
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    folder: FolderArgs,
}

pub fn run(args: &FetchArgs) -> Result<()> {
    let (manifest, folder) = (Manifest::built_in()?, args.folder.path()?);
    let mut sets = Vec::new();
    for name in &args.names {
        // The name of a run means the sets that it needs.
        let needed = match manifest.run(name) {
            Some((run, _)) => super::named::sets_of(run),
            None => vec![name.as_str()],
        };
        let several = needed.len() > 1;
        for name in needed {
            let set = manifest.set(name)?;
            let known = sets.iter().any(|s: &&FetchSet| s.name == set.name);
            // Some of the sets that a run needs may already be installed.
            let there = several && is_fetched(set, &folder);
            if !known && !there {
                sets.push(set);
            }
        }
    }
    let bar = Progress::new("fetched", "bytes", sets.iter().map(|s| s.download_bytes()).sum());
    let mut progress = |step: Step<'_>| match step {
        Step::Wait { why } => tell!("waiting: {why}"),
        Step::Bytes { n, .. } => bar.add(n),
        Step::Unpack { file } => bar.set_message(format!("unpacking {file}")),
    };
    let fetched = fetch::fetch(&sets, &folder, &Sources::from_environment(), &Limits::default(), &mut progress);
    bar.finish();
    for (set, folder) in sets.iter().zip(fetched?) {
        say!("{}: {}, {}, licence {}", folder.display(), set.about, set.version, set.licence);
    }
    Ok(())
}

pub fn list(folder: &FolderArgs) -> Result<()> {
    let manifest = Manifest::built_in().map_err(|e| Error::input(e.to_string()))?;
    show!("data sets are kept in {}\n", folder.path()?.display());
    show!("made by dataset make, or when --dataset names them:");
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, what) in NAMES {
        table.add_row([name, what]);
    }
    show!("{table}\n\nfetched by dataset fetch:");
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["set", "what", "licence", "download"]);
    for set in &manifest.sets {
        let size = HumanBytes(set.download_bytes()).to_string();
        table.add_row([&set.name, &set.about, &set.licence, &size]);
    }
    show!("{table}\n\nfor --dataset, once their sets are fetched or FIRSTCONTACT_DATA has them:");
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["name", "what", "sets"]);
    for run in &manifest.runs {
        let of_kinds = run.scene.is_none();
        let name = if of_kinds { format!("{}/KIND", run.name) } else { run.name.clone() };
        table.add_row([name, run.about.clone(), super::named::sets_of(run).join(", ")]);
    }
    show!("{table}");
    show!("KIND: bookshelf_small, bookshelf_tall, bookshelf_thin, box, cage, table_pick, table_under_pick, or all");
    Ok(())
}
