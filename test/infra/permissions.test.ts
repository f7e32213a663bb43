import { describe, expect, it } from "vitest";
import { type Operation, operations, operationsOf } from "../../lib/operations.ts";
import { allStatements, statementsOfRole } from "./statements.ts";
import { functionsOf, resourcesOf, synthesize } from "./synthesized.ts";

const templates = synthesize();
const functions = functionsOf(templates);
const rows = Object.entries<Operation>(operations);

const roleOf = (name: string) => functions[name]?.Role["Fn::GetAtt"][0] ?? "";
const statementsOf = (name: string) => statementsOfRole(templates.api, roleOf(name));
const actionsOf = (name: string) => statementsOf(name).flatMap(({ Action }) => Action);

describe("the permissions", () => {
  it.each(rows)("let %s do what its row lists, and write its log", (name, row) => {
    const log = ["logs:CreateLogStream", "logs:PutLogEvents"];
    expect(actionsOf(name).sort()).toEqual([...log, ...row.table, ...row.key].sort());
  });

  it.each(rows)("let %s do it to the table, the key and its own log alone", (name) => {
    const resources = { "logs:": `${name}Log`, "dynamodb:": "GetAttTable", "kms:": "GetAttKey" };
    for (const { Effect, Action, Resource } of statementsOf(name)) {
      expect(Effect).toBe("Allow");
      const [service, resource] =
        Object.entries(resources).find(([prefix]) => Action[0]?.startsWith(prefix)) ?? [];
      expect(Action.every((action) => action.startsWith(service ?? "?"))).toBe(true);
      expect(Resource).toHaveLength(1);
      expect(JSON.stringify(Resource[0])).toContain(resource);
    }
  });

  it("give each function a role of its own", () => {
    expect(new Set(rows.map(([name]) => roleOf(name))).size).toBe(rows.length);
  });

  it("let no reading operation write", () => {
    const reading = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"];
    const readers = operationsOf("rest").filter(([, { method }]) => method === "GET");
    expect(readers.length).toBeGreaterThan(0);
    for (const [name] of readers)
      for (const action of actionsOf(name).filter((action) => !action.startsWith("logs:")))
        expect(reading).toContain(action);
  });

  it("let storeWallet make data keys for a named wallet only, and nobody decrypt", () => {
    const forKey = statementsOf("storeWallet").filter(({ Action }) => Action.includes("kms:GenerateDataKey"));
    expect(forKey.map(({ Condition }) => Condition)).toEqual([
      {
        "ForAllValues:StringEquals": {
          "kms:EncryptionContextKeys": ["userID", "walletID", "network", "address"],
        },
        Null: { "kms:EncryptionContextKeys": "false" },
      },
    ]);
    const everything = [...allStatements(templates.data), ...allStatements(templates.api)];
    const all = everything.flatMap(({ Action }) => Action);
    expect(all).toContain("kms:GenerateDataKey");
    expect(all).not.toContain("kms:Decrypt");
    expect(all).not.toContain("kms:CreateGrant");
  });

  it("wrap data keys anew under the same key only", () => {
    const rewrapping = allStatements(templates.data).filter(({ Action }) =>
      Action.includes("kms:ReEncryptFrom"),
    );
    expect(rewrapping.map(({ Condition }) => Condition)).toEqual([
      { Bool: { "kms:ReEncryptOnSameKey": "true" } },
    ]);
  });

  it("have no wildcard for an action, nor a function's role one for a resource", () => {
    for (const template of [templates.data, templates.api])
      for (const { Action } of allStatements(template)) expect(Action.join()).not.toContain("*");
    for (const [name] of rows)
      for (const { Resource } of statementsOf(name)) expect(JSON.stringify(Resource)).not.toContain("*");
  });

  it("let API Gateway call a function on its own route only", () => {
    const permissions = Object.values(
      resourcesOf<{ Principal: string; SourceArn: unknown }>(templates.api, "AWS::Lambda::Permission"),
    ).map(({ Properties }) => Properties);
    expect(permissions).toHaveLength(rows.length);
    for (const { Principal, SourceArn } of permissions) {
      expect(Principal).toBe("apigateway.amazonaws.com");
      expect(JSON.stringify(SourceArn)).toMatch(/\/(GET|POST)\/|\/authorizers\//);
      expect(JSON.stringify(SourceArn)).not.toContain("test-invoke-stage");
    }
  });
});
