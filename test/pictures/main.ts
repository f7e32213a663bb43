/**
 * `npm run pictures` makes the pictures of the README again: it starts the local runner on chains with a day of trades,
 * signs in to the console, trades in front of a camera, and writes docs/pictures.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { requestToken } from "cdk-local-runner";
import { chromium, type Page } from "playwright-core";
import { createTerminal, type OrderRequest } from "trading-terminal-client";
import type { EvmChain } from "trading-terminal-devnet/chain-facts";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import { launchOptions } from "../../lib/console/test/support/chromium.ts";
import { startRunner } from "../e2e/support/runner.ts";
import { openCamera } from "./camera.ts";
import { type Course, keepTrading, type LiveMarket, playPast } from "./course.ts";
import { animationMs, checkSize, fitted, joinEqual } from "./frames.ts";
import { playTrade } from "./trade-story.ts";

const { moon, star } = localAddresses;

/** Chains on which the pictures show tokens, with what happened there before. */
const courses = {
  base: {
    token: moon,
    isShown: true,
    points: [
      [1500, 1],
      [1100, 0.93],
      [700, 1.02],
      [300, 0.97],
      [100, 1.05],
      [72, 1.16],
      [55, 1.13],
      [40, 1.05],
      [22, 1.07],
      [12, 1.03],
      [0, 1.08],
    ],
  },
  eth: {
    token: star,
    points: [
      [1500, 1],
      [900, 0.92],
      [200, 1.1],
      [0, 1.19],
    ],
  },
  bsc: {
    token: moon,
    points: [
      [1500, 1],
      [800, 1.05],
      [0, 0.94],
    ],
  },
} satisfies Partial<Record<EvmChain, Course>>;

const chains = Object.keys(courses) as (keyof typeof courses)[];

/** Time between two fills after which each has a marker of its own in the chart. */
const markersApartMs = 100_000;

/** A user without wallets, unlike alice, whom the runner knows. */
const user = "robin";
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
const target = new URL("../../docs/pictures/", import.meta.url).pathname;

try {
  execFileSync("img2webp", ["-version"], { stdio: "ignore" });
} catch {
  console.error("The pictures need img2webp and cwebp, of Debian's package webp: apt-get install webp");
  process.exit(1);
}

/** Size of the animation's page. GitHub shows it slightly smaller. */
const stage = { width: 1120, height: 700 };

/** Longest wait for a page, in milliseconds. */
const patienceMs = 90_000;

/** Maximum number of bars that the chart shows at first. */
const barsInView = 90;

const desktop = { width: 1440, height: 900 };

await using undo = new AsyncDisposableStack();
undo.defer(() => rmSync(folder, { recursive: true, force: true }));

console.log("Playing the last day of the chains …");
const states = join(folder, "data", "chains");
mkdirSync(states, { recursive: true, mode: 0o700 });
await Promise.all(chains.map((chain) => playPast(chain, courses[chain], join(states, `${chain}.json`))));

console.log("Starting the runner …");
const runner = await startRunner({ folder, chainPort: await freePorts(chainPorts) });
undo.defer(() => runner.stop());
const { baseUrl } = runner;
const urls = (await (await fetch(`${baseUrl}/chains.json`)).json()) as Record<EvmChain, string>;
const [market] = await Promise.all(
  chains.map(async (chain) => {
    const trading = await keepTrading(chain, urls[chain], courses[chain].token);
    undo.defer(() => trading.stop());
    return trading;
  }),
);

const port = Number(new URL(baseUrl).port);
const terminal = createTerminal({ baseUrl, token: () => requestToken(port, { sub: user, username: user }) });

/** Makes a wallet. */
async function walletOn(network: EvmChain, slotName: string): Promise<string> {
  const { data, error } = await terminal.createWallet({
    headers: { "Idempotency-Key": `wallet-${network}` },
    body: { network, slotName },
  });
  if (error) throw new Error(`No wallet on ${network}: ${error.message}`);
  return data.wallet.generatedWalletAddress;
}

async function fund(chain: EvmChain, address: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/local/coins`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ chain, address }),
  });
  if (!answer.ok) throw new Error(`No coins on ${chain}: ${await answer.text()}`);
}

let orders = 0;

/** Places an order. Waits until it is filled, unless it rests. */
async function order(body: object): Promise<void> {
  const { data, error } = await terminal.placeOrder({
    headers: { "Idempotency-Key": `order-${++orders}` },
    body: body as OrderRequest,
  });
  if (error) throw new Error(`No order ${JSON.stringify(body)}: ${error.message}`);
  if (data.order.type === "market") await terminal.waitForOrder(data.order.orderId, { until: "filled" });
}

/** Keeps a screenshot for the encoder. Returns its path. */
function keep(name: string, png: Buffer): string {
  writeFileSync(join(folder, name), png);
  return join(folder, name);
}

/** Runs a program of Debian's package `webp`. */
function webp(program: "cwebp" | "img2webp", options: readonly string[], name: string): void {
  execFileSync(program, [...options, "-o", join(folder, name)], { stdio: ["ignore", "ignore", "inherit"] });
}

const address = `${baseUrl}/console/?chain=base&token=${moon}`;

async function signIn(page: Page): Promise<void> {
  await page.goto(address);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("User").fill(user);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await seeDesk(page);
}

async function seeDesk(page: Page): Promise<void> {
  await page.getByText("Live", { exact: true }).waitFor();
  // The service reads past trades only when they are first requested.
  const chart = page.locator(".chart.candles");
  while (Number(await chart.getAttribute("data-bars")) < barsInView) await pause(250);
}

/** Trades on several chains and in several minutes, so that the picture has something to show. */
async function fillDesk(wallet: string): Promise<void> {
  const others = [
    { chain: "eth", token: star, amount: "0.8" },
    { chain: "bsc", token: moon, amount: "1.5" },
  ] as const;
  const wallets = new Map<EvmChain, string>();
  for (const chain of ["eth", "bsc"] as const) {
    const address = await walletOn(chain, "Main");
    await fund(chain, address);
    wallets.set(chain, address);
  }
  for (const { chain, ...rest } of others)
    await order({ chain, side: "buy", type: "market", slippage: 5, wallet: wallets.get(chain), ...rest });
  const here = { chain: "base", token: moon, wallet, slippage: 5 };
  await order({ ...here, side: "sell", type: "stop", percent: 50, stopPrice: "0.000104" });
  for (const trade of [
    { side: "buy", amount: "0.6" },
    { side: "sell", percent: 20 },
  ]) {
    await pause(markersApartMs);
    await order({ ...here, type: "market", ...trade });
  }
}

console.log("Recording the animation …");
const browser = await chromium.launch(launchOptions);
undo.defer(() => browser.close());
const context = await browser.newContext({ viewport: stage, colorScheme: "dark", reducedMotion: "reduce" });
await context.addInitScript({ path: new URL("stage.js", import.meta.url).pathname });
context.setDefaultTimeout(patienceMs);
const page = await context.newPage();
const main = await walletOn("base", "Main");
await signIn(page);
const camera = openCamera(page);
await playTrade(page, camera, market as LiveMarket);
const frames = fitted(joinEqual(camera.frames), animationMs);

console.log("Trading for the picture …");
await fillDesk(main);
await page.setViewportSize(desktop);
await page.goto(address);
await seeDesk(page);
const positions = page.getByRole("table", { name: "Positions" });
while (/reading|waiting/.test(await positions.innerText())) await pause(250);
const picture = await page.screenshot();

console.log(`Writing ${frames.length} frames …`);
const options = frames.flatMap(({ png, ms }, index) => ["-d", `${ms}`, keep(`${index}.png`, png)]);
webp("cwebp", ["-quiet", "-lossless", "-z", "9", keep("console.png", picture)], "console.webp");
webp("img2webp", ["-loop", "0", "-min_size", ...options], "trade.webp");
const files = ["console.webp", "trade.webp"].map(
  (name) => [name, statSync(join(folder, name)).size] as const,
);
console.log(files.map(([name, bytes]) => `docs/pictures/${name}: ${bytes} bytes`).join("\n"));
checkSize(Object.fromEntries(files));
mkdirSync(target, { recursive: true });
for (const [name] of files) copyFileSync(join(folder, name), join(target, name));
