import { describe, expect, it } from "vitest";
import { readPolicy } from "../../src/kms/key-policy.ts";
import { createKms } from "../../src/kms/kms.ts";

type Condition = Record<string, Record<string, string | string[]>>;

const account = { AWS: "arn:aws:iam::000000000000:root" };
const allow = (Action: string | string[], Condition: Condition = {}, Principal: unknown = account) => ({
  Effect: "Allow",
  Action,
  Principal,
  Resource: "*",
  Condition,
});
const policy = (...Statement: object[]) => ({ Version: "2012-10-17", Statement });

/** Whether a statement with this condition allows a request with these values. */
const holds = (condition: Condition, values: Record<string, string[]>) =>
  readPolicy(policy(allow("kms:Decrypt", condition)))("kms:Decrypt", values);

describe("readPolicy", () => {
  it("allows the actions of a statement, patterns included, and no other", () => {
    const permits = readPolicy(policy(allow(["kms:Describe*", "kms:decrypt"])));
    expect(["kms:DescribeKey", "kms:Decrypt", "kms:Encrypt"].map((action) => permits(action, {}))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("lets a denial win", () => {
    const permits = readPolicy(policy(allow("kms:*"), { ...allow("kms:Decrypt"), Effect: "Deny" }));
    expect([permits("kms:Decrypt", {}), permits("kms:Encrypt", {})]).toEqual([false, true]);
  });

  it("skips statements for services", () => {
    const permits = readPolicy(policy(allow("kms:*", {}, { Service: "logs.amazonaws.com" })));
    expect(permits("kms:Decrypt", {})).toBe(false);
  });

  it.each<[string, Condition, Record<string, string[]>, boolean]>([
    ["equal text", { StringEquals: { k: ["a", "b"] } }, { k: ["b"] }, true],
    ["other text", { StringEquals: { k: "a" } }, { k: ["A"] }, false],
    ["an absent key", { StringEquals: { k: "a" } }, {}, false],
    ["a pattern", { StringLike: { k: "a*" } }, { k: ["abc"] }, true],
    ["no asterisk as a pattern in StringEquals", { StringEquals: { k: "a*" } }, { k: ["abc"] }, false],
    ["a boolean", { Bool: { k: "true" } }, { k: ["true"] }, true],
    ["only some for ForAllValues", { "ForAllValues:StringEquals": { k: ["a"] } }, { k: ["a", "b"] }, false],
    ["a part for ForAllValues", { "ForAllValues:StringEquals": { k: ["a", "b"] } }, { k: ["a"] }, true],
    ["an absent key for ForAllValues", { "ForAllValues:StringEquals": { k: ["a"] } }, {}, true],
    ["one of many for ForAnyValue", { "ForAnyValue:StringEquals": { k: ["a"] } }, { k: ["a", "b"] }, true],
    ["an absent key for ForAnyValue", { "ForAnyValue:StringEquals": { k: ["a"] } }, {}, false],
    ["a present key that must be", { Null: { k: "false" } }, { k: ["a"] }, true],
    ["an absent key that must be present", { Null: { k: "false" } }, {}, false],
    ["an absent key that must be absent", { Null: { k: "true" } }, {}, true],
    [
      "two conditions of which one fails",
      { Bool: { a: "true" }, Null: { k: "false" } },
      { a: ["true"] },
      false,
    ],
  ])("decides as IAM does about %s", (_, condition, values, expected) => {
    expect(holds(condition, values)).toBe(expected);
  });

  it("refuses operators that it does not emulate", () => {
    expect(() => readPolicy(policy(allow("kms:*", { DateLessThan: { k: "2030" } })))).toThrow("DateLessThan");
  });
});

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
      message: `User is not authorized to perform: kms:${action} on resource: ${arn}`,
    },
  });

  it("is for what the policy allows", () => {
    const required = { Null: { "kms:EncryptionContext:tenant": "false" } };
    kms.setPolicy(KeyId, policy(allow("kms:GenerateDataKey", required)));
    expect(generate(EncryptionContext)).toMatchObject({ status: 200 });
    expect(generate({ document: "d1" })).toEqual(denied("GenerateDataKey"));
    const { CiphertextBlob } = generate(EncryptionContext).body as { CiphertextBlob: string };
    expect(call("Decrypt", { CiphertextBlob, EncryptionContext })).toEqual(denied("Decrypt"));
    for (const name of ["DescribeKey", "RotateKeyOnDemand", "ListKeyRotations"])
      expect(call(name, { KeyId })).toEqual(denied(name));
  });

  it("re-encrypts under itself alone if the policy says so", () => {
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
