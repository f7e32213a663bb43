import { DescribeKeyCommand } from "@aws-sdk/client-kms";
import type { Vault } from "../aws/vault.ts";
import { OperatorError } from "./operator-error.ts";

/** The id of the key material that the KMS key encrypts with since its last rotation. */
export async function currentKeyMaterial({ keyId, client }: Vault): Promise<string> {
  const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: keyId }));
  const id = KeyMetadata?.CurrentKeyMaterialId;
  if (id === undefined) throw new OperatorError("KMS names no current key material of the key");
  return id;
}
