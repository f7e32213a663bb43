/**
 * `npm run bench:cold` measures the processor time of functions on Lambda's version of Node.js: from process start to
 * the first response, and for warm calls. It compares both with a minimal handler, alone and in Express. It alternates
 * between the functions, so that the machine's load affects all of them equally.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startTestChain } from "trading-terminal-devnet/evm/test-chain";
import {
  bundled,
  type Contender,
  contenders,
  environmentAt,
  memoryOf,
  sdkRead,
  signedRead,
} from "./contenders.ts";
import { fakeAws } from "./fake-aws.ts";
import { isOrderFunction, openOrderPath } from "./order-path.ts";
import { machine } from "./report.ts";
import { type Started, startFunction } from "./runtime-api.ts";
import { percentile } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";
import { openTlsFronts } from "./tls-front.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
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
const closers: (() => void | Promise<void>)[] = [() => rmSync(folder, { recursive: true })];
const starts = new Map<string, Started[]>(chosen.map(({ name }) => [name, []]));
try {
  const next = await opened();
  const folders = chosen.map((contender) => bundled(contender, folder));
  for (let round = 0; round <= rounds; round++)
    for (const [index, contender] of chosen.entries()) {
      const { name, refuses, bare, remainingMs } = contender;
      const isCompared = bare !== undefined || chosen.some((other) => other.bare === name);
      const { isDone, ...start } = await next(contender);
      const started = await startFunction({
        folder: folders[index] as string,
        calls: isCompared ? calls : 0,
        remainingMs,
        ...start,
      });
      const isRefusal = /^{"(statusCode":[45]|errorType)|"Effect":"Deny"/.test(started.answer);
      if ((isRefusal && !refuses) || !(await isDone(started.answer)))
        throw new Error(`${name} failed: ${started.answer}`);
      if (started.logged !== "")
        throw new Error(`${name} logged a fault, which takes time: ${started.logged}`);
      // Discards the first round, which fills the system's caches.
      if (round > 0) starts.get(name)?.push(started);
    }
} finally {
  for (const close of closers.reverse()) await close();
}

/**
 * Starts everything that the chosen functions call. Returns a function that makes the event and environment of each
 * start.
 */
async function opened() {
  const fronts = openTlsFronts(folder);
  closers.push(fronts.close);
  const aws = await fakeAws();
  closers.push(aws.close);
  const chain = await startTestChain();
  closers.push(chain.close);
  const { contracts, url } = chain;
  const { certificateFile } = fronts;
  const hosts = [await fronts.before(url), await fronts.before(url)];
  const environment = environmentAt({ aws: await fronts.before(aws.url), hosts, contracts, certificateFile });
  const orders = chosen.some(({ name }) => isOrderFunction(name)) && (await openOrderPath(aws, chain));
  const plain = ({ event }: Contender) => ({ event, environment, isDone: async () => true });
  if (!orders) return plain;
  closers.push(orders.close);
  const ofOrders = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: await fronts.before(orders.endpoint) };
  return async (contender: Contender) => {
    const { name } = contender;
    if (!isOrderFunction(name)) return plain(contender);
    const start = await orders.next(name);
    return { ...start, environment: { ...ofOrders, ...start.environment } };
  };
}

/** Memory size from which on Lambda gives a function a whole processor. */
const processorMB = 1769;

const shareOf = (memoryMB: number) => Math.min(1, memoryMB / processorMB);

/** Takes the first quartile, because other work on the machine only adds time. */
const usual = (name: string, of: (started: Started) => number) =>
  percentile((starts.get(name) ?? []).map(of), 25);
const ratio = (name: string, than: string, of: (started: Started) => number) =>
  `x ${figure(usual(name, of) / usual(than, of))}`;

const rows = chosen.map((contender) => {
  const { name } = contender;
  const memoryMB = memoryOf(contender);
  const cpuMs = ({ loadCpuMs, firstCpuMs }: Started) => loadCpuMs + firstCpuMs;
  const lambdaMs = ({ loadCpuMs, firstCpuMs }: Started) => loadCpuMs + firstCpuMs / shareOf(memoryMB);
  return [
    name,
    ...[({ loadCpuMs }: Started) => loadCpuMs, ({ firstCpuMs }: Started) => firstCpuMs, cpuMs].map((of) =>
      figure(usual(name, of)),
    ),
    ratio(name, sdkRead, cpuMs),
    ratio(name, signedRead, cpuMs),
    `${memoryMB}`,
    figure(usual(name, lambdaMs)),
    ratio(name, sdkRead, lambdaMs),
    ratio(name, signedRead, lambdaMs),
  ];
});
const ofBoth = ["of SDK read", "of signed read"];
console.log(`
${machine()}
${rounds} starts of each, in turns; first quartiles

CPU is processor time, of which the load is the part until the first event.
Lambda is an estimate: the load with a whole processor, and the first call with the memory's share of one.
Ratios are those to the ${sdkRead} with the SDK and to the ${signedRead}, with as much memory.
All calls begin with a TLS handshake, to a server on this machine that answers at once.
On Lambda, a start takes longer: the code is fetched, a virtual machine starts, each call crosses a network,
the processor is another one, and a share of it comes in slices.
`);
console.log(
  textTable(["cold start, ms", "load CPU", "call CPU", "CPU", ...ofBoth, "MB", "Lambda", ...ofBoth], rows),
);
console.log(
  `\n${textTable(
    ["warm call", "CPU ms", "of the same calls to AWS by the SDK"],
    chosen.flatMap(({ name, bare }) => {
      const warmCpuMs = (started: Started) => started.warmCpuMs;
      return bare === undefined ? [] : [[name, figure(usual(name, warmCpuMs)), ratio(name, bare, warmCpuMs)]];
    }),
  )}`,
);
