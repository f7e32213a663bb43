import { describe, expect, it } from "vitest";
import type { HostFees } from "../../../../lib/chains/evm/rules/fees.ts";
import { jointEvmQuote, jointFees } from "../../../../lib/chains/evm/rules/joint-facts.ts";
import type { EvmQuotedRoute, EvmTradeFacts } from "../../../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import { quotedRoute, tradeFacts } from "../../../support/place-request.ts";
import { v3 } from "../../../support/trading.ts";

const fees = (tip: bigint, forBase: bigint, floor?: bigint): HostFees => ({
  maxFeePerGas: forBase + tip,
  maxPriorityFeePerGas: tip,
  ...(floor !== undefined && { floor }),
});

describe("jointFees", () => {
  it.each([
    ["the lower tip and the higher part for the base fee", fees(3n, 10n), fees(5n, 8n), fees(3n, 10n)],
    ["at least the higher floor", fees(5n, 0n, 5n), fees(9n, 0n, 7n), fees(7n, 0n)],
    ["the lower tip if it is above both floors", fees(8n, 0n, 5n), fees(9n, 0n, 7n), fees(8n, 0n)],
  ])("combines two hosts' fees into %s", (_, a, b, joint) => {
    expect([jointFees([a, b]), jointFees([b, a])]).toEqual([joint, joint]);
  });
});

const { identity } = tradeFacts();

/** A host's facts about an unlisted token. */
const unlisted = (...routes: [EvmQuotedRoute, ...EvmQuotedRoute[]]): EvmTradeFacts =>
  tradeFacts({ identity: { ...identity, isListed: false }, amountOut: routes[0].amountOut, routes });

const onV2 = (changes: Partial<EvmQuotedRoute> = {}) => quotedRoute({ quoted: 5000n, ...changes });
const onV3 = (changes: Partial<EvmQuotedRoute> = {}) => quotedRoute({ ...v3, pool: "0x3", ...changes });

const isGuess = true;
/** Answer of a host that cannot simulate. */
const guess = onV2({ isGuess });

/** Combines two hosts' facts in either order, and expects the same result. */
function joint(a: EvmTradeFacts, b: EvmTradeFacts | DomainError, side: "buy" | "sell" = "buy") {
  const [one, other] = [jointEvmQuote(a, b, side), jointEvmQuote(b, a, side)];
  expect(other).toEqual(one);
  return one;
}

describe("jointQuote with one host that cannot simulate", () => {
  it("lowers the output to the simulation of the other host", () => {
    const taxed = unlisted(onV2({ amountOut: 4500n, deepOut: 18_000n }));
    for (const side of ["buy", "sell"] as const)
      expect(joint(taxed, unlisted(guess), side)).toMatchObject({
        amountOut: 4500n,
        safety: taxed.safety,
        routes: [{ amountOut: 4500n, deepOut: 18_000n }],
      });
  });

  it.each<[string, EvmTradeFacts, EvmTradeFacts]>([
    ["lowers more than a safe token's tax", unlisted(onV2({ amountOut: 3749n })), unlisted(guess)],
    [
      "lowers an amount that the other host has shown to arrive",
      unlisted(onV2({ amountOut: 4749n })),
      unlisted(onV2({ isGuess, provenOut: 4750n })),
    ],
    [
      "refuses a pool of which the other one has shown more to arrive",
      unlisted(onV2({ feeBps: 25, amountOut: 4749n, quoted: 4749n })),
      unlisted(
        onV2({ isGuess, provenOut: 4750n }),
        onV2({ feeBps: 25, amountOut: 4749n, quoted: 4749n, isGuess }),
      ),
    ],
    [
      "lowers a listed token",
      tradeFacts({ routes: [onV2({ amountOut: 4999n })] }),
      tradeFacts({ routes: [guess] }),
    ],
    ["differs about the pool", unlisted(onV2({ amountOut: 4500n, quoted: 4999n })), unlisted(guess)],
    [
      "that cannot simulate hides the best v2 pool",
      unlisted(onV2(), onV2({ feeBps: 25, amountOut: 4990n, quoted: 4990n })),
      unlisted(onV2({ feeBps: 25, amountOut: 4990n, quoted: 4990n, isGuess })),
    ],
    [
      "refuses a pool of a listed token",
      tradeFacts({ routes: [onV2({ feeBps: 25, amountOut: 4990n, quoted: 4990n })] }),
      tradeFacts({ routes: [guess, onV2({ feeBps: 25, amountOut: 4990n, quoted: 4990n, isGuess })] }),
    ],
    [
      "rejects a pool if no other one pays nearly as much",
      unlisted(onV2({ amountOut: 3749n, quoted: 3749n })),
      unlisted(onV3({ isGuess }), onV2({ amountOut: 3749n, quoted: 3749n, isGuess })),
    ],
  ])("returns no joint quote if a host %s", (_, simulated, plain) => {
    expect(joint(simulated, plain, "sell")).toBeUndefined();
  });

  it("lowers the output to the amount that the other host has proven", () => {
    const shown = unlisted(onV2({ isGuess, provenOut: 4750n }));
    expect(joint(unlisted(onV2({ amountOut: 4750n })), shown)).toMatchObject({ amountOut: 4750n });
  });

  it("lets a simulation exclude a route", () => {
    const plain = unlisted(onV3({ isGuess }), onV2({ amountOut: 4900n, quoted: 4900n, isGuess }));
    const simulated = unlisted(onV2({ amountOut: 4800n, quoted: 4900n }));
    expect(joint(simulated, plain, "sell")).toMatchObject({
      amountOut: 4800n,
      routes: [{ venue: "uniswap-v2" }],
    });
  });

  it("prefers v2 for an unlisted token if v3 is hardly better by the hosts' combined answers", () => {
    const simulated = unlisted(onV2({ amountOut: 4980n }), onV3({ quoted: 5060n, amountOut: 5010n }));
    const plain = unlisted(onV3({ quoted: 5060n, amountOut: 5060n, isGuess }), guess);
    const routes = [{ venue: "uniswap-v2" }, { venue: "uniswap-v3" }];
    expect(joint(simulated, plain, "sell")).toMatchObject({ amountOut: 4980n, routes });
  });

  it("buys an unlisted token on v2, unless v3 pays much more", () => {
    const cheap = onV2({ amountOut: 4850n, quoted: 4850n });
    expect(joint(unlisted(onV3(), cheap), unlisted({ ...cheap, isGuess }))).toMatchObject({
      amountOut: 4850n,
    });
    const poor = onV2({ amountOut: 4849n, quoted: 4849n });
    expect(joint(unlisted(onV3(), poor), unlisted({ ...poor, isGuess }))).toMatchObject({ code: "NO_ROUTE" });
  });

  it("buys an unlisted token on v3 only if both hosts simulate", () => {
    const none = new DomainError("NO_ROUTE", "No pool");
    expect(joint(unlisted(onV3()), none)).toMatchObject({ code: "NO_ROUTE" });
    expect(joint(unlisted(onV3()), unlisted(onV3()))).toMatchObject({ routes: [v3] });
    expect(joint(unlisted(onV2()), none)).toBeUndefined();
  });
});

describe("jointQuote with two hosts that simulate", () => {
  it("returns no joint quote if two simulated amounts differ at all, even for a taxed token", () => {
    expect(joint(unlisted(onV2({ amountOut: 4500n })), unlisted(onV2({ amountOut: 4499n })))).toBeUndefined();
    expect(
      joint(unlisted(onV2(), onV3({ amountOut: 1n })), unlisted(onV3({ amountOut: 1n }))),
    ).toBeUndefined();
  });
});
