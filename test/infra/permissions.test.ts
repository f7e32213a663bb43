import { readPolicy } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { operationsOf } from "../../lib/operations/operations.ts";
import { rightsText, textOf } from "./rights.ts";
import { allStatements, type Statement, statementsOfRole } from "./statements.ts";
import { customContext, functionsOf, synthesize, tradingContext } from "./synthesized.ts";

const templates = synthesize(tradingContext);
const roles = Object.entries(functionsOf(templates)).map(([name, { Role }]): [string, string] => [
  name,
  Role["Fn::GetAtt"][0],
]);
const statementsOf = (name: string) =>
  statementsOfRole(templates.api, Object.fromEntries(roles)[name] ?? "none");

type Grant = { name: string; action: string; resource: string; condition: unknown };

/** Lists every action that a role allows, on every resource. */
const grants: Grant[] = roles.flatMap(([name]) =>
  statementsOf(name)
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action, Resource, Condition: condition }) =>
      Action.flatMap((action) =>
        Resource.map((each) => ({ name, action, resource: textOf(each), condition })),
      ),
    ),
);

/** Returns whether the statements allow data keys for an encryption context. */
function mayMakeDataKeys(statements: readonly Statement[]) {
  const policy = readPolicy({ Statement: statements });
  return (context: Record<string, string | undefined>) => {
    const pairs = Object.entries(context).filter(([, value]) => value !== undefined);
    const values = {
      ...Object.fromEntries(pairs.map(([name, value]) => [`kms:EncryptionContext:${name}`, [`${value}`]])),
      "kms:EncryptionContextKeys": pairs.map(([name]) => name),
    };
    return policy({ action: "kms:GenerateDataKey", values }) === "Allow";
  };
}

describe("the permissions", () => {
  // Shows a changed right in the file's diff. To accept it: npm run test:infra -- -u
  it("grants exactly the rights in rights.txt", async () => {
    await expect(rightsText(synthesize(customContext))).toMatchFileSnapshot("rights.txt");
  });

  it("gives each function a role of its own", () => {
    expect(new Set(roles.map(([, role]) => role)).size).toBe(roles.length);
  });

  it("lets functions of GET methods write only notes about wanted markets and new pools, and wake lanes", () => {
    const reading = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "kms:GetPublicKey"];
    const notes: readonly string[] = ["MARKETNEWS", "MARKETLOOKS", "NEWTOKENS"];
    const gets = operationsOf("rest").filter(([, { method }]) => method === "GET");
    const readers = gets.filter(
      ([, { writes }]) => writes.length === 0 || !writes.every((name) => notes.includes(name)),
    );
    const actions = readers.flatMap(([reader]) => grants.filter(({ name }) => name === reader));
    const wakers = readers.filter(([, { invokes = [] }]) => invokes.length > 0);
    expect(wakers.map(([name, { invokes }]) => [name, invokes])).toEqual([
      ["readBalances", ["executeOrders"]],
    ]);
    expect(actions.length).toBeGreaterThan(readers.length);
    for (const { name, action } of actions.filter(({ action }) => !action.startsWith("logs:")))
      expect(name === "readBalances" ? [...reading, "lambda:InvokeFunction"] : reading).toContain(action);
  });

  it("lets storeWallet create data keys for exactly one wallet, and only signTransaction and sealExport decrypt", () => {
    const wallet = { userID: "u", walletId: "w", network: "eth", address: "0x1" };
    const names = Object.keys(wallet) as (keyof typeof wallet)[];
    const without = names.map((name) => ({ ...wallet, [name]: undefined }));
    const contexts = [wallet, ...without, { ...wallet, another: "a" }, { another: "a" }, {}];
    const isWallets = contexts.map((context) => context === wallet);
    const makesKeys = ({ Action }: Statement) => Action.includes("kms:GenerateDataKey");
    for (const statements of [statementsOf("storeWallet"), allStatements(templates.data)])
      expect(contexts.map(mayMakeDataKeys(statements.filter(makesKeys)))).toEqual(isWallets);
    const everything = [...allStatements(templates.data), ...allStatements(templates.api)];
    const decrypting = everything.filter(({ Action }) => Action.includes("kms:Decrypt"));
    expect(decrypting.length).toBeGreaterThan(0);
    for (const { Condition } of decrypting)
      expect(JSON.stringify(Condition)).toMatch(/signTransaction|sealExport|aws:SourceVpce/);
    const decrypters = grants.filter(({ action }) => action === "kms:Decrypt").map(({ name }) => name);
    expect(decrypters.sort()).toEqual(["sealExport", "signTransaction"]);
    expect(everything.flatMap(({ Action }) => Action)).not.toContain("kms:CreateGrant");
  });

  it("allows rewrapping data keys only under the same key", () => {
    const rewrapping = allStatements(templates.data).filter(({ Action }) =>
      Action.includes("kms:ReEncryptFrom"),
    );
    expect(rewrapping.map(({ Condition }) => Condition)).toEqual([
      { Bool: { "kms:ReEncryptOnSameKey": "true" } },
    ]);
  });

  it("lets functions create only tagged keys and plans, and change and delete only those of their tag", () => {
    const ofTag = (tag: string, name: string) => {
      const kind = name === "makeFallbackKeys" ? "fallback" : "user";
      return { StringEquals: { [`aws:${tag}/plan-prefix`]: `TerminalApi/${kind}/` } };
    };
    const creating = grants.filter(({ action, resource }) =>
      /^apigateway:POST .*::\/(apikeys|usageplans)$/.test(`${action} ${resource}`),
    );
    const changing = grants.filter(({ action }) => /^apigateway:(PATCH|DELETE)$/.test(action));
    expect([creating.length, changing.length]).toEqual([5, 5]);
    for (const { name, condition } of creating) expect(condition).toEqual(ofTag("RequestTag", name));
    for (const { name, condition } of changing) expect(condition).toEqual(ofTag("ResourceTag", name));
  });

  it("grants no wildcard in actions, and in resources only for connections, keys, plans and network interfaces", () => {
    for (const template of [templates.data, templates.api])
      for (const { Effect, Action } of allStatements(template))
        if (Effect === "Allow") expect(Action.join()).not.toContain("*");
    for (const { action, resource } of grants)
      if (!/\/@connections\/\*$|:apigateway:.*::\/(apikeys|usageplans|tags)\//.test(resource))
        expect(`${action} ${resource}`).toMatch(/^ec2:\w+ \*$|^[^*]*$/);
  });

  it("grants no permission to API Gateway's test-invoke-stage", () => {
    expect(rightsText(templates)).not.toContain("test-invoke-stage");
  });
});
