import * as v from "valibot";
import { flag, json, matching, wholeWithin } from "./context-values.ts";
import { type ChainsContext, isLocalChain } from "./trading-context.ts";

const daySeconds = 86_400;

/** Keys of the context that choose whether and when wallets can be exported, and who gets notices. */
export const exportContext = {
  devices: flag(false),
  walletExport: flag(false),
  exportDelaySeconds: v.optional(json(wholeWithin(0, 30 * daySeconds, "seconds")), daySeconds),
  noticeBusArn: v.optional(
    matching(/^arn:[\w-]+:events:[\w-]+:\d+:event-bus\/[\w./-]+$/, "the ARN of an EventBridge bus"),
  ),
};

type Context = ChainsContext & { exportDelaySeconds: number };

/**
 * Finds contradictions between several values. An export without delay would bypass the limits of the wallet's policy.
 */
export function exportProblems({ exportDelaySeconds, ...context }: Context): string[] {
  const real = context.trading.filter((chain) => !isLocalChain(context, chain));
  if (exportDelaySeconds >= daySeconds || real.length === 0) return [];
  return [`exportDelaySeconds must be at least ${daySeconds} where chains trade, such as ${real[0]}`];
}
