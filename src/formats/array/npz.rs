//! `.npz` archives: `positions`, or the only array; optionally `joint_names` and `times`.
//!
//! Stored arrays are read in place; compressed ones are decompressed into memory, within the limits.

use super::header::Header;
use super::{Array, Layout};
use crate::error::{Error, Result, foreign, quoted};
use crate::formats::MotionOptions;
use crate::formats::named_columns::NamedColumns;
use crate::formats::store::Store;
use crate::formats::stream::unreadable;
use crate::robot::Robot;
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipLocator};
use std::io::{self, Read};

/// The array of motions.
pub(super) const POSITIONS: &str = "positions";
/// Names of the columns.
pub(super) const JOINT_NAMES: &str = "joint_names";
/// Arrays that are ignored: a straight motion is the same at any speed.
const IGNORED: [&str; 1] = ["times"];
/// Arrays that would change the meaning of a motion.
const UNSUPPORTED: [&str; 3] = ["velocities", "accelerations", "lengths"];

/// Maximum number of arrays in one archive; NumPy users save a handful.
const MAX_ENTRIES: usize = 1000;
/// Maximum number of bytes of the joint names.
const MAX_NAME_BYTES: u64 = 1 << 20;

/// Opens the array of motions in an archive of `length` bytes.
pub(super) fn open(store: Store, length: u64, robot: &Robot, options: &MotionOptions) -> Result<Array> {
    let (archive, members) = locate(&store, length)?;
    let motions = choose(&members)?;
    let names = members.iter().find(|m| m.name == JOINT_NAMES).map(|m| joint_names(&archive, m)).transpose()?;
    let columns = names.map(|names| NamedColumns::new(&names, robot, &options.missing_joints)).transpose()?;
    let here = |e: Error| e.at(format!("array {}", quoted(&motions.name)));
    read(&archive, motions, &store, columns, robot, options).map_err(here)
}

/// The arrays in an archive of `length` bytes.
pub(super) fn locate(store: &Store, length: u64) -> Result<(Archive, Vec<Member>)> {
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let located = ZipLocator::new().locate_in_reader(store.clone(), &mut buffer, length);
    let archive = located.map_err(|(_, cause)| damaged(&cause))?;
    let members = members(&archive, &mut buffer)?;
    refuse_other_names(&members)?;
    Ok((archive, members))
}

/// Names by which other programs, and other formats of this library, call the arrays.
const OTHER_NAMES: [(&str, &[&str]); 4] = [
    (JOINT_NAMES, &["joints", "joint", "names", "name", "columns", "joint_name", "jointnames"]),
    ("times", &["time", "times_s", "time_s", "t", "timestamps", "time_from_start"]),
    ("velocities", &["velocity", "vel", "qd"]),
    ("accelerations", &["acceleration", "acc", "qdd"]),
];

/// Returns an error if an array beside `positions` seems to belong to the motions and has another name: without it, the
/// numbers have another meaning.
fn refuse_other_names(members: &[Member]) -> Result<()> {
    let has = |name: &str| members.iter().any(|m| m.name == name);
    if !has(POSITIONS) {
        return Ok(());
    }
    let other = |(name, others): (&'static str, &[&str])| {
        let is_other = |m: &&Member| others.contains(&m.name.to_ascii_lowercase().as_str());
        members.iter().find(is_other).filter(|_| !has(name)).map(|m| (name, m))
    };
    match OTHER_NAMES.into_iter().find_map(other) {
        Some((name, member)) => {
            let error = Error::input(format!("array {} is not used", quoted(&member.name)));
            Err(error.remedy(format!("call it {name}, or leave it out")))
        }
        None => Ok(()),
    }
}

/// An array in an archive.
pub(super) struct Member {
    pub name: String,
    compression: CompressionMethod,
    at: ZipArchiveEntryWayfinder,
}

pub(super) type Archive = ZipArchive<Store>;

fn members(archive: &Archive, buffer: &mut [u8]) -> Result<Vec<Member>> {
    let mut members: Vec<Member> = Vec::new();
    let mut entries = archive.entries(buffer);
    while let Some(entry) = entries.next_entry().map_err(|cause| damaged(&cause))? {
        let file = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let Some(name) = file.strip_suffix(".npy") else { continue };
        if entry.flags().is_encrypted() {
            return Err(Error::input("it is encrypted").at(format!("array {}", quoted(name))));
        }
        if members.iter().any(|m| m.name == name) {
            return Err(Error::input(format!("two arrays are called {}", quoted(name))));
        }
        if members.len() == MAX_ENTRIES {
            return Err(Error::input(format!("more than {MAX_ENTRIES} arrays")));
        }
        members.push(Member { name: name.to_string(), compression: entry.compression_method(), at: entry.wayfinder() });
    }
    if members.len() as u64 > archive.entries_hint() {
        return Err(Error::input("the archive is damaged: it has more arrays than its directory declares"));
    }
    Ok(members)
}

/// The array of motions.
fn choose(members: &[Member]) -> Result<&Member> {
    if let Some(name) = UNSUPPORTED.iter().find(|name| members.iter().any(|m| m.name == **name)) {
        let message = format!("array '{name}' is not supported: motions are straight, from a start to an end");
        return Err(Error::input(message).remedy(format!("save {POSITIONS} without {name}")));
    }
    positions(members, &IGNORED)
}

/// The array called `positions`, or the only one apart from the names and `others`.
pub(super) fn positions<'m>(members: &'m [Member], others: &[&str]) -> Result<&'m Member> {
    if let Some(motions) = members.iter().find(|m| m.name == POSITIONS) {
        return Ok(motions);
    }
    let others: Vec<&Member> =
        members.iter().filter(|m| m.name != JOINT_NAMES && !others.contains(&m.name.as_str())).collect();
    match others[..] {
        [only] => Ok(only),
        [] => Err(Error::input("it has no array of motions").remedy(format!("call the array {POSITIONS}"))),
        _ => {
            let names: Vec<String> = others.iter().take(5).map(|m| quoted(&m.name)).collect();
            let more = if others.len() > names.len() { ", …" } else { "" };
            let message = format!("none of its arrays is called {POSITIONS}: {}{more}", names.join(", "));
            Err(Error::input(message).remedy(format!("call the array of motions {POSITIONS}")))
        }
    }
}

fn read(
    archive: &Archive,
    member: &Member,
    store: &Store,
    columns: Option<NamedColumns>,
    robot: &Robot,
    options: &MotionOptions,
) -> Result<Array> {
    let entry = archive.get_entry(member.at).map_err(|cause| damaged(&cause))?;
    let layout = |header: &Header| match &columns {
        Some(columns) => Layout::new(header, columns.len(), "joint_names has"),
        None => Layout::new(header, robot.columns.len(), "the robot has"),
    };
    if member.compression == CompressionMethod::STORE {
        let (start, end) = entry.compressed_data_range();
        let header = Header::read(&mut io::BufReader::new(store.reader(start).take(end - start)))?;
        let layout = layout(&header)?;
        layout.checked_bytes((end - start).saturating_sub(header.data_offset))?;
        // Portions are read from any position later, so the checksum is verified here.
        let raw = io::BufReader::with_capacity(1 << 16, entry.reader());
        io::copy(&mut entry.verifying_reader(raw), &mut io::sink()).map_err(unreadable)?;
        return Ok(Array { layout, store: store.clone(), offset: start + header.data_offset, columns });
    }
    let mut source = decompressed(archive, member)?;
    let header = Header::read(&mut source)?;
    let layout = layout(&header)?;
    let n_bytes = layout.n_bytes();
    options.limits.check(n_bytes, "its decompressed numbers").map_err(|e| {
        e.remedy("allow more with --memory, or save with numpy.savez: an array that is not compressed stays on disk")
    })?;
    let mut bytes = Vec::new();
    source.take(n_bytes as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    layout.checked_bytes(bytes.len() as u64)?;
    Ok(Array { layout, store: Store::Memory(bytes.into()), offset: 0, columns })
}

/// The contents of an array's file; they are verified when they have been read to the end.
pub(super) fn decompressed<'a>(archive: &'a Archive, member: &Member) -> Result<Box<dyn Read + 'a>> {
    let entry = archive.get_entry(member.at).map_err(|cause| damaged(&cause))?;
    let raw = io::BufReader::new(entry.reader());
    match member.compression {
        CompressionMethod::STORE => Ok(Box::new(entry.verifying_reader(raw))),
        CompressionMethod::DEFLATE => Ok(Box::new(entry.verifying_reader(DeflateDecoder::new(raw)))),
        other => Err(Error::input(format!("its compression, method {}, is not supported", other.as_u16()))
            .remedy("save with numpy.savez or numpy.savez_compressed")),
    }
}

pub(super) fn joint_names(archive: &Archive, member: &Member) -> Result<Vec<String>> {
    let read = || {
        let mut bytes = Vec::new();
        decompressed(archive, member)?.take(MAX_NAME_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_NAME_BYTES {
            return Err(Error::input(format!("it has more than {MAX_NAME_BYTES} bytes")));
        }
        names(&bytes)
    };
    read().map_err(|e: Error| e.at(format!("array '{JOINT_NAMES}'")))
}

/// The strings of a one-dimensional array of type `<U…` or `|S…`.
fn names(bytes: &[u8]) -> Result<Vec<String>> {
    let header = Header::read(&mut &bytes[..])?;
    let wanted = || {
        let message = format!("it is {} of shape {:?}, expected strings", quoted(&header.descr), header.shape);
        Error::input(foreign(&message)).remedy("save numpy.array(['joint', …]), one name for each column")
    };
    let damaged = || Error::input("its names are damaged");
    let order = header.descr.chars().next().filter(|c| "<>=|".contains(*c)).ok_or_else(wanted)?;
    let (kind, length) = header.descr[1..].split_at_checked(1).ok_or_else(wanted)?;
    let length: usize = length.parse().map_err(|_| wanted())?;
    let width = match kind {
        "U" => length.checked_mul(4),
        "S" => Some(length),
        _ => return Err(wanted()),
    };
    let ([n], Some(width)) = (&header.shape[..], width) else { return Err(wanted()) };
    let text = bytes.get(header.data_offset as usize..).ok_or_else(damaged)?;
    // Empty names could claim any count.
    if n.checked_mul(width) != Some(text.len()) || (width == 0 && *n > 0) {
        return Err(damaged());
    }
    let is_big_endian = order == '>';
    let name = |bytes: &[u8]| match kind {
        "U" => {
            let number = |b: &[u8; 4]| if is_big_endian { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
            let characters = bytes.as_chunks().0.iter().map(|b| char::from_u32(number(b)));
            characters.collect::<Option<String>>()
        }
        _ => std::str::from_utf8(bytes).ok().map(str::to_string),
    };
    let all = (0..*n).map(|i| name(&text[i * width..][..width]).ok_or_else(damaged));
    all.map(|name| name.map(|name| name.trim_end_matches('\0').to_string())).collect()
}

fn damaged(cause: &rawzip::Error) -> Error {
    Error::input(format!("it is not a .npz archive, or it is damaged: {}", foreign(cause)))
}
