import type { TradingChain } from "../../core/chain-facts.ts";
import type { Block } from "../../orders/block.ts";

/** A problem of a host. If it is fatal, orders fail. Trading works around all other problems, except for dated facts. */
export type Problem = {
  words: string;
  isFatal: boolean;
  /** True if the network is no longer as this version of the program expects. */
  isDated?: true;
};

/** A call that trading makes, with the size of its answer and the time that it took. */
export type CallLook = { name: string; bytes: number; ms: number; problem?: Problem };

export type HostLook = {
  /** Name and port of the host. The rest of its URL may contain a key. */
  host: string;
  /** Newest block. Hosts of sol state no time with it. */
  head?: Pick<Block, "number"> & Partial<Pick<Block, "time">>;
  lagSeconds?: number;
  lagProblem?: Problem;
  calls: readonly CallLook[];
  /** Configured contracts and bridges that were checked through this host. */
  contracts: readonly { name: string; problem?: Problem }[];
  /** Recorded facts about the network that were compared with what the host shows. */
  facts?: readonly { name: string; problem?: Problem }[];
};

export type QuoteLook = {
  symbol: string;
  /** Amount that would arrive according to each host, or its error. Undefined for hosts that were not asked. */
  answers: readonly (QuoteAnswer | undefined)[];
  differenceBps?: number;
  problem?: Problem;
};

/** An amount as decimal text, or words for an error. */
export type QuoteAnswer = { amount: string } | { words: string };

/** A route through Jupiter, and the result of its simulation. */
export type RouteLook = {
  name: string;
  words: string;
  /** True if an order could trade on this route. */
  isTried: boolean;
  /** The exchange, by Jupiter's label, and whether the configuration lets orders use it. */
  exchange?: string;
  isAllowed: boolean;
};

/** The state of all hosts of a chain at one moment. */
export type ChainLook = {
  chain: TradingChain;
  /** Amount of coins that each quote spends, with their symbol. */
  spent: string;
  hosts: readonly HostLook[];
  quotes: readonly QuoteLook[];
  /** Routes through Jupiter, if it is configured. */
  routes?: readonly RouteLook[];
};

/** A check and its problem, if it found one. */
export type Finding = { subject: string; problem: Problem | undefined };

export function findingsOf({ chain, hosts, quotes, routes = [] }: ChainLook): Finding[] {
  return [
    ...hosts.flatMap(({ host, calls, lagSeconds, lagProblem, contracts, facts = [] }): Finding[] => {
      const of = (name: string) => `${chain} ${host}, ${name}`;
      return [
        ...calls.map(({ name, problem }) => ({ subject: of(name), problem })),
        ...(lagSeconds === undefined ? [] : [{ subject: of("lag"), problem: lagProblem }]),
        ...[...contracts, ...facts].map(({ name, problem }) => ({ subject: of(name), problem })),
      ];
    }),
    ...quotes.map(({ symbol, problem }) => ({ subject: `${chain}, quote of ${symbol}`, problem })),
    ...routes.map(({ name, words, isTried, isAllowed }) => ({
      subject: `${chain} by Jupiter, ${name}`,
      // Treats the problem as fatal where orders use the exchange: they may fail on one that was refused or not tried.
      problem: isTried ? undefined : { words, isFatal: isAllowed },
    })),
  ];
}

export const lineOfFinding = ({ subject, problem }: Finding): string =>
  `${subject}: ${problem?.words ?? "works again"}`;

/** Lists problems that make trading fail, problems that trading works around, and facts that are out of date. */
export function verdictOf(findings: readonly Finding[]): string[] {
  const linesWhere = (isWanted: (problem: Problem) => boolean) =>
    findings
      .filter(({ problem }) => problem !== undefined && isWanted(problem))
      .map((finding) => `  ${lineOfFinding(finding)}`);
  const fatal = linesWhere(({ isFatal }) => isFatal);
  const other = linesWhere(({ isFatal, isDated }) => !isFatal && !isDated);
  const dated = linesWhere(({ isDated }) => isDated === true);
  return [
    ...(fatal.length === 0 ? ["Nothing would fail."] : ["Would fail:", ...fatal]),
    ...(other.length === 0 ? [] : ["Trading works around this:", ...other]),
    ...(dated.length === 0 ? [] : ["The network is no longer as lib/core/network-facts.ts says:", ...dated]),
  ];
}

export function tableOf(look: ChainLook): string[] {
  const routes = (look.routes ?? []).map(({ name, words }) => `    ${name}: ${words}`);
  const passed = JSON.stringify(exchangesThatPassed(look.routes ?? []));
  return [
    look.chain,
    ...look.hosts.flatMap(hostLines),
    ...quoteLines(look),
    ...(routes.length === 0
      ? []
      : ["  Jupiter, by the message of an order:", ...routes, `    "exchanges": ${passed}`]),
  ];
}

/** Lists the exchanges on which all trials succeeded, for the configuration. */
function exchangesThatPassed(routes: readonly RouteLook[]): string[] {
  const tried = new Set(routes.flatMap(({ exchange }) => exchange ?? []));
  return [...tried].filter((each) => routes.every(({ exchange, isTried }) => exchange !== each || isTried));
}

const nameWidth = 26;

function hostLines({ host, head, lagSeconds = 0, calls, contracts, facts = [] }: HostLook): string[] {
  const title = head === undefined ? "no newest block" : `block ${head.number}, ${lagSeconds} s behind`;
  const row = (name: string, bytes: unknown, ms: unknown, words = "") =>
    `    ${name.padEnd(nameWidth)}${String(bytes).padStart(9)}${String(ms).padStart(7)}  ${words}`.trimEnd();
  return [
    `  ${host}: ${title}`,
    row("call", "bytes", "ms"),
    ...calls.map(({ name, bytes, ms, problem }) => row(name, bytes, ms, problem?.words)),
    ...[...contracts, ...facts].flatMap(({ name, problem }) =>
      problem ? [`    ${name} ${problem.words}`] : [],
    ),
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
