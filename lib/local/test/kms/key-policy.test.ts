import { describe, expect, it } from "vitest";
import { createKms } from "../../src/kms/kms.ts";
import { allow, policy } from "../support/policies.ts";

describe("a key with a policy", () => {
  const kms = createKms();
  const { keyId: KeyId, arn } = kms.ensureKey("k");
  const call = (name: string, body: object) => kms.handle(`TrentService.${name}`, body);
  const EncryptionContext = { tenant: "t1", document: "d1" };
  const generate = (context: object) =>
    call("GenerateDataKey", { KeyId, KeySpec: "AES_256", EncryptionContext: context });
  const denied = (action: string) => ({
    status: 400,
    body: {
      __type: "AccessDeniedException",
      message: `User: arn:aws:iam::000000000000:root is not authorized to perform: kms:${action} on resource: ${arn} because no resource-based policy allows the kms:${action} action`,
    },
  });

  it("allows only the uses that its policy allows", () => {
    const required = { Null: { "kms:EncryptionContext:tenant": "false" } };
    kms.setPolicy(KeyId, policy(allow("kms:GenerateDataKey", required)));
    expect(generate(EncryptionContext)).toMatchObject({ status: 200 });
    expect(generate({ document: "d1" })).toEqual(denied("GenerateDataKey"));
    const { CiphertextBlob } = generate(EncryptionContext).body as { CiphertextBlob: string };
    expect(call("Decrypt", { CiphertextBlob, EncryptionContext })).toEqual(denied("Decrypt"));
    for (const name of ["DescribeKey", "RotateKeyOnDemand", "ListKeyRotations"])
      expect(call(name, { KeyId })).toEqual(denied(name));
  });

  it("re-encrypts only under itself if its policy demands it", () => {
    const same = { Bool: { "kms:ReEncryptOnSameKey": "true" } };
    const of = (Action: string[]) => policy(allow("kms:GenerateDataKey"), allow(Action, same));
    const other = kms.ensureKey("other").keyId;
    const { CiphertextBlob } = generate(EncryptionContext).body as { CiphertextBlob: string };
    const reEncrypt = (DestinationKeyId: string) =>
      call("ReEncrypt", {
        CiphertextBlob,
        SourceEncryptionContext: EncryptionContext,
        DestinationKeyId,
        DestinationEncryptionContext: EncryptionContext,
      });
    kms.setPolicy(KeyId, of(["kms:ReEncryptFrom", "kms:ReEncryptTo"]));
    expect(reEncrypt(KeyId)).toMatchObject({ status: 200 });
    expect(reEncrypt(other)).toEqual(denied("ReEncryptFrom"));
    kms.setPolicy(KeyId, of(["kms:ReEncryptFrom"]));
    expect(reEncrypt(KeyId)).toEqual(denied("ReEncryptTo"));
  });
});
