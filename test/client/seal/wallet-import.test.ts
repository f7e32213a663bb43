import { createECDH } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RestCalls } from "../../../lib/client/methods.ts";
import { importSealed, type SealedImport } from "../../../lib/client/seal/index.ts";
import { openMessage } from "../../../lib/wallets/keys/hpke.ts";
import { base64url, importInfo, keyIdOf, spkiOf } from "../../../lib/wallets/keys/sealing.ts";
import { newEvmKey, newSolanaKey } from "../../support/keys.ts";

const userID = "Zoë|auth0";
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64url"));

/** Fakes a service that offers an import key, as KMS would hold it, and opens imports with the real code. */
function service(offer: { keyId?: string } = {}) {
  const pair = createECDH("prime256v1");
  const point = Uint8Array.from(pair.generateKeys());
  const keyId = keyIdOf(spkiOf(point));
  const opened: { secret: Uint8Array; rest: object }[] = [];
  const agree = async (other: Uint8Array) => Uint8Array.from(pair.computeSecret(other));
  const terminal = {
    listImportKeys: async () => ({ data: { keys: [{ publicKey: base64url(point), keyId, ...offer }] } }),
    importWallet: async ({ headers, body }: { headers: { "Idempotency-Key": string }; body: SealedBody }) => {
      const { network, keyId, enc, ciphertext, ...rest } = body;
      const message = {
        enc: bytes(enc),
        ciphertext: bytes(ciphertext),
        info: importInfo({ network, keyId, userID }),
        aad: Buffer.from(headers["Idempotency-Key"]),
      };
      opened.push({ secret: await openMessage({ point, agree }, message), rest });
      return { data: { wallet: { _id: "w1" } } };
    },
  } as unknown as Pick<RestCalls, "listImportKeys" | "importWallet">;
  return { terminal, keyId, opened };
}

type SealedBody = Pick<SealedImport, "network"> & { keyId: string; enc: string; ciphertext: string };

describe("importSealed", () => {
  it("seals an EVM private key to a trusted import key, so that the service can open it", async () => {
    const { terminal, keyId, opened } = service();
    const { privateKey, secret, address } = newEvmKey();
    const wanted = { network: "base", userID, expectedAddress: address, slotName: "Vault" } as const;
    const trustedKeyIds = ["older", keyId];
    const answer = await importSealed(terminal, { ...wanted, privateKey, trustedKeyIds });
    expect(answer.data?.wallet._id).toBe("w1");
    await importSealed(terminal, { ...wanted, privateKey: privateKey.slice(2), trustedKeyIds });
    const rest = { expectedAddress: address, slotName: "Vault" };
    expect(opened).toEqual([0, 1].map(() => ({ secret: Uint8Array.from(secret), rest })));
  });

  it("accepts a Solana key or its seed in base58, and bytes, without changing them", async () => {
    const { terminal, opened } = service();
    const { privateKey, secret } = newSolanaKey();
    const given = Uint8Array.from(secret);
    for (const each of [` ${privateKey}\n`, given, "1".repeat(32)])
      await importSealed(terminal, { network: "sol", privateKey: each, userID, trustedKeyIds: "any" });
    expect(opened.map((one) => one.secret.length)).toEqual([64, 32, 32]);
    expect(opened[0]?.secret.subarray(0, 32)).toEqual(given);
    expect(opened[2]?.secret).toEqual(new Uint8Array(32));
    expect(given).toEqual(Uint8Array.from(secret));
  });

  it.each([
    ["a key under another id", { keyId: "k" }, ["k"], "does not belong to its id"],
    ["no trusted key", {}, ["k"], "none of the trusted import keys"],
  ])("seals nothing for a service that offers %s", async (_, offer, trustedKeyIds, message) => {
    const { terminal, opened } = service(offer);
    const { privateKey } = newEvmKey();
    const importing = importSealed(terminal, { network: "eth", privateKey, userID, trustedKeyIds });
    await expect(importing).rejects.toThrow(message);
    expect(opened).toEqual([]);
  });

  it.each([
    ["eth", "0x12"],
    ["eth", "x".repeat(64)],
    ["sol", "0OIl".repeat(16)],
    ["sol", "abc"],
  ] as const)(
    "rejects an invalid private key of %s without repeating it: %s",
    async (network, privateKey) => {
      const importing = importSealed(service().terminal, {
        network,
        privateKey,
        userID,
        trustedKeyIds: "any",
      });
      await expect(importing).rejects.toThrow(/^(?!.*(0x12|xxx|0OIl|abc)).*private key must/);
    },
  );

  it("passes the service's errors on", async () => {
    const error = { status: 401, code: "UNAUTHORIZED", message: "no" };
    const terminal = { listImportKeys: async () => ({ error }) } as never;
    const { privateKey } = newEvmKey();
    const wanted = { network: "eth", privateKey, userID, trustedKeyIds: "any" } as const;
    expect(await importSealed(terminal, wanted)).toEqual({ error });
  });
});
