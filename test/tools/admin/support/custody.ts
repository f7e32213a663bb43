import { randomBytes } from "node:crypto";
import { RotateKeyOnDemandCommand } from "@aws-sdk/client-kms";
import { createKms, type Kms, kmsRequestHandler } from "cdk-local-runner/testing";
import { beforeEach } from "vitest";
import { unpack } from "../../../../lib/aws/container.ts";
import { bindingOf, openVault, seal, unseal } from "../../../../lib/aws/vault.ts";
import { readPrivateKey } from "../../../../lib/chains/families/key.ts";
import type { Table } from "../../../../lib/table/table.ts";
import { sealedKeyKey } from "../../../../lib/table/wallet-keys.ts";
import { readStoredKey, type StoredKey } from "../../../../lib/tools/admin/commands/rewrap-keys.ts";
import type { Target } from "../../../../lib/tools/admin/target.ts";
import { register } from "../../../../lib/users/register.ts";
import { addWallet } from "../../../../lib/wallets/add-wallet.ts";
import { newWallet, type Wallet } from "../../../../lib/wallets/wallet.ts";
import { tableForTests } from "../../../support/dynamodb.ts";
import { now } from "./admin.ts";
import { keepSecret } from "./secrets.ts";

/** Called before KMS responds, with the call's name, such as `ReEncrypt`, and its parsed body. */
export type BeforeAnswer = (
  operation: string,
  body: { SourceEncryptionContext?: { walletId: string } },
) => unknown;

/** An imported wallet with its private key, which only the test knows. */
export type Imported = { wallet: Wallet; secret: Buffer };

/** A target with its own KMS. Tests may replace `hooks.beforeAnswer` at any time. */
export function targetWith(table: Table, kms: Kms = createKms()) {
  const hooks: { beforeAnswer: BeforeAnswer } = { beforeAnswer: () => undefined };
  const { handle } = kmsRequestHandler(kms);
  const vault = openVault(kms.ensureKey("wallets").arn, {
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
    requestHandler: {
      async handle(request: Parameters<typeof handle>[0]) {
        const operation = request.headers["x-amz-target"]?.split(".")[1] ?? "";
        await hooks.beforeAnswer(operation, JSON.parse(new TextDecoder().decode(request.body as Uint8Array)));
        return handle(request);
      },
    },
  });
  return { table, vault, hooks, kms };
}

/** Starts a database for the tests of a file, and gives each test its own target with its own table. */
export function targetForTests(): ReturnType<typeof targetWith> {
  const target = {} as ReturnType<typeof targetWith>;
  const { newTable } = tableForTests();
  beforeEach(async () => void Object.assign(target, targetWith(await newTable())));
  return target;
}

export async function rotate({ vault }: Target): Promise<void> {
  await vault.client.send(new RotateKeyOnDemandCommand({ KeyId: vault.keyId }));
}

/** Registers a user and imports `count` wallets with random private keys. */
export async function userWithWallets(target: Target, userID: string, count: number): Promise<Imported[]> {
  await register(target.table, { userID, names: [userID], ref: undefined }, now);
  const imported: Imported[] = [];
  while (imported.length < count) imported.push(await importRandom(target, userID));
  return imported;
}

async function importRandom(target: Target, userID: string): Promise<Imported> {
  const secret = randomBytes(32);
  keepSecret(secret);
  using key = await readPrivateKey("eth", secret.toString("hex"));
  const wallet = newWallet("imported", { userID, network: "eth", address: key.address, now });
  const sealed = await seal(target.vault, key.secret, bindingOf(wallet));
  const limits = { Base: 1000, Pro: 1000, Enterprise: 1000 };
  const added = await addWallet(target.table, { wallet, seal: async () => sealed, limits, now });
  return { wallet: added.wallet, secret };
}

/** Reads a wallet's key from the table and registers its container as a secret that must never be printed. */
export async function stored(
  { table }: Target,
  { UserID, network, generatedWalletAddress }: Wallet,
): Promise<StoredKey> {
  const found = await readStoredKey(table, sealedKeyKey(UserID, network, generatedWalletAddress));
  if (found === undefined) throw new Error("The wallet has gone");
  const { wrappedKey, body } = unpack(found.encryptedPrivateKey);
  for (const bytes of [found.encryptedPrivateKey, wrappedKey, body]) keepSecret(bytes);
  return found;
}

/** Decrypts the stored private key of a wallet. */
export async function opened(target: Target, wallet: Wallet): Promise<Buffer> {
  const { encryptedPrivateKey } = await stored(target, wallet);
  return Buffer.from(await unseal(target.vault, encryptedPrivateKey, bindingOf(wallet)));
}
