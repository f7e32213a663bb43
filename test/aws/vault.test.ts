import { randomBytes } from "node:crypto";
import { KMSClient, RotateKeyOnDemandCommand } from "@aws-sdk/client-kms";
import { describe, expect, it, vi } from "vitest";
import type { Binding } from "../../lib/aws/container.ts";
import { bindingOf, openVault, rewrap, seal, unseal } from "../../lib/aws/vault.ts";
import { newWallet } from "../../lib/wallets/wallet.ts";
import { openKms } from "../support/kms.ts";

const { kms, config } = openKms();
const vault = openVault(kms.ensureKey("wallets").arn, config);
const binding = bindingOf(
  newWallet("imported", { userID: "alice", network: "eth", address: "0x7E5F", now: new Date() }),
);
const secret = randomBytes(32);

describe("vault", () => {
  it("unseals what it sealed", async () => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    expect(Buffer.from(await unseal(vault, encryptedPrivateKey, binding))).toEqual(secret);
  });

  it("seals under a new data key each time, and leaves the caller's secret intact", async () => {
    const [one, two] = await Promise.all([seal(vault, secret, binding), seal(vault, secret, binding)]);
    expect(one.encryptedPrivateKey).not.toEqual(two.encryptedPrivateKey);
    expect(secret.some((byte) => byte !== 0)).toBe(true);
  });

  it("hides every part of the secret in the sealed container", async () => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    expect(Buffer.from(encryptedPrivateKey).includes(secret.subarray(0, 4))).toBe(false);
  });

  it("refuses to unseal after a bit of any byte of the container was flipped", async () => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    for (const index of encryptedPrivateKey.keys()) {
      const damaged = Uint8Array.from(encryptedPrivateKey);
      damaged[index] = (damaged[index] ?? 0) ^ (1 << (index % 8));
      await expect(unseal(vault, damaged, binding), `byte ${index}`).rejects.toThrow();
    }
  });

  it.each(Object.keys(binding) as (keyof Binding)[])("refuses to unseal for a different %s", async (name) => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    for (const value of ["", `${binding[name]} `, binding[name].toUpperCase(), "other"]) {
      if (value === binding[name]) continue;
      await expect(unseal(vault, encryptedPrivateKey, { ...binding, [name]: value })).rejects.toThrow();
    }
  });

  it("refuses to unseal with a different KMS key", async () => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    const other = openVault(kms.ensureKey("other").arn, config);
    await expect(unseal(other, encryptedPrivateKey, binding)).rejects.toThrow();
  });

  it("notes each call to KMS, refused ones, too", async () => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    const noteCall = vi.fn();
    await unseal(vault, encryptedPrivateKey, binding, noteCall);
    expect(noteCall).toHaveBeenCalledTimes(1);
    const foreign = unseal(vault, encryptedPrivateKey, { ...binding, userID: "mallory" }, noteCall);
    await expect(foreign).rejects.toThrow();
    expect(noteCall).toHaveBeenCalledTimes(2);
  });

  it("unseals after a rotation of the KMS key, and rewraps under its newest version", async () => {
    const before = await seal(vault, secret, binding);
    await new KMSClient(config).send(new RotateKeyOnDemandCommand({ KeyId: vault.keyId }));
    expect(Buffer.from(await unseal(vault, before.encryptedPrivateKey, binding))).toEqual(secret);

    const after = await rewrap(vault, before.encryptedPrivateKey, binding);
    expect(Buffer.from(await unseal(vault, after.encryptedPrivateKey, binding))).toEqual(secret);
    expect(after.keyMaterialId).toBe((await seal(vault, secret, binding)).keyMaterialId);
    expect(after.keyMaterialId).not.toBe(before.keyMaterialId);
  });

  it("refuses to rewrap for a different wallet", async () => {
    const { encryptedPrivateKey } = await seal(vault, secret, binding);
    await expect(rewrap(vault, encryptedPrivateKey, { ...binding, walletId: "other" })).rejects.toThrow();
  });
});
