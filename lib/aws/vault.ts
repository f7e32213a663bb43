import {
  DecryptCommand,
  GenerateDataKeyCommand,
  InvalidCiphertextException,
  type KMSClient,
  type KMSClientConfig,
  ReEncryptCommand,
} from "@aws-sdk/client-kms";
import { ServiceError } from "../core/service-error.ts";
import { type Binding, decrypt, encrypt, pack, unpack } from "./container.ts";
import { type NoteCall, openKms } from "./kms-client.ts";

/** The KMS key that wraps the data keys, and a client for it. */
export type Vault = { keyId: string; client: KMSClient };

/** An encrypted private key. */
export type SealedKey = {
  /** Bytes in the format of {@link Container}. */
  encryptedPrivateKey: Uint8Array;
  /** Version of the KMS key that wrapped the data key. */
  keyMaterialId: string | undefined;
};

/** Fields of a wallet that identify its container. */
type SealableWallet = { UserID: string; _id: string; network: string; generatedWalletAddress: string };

/** Opens the vault of a function. Each function does this once, when it is loaded. */
export const openVault = (keyId: string, config: KMSClientConfig = {}): Vault => ({
  keyId,
  client: openKms(config),
});

/**
 * Additional data of a wallet's container, which is also its KMS encryption context. It contains only ids, because
 * CloudTrail shows it.
 */
export function bindingOf(wallet: SealableWallet): Binding {
  const { UserID: userID, _id: walletId, network, generatedWalletAddress: address } = wallet;
  return { userID, walletId, network, address };
}

/** Encrypts a secret under a new data key, and wipes the data key. The caller wipes the secret. */
export async function seal(
  { keyId, client }: Vault,
  secret: Uint8Array,
  binding: Binding,
): Promise<SealedKey> {
  const { Plaintext, CiphertextBlob, KeyMaterialId } = await client.send(
    new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: "AES_256", EncryptionContext: binding }),
  );
  const body = useOnce(Plaintext, (dataKey) => encrypt(secret, dataKey, binding));
  return {
    encryptedPrivateKey: pack({ wrappedKey: given(CiphertextBlob), body }),
    keyMaterialId: KeyMaterialId,
  };
}

/** Reports that the stored bytes were changed, or belong to a different wallet. */
export class NotSealed extends ServiceError {
  override readonly code = "NOT_SEALED";
}

/**
 * Decrypts the result of {@link seal}. Needs kms:Decrypt.
 *
 * @returns the secret. The caller wipes it.
 * @throws {NotSealed}
 */
export async function unseal(
  { keyId, client }: Vault,
  sealed: Uint8Array,
  binding: Binding,
  noteCall: NoteCall = () => undefined,
): Promise<Uint8Array> {
  const { wrappedKey, body } = orNotSealed(() => unpack(sealed));
  try {
    const { Plaintext, $metadata } = await client.send(
      new DecryptCommand({ KeyId: keyId, CiphertextBlob: wrappedKey, EncryptionContext: binding }),
    );
    noteCall($metadata.requestId);
    return useOnce(Plaintext, (dataKey) => orNotSealed(() => decrypt(body, dataKey, binding)));
  } catch (error) {
    if (!(error instanceof InvalidCiphertextException)) throw error;
    noteCall(error.$metadata.requestId);
    throw new NotSealed();
  }
}

function orNotSealed<Result>(read: () => Result): Result {
  try {
    return read();
  } catch {
    throw new NotSealed();
  }
}

/** Wraps the data key under the newest version of the KMS key. The plain data key never leaves KMS. */
export async function rewrap(
  { keyId, client }: Vault,
  sealed: Uint8Array,
  binding: Binding,
): Promise<SealedKey> {
  const { wrappedKey, body } = unpack(sealed);
  const { CiphertextBlob, DestinationKeyMaterialId } = await client.send(
    new ReEncryptCommand({
      SourceKeyId: keyId,
      CiphertextBlob: wrappedKey,
      SourceEncryptionContext: binding,
      DestinationKeyId: keyId,
      DestinationEncryptionContext: binding,
    }),
  );
  const encryptedPrivateKey = pack({ wrappedKey: given(CiphertextBlob), body });
  return { encryptedPrivateKey, keyMaterialId: DestinationKeyMaterialId };
}

function useOnce<Result>(plaintext: Uint8Array | undefined, use: (dataKey: Uint8Array) => Result): Result {
  const dataKey = given(plaintext);
  try {
    return use(dataKey);
  } finally {
    dataKey.fill(0);
  }
}

/** Narrows the type: KMS always returns these bytes, although the SDK marks them as optional. */
function given(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error("KMS returned no data key");
  return bytes;
}
