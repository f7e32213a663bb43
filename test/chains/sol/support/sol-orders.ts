import { randomUUID } from "node:crypto";
import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { beforeEach, expect, vi } from "vitest";
import { solEffects } from "../../../../lib/chains/sol/look.ts";
import { composeFor } from "../../../../lib/chains/sol/messages/order-message.ts";
import { joinTransaction, signMessageAndWipe } from "../../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import { orderIdFor } from "../../../../lib/core/record-ids.ts";
import type { Question } from "../../../../lib/orders/effects.ts";
import { solDeskForTests, solReaderOf } from "../../../support/sol-reader.ts";

export const sol = 10n ** 9n;
export const rents = { marker: 655_320n, wsol: 1_488_440n };

type Token = keyof TestSurfnet["deployment"]["tokens"];

/** Makes a host report slot 1, so that it is behind the other host. */
export const behind = (method: string, result: unknown) =>
  method === "getEpochInfo" ? { ...(result as object), absoluteSlot: 1, blockHeight: 1 } : result;

/** Starts a chain with two hosts for a file of tests, and gives each test a wallet whose orders they can execute. */
export function solOrdersForTests() {
  const { chain, hosts } = solDeskForTests();
  const desk = {} as { wallet: TestWallet };

  beforeEach(async () => {
    desk.wallet = await chain.newWallet(10n * sol);
  });

  const effects = async () => solEffects(await solReaderOf(chain, hosts));

  function intentOf(name: Token, changes: Partial<SolIntent> = {}): SolIntent {
    const { mint, program, pool, config } = chain.deployment.tokens[name];
    return {
      chain: "sol",
      wallet: desk.wallet.address,
      orderId: orderIdFor(randomUUID(), "", new Date()),
      userID: "u",
      side: "buy",
      token: mint,
      tokenProgram: program,
      amount: sol,
      minAmountOut: 1n,
      quotedOut: 1n,
      isPrivate: false,
      validUntil: 2 ** 32 - 1,
      routes: [{ venue: "raydium-cpmm", pool, config }],
      budgetLamports: 1_000_000n,
      ...changes,
    };
  }

  async function ask(changes: Partial<Question<Sol>>): Promise<[SolSnapshot, SolSnapshot]> {
    const question = {
      chain: "sol",
      wallet: desk.wallet.address,
      hashes: [],
      orders: [],
      marked: [],
      wantsBlockhash: false,
      ...changes,
    };
    const both = await Promise.all((await effects()).snapshots(question as Question<Sol>));
    return both as [SolSnapshot, SolSnapshot];
  }

  async function sign(intent: SolIntent, message: Partial<SolMessage> = {}) {
    // Two hosts may need time to know the same blockhash on a busy machine.
    const { hash, lastValidBlockHeight } = await vi.waitUntil(
      async () => (await ask({ wantsBlockhash: true }))[0].blockhash,
      10_000,
    );
    const common = {
      signatures: 1,
      computeUnitLimit: 200_000,
      microLamportsPerUnit: 1_000_000n,
      blockhash: hash,
      lastValidBlockHeight,
      markerRentLamports: rents.marker,
    };
    const [route] = intent.routes;
    const swap = { purpose: "swap", amountIn: intent.amount, wsolRentLamports: rents.wsol, route };
    const composed = await composeFor(intent, { ...common, ...swap, ...message } as SolMessage);
    if (!("message" in composed)) throw new Error(JSON.stringify(composed));
    const signature = signMessageAndWipe(composed.message, Uint8Array.from(desk.wallet.seed));
    const { id, bytes } = joinTransaction(composed.message, [signature]);
    return { id, raw: Buffer.from(bytes).toString("base64") };
  }

  async function carryOut(intent: SolIntent, message: Partial<SolMessage> = {}) {
    const { id, raw } = await sign(intent, message);
    expect(await Promise.all((await effects()).publish(raw))).toEqual(["reached", "reached"]);
    return seen(intent, id);
  }

  /** Waits until a host shows a transaction. */
  const seen = (intent: SolIntent, id: string) =>
    vi.waitFor(async () => {
      const [snapshot] = await ask({ hashes: [id], marked: [intent.orderId] });
      const receipt = snapshot.receipts.get(id);
      if (receipt === undefined) throw new Error("No confirmed block has the transaction");
      return { receipt, snapshot };
    }, 10_000);

  return { chain, hosts, desk, effects, intentOf, ask, sign, carryOut, seen };
}
