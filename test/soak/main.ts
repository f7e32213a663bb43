/**
 * `npm run soak` sends mixed requests and messages of many users to a local runner with injected faults, then audits
 * everything. It fails if a promise of the service is broken.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "cdk-local-runner/testing";
import { Presets, SingleBar } from "cli-progress";
import { machine } from "../bench/report.ts";
import { textTable } from "../bench/text-table.ts";
import { startRunner } from "../e2e/support/runner.ts";
import { traceFinder, tracesIn } from "../support/traces.ts";
import { maxUsers } from "./model.ts";
import { soak } from "./soak.ts";
import { countHeads, countRows, summaryOf } from "./soak-report.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    users: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    /** How many requests are under way at a time. */
    "at-once": { type: "string", default: "16" },
    /** Keeps what the run has written, and says where. */
    keep: { type: "boolean", default: false },
  },
});
const wholeNumber = (name: keyof typeof values, [least, most]: [number, number]) => {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  console.error(`--${name} must be a whole number from ${least} to ${most}`);
  process.exit(2);
};
const requests = wholeNumber("requests", [1, 10_000_000]);
const users = wholeNumber("users", [1, maxUsers]);
const seed = wholeNumber("seed", [0, 2 ** 32 - 1]);
const atOnce = wholeNumber("at-once", [1, 100]);

process.umask(0o077);
const temporary = mkdtempSync(join(tmpdir(), "soak-"));
const folder = join(temporary, "written");
mkdirSync(folder);
const secrets: string[] = [];
const ports = { port: await freePort(), streamPort: await freePort() };
const start = () => startRunner({ folder, ...ports, options: ["--faults", "--chance", `${seed}`] });

console.log(machine());
let runner = await start();
let answers = 0;
/** Files are searched one at a time, each as one text. */
const answersPerFile = 20_000;
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
let broken = true;
try {
  bar.start(requests, 0, { phase: "calm" });
  const report = await soak(
    {
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
    },
    { requests, users, seed, atOnce, onProgress: (done, phase) => bar.update(done, { phase }) },
  ).finally(() => bar.stop());
  const left = await runner.stop().then(
    () => [],
    (error: Error) => [error.message],
  );
  const traces = tracesIn(folder, traceFinder(secrets));

  console.log(`\n${textTable(["action", ...countHeads], countRows(report.byAction))}`);
  console.log(`\n${textTable(["phase", ...countHeads], countRows(report.byPhase))}`);
  console.log(
    `\n${summaryOf(report)}; ${secrets.length} forms of secrets searched for, ${traces.length} found`,
  );
  const problems = [...report.problems, ...traces, ...left];
  for (const problem of problems) console.error(`- ${problem}`);
  broken = problems.length > 0;
} finally {
  await runner.stop();
  if (values.keep || broken) console.error(`What was written is in ${temporary}`);
  else rmSync(temporary, { recursive: true });
}
process.exitCode = broken ? 1 : 0;
