import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { Stack } from "aws-cdk-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { terminalApp } from "../../lib/infra/app.ts";
import { variablesLineIn } from "../../lib/infra/functions/bundle.ts";
import { bundleOf } from "../../lib/infra/functions/bundled-code.ts";
import { mergedTemplate, quickly } from "../../lib/infra/read-stacks.ts";
import { type OperationName, operations, scopesOfMethods } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
// Further tests of the bundles, which take ten seconds of processor time to make.
import "../tools/release/code-hashes.ts";
import "../tools/release/deployed-code.ts";
import { type FunctionProperties, functionsOf, ownHosts } from "./synthesized.ts";

const outdir = mkdtempSync(join(tmpdir(), "bundles-"));
let functions: Record<string, FunctionProperties>;

// Synthesizes the stacks with the functions' code and CDK's own check of the templates. No other test does.
beforeAll(() => {
  const app = terminalApp({
    ...quickly,
    builtinCloudFormationValidation: true,
    outdir,
    context: { trading: evmChains, chains: ownHosts, walletExport: true, devices: true, earning: {} },
  });
  app.synth();
  functions = functionsOf({ api: mergedTemplate(app.node.findChild("TerminalApi") as Stack, outdir) });
});
afterAll(() => rmSync(outdir, { recursive: true }));

/** Replaces values that are only known at deployment with a placeholder. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [, parts] = (value as { "Fn::Join"?: [string, unknown] })["Fn::Join"] ?? [];
  return Array.isArray(parts) ? parts.map(textOf).join("") : "known at deployment";
}

/** Loads the code like Lambda, with only the function's own environment. */
async function load(file: string, variables: Record<string, unknown>) {
  const known = Object.entries(variables).map(([name, value]) => [name, textOf(value)]);
  const program = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(pathToFileURL(file))}).then(({ handler }) =>
      parentPort.postMessage({ type: typeof handler, parameters: handler.length }));`;
  const worker = new Worker(program, {
    eval: true,
    env: { AWS_REGION: "eu-west-1", ...Object.fromEntries(known) },
    stdout: true,
    stderr: true,
  });
  try {
    const printed = Promise.all([text(worker.stdout), text(worker.stderr)]);
    const loaded = await new Promise<object>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    await worker.terminate();
    return { ...loaded, printed: (await printed).join("") };
  } finally {
    await worker.terminate();
  }
}

/** Returns the folder of a function's code. */
const assetOf = (name: string) => join(outdir, `asset.${functions[name]?.Code.S3Key.replace(/\.zip$/, "")}`);

/** Limits in KB, slightly above the present sizes: a function that loads unneeded code starts later. */
const limits: Readonly<Record<string, number>> = {
  // Functions that do not use the table, or do not use the SDK.
  ...Object.fromEntries(
    ["refuseExport", "refuseMarkets", "refuseTrading", "refuseDevices", "startSession", "endSession"].map(
      (name) => [name, 30],
    ),
  ),
  inspectToken: 324,
  // Functions that write several items, read items of several kinds, or read a token.
  feedPrices: 228,
  lockExports: 226,
  updateWallet: 231,
  redeemReward: 231,
  unlockExports: 230,
  restoreWallet: 233,
  listOrders: 270,
  getOrder: 270,
  getPreset: 240,
  authorize: 246,
  authorizeConnection: 244,
  connect: 241,
  setWalletPolicy: 233,
  setPreset: 261,
  createKey: 241,
  cancelExport: 237,
  retireWallet: 240,
  exportWallet: 240,
  loosenGuards: 241,
  // Functions with the clients of two services.
  listPositions: 278,
  cancelOrder: 289,
  deleteKey: 262,
  cancelOrders: 298,
  catchUp: 280,
  freeIdleKeys: 272,
  unsubscribe: 289,
  subscribe: 300,
  makeFallbackKeys: 274,
  mirrorPlans: 279,
  deleteRetiredKeys: 279,
  publishChanges: 318,
  createDevice: 242,
  // Contains the library for pushes.
  notifyOwner: 361,
  storeWallet: 326,
  // Functions with the code of chains, or with code that derives addresses.
  importWallet: 352,
  createWallet: 358,
  sealExport: 315,
  // Functions with the code of chains of both families.
  sweepLanes: 345,
  readChains: 345,
  watchTriggers: 400,
  readBalances: 404,
  quoteOrder: 513,
  loadHistory: 323,
  listCandles: 404,
  listTokens: 422,
  getMarket: 429,
  listNewTokens: 425,
  readMarkets: 520,
  signTransaction: 495,
  executeOrders: 592,
  // Contains the clients of two services, and the quoting code of both families.
  placeOrder: 666,
  fireOrders: 715,
  // Pushes to thousands of clients, with an HTTP client that is large but fast.
  deliver: 803,
};
const limitKB = (name: string) => limits[name] ?? 228;

/** Lists one function for each kind of handler in lib/runtime. The end-to-end tests run the rest. */
const loaded: readonly OperationName[] = ["authorize", "placeOrder", "subscribe", "deliver"];

describe("the bundle", () => {
  it.each(Object.keys(operations))(
    "bundles %s as one small module, with a map of its places next to it",
    (name) => {
      const asset = assetOf(name);
      expect(readdirSync(asset)).toEqual(["index.mjs", "index.mjs.map"]);
      expect(statSync(join(asset, "index.mjs")).size).toBeLessThan(limitKB(name) * 1024);
    },
  );

  it("bundles the schemas of one subject, all packages needed at the start, and never THE TABLE", () => {
    for (const name of Object.keys(operations) as OperationName[]) {
      const { inputs, imports } = bundleOf(name).contents;
      const loaded = imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
      expect(
        loaded.filter((path) => !isBuiltin(path)),
        name,
      ).toEqual([]);
      const modules = Object.keys(inputs);
      const schemas = modules.filter((path) => /lib\/api\/\w+-operations\.ts$/.test(path));
      expect(schemas.length, `${name}: ${schemas}`).toBeLessThanOrEqual(1);
      expect(
        modules.filter((path) => /lib\/operations\/(operations|\w+-rows)\.ts$/.test(path)),
        name,
      ).toEqual([]);
    }
  });

  // To accept a change after reviewing these packages, run: npm run test:infra -- -u
  it("bundles the packages of opener-packages.txt with a function that decrypts keys", async () => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    const packageOf = (path: string) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [];
    const text = (name: OperationName) => {
      const paths = new Set(Object.keys(bundleOf(name).contents.inputs).flatMap(packageOf));
      const lines = [...paths].map(
        (path) => `  ${path.replace(/^node_modules\//, "")} ${packages[path].version}\n`,
      );
      return `${name}\n${lines.sort().join("")}`;
    };
    await expect(text("signTransaction") + text("sealExport")).toMatchFileSnapshot("opener-packages.txt");
  });

  it("imports no module of Node whose getters open streams or load fetch", () => {
    const costly = new Set(["node:process", "process", "node:http", "http"]);
    const importers = (Object.keys(operations) as OperationName[]).filter((name) =>
      bundleOf(name).contents.imports.some(
        ({ kind, path }) => kind === "import-statement" && costly.has(path),
      ),
    );
    expect(importers).toEqual([]);
  });

  it.each(loaded)("exports a handler from %s, and prints nothing", async (name) => {
    const { Environment } = functions[name] as FunctionProperties;
    expect(await load(join(assetOf(name), "index.mjs"), Environment?.Variables ?? {})).toEqual({
      type: "function",
      // The runtime rejects handlers that take a callback.
      parameters: expect.toSatisfy((count: number) => count < 3),
      printed: "",
    });
  });

  it.each(Object.entries<Operation>(operations))(
    "sets the chains and scopes in the bundle of %s if its row names them",
    (name, { env }) => {
      const code = readFileSync(join(assetOf(name), "index.mjs"), "utf8");
      const line = variablesLineIn(code);
      expect(code.slice(line.length)).toMatch(/^import/);
      const set: Record<string, string> = {};
      if (line.startsWith("process.env.")) new Function("process", line)({ env: set });
      const inCode = env.filter((each) => ["TRADING", "SIGNING", "SCOPES", "EARNING"].includes(each));
      expect(Object.keys(set)).toEqual(inCode);
      for (const each of inCode) {
        expect(functions[name]?.Environment?.Variables ?? {}).not.toHaveProperty(each);
        const named = Object.keys(JSON.parse(set[each] ?? ""));
        if (each === "EARNING") expect(named).toContain("tokens");
        else expect(named).toEqual(each === "SCOPES" ? Object.keys(scopesOfMethods) : evmChains);
      }
      // The signer talks to no host, so it knows none, nor the keys in their URLs.
      if (name === "signTransaction") expect(line).not.toContain("://");
    },
  );
});
