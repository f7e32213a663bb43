import {
  DecryptCommand,
  GenerateDataKeyCommand,
  KMSClient,
  type KMSClientConfig,
  ReEncryptCommand,
} from "@aws-sdk/client-kms";
import type { Wallet } from "../domain/wallet.ts";
import { type Binding, decrypt, encrypt, pack, unpack } from "./container.ts";
import { maxAttempts, timeouts } from "./timeouts.ts";

/** The KMS key that wraps the data keys, and the client that reaches it. */
export type Vault = { keyID: string; client: KMSClient };

/** A private key as it stands in a wallet's item. */
export type SealedKey = {
  /** See {@link Container}. */
  encryptedPrivateKey: Uint8Array;
  /** Which version of the KMS key wrapped the data key. */
  keyMaterialId: string | undefined;
};

/** Opens the vault of that KMS key. Functions do so once, at load. */
export function openVault(keyID: string, config: KMSClientConfig = {}): Vault {
  return { keyID, client: new KMSClient({ requestHandler: timeouts, maxAttempts, ...config }) };
}

/** What a wallet's key is bound to, in its container and as KMS encryption context. It shows in CloudTrail: ids only. */
export function bindingOf(wallet: Wallet): Binding {
  const { UserID: userID, _id: walletID, network, generatedWalletAddress: address } = wallet;
  return { userID, walletID, network, address };
}

/** Encrypts a secret under a data key of its own. The data key is wiped; the secret is the caller's to wipe. */
export async function seal(
  { keyID, client }: Vault,
  secret: Uint8Array,
  binding: Binding,
): Promise<SealedKey> {
  const { Plaintext, CiphertextBlob, KeyMaterialId } = await client.send(
    new GenerateDataKeyCommand({ KeyId: keyID, KeySpec: "AES_256", EncryptionContext: binding }),
  );
  const body = useOnce(Plaintext, (dataKey) => encrypt(secret, dataKey, binding));
  return {
    encryptedPrivateKey: pack({ wrappedKey: given(CiphertextBlob), body }),
    keyMaterialId: KeyMaterialId,
  };
}

/**
 * Opens what {@link seal} made. No deployed function may: it takes kms:Decrypt.
 *
 * @returns the secret, for the caller to wipe.
 */
export async function unseal(
  { keyID, client }: Vault,
  sealed: Uint8Array,
  binding: Binding,
): Promise<Uint8Array> {
  const { wrappedKey, body } = unpack(sealed);
  const { Plaintext } = await client.send(
    new DecryptCommand({ KeyId: keyID, CiphertextBlob: wrappedKey, EncryptionContext: binding }),
  );
  return useOnce(Plaintext, (dataKey) => decrypt(body, dataKey, binding));
}

/** Wraps the data key under the newest version of the KMS key. It is opened inside KMS and nowhere else. */
export async function rewrap(
  { keyID, client }: Vault,
  sealed: Uint8Array,
  binding: Binding,
): Promise<SealedKey> {
  const { wrappedKey, body } = unpack(sealed);
  const { CiphertextBlob, DestinationKeyMaterialId } = await client.send(
    new ReEncryptCommand({
      SourceKeyId: keyID,
      CiphertextBlob: wrappedKey,
      SourceEncryptionContext: binding,
      DestinationKeyId: keyID,
      DestinationEncryptionContext: binding,
    }),
  );
  const encryptedPrivateKey = pack({ wrappedKey: given(CiphertextBlob), body });
  return { encryptedPrivateKey, keyMaterialId: DestinationKeyMaterialId };
}

/** Uses a data key, and wipes it. */
function useOnce<Result>(plaintext: Uint8Array | undefined, use: (dataKey: Uint8Array) => Result): Result {
  const dataKey = given(plaintext);
  try {
    return use(dataKey);
  } finally {
    dataKey.fill(0);
  }
}

/** The SDK's types leave open what KMS always gives. */
function given(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error("KMS gave no data key");
  return bytes;
}
