import { readAccess } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { operations, servedMethods } from "../../lib/operations/operations.ts";
import { tradingRows } from "../../lib/operations/trading-rows.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { allStatements, statementsOfRole } from "./statements.ts";
import {
  customContext,
  functionsOf,
  logicalIdOf,
  only,
  resourcesOf,
  synthesize,
  tradingContext,
} from "./synthesized.ts";

const { trading: _, walletExport: __, devices: ___, earning: ____, ...choices } = customContext;
/** `chains` and `signerVpc` have no effect where trading is off. */
const without = { "the defaults": {}, "every choice": choices, "no walls": { signerVpc: false } };

const off = synthesize();
const on = synthesize(tradingContext);
const functions = functionsOf(off);
const access = readAccess([
  { name: "TerminalData", template: off.data },
  { name: "TerminalApi", template: off.api },
]);
const table = access.arn(only(off.data, "AWS::DynamoDB::Table").id);
const rows = Object.entries<Operation>(operations);
const always = rows.filter(([, { deployed }]) => deployed === "always").map(([name]) => name);

type Method = { HttpMethod: string; Integration: { Uri: unknown } };

/** Lists the methods that a function serves. Expects at least one. */
const methodsOf = (template: typeof on.api, name: string) =>
  Object.values(resourcesOf<Method>(template, "AWS::ApiGateway::Method")).filter(({ Properties }) =>
    JSON.stringify(Properties.Integration.Uri ?? "").includes(`"${name}Function`),
  );

describe("a deployment without trading", () => {
  it("keeps only the functions of trading that refuse requests, or record and read trades of other engines", () => {
    expect(Object.keys(functions).sort()).toEqual(always.sort());
    const ofTrading = always.filter((name) => name in tradingRows);
    expect(ofTrading.sort()).toEqual([
      "getOrder",
      "listOrders",
      "listPositions",
      "recordExecutions",
      "refuseTrading",
    ]);
  });

  it("has one role for each function", () => {
    // The last role lets API Gateway write logs.
    expect(Object.keys(resourcesOf(off.api, "AWS::IAM::Role"))).toHaveLength(always.length + 1);
  });

  it.each(Object.entries(without))(
    "has no key, network or secret for trading, and no right to decrypt wallets' keys, with %s",
    (_, context) => {
      const { data, api, watch } = synthesize(context);
      const templates = [data, api, watch];
      const types = templates.flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type));
      // The only keys are the key of wallets and one import key.
      expect(types.filter((type) => type === "AWS::KMS::Key")).toHaveLength(2);
      expect(types.filter((type) => /^AWS::(EC2|Route53Resolver)::/.test(type))).toEqual([]);
      const secrets = types.filter((type) => type.startsWith("AWS::SecretsManager::"));
      // The only secret is the distribution's key, which has nothing to do with trading.
      expect(secrets).toEqual(["AWS::SecretsManager::Secret"]);
      const allowed = templates.flatMap(allStatements).flatMap(({ Action }) => Action);
      expect(allowed).toContain("kms:GenerateDataKey");
      // Only operators may rewrap, and only under the same key.
      const rights = /^ec2:|^\*|kms:(\*|Decrypt|.*Mac|CreateGrant|ReEncrypt\*)/;
      expect(allowed.filter((action) => rights.test(action))).toEqual([]);
      const texts = templates.map((template) => JSON.stringify(template)).join();
      expect(texts).not.toMatch(/Decrypt|GenerateMac|VerifyMac|VpcConfig|NetworkInterface/);
    },
  );

  it.each<[string, string[]]>([
    ["POLICY#u", ["loosenGuards"]],
    ["SIGNED#u", []],
    ["CANCELLED#o", ["deleteKey", "retireWallet"]],
    ["TRADING", []],
    ["EXPORT#u", []],
    ["EXPORTED#u", []],
  ])("lets no function forge anything in %s that trading would later trust", (PK, owners) => {
    const isWriter = (name: string) =>
      ["PutItem", "UpdateItem", "DeleteItem"].some(
        (action) =>
          access.denial(access.ref(logicalIdOf(off.api, name)), {
            action: `dynamodb:${action}`,
            resource: table,
            values: { "dynamodb:LeadingKeys": [PK] },
          }) === undefined,
      );
    expect(always.filter(isWriter)).toEqual(owners);
  });

  it("retires wallets without invoking another function", () => {
    const { Environment, Role } = functions.retireWallet ?? {};
    expect(Environment?.Variables).toMatchObject({
      EXECUTE_ORDERS_FUNCTION: "",
      FIRE_ORDERS_FUNCTION: "",
    });
    const actions = statementsOfRole(off.api, Role?.["Fn::GetAtt"][0] ?? "").flatMap(({ Action }) => Action);
    expect(actions.filter((action) => action.startsWith("lambda:"))).toEqual([]);
  });

  it("refuses trading with a function that may only write its log", () => {
    const role = functions.refuseTrading?.Role["Fn::GetAtt"][0] ?? "";
    const actions = statementsOfRole(off.api, role).flatMap(({ Action }) => Action);
    expect(actions).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
    expect(functions.refuseTrading?.Environment?.Variables).toEqual({ ALLOWED_ORIGINS: "[]" });
  });

  it("serves the methods of all missing rows with one function that refuses requests", () => {
    const missing = servedMethods.filter(({ name }) =>
      ["with trading", "with markets"].includes(operations[name].deployed),
    );
    expect(methodsOf(off.api, "refuseTrading")).toHaveLength(missing.length);
    expect(methodsOf(on.api, "refuseTrading")).toEqual([]);
    for (const [name, served] of Map.groupBy(missing, (each) => each.name))
      expect(methodsOf(on.api, name)).toHaveLength(served.length);
  });
});
