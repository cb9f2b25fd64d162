// The view of motions: a glTF file for each robot and scene, an animation for each motion. Needs three.min.js, no
// network.
"use strict";
(() => {
  const box = document.getElementById("viewer");
  if (!box) return;
  const part = (name) => box.querySelector(`[data-part="${name}"]`);
  const choice = part("motion"), play = part("play"), slider = part("time"), shown = part("shown-time");
  const toContact = part("contact"), reset = part("reset"), sheer = part("sheer"), says = part("says");
  const stage = part("stage"), previous = part("previous"), next = part("next"), tick = part("tick");

  const PLAY_S = 4; // duration of a motion on the screen
  const SHEER = 0.22; // opacity of a see-through scene
  const TURN_RAD = Math.PI / 36; // turn of one key press
  const ZOOM = 1.12; // change of distance of one key press
  const CUT = 1.4; // what is nearer to the camera than the motion by this share of its size is cut away

  /** The chosen motion: its file and animation, its caption, and the picture of it. */
  const chosen = () => {
    const option = choice.selectedOptions[0];
    const figure = document.getElementById(option.dataset.figure);
    return {
      set: option.dataset.set,
      animation: Number(option.dataset.animation),
      azimuth: option.dataset.azimuth,
      elevation: option.dataset.elevation,
      picture: figure?.querySelector("img")?.src,
      words: figure?.querySelector("figcaption")?.textContent ?? "",
    };
  };

  /** Chooses the motion that is `by` places further in the list, around its end. */
  const go = (by) => {
    choice.selectedIndex = (choice.selectedIndex + by + choice.length) % choice.length;
    choice.onchange();
  };
  previous.addEventListener("click", () => go(-1));
  next.addEventListener("click", () => go(1));

  /** Without WebGL: says so, and shows the picture of the chosen motion if there is one. */
  const withoutWebGL = (why) => {
    const show = () => {
      const { picture, words } = chosen();
      const message = document.createElement("p");
      message.textContent = picture ? `${why} The picture of the motion is shown instead.` : why;
      stage.replaceChildren(message);
      if (picture) {
        const image = document.createElement("img");
        image.src = picture;
        image.alt = words;
        stage.append(image);
      }
      says.textContent = words;
    };
    stage.classList.add("flat");
    for (const control of [play, slider, toContact, reset, sheer]) control.disabled = true;
    tick.hidden = true;
    choice.onchange = show;
    box.dataset.ready = "flat";
    show();
  };

  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({ antialias: true });
  } catch {
    withoutWebGL("This browser has no WebGL.");
    return;
  }
  const canvas = renderer.domElement;
  canvas.setAttribute("role", "application");
  canvas.tabIndex = 0;
  const badge = document.createElement("p");
  badge.className = "badge";
  const ring = document.createElement("span");
  ring.className = "ring";
  ring.hidden = true;
  stage.replaceChildren(canvas, ring, badge);

  const scene = new THREE.Scene();
  const camera = new THREE.PerspectiveCamera(32, 1.6, 0.01, 1000);
  const controls = new THREE.OrbitControls(camera, canvas);
  const sun = new THREE.DirectionalLight(0xffffff, 2.2);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8b8378, 1.7), camera);
  camera.add(sun); // it shines from over the shoulder
  sun.position.set(-0.6, 0.9, 0.4);
  camera.add(sun.target);
  sun.target.position.set(0, 0, -1);

  // Frames are drawn when something has changed.
  let awaited = false;
  const draw = () => {
    if (awaited) return;
    awaited = true;
    requestAnimationFrame((now) => {
      awaited = false;
      step(now);
      cutAway();
      renderer.render(scene, camera);
      placeRing();
    });
  };

  /** Puts the near plane between the motion and what hides it, but never through the robot. */
  const cutAway = () => {
    if (!model) return;
    const away = camera.position.distanceTo(controls.target);
    let near = away - CUT * extent;
    scene.updateMatrixWorld();
    const toward = camera.getWorldDirection(new THREE.Vector3()), middle = new THREE.Vector3();
    for (const link of links) {
      const { center, radius } = link.geometry.boundingSphere;
      const depth = middle.copy(center).applyMatrix4(link.matrixWorld).sub(camera.position).dot(toward);
      near = Math.min(near, depth - radius);
    }
    camera.near = sheer.checked ? Math.max(near, away / 500) : away / 500;
    camera.far = away * 50;
    camera.updateProjectionMatrix();
  };

  /** Puts a ring around the contact, so that it is seen at any size. */
  const placeRing = () => {
    ring.hidden = !mark || contact === null;
    if (ring.hidden) return;
    const at = mark.getWorldPosition(new THREE.Vector3()).project(camera);
    ring.hidden = Math.abs(at.x) > 1 || Math.abs(at.y) > 1 || at.z > 1;
    ring.style.left = `${50 + 50 * at.x}%`;
    ring.style.top = `${50 - 50 * at.y}%`;
  };

  const files = new Map(); // by data set: a promise of what the loader made
  let model, mixer, action, links = [], mark = null, extent = 1;
  let contact = null, clearUntil = null, time = 0, playing = null;
  let event = ""; // the contact in words
  let clock = null; // of a trajectory: its unit, and the times at the ends of its segments

  const load = (set) => {
    if (!files.has(set)) {
      const bytes = Uint8Array.from(atob(document.getElementById(set).textContent.trim()), (c) => c.charCodeAt(0));
      files.set(set, new THREE.GLTFLoader().parseAsync(bytes.buffer, "").then(prepare));
    }
    return files.get(set);
  };

  /** The time of the animation, seconds: that of the trajectory from its first point on, or the share of the motion. */
  const length = () => (clock ? clock.knots.at(-1) - clock.knots[0] : 1);
  const share = (t) => (clock ? (t - clock.knots[0]) / length() : t);

  /**
   * A share of the motion in words: for a trajectory its time and its segment, which begins after the one before ends.
   */
  const inWords = (t) => {
    if (!clock) return `t = ${t.toFixed(4)}`;
    const { knots, unit } = clock, at = knots[0] + t * length();
    let [lo, hi] = [0, knots.length - 2];
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (knots[middle + 1] >= at) hi = middle;
      else lo = middle + 1;
    }
    if (unit === "s") return `${at.toFixed(3)} s, segment ${lo}`;
    return `segment ${lo}, t = ${Math.min(1, at - knots[lo]).toFixed(4)}`;
  };

  const setTime = (t) => {
    time = Math.min(1, Math.max(0, t));
    slider.value = time;
    shown.textContent = inWords(time);
    slider.setAttribute("aria-valuetext", `${shown.textContent}, ${state()[1]}`);
    [badge.dataset.state, badge.textContent] = state();
    if (action) {
      action.time = time * length();
      mixer.update(0);
    }
    setMark();
    draw();
  };

  /** The answer for the present time: a word for the style, and a text. */
  const state = () => {
    if (contact !== null) {
      if (Math.abs(time - contact) < 1e-6) return ["contact", event];
      return time < contact ? ["free", `before the ${event}`] : ["after", `after the ${event}`];
    }
    if (clearUntil === null) return ["free", "free"];
    return time < clearUntil ? ["free", "free so far"] : ["undecided", "undecided"];
  };

  /** Before the first contact its mark is pale, from then on it is bright. */
  const setMark = () => {
    const reached = contact !== null && time >= contact - 1e-6;
    for (const veil of model?.veils ?? []) veil.material.opacity = reached ? 0.75 : 0.3;
    ring.dataset.reached = reached;
  };

  /** Goes on with what is being played; stops at the first contact, from where it can be played on. */
  const step = (now) => {
    if (!playing) return;
    const seconds = clock?.unit === "s" ? length() : PLAY_S; // trajectories with times play as fast as they are
    const t = playing.from + (now - (playing.since ??= now)) / 1000 / seconds;
    const until = contact !== null && playing.from < contact - 1e-6 ? contact : 1;
    if (t >= until) pause();
    setTime(Math.min(t, until));
  };
  const pause = () => {
    playing = null;
    play.textContent = "Play";
  };
  const start = () => {
    playing = { from: time >= 1 ? 0 : time };
    play.textContent = "Pause";
    draw();
  };

  /** Looks at the motion from the direction of its picture, or the one that its file names. */
  const look = () => {
    if (!model) return;
    const { azimuth, elevation, animation } = chosen();
    const frame = model.parser.json.scenes[0].extras.motions[animation];
    const [x, y, z] = frame.focus_m;
    extent = frame.extent_m;
    const radians = (degrees) => (Number(degrees) * Math.PI) / 180;
    const a = radians(azimuth ?? frame.azimuth_deg), e = radians(elevation ?? frame.elevation_deg);
    // The engine's z is up, glTF's y.
    const turned = (u, v, w) => new THREE.Vector3(u, w, -v);
    controls.target.copy(turned(x, y, z));
    const narrow = Math.min(1, camera.aspect);
    const away = (1.15 * extent) / Math.sin((camera.fov * Math.PI) / 360) / narrow;
    const direction = turned(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e));
    camera.position.copy(controls.target).addScaledVector(direction, away);
    controls.update();
    draw();
  };

  /** Makes the marks of contacts of a loaded model shine through what hides them, and finds its materials and links. */
  const prepare = (loaded) => {
    const marks = [];
    Object.assign(loaded, { veils: [], links: [], objects: [], materials: {}, marks });
    loaded.scene.traverse((node) => {
      const name = node.material?.name;
      if (name === "contact") marks.push(node);
      if (name === "robot") loaded.links.push(node);
      if (name === "scene" || name === "touched") loaded.objects.push(node);
      if (name) loaded.materials[name] = node.material;
      node.geometry?.computeBoundingSphere();
    });
    for (const mark of marks) {
      const veil = new THREE.Mesh(mark.geometry, mark.material.clone());
      Object.assign(veil.material, { name: "veil", transparent: true, depthTest: false, depthWrite: false });
      veil.renderOrder = 1;
      mark.add(veil);
      loaded.veils.push(veil);
    }
    return loaded;
  };

  const nameOf = (node) => node.userData.name ?? node.name;

  /** Colours the object that the chosen motion touches, and no other. */
  const colourTouched = (object) => {
    const { objects, materials } = model;
    for (const mesh of objects) {
      mesh.material = (nameOf(mesh) === object ? materials.touched : materials.scene) ?? mesh.material;
    }
  };

  const setSheer = () => {
    for (const material of [model?.materials.scene, model?.materials.touched]) {
      if (!material) continue;
      material.transparent = sheer.checked;
      material.opacity = !sheer.checked ? 1 : material.name === "touched" ? 2.5 * SHEER : SHEER;
      material.depthWrite = !sheer.checked;
      material.needsUpdate = true;
    }
    draw();
  };

  const choose = async () => {
    const { set, animation, words } = chosen();
    pause();
    says.textContent = words;
    canvas.setAttribute("aria-label", `${words}; arrow keys turn the view, space plays`);
    const loaded = await load(set);
    if (chosen().set !== set || chosen().animation !== animation) return;
    if (model) scene.remove(model.scene);
    action?.stop();
    model = loaded;
    scene.add(model.scene);
    mixer = new THREE.AnimationMixer(model.scene);
    action = mixer.clipAction(model.animations[animation]);
    action.play();
    action.paused = true; // its time is set from here
    const told = model.parser.json.animations[animation].extras;
    clock = model.parser.json.scenes[0].extras.motions[animation].clock ?? null;
    contact = told.verdict === "contact" ? share(clock ? clock.contact : told.toc[0]) : null;
    event = `${told.proved === false ? "possible" : told.initial_overlap ? "" : "first"} contact`.trim();
    if (told.initial_overlap) event += " at the start";
    clearUntil = told.verdict === "undecided" ? share(clock ? clock.clear_until : told.clear_until) : null;
    toContact.disabled = contact === null;
    tick.hidden = contact === null;
    tick.style.setProperty("--at", contact ?? 0);
    links = model.links;
    mark = model.marks.find((node) => nameOf(node) === `contact ${told.motion}`) ?? null;
    colourTouched(told.b?.object);
    setSheer();
    setTime(contact ?? 0);
    look();
    box.dataset.ready = choice.value;
  };
  const chooseSafely = () => choose().catch((error) => withoutWebGL(`The motion cannot be shown (${error.message}).`));

  const resize = () => {
    const { width, height } = stage.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    draw();
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    scene.background = new THREE.Color(dark.matches ? 0x20262e : 0xdbe3eb);
    draw();
  };

  play.addEventListener("click", () => (playing ? pause() : start()));
  slider.addEventListener("input", () => {
    pause();
    setTime(Number(slider.value));
  });
  toContact.addEventListener("click", () => {
    pause();
    setTime(contact);
  });
  reset.addEventListener("click", look);
  sheer.addEventListener("change", setSheer);
  choice.onchange = chooseSafely;
  controls.addEventListener("change", draw);

  /** Turns the camera about what it looks at, and changes its distance by a factor. */
  const turn = (right, up, factor) => {
    const way = camera.position.clone().sub(controls.target);
    const length = way.length();
    const azimuth = Math.atan2(way.x, way.z) + right * TURN_RAD;
    const elevation = Math.asin(Math.max(-1, Math.min(1, way.y / length))) + up * TURN_RAD;
    const e = Math.max(-1.55, Math.min(1.55, elevation));
    way.set(Math.sin(azimuth) * Math.cos(e), Math.sin(e), Math.cos(azimuth) * Math.cos(e));
    camera.position.copy(controls.target).addScaledVector(way, length * factor);
    controls.update();
    draw();
  };
  const keys = {
    " ": () => play.click(),
    c: () => toContact.click(),
    r: look,
    n: () => go(1),
    p: () => go(-1),
    arrowleft: () => turn(-1, 0, 1),
    arrowright: () => turn(1, 0, 1),
    arrowup: () => turn(0, 1, 1),
    arrowdown: () => turn(0, -1, 1),
    "+": () => turn(0, 0, 1 / ZOOM),
    "=": () => turn(0, 0, 1 / ZOOM),
    "-": () => turn(0, 0, ZOOM),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  dark.addEventListener("change", paint);
  new ResizeObserver(resize).observe(stage);
  for (const button of document.querySelectorAll("button[data-show]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      choice.value = button.dataset.show;
      choice.onchange();
      box.scrollIntoView({ block: "start" });
    });
  }
  resize();
  paint();
  chooseSafely();
})();
