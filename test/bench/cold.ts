/**
 * `npm run bench:cold` measures how long functions take from the start of their process to the first
 * response, on Lambda's version of Node.js, and the processor time of warm calls. It compares them with a
 * bare handler, and with that handler in Express. Starts alternate, so that all see the same load of the
 * machine.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLocalChain } from "../../lib/tools/dev/chains/local-chain.ts";
import { bundled, contenders, environmentAt, floor } from "./contenders.ts";
import { fakeAws } from "./fake-aws.ts";
import { machine } from "./report.ts";
import { type Started, startFunction } from "./runtime-api.ts";
import { percentile } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    calls: { type: "string", default: "100" },
    only: { type: "string", default: "" },
  },
});
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];
const only = values.only.split(",").filter((name) => name !== "");
const chosen = contenders.filter(
  ({ name }) =>
    only.length === 0 || name.startsWith("bare") || only.some((prefix) => name.startsWith(prefix)),
);

const folder = mkdtempSync(join(tmpdir(), "bench-cold-"));
const aws = await fakeAws();
const chain = await startLocalChain({ chain: "eth" });
const environment = environmentAt(aws.url, chain);
const starts = new Map<string, Started[]>(chosen.map(({ name }) => [name, []]));
try {
  const folders = chosen.map((contender) => bundled(contender, folder));
  for (let round = 0; round <= rounds; round++)
    for (const [index, { name, event, bare, refuses }] of chosen.entries()) {
      const isCompared = bare !== undefined || chosen.some((other) => other.bare === name);
      const options = { folder: folders[index] as string, environment, event, calls: isCompared ? calls : 0 };
      const started = await startFunction(options);
      const isRefusal = refuses ?? name.startsWith("authorize");
      if (/^{"(statusCode":[45]|errorType)/.test(started.answer) && !isRefusal)
        throw new Error(`${name} failed: ${started.answer}`);
      // The first round fills the caches of the system.
      if (round > 0) starts.get(name)?.push(started);
    }
} finally {
  aws.close();
  await chain.close();
  rmSync(folder, { recursive: true });
}

/** Takes the first quartile: other work on the machine only adds time. */
const usual = (name: string, of: (started: Started) => number) =>
  percentile((starts.get(name) ?? []).map(of), 25);
const cells = (name: string, than: string, of: (started: Started) => number) => [
  figure(usual(name, of)),
  `x ${figure(usual(name, of) / usual(than, of))}`,
];

console.log(`\n${machine()}\n${rounds} starts of each, in turns; first quartiles\n`);
console.log(
  textTable(
    ["cold start", "ms", `of ${floor}`, "CPU ms", `of ${floor}`],
    chosen.map(({ name }) => [
      name,
      ...cells(name, floor, ({ coldMs }) => coldMs),
      ...cells(name, floor, ({ coldCpuMs }) => coldCpuMs),
    ]),
  ),
);
console.log(
  `\n${textTable(
    ["warm call", "CPU ms", "of the same calls to AWS"],
    chosen.flatMap(({ name, bare }) =>
      bare === undefined ? [] : [[name, ...cells(name, bare, ({ warmCpuMs }) => warmCpuMs)]],
    ),
  )}`,
);
