import { randomBytes } from "node:crypto";
import { GenerateDataKeyCommand } from "@aws-sdk/client-kms";
import { queryRange } from "../../aws/table.ts";
import { walletsOf } from "../../aws/table-keys.ts";
import { bindingOf, rewrap, type SealedKey, unseal } from "../../aws/vault.ts";
import type { Wallet } from "../../domain/wallet.ts";
import { byHand, type CheckGroup, expectSame, expectThat, Refuted, Skip } from "../check.ts";
import type { Run } from "../run.ts";

/** Users' private keys, and the KMS key that guards them. */
export const walletChecks: CheckGroup<Run> = {
  title: "Wallets",
  checks: [
    {
      says: "KMS makes a data key for an import",
      async run(run) {
        const { token } = await run.user();
        const privateKey = randomBytes(32).toString("hex");
        run.secrets.add(privateKey);
        const body = { network: "eth", privateKey };
        const { status, text } = await run.http.send("POST", "/storeWallet_v2", { token, body });
        expectThat(status === 200, `The answer is ${status} ${text}`);
      },
    },
    {
      says: "KMS refuses a data key without the encryption context, also to operators",
      async run({ service }) {
        const { client, keyID } = service.vault;
        const call = client.send(new GenerateDataKeyCommand({ KeyId: keyID, KeySpec: "AES_256" }));
        await expectDenied(call, "KMS made a data key");
      },
    },
    {
      says: "KMS wraps the data key of a wallet again, and decrypts it for nobody",
      async run(run) {
        const { table, vault } = run.service;
        const { userID } = await run.user();
        const [wallet] = await queryRange<Wallet & SealedKey>(table, walletsOf(userID));
        if (wallet === undefined) throw new Skip("there is no wallet");
        const binding = bindingOf(wallet);
        const sealed = wallet.encryptedPrivateKey;
        // Only tried: the wallet stays under its old data key, and nothing is written.
        const { encryptedPrivateKey } = await rewrap(vault, sealed, binding);
        expectThat(encryptedPrivateKey.length > 0, "KMS returned nothing");
        const opened = unseal(vault, sealed, binding).then((secret) => secret.fill(0));
        await expectDenied(opened, "KMS decrypted a data key");
        const { json } = await run.http.send("GET", "/listWallets", await run.user());
        expectSame("The number of wallets", (json as unknown[]).length, 1);
      },
    },
    byHand("KMS gives importWallet what a client derives, and opens a sealed import"),
    byHand("sealExport opens a wallet behind the walls, also after two weeks without a request"),
    byHand("A requested export reaches the event bus of noticeBusArn"),
  ],
};

async function expectDenied(call: Promise<unknown>, otherwise: string): Promise<void> {
  try {
    await call;
  } catch (error) {
    if ((error as Error).name === "AccessDeniedException") return;
    throw error;
  }
  throw new Refuted(otherwise);
}
