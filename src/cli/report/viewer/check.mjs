// Opens a page in headless Chromium without a network, at desktop and phone width; README.md says how to run it.
import { chromium } from "playwright-core";
import path from "node:path";
import { pathToFileURL } from "node:url";

const page_file = path.resolve(process.argv[2] ?? "report.html");
const stem = page_file.replace(/\.html$/, "");
const flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const faults = [];

async function visit({ name, width, height, dark, webgl }) {
  const args = webgl ? flags : [...flags.slice(0, -2), "--disable-gpu", "--disable-3d-apis"];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", offline: true });
  const page = await context.newPage();
  const fault = (what) => faults.push(`${name}: ${what}`);
  page.on("pageerror", (e) => fault(`error: ${e.message}`));
  page.on("console", (m) => {
    // Drivers in software warn of reads that stall; a browser without WebGL says that it has none.
    const about_driver = /GL Driver Message|GPU stall/.test(m.text()) || (!webgl && /WebGL/.test(m.text()));
    if (["error", "warning"].includes(m.type()) && !about_driver) fault(`console: ${m.text()}`);
  });
  page.on("request", (r) => {
    if (!/^(file|data|blob):/.test(r.url())) fault(`asks for ${r.url()}`);
  });
  await page.goto(pathToFileURL(page_file).href);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (sideways > 0) fault(`scrolls sideways by ${sideways} pixels`);
  await page.screenshot({ path: `${stem}-${name}.png` });
  const viewer = page.locator("#viewer");
  if (await viewer.count()) {
    const ready = (value) => page.waitForFunction((v) => document.getElementById("viewer").dataset.ready === v, value, { timeout: 60000 });
    const choice = viewer.locator("select");
    if (webgl) {
      for (const value of await choice.locator("option").evaluateAll((options) => options.map((o) => o.value))) {
        await choice.selectOption(value);
        await ready(value);
      }
      const stage = viewer.locator(".stage");
      const at = async (t) => {
        await viewer.locator("input[type=range]").fill(String(t));
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        return (await stage.screenshot()).toString("base64");
      };
      if ((await at(0)) === (await at(1))) fault("the motion is not drawn");
      // Playing from the start stops at the first contact if there is one, and goes on from there to the end.
      const play = viewer.locator('[data-part="play"]'), contact = viewer.locator('[data-part="contact"]');
      const stopped = () => page.waitForFunction(() => document.querySelector('[data-part="play"]').textContent === "Play");
      const time = () => viewer.locator("output").innerText();
      await at(0);
      await play.click();
      await stopped();
      if (await contact.isEnabled()) {
        const there = await time();
        await play.click();
        await stopped();
        await contact.click();
        if (there === "t = 1.0000" || (await time()) !== there) fault(`does not stop at the first contact: ${there}`);
      } else if ((await time()) !== "t = 1.0000") {
        fault("does not play to the end");
      }
    } else if ((await viewer.locator(".stage p").innerText()).indexOf("no WebGL") < 0) {
      fault("does not say that there is no WebGL");
    }
    await viewer.scrollIntoViewIfNeeded();
    await viewer.screenshot({ path: `${stem}-${name}-viewer.png` });
  }
  await page.screenshot({ path: `${stem}-${name}-whole.png`, fullPage: true });
  await browser.close();
}

await visit({ name: "desktop", width: 1280, height: 900, dark: false, webgl: true });
await visit({ name: "phone", width: 390, height: 844, dark: true, webgl: true });
await visit({ name: "flat", width: 1280, height: 900, dark: false, webgl: false });
faults.forEach((f) => console.error(f));
console.log(faults.length ? `${faults.length} faults` : "no faults");
process.exit(faults.length ? 1 : 0);
