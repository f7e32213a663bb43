import type { Address } from "@solana/web3.js";
import {
  startTestSurfnet,
  type TestSurfnet,
  tokenAccountBytes,
} from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenAccountOf } from "../../../../lib/chains/sol/calls/addresses.ts";
import { final } from "../../../../lib/chains/sol/calls/rpc-call.ts";
import {
  mostTokens,
  type TokenKey,
  walletViewCall,
} from "../../../../lib/chains/sol/calls/token-balances.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain.stop());

async function look(wallet: Address, tokens: readonly TokenKey[]) {
  const { method, params, read } = await walletViewCall(wallet, tokens, final);
  return read(await chain.request(method, params));
}

type Held = { amount: bigint; owner?: Address; state?: number };

/** Puts tokens into the wallet's usual account. */
async function hold(
  wallet: Address,
  { mint, program }: TokenKey,
  { amount, owner = wallet, state = 1 }: Held,
) {
  const data = tokenAccountBytes(mint, owner, amount, { state });
  await chain.setAccount(await tokenAccountOf(wallet, mint, program), 2_039_280n, program, data);
}

describe("walletViewCall", () => {
  it("shows coins and tokens of both token programs", async () => {
    const { MOON, FEEZ, TRAP } = chain.deployment.tokens;
    const { address } = await chain.newWallet(123n);
    await hold(address, MOON, { amount: 2n ** 64n - 1n });
    await hold(address, FEEZ, { amount: 7n });
    const { slot, lamports, units } = await look(address, [MOON, FEEZ, TRAP]);
    expect([lamports, [...units.values()]]).toEqual([123n, [2n ** 64n - 1n, 7n, 0n]]);
    expect(slot).toBeGreaterThan(0);
  });

  it("ignores accounts that belong to somebody else or are frozen", async () => {
    const { MOON, TRAP } = chain.deployment.tokens;
    const [wallet, thief] = [await chain.newWallet(), await chain.newWallet()];
    await hold(wallet.address, MOON, { amount: 5n, owner: thief.address });
    await hold(wallet.address, TRAP, { amount: 5n, state: 2 });
    const { units } = await look(wallet.address, [MOON, TRAP]);
    expect([...units.values()]).toEqual([0n, 0n]);
  });

  it("shows a wallet without funds as empty", async () => {
    const { MOON } = chain.deployment.tokens;
    const { address } = await chain.newWallet(0n);
    const { lamports, units } = await look(address, [MOON]);
    expect([lamports, units.get(MOON.mint)]).toEqual([0n, 0n]);
  });

  it("requests no more tokens than one answer can hold", async () => {
    const { MOON } = chain.deployment.tokens;
    const { address } = await chain.newWallet();
    const many = (count: number) => Array.from({ length: count }, () => MOON);
    expect((await look(address, many(mostTokens))).units.size).toBe(1);
    await expect(look(address, many(mostTokens + 1))).rejects.toThrow(RangeError);
  });
});
