//! Writing a data set into a folder.

use super::Dataset;
use super::files::{npy, obj, urdf};
use super::motions::{FreeCheck, Progress, Sampling};
use super::summary::{MotionSummary, SceneSummary, Summary};
use firstcontact::error::{Result, input_error};
use firstcontact::io::output;
use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The largest angles of a joint per motion file, degrees.
pub const THETA_MAX_DEG: [f64; 5] = [1.0, 5.0, 15.0, 30.0, 60.0];

/// Options for writing a data set.
#[derive(Clone, Copy, Debug)]
pub struct MakeOptions {
    /// Motions per largest angle.
    pub n_motions: usize,
}

impl Default for MakeOptions {
    /// 1,000 motions per largest angle.
    fn default() -> Self {
        Self { n_motions: 1000 }
    }
}

/// The file that describes the folder; it is written last, so a folder with it is complete.
const DESCRIPTION: &str = "dataset.json";

impl Dataset {
    /// Writes `robot.urdf` and `robot/*.obj`; for a set with a scene also `<scene>.obj` and
    /// `motions-<scene>-<θmax>deg.npy`; and finally `dataset.json`, which describes them.
    ///
    /// Every file is written under another name in its folder and renamed when it is complete. `is_free` is called for
    /// batches of random starts, and `progress` after each of them.
    ///
    /// # Errors
    /// A file cannot be written, `is_free` fails, or too few random starts are free.
    pub fn write(
        &self,
        out: &Path,
        options: &MakeOptions,
        is_free: &mut FreeCheck<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Summary> {
        let description = out.join(DESCRIPTION);
        match fs::remove_file(&description) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(input_error(&description)(&e)),
            _ => {}
        }
        let mut summary = Summary::new(self);
        self.write_geometry(out, &mut summary)?;
        if let Some(scene) = &self.scene {
            for theta_max_deg in THETA_MAX_DEG {
                let file = format!("motions-{}-{theta_max_deg}deg.npy", scene.name);
                let sampling = Sampling {
                    arm: &self.arm,
                    set: &self.name,
                    seed: self.seed,
                    theta_max_deg,
                    n_motions: options.n_motions,
                };
                let mut starts_tried = 0;
                npy::write(&out.join(&file), options.n_motions, self.arm.n_columns(), |push| {
                    starts_tried = sampling.run(is_free, progress, push)?;
                    Ok(())
                })?;
                summary.files.push(file.clone());
                summary.motions.push(MotionSummary { file, theta_max_deg, motions: options.n_motions, starts_tried });
            }
        }
        output::write(&description, |out| {
            let trouble = input_error(&description);
            serde_json::to_writer_pretty(&mut *out, &summary).map_err(|e| trouble(&e))?;
            writeln!(out).map_err(|e| trouble(&e))
        })?;
        Ok(summary)
    }

    fn write_geometry(&self, out: &Path, summary: &mut Summary) -> Result<()> {
        let files = &mut summary.files;
        let comment = format!(
            "firstcontact data set {}, seed {}, generator version {}{}",
            self.name,
            self.seed,
            super::GENERATOR_VERSION,
            if self.scale == 1 { String::new() } else { format!(", scale {}", self.scale) }
        );
        urdf::write(&out.join("robot.urdf"), &comment, &self.arm)?;
        files.push("robot.urdf".into());
        let mut seen = BTreeSet::new();
        for link in &self.arm.links {
            if seen.insert(&link.mesh_file) {
                let file = format!("{}/{}.obj", urdf::MESH_FOLDER, link.mesh_file);
                obj::write(&out.join(&file), &comment, |push| push(&link.mesh_file, &link.part.mesh))?;
                files.push(file);
            }
        }
        if let Some(scene) = &self.scene {
            let file = format!("{}.obj", scene.name);
            // One object at a time: a scaled scene need not fit into memory.
            let mut gathered = SceneSummary::gather(&scene.name, self.reach);
            obj::write(&out.join(&file), &comment, |push| {
                self.each_part(&mut |part| {
                    gathered.add(part);
                    push(&part.name, &part.mesh)
                })
            })?;
            files.push(file);
            summary.scene = Some(gathered.finish());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::fnv1a;
    use super::super::{DEFAULT_SEED, GENERATOR_VERSION};
    use super::*;
    use firstcontact::error::Error;
    use glam::DVec3;

    /// Configurations whose first joint is positive are free: the files do not depend on the engine.
    fn half(starts: &[Vec<f64>]) -> Result<Vec<bool>> {
        Ok(starts.iter().map(|q| q[0] > 0.0).collect())
    }

    fn make(name: &str, seed: u64, out: &Path) -> Summary {
        let set = Dataset::generate(name, seed, 1).unwrap();
        set.write(out, &MakeOptions { n_motions: 20 }, &mut half, &mut |_| ()).unwrap()
    }

    /// The names of all files below a folder, with the hashes of their bytes.
    fn hashes(folder: &Path) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(at) = folders.pop() {
            for entry in fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                    found.push((name, fnv1a(&fs::read(&path).unwrap())));
                }
            }
        }
        found.sort();
        found
    }

    /// Pins the bytes of every file of seed 2004.
    ///
    /// The pins do not show that the files are good; they ensure that the same seed results in the same bytes in every
    /// build and on every platform, which is the purpose of a seed. An intended change of a generator changes the pins
    /// together with [`GENERATOR_VERSION`]; a change in only some builds or on some machines is a fault.
    #[test]
    fn seed_2004_gives_these_bytes_everywhere() {
        assert_eq!(GENERATOR_VERSION, 1, "update the hashes");
        let mut found = Vec::new();
        for name in ["puma", "pipes", "amr", "chain-10"] {
            let folder = tempfile::tempdir().unwrap();
            make(name, DEFAULT_SEED, folder.path());
            for (file, hash) in hashes(folder.path()) {
                // The robot is the same in all sets except for the comment with the set's name.
                if name == "puma" || name == "chain-10" || !file.starts_with("robot") {
                    found.push(format!("{name}/{file} {hash:016x}"));
                }
            }
        }
        let pinned: Vec<&str> = PINS.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        assert_eq!(found, pinned, "\n{}", found.join("\n"));
    }

    const PINS: &str = "
        puma/dataset.json c69a9b346112afc8
        puma/robot.urdf ac76774a0a36c2f3
        puma/robot/link0.obj 97ff907ba534e5b7
        puma/robot/link1.obj 07e7dca443cf15df
        puma/robot/link2.obj 6409d1015f2a6bac
        puma/robot/link3.obj 2facf591e7c9fde4
        puma/robot/link4.obj 332b02ecd29adf38
        puma/robot/link5.obj 87388e7588217778
        puma/robot/link6.obj 43dcc94f578bd649
        pipes/dataset.json 65175a80f6a4648c
        pipes/motions-pipes-15deg.npy e029de7b37a93788
        pipes/motions-pipes-1deg.npy 2bf40fe6d0a6363b
        pipes/motions-pipes-30deg.npy e921d47995a8206b
        pipes/motions-pipes-5deg.npy ad4ff545f808d21c
        pipes/motions-pipes-60deg.npy 261ef93227786fde
        pipes/pipes.obj e9aa67240bd31193
        amr/amr.obj 905e3aee3de2a8af
        amr/dataset.json ec9a2aebdf0b2671
        amr/motions-amr-15deg.npy 7091fd3e90786d7f
        amr/motions-amr-1deg.npy 8b0875a68dde4009
        amr/motions-amr-30deg.npy 2baaba50bc20731d
        amr/motions-amr-5deg.npy e1d18da7c3dfe130
        amr/motions-amr-60deg.npy a1adfbb68161e0a1
        chain-10/dataset.json 73e5e442588662fa
        chain-10/motions-obstacles-15deg.npy 54e762e5e8c22e7b
        chain-10/motions-obstacles-1deg.npy 4702e204f023885d
        chain-10/motions-obstacles-30deg.npy d0fc22d349bdf814
        chain-10/motions-obstacles-5deg.npy bc545f4e5f17f384
        chain-10/motions-obstacles-60deg.npy 84d51648391c5fc8
        chain-10/obstacles.obj 47d452ac11c0d492
        chain-10/robot.urdf 8307a91ca9bfaf70
        chain-10/robot/base.obj cfeb81f08c3908d4
        chain-10/robot/link_y.obj 9830d3f99544d891
        chain-10/robot/link_z.obj d71773d12b84da74
    ";

    #[test]
    fn the_seed_decides_the_bytes() {
        for name in ["pipes", "chain-10"] {
            let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
            for (folder, seed) in folders.iter().zip([5, 5, 6]) {
                make(name, seed, folder.path());
            }
            let [a, b, c] = folders.each_ref().map(|f| hashes(f.path()));
            assert_eq!(a, b);
            assert!(a.iter().zip(&c).all(|(x, y)| x.0 == y.0 && x.1 != y.1), "comments name the seed in every file");
        }
    }

    /// A larger scene begins with the smaller one, and has the same motions.
    #[test]
    fn a_scaled_set_begins_with_the_unscaled_one() {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        for (folder, scale) in folders.iter().zip([1, 3]) {
            let set = Dataset::generate("amr", 2004, scale).unwrap();
            let summary = set.write(folder.path(), &MakeOptions { n_motions: 5 }, &mut half, &mut |_| ()).unwrap();
            let scene = summary.scene.unwrap();
            assert_eq!((scene.objects, scene.triangles), (1_180 * scale as usize, 187_000 * scale as usize));
            assert_eq!((summary.scale, set.scene().unwrap().unwrap().triangles.len()), (scale, scene.triangles));
        }
        let read = |i: usize, name: &str| fs::read(folders[i].path().join(name)).unwrap();
        let body = |i| read(i, "amr.obj").into_iter().skip_while(|&b| b != b'\n').collect::<Vec<u8>>();
        assert!(body(1).starts_with(&body(0)) && body(1).len() > 2 * body(0).len());
        assert!(read(0, "motions-amr-30deg.npy") == read(1, "motions-amr-30deg.npy"));
    }

    #[test]
    fn the_description_lists_all_files() {
        let folder = tempfile::tempdir().unwrap();
        let summary = make("pipes", 3, folder.path());
        let text = fs::read_to_string(folder.path().join(DESCRIPTION)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["name"], &json["seed"]), (&"pipes".into(), &3.into()));
        assert_eq!(json["generator_version"], GENERATOR_VERSION);
        assert_eq!(json["scene"]["triangles"], 38_000);
        let mut listed: Vec<String> =
            json["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap().to_string()).collect();
        assert_eq!(listed, summary.files);
        listed.push(DESCRIPTION.into());
        listed.sort();
        assert_eq!(hashes(folder.path()).into_iter().map(|h| h.0).collect::<Vec<_>>(), listed);
        for theta in ["1", "5", "15", "30", "60"] {
            assert!(listed.contains(&format!("motions-pipes-{theta}deg.npy")));
        }
    }

    #[test]
    fn scenes_and_robots_are_read_back_as_they_are_in_memory() {
        for name in ["amr", "chain-10"] {
            let folder = tempfile::tempdir().unwrap();
            make(name, 4, folder.path());
            let set = Dataset::generate(name, 4, 1).unwrap();
            let scene = set.scene().unwrap().unwrap();
            let file = folder.path().join(format!("{}.obj", set.scene.as_ref().unwrap().name));
            let (models, _) = tobj::load_obj(file, &tobj::LoadOptions::default()).unwrap();
            assert_eq!(models.len(), scene.objects.len());
            let corners = |m: &tobj::Mesh| -> Vec<DVec3> {
                m.indices.iter().map(|&i| DVec3::from_slice(&m.positions[3 * i as usize..])).collect()
            };
            let mut triangles = Vec::new();
            for (model, object) in models.iter().zip(&scene.objects) {
                assert_eq!(model.name, object.name);
                assert_eq!(model.mesh.indices.len(), 3 * object.n_triangles as usize);
                triangles.extend(corners(&model.mesh));
            }
            assert_eq!(triangles, scene.triangles.concat());
            for link in &set.arm.links {
                let file = folder.path().join(format!("robot/{}.obj", link.mesh_file));
                let (models, _) = tobj::load_obj(file, &tobj::LoadOptions::default()).unwrap();
                let in_memory: Vec<DVec3> = link.part.mesh.soup().flatten().collect();
                assert_eq!(corners(&models[0].mesh), in_memory, "links that share a file share a shape");
            }
        }
    }

    #[test]
    fn a_failure_leaves_only_complete_files_and_no_description() {
        let folder = tempfile::tempdir().unwrap();
        make("pipes", 1, folder.path());
        let set = Dataset::generate("pipes", 1, 1).unwrap();
        let mut calls = 0;
        let mut fails = |starts: &[Vec<f64>]| {
            calls += 1;
            if calls == 3 { Err(Error::usage("stop")) } else { half(starts) }
        };
        let error = set.write(folder.path(), &MakeOptions { n_motions: 20 }, &mut fails, &mut |_| ()).unwrap_err();
        assert_eq!(error.to_string(), "stop");
        let left = hashes(folder.path());
        assert!(left.iter().all(|(name, _)| name != DESCRIPTION && !name.ends_with(".part")), "{left:?}");
    }

    #[test]
    fn an_error_names_the_folder_that_cannot_be_created() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("taken"), b"").unwrap();
        let set = Dataset::generate("puma", 1, 1).unwrap();
        let out = folder.path().join("taken");
        let error = set.write(&out, &MakeOptions::default(), &mut half, &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
    }

    #[test]
    fn progress_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let set = Dataset::generate("pipes", 1, 1).unwrap();
        let mut told = Vec::new();
        set.write(folder.path(), &MakeOptions { n_motions: 3 }, &mut half, &mut |p| told.push(p)).unwrap();
        assert_eq!(told.len(), THETA_MAX_DEG.len());
        assert!(told.iter().all(|p| p.n_made == 3 && p.n_motions == 3 && p.n_tried >= 3));
    }
}
