import type { Network, Order, Quote, RestData } from "trading-terminal-client";
import { amount, coinOf, day, pairUnits, percent, stepText, unitsOf, words } from "./format.ts";

/** A named value in the form that people read. */
export type Fact = readonly [name: string, text: string];

type Read = RestData<"getOrder">;
type EvmReport = Extract<NonNullable<Read["report"]>, { approvalLeft: string }>;

const coins = (chain: Network, text: string) => `${amount(text, 4)} ${coinOf[chain]}`;
const present = (facts: readonly (Fact | false)[]): Fact[] => facts.filter((fact) => fact !== false);

/** Lists the network fee of a trade. On Solana, it consists of several parts, and new accounts need rent. */
export function feeFacts({ chain, networkFee, rent }: Quote): Fact[] {
  const { expected, max } = networkFee;
  return present([
    ["Network fee", `${coins(chain, expected)}, at most ${amount(max, 4)}`],
    "priority" in networkFee && ["for priority", coins(chain, networkFee.priority)],
    "tip" in networkFee && Number(networkFee.tip) > 0 && ["as a tip", coins(chain, networkFee.tip)],
    rent !== undefined && ["Rent of accounts", coins(chain, rent)],
  ]);
}

/**
 * Says what a fill of a resting order costs now, and the cap of all its fees, which would look like their price without
 * it.
 */
export const cappedFee = ({ chain, networkFee }: Quote, cap: string): Fact => [
  "Network fee",
  `about ${coins(chain, networkFee.expected)} a fill, all capped at ${amount(cap, 4)}`,
];

/** Lists the terms of a transaction. */
export function attemptFacts(chain: Network, attempt: Read["attempts"][number]): Fact[] {
  const { submission, sentAt } = attempt;
  const terms: Fact[] =
    "lastValidBlockHeight" in attempt
      ? [
          ["Priority fee", coins(chain, attempt.priorityFee)],
          ["Tip", coins(chain, attempt.tip)],
          ["Compute units", `at most ${amount(`${attempt.computeUnitLimit}`, 15)}`],
          ["Valid to block height", amount(`${attempt.lastValidBlockHeight}`, 15)],
        ]
      : [
          ["Nonce", `${attempt.nonce}`],
          ["Gas price", `at most ${amount(attempt.maxFeePerGas)} gwei`],
          ["Priority", `${amount(attempt.maxPriorityFeePerGas)} gwei`],
          ["Gas limit", amount(`${attempt.gasLimit}`, 15)],
        ];
  return present([
    ...terms,
    ["Sent", sentAt === undefined ? "not yet known" : day(sentAt)],
    ["Way", submission],
  ]);
}

/** Lists what an order has cost so far, and its limits. */
export function orderFacts(order: Order): Fact[] {
  const { chain, networkFee, rent, minAmountOut, validUntil, reason, keyId } = order;
  return present([
    minAmountOut !== undefined && ["At least", `${amount(minAmountOut)} ${unitsOf(order).received}`],
    validUntil !== undefined && [chain === "sol" ? "Signed until" : "Valid until", day(validUntil)],
    networkFee !== undefined && ["Network fee", coins(chain, networkFee)],
    rent !== undefined && ["Rent of accounts", coins(chain, rent)],
    reason !== undefined && ["Reason", reason],
    keyId !== undefined && ["Program key", keyId],
  ]);
}

/** Lists the result of a filled order. */
export function reportFacts(order: Order, report: NonNullable<Read["report"]>): Fact[] {
  const { chain } = order;
  const { base } = pairUnits(order);
  const nameOf = (token: string) => (token === "native" ? coinOf[chain] : base);
  const side = ({ token, amount: text }: typeof report.spent) => `${amount(text)} ${nameOf(token)}`;
  const { spent, received, quotedAmountOut, slippage, networkFee, route = [] } = report;
  const parts: Fact[] =
    "rent" in report
      ? [
          ...feeParts(chain, report.networkFee),
          ["Rent of accounts", coins(chain, report.rent)],
          ["Compute units", amount(`${report.computeUnits}`, 15)],
        ]
      : [
          ...feeParts(chain, report.networkFee),
          ["Gas used", amount(`${report.gasUsed}`, 15)],
          ["Gas price", `${amount(report.effectiveGasPrice)} gwei`],
          ["Approval left", `${amount(report.approvalLeft)} ${base}`],
          ...doubts(report),
        ];
  return present([
    ["Spent", side(spent)],
    ["Received", side(received)],
    ["Quoted", `${amount(quotedAmountOut)} ${nameOf(received.token)}`],
    ["Slippage", percent(slippage)],
    route.length > 0 && ["Route", route.map(stepText).join(" → ")],
    ["Network fee", coins(chain, networkFee.total)],
    ...parts,
    [chain === "sol" ? "Slot" : "Block", amount(`${report.block}`, 15)],
    ["At", day(report.blockTime)],
    ["Way", report.submission],
  ]);
}

/** Warns if the events of a fill and the wallet's balances do not both confirm the number of tokens. */
const doubts = ({ flags = [], unchecked }: EvmReport): Fact[] =>
  present([
    flags.length > 0 && ["Warning", flags.map(words).join(", ")],
    unchecked === true && ["Unchecked", "only from the token's events"],
  ]);

/** Lists the parts of a fee that were paid. Most parts are 0. */
const feeParts = (chain: Network, { total: _, ...parts }: Record<string, string>): Fact[] =>
  Object.entries(parts)
    .filter(([, text]) => Number(text) > 0)
    .map(([name, text]) => [`of it ${words(name)}`, coins(chain, text)]);
