//!use lib/separation
// The scene's triangles. A kernel that uses this declares `scene_triangles`.

// Maximum number of triangles of a cluster.
const CLUSTER_SIZE: u32 = 32u;

struct SceneTriangle {
    y0: vec3<f32>,
    error: f32,
    y1: vec3<f32>,
    object: u32,
    y2: vec3<f32>,
    padding: u32,
}

fn standing(i: u32) -> Standing {
    let t = scene_triangles[i];
    return Standing(t.y0, t.y1, t.y2, t.error);
}
