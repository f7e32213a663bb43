import { GenerateDataKeyCommand } from "@aws-sdk/client-kms";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect } from "vitest";
import { bindingOf, rewrap, unseal } from "../../../lib/aws/vault.ts";
import { sealedKeyKey } from "../../../lib/table/wallet-keys.ts";
import { walletsOfUser } from "../../../lib/wallets/wallet-records.ts";
import { newEvmKey } from "../../support/keys.ts";
import { importWallet, walletsOf } from "../support/terminal.ts";
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

  it("rewraps a wallet's data key without letting anybody decrypt it", async ({ user, skip }) => {
    const wallets = await walletsOfUser(table, user.id);
    const [wallet] = wallets;
    if (wallet === undefined) return skip("there is no wallet");
    const binding = bindingOf(wallet);
    const Key = sealedKeyKey(user.id, wallet.network, wallet.generatedWalletAddress);
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
    const sealed: Uint8Array = Item?.encryptedPrivateKey;
    // Writes nothing: the wallet keeps its old data key.
    expect((await rewrap(vault, sealed, binding)).encryptedPrivateKey.length).toBeGreaterThan(0);
    const opened = unseal(vault, sealed, binding).then((secret) => void secret.fill(0));
    await expect(opened).rejects.toMatchObject(denied);
    expect(await walletsOf(user)).toHaveLength(wallets.length);
  });
});
