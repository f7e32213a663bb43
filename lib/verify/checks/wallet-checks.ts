import { randomBytes, randomUUID } from "node:crypto";
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
    {
      says: "A wallet can be made once, named, retired and restored, and its events list all of that",
      async run(run) {
        const { token } = await run.user();
        const headers = { "Idempotency-Key": randomUUID() };
        const make = () =>
          run.http.send("POST", "/api/v2/wallets", { token, headers, body: { network: "sol" } });
        const made = await make();
        expectSame("The status of the first request", made.status, 200);
        expectSame("Idempotent-Replayed", (await make()).headers["idempotent-replayed"], "true");
        const path = `/api/v2/wallets/${walletIdIn(made.json)}`;
        const steps = [
          ["PATCH", path, { slotName: "Verified" }],
          ["DELETE", path, undefined],
          ["POST", `${path}/restore`, {}],
          ["DELETE", path, undefined],
        ] as const;
        for (const [method, to, body] of steps) {
          const { status } = await run.http.send(method, to, { token, ...(body && { body }) });
          expectSame(`The status of ${method}`, status, 200);
        }
        const { json } = await run.http.send("GET", `${path}/events`, { token });
        const { events } = (json as { data: { events: { type: string }[] } }).data;
        const types = events.map(({ type }) => type);
        expectSame("The events", types, ["retired", "restored", "retired", "renamed", "created"]);
      },
    },
    byHand("KMS gives importWallet what a client derives, and opens a sealed import"),
    byHand("sealExport opens a wallet behind the walls, also after two weeks without a request"),
    byHand("A requested export reaches the event bus of noticeBusArn"),
  ],
};

const walletIdIn = (json: unknown) => (json as { data: { wallet: { _id: string } } }).data.wallet._id;

async function expectDenied(call: Promise<unknown>, otherwise: string): Promise<void> {
  try {
    await call;
  } catch (error) {
    if ((error as Error).name === "AccessDeniedException") return;
    throw error;
  }
  throw new Refuted(otherwise);
}
