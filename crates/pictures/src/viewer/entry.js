// What the page needs of three.js, as one script that defines THREE; README.md says how it is made.
export {
  AnimationMixer,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
export { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
