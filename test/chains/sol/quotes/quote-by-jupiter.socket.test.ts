import type { Address } from "@solana/web3.js";
import type { LocalJupiter } from "trading-terminal-devnet/sol/jupiter-server";
import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenAccountOf } from "../../../../lib/chains/sol/calls/addresses.ts";
import { quoteSolTrade } from "../../../../lib/chains/sol/quote.ts";
import { quotesOfSolHosts } from "../../../../lib/chains/sol/quotes/quotes-of-hosts.ts";
import type { SolConfiguration } from "../../../../lib/chains/sol/rules/configuration.ts";
import { jointSolQuote } from "../../../../lib/chains/sol/rules/joint-facts.ts";
import type { JupiterFault } from "../../../../lib/chains/sol/venues/jupiter-client.ts";
import type { SolReader } from "../../../../lib/chains/sol/venues/reader.ts";
import type { QuoteRequest } from "../../../../lib/orders/trade-request.ts";
import { startTestJupiter, type TestJupiter } from "../../../support/jupiter.ts";
import { quotedAt } from "../../../support/quotes.ts";
import { solDeskForTests, solReaderOf, type TestSolHost } from "../../../support/sol-reader.ts";
import { addMint, holdTokens } from "../../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();
let jupiter: TestJupiter;
let faults: unknown[] = [];
let wallet: Address;
beforeAll(async () => {
  jupiter = await startTestJupiter(chain);
  wallet = (await chain.newWallet(10n ** 10n)).address;
});
afterAll(() => jupiter.close());
beforeEach(() => {
  jupiter.asked.length = 0;
  jupiter.faults = {};
  jupiter.faultsOf = undefined;
  faults = [];
});

/** Opens a client of Jupiter that has made no requests yet. */
async function readerOf(changes: Partial<SolConfiguration> = {}): Promise<SolReader> {
  const reader = await solReaderOf(chain, hosts, {
    payer: chain.deployment.payer,
    jupiter: { url: jupiter.url },
    ...changes,
  });
  return { ...reader, onJupiterFault: (fault) => void faults.push((fault as JupiterFault).code) };
}

const settings = { slippage: 1, priorityFee: 0.001, mevProtection: false };
const trader = { settings, orders: [], isStopped: false, mayLose: true };

type Name = keyof TestSurfnet["deployment"]["jupiter"]["pools"];

const mintOf = (name: Name) => chain.deployment.jupiter.pools[name].mint;

/** Quotes a trade, by default a buy for one coin. */
async function quote(name: Name, asked: Partial<QuoteRequest> = {}, changes: Partial<SolConfiguration> = {}) {
  const trade = { chain: "sol", side: "buy", token: mintOf(name), amount: "1", ...asked } as const;
  return quoteSolTrade(await readerOf(changes), trade, trader, quotedAt);
}

/** Reserves of a pool with 500 coins and 5.1 million tokens, and a fee of 0.25 %. */
const paid = (amountIn: bigint, from: bigint, to: bigint) => {
  const traded = amountIn - (amountIn * 2500n + 999_999n) / 1_000_000n;
  return (to * traded) / (from + traded);
};
const [coins, tokens] = [500n * 10n ** 9n, (5n * 10n ** 12n * 102n) / 100n];
const units = (text: string, decimals: number) => {
  const [whole = "", part = ""] = text.split(".");
  return BigInt(whole + part.padEnd(decimals, "0"));
};

describe("quotes with Jupiter", () => {
  it("names Metis with a simulated output if it pays more than the pools", async () => {
    const shown = await quote("MOON", { wallet });
    expect(shown.route).toEqual([{ venue: "jupiter-metis", tokenIn: "native", tokenOut: mintOf("MOON") }]);
    expect(units(shown.amountOut, 6)).toBe(paid(10n ** 9n, coins, tokens));
    // The helper also signs each of the three attempts.
    expect(shown.networkFee).toMatchObject({ expected: "0.00017", max: "0.001065" });
    expect(faults).toEqual([]);
  });

  it("requests the amount and a tenth of it, each for a helper key and without an account of the wallet", async () => {
    await quote("MOON", { wallet });
    const [first, second] = jupiter.asked;
    expect(jupiter.asked).toHaveLength(2);
    expect(second).toMatchObject({ amount: "100000000" });
    const { mint, program } = chain.deployment.tokens.MOON;
    expect(first).toMatchObject({
      inputMint: "So11111111111111111111111111111111111111112",
      outputMint: mint,
      amount: "1000000000",
      wrapAndUnwrapSol: "false",
    });
    for (const own of [wallet, await tokenAccountOf(wallet, mint, program)])
      expect(JSON.stringify(first)).not.toContain(own);
    expect(first?.taker).not.toBe(second?.taker);
  });

  it("quotes tokens that have no pool, even if the request names no wallet", async () => {
    const shown = await quote("ORBIT");
    expect(shown.route).toMatchObject([{ venue: "jupiter-metis" }]);
    expect(units(shown.amountOut, 6)).toBe(paid(10n ** 9n, coins, tokens));
    expect(shown).toMatchObject({ sellable: null, flags: ["NOT_LISTED", "SELLABILITY_UNKNOWN"] });
    expect(shown.warnings).not.toContain("AMOUNT_TINY");
  });

  it("rejects the amount rather than the route if the amount exceeds the wallet's balance or every pool", async () => {
    const short = { code: "INSUFFICIENT_BALANCE" };
    const wrong = { code: "INVALID_REQUEST", details: { field: "amount" } };
    const sale = { side: "sell", amount: "1" } as const;
    await expect(quote("ORBIT", { ...sale, wallet })).rejects.toMatchObject(short);
    await expect(quote("ORBIT", { ...sale, amount: "9".repeat(40) })).rejects.toMatchObject(wrong);
    await expect(quote("ORBIT", { amount: "9".repeat(40) })).rejects.toMatchObject(wrong);
    await expect(quote("ORBIT", { amount: "9".repeat(40), wallet })).rejects.toMatchObject(short);
    await expect(quote("ORBIT", sale)).rejects.toMatchObject({ code: "NO_ROUTE" });
  });

  it.each<[Name, bigint]>([
    ["ORBIT", 10n ** 10n],
    // The token's program withholds 1 %.
    ["FEEZ", 99n * 10n ** 8n],
  ])("sells %s, to the lamport", async (name, arrived) => {
    const { address: holder } = await chain.newWallet(10n ** 9n);
    await holdTokens(chain, holder, chain.deployment.jupiter.pools[name], 2n * 10n ** 10n);
    // No pool uses this configuration.
    const alone = { cpmmConfigs: [1] };
    const shown = await quote(name, { side: "sell", wallet: holder, amount: "10000" }, alone);
    expect(shown.route).toMatchObject([{ venue: "jupiter-metis" }]);
    expect(units(shown.amountOut, 9)).toBe(paid(arrived, tokens, coins));
    const share = { side: "sell", wallet: holder, amount: undefined, percent: 50 } as never;
    const half = await quote(name, share, alone);
    expect(half.amountOut).toBe(shown.amountOut);
  });

  it("buys FEEZ, minus the token's transfer fee", async () => {
    const shown = await quote("FEEZ", { wallet });
    const sent = paid(10n ** 9n, coins, tokens);
    expect(units(shown.amountOut, 6)).toBe(sent - (sent + 99n) / 100n);
  });

  it("ignores Jupiter if no account can simulate a sale, or if Jupiter is not configured", async () => {
    const { route } = await quote("FEEZ", { side: "sell", amount: "10" });
    expect(route).toMatchObject([{ venue: "raydium-cpmm" }]);
    expect(await quote("MOON", {}, { jupiter: undefined } as never)).toMatchObject({
      route: [{ venue: "raydium-cpmm" }],
      networkFee: { max: "0.001035" },
    });
    expect(jupiter.asked).toEqual([]);
  });

  it("reports a token that nobody trades", async () => {
    const token = await addMint(chain, 6);
    await expect(quote("MOON", { token })).rejects.toMatchObject({ code: "NO_ROUTE" });
    // An answer that Jupiter has no route is no fault.
    expect(faults).toEqual([]);
  });

  it.each<
    [Exclude<keyof LocalJupiter["faults"], "extraInstructions" | "refusing" | "sharedAccounts">, string]
  >([
    ["otherProgram", "OTHER_PROGRAM"],
    ["otherDestination", "the venue's accounts or mints are not the order's"],
    ["platformFee", "the venue's instruction takes a fee for a platform"],
    ["badBuild", "the instruction of the venue is not in the list"],
    ["huge", "TOO_LARGE"],
    ["rateLimited", "TOO_MANY_REQUESTS"],
    ["silent", "TIMEOUT"],
  ])("uses the best pool while Jupiter answers with the fault %s", async (fault, code) => {
    jupiter.faults = { [fault]: 1 };
    expect((await quote("MOON", { wallet })).route).toMatchObject([{ venue: "raydium-cpmm" }]);
    // A question that follows a refusal is not asked.
    expect(new Set(faults.filter((each) => each !== "RESTING"))).toEqual(new Set([code]));
    await expect(quote("ORBIT", { wallet })).rejects.toMatchObject({ code: "NO_ROUTE" });
  });

  it.each(["refusing", "sharedAccounts"] as const)("uses only the pools with the fault %s", async (fault) => {
    jupiter.faults = { [fault]: 1 };
    expect((await quote("MOON", { wallet })).route).toMatchObject([{ venue: "raydium-cpmm" }]);
    await expect(quote("ORBIT", { wallet })).rejects.toMatchObject({ code: "NO_ROUTE" });
    expect(faults).toEqual([]);
  });

  it("uses only the pools once it has asked more often than Jupiter allows", async () => {
    const limited = await startTestJupiter(chain, { perMinute: 2 });
    const reader = await readerOf({ jupiter: { url: limited.url } });
    const trade = { chain: "sol", side: "buy", token: mintOf("MOON"), amount: "1", wallet } as const;
    const venueOf = async () => (await quoteSolTrade(reader, trade, trader, quotedAt)).route[0]?.venue;
    expect([await venueOf(), await venueOf()]).toEqual(["jupiter-metis", "raydium-cpmm"]);
    expect(faults[0]).toBe("TOO_MANY_REQUESTS");
    await limited.close();
  });

  it("ignores additional instructions from Jupiter", async () => {
    jupiter.faults = { extraInstructions: 1 };
    expect((await quote("MOON", { wallet })).route).toMatchObject([{ venue: "jupiter-metis" }]);
  });

  it("requires a minimum if no Raydium pool prices the token, even for sales", async () => {
    const { address: holder } = await chain.newWallet(10n ** 9n);
    await holdTokens(chain, holder, chain.deployment.jupiter.pools.ORBIT, 10n ** 10n);
    const sale = { side: "sell", wallet: holder, amount: "10000" } as const;
    for (const [asked, minAmountOut] of [
      [{ wallet }, "10000"],
      [sale, "0.9"],
    ] as const) {
      const details = { field: "minAmountOut" };
      expect((await quote("ORBIT", asked)).wouldBeRefused).toMatchObject({ code: "NO_REFERENCE", details });
      expect(await quote("ORBIT", { ...asked, minAmountOut })).not.toHaveProperty("wouldBeRefused");
    }
    // MOON's pool is a valid reference as long as a tenth of the amount hardly moves its price.
    expect(await quote("MOON", { wallet })).not.toHaveProperty("wouldBeRefused");
    const most = { amount: "600", minAmountOut: "1", maxPriceImpact: 100 };
    expect(await quote("MOON", most)).not.toHaveProperty("wouldBeRefused");
    expect(await quote("MOON", { ...most, minAmountOut: undefined })).toMatchObject({
      wouldBeRefused: { code: "NO_REFERENCE" },
    });
  });

  it("computes the price impact from its own simulations of the amount and a tenth of it", async () => {
    const shown = await quote("ORBIT", { amount: "400", minAmountOut: "1" });
    const [whole = 0, part = 0] = [400n, 40n].map((amount) =>
      Number(paid(amount * 10n ** 9n, coins, tokens)),
    );
    expect(shown.priceImpact).toBeCloseTo(100 * (1 - whole / (10 * part)), 3);
    expect(shown).toMatchObject({
      marketImpact: shown.priceImpact,
      warnings: expect.arrayContaining(["PRICE_IMPACT_HIGH"]),
      wouldBeRefused: { code: "PRICE_IMPACT_TOO_HIGH" },
    });
  });

  it("ignores a Jupiter server that does not quote a tenth of the amount", async () => {
    jupiter.faultsOf = ({ amount }) => (Number(amount) < 1e9 ? { rateLimited: 1 } : {});
    expect((await quote("MOON", { wallet })).route).toMatchObject([{ venue: "raydium-cpmm" }]);
    await expect(quote("ORBIT", { wallet, minAmountOut: "1" })).rejects.toMatchObject({ code: "NO_ROUTE" });
  });

  it("trusts the simulation rather than Jupiter's quote", async () => {
    jupiter.faults = { overstated: 1 };
    const shown = await quote("MOON", { wallet });
    expect(units(shown.amountOut, 6)).toBe(paid(10n ** 9n, coins, tokens));
  });
});

/** Slows the clock, so that even a busy machine has time to query the hosts again. */
const slowly = () => Date.now() / 10;

describe("quotes of two hosts with Jupiter", () => {
  async function ask(name: Name) {
    const trade = { side: "buy", token: mintOf(name), amount: "1" } as const;
    const quotes = await quotesOfSolHosts(await readerOf(), { trade, wallet, orders: [] }, 1, slowly);
    return jointSolQuote(...quotes, 1);
  }

  /** Scales the simulated amounts in the wallet's token accounts. */
  const simulating = (thousandths: bigint): TestSolHost["lie"] => {
    return (method, result) => {
      if (method !== "simulateTransaction") return result;
      const answer = structuredClone(result) as {
        value: { accounts: ({ data: [string, string] } | null)[] | null };
      };
      for (const account of answer.value.accounts ?? []) {
        const data = Buffer.from(account?.data[0] ?? "", "base64");
        if (account === null || data.length < 72) continue;
        data.writeBigUInt64LE((data.readBigUInt64LE(64) * thousandths) / 1000n, 64);
        account.data[0] = data.toString("base64");
      }
      return answer;
    };
  };

  it("needs only one additional call for a tenth of the amount", async () => {
    const called: string[] = [];
    hosts[0].lie = (method, result) => {
      called.push(method);
      return result;
    };
    await ask("ORBIT");
    expect(called.filter((method) => method === "simulateTransaction")).toHaveLength(2);
    expect(called.filter((method) => method === "getFeeForMessage")).toHaveLength(1);
  });

  it("lets both hosts simulate the same offer from Jupiter, and binds Jupiter ahead of the pool", async () => {
    expect(await ask("MOON")).toMatchObject({
      amountOut: paid(10n ** 9n, coins, tokens),
      routes: [{ venue: "jupiter-metis" }, { venue: "raydium-cpmm" }],
    });
    expect(jupiter.asked).toHaveLength(2);
  });

  it("uses the higher of two nearly equal outputs", async () => {
    hosts[1].lie = simulating(1001n);
    const fair = paid(10n ** 9n, coins, tokens);
    expect(await ask("MOON")).toMatchObject({ amountOut: (fair * 1001n) / 1000n });
  });

  it.each([2000n, 500n])(
    "uses a pool if one host shows %d thousandths of Jupiter's output",
    async (thousandths) => {
      hosts[1].lie = simulating(thousandths);
      expect(await ask("MOON")).toMatchObject({ routes: [{ venue: "raydium-cpmm" }] });
      expect(jupiter.asked).toHaveLength(2);
      expect(await ask("ORBIT")).toMatchObject({ code: "NO_ROUTE" });
    },
  );

  it("uses a pool if one host cannot simulate", async () => {
    hosts[1].lie = (method, result) =>
      method === "simulateTransaction"
        ? { ...(result as object), value: { err: "AccountNotFound" } }
        : result;
    expect(await ask("MOON")).toMatchObject({ routes: [{ venue: "raydium-cpmm" }] });
  });
});
