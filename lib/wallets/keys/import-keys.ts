import {
  DeriveSharedSecretCommand,
  DisabledException,
  GetPublicKeyCommand,
  type KMSClient,
  type KMSClientConfig,
  KMSInvalidStateException,
  NotFoundException,
} from "@aws-sdk/client-kms";
import { openKms } from "../../aws/kms-client.ts";
import type { RemoteKey } from "./hpke.ts";
import { keyIdOf, pointIn, spkiOf } from "./sealing.ts";

/** A key of this service to which users seal private keys. */
export type ImportKey = RemoteKey & { keyId: string };

/** Reads the keys that can be used now, the newest first. */
export type ImportKeys = () => Promise<readonly ImportKey[]>;

/** @param ids The ids of KMS keys for key agreement on P-256, oldest first. */
export const openImportKeys = (ids: readonly string[], config: KMSClientConfig = {}): ImportKeys =>
  importKeysOf(openKms(config), ids);

/** Reads the import keys with an open KMS client. Public keys never change, so each one is read only once. */
export function importKeysOf(client: KMSClient, ids: readonly string[]): ImportKeys {
  const read = new Map<string, ImportKey>();

  async function find(id: string): Promise<ImportKey | undefined> {
    const known = read.get(id);
    if (known !== undefined) return known;
    const point = await readPoint(client, id);
    if (point === undefined) return undefined;
    const key = {
      keyId: keyIdOf(spkiOf(point)),
      point,
      agree: (other: Uint8Array) => agree(client, id, other),
    };
    read.set(id, key);
    return key;
  }

  return async () => {
    const keys = await Promise.all(ids.toReversed().map(find));
    return keys.filter((key) => key !== undefined);
  };
}

/** Reads a public key. Returns undefined if the key cannot be used now. */
async function readPoint(client: KMSClient, KeyId: string): Promise<Uint8Array | undefined> {
  try {
    const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId }));
    if (PublicKey === undefined) throw new Error("KMS returned no public key");
    return pointIn(PublicKey);
  } catch (error) {
    if (isOutOfUse(error)) return undefined;
    throw error;
  }
}

/** True if an import key is deleted, or an operator has disabled it or scheduled its deletion. */
export const isOutOfUse = (error: unknown) =>
  error instanceof DisabledException ||
  error instanceof KMSInvalidStateException ||
  error instanceof NotFoundException;

async function agree(client: KMSClient, KeyId: string, point: Uint8Array): Promise<Uint8Array> {
  const { SharedSecret } = await client.send(
    new DeriveSharedSecretCommand({ KeyId, KeyAgreementAlgorithm: "ECDH", PublicKey: spkiOf(point) }),
  );
  if (SharedSecret === undefined) throw new Error("KMS returned no shared secret");
  return SharedSecret;
}
