import { getAddress } from "ethers/address";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { needsRefund } from "../../../../lib/chains/evm/rules/intent.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import { routesOf } from "../../../../lib/chains/evm/venues/configured-routes.ts";
import { simulatedCall } from "../../../../lib/chains/evm/venues/simulated-calls.ts";
import { evmChains } from "../../../../lib/core/chain-facts.ts";
import { defaultChains } from "../../../../lib/infra/default-chains.ts";

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString("hex")}`));
/** Addresses that end like the marks begin, or like other repeated bytes. */
const odd = fc
  .constantFrom("11", "1e", "1f", "ee", "ff", "b7", "c9")
  .chain((end) => fc.constantFrom(`0x${end.repeat(20)}`, `0x${"0".repeat(38)}${end}`))
  .map((text) => getAddress(text));
const wallet = getAddress(`0x${"ab".repeat(20)}`);
const amounts = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });

describe("simulatedCall", () => {
  it.each(evmChains)("finds no mark on %s at a place where an address only seems to begin it", (name) => {
    const contracts = defaultChains[name];
    const token = getAddress(`0x${"ee".repeat(20)}`);
    for (const route of routesOf(contracts, token)) {
      const swap = { purpose: "swap", side: "buy", token, route } as const;
      const call = {
        purpose: "swap",
        side: "buy",
        token,
        ...route,
        recipient: wallet,
        value: 5n,
        amountIn: 5n,
        minAmountOut: 0n,
        deadline: 0xffffffff,
        hasRefund: needsRefund("buy", route),
      } as const;
      expect(simulatedCall(contracts, swap, wallet, 5n)).toEqual(encodeCall(contracts, call, wallet));
    }
  });

  it.each(evmChains)(
    "encodes calls of %s as transactions encode them, also those that it remembers",
    (name) => {
      const contracts = defaultChains[name];
      const wallets = fc.tuple(fc.oneof(address, odd), amounts);
      fc.assert(
        fc.property(
          fc.oneof(address, odd),
          fc.nat(),
          fc.array(wallets, { minLength: 2, maxLength: 4 }),
          (token, pick, asked) => {
            const routes = routesOf(contracts, token);
            const route = routes[pick % routes.length] as (typeof routes)[number];
            for (const [wallet, amount] of asked) {
              for (const side of ["buy", "sell"] as const)
                expect(
                  simulatedCall(contracts, { purpose: "swap", side, token, route }, wallet, amount),
                ).toEqual(
                  encodeCall(
                    contracts,
                    {
                      purpose: "swap",
                      side,
                      token,
                      ...route,
                      recipient: wallet,
                      value: side === "buy" ? amount : 0n,
                      amountIn: amount,
                      minAmountOut: 0n,
                      deadline: 0xffffffff,
                      hasRefund: needsRefund(side, route),
                    },
                    wallet,
                  ),
                );
              const approval = { purpose: "approve", token, router: route.router } as const;
              expect(simulatedCall(contracts, approval, wallet, amount)).toEqual(
                encodeCall(contracts, { ...approval, amount }, wallet),
              );
            }
          },
        ),
        { numRuns: process.env.FULL === undefined ? 10 : 100 },
      );
    },
  );
});
