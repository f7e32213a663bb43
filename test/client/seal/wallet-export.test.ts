import { describe, expect, it } from "vitest";
import type { RestCalls } from "../../../lib/client/methods.ts";
import type { ServerMessage } from "../../../lib/client/openapi.ts";
import { newExportKeys, walletExporter } from "../../../lib/client/seal/wallet-export.ts";
import { sealMessage } from "../../../lib/wallets/keys/hpke.ts";
import {
  base64url,
  exportInfo,
  type PublicJwk,
  pointOfJwk,
  thumbprintOf,
} from "../../../lib/wallets/keys/sealing.ts";

const wallet = { walletId: "w1", network: "sol", userID: "Zoë|auth0" } as const;
const privateKey = Uint8Array.from({ length: 64 }, (_, index) => index);
const availableAt = "2026-11-23T10:00:00.000Z";
const asked: PublicJwk[] = [];

/** Fakes a possibly compromised service. */
const answering = (answer: (publicKey: PublicJwk) => object) =>
  ({
    exportWallet: async ({ body }: { body: { publicKey: PublicJwk } }) => {
      asked.push(body.publicKey);
      return { data: { export: await answer(body.publicKey) }, headers: new Headers() };
    },
  }) as unknown as Pick<RestCalls, "exportWallet">;

const sealedTo = async (publicKey: PublicJwk, of: Parameters<typeof exportInfo>[0] = wallet) => {
  const { enc, ciphertext } = await sealMessage(pointOfJwk(publicKey), privateKey, exportInfo(of));
  const thumbprint = thumbprintOf(publicKey);
  return { status: "ready", thumbprint, enc: base64url(enc), ciphertext: base64url(ciphertext) };
};

const announced = (walletId: string, thumbprint: string): ServerMessage => ({
  type: "WalletExportRequested",
  time: availableAt,
  data: { walletId, availableAt, thumbprint, version: 1 },
});

describe("walletExporter", () => {
  it("opens exports that the service sealed to its key", async () => {
    const keys = await newExportKeys();
    const { ask, thumbprint } = await walletExporter(answering(sealedTo), keys, wallet);
    expect(await ask()).toEqual({ data: { status: "ready", privateKey } });
    const sent = asked.at(-1) ?? expect.fail("nothing was sent");
    expect(thumbprintOf(sent)).toBe(thumbprint);
    expect(Object.keys(sent)).toEqual(["kty", "crv", "x", "y"]);
    await expect(crypto.subtle.exportKey("jwk", keys.privateKey)).rejects.toThrow();
  });

  it("reports announced exports to a different key, in responses and messages", async () => {
    const keys = await newExportKeys();
    const thumbprint = "t".repeat(43);
    const pending = { status: "pending", availableAt, thumbprint };
    const exporter = await walletExporter(
      answering(() => pending),
      keys,
      wallet,
    );
    expect(await exporter.ask()).toEqual({ data: { status: "foreign", thumbprint } });
    expect(exporter.keyOf(announced("w1", thumbprint))).toBe("foreign");
    expect(exporter.keyOf(announced("w1", exporter.thumbprint))).toBe("own");
    expect(exporter.keyOf(announced("w2", thumbprint))).toBeUndefined();
    expect(exporter.keyOf({ type: "pong", time: availableAt })).toBeUndefined();
  });

  it("reports its own pending export and passes errors on", async () => {
    const keys = await newExportKeys();
    const own = (publicKey: PublicJwk) => ({
      status: "pending",
      availableAt,
      thumbprint: thumbprintOf(publicKey),
    });
    expect(await (await walletExporter(answering(own), keys, wallet)).ask()).toEqual({
      data: { status: "pending", availableAt },
    });
    const error = { status: 403, code: "EXPORT_LOCKED", message: "locked", details: {} } as const;
    const locked = { exportWallet: async () => ({ error }) } as unknown as Pick<RestCalls, "exportWallet">;
    expect(await (await walletExporter(locked, keys, wallet)).ask()).toEqual({ error });
  });

  it.each([
    ["another wallet", { ...wallet, walletId: "w2" }],
    ["another user", { ...wallet, userID: "mallory" }],
    ["another network", { ...wallet, network: "eth" } as const],
  ])("opens nothing that was sealed for %s", async (_, of) => {
    const keys = await newExportKeys();
    const { ask } = await walletExporter(
      answering((key) => sealedTo(key, of)),
      keys,
      wallet,
    );
    await expect(ask()).rejects.toThrow();
  });
});
