import { readAccess } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { type Key, protectedPartitions } from "../../lib/table/keys.ts";
import {
  type PartitionLayout,
  type PartitionName,
  partitionNameOf,
  partitions,
} from "../../lib/table/layout.ts";
import { sealedKeyKey, walletKey } from "../../lib/table/wallet-keys.ts";
import { slotKey, tradeKey, usedKeyKey } from "../../lib/trading/items/keys.ts";
import { profileKey, settingsKey } from "../../lib/users/item-keys.ts";
import { walletEventKey } from "../../lib/wallets/item-keys.ts";
import {
  functionsOf,
  logicalIdOf,
  macKeyIdIn,
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

/** Decides whether a call is allowed, as AWS does, by the policies of roles, keys and endpoints in these stacks. */
function accessIn({ data, api }: Stacks) {
  const access = readAccess([
    { name: "TerminalData", template: data },
    { name: "TerminalApi", template: api },
  ]);
  const resources = {
    table: access.arn(only(data, "AWS::DynamoDB::Table").id),
    key: access.arn(walletKeyOf({ data }).id),
    macKey: access.arn(macKeyIdIn(data)),
    childMacKey: access.arn(macKeyIdIn(api)),
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
    childMac: (name: string, action: string) => denial(name, action, resources.childMacKey),
    ask: (name: string, action: string, partitions: readonly string[] = [], table = resources.table) =>
      denial(name, `dynamodb:${action}`, table, { "dynamodb:LeadingKeys": partitions }),
  };
}

const wallet = { userID: "u", walletId: "w", network: "eth", address: "0x1" };
const { open, mac, childMac, ask } = accessIn(stacks);

/** Returns stacks with edited functions and additional role policies. */
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

describe("the wallet key", () => {
  it("lets the signer decrypt the keys of one wallet at a time, on networks with trading", () => {
    expect(open("signTransaction")).toBeUndefined();
    const { userID: _, ...unbound } = wallet;
    for (const context of [{ ...wallet, network: "sol" }, { ...wallet, another: "x" }, unbound, {}])
      expect(open("signTransaction", context)).toMatch(/is not authorized to perform: kms:Decrypt /);
    for (const action of ["kms:Encrypt", "kms:GenerateDataKey", "kms:CreateGrant", "kms:ReEncryptFrom"])
      expect(open("signTransaction", wallet, action)).toBeDefined();
  });

  it("lets no function except sealExport and the signer decrypt wallets' keys", () => {
    expect(names.filter((name) => open(name) === undefined)).toEqual(["sealExport", "signTransaction"]);
    expect(accessIn(impostor).open("executeOrders")).toMatch(/no VPC endpoint policy/);
    const outside = changed((of) => {
      of("executeOrders").role.Policies.push(...of("signTransaction").role.Policies);
    });
    expect(accessIn(outside).open("executeOrders")).toMatch(/no resource-based policy/);
  });

  it("stops the signer from decrypting outside the VPC, if the deployment has one", () => {
    const outside = changed((of) => Object.assign(of("signTransaction").lambda, { VpcConfig: undefined }));
    expect(accessIn(outside).open("signTransaction")).toMatch(/no identity-based policy/);
    const withoutWalls = accessIn(synthesize({ ...tradingContext, signerVpc: false }));
    expect(names.filter((name) => withoutWalls.open(name) === undefined)).toEqual([
      "sealExport",
      "signTransaction",
    ]);
  });
});

describe("the key of children", () => {
  const users = (action: string) => names.filter((name) => childMac(name, action) === undefined);

  it("lets only fireOrders create MACs, and only the signer verify them, inside the VPC", () => {
    expect(users("kms:GenerateMac")).toEqual(["fireOrders"]);
    expect(users("kms:VerifyMac")).toEqual(["signTransaction"]);
    const outside = changed((of) => Object.assign(of("signTransaction").lambda, { VpcConfig: undefined }));
    expect(accessIn(outside).childMac("signTransaction", "kms:VerifyMac")).toMatch(
      /no identity-based policy/,
    );
  });
});

describe("the order key", () => {
  const users = (action: string) => names.filter((name) => mac(name, action) === undefined);

  it("lets only placeOrder create MACs, and only the signer verify them", () => {
    expect(users("kms:VerifyMac")).toEqual(["signTransaction"]);
    expect(users("kms:GenerateMac")).toEqual(["placeOrder"]);
    const { mac: ofImpostor } = accessIn(impostor);
    expect(ofImpostor("executeOrders", "kms:VerifyMac")).toMatch(/no VPC endpoint policy/);
  });

  it("names both roles in the key's policy, so that another role with the same permissions is refused", () => {
    const others = changed((of) => {
      for (const name of ["placeOrder", "signTransaction"])
        of("executeOrders").role.Policies.push(...of(name).role.Policies);
    });
    for (const action of ["kms:GenerateMac", "kms:VerifyMac"])
      expect(accessIn(others).mac("executeOrders", action)).toMatch(/no resource-based policy/);
  });

  it("stops the signer from verifying MACs outside the VPC", () => {
    const outside = changed((of) => Object.assign(of("signTransaction").lambda, { VpcConfig: undefined }));
    expect(accessIn(outside).mac("signTransaction", "kms:VerifyMac")).toMatch(/no identity-based policy/);
  });
});

const writes = ["PutItem", "UpdateItem", "DeleteItem"];
const reads = ["GetItem", "BatchGetItem", "Query", "ConditionCheckItem"];
const unlisted = ["BatchWriteItem", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"];
const deniedToRole = /with an explicit deny in an identity-based policy/;

/** A key in each partition, by name, and one in a partition that the layout does not have. */
const keys = Object.fromEntries([
  ...partitions.map(({ key }) => [partitionNameOf(key), key.replaceAll(/\{\w+\}/g, "x")]),
  ["NEW", "NEW#x"],
]) as Record<PartitionName, string>;

/** Partitions on which a function may carry out each action according to its row. */
function partitionsByRow({ kind, table, writes, deletes, reads: ofProtected }: Operation) {
  const readable = Object.keys(keys).filter(
    (name) =>
      (kind !== "notices" && !(protectedPartitions as readonly string[]).includes(name)) ||
      ofProtected.includes(name as never),
  );
  const partitionsOf = (action: string): readonly string[] => {
    if (!table.some((each) => each === `dynamodb:${action}`)) return [];
    if (action === "DeleteItem") return deletes;
    return reads.includes(action) ? readable : writes;
  };
  return byAction((action) => partitionsOf(action));
}

const byAction = (partitionsOf: (action: string) => readonly string[]) =>
  Object.fromEntries(
    [...writes, ...reads, ...unlisted, "Scan", "PartiQLSelect"].map((action) => [
      action,
      partitionsOf(action).toSorted(),
    ]),
  );

const writersOf = (partition: PartitionName) =>
  names.filter((name) => writes.some((action) => ask(name, action, [keys[partition]]) === undefined));

const writersOfWallets = [
  ...["storeWallet", "importWallet", "createWallet"],
  ...["retireWallet", "restoreWallet", "updateWallet"],
];
const usersOfKeys = ["placeOrder", "createWallet", "importWallet"];
const writersOfOrders = [
  ...["deleteKey", "placeOrder", "cancelOrder", "cancelOrders", "executeOrders", "fireOrders"],
  "recordExecutions",
];
const writersOfLanes = ["placeOrder", "executeOrders", "fireOrders", "signTransaction"];

describe("the partitions", () => {
  it.each(Object.entries<Operation>(operations))(
    "lets %s write and read only the partitions of its row",
    (name, row) => {
      const allowed = byAction((action) =>
        Object.entries(keys).flatMap(([partition, key]) =>
          ask(name, action, [key]) === undefined ? [partition] : [],
        ),
      );
      expect(allowed).toEqual(partitionsByRow(row));
    },
  );

  it("lists partitions only in rows that have the matching actions", () => {
    for (const [name, { table, writes: written, deletes }] of Object.entries<Operation>(operations)) {
      const isWriting = /(Put|Update|Delete)Item/.test(table.join());
      expect([name, written.length > 0]).toEqual([name, isWriting]);
      expect([name, deletes.length > 0]).toEqual([name, table.includes("dynamodb:DeleteItem")]);
      expect(written).toEqual(expect.arrayContaining([...deletes]));
    }
  });

  it("allows only certain functions to write to partitions that the signer and sealExport trust, and none to delete there", () => {
    const guarded: readonly PartitionLayout[] = partitions.filter((each) => "isGuarded" in each);
    const guardedNames = guarded.map(({ key }) => partitionNameOf(key));
    expect(Object.fromEntries(guardedNames.map((name) => [name, writersOf(name)]))).toEqual({
      PRESETS: ["setPreset"],
      POLICY: ["loosenGuards"],
      EXPORT: ["exportWallet", "cancelExport"],
      LOCK: ["lockExports"],
      PROGRAMKEYS: ["createKey", "deleteKey"],
      UNLOCK: ["unlockExports"],
      EXPORTED: ["sealExport"],
      SIGNED: ["signTransaction"],
      ENDED: ["executeOrders"],
      RESTING: ["deleteKey", "placeOrder", "cancelOrder", "cancelOrders", "fireOrders"],
      TRIGGERS: ["deleteKey", "placeOrder", "cancelOrder", "cancelOrders", "fireOrders"],
      CANCELLED: ["retireWallet", "deleteKey", "cancelOrder", "cancelOrders"],
      TRADING: [],
    });
    // Resting orders that end are deleted. The signer trusts only their proofs.
    const trusted: readonly PartitionName[] = guardedNames.filter(
      (name) => name !== "RESTING" && name !== "TRIGGERS",
    );
    for (const [, { deletes }] of Object.entries<Operation>(operations))
      expect(deletes.filter((name) => trusted.includes(name))).toEqual([]);
  });

  it("allows only certain functions to read secret partitions", () => {
    const secret: readonly PartitionLayout[] = partitions.filter((each) => "isSecret" in each);
    const readersOf = (name: PartitionName) =>
      names.filter((each) => reads.some((action) => ask(each, action, [keys[name]]) === undefined));
    const found = secret.map(({ key }) => [partitionNameOf(key), readersOf(partitionNameOf(key))]);
    expect(Object.fromEntries(found)).toEqual({
      SEALED: ["sealExport", "signTransaction"],
      BYTES: ["executeOrders"],
      DEVICES: ["createDevice", "listDevices", "deleteDevice", "notifyOwner"],
      DEVICEKEYS: ["notifyOwner"],
    });
  });

  it.each<[string, string, Key, string[]]>([
    ["a user's slippage", "UpdateItem", settingsKey("u", "eth"), ["updateTradingSettings"]],
    ["the address that a wallet shows", "UpdateItem", walletKey("u", "eth", "0x1"), writersOfWallets],
    ["the time when a wallet is removed", "UpdateItem", walletKey("u", "eth", "0x1"), writersOfWallets],
    ["the order that a repeated request names", "PutItem", usedKeyKey("u", "placeOrder", "k"), usersOfKeys],
    ["that a request was made", "DeleteItem", usedKeyKey("u", "placeOrder", "k"), []],
    ["that a wallet was exported", "DeleteItem", walletEventKey("u", "w", new Date(0), "e"), []],
    ["that a wallet exists", "DeleteItem", walletKey("u", "eth", "0x1"), []],
    ["the key of a wallet", "DeleteItem", sealedKeyKey("u", "eth", "0x1"), []],
    ["that a user exists", "DeleteItem", profileKey("u"), []],
    ["the terms of an order", "PutItem", tradeKey("u", "o"), writersOfOrders],
    ["the nonces of a wallet", "PutItem", slotKey({ chain: "eth", wallet: "0x1" }, 1), writersOfLanes],
  ])("lets only a few functions change %s (%s)", (_, action, { PK }, allowed) => {
    expect(names.filter((name) => ask(name, action, [PK]) === undefined)).toEqual(
      names.filter((name) => allowed.includes(name)),
    );
  });

  it("denies access to protected partitions even to roles with all actions on the table, including batches and PartiQL", () => {
    const generous = accessIn(changed((of) => of("executeOrders").role.Policies.push(allOfDynamoDb)));
    for (const action of [...writes, ...unlisted]) {
      expect(generous.ask("executeOrders", action, ["TRADES#u"])).toBeUndefined();
      for (const partition of ["SIGNED#1", "CANCELLED#1", "POLICY#u", "TRADING", "USER#u", "PRICES", "NEW#1"])
        expect(generous.ask("executeOrders", action, ["TRADES#u", partition])).toMatch(deniedToRole);
    }
    for (const action of [...reads, "PartiQLSelect"]) {
      expect(generous.ask("executeOrders", action, ["USER#u", "POLICY#u"])).toBeUndefined();
      expect(generous.ask("executeOrders", action, ["USER#u", "EXPORT#u"])).toMatch(deniedToRole);
    }
  });

  it("denies requests that name no partition", () => {
    const generous = accessIn(changed((of) => of("executeOrders").role.Policies.push(allOfDynamoDb)));
    for (const action of [...writes, ...unlisted, ...reads, "Scan", "PartiQLSelect"])
      expect(generous.ask("executeOrders", action)).toMatch(deniedToRole);
  });
});

describe("DynamoDB's endpoint in the VPC", () => {
  it("lets only the signer through, only with the actions in its row, and only to this table", () => {
    expect(ask("signTransaction", "PutItem", ["SIGNED#1"])).toBeUndefined();
    const generous = accessIn(changed((of) => of("signTransaction").role.Policies.push(allOfDynamoDb)));
    expect(generous.ask("signTransaction", "Query", ["SIGNED#1"])).toMatch(/no VPC endpoint policy/);
    expect(generous.ask("signTransaction", "PutItem", ["A"], "arn:aws:dynamodb:us-east-1:1:table/x")).toMatch(
      /no VPC endpoint policy/,
    );
    expect(accessIn(impostor).ask("executeOrders", "PutItem", ["TRADES#u"])).toMatch(
      /no VPC endpoint policy/,
    );
  });
});
