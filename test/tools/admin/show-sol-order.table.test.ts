import { describe, expect, it } from "vitest";
import { tableForTests } from "../../support/dynamodb.ts";
import { openSolDesk, type SolDesk } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";
import { run } from "./support/admin.ts";

const db = tableForTests();

const { chain, hosts } = solDeskForTests();
let desk: SolDesk;
let orderId: string;

const admin = async (...args: string[]) => run({ table: db.table } as never, args);

/** Places a buy order and sends its first transaction. */
async function sent() {
  desk = await openSolDesk({ table: db.table, chain, hosts });
  const placed = await desk.ask({ amount: "1" });
  if (!("order" in placed)) throw new Error("It was not placed");
  ({ orderId } = placed.order);
  await desk.work();
  return async () => (await admin("show-order", desk.userID, orderId)).out;
}

describe("show-order, on sol", () => {
  it("shows fees in SOL and slots before and after the order is final", async () => {
    const show = await sent();
    const pending = await show();
    expect(pending).toMatch(/\nintent\n(?: {2}.*\n)* {2}budget +0\.001 SOL for priority and tips\n/);
    expect(pending).toMatch(/\nattempt 1\n {2}purpose +swap\n {2}outcome +pending\n/);
    expect(pending).toMatch(/\n {2}priorityFee +0\.00016 SOL\n {2}tip +0 SOL\n/);
    expect(pending).toMatch(/\n {2}lastValidBlockHeight +\d+\n/);
    expect(pending).toMatch(/\nledger\n {2}message 1 +swap \S+, at most 0\.\d+ SOL\n/);
    // Searches only the names, because a random hash may contain any three letters.
    const names = [...pending.matchAll(/^ *(\w+)/gm)].map(([, name]) => name);
    expect(names.join()).not.toMatch(/nonce|gas/i);
    expect(pending).not.toMatch(/\d gwei/);

    await desk.settle();
    const settled = await show();
    expect(settled).toMatch(/\n {2}settled +true\n/);
    expect(settled).toMatch(/\n {2}networkFee +0\.\d+ SOL\n {2}rent +0\.\d+ SOL\n/);
    expect(settled).toMatch(
      new RegExp(
        `\\nreport\\n {2}spent +1 SOL\\n {2}received +[\\d.]+ ${chain.deployment.tokens.MOON.mint}\\n`,
      ),
    );
    expect(settled).toMatch(/\n {2}networkFee +total 0\.\d+ SOL, .*\bswap 0\.\d+ SOL/);
    expect(settled).toMatch(/\n {2}route +raydium-cpmm \S+\n/);
    expect(settled).toMatch(/\n {2}slot +\d+ at 20\S+Z\n/);
  });
});

describe("show-signed, on sol", () => {
  it("lists a wallet's transactions without nonces", async () => {
    await sent();
    const { out } = await admin("show-signed", desk.wallet, "--chain", "sol");
    expect(out).toMatch(
      new RegExp(`^swap \\S+, at most 0\\.\\d+ SOL {2}order ${orderId} of ${desk.userID}\\n$`),
    );
    const refused = await admin("show-signed", desk.wallet, "--chain", "sol", "--from", "3");
    expect(refused).toEqual({ code: 1, out: "", err: "error: Transactions on sol have no nonces\n" });
  });
});
