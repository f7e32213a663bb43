import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { paymentsOf, type TokenView, tokenViewCall } from "../../../../lib/chains/sol/calls/token-view.ts";
import {
  raydiumConfig2,
  raydiumConfigs,
  raydiumPools,
  usdc,
  wrappedCoinAccount,
} from "../../../support/mainnet.ts";

const raydium = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const pool = raydiumPools.plain;

const shown = (owner: string, data: Uint8Array) => ({
  owner,
  lamports: 1,
  data: [Buffer.from(data).toString("base64"), "base64"],
});

/** Writes the chain's clock: slot, start of the epoch, epoch, leaders' epoch and time. */
function clock(epoch: bigint, time: bigint): Uint8Array {
  const data = Buffer.alloc(40);
  for (const [index, value] of [9n, 1n, epoch, epoch + 1n, time].entries())
    data.writeBigUInt64LE(value, 8 * index);
  return data;
}

function holding(amount: bigint): Uint8Array {
  const data = Buffer.from(wrappedCoinAccount);
  data.writeBigUInt64LE(amount, 64);
  return data;
}

/** Accounts of a token on mainnet, but with the test's own amounts in the pool's vaults. */
const accounts: Readonly<Record<string, object>> = {
  SysvarC1ock11111111111111111111111111111111: shown(
    "Sysvar1111111111111111111111111111111111111",
    clock(833n, 1_750_000_000n),
  ),
  [pool.mint]: shown(token, usdc.mint),
  [raydiumConfigs[0]]: shown(raydium, raydiumConfig2),
  [pool.address]: shown(raydium, pool.data),
  [pool.vaults.coin]: shown(token, holding(5_000_000_000n)),
  [pool.vaults.token]: shown(token, holding(7_000_000_000n)),
};

describe("tokenViewCall", () => {
  it("finds a token's pool on mainnet and the pool's reserves", async () => {
    const { params, read } = await tokenViewCall(
      pool.mint as Address,
      { cpmmConfigs: [raydiumConfigs[0] as Address] },
      { commitment: "finalized" },
    );
    const asked = params[0] as string[];
    const answer = { context: { slot: 9 }, value: asked.map((address) => accounts[address] ?? null) };
    const view = read(answer) as TokenView;
    expect(view).toMatchObject({ epoch: 833n, time: 1_750_000_000n });
    expect(view.pools.map(({ address }) => address)).toEqual([pool.address]);
    const [found] = view.pools;
    // The vaults also contain fees of the protocol and the fund.
    expect(found?.reserves).toEqual({
      coins: 5_000_000_000n - 484_814_504n - 123_593_244n,
      tokens: 7_000_000_000n - 286_186_090n - 78_871_511n,
    });
    // A fee takes 2 % of the 100,000,000 lamports. The rest buys at 4,391,592,252 / 4,489,592,252 of the price.
    const [payment] = paymentsOf(view, "buy", 100_000_000n);
    expect(payment?.priceImpact).toBeCloseTo(2.18, 2);
  });

  it("reads a token's name from the account where Metaplex stores USDC's", async () => {
    const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" as Address;
    const { params } = await tokenViewCall(mint, {}, { commitment: "finalized" });
    expect(params[0]).toContain("5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq");
  });
});
