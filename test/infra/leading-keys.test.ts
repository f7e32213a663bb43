import type { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { type LeadingKeys, readAccess } from "cdk-local-runner/testing";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindingOf, openVault, seal } from "../../lib/aws/vault.ts";
import type { Network } from "../../lib/core/network.ts";
import { type OperationName, operations } from "../../lib/operations/operations.ts";
import type { EarnedFill } from "../../lib/rewards/earned-row.ts";
import { earnedKey } from "../../lib/rewards/item-keys.ts";
import type { PartitionName } from "../../lib/table/layout.ts";
import { queryRange, type Table } from "../../lib/table/table.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { write } from "../../lib/table/write.ts";
import { register } from "../../lib/users/register.ts";
import { addWallet } from "../../lib/wallets/add-wallet.ts";
import { endExport, exportWallet } from "../../lib/wallets/export/export-wallet.ts";
import { sealExport, withdrawExport } from "../../lib/wallets/export/seal-export.ts";
import { changePolicy } from "../../lib/wallets/loosen-guards.ts";
import { retireWallet } from "../../lib/wallets/retire-wallet.ts";
import { newWallet } from "../../lib/wallets/wallet.ts";
import { type Engine, engineStart, startTable } from "../support/dynamodb.ts";
import { gatedTable } from "../support/gated-table.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { newKey } from "../support/keys.ts";
import { openKms } from "../support/kms.ts";
import { exportKeyPair } from "../support/sealing.ts";
import { openDesk } from "../support/trading-desk.ts";
import { walletLimits } from "../support/wallets.ts";
import { functionsOf, logicalIdOf, only, synthesize, tradingContext } from "./synthesized.ts";

const contexts = {
  "each-part": tradingContext,
  "whole-request": { ...tradingContext, leadingKeys: "whole-request" },
};

let engine: Engine;
let chain: TestChain;

beforeAll(async () => {
  [engine, chain] = await Promise.all([startTable(), startTestChain()]);
}, engineStart);
afterAll(() => Promise.all([engine.stop(), chain.close()]));

const accesses = new Map<LeadingKeys, ReturnType<typeof readAccess>>();

function rolesOf(configured: LeadingKeys) {
  const { data, api } = synthesize(contexts[configured]);
  const access =
    accesses.get(configured) ??
    readAccess([
      { name: "TerminalData", template: data },
      { name: "TerminalApi", template: api },
    ]);
  accesses.set(configured, access);
  return { api, access, tableArn: access.arn(only(data, "AWS::DynamoDB::Table").id) };
}

/**
 * Reaches the table through each function's deployed role. IAM sees the keys either of each part of a transaction or of
 * the whole transaction.
 */
function deployed(configuredOf: (name: OperationName) => LeadingKeys, leadingKeys: LeadingKeys) {
  const denied = new Set<OperationName>();
  const tableOf = (name: OperationName): Table => {
    const { api, access, tableArn } = rolesOf(configuredOf(name));
    const { TRANSACTION_PARTITIONS = "" } = functionsOf({ api })[name]?.Environment?.Variables ?? {};
    const named = String(TRANSACTION_PARTITIONS);
    return gatedTable(
      engine,
      engine.table,
      {
        name: access.ref(logicalIdOf(api, name)),
        access,
        tableArn,
        transactionPartitions: named === "" ? undefined : (named.split(",") as PartitionName[]),
      },
      { leadingKeys, onDenial: () => denied.add(name) },
    );
  };
  return { tableOf, denied };
}

type Deployed = ReturnType<typeof deployed>;

const { kms, config } = openKms();
const vault = openVault(kms.ensureKey("wallets").arn, config);
const delaySeconds = 3600;
const start = new Date("2026-11-22T10:00:00.000Z");
const after = new Date("2026-11-22T11:00:00.000Z");
let users = 0;

async function holder({ tableOf }: Deployed) {
  const userID = `holder-${users++}`;
  await register(tableOf("authorize"), { userID, names: [], ref: undefined }, start);
  const made = newKey("eth");
  const wallet = newWallet("imported", {
    userID,
    network: made.network as Network,
    address: made.address,
    now: start,
  });
  const sealing = () => seal(vault, made.secret, bindingOf(wallet));
  await addWallet(tableOf("storeWallet"), { wallet, seal: sealing, limits: walletLimits, now: start });
  return { userID, walletId: wallet._id };
}

const raise = (error: unknown) => {
  throw error;
};

/** Each use case returns only after its effect is complete. */
const journeys = {
  async "buys, and cancels an order"({ tableOf }: Deployed) {
    const desk = await openDesk(engine.table, chain, { tableOf });
    const { orderId: bought } = await desk.place({ amount: "0.5" });
    await desk.watchAndWork();
    await desk.settle();
    expect(await desk.read(bought)).toMatchObject({ order: { status: "filled" } });
    const earned = { PK: earnedKey(desk.userID, "", "").PK, from: "0", to: "9" };
    const rows = await queryRange<EarnedFill>(engine.table, earned);
    expect(rows.filter(({ orderId }) => orderId === bought)).toMatchObject([
      { userID: desk.userID, side: "buy", coinUnits: String(5n * 10n ** 17n) },
    ]);
    const { orderId: cancelled } = await desk.place({ amount: "0.5" });
    await desk.cancel(cancelled);
    await desk.settle();
    expect(await desk.read(cancelled)).toMatchObject({ order: { status: "cancelled" } });
  },

  async "sets a policy, and retires the wallet"(by: Deployed) {
    const name = await holder(by);
    const asked = { tradingEnabled: true, maxPerOrder: "1", tokens: "any" } as const;
    const deps = { table: by.tableOf("loosenGuards") };
    await changePolicy(deps, { ...name, signedInAt: start, now: start, asked });
    const wake = async () => undefined;
    await retireWallet(
      { table: by.tableOf("retireWallet"), limits: walletLimits, wake, endResting: wake },
      { ...name, now: start },
    );
  },

  async "exports a wallet, and ends the export"(by: Deployed) {
    const name = await holder(by);
    const { jwk: publicKey, open } = await exportKeyPair();
    const sealer = { table: by.tableOf("sealExport"), vault, delaySeconds, onExport: () => {} };
    const ask = (now: Date) => {
      const deps = {
        table: by.tableOf("exportWallet"),
        delaySeconds,
        seal: () => sealExport(sealer, name, now),
      };
      return exportWallet(deps, { ...name, publicKey, now });
    };
    expect(await ask(start)).toMatchObject({ status: "pending" });
    const ready = await ask(after);
    if (ready.status !== "ready") return expect.fail("it is not ready");
    expect(await open(ready, { network: "eth", ...name })).toHaveLength(32);
    const withdraw = () => withdrawExport(sealer.table, name, after);
    await endExport({ table: by.tableOf("cancelExport"), withdraw, onFault: raise }, { ...name, now: after });
  },
};

describe.each(Object.entries(journeys))("a user who %s", (_, journey) => {
  it("succeeds with the roles for whole-request, if policies see whole requests", async () => {
    const by = deployed(() => "whole-request", "whole-request");
    await journey(by);
    expect([...by.denied]).toEqual([]);
  });
});

/** Reaches the table as leadingKeys allows, and performs an action between the signer's reads and its transaction. */
function interrupted(by: Deployed, action: () => Promise<unknown>) {
  let isDone = false;
  const table = by.tableOf("signTransaction");
  const before = async (command: unknown) => {
    if (isDone || !("TransactItems" in (command as TransactWriteCommand).input)) return;
    isDone = true;
    await action();
  };
  const signer = { ...table, ...interceptedTable(table, before) };
  return (name: OperationName) => (name === "signTransaction" ? signer : by.tableOf(name));
}

describe("changes between the signer's reads and its transaction", () => {
  const by = () => deployed(() => "whole-request", "whole-request");

  it("keeps an order from being signed once it is cancelled", async () => {
    let cancel = async (): Promise<unknown> => undefined;
    const desk = await openDesk(engine.table, chain, { tableOf: interrupted(by(), () => cancel()) });
    const { orderId } = await desk.place({ amount: "0.5" });
    cancel = () => desk.cancel(orderId);
    await desk.work();
    const { order, attempts } = await desk.read(orderId);
    expect(order).toMatchObject({ status: "cancelled" });
    expect(attempts).toEqual([]);
  });

  it("fills the order if the wallet is retired after the signer's reads", async () => {
    let retire = async (): Promise<unknown> => undefined;
    const desk = await openDesk(engine.table, chain, { tableOf: interrupted(by(), () => retire()) });
    const { orderId } = await desk.place({ amount: "0.5" });
    const key = walletKey(desk.userID, "eth", desk.wallet);
    const set = { retiredAt: start.toISOString() };
    retire = () => write(engine.table, { kind: "change", key, set });
    await desk.work();
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({ order: { status: "filled" } });
  });
});

describe("a role for each-part if policies see whole requests", () => {
  it.each<[OperationName, keyof typeof journeys]>([
    ["placeOrder", "buys, and cancels an order"],
    ["signTransaction", "buys, and cancels an order"],
    ["loosenGuards", "sets a policy, and retires the wallet"],
    ["exportWallet", "exports a wallet, and ends the export"],
    ["sealExport", "exports a wallet, and ends the export"],
  ])("denies only %s", async (name, title) => {
    const by = deployed((other) => (other === name ? "each-part" : "whole-request"), "whole-request");
    await expect(journeys[title](by)).rejects.toThrow("is not authorized to perform: dynamodb:PutItem");
    expect([...by.denied]).toEqual([name]);
  });
});

describe("a row", () => {
  it("lets a function read the partitions that it enforces, and lets only functions that decrypt keys enforce any", () => {
    for (const [name, { enforces, reads, opensWallets }] of Object.entries(operations)) {
      expect(reads, name).toEqual(expect.arrayContaining([...enforces]));
      expect(enforces.length === 0 || opensWallets, name).toBe(true);
    }
  });
});
