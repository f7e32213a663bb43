import type { ServerMessage } from "trading-terminal-client";
import { compared } from "../exact.ts";
import { plainNumber } from "../format.ts";

export type Policy = Extract<ServerMessage, { type: "WalletPolicyUpdated" }>["data"]["policy"];

/** True if a limit was raised or removed. */
const isRaised = (before: string | undefined, after: string | undefined) =>
  before !== undefined && (after === undefined || compared(after, before) > 0);

/**
 * True if the limit on network fees may be higher. If the policy has no such limit, the service's usual limit applies,
 * which the page does not know.
 */
const mayBeHigher = (before: string | undefined, after: string | undefined) =>
  before !== after && (before === undefined || isRaised(before, after));

const slippageText = ({ maxSlippage }: Policy) =>
  maxSlippage === undefined ? undefined : plainNumber(maxSlippage);

function addedTokens({ tokens: before }: Policy, { tokens: after }: Policy): string | undefined {
  if (before === "any") return undefined;
  if (after === "any") return "any token";
  const added = after.filter((token) => !before.includes(token)).length;
  return added > 0 ? `${added} more ${added === 1 ? "token" : "tokens"}` : undefined;
}

/** Lists in words everything that a policy newly allows. */
export function looserLimits(before: Policy, after: Policy, coin: string): string[] {
  const [slippage, newSlippage] = [slippageText(before), slippageText(after)];
  const { maxPerOrder, maxPerDay, maxNetworkFeesPerDay: fees } = after;
  const limited = (limit: string | undefined, what: string) =>
    limit === undefined ? `no limit ${what}` : `up to ${limit} ${coin} ${what}`;
  return [
    !before.tradingEnabled && after.tradingEnabled && "the wallet may trade again",
    isRaised(before.maxPerOrder, maxPerOrder) && limited(maxPerOrder, "for a buy"),
    isRaised(before.maxPerDay, maxPerDay) && limited(maxPerDay, "in a day"),
    mayBeHigher(before.maxNetworkFeesPerDay, fees) &&
      (fees === undefined ? "the usual network fees" : `up to ${fees} ${coin} of network fees in a day`),
    isRaised(slippage, newSlippage) &&
      (newSlippage === undefined ? "any slippage" : `up to ${newSlippage} % slippage`),
    addedTokens(before, after) ?? false,
    !before.anyLoss && after.anyLoss === true && "orders may lose more than half of their value",
  ].filter((text) => typeof text === "string");
}
