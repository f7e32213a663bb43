import { readPolicy } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import type { Operation, RestMethod } from "../../lib/operation-types.ts";
import { operations, operationsOf } from "../../lib/operations.ts";
import { allStatements, type Statement, statementsOfRole } from "./statements.ts";
import {
  functionsOf,
  importKeyArn,
  logicalIdOf,
  only,
  resourcesOf,
  synthesize,
  tradingContext,
} from "./synthesized.ts";

const templates = synthesize(tradingContext);
const functions = functionsOf(templates);
const rows = Object.entries<Operation>(operations);

const roleOf = (name: string) => functions[name]?.Role["Fn::GetAtt"][0] ?? "";
const statementsOf = (name: string) => statementsOfRole(templates.api, roleOf(name));
const actionsOf = (name: string) =>
  statementsOf(name)
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action }) => Action);

const imported = (name: RegExp) => ({ "Fn::ImportValue": expect.stringMatching(name) });
const arnOf = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });
const log = (name: string) => ({ "Fn::GetAtt": [expect.stringMatching(`^${name}Log[0-9A-F]{8}$`), "Arn"] });
const connections = (action: string) => ({
  "Fn::Join": [
    "",
    [
      "arn:",
      { Ref: "AWS::Partition" },
      ":execute-api:",
      { Ref: "AWS::Region" },
      ":",
      { Ref: "AWS::AccountId" },
      ":",
      { Ref: only(templates.api, "AWS::ApiGatewayV2::Api").id },
      `/stream/${action}/@connections/*`,
    ],
  ],
});

const ofConnections = ["GET", "POST", "DELETE"].map((action) => JSON.stringify(connections(action)));

/** A part of API Gateway's control plane. */
const controlPlane = (path: string) => ({
  "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, ":apigateway:", { Ref: "AWS::Region" }, `::/${path}`]],
});

/** Where tags of new keys or plans are written: their id is `*` until they exist. */
const newTags = (kind: string) => ({
  "Fn::Join": [
    "",
    [
      "arn:",
      { Ref: "AWS::Partition" },
      ":apigateway:",
      { Ref: "AWS::Region" },
      "::/tags/arn%3A",
      { Ref: "AWS::Partition" },
      "%3Aapigateway%3A",
      { Ref: "AWS::Region" },
      `%3A%3A%2F${kind}%2F\${*}`,
    ],
  ],
});

const creating: [action: string, resource: unknown][] = [
  ["POST", controlPlane("apikeys")],
  ["PUT", newTags("apikeys")],
  ["POST", controlPlane("usageplans")],
  ["PUT", newTags("usageplans")],
  ["POST", controlPlane("usageplans/*/keys")],
  ["GET", controlPlane("apikeys")],
  ["GET", controlPlane("usageplans/*")],
  ["GET", controlPlane("usageplans")],
  ["GET", controlPlane("usageplans/*/keys/*")],
  ["PATCH", controlPlane("usageplans/*")],
];

/** What the rows that deal with plans may do there. */
const planGrants: Record<string, [action: string, resource: unknown][]> = {
  mirrorPlans: creating,
  deleteRetiredKeys: [
    ...creating,
    ["DELETE", controlPlane("apikeys/*")],
    ["DELETE", controlPlane("usageplans/*")],
  ],
  freeIdleKeys: [["GET", controlPlane("apikeys")]],
};

/** Lambda needs them to put a function behind the walls. */
const networkInterfaces = [
  ...["CreateNetworkInterface", "DeleteNetworkInterface", "DescribeNetworkInterfaces", "DescribeSubnets"],
  ...["AssignPrivateIpAddresses", "UnassignPrivateIpAddresses"],
].map((name) => `ec2:${name}`);

const readStream = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];

/** The actions that a row's role allows, each with its resource. */
function expectedOf(name: string, row: Operation): [action: string, resource: unknown][] {
  const all = (actions: readonly string[], resource: unknown) =>
    actions.map((action): [string, unknown] => [action, resource]);
  const read = readStream.map((action) => `dynamodb:${action}`);
  return [
    ...all(["logs:CreateLogStream", "logs:PutLogEvents"], log(name)),
    ...all(row.table, imported(/GetAttTable[0-9A-F]{8}Arn/)),
    ...all(row.key, imported(/GetAttKey[0-9A-F]{8}Arn/)),
    ...all(row.importKeys, importKeyArn),
    ...all(row.mac, arnOf(only(templates.api, "AWS::KMS::Key").id)),
    ...all(row.opensWallets ? networkInterfaces : [], "*"),
    ...row.connections
      .toSorted()
      .map((action): [string, unknown] => ["execute-api:ManageConnections", connections(action)]),
    ...row.invokes.map((other): [string, unknown] => [
      "lambda:InvokeFunction",
      arnOf(logicalIdOf(templates.api, other)),
    ]),
    ...(planGrants[name] ?? []).map(([method, resource]): [string, unknown] => [
      `apigateway:${method}`,
      resource,
    ]),
    ...all(row.kind === "changes" ? read : [], imported(/GetAttTable[0-9A-F]{8}StreamArn/)),
    ...all(
      row.kind === "changes" ? ["sqs:SendMessage"] : [],
      arnOf(only(templates.api, "AWS::SQS::Queue").id),
    ),
  ];
}

const isOfPlans = (resource: string) =>
  /:apigateway:.*"::\/(apikeys|usageplans)\/\*/.test(resource) ||
  resource === JSON.stringify(newTags("apikeys")) ||
  resource === JSON.stringify(newTags("usageplans"));

const isOfInterfaces = (actions: readonly string[]) =>
  actions.every((action) => networkInterfaces.includes(action));

/** Whether the statements allow data keys for an encryption context. */
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

const grantsOf = (statements: readonly Statement[]) =>
  statements
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((resource) => [action, resource])),
    );

describe("the permissions", () => {
  it.each(rows)(
    "allow %s what its row lists on the resources that it names, and its own log",
    (name, row) => {
      const textOf = (grant: unknown[]) => `${grant[0]} ${JSON.stringify(grant[1])}`;
      const byAction = (a: unknown[], b: unknown[]) => textOf(a).localeCompare(textOf(b));
      expect(grantsOf(statementsOf(name)).sort(byAction)).toEqual(expectedOf(name, row).sort(byAction));
    },
  );

  it("are separate for each function", () => {
    expect(new Set(rows.map(([name]) => roleOf(name))).size).toBe(rows.length);
  });

  it("do not let a GET write", () => {
    const reading = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "kms:GetPublicKey"];
    const readers = operationsOf("rest").filter(([, { method }]) => method === "GET");
    expect(readers.length).toBeGreaterThan(0);
    for (const [name] of readers)
      for (const action of actionsOf(name).filter((action) => !action.startsWith("logs:")))
        expect(reading).toContain(action);
  });

  it("let storeWallet make data keys for exactly one wallet, and let signTransaction and sealExport alone decrypt", () => {
    const wallet = { userID: "u", walletID: "w", network: "eth", address: "0x1" };
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
    const decrypters = rows.filter(([name]) => actionsOf(name).includes("kms:Decrypt"));
    expect(decrypters.map(([name]) => name)).toEqual(["sealExport", "signTransaction"]);
    expect(everything.flatMap(({ Action }) => Action)).not.toContain("kms:CreateGrant");
  });

  it("allow rewrapping data keys under the same key only", () => {
    const rewrapping = allStatements(templates.data).filter(({ Action }) =>
      Action.includes("kms:ReEncryptFrom"),
    );
    expect(rewrapping.map(({ Condition }) => Condition)).toEqual([
      { Bool: { "kms:ReEncryptOnSameKey": "true" } },
    ]);
  });

  it("let functions create keys and plans with the tag only, and change and delete only those that have it", () => {
    const tagOf: Record<string, string | undefined> = {
      [JSON.stringify(["POST", controlPlane("apikeys")])]: "aws:RequestTag/plan-prefix",
      [JSON.stringify(["POST", controlPlane("usageplans")])]: "aws:RequestTag/plan-prefix",
      [JSON.stringify(["DELETE", controlPlane("apikeys/*")])]: "aws:ResourceTag/plan-prefix",
      [JSON.stringify(["DELETE", controlPlane("usageplans/*")])]: "aws:ResourceTag/plan-prefix",
      [JSON.stringify(["PATCH", controlPlane("usageplans/*")])]: "aws:ResourceTag/plan-prefix",
    };
    for (const name of Object.keys(planGrants))
      for (const { Action, Resource, Condition } of statementsOf(name))
        for (const action of Action.filter((each) => each.startsWith("apigateway:")))
          for (const resource of Resource) {
            const tag = tagOf[JSON.stringify([action.replace("apigateway:", ""), resource])];
            expect(Condition).toEqual(tag && { StringEquals: { [tag]: "TerminalApi/user/" } });
          }
  });

  it("have no wildcard in actions, and in resources only for connections, keys, plans and network interfaces", () => {
    for (const template of [templates.data, templates.api])
      for (const { Effect, Action } of allStatements(template))
        if (Effect === "Allow") expect(Action.join()).not.toContain("*");
    for (const [name] of rows)
      for (const { Action, Resource } of statementsOf(name).filter(({ Effect }) => Effect === "Allow"))
        for (const each of Resource.map((resource) => JSON.stringify(resource)))
          if (!ofConnections.includes(each) && !isOfPlans(each) && !isOfInterfaces(Action))
            expect(each).not.toContain("*");
  });

  it("let API Gateway invoke a function for its own route only, and a schedule its own function only", () => {
    const permissions = Object.values(
      resourcesOf<{ FunctionName: unknown; Principal: string; SourceArn: unknown }>(
        templates.api,
        "AWS::Lambda::Permission",
      ),
    ).map(({ Properties }) => Properties);
    const found = permissions.map(({ FunctionName, Principal, SourceArn }) => {
      const source = JSON.stringify(SourceArn);
      expect(source).not.toContain("test-invoke-stage");
      return [FunctionName, Principal, source];
    });
    const gateway = "apigateway.amazonaws.com";
    const ofMethod = ({ method, path }: RestMethod) =>
      expect.stringContaining(`"/${method}${path.replaceAll(/\{\w+\}/g, "*")}"`);
    const routes = rows.flatMap(([name, row]) => {
      const lambda = arnOf(logicalIdOf(templates.api, name));
      switch (row.kind) {
        case "authorizer":
          return [[lambda, gateway, expect.stringContaining('/authorizers/"')]];
        case "rest":
          return [[lambda, gateway, ofMethod(row)]];
        case "websocket":
          return [[lambda, gateway, expect.stringContaining(`"/stream/${row.route}"`)]];
        case "schedule":
          return [[lambda, "events.amazonaws.com", expect.stringContaining(`"${name}Schedule`)]];
        case "internal":
          return row.opensWallets
            ? [[lambda, "events.amazonaws.com", expect.stringContaining(`"${name}Ping`)]]
            : [];
        default:
          return [];
      }
    });
    expect(found).toHaveLength(routes.length);
    expect(found).toEqual(expect.arrayContaining(routes));
  });
});
