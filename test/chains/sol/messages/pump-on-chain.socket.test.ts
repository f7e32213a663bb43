import type { Address } from "@solana/web3.js";
import fc from "fast-check";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PoolView } from "../../../../lib/chains/sol/calls/pool-view.ts";
import { type TokenView, tokenViewCall } from "../../../../lib/chains/sol/calls/token-view.ts";
import { landedCall } from "../../../../lib/chains/sol/calls/transaction-call.ts";
import { composeMessage } from "../../../../lib/chains/sol/messages/compose-message.ts";
import { venueOfPool } from "../../../../lib/chains/sol/messages/order-message.ts";
import { readReceipt } from "../../../../lib/chains/sol/messages/read-receipt.ts";
import { joinTransaction, signMessageAndWipe } from "../../../../lib/chains/sol/messages/signed-message.ts";
import { newOrderId } from "../../../../lib/chains/sol/messages/trial-messages.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain.stop());

/** Restores curves and pools, so that each test knows their prices. */
beforeEach(async () => {
  for (const { address, lamports, owner, data } of chain.deployment.accounts)
    await chain.setAccount(address, BigInt(lamports), owner, data);
});

const coin = 10n ** 9n;
const rents = { marker: 897_840n, wsol: 2_039_280n };

type Side = "buy" | "sell";

/** Reads a token as quotes do, with the wallet's balances. */
async function viewOf(mint: Address, wallet: Address): Promise<TokenView> {
  const pools = { pumpTable: chain.deployment.pump.table };
  const call = await tokenViewCall(mint, pools, { commitment: "finalized" }, wallet);
  const view = call.read(await chain.request(call.method, call.params));
  if (view === undefined) throw new Error("There is no such token");
  return view;
}

type Asked = { mint: Address; side: Side; amountIn: bigint; minAmountOut?: bigint };

/** Composes and signs a trade in a token's market, for exactly what the market is expected to pay. */
async function signedTrade(wallet: TestWallet, { mint, side, amountIn, minAmountOut }: Asked) {
  const view = await viewOf(mint, wallet.address);
  const [pool] = view.pools as [PoolView];
  const { amountOut } = pool.pay(side, amountIn);
  const venue = venueOfPool(await pool.routeFor(side, amountIn));
  const composed = await composeMessage(
    {
      purpose: "swap",
      wallet: wallet.address,
      orderId: newOrderId(),
      blockhash: await chain.latestBlockhash(),
      computeUnitLimit: 400_000,
      microLamportsPerUnit: 0n,
      markerRentLamports: rents.marker,
      side,
      mint,
      tokenProgram: view.mint.program as Address,
      amountIn,
      minAmountOut: minAmountOut ?? amountOut,
      ...(venue.kind !== "pump" && { wsolRentLamports: rents.wsol }),
      venue,
    },
    [],
  );
  if (!("message" in composed)) throw new Error(JSON.stringify(composed));
  const { id, bytes } = joinTransaction(composed.message, [
    signMessageAndWipe(composed.message, Uint8Array.from(wallet.seed)),
  ]);
  return { id, wire: Buffer.from(bytes).toString("base64"), amountOut, pool };
}

/** Reads the receipt of a transaction in a block. */
async function receiptOf(wallet: TestWallet, id: string) {
  const call = landedCall(id);
  const landed = call.read(await chain.request(call.method, call.params));
  return landed && readReceipt(wallet.address, id, landed);
}

async function trade(wallet: TestWallet, asked: Asked) {
  const signed = await signedTrade(wallet, asked);
  await chain.send(signed.wire, signed.id);
  return { ...signed, receipt: await receiptOf(wallet, signed.id) };
}

const tokens = () => {
  const { curves, pools } = chain.deployment.pump;
  return { BEND: curves.BEND.mint, BRIM: curves.BRIM.mint, GRAD: pools.GRAD.mint };
};

describe("trades on Pump's stand-ins", () => {
  const amounts = fc.bigInt({ min: 100_000n, max: 5n * coin });
  const parts = fc.integer({ min: 1, max: 100 });

  it.each(["BEND", "GRAD"] as const)(
    "fill purchases and sales of %s exactly as quoted, to the unit",
    async (name) => {
      const mint = tokens()[name];
      await fc.assert(
        fc.asyncProperty(amounts, parts, async (amountIn, percent) => {
          const wallet = await chain.newWallet(10n * coin);
          const bought = await trade(wallet, { mint, side: "buy", amountIn });
          expect(bought.receipt).toMatchObject({ status: "ok", received: bought.amountOut });
          const { spent = 0n } = bought.receipt as { spent?: bigint };
          // The fees are rounded up, so a few lamports may be left.
          expect(amountIn - spent).toBeLessThan(3n);
          const held = (await viewOf(mint, wallet.address)).holding?.units ?? 0n;
          expect(held).toBe(bought.amountOut);
          const sold = (held * BigInt(percent) + 99n) / 100n;
          const sale = await trade(wallet, { mint, side: "sell", amountIn: sold });
          expect(sale.receipt).toMatchObject({ status: "ok", spent: sold, received: sale.amountOut });
        }),
        { numRuns: process.env.FULL ? 40 : 4 },
      );
    },
  );

  it("fail without an effect if the market pays one unit less than the minimum", async () => {
    for (const name of ["BEND", "GRAD"] as const) {
      const mint = tokens()[name];
      const wallet = await chain.newWallet(10n * coin);
      const exact = await signedTrade(wallet, { mint, side: "buy", amountIn: coin });
      const buy = { mint, side: "buy", amountIn: coin, minAmountOut: exact.amountOut + 1n } as const;
      expect((await trade(wallet, buy)).receipt).toMatchObject({ status: "failed", isSlippage: true });
      expect((await viewOf(mint, wallet.address)).holding).toMatchObject({ units: 0n, hasAccount: false });
    }
  });

  it("buy the rest of a curve for less than the amount, and fail cleanly once it is complete", async () => {
    const mint = tokens().BRIM;
    const [wallet, other, late] = [
      await chain.newWallet(10n * coin),
      await chain.newWallet(10n * coin),
      await chain.newWallet(10n * coin),
    ];
    const waiting = await signedTrade(late, { mint, side: "buy", amountIn: coin / 10n, minAmountOut: 1n });
    const alsoAll = await signedTrade(other, { mint, side: "buy", amountIn: 3n * coin });
    const rest = await trade(wallet, { mint, side: "buy", amountIn: 2n * coin });
    expect(rest.receipt).toMatchObject({ status: "ok", received: rest.amountOut });
    const { spent = 0n } = rest.receipt as { spent?: bigint };
    expect(spent).toBeLessThan(1_100_000_000n);
    for (const [who, { wire, id }] of [
      [late, waiting],
      [other, alsoAll],
    ] as const) {
      await chain.send(wire, id);
      expect(await receiptOf(who, id)).toMatchObject({ status: "failed", isSlippage: false });
    }
    expect((await viewOf(mint, wallet.address)).pools).toEqual([]);
  });

  it("count the rents of the accounts that they open, as the chain takes them", async () => {
    const wallet = await chain.newWallet(10n * coin);
    const { opened } = (await signedTrade(wallet, { mint: tokens().BEND, side: "buy", amountIn: coin })).pool;
    const accounts = await opened("buy", wallet.address);
    const first = await trade(wallet, { mint: tokens().BEND, side: "buy", amountIn: coin });
    const second = await trade(wallet, { mint: tokens().BEND, side: "buy", amountIn: coin });
    // The account of volumes has 137 bytes, and that of the token 170.
    const sizes = [137, 170];
    const opening = await Promise.all(
      sizes.map((bytes) => chain.request("getMinimumBalanceForRentExemption", [bytes])),
    );
    expect(accounts.map(({ bytes }) => bytes)).toEqual([137, 0]);
    const [more = 0n, less = 0n] = [first, second].map(({ receipt }) => receipt?.rent);
    expect(more - less).toBe(opening.reduce<bigint>((sum, each) => sum + BigInt(each as number), 0n));
  });
});
