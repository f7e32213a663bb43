import { readAccess } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { networks } from "../../lib/core/network.ts";
import { type OperationName, operations, servedMethods } from "../../lib/operations/operations.ts";
import { allStatements, statementsOfRole } from "./statements.ts";
import {
  functionsOf,
  logicalIdOf,
  ownHosts,
  propertiesOf,
  resourcesOf,
  synthesize,
  walletKeyOf,
} from "./synthesized.ts";

const exporting = { walletExport: true };
const alone = synthesize(exporting);
const both = synthesize({ ...exporting, trading: ["eth"], chains: ownHosts });

const names = Object.keys(operations) as OperationName[];

function accessIn({ data, api }: Pick<typeof both, "data" | "api">) {
  const access = readAccess([
    { name: "TerminalData", template: data },
    { name: "TerminalApi", template: api },
  ]);
  const key = access.arn(walletKeyOf({ data }).id);
  const table = access.arn(Object.keys(resourcesOf(data, "AWS::DynamoDB::Table"))[0] ?? "");
  const deployed = names.filter((name) => name in functionsOf({ api }));
  const ask = (name: string, action: string, resource: string, values: Record<string, readonly string[]>) =>
    access.denial(access.ref(logicalIdOf(api, name)), { action, resource, values });
  const open = (name: string, network: string) => {
    const context = { userID: "u", walletId: "w", network, address: "0x1" };
    return ask(name, "kms:Decrypt", key, {
      "kms:EncryptionContextKeys": Object.keys(context),
      ...Object.fromEntries(
        Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]),
      ),
    });
  };
  const isWriter = (name: string, partition: string) =>
    ["PutItem", "UpdateItem", "DeleteItem"].some(
      (action) =>
        ask(name, `dynamodb:${action}`, table, { "dynamodb:LeadingKeys": [partition] }) === undefined,
    );
  const puts = (name: string, partition: string, ...attributes: string[]) =>
    ask(name, "dynamodb:PutItem", table, {
      "dynamodb:LeadingKeys": [partition],
      "dynamodb:Attributes": ["PK", "SK", "userID", ...attributes],
    }) === undefined;
  return {
    puts,
    openers: (network: string) => deployed.filter((name) => open(name, network) === undefined),
    writers: (partition: string) => deployed.filter((name) => isWriter(name, partition)),
  };
}

const methodsServedBy = (template: typeof both.api, name: string) =>
  Object.values(resourcesOf<{ Integration: { Uri?: unknown } }>(template, "AWS::ApiGateway::Method")).filter(
    ({ Properties }) => JSON.stringify(Properties.Integration.Uri ?? "").includes(`"${name}Function`),
  );

describe("a deployment with exports and without trading", () => {
  it("lets only sealExport decrypt keys, on all networks and inside the VPC", () => {
    const { openers } = accessIn(alone);
    for (const network of networks) expect(openers(network)).toEqual(["sealExport"]);
    const inside = Object.entries(functionsOf(alone)).filter(([, { VpcConfig }]) => VpcConfig);
    expect(inside.map(([name]) => name)).toEqual(["sealExport"]);
  });

  it("has no key of orders, and no function of trading", () => {
    expect(propertiesOf(alone.api, "AWS::KMS::Key")).toEqual([]);
    expect(JSON.stringify(alone.api)).not.toMatch(/GenerateMac|VerifyMac|signTransaction/);
  });

  it("closes the data that sealExport trusts to all other functions", () => {
    const { writers } = accessIn(alone);
    expect(writers("EXPORT#u")).toEqual(["exportWallet", "cancelExport"]);
    expect(writers("LOCK#u")).toEqual(["lockExports"]);
    expect(writers("UNLOCK#u")).toEqual(["unlockExports"]);
    expect(writers("EXPORTED#u")).toEqual(["sealExport"]);
    // Existing events must not be replaced either.
    for (const partition of ["USER#u", "WALLETS#u", "WALLETLOG#u"])
      for (const name of ["exportWallet", "cancelExport"]) expect(writers(partition)).not.toContain(name);
    for (const partition of ["USER#u", "WALLETS#u"]) expect(writers(partition)).not.toContain("sealExport");
  });
});

describe("lockExports", () => {
  it.each(["each-part", "whole-request"])("never lets a lock expire, with leadingKeys %s", (leadingKeys) => {
    const { puts } = accessIn(synthesize({ ...exporting, leadingKeys }));
    expect(puts("lockExports", "LOCK#u", "lockId", "lockedAt")).toBe(true);
    expect(puts("lockExports", "LOCK#u", "lockId", "lockedAt", "expiresAt")).toBe(false);
    expect(puts("exportWallet", "EXPORT#u", "expiresAt")).toBe(true);
  });
});

describe("a deployment with exports and trading", () => {
  it("puts both functions into the same VPC, each with its own policy statement", () => {
    const { openers } = accessIn(both);
    expect(openers("eth").sort()).toEqual(["sealExport", "signTransaction"]);
    expect(openers("sol")).toEqual(["sealExport"]);
    expect(propertiesOf(both.api, "AWS::EC2::VPC")).toHaveLength(1);
    const inside = Object.entries(functionsOf(both)).filter(([, { VpcConfig }]) => VpcConfig);
    expect(inside.map(([name]) => name).sort()).toEqual(["sealExport", "signTransaction"]);
    const sids = walletKeyOf(both).Properties.KeyPolicy.Statement.map(({ Sid }) => Sid);
    expect(sids.filter((sid) => sid.startsWith("OpenWallets")).sort()).toEqual([
      "OpenWalletsBysealExport",
      "OpenWalletsBysignTransaction",
    ]);
  });

  it("lets signTransaction and sealExport make the calls that they need through the endpoints", () => {
    const policies = propertiesOf<{
      PolicyDocument: { Statement: { Action: unknown; Condition: object }[] };
    }>(both.api, "AWS::EC2::VPCEndpoint").flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const of = (name: string) =>
      policies
        .filter(({ Condition }) => JSON.stringify(Condition).includes(`-${name}"`))
        .flatMap(({ Action }) => Action);
    expect(of("sealExport").sort()).toEqual(["kms:Decrypt", ...operations.sealExport.table].sort());
    expect(of("signTransaction")).toContain("kms:VerifyMac");
  });
});

describe("a deployment without exports", () => {
  const off = synthesize();

  it("has no function, right or name related to exports, except for the function that refuses them", () => {
    expect(JSON.stringify(synthesize({ trading: ["eth"], chains: ownHosts }).data)).not.toContain(
      "sealExport",
    );
    const ofExport = names.filter((name) => operations[name].deployed === "with export");
    const doors = ["exportWallet", "cancelExport", "lockExports", "unlockExports", "getExportLock"];
    expect(ofExport).toEqual([...doors, "sealExport"]);
    for (const name of ofExport) expect(functionsOf(off)).not.toHaveProperty(name);
    expect(
      [...allStatements(off.data), ...allStatements(off.api)].flatMap(({ Action }) => Action),
    ).not.toContain("kms:Decrypt");
  });

  it("refuses exports with a function that may only write its own log", () => {
    const missing = servedMethods.filter(({ name }) => operations[name].deployed === "with export");
    expect(methodsServedBy(off.api, "refuseExport")).toHaveLength(missing.length);
    expect(methodsServedBy(alone.api, "refuseExport")).toEqual([]);
    const role = functionsOf(off).refuseExport?.Role["Fn::GetAtt"][0] ?? "";
    expect(statementsOfRole(off.api, role).flatMap(({ Action }) => Action)).toEqual([
      "logs:CreateLogStream",
      "logs:PutLogEvents",
    ]);
  });
});

describe("the event bus of the operators", () => {
  const noticeBusArn = "arn:aws:events:eu-west-1:111111111111:event-bus/notices";
  const onBus = (context: object) =>
    allStatements(synthesize({ ...exporting, ...context }).api).filter(({ Action }) =>
      Action.includes("events:PutEvents"),
    );

  it("accepts notices from publishChanges only, if there is a bus", () => {
    expect(onBus({})).toEqual([]);
    expect(onBus({ noticeBusArn })).toEqual([
      { Action: ["events:PutEvents"], Effect: "Allow", Resource: [noticeBusArn] },
    ]);
  });
});
