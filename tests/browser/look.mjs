// look.mjs URL [FOLDER]: opens a landing page as people do - on a desk, on a phone, in the dark, without JavaScript, by
// keyboard - and prints what it saw as one JSON object. To judge that is the caller's part. With FOLDER it leaves
// screenshots there.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(new URL("../../build/browser/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [url, folder] = process.argv.slice(2);
const seen = { errors: [], elsewhere: [], dialogs: [], violations: {}, overflow: {} };
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});

/** Opens the page in a fresh context and notes everything that goes wrong on it. */
async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
  page.on("dialog", (dialog) => (seen.dialogs.push(dialog.message()), dialog.dismiss()));
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(new URL(url).origin) && !to.startsWith("data:")) seen.elsewhere.push(to);
  });
  await page.goto(url, { waitUntil: "load" });
  return page;
}

/** How the page looks: accessibility violations, and whether it is wider than the screen. */
async function judge(page, name) {
  await page.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  seen.violations[name] = violations.map((found) => ({ id: found.id, at: found.nodes.map((node) => node.html) }));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  seen.overflow[name] = wide - page.viewportSize().width;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

const rows = (page) => page.locator("tbody tr:visible").count();

try {
  const desk = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  await desk.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
  await judge(desk, "desk");
  await desk.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = false)));

  seen.commands = await desk.locator(".command code").allTextContents();
  seen.copied = [];
  for (const button of await desk.locator("button.copy").all()) {
    await button.click();
    seen.copied.push(await desk.evaluate(() => navigator.clipboard.readText()));
  }

  seen.rows = await rows(desk);
  await desk.getByLabel("Filter wheels").fill("TORCH vision");
  seen.filtered = { rows: await rows(desk), said: await desk.locator("output").textContent() };
  await desk.getByLabel("Filter wheels").fill("no such wheel");
  seen.nothing = { rows: await rows(desk), indexes: await desk.locator("section.index:visible").count() };
  await desk.getByLabel("Filter wheels").fill("");
  seen.unfiltered = await rows(desk);
  seen.injected = await desk.evaluate(() => [globalThis.injected ?? null, document.querySelectorAll("table img, table script").length]);

  const keys = await open({});
  seen.keyboard = [];
  const inside = () => keys.evaluate(() => {
    const at = document.activeElement;
    const shown = getComputedStyle(at).outlineStyle !== "none" && at.getBoundingClientRect().width > 0;
    const text = at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent;
    return { what: at.tagName.toLowerCase(), text: text.trim(), shown };
  });
  for (let presses = 0; presses < 200; presses += 1) {
    await keys.keyboard.press("Tab");
    const at = await inside();
    if (at.what === "body") break;
    seen.keyboard.push(at);
    if (at.what === "summary") {
      await keys.keyboard.press("Enter");
      at.opened = await keys.evaluate(() => document.activeElement.parentElement.open);
    }
  }

  await judge(await open({ colorScheme: "dark" }), "dark");
  await judge(await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }), "phone");

  const plain = await open({ javaScriptEnabled: false });
  seen.plain = {
    rows: await rows(plain),
    commands: await plain.locator(".command code:visible").count(),
    buttons: await plain.locator("button:visible").count(),
    filter: await plain.locator("#filter:visible").count(),
  };
} finally {
  await browser.close();
}
process.stdout.write(`${JSON.stringify(seen)}\n`);
