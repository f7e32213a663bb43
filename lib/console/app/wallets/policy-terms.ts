import type { RestData, RestRequest } from "trading-terminal-client";

type Policy = RestData<"getWalletPolicy">["policy"];

/** The limits of a wallet as a form edits them. An empty text is no limit, and no tokens are any. */
export const textsOf = (policy: Policy) => ({
  maxPerOrder: policy.maxPerOrder ?? "",
  maxPerDay: policy.maxPerDay ?? "",
  maxNetworkFeesPerDay: policy.maxNetworkFeesPerDay ?? "",
  maxSlippage: policy.maxSlippage === undefined ? "" : String(policy.maxSlippage),
  tokens: policy.tokens === "any" ? "" : policy.tokens.join("\n"),
  anyLoss: policy.anyLoss ?? false,
  tradingEnabled: policy.tradingEnabled,
});

export type PolicyTexts = ReturnType<typeof textsOf>;

/** Builds the body that saves the limits of a form. */
export function policyIn({
  maxPerOrder,
  maxPerDay,
  maxNetworkFeesPerDay,
  maxSlippage,
  tokens,
  anyLoss,
  tradingEnabled,
}: PolicyTexts) {
  return {
    ...(maxPerOrder && { maxPerOrder }),
    ...(maxPerDay && { maxPerDay }),
    ...(maxNetworkFeesPerDay && { maxNetworkFeesPerDay }),
    ...(maxSlippage && { maxSlippage: Number(maxSlippage) }),
    tokens: tokens.trim() === "" ? ("any" as const) : tokens.trim().split(/[\s,]+/),
    ...(anyLoss && { anyLoss }),
    tradingEnabled,
  } as RestRequest<"setWalletPolicy">["body"];
}
