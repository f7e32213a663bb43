/**
 * `npm run soak` sends many users' mixed requests and messages to a local runner with injected faults, then audits
 * everything. With `--trade`, the users trade on local chains, with `--resting`, their orders wait for moving prices, and
 * with `--exits`, they buy with exits while functions are killed. It fails if the service breaks a promise.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "cdk-local-runner/testing";
import { Presets, SingleBar } from "cli-progress";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import { machine } from "../bench/report.ts";
import { textTable } from "../bench/text-table.ts";
import { startRunner } from "../e2e/support/runner.ts";
import { traceFinder, tracesIn } from "../support/traces.ts";
import { exitsReportOf, exitsSoak } from "./exits/exits-soak.ts";
import { maxUsers } from "./model.ts";
import { restingReportOf } from "./resting/resting-report.ts";
import { restingSoak } from "./resting/resting-soak.ts";
import type { Target } from "./service.ts";
import { soak } from "./soak.ts";
import { countHeads, countRows, summaryOf } from "./soak-report.ts";
import { tradeReportOf } from "./trade/trade-report.ts";
import { tradeSoak } from "./trade/trade-soak.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    users: { type: "string" },
    trade: { type: "boolean", default: false },
    /** Rests orders until moving prices fire them. */
    resting: { type: "boolean", default: false },
    /** Buys under `autoSell` while functions are killed. */
    exits: { type: "boolean", default: false },
    orders: { type: "string" },
    traders: { type: "string", default: "50" },
    /** Makes the chains' hosts as unreliable as real ones, and base produce five blocks a second. */
    unkind: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    /** Number of concurrent requests. */
    "at-once": { type: "string", default: "16" },
    /** Keeps the run's files instead of deleting them, and prints their folder. */
    keep: { type: "boolean", default: false },
  },
});
const wholeNumber = (name: keyof typeof values, [least, most]: [number, number], usual?: number) => {
  const number = Number(values[name] ?? usual);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  console.error(`--${name} must be a whole number from ${least} to ${most}`);
  process.exit(2);
};
const requests = wholeNumber("requests", [1, 10_000_000]);
const users = wholeNumber("users", [values.resting ? 2 : 1, maxUsers], values.resting ? 50 : 100);
const orders = wholeNumber("orders", [1, 1_000_000], values.resting ? 500 : 1000);
const wallets = wholeNumber("traders", [2, 1000]);
const seed = wholeNumber("seed", [0, 2 ** 32 - 1]);
const atOnce = wholeNumber("at-once", [1, 100]);

process.umask(0o077);
const temporary = mkdtempSync(join(tmpdir(), "soak-"));
const folder = join(temporary, "written");
mkdirSync(folder);
const secrets: string[] = [];
const signed: string[] = [];
const ports = { port: await freePort(), streamPort: await freePort() };
const chainPort = values.trade || values.resting || values.exits ? await freePorts(chainPorts) : undefined;
const start = () =>
  startRunner({
    folder,
    ...ports,
    ...(chainPort !== undefined && { chainPort }),
    options: ["--faults", "--chance", `${seed}`, ...(values.unkind ? ["--fast-base"] : [])],
  });

console.log(machine());
let runner = await start();
let answers = 0;
/** Responses per file, because each file is searched as a single text. */
const answersPerFile = 20_000;
const target: Target = {
  baseUrl: runner.baseUrl,
  streamUrl: runner.streamUrl,
  dataDir: join(folder, "data"),
  async restart() {
    await runner.kill();
    runner = await start();
  },
  keep: (text) => {
    const file = `answers-${Math.floor(answers++ / answersPerFile)}.log`;
    appendFileSync(join(folder, file), `${text}\n`);
  },
  noteSecret: (forms) => void secrets.push(...forms),
};
const bar = new SingleBar(
  {
    format: "{bar} {value}/{total} | {duration_formatted} | {phase}",
    hideCursor: true,
    fps: 4,
    noTTYOutput: true,
    notTTYSchedule: 30_000,
  },
  Presets.shades_classic,
);
const onProgress = (done: number, phase: string) => bar.update(done, { phase });

/** Runs the soak. Returns the report and the problems found. */
async function run(): Promise<{ text: string; problems: string[] }> {
  if (chainPort === undefined) {
    bar.start(requests, 0, { phase: "calm" });
    const report = await soak(target, { requests, users, seed, atOnce, onProgress });
    const tables = [report.byAction, report.byPhase].map((counts, index) =>
      textTable([index === 0 ? "action" : "phase", ...countHeads], countRows(counts)),
    );
    return { text: [...tables, summaryOf(report)].join("\n\n"), problems: report.problems };
  }
  bar.start(orders, 0, { phase: "calm" });
  const trading = {
    ...target,
    chainPort,
    runner: async () => runner.pid,
    noteSigned: (parts: string[]) => void signed.push(...parts),
  };
  if (values.exits) {
    const report = await exitsSoak(trading, { orders, seed, atOnce, onProgress });
    return { text: exitsReportOf(report), problems: report.problems };
  }
  if (values.resting) {
    const report = await restingSoak(trading, { orders, users, seed, atOnce, onProgress });
    return { text: restingReportOf(report), problems: report.problems };
  }
  const report = await tradeSoak(trading, {
    orders,
    wallets,
    seed,
    atOnce,
    unkind: values.unkind,
    onProgress,
  });
  return { text: tradeReportOf(report), problems: report.problems };
}

let broken = true;
try {
  const { text, problems: found } = await run().finally(() => bar.stop());
  const left = await runner.stop().then(
    () => [],
    (error: Error) => [error.message],
  );
  const traces = [
    ...tracesIn(folder, traceFinder(secrets)),
    // Searches only logs, because the chains and the table may contain signed bytes.
    ...tracesIn(folder, traceFinder(signed), (path) => path.endsWith(".log")),
  ];
  const searched = secrets.length + signed.length;
  console.log(`\n${text}; ${searched} forms of secrets searched for, ${traces.length} found`);
  const problems = [...found, ...traces, ...left];
  for (const problem of problems) console.error(`- ${problem}`);
  broken = problems.length > 0;
} finally {
  // Reports a failed stop, but keeps the error of the run.
  await runner.stop().catch((error: Error) => console.error(error.message));
  if (values.keep || broken) console.error(`The run's files are in ${temporary}`);
  else rmSync(temporary, { recursive: true });
}
process.exitCode = broken ? 1 : 0;
