import { chainFacts } from "../../../core/chain-facts.ts";
import type { HostLook } from "../../hosts/report.ts";
import { harmless } from "../terminal.ts";
import type { ChainState, LeaseState, ServiceState } from "./service-state.ts";

/** A stack or a program, and when and how it was last deployed or started. */
export type Deployed = { name: string; state: string; at: string | undefined; isWrong: boolean };

/** An alarm that is on, or faults that would raise one. */
export type Raised = { name: string; since: string; words: string };

/** A KMS key that cannot be used, or whose state is unknown. */
export type BrokenKey = { id: string; words: string };

/** Something that waits: messages of a queue, or the age of the oldest change. */
export type Waiting = {
  name: string;
  count: number | undefined;
  unit: "messages" | "seconds";
  isWrong: boolean;
};

/** Median and 95th percentile of the time from an order's request to its broadcast, on this day in UTC. */
export type BroadcastTimes = { p50Ms: number; p95Ms: number };

/** Facts that only the machine of the service knows: AWS, or the local runner. */
export type Deployment = {
  deployed: readonly Deployed[];
  /** None with the local runner. */
  brokenKeys: readonly BrokenKey[];
  /** Number of alarms. Undefined where there are none, as in the local runner. */
  alarms: number | undefined;
  raised: readonly Raised[];
  waiting: readonly Waiting[];
  /** Times of broadcasts by chain. The local runner measures none. */
  broadcasts: ReadonlyMap<string, BroadcastTimes>;
};

export type Status = {
  name: string;
  now: Date;
  /** False for local chains, which make blocks only while somebody uses them. */
  hasSteadyBlocks: boolean;
  service: ServiceState;
  deployment: Deployment;
};

/** Age of a sign of life from which a needed run counts as gone. The sweep replaces it by then. */
const missingMs = 30_000;

/** Age of a newest block from which a chain stands still. */
const mostHeadSeconds = ({ chain }: ChainState) => Math.max(60, 10 * chainFacts[chain].blockSeconds);

/** Writes the state on one screen, and lists all that is wrong with it. */
export function statusLines(status: Status): { lines: string[]; wrong: string[] } {
  const { name, now, hasSteadyBlocks, service, deployment } = status;
  const wrong = [
    ...service.chains.flatMap((chain) => [
      ...(hasSteadyBlocks ? stillChain(chain, now) : []),
      ...wrongChain(chain, now),
    ]),
    ...wrongRun("markets: readMarkets", service.markets, now),
    ...service.alone.flatMap((run) => wrongRun(`markets: readMarkets of ${run.chain} alone`, run, now)),
    ...wrongRun("prices: feedPrices", service.prices, now),
    ...deployment.waiting.filter(({ isWrong }) => isWrong).map((each) => `${each.name}: ${amountOf(each)}`),
    ...deployment.brokenKeys.map(({ id, words }) => `key ${id}: ${words}`),
    ...deployment.raised.map(({ name, words }) => `${name}: ${words}`),
    ...(deployment.alarms === 0 ? ["alarms: none was found, so nobody is told of faults"] : []),
    ...deployment.deployed
      .filter(({ isWrong }) => isWrong)
      .map(({ name, state }) => `${name}: its last deploy ended as ${state}`),
  ].map(harmless);
  const [count, verb] = wrong.length === 1 ? ["1 thing", "is"] : [`${wrong.length} things`, "are"];
  const verdict = wrong.length === 0 ? "nothing is wrong" : `${count} ${verb} wrong`;
  const stops = stopWords(service.chains);
  const lines = [
    `${name} at ${now.toISOString()}: ${verdict}${stops}`,
    ...(service.chains.length === 0 ? ["chains   none trades"] : []),
    ...service.chains.flatMap((chain) => chainLines(chain, deployment.broadcasts.get(chain.chain), now)),
    `markets  readMarkets: ${runWords(service.markets, now)}`,
    ...service.alone.map((run) => `           of ${run.chain} alone: ${runWords(run, now)}`),
    `prices   feedPrices: ${runWords(service.prices, now)}`,
    `waiting  ${deployment.waiting.map((each) => `${each.name}: ${amountOf(each)}`).join("; ") || "unknown"}`,
    ...alarmLines(deployment),
    ...deployment.deployed.map(
      ({ name, state, at }, index) =>
        `${index === 0 ? "deploy " : "       "}  ${name}: ${state}, ${at ?? "never"}`,
    ),
    ...(wrong.length === 0 ? [] : ["wrong", ...wrong.map((line) => `  ${line}`)]),
  ];
  return { lines: lines.map(harmless), wrong };
}

/** Says where trading is stopped, as a stop of an operator is no fault and yet the first thing to know. */
function stopWords(chains: readonly ChainState[]): string {
  const stopped = chains.filter(({ stoppedSince }) => stoppedSince !== undefined);
  if (stopped.length === 0) return "";
  const since = stopped.flatMap(({ stoppedSince }) => stoppedSince ?? []).toSorted()[0];
  const places =
    stopped.length === chains.length ? "all chains" : stopped.map(({ chain }) => chain).join(", ");
  return `; trading is stopped on ${places} since ${since}`;
}

function chainLines(chain: ChainState, times: BroadcastTimes | undefined, now: Date): string[] {
  const { lanes, settling, stoppedSince, hosts, reader } = chain;
  const head = headOf(hosts);
  const age = head?.time === undefined ? "" : `, ${ageSeconds(head.time * 1000, now)} s old`;
  const parts = [
    head === undefined ? "no newest block" : `block ${head.number}${age}`,
    `readChains: ${runWords(reader, now)}`,
    `${lanes} ${lanes === 1 ? "lane" : "lanes"}${settling > 0 ? `, ${settling} until their outcome is final` : ""}`,
    ...(times === undefined
      ? []
      : [`broadcasts today after ${milliseconds(times.p50Ms)} (p50) and ${milliseconds(times.p95Ms)} (p95)`]),
    ...(stoppedSince === undefined ? [] : [`trading stopped since ${stoppedSince}`]),
  ];
  return [
    `${chain.chain.padEnd(7)}  ${parts.join("; ")}`,
    ...hosts.map(
      (host) => `           ${host.host}: ${faultsOf(host) || `${host.lagSeconds ?? 0} s behind`}`,
    ),
  ];
}

const headOf = (hosts: readonly HostLook[]) =>
  hosts.flatMap(({ head }) => head ?? []).toSorted((one, other) => other.number - one.number)[0];

const faultsOf = ({ calls, lagProblem }: HostLook): string =>
  [...calls.flatMap(({ problem }) => problem?.words ?? []), ...(lagProblem ? [lagProblem.words] : [])].join(
    ", ",
  );

function stillChain(chain: ChainState, now: Date): string[] {
  const time = headOf(chain.hosts)?.time;
  const age = time === undefined ? 0 : ageSeconds(time * 1000, now);
  return age > mostHeadSeconds(chain) ? [`${chain.chain}: its newest block is ${age} s old`] : [];
}

function wrongChain(chain: ChainState, now: Date): string[] {
  const { chain: name, hosts, lanes, reader } = chain;
  return [
    ...hosts.flatMap((host) => (faultsOf(host) === "" ? [] : [`${name} ${host.host}: ${faultsOf(host)}`])),
    ...(hosts.length === 0 ? [`${name}: the context names no hosts, and lanes wait: ${lanes}`] : []),
    ...wrongRun(`${name}: readChains`, reader, now),
  ];
}

function wrongRun(name: string, { beatMs, isNeeded }: LeaseState, now: Date): string[] {
  if (!isNeeded) return [];
  if (beatMs === undefined) return [`${name} is needed and does not run`];
  const age = ageSeconds(beatMs, now);
  return age * 1000 > missingMs ? [`${name} gave its last sign of life ${age} s ago`] : [];
}

function runWords({ beatMs, isNeeded }: LeaseState, now: Date): string {
  if (beatMs === undefined) return isNeeded ? "does not run" : "not needed";
  return `sign of life ${ageSeconds(beatMs, now)} s ago`;
}

const ageSeconds = (ms: number, now: Date) => Math.max(0, Math.round((now.getTime() - ms) / 1000));

const milliseconds = (ms: number) => `${Math.round(ms)} ms`;

const amountOf = ({ count, unit }: Waiting) => (count === undefined ? "no data" : `${count} ${unit}`);

function alarmLines({ alarms, raised }: Deployment): string[] {
  const many = alarms === undefined ? "" : `${alarms}, `;
  if (raised.length === 0) return [`alarms   ${many}none is on`];
  return raised.map(
    ({ name, since }, index) => `${index === 0 ? "alarms " : "       "}  ${name}, on since ${since}`,
  );
}
