import { describe, expect, it } from "vitest";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { checksBy } from "../../../lib/trading/signing/intent-mac.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { intentOf, nowMs, orderOf } from "../../chains/sol/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putKey, putWallet } from "../../support/placed-orders.ts";
import { ignoredNotes, openKeys, sealedKey } from "../../support/signing.ts";
import { solKey } from "../../support/sol-terms.ts";

const db = tableForTests();
const { vault, macs, childMacs } = openKeys();
const { seed, address: wallet } = solKey("wallet");
const mint = solKey("mint").address;
const lane = { chain: "sol", wallet } as const;
const userID = "alice";

let count = 0;

/** Places an order and requests its first signature. Returns the answer and the signer's log lines. */
async function sign(computeUnitLimit: number) {
  const orderId = `01KAMZ3Q5T9WJ2M4N6P8R0S1V${++count}`;
  const route = { venue: "raydium-cpmm", pool: mint, config: mint } as const;
  const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
  const own = { wallet, orderId, token: mint, tokenProgram, routes: [route] };
  const intent = intentOf(own);
  const order = orderOf({ mac: await macs.makeMac(intent) }, own);
  await writeStep(db.table, [{ kind: "put", of: "order", item: order, when: "absent" }]);
  await putWallet(db.table, lane, userID, { _id: `wallet of ${userID}` });
  await putKey(db.table, lane, userID, await sealedKey(vault, lane, userID, Uint8Array.from(seed)));
  const lines: object[] = [];
  const log = (note: object) => void lines.push(note);
  const deps = {
    table: db.table,
    vault,
    checks: checksBy(macs, childMacs),
    chains: { sol: defaultSol },
    ...ignoredNotes(),
    nowMs: () => nowMs,
    onSigned: log,
  };
  const request: SignRequest<Sol> = {
    chain: "sol",
    wallet,
    orderId,
    userID,
    place: count,
    attempt: 1,
    purpose: "swap",
    message: {
      purpose: "swap",
      signatures: 1,
      computeUnitLimit,
      microLamportsPerUnit: 0n,
      blockhash: mint,
      lastValidBlockHeight: 281,
      markerRentLamports: 897_840n,
      wsolRentLamports: 2_039_280n,
      amountIn: intent.amount,
      route,
    },
  };
  const answer = await signOnRequest(deps, request);
  return { orderId, answer, lines };
}

describe("logging of signatures on sol", () => {
  it("logs a signature on sol with its order", async () => {
    const { orderId, answer, lines } = await sign(100_000);
    expect(answer).toMatchObject({ slot: { orderId, attempts: [{ purpose: "swap" }] } });
    // The local KMS returns no request ids.
    expect(lines).toEqual([{ orderId, awsRequestId: undefined }]);
  });

  it("logs no signature that the signer refuses", async () => {
    const { answer, lines } = await sign(0);
    expect(answer).toHaveProperty("refused");
    expect(lines).toEqual([]);
  });
});
