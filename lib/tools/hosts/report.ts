import type { TradingChain } from "../../core/chain-facts.ts";
import type { Block } from "../../orders/block.ts";

/** A fatal problem makes orders fail. Trading works around the others. */
export type Problem = { words: string; isFatal: boolean };

/** A call that trading makes, with the size and time of its answer. */
export type CallLook = { name: string; bytes: number; ms: number; problem?: Problem };

export type HostLook = {
  /** The host's name and port. The rest of its URL may contain a key. */
  host: string;
  head?: Pick<Block, "number">;
  lagSeconds?: number;
  lagProblem?: Problem;
  calls: readonly CallLook[];
  /** The configured contracts and bridges, as far as the host was asked about them. */
  contracts: readonly { name: string; problem?: Problem }[];
};

export type QuoteLook = {
  symbol: string;
  /** The amount that each host says would arrive, or its reason. Undefined for hosts that were not asked. */
  answers: readonly (QuoteAnswer | undefined)[];
  differenceBps?: number;
  problem?: Problem;
};

/** Amounts are decimal text. */
export type QuoteAnswer = { amount: string } | { words: string };

/** A way through Jupiter, and what a simulation shows of it. */
export type RouteLook = {
  name: string;
  words: string;
  /** True if an order could trade so. */
  isTried: boolean;
};

/** The hosts of a chain at one moment. */
export type ChainLook = {
  chain: TradingChain;
  /** The amount of coins that each quote spends, with their symbol. */
  spent: string;
  hosts: readonly HostLook[];
  quotes: readonly QuoteLook[];
  /** Ways through Jupiter, where it is configured. */
  routes?: readonly RouteLook[];
};

/** A point that was checked, and its problem, if it has one. */
export type Finding = { subject: string; problem: Problem | undefined };

export function findingsOf({ chain, hosts, quotes, routes = [] }: ChainLook): Finding[] {
  return [
    ...hosts.flatMap(({ host, calls, lagSeconds, lagProblem, contracts }): Finding[] => {
      const of = (name: string) => `${chain} ${host}, ${name}`;
      return [
        ...calls.map(({ name, problem }) => ({ subject: of(name), problem })),
        ...(lagSeconds === undefined ? [] : [{ subject: of("lag"), problem: lagProblem }]),
        ...contracts.map(({ name, problem }) => ({ subject: of(name), problem })),
      ];
    }),
    ...quotes.map(({ symbol, problem }) => ({ subject: `${chain}, quote of ${symbol}`, problem })),
    ...routes.map(({ name, words, isTried }) => ({
      subject: `${chain} by Jupiter, ${name}`,
      // Who configures Jupiter trades by it, so an exchange that is refused or untried may fail orders.
      problem: isTried ? undefined : { words, isFatal: true },
    })),
  ];
}

export const lineOfFinding = ({ subject, problem }: Finding): string =>
  `${subject}: ${problem?.words ?? "works again"}`;

/** Lists what would fail in trading, and what trading works around. */
export function verdictOf(findings: readonly Finding[]): string[] {
  const linesWhere = (isFatal: boolean) =>
    findings
      .filter(({ problem }) => problem?.isFatal === isFatal)
      .map((finding) => `  ${lineOfFinding(finding)}`);
  const [fatal, other] = [linesWhere(true), linesWhere(false)];
  return [
    ...(fatal.length === 0 ? ["Nothing would fail."] : ["Would fail:", ...fatal]),
    ...(other.length === 0 ? [] : ["Trading works around this:", ...other]),
  ];
}

export function tableOf(look: ChainLook): string[] {
  const routes = (look.routes ?? []).map(({ name, words }) => `    ${name}: ${words}`);
  return [
    look.chain,
    ...look.hosts.flatMap(hostLines),
    ...quoteLines(look),
    ...(routes.length === 0 ? [] : ["  Jupiter, by the message of an order:", ...routes]),
  ];
}

const nameWidth = 26;

function hostLines({ host, head, lagSeconds = 0, calls, contracts }: HostLook): string[] {
  const title = head === undefined ? "no newest block" : `block ${head.number}, ${lagSeconds} s behind`;
  const row = (name: string, bytes: unknown, ms: unknown, words = "") =>
    `    ${name.padEnd(nameWidth)}${String(bytes).padStart(9)}${String(ms).padStart(7)}  ${words}`.trimEnd();
  return [
    `  ${host}: ${title}`,
    row("call", "bytes", "ms"),
    ...calls.map(({ name, bytes, ms, problem }) => row(name, bytes, ms, problem?.words)),
    ...contracts.flatMap(({ name, problem }) => (problem ? [`    ${name} ${problem.words}`] : [])),
  ];
}

function quoteLines({ spent, hosts, quotes }: ChainLook): string[] {
  if (quotes.length === 0) return [];
  const cell = (answer: QuoteAnswer | undefined) =>
    answer === undefined ? "not asked" : "amount" in answer ? answer.amount : answer.words;
  return [
    `  for ${spent}`,
    ...quotes.flatMap(({ symbol, answers, differenceBps, problem }) => [
      `    ${symbol}${differenceBps === undefined ? "" : `, hosts differ by ${differenceBps} basis points`}`,
      ...answers.map(
        (answer, index) => `      ${(hosts[index]?.host ?? "").padEnd(nameWidth)}${cell(answer)}`,
      ),
      ...(problem === undefined ? [] : [`      ${problem.words}`]),
    ]),
  ];
}
