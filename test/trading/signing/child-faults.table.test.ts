import { describe, expect, it } from "vitest";
import type { SigningDeps } from "../../../lib/trading/signing/sign-transaction.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { childId, newMandate, openChildren } from "../../support/placed-children.ts";

const db = tableForTests();
const { placedChild, sign, stored, vault, checks } = openChildren(db);

type Fault = { isBefore: boolean; error: Error };

/** Faults of an AWS call: the call does not arrive, the function ends right after it, or its response is lost. */
const faults: Readonly<Record<string, Fault>> = {
  "does not arrive": { isBefore: true, error: Object.assign(new Error(), { $metadata: {} }) },
  "ends the function": { isBefore: false, error: new Error("killed") },
  "loses its response": { isBefore: false, error: Object.assign(new Error(), { $metadata: {} }) },
};

/** AWS calls that the signer of a child makes, the first three at the same time. */
const calls = ["BatchGet", "VerifyMac of the child", "VerifyMac of the mandate", "Decrypt", "TransactWrite"];

/** Returns the signer's dependencies, of which one call fails. */
function failing(call: string, { isBefore, error }: Fault): Partial<SigningDeps> {
  let hasFailed = false;
  const failIf = (isNow: boolean, name: string) => {
    if (!isNow || hasFailed || name !== call) return;
    hasFailed = true;
    throw error;
  };
  const nameOf = (command: unknown) => (command as object).constructor.name.replace("Command", "");
  const before = (command: unknown) => failIf(isBefore, nameOf(command));
  const after = (command: unknown) => failIf(!isBefore, nameOf(command));
  const checking =
    <Asked extends unknown[]>(name: string, check: (...asked: Asked) => Promise<boolean>) =>
    async (...asked: Asked) => {
      failIf(isBefore, name);
      const isGenuine = await check(...asked);
      failIf(!isBefore, name);
      return isGenuine;
    };
  const { client } = interceptedTable({ name: "", client: vault.client as never }, before, after);
  return {
    table: interceptedTable(db.table, before, after),
    vault: { ...vault, client: client as never },
    checks: {
      checkOrder: checking("VerifyMac of the child", checks.checkOrder),
      checkMandateMac: checking("VerifyMac of the mandate", checks.checkMandateMac),
    },
  };
}

const cases = calls.flatMap((call) => Object.keys(faults).map((how) => [call, how] as const));

describe("the signer of a child", () => {
  it.each(cases)("counts one signature even if %s %s", async (call, how) => {
    const of = newMandate();
    const request = await placedChild(of);
    const first = await sign(request, failing(call, faults[how] as Fault)).catch(() => "failed");
    expect(first).toEqual(how === "ends the function" ? "failed" : { later: "a call to AWS has failed" });
    const answer = await sign(request);
    if (!("slot" in answer)) return expect.fail(JSON.stringify(answer));
    expect(answer.slot.attempts).toHaveLength(1);
    const most = 134_415n * request.fees.maxFeePerGas;
    expect(await stored("tally", of)).toMatchObject({
      out: { child: childId(of, 1), most },
      counts: { limit: { n: 1 } },
      fees: { limit: most },
      revision: 1,
    });
    const hash = answer.slot.attempts[0]?.hash;
    expect(await stored("ledger", request)).toMatchObject({
      signatures: [{ nonce: 1, purpose: "swap", hash }],
    });
    expect(await sign(request)).toEqual(answer);
  });
});
