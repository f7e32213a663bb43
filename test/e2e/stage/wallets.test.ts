import { GenerateDataKeyCommand } from "@aws-sdk/client-kms";
import { describe, expect } from "vitest";
import { bindingOf, rewrap, type SealedKey, unseal } from "../../../lib/aws/vault.ts";
import { queryRange } from "../../../lib/table/table.ts";
import { walletsOf } from "../../../lib/table/wallet-keys.ts";
import type { Wallet } from "../../../lib/wallets/wallet.ts";
import { newEvmKey } from "../../support/keys.ts";
import { importWallet, walletsOf as listedWalletsOf } from "../support/terminal.ts";
import { it, service } from "./support/check.ts";

const { table, vault } = service;

const denied = { name: "AccessDeniedException" };

describe("KMS", () => {
  it("creates a data key for an import", async ({ user }) => {
    const { status, text } = await importWallet(user, newEvmKey());
    expect(status, text).toBe(200);
  });

  it("refuses a data key without the encryption context, even to operators", async () => {
    const { client, keyId } = vault;
    const call = client.send(new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: "AES_256" }));
    await expect(call).rejects.toMatchObject(denied);
  });

  it("rewraps the data key of a wallet, and decrypts it for nobody", async ({ user, skip }) => {
    const wallets = await queryRange<Wallet & SealedKey>(table, walletsOf(user.id));
    const [wallet] = wallets;
    if (wallet === undefined) return skip("there is no wallet");
    const binding = bindingOf(wallet);
    const sealed = wallet.encryptedPrivateKey;
    // Writes nothing: the wallet stays under its old data key.
    expect((await rewrap(vault, sealed, binding)).encryptedPrivateKey.length).toBeGreaterThan(0);
    const opened = unseal(vault, sealed, binding).then((secret) => void secret.fill(0));
    await expect(opened).rejects.toMatchObject(denied);
    expect(await listedWalletsOf(user)).toHaveLength(wallets.length);
  });
});
