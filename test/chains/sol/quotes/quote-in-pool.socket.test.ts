import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { bytesOfAddress, programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import { cpmmConfigOf } from "../../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { quoteSolTrade } from "../../../../lib/chains/sol/quote.ts";
import { quotesOfSolHosts } from "../../../../lib/chains/sol/quotes/quotes-of-hosts.ts";
import type { QuoteRequest } from "../../../../lib/orders/trade-request.ts";
import { quotedAt } from "../../../support/quotes.ts";
import { seeing, solDeskForTests, solReaderOf } from "../../../support/sol-reader.ts";
import { solKey } from "../../../support/sol-terms.ts";
import { addMint, addPool, holdTokens } from "../../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();

const settings = { slippage: 1, priorityFee: 0.001, mevProtection: false };
const trader = { settings, orders: [], isStopped: false, mayLose: true };

const unknownConfig = await cpmmConfigOf(16);

const coin = 10n ** 9n;

/** A pool at a price of 0.0001 coins for a token of 6 decimals. */
const fair = { coins: 500n * coin, tokens: 5n * 10n ** 12n };

/** A pool of a stranger, which has a tenth of a coin and sells at ten times the price. */
const dear = { coins: coin / 10n, tokens: 10n ** 8n };

async function quote(token: Address, asked: Partial<QuoteRequest> = {}) {
  const reader = await solReaderOf(chain, [hosts[0]]);
  const trade = { chain: "sol", side: "buy", amount: "0.001", token, ...asked } as const;
  return quoteSolTrade(reader, trade, trader, quotedAt);
}

const refusal = async (...asked: Parameters<typeof quote>) =>
  quote(...asked).then(
    ({ wouldBeRefused }) => wouldBeRefused ?? {},
    ({ code, details }) => ({ code, details }),
  );

let count = 0;
const anywhere = () => solKey(`pool ${count++}`).address;

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

describe("quotes in a pool that the request names", () => {
  it("trades only in that pool, wherever it is, and says so", async () => {
    const mint = await addMint(chain, 6);
    const usual = await addPool(chain, { mint, ...fair });
    const pool = await addPool(chain, { mint, index: 5, fee: 3000n, address: anywhere(), ...fair });
    expect((await quote(mint)).route).toMatchObject([{ pool: usual, feeBps: 25 }]);
    expect(await quote(mint, { pool })).toMatchObject({ route: [{ pool, feeBps: 30 }] });
    expect((await quote(mint, { pool })).wouldBeRefused).toBeUndefined();
    expect((await quote(mint, { pool: usual })).route).toMatchObject([{ pool: usual }]);
    const { address: wallet } = await chain.newWallet(coin);
    await holdTokens(chain, wallet, { mint, program: programs.token }, 10n ** 9n);
    expect(await quote(mint, { pool, side: "sell", wallet, amount: "1" })).toMatchObject({
      route: [{ pool }],
    });
  });

  it.each<[string, Readonly<Record<number, Uint8Array>>]>([
    ["another kind of account", { 0: Buffer.alloc(8) }],
    ["a configuration that is not one of the first 16", { 8: bytesOfAddress(unknownConfig) }],
    ["another vault", { 72: bytesOfAddress(solKey("vault").address) }],
    ["another vault of its second side", { 104: bytesOfAddress(solKey("vault").address) }],
    ["another token", { 168: Buffer.alloc(64, 7) }],
    ["another program of its tokens", { 232: bytesOfAddress(programs.token2022) }],
    ["another program of its second token", { 264: bytesOfAddress(programs.token2022) }],
    ["another observation", { 296: bytesOfAddress(solKey("observation").address) }],
    ["an unknown kind of creator's fee", { 389: Uint8Array.of(3) }],
  ])("refuses a pool with %s", async (_, spoiled) => {
    const mint = await addMint(chain, 6);
    await addPool(chain, { mint, ...fair });
    const pool = await addPool(chain, { mint, address: anywhere(), ...fair, spoiled });
    expect(await refusal(mint, { pool })).toEqual({ code: "INVALID_REQUEST", details: { field: "pool" } });
  });

  it("refuses an account that is not a pool: a stranger's copy, a wallet, a mint, and one that does not exist", async () => {
    const mint = await addMint(chain, 6);
    await addPool(chain, { mint, ...fair });
    const copy = await addPool(chain, { mint, address: anywhere(), owner: programs.system, ...fair });
    const { address: wallet } = await chain.newWallet();
    for (const pool of [copy, wallet, mint, anywhere()])
      expect(await refusal(mint, { pool }), pool).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it.each<[string, Readonly<Record<number, Uint8Array>>]>([
    ["that is closed", { 329: Uint8Array.of(4) }],
    ["that opens tomorrow", { 373: u64(BigInt(Math.floor(Date.now() / 1000) + 86_400)) }],
  ])("does not trade in a pool %s, named or found", async (_, spoiled) => {
    const mint = await addMint(chain, 6);
    const pool = await addPool(chain, { mint, ...fair, spoiled });
    expect(await refusal(mint)).toMatchObject({ code: "NO_ROUTE" });
    expect(await refusal(mint, { pool })).toMatchObject({ code: "NO_ROUTE" });
  });

  it("does not trade in a pool whose fee is 100 %", async () => {
    const mint = await addMint(chain, 6);
    await addPool(chain, { mint, index: 14, fee: 1_000_000n, ...fair });
    expect(await refusal(mint)).toMatchObject({ code: "NO_ROUTE" });
  });

  it("takes no price from a pool that only the request names, nor from one of less than a coin", async () => {
    const details = { field: "minAmountOut" };
    for (const found of [{ address: anywhere(), ...fair }, dear]) {
      const mint = await addMint(chain, 6);
      const pool = await addPool(chain, { mint, ...found });
      expect(await refusal(mint, { pool })).toMatchObject({ code: "NO_REFERENCE", details });
      expect(await refusal(mint, { pool, minAmountOut: "0.1" })).toEqual({});
    }
  });

  it("compares a pool at ten times the price with the others of the token", async () => {
    const mint = await addMint(chain, 6);
    const usual = await addPool(chain, { mint, ...fair });
    const pool = await addPool(chain, { mint, index: 3, address: anywhere(), ...dear });
    expect(await refusal(mint, { pool })).toMatchObject({ code: "PRICE_IMPACT_TOO_HIGH" });
    const stranger = await addPool(chain, { mint, index: 3, ...dear });
    expect((await quote(mint)).route).toMatchObject([{ pool: usual }]);
    expect(await refusal(mint, { pool: stranger })).toMatchObject({ code: "PRICE_IMPACT_TOO_HIGH" });
  });

  it("reads seventeen pools of a token, the named one among them, in one call", async () => {
    const mint = await addMint(chain, 6);
    for (let index = 0; index < 16; index++) await addPool(chain, { mint, index, ...fair });
    const pool = await addPool(chain, { mint, address: anywhere(), ...fair });
    const { address: wallet } = await chain.newWallet(coin);
    const counts: number[] = [];
    hosts[0].lie = seeing((_, addresses) => void counts.push(addresses.length));
    expect((await quote(mint, { pool, wallet })).route).toMatchObject([{ pool }]);
    expect(counts).toEqual([3 + 16 * 4 + 3 + 3]);
  });

  it("does not take a single host's word that an account is a pool", async () => {
    const mint = await addMint(chain, 6);
    await addPool(chain, { mint, ...fair });
    const pool = await addPool(chain, { mint, address: anywhere(), owner: programs.system, ...fair });
    hosts[0].lie = seeing(({ value }, addresses) => {
      const account = value[addresses.indexOf(pool)] as { owner: string } | null | undefined;
      if (account) account.owner = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
    });
    const trade = { side: "buy", amount: "0.001", token: mint, pool } as const;
    const [first, second] = await quotesOfSolHosts(await solReaderOf(chain, hosts), { trade, orders: [] }, 1);
    expect(first).toMatchObject({ routes: [{ pool }] });
    expect(second).toMatchObject({ code: "INVALID_REQUEST" });
  });
});
