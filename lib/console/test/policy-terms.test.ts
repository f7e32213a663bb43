import { expect, it } from "vitest";
import { policyIn, textsOf } from "../app/wallets/policy-terms.ts";

const open = { tokens: "any", tradingEnabled: true } as const;

it.each<[string, Parameters<typeof textsOf>[0]]>([
  ["no limits", open],
  [
    "every limit",
    {
      maxPerOrder: "0.1",
      maxPerDay: "0.5",
      maxNetworkFeesPerDay: "0.02",
      maxSlippage: 2.5,
      tokens: ["0xa", "0xb"],
      anyLoss: true,
      tradingEnabled: false,
    },
  ],
])("the form of a policy saves %s as it shows them", (_, policy) => {
  expect(policyIn(textsOf(policy))).toEqual(policy);
});

it("the form of a policy takes tokens between lines, spaces or commas", () => {
  expect(policyIn({ ...textsOf(open), tokens: " 0xa\n0xb, 0xc " }).tokens).toEqual(["0xa", "0xb", "0xc"]);
});
