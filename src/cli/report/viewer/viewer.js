// The view of motions: a glTF file for each data set, an animation for each motion. Needs three.min.js, and no network.
"use strict";
(() => {
  const box = document.getElementById("viewer");
  if (!box) return;
  const part = (name) => box.querySelector(`[data-part="${name}"]`);
  const choice = part("motion"), play = part("play"), slider = part("time"), shown = part("shown-time");
  const toContact = part("contact"), reset = part("reset"), sheer = part("sheer"), says = part("says"), stage = part("stage");

  const PLAY_S = 4; // a motion takes so long on the screen
  const SHEER = 0.22; // opacity of the scene where it is see-through

  /** The chosen motion: its data set, which of its animations, and where it is told and drawn. */
  const chosen = () => {
    const option = choice.selectedOptions[0];
    const figure = document.getElementById(option.dataset.figure);
    return {
      set: option.dataset.set,
      animation: Number(option.dataset.animation),
      azimuth: Number(option.dataset.azimuth ?? 35),
      elevation: Number(option.dataset.elevation ?? 28),
      picture: figure?.querySelector("img")?.src,
      words: figure?.querySelector("figcaption")?.textContent ?? "",
    };
  };

  /** Without WebGL: says so, and shows the picture of the chosen motion. */
  const withoutWebGL = (why) => {
    const show = () => {
      const { picture, words } = chosen();
      const message = document.createElement("p");
      message.textContent = `${why} What is shown instead is the picture of the motion.`;
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
    choice.addEventListener("change", show);
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
  canvas.setAttribute("role", "img");
  stage.replaceChildren(canvas);

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
      renderer.render(scene, camera);
    });
  };

  const files = new Map(); // by data set: a promise of what the loader made
  let model, mixer, action, contact = null, time = 0, playing = null;

  const load = (set) => {
    if (!files.has(set)) {
      const bytes = Uint8Array.from(atob(document.getElementById(set).textContent.trim()), (c) => c.charCodeAt(0));
      files.set(set, new THREE.GLTFLoader().parseAsync(bytes.buffer, "").then(prepare));
    }
    return files.get(set);
  };

  const setTime = (t) => {
    time = Math.min(1, Math.max(0, t));
    slider.value = time;
    shown.textContent = `t = ${time.toFixed(4)}`;
    if (action) {
      action.time = time;
      mixer.update(0);
    }
    draw();
  };

  /** Goes on with what is being played; stops at the first contact, from where it can be played on. */
  const step = (now) => {
    if (!playing) return;
    const t = playing.from + (now - (playing.since ??= now)) / 1000 / PLAY_S;
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

  /** Looks at the motion from where its picture does. */
  const look = () => {
    const { azimuth, elevation } = chosen();
    const { focus_m: [x, y, z], extent_m: extent } = model.parser.json.scenes[0].extras;
    const a = (azimuth * Math.PI) / 180, e = (elevation * Math.PI) / 180;
    // The engine's z is up, glTF's y.
    const turned = (u, v, w) => new THREE.Vector3(u, w, -v);
    controls.target.copy(turned(x, y, z));
    const narrow = Math.min(1, camera.aspect);
    const away = (1.15 * extent) / Math.sin((camera.fov * Math.PI) / 360) / narrow;
    camera.position.copy(controls.target).addScaledVector(turned(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)), away);
    camera.near = away / 500;
    camera.far = away * 50;
    camera.updateProjectionMatrix();
    controls.update();
    draw();
  };

  /** Of a model that was just loaded: marks of contacts shine through what is before them. */
  const prepare = (loaded) => {
    const marks = [];
    loaded.scene.traverse((node) => {
      if (node.material?.name === "contact") marks.push(node);
    });
    for (const mark of marks) {
      const veil = new THREE.Mesh(mark.geometry, mark.material.clone());
      Object.assign(veil.material, { name: "veil", transparent: true, opacity: 0.45, depthTest: false, depthWrite: false });
      veil.renderOrder = 1;
      mark.add(veil);
    }
    return loaded;
  };

  /** Of the scene only the object that the chosen motion touches has the colour of what is touched. */
  const tellTouched = (object) => {
    const meshes = [], materials = {};
    model.scene.traverse((node) => {
      const name = node.material?.name;
      if (name !== "scene" && name !== "touched") return;
      meshes.push(node);
      materials[name] = node.material;
    });
    for (const mesh of meshes) {
      const name = mesh.userData.name ?? mesh.name;
      mesh.material = (name === object ? materials.touched : materials.scene) ?? mesh.material;
    }
  };

  const setSheer = () => {
    model?.scene.traverse(({ material }) => {
      if (!material || (material.name !== "scene" && material.name !== "touched")) return;
      material.transparent = sheer.checked;
      material.opacity = !sheer.checked ? 1 : material.name === "touched" ? 2.5 * SHEER : SHEER;
      material.depthWrite = !sheer.checked;
      material.needsUpdate = true;
    });
    draw();
  };

  const choose = async () => {
    const { set, animation, words } = chosen();
    pause();
    says.textContent = words;
    canvas.setAttribute("aria-label", words);
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
    contact = told.verdict === "contact" ? told.toc[0] : null;
    toContact.disabled = contact === null;
    tellTouched(told.b?.object);
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
  choice.addEventListener("change", chooseSafely);
  controls.addEventListener("change", draw);
  dark.addEventListener("change", paint);
  new ResizeObserver(resize).observe(stage);
  for (const button of document.querySelectorAll("button[data-show]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      choice.value = button.dataset.show;
      chooseSafely();
      box.scrollIntoView({ block: "start" });
    });
  }
  resize();
  paint();
  chooseSafely();
})();
