import { readAccess } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import {
  functionsOf,
  importKeysOf,
  logicalIdOf,
  resourcesOf,
  synthesize,
  tradingContext,
} from "./synthesized.ts";

type RoleProperties = { RoleName?: unknown; Policies: { PolicyName: string }[] };

const stacks = synthesize(tradingContext);
const names = Object.keys(operations);

/** Decides which functions may use the import key. */
function accessIn({ data, api }: Pick<typeof stacks, "data" | "api">) {
  const access = readAccess([
    { name: "TerminalData", template: data },
    { name: "TerminalApi", template: api },
  ]);
  const resource = access.arn(importKeysOf({ data })[0]?.id ?? "");
  const denial = (name: string, action: string, values: Record<string, readonly string[]> = {}) =>
    access.denial(access.ref(logicalIdOf(api, name)), { action: `kms:${action}`, resource, values });
  return {
    denial,
    users: (action: string, values = {}) => names.filter((name) => !denial(name, action, values)),
  };
}

const ecdh = { "kms:KeyAgreementAlgorithm": ["ECDH"] };

describe("an import key", () => {
  const { denial, users } = accessIn(stacks);

  it("decrypts only for importWallet", () => {
    expect(users("DeriveSharedSecret", ecdh)).toEqual(["importWallet"]);
    expect(denial("importWallet", "DeriveSharedSecret")).toMatch(/no resource-based policy/);
    for (const action of ["Decrypt", "Sign", "CreateGrant", "PutKeyPolicy"])
      expect(users(action, ecdh)).toEqual([]);
  });

  it("shows its public key to roles whose policies allow it", () => {
    expect(users("GetPublicKey").sort()).toEqual(["importWallet", "listImportKeys"]);
  });

  it("names the role in its policy, so that another role with the same permissions is refused", () => {
    const { data, api } = structuredClone(stacks);
    const roleOf = (name: string) => {
      const id = functionsOf({ api })[name]?.Role["Fn::GetAtt"][0] ?? "";
      const role = resourcesOf<RoleProperties>(api, "AWS::IAM::Role")[id]?.Properties;
      if (role === undefined) throw new Error(`There is no role of ${name}`);
      return role;
    };
    roleOf("storeWallet").Policies.push(...roleOf("importWallet").Policies);
    const { denial: changed } = accessIn({ data, api });
    expect(changed("storeWallet", "GetPublicKey")).toBeUndefined();
    expect(changed("storeWallet", "DeriveSharedSecret", ecdh)).toMatch(/no resource-based policy/);
    const names = [roleOf("importWallet"), roleOf("listImportKeys")].map(({ RoleName }) => RoleName);
    expect(names).toEqual([
      { "Fn::Join": ["", ["TerminalApi-", { Ref: "AWS::Region" }, "-wallets-importWallet"]] },
      undefined,
    ]);
  });
});
