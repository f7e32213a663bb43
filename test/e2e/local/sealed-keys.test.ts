import bs58 from "bs58";
import { createTerminal, type ServerMessage } from "trading-terminal-client";
import { importSealed, newExportKeys, walletExporter } from "trading-terminal-client/seal";
import { describe, expect, it, vi } from "vitest";
import { newEvmKey, newSolanaKey } from "../../support/keys.ts";
import { exportKeyPair, sealedBytes, sealedImport } from "../../support/sealing.ts";
import { get, post, send } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { streamOf } from "../support/stream.ts";
import { walletsOf } from "../support/terminal.ts";
import { knownUser, newUser, type User } from "../support/users.ts";

type Data = {
  keys: { keyId: string; publicKey: string }[];
};

const dataOf = ({ json }: { json: unknown }) => (json as { data: Data }).data;

async function bodyFor(user: User, made: ReturnType<typeof newEvmKey>, key: string) {
  const [offered] = dataOf(await get("/api/v2/wallets/import-key", user)).keys;
  if (offered === undefined) throw new Error("No key is offered");
  const { network } = made;
  return sealedImport(offered, { userID: user.id, key, network }, sealedBytes(made, bs58.decode));
}

const sendSealed = async ({ token }: User, body: object, key: string) =>
  post("/api/v2/wallets/import", { token, body, headers: { "Idempotency-Key": key } });

// Records the keys, so that test/e2e/last searches the output for them.
describe("private keys that are imported and exported sealed", () => {
  it("imports and exports a wallet's own key, and announces the export first", async () => {
    const user = await knownUser();
    const stream = await streamOf(user);
    const terminal = createTerminal({ baseUrl: deployment().baseUrl, token: async () => user.token });
    const { privateKey, address, secret } = newSolanaKey();
    const wanted = { network: "sol", privateKey, userID: user.id, trustedKeyIds: "any" } as const;
    const imported = await importSealed(terminal, wanted);
    expect(imported.error).toBeUndefined();
    const { _id: walletId = "", generatedWalletAddress } = imported.data?.wallet ?? {};
    expect(generatedWalletAddress).toBe(address);

    const exported = { walletId, network: "sol", userID: user.id } as const;
    const exporter = await walletExporter(terminal, await newExportKeys(), exported);
    const path = `/api/v2/wallets/${walletId}/export`;
    const { data: first } = await exporter.ask();
    expect(first).toMatchObject({ status: "pending" });
    const announced = await stream.take(({ type }) => type === "WalletExportRequested");
    expect(announced).toMatchObject({ data: { walletId, thumbprint: exporter.thumbprint } });
    expect(exporter.keyOf(announced as ServerMessage)).toBe("own");
    expect(await send("DELETE", path, user)).toMatchObject({ status: 200 });
    expect((await exporter.ask()).data).toMatchObject({ status: "pending" });
    // The local delay before an export is ten seconds.
    const ready = await vi.waitUntil(
      async () => {
        const { data } = await exporter.ask();
        return data?.status === "ready" && data;
      },
      { timeout: 40_000, interval: 2000 },
    );
    expect(Buffer.from(ready.privateKey).subarray(0, 32)).toEqual(secret);

    expect(await post("/api/v2/lock", { token: user.token, body: {} })).toMatchObject({ status: 200 });
    const locked = await stream.take(({ type }) => type === "ExportLockUpdated");
    expect(locked).toMatchObject({ data: { status: "locked" } });
    const { jwk } = await exportKeyPair();
    const refused = await post(path, { token: user.token, body: { publicKey: jwk } });
    expect(refused).toMatchObject({ status: 403, json: { error: { code: "EXPORT_LOCKED" } } });
    const unlocking = { data: { lock: { status: "unlocking", unlocksAt: expect.any(String) } } };
    expect(await send("DELETE", "/api/v2/lock", user)).toMatchObject({ status: 200, json: unlocking });
    expect(await get("/api/v2/lock", user)).toMatchObject({ status: 200, json: unlocking });
    const announcedEnd = await stream.take(({ type }) => type === "ExportLockUpdated");
    expect(announcedEnd).toMatchObject({ data: { status: "unlocking" } });
  });

  it("refuses a sealed key for another user or Idempotency-Key, and adds no wallet", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const body = await bodyFor(user, newEvmKey(), "mine");
    const refused = [await sendSealed(other, body, "mine"), await sendSealed(user, body, "yours")];
    for (const { status, json } of refused) {
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: { code: "INVALID_CIPHERTEXT" } });
    }
    expect(await walletsOf(other)).toEqual([]);
    expect(await walletsOf(user)).toEqual([]);
    expect((await sendSealed(user, body, "mine")).status).toBe(200);
  });
});
