import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import { orderIdFor } from "../../../../lib/core/record-ids.ts";
import { defaultSol } from "../../../../lib/infra/default-chains.ts";
import type { SignRequest } from "../../../../lib/orders/effects.ts";
import type { IntentTerms } from "../../../../lib/orders/intent.ts";
import type { Mandate } from "../../../../lib/orders/resting/mandate.ts";
import type { Items } from "../../../../lib/orders/table-step.ts";
import type { Table } from "../../../../lib/table/table.ts";
import { writeStep } from "../../../../lib/trading/items/write-step.ts";
import { checksBy, mandateHash } from "../../../../lib/trading/signing/intent-mac.ts";
import { signOnRequest } from "../../../../lib/trading/signing/sign-transaction.ts";
import { intentOf, nowMs, orderOf } from "../../../chains/sol/fixtures.ts";
import { mandate as anyMandate } from "../../../orders/resting/fixtures.ts";
import { tableForTests } from "../../../support/dynamodb.ts";
import { ignoredNotes, openKeys, putSealedWallet } from "../../../support/signing.ts";
import { buyTerms, solKey } from "../../../support/sol-terms.ts";

export const day = "2026-11-21";
export const { mint: token, tokenProgram } = buyTerms;
export const route = {
  venue: "raydium-cpmm",
  pool: solKey("pool").address,
  config: solKey("config").address,
} as const;

export const plain = {
  ...({ purpose: "swap" } as const),
  signatures: 1,
  computeUnitLimit: 100_000,
  microLamportsPerUnit: 100_000n,
  blockhash: buyTerms.blockhash,
  lastValidBlockHeight: 281,
  markerRentLamports: 897_840n,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
};
export const swap: SolMessage = { ...plain, route };
const { amountIn: _, wsolRentLamports: __, ...common } = plain;
export const clear: SolMessage = { ...common, purpose: "clear" };

/** Opens a signer of sol with a table of its own. */
export function solSignerForTests() {
  const db = tableForTests();
  const { vault, macs, childMacs } = openKeys();
  let count = 0;
  const newestUser = () => `user${count}`;
  const newUser = () => {
    count++;
    return newestUser();
  };

  /** Records an order, for a new wallet if no user is named, and returns the request to sign its first message. */
  async function placed(
    changes: (own: SolIntent) => IntentTerms = (own) => own,
    { userID = newUser(), place = 1 } = {},
  ): Promise<SignRequest<Sol>> {
    const { address: wallet, seed } = solKey(userID);
    const orderId = orderIdFor(userID, `k${place}`, new Date(nowMs));
    const intent = changes(intentOf({ userID, wallet, orderId, token, tokenProgram, routes: [route] }));
    const nonces = intent.chain === "sol" && "budgetLamports" in intent ? {} : { approveNonces: [] };
    const order = { ...orderOf(), ...nonces, intent, mac: await macs.makeMac(intent) } as Items["order"];
    await writeStep(db.table, [{ kind: "put", of: "order", item: order, when: "absent" }]);
    await putSealedWallet({ table: db.table, vault }, intent, userID, Buffer.from(seed).toString("hex"));
    const claimed = { intent: intent as SolIntent, mac: order.mac };
    return {
      chain: "sol",
      wallet,
      orderId,
      userID,
      place,
      attempt: 1,
      purpose: "swap",
      message: swap,
      claimed,
    };
  }

  /** Records a child of a resting order, and returns the order's mandate and the request for the first message. */
  async function placedChild() {
    const request = await placed();
    const { intent } = request.claimed as NonNullable<typeof request.claimed>;
    const { chain, wallet, userID, side, amount, isPrivate, minAmountOut } = intent;
    const { maxGasPrice: _, ...of } = anyMandate({
      chain,
      wallet,
      userID,
      side,
      token,
      amount,
      isPrivate,
      legs: [{ kind: "limit", price: { coins: amount, tokens: minAmountOut } }],
      feesLimit: 10n ** 9n,
      createdAt: nowMs - 60_000,
      expiresAt: nowMs / 1000 + 3600,
    });
    const parent = { orderId: of.orderId, mandate: mandateHash(of), leg: 0, n: 1 };
    const child = { ...intent, parent };
    const proof = { mandate: of, mandateMac: await macs.makeMandateMac(of) };
    const claimed = { intent: child, mac: await childMacs.makeChildMac(child), ...proof };
    await writeStep(db.table, [{ kind: "put", of: "order", item: { ...orderOf(), ...claimed }, when: {} }]);
    return { of: of as Mandate, own: claimed, request: { ...request, claimed } };
  }

  const sign = (
    request: SignRequest<Sol>,
    chains: Parameters<typeof signOnRequest>[0]["chains"] = { sol: defaultSol },
    atMs = nowMs,
    table: Table = db.table,
  ) =>
    signOnRequest(
      { table, vault, checks: checksBy(macs, childMacs), chains, nowMs: () => atMs, ...ignoredNotes() },
      request,
    );

  return { db, newUser, newestUser, placed, placedChild, sign };
}
