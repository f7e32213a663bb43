import { describe, expect, it } from "vitest";
import { orderIdFor } from "../../../lib/core/record-ids.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import { readTransaction } from "../../../lib/trading/chains/sol/signed-message.ts";
import type { SignRequest } from "../../../lib/trading/core/effects.ts";
import type { AnyIntent } from "../../../lib/trading/core/families.ts";
import type { SolIntent } from "../../../lib/trading/core/sol/sol-intent.ts";
import type { SolMessage } from "../../../lib/trading/core/sol/sol-message.ts";
import type { Items } from "../../../lib/trading/core/table-step.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { ignoredNotes, openKeys, putSealedWallet } from "../../support/signing.ts";
import { buyTerms, solKey } from "../../support/sol-terms.ts";
import { intent } from "../../support/trading.ts";
import { intentOf, nowMs, orderOf } from "../core/sol/sol-fixtures.ts";

const db = tableForTests();
const { vault, macs } = openKeys();
const day = "2026-11-21";
const { mint: token, tokenProgram } = buyTerms;
const route = {
  venue: "raydium-cpmm",
  pool: solKey("pool").address,
  config: solKey("config").address,
} as const;
let count = 0;

const swap: SolMessage = {
  ...{ purpose: "swap", signatures: 1, computeUnitLimit: 100_000, microLamportsPerUnit: 100_000n },
  ...{ blockhash: buyTerms.blockhash, lastValidBlockHeight: 281, markerRentLamports: 890_880n },
  ...{ amountIn: 1_000_000n, wsolRentLamports: 2_039_280n, route },
};
const { amountIn: _, wsolRentLamports: __, route: ___, ...common } = swap;
const clear: SolMessage = { ...common, purpose: "clear" };

/** Records an order of a new wallet, and returns the request for its first message. */
async function placed(changes: (own: SolIntent) => AnyIntent = (own) => own): Promise<SignRequest<"sol">> {
  const userID = `user${++count}`;
  const { address: wallet, seed } = solKey(userID);
  const orderId = orderIdFor(userID, "k", new Date(nowMs));
  const intent = changes(intentOf({ userID, wallet, orderId, token, tokenProgram, routes: [route] }));
  const nonces = intent.chain === "sol" && "budgetLamports" in intent ? {} : { approveNonces: [] };
  const order = { ...orderOf(), ...nonces, intent, mac: await macs.makeMac(intent) } as Items["order"];
  await writeStep(db.table, [{ kind: "put", of: "order", item: order, when: "absent" }]);
  await putSealedWallet({ table: db.table, vault }, intent, userID, Buffer.from(seed).toString("hex"));
  return { chain: "sol", wallet, orderId, userID, place: 1, attempt: 1, purpose: "swap", message: swap };
}

const sign = (
  request: SignRequest<"sol">,
  chains: Parameters<typeof signOnRequest>[0]["chains"] = { sol: defaultSol },
) =>
  signOnRequest(
    { table: db.table, vault, checkMac: macs.checkMac, chains, nowMs: () => nowMs, ...ignoredNotes() },
    request,
  );

describe("signMessage on the table", () => {
  it("signs attempts and a clear, each on record", async () => {
    const request = await placed();
    const messages = [
      swap,
      { ...swap, microLamportsPerUnit: 110_000n },
      { ...clear, microLamportsPerUnit: 0n },
    ];
    for (const [index, message] of messages.entries()) {
      const answer = await sign({ ...request, attempt: index + 1, purpose: message.purpose, message });
      if (!("raw" in answer)) return expect.fail(JSON.stringify(answer));
      const terms = await readTransaction(Buffer.from(answer.raw, "base64"), []);
      expect(terms).toMatchObject({
        purpose: message.purpose,
        wallet: request.wallet,
        orderId: request.orderId,
      });
      const { view } = await readSigning(db.table, { request, day });
      expect(view.slot).toEqual(answer.slot);
      expect(view.ledger).toMatchObject({ revision: index + 1 });
    }
  });

  it("signs nothing where sol does not trade, for however low a fee", async () => {
    const request = await placed();
    const message = { ...swap, microLamportsPerUnit: 0n };
    expect(await sign({ ...request, message }, {})).toEqual({ later: "the chain does not trade" });
  });

  it("refuses an intent of another family, though it is of sol and has a MAC", async () => {
    const request = await placed(({ wallet, userID, orderId, validUntil }) =>
      intent({ ...{ wallet, userID, orderId, validUntil }, chain: "sol", token, amount: 1_000_000n }),
    );
    expect(await sign(request)).toEqual({ refused: "the stored order is invalid" });
  });
});
