import { readAccess } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import { retiredKeyKey, userKeyRecordKey } from "../../lib/plans/item-keys.ts";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import { connectionKey, subscriberKey } from "../../lib/realtime/item-keys.ts";
import { catalogueKey, pointsLineKey, stockKey } from "../../lib/rewards/item-keys.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import {
  bookKey,
  executionKey,
  listedExecutionKey,
  tradeKey,
  usedKeyKey,
  watcherKey,
} from "../../lib/trading/items/keys.ts";
import { pendingReferralKey, profileKey, referralCodeKey, settingsKey } from "../../lib/users/item-keys.ts";
import {
  functionsOf,
  logicalIdOf,
  only,
  resourcesOf,
  synthesize,
  tradingContext,
  walletKeyOf,
} from "./synthesized.ts";

type Stacks = Pick<ReturnType<typeof synthesize>, "data" | "api">;
type RoleProperties = { Policies: { PolicyName: string; PolicyDocument?: object }[] };

const stacks = synthesize(tradingContext);
const names = Object.keys(operations);

/** Decides calls like AWS would, by the policies of roles, keys and endpoints in these stacks. */
function accessIn({ data, api }: Stacks) {
  const access = readAccess([
    { name: "TerminalData", template: data },
    { name: "TerminalApi", template: api },
  ]);
  const resources = {
    table: access.arn(only(data, "AWS::DynamoDB::Table").id),
    key: access.arn(walletKeyOf({ data }).id),
    macKey: access.arn(only(api, "AWS::KMS::Key").id),
  };
  const denial = (
    name: string,
    action: string,
    resource: string,
    values: Record<string, readonly string[]> = {},
  ) => access.denial(access.ref(logicalIdOf(api, name)), { action, resource, values });
  return {
    open: (name: string, context: Record<string, string> = wallet, action = "kms:Decrypt") =>
      denial(name, action, resources.key, {
        "kms:EncryptionContextKeys": Object.keys(context),
        ...Object.fromEntries(
          Object.entries(context).map(([key, value]) => [`kms:EncryptionContext:${key}`, [value]]),
        ),
      }),
    mac: (name: string, action: string) => denial(name, action, resources.macKey),
    ask: (name: string, action: string, partitions: readonly string[] = [], table = resources.table) =>
      denial(name, `dynamodb:${action}`, table, { "dynamodb:LeadingKeys": partitions }),
  };
}

const wallet = { userID: "u", walletId: "w", network: "eth", address: "0x1" };
const { open, mac, ask } = accessIn(stacks);

/** Returns stacks with edited functions and additional policies of roles. */
function changed(edit: (of: (name: string) => { lambda: object; role: RoleProperties }) => void): Stacks {
  const { data, api } = structuredClone(stacks);
  edit((name) => {
    const lambda = functionsOf({ api })[name];
    const role = resourcesOf<RoleProperties>(api, "AWS::IAM::Role")[lambda?.Role["Fn::GetAtt"][0] ?? ""];
    if (lambda === undefined || role === undefined) throw new Error(`There is no function ${name}`);
    return { lambda, role: role.Properties };
  });
  return { data, api };
}

/** Simulates a deployment that gave executeOrders the policies and the network of signTransaction. */
const impostor = changed((of) => {
  const [signer, executor] = [of("signTransaction"), of("executeOrders")];
  executor.role.Policies.push(...signer.role.Policies.filter(({ PolicyName }) => PolicyName !== "Table"));
  Object.assign(executor.lambda, { VpcConfig: functionsOf(stacks).signTransaction?.VpcConfig });
});

const allOfDynamoDb = {
  PolicyName: "All",
  PolicyDocument: { Statement: [{ Effect: "Allow", Action: "dynamodb:*", Resource: "*" }] },
};

describe("the key of wallets", () => {
  it("lets the signer open one wallet at a time, on networks that trade", () => {
    expect(open("signTransaction")).toBeUndefined();
    const { userID: _, ...unbound } = wallet;
    for (const context of [{ ...wallet, network: "sol" }, { ...wallet, another: "x" }, unbound, {}])
      expect(open("signTransaction", context)).toMatch(/is not authorized to perform: kms:Decrypt /);
    for (const action of ["kms:Encrypt", "kms:GenerateDataKey", "kms:CreateGrant", "kms:ReEncryptFrom"])
      expect(open("signTransaction", wallet, action)).toBeDefined();
  });

  it("lets only sealExport open wallets besides the signer", () => {
    expect(names.filter((name) => open(name) === undefined)).toEqual(["sealExport", "signTransaction"]);
    expect(accessIn(impostor).open("executeOrders")).toMatch(/no VPC endpoint policy/);
    const outside = changed((of) => {
      of("executeOrders").role.Policies.push(...of("signTransaction").role.Policies);
    });
    expect(accessIn(outside).open("executeOrders")).toMatch(/no resource-based policy/);
  });

  it("does not let the signer open wallets outside the VPC, unless there is none", () => {
    const outside = changed((of) => Object.assign(of("signTransaction").lambda, { VpcConfig: undefined }));
    expect(accessIn(outside).open("signTransaction")).toMatch(/no identity-based policy/);
    const withoutWalls = accessIn(synthesize({ ...tradingContext, signerVpc: false }));
    expect(names.filter((name) => withoutWalls.open(name) === undefined)).toEqual([
      "sealExport",
      "signTransaction",
    ]);
  });
});

describe("the key of orders", () => {
  const users = (action: string) => names.filter((name) => mac(name, action) === undefined);

  it("lets only the placer create codes, and only the signer verify them", () => {
    expect(users("kms:VerifyMac")).toEqual(["signTransaction"]);
    expect(users("kms:GenerateMac")).toEqual(["placeOrder"]);
    const { mac: ofImpostor } = accessIn(impostor);
    expect(ofImpostor("executeOrders", "kms:VerifyMac")).toMatch(/no VPC endpoint policy/);
  });

  it("names both roles, so that another role with the same policy is refused", () => {
    const others = changed((of) => {
      for (const name of ["placeOrder", "signTransaction"])
        of("executeOrders").role.Policies.push(...of(name).role.Policies);
    });
    for (const action of ["kms:GenerateMac", "kms:VerifyMac"])
      expect(accessIn(others).mac("executeOrders", action)).toMatch(/no resource-based policy/);
  });

  it("does not let the signer verify codes outside the VPC", () => {
    const outside = changed((of) => Object.assign(of("signTransaction").lambda, { VpcConfig: undefined }));
    expect(accessIn(outside).mac("signTransaction", "kms:VerifyMac")).toMatch(/no identity-based policy/);
  });
});

const writes = ["PutItem", "UpdateItem", "DeleteItem"];
const writersOf = (partition: string, { ask: asks }: Pick<ReturnType<typeof accessIn>, "ask">) =>
  names.filter((name) => writes.some((action) => asks(name, action, [partition]) === undefined));

describe("the partitions that the signer trusts", () => {
  it.each([
    ["SIGNED#01KAMZ3Q5T9WJ2M4N6P8R0S1V3", ["signTransaction"]],
    ["CANCELLED#01KAMZ3Q5T9WJ2M4N6P8R0S1V3", ["cancelOrder"]],
    ["POLICY#u", ["setWalletPolicy"]],
    ["TRADING", []],
  ])("include %s, which only %j may write", (partition, owners) => {
    expect(writersOf(partition, { ask })).toEqual(owners);
    expect(writersOf("TRADES#u", { ask })).toContain("executeOrders");
  });

  it("stay closed to roles with all actions on the table, also in batches and in PartiQL", () => {
    const generous = accessIn(changed((of) => of("executeOrders").role.Policies.push(allOfDynamoDb)));
    const more = ["BatchWriteItem", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"];
    for (const action of [...writes, ...more]) {
      expect(generous.ask("executeOrders", action, ["TRADES#u"])).toBeUndefined();
      for (const partition of ["SIGNED#1", "CANCELLED#1", "POLICY#u", "TRADING", "USER#u"])
        expect(generous.ask("executeOrders", action, ["TRADES#u", partition])).toMatch(
          /with an explicit deny/,
        );
    }
  });

  it("are readable by the functions that work on orders", () => {
    expect(ask("executeOrders", "BatchGetItem", ["SIGNED#1", "TRADING"])).toBeUndefined();
    expect(ask("signTransaction", "BatchGetItem", ["CANCELLED#1", "TRADING", "USER#u"])).toBeUndefined();
  });
});

describe("the partition of a user", () => {
  const own = {
    profile: profileKey("u"),
    settings: settingsKey("u", "eth"),
    wallet: walletKey("u", "eth", "0x1"),
    connection: connectionKey("u", "c"),
    "API key's record": userKeyRecordKey("u"),
    "used key": usedKeyKey("u", "placeOrder", "k"),
  };
  const traded = {
    order: executionKey("u", "order", "o"),
    position: executionKey("u", "position", "p"),
    "order in lists": listedExecutionKey("u", "order", new Date(0), "o"),
    "position in lists": listedExecutionKey("u", "position", new Date(0), "p"),
    trade: tradeKey("u", "o"),
    book: bookKey({ userID: "u", chain: "eth", wallet: "0x1", token: "0x2" }),
  };
  const traders = ["executeOrders", "cancelOrder", "watchReceipts", "sweepLanes", "recordExecutions"];

  it.each(Object.entries(own))("closes a %s to functions that write orders", (_, { PK }) => {
    const writers = writersOf(PK, { ask });
    expect(writers.filter((name) => traders.includes(name))).toEqual([]);
    expect(writers).toContain("placeOrder");
    for (const action of writes)
      expect(ask("executeOrders", action, [PK])).toMatch(/with an explicit deny in an identity-based policy/);
    expect(ask("executeOrders", "BatchGetItem", [PK])).toBeUndefined();
  });

  it.each(Object.entries(traded))("does not contain %s, which executeOrders may write", (_, { PK }) => {
    for (const action of writes) expect(ask("executeOrders", action, [PK])).toBeUndefined();
  });
});

describe("data outside trading", () => {
  const foreign = {
    prices: pricesKey,
    rewards: catalogueKey,
    stock: stockKey("mug"),
    points: pointsLineKey("u", 1),
    subscribers: subscriberKey("prices", 0, "c"),
    "pending referrals": pendingReferralKey("2026-11-22", "u"),
    "referral codes": referralCodeKey("CODE"),
    "retired API keys": retiredKeyKey(new Date(0), "key"),
    "items of a kind that does not exist yet": { PK: "NEW#1" },
  };
  const traders = ["placeOrder", "cancelOrder", "executeOrders", "signTransaction", "watchReceipts"];

  it.each(Object.entries(foreign))("is closed to functions of trading: %s", (_, { PK }) => {
    const writers = writersOf(PK, { ask });
    expect(writers.filter((name) => [...traders, "recordExecutions"].includes(name))).toEqual([]);
    expect(writers).toContain("feedPrices");
    expect(ask("executeOrders", "PutItem", ["TRADES#u", PK])).toMatch(/with an explicit deny/);
  });

  it("includes orders for the function that watches chains, which writes the chains it watches", () => {
    expect(writersOf(watcherKey("eth").PK, { ask })).toContain("watchReceipts");
    for (const partition of ["TRADES#u", "LANE#eth#0x1", "LANES#eth#0"])
      expect(writersOf(partition, { ask })).not.toContain("watchReceipts");
  });
});

describe("DynamoDB's endpoint in the VPC", () => {
  it("admits only the signer, with the actions of its row, on this table", () => {
    expect(ask("signTransaction", "PutItem", ["SIGNED#1"])).toBeUndefined();
    const generous = accessIn(changed((of) => of("signTransaction").role.Policies.push(allOfDynamoDb)));
    expect(generous.ask("signTransaction", "Scan")).toMatch(/no VPC endpoint policy/);
    expect(generous.ask("signTransaction", "PutItem", ["A"], "arn:aws:dynamodb:us-east-1:1:table/x")).toMatch(
      /no VPC endpoint policy/,
    );
    expect(accessIn(impostor).ask("executeOrders", "PutItem", ["TRADES#u"])).toMatch(
      /no VPC endpoint policy/,
    );
  });
});
