import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerGuardRequest } from "../../../lib/runtime/guard-requests.ts";
import { policyOfWallet } from "../../../lib/wallets/change-policy.ts";
import { shownPolicies } from "../../../lib/wallets/guard-records.ts";
import { thumbprintOf } from "../../../lib/wallets/keys/sealing.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { openKeys } from "../../support/signing.ts";
import { dai, nowMs } from "./desk.ts";
import { allow, askSealExport, delaySeconds, Owner, place, type Service, signs } from "./owner.ts";
import { allowedTo } from "./roles.ts";

let engine: Engine;
let owner: Owner;
let service: Service;

beforeAll(async () => {
  engine = await startTable();
  service = { table: engine.table, keys: openKeys(), nowMs };
  owner = await Owner.register(service, "user-ann");
}, engineStart);
afterAll(() => engine.stop());

const at = (seconds: number): Service => ({ ...service, nowMs: nowMs + seconds * 1000 });

describe("a setWalletPolicy that was taken over", () => {
  it("writes no policy, and before the announced day ends loosens only limits on network fees, with a message to the user", async () => {
    const allowed = allowedTo("setWalletPolicy");
    for (const partition of ["POLICY", "GUARDS"])
      expect(allowed("write", `${partition}#${owner.userID}`)).toBe(false);
    expect(allowed("write", "LOOSENINGS")).toBe(false);
    const [, , wallet] = owner.wallets;
    const deps = { table: service.table, delaySeconds, onFault: () => undefined };
    const times = (ms: number) => ({ now: new Date(nowMs + ms), deadline: new Date(Date.now() + 60_000) });
    await allow(service, wallet, [dai], new Date(nowMs));
    // Forges a sign-in and a time, and invokes the scheduled function itself.
    const named = { userID: owner.userID, walletId: wallet._id };
    const asked = { tokens: "any", tradingEnabled: true };
    expect(await answerGuardRequest(deps, { ...named, asked }, times(0))).toEqual({
      refused: "SIGN_IN_REQUIRED",
    });
    const signedInAt = new Date(nowMs).toISOString();
    const raised = { ...asked, tokens: [dai], maxPerOrder: "1", maxNetworkFeesPerDay: "1" };
    await answerGuardRequest(deps, { ...named, asked: raised, signedInAt }, times(0));
    expect(await shownPolicies(service.table, owner.userID)).toContainEqual(
      expect.objectContaining({ walletId: wallet._id, policy: raised, change: "loosened" }),
    );
    const answer = await answerGuardRequest(deps, { ...named, asked, signedInAt }, times(0));
    expect(answer).toMatchObject({ policy: { tokens: [dai] }, pending: { policy: asked } });
    await expect(
      answerGuardRequest(deps, { ...named, asked, now: "2000-01-01T00:00:00.000Z" }, times(0)),
    ).rejects.toThrow("now is not a known field");
    await answerGuardRequest(deps, { source: "aws.events" }, times(86_400_000 - 60_000));
    expect(await policyOfWallet(service.table, named)).toMatchObject({ policy: { tokens: [dai] } });
    await answerGuardRequest(deps, { source: "aws.events" }, times(86_400_000 + 60_000));
    expect(await policyOfWallet(service.table, named)).toEqual({ policy: asked });
  });
});

/** Calls every method as a user of its choice, like an intruder in authorize. */
describe("an authorize that was taken over", () => {
  const another = "0x514910771AF9Ca656af840dff83E8264EcF986CA";

  it("places orders as any user, but only within a policy that takes a day to loosen", async () => {
    const [trading] = owner.wallets;
    expect(await signs(service, await place(service, trading, dai, 3))).toBe(true);
    await allow(service, trading, [dai, another], new Date(nowMs));
    await expect(place(service, trading, another, 4)).rejects.toThrow(/token/i);
    await expect(place(at(86_400 - 60), trading, another, 4)).rejects.toThrow(/token/i);
  });

  it("exports no wallet whose owner reacts to the announcement", async () => {
    const [, , exported] = owner.wallets;
    const { jwk } = await exportKeyPair();
    expect(await owner.asksFor(service, exported, jwk)).toMatchObject({ status: "pending" });
    const named = { userID: owner.userID, walletId: exported._id };
    expect(await askSealExport(at(delaySeconds - 1), named)).not.toHaveProperty("ciphertext");
    const [announced] = await itemsNamed(service.table, `ANNOUNCED#${exported._id}`);
    expect(announced).toMatchObject({ thumbprint: thumbprintOf(jwk) });
    await owner.lock(at(delaySeconds - 1));
    expect(await askSealExport(at(delaySeconds), named)).not.toHaveProperty("ciphertext");
  });
});
