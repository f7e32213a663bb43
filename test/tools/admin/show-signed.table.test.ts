import { alice } from "trading-terminal-devnet/evm/test-chain";
import { describe, expect, it } from "vitest";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import { ledgerKey } from "../../../lib/trading/items/keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";
import { intent, signedFee, slot } from "../../support/trading.ts";
import { run } from "./support/admin.ts";

const db = tableForTests();
const { fees } = slot();

const show = async (...options: string[]) =>
  (await run({ table: db.table } as never, ["show-signed", alice.address, "--chain", "eth", ...options])).out;

async function putLedger(orderId: string, nonces: readonly number[], changes: object = {}) {
  const own = intent({ orderId, wallet: alice.address });
  const signed = Object.fromEntries(nonces.map((nonce) => [nonce, signedFee(fees)]));
  const ledger = { ...emptyEvmLedger(own), approveNonces: nonces, fees: signed, ...changes };
  await putItems(db.table, [{ ...ledgerKey(orderId), ...(packed(ledger) as object) }]);
}

describe("show-signed", () => {
  it("lists a wallet's nonces in order, even after executeOrders deleted order and slots", async () => {
    await putLedger("LATER", [12]);
    await putLedger("FIRST", [9, 10], { swap: { nonce: 10, call: slot().call } });
    await putLedger("OTHERS", [11], { wallet: "0xBAD" });
    await putLedger("ELSEWHERE", [11], { chain: "base" });
    const most = "at most 0.00023522625 ETH";
    const lines = [
      `9  approval  ${most}  order FIRST of alice`,
      `10  swap  ${most}  order FIRST of alice`,
      `12  approval  ${most}  order LATER of alice`,
    ];
    expect((await show()).trimEnd().split("\n")).toEqual(lines);
    expect((await show("--from", "12")).trimEnd()).toBe(lines[2]);
  });
});
