import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { snapshotOfEvm } from "../../../lib/chains/evm/looks/snapshot-of-host.ts";
import type { EvmReceipt, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import { RpcRefusal } from "../../../lib/chains/hosts/host-fault.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { coinUnitsFrom } from "../../../lib/orders/decimal-text.ts";
import type { Position } from "../../../lib/orders/execution.ts";
import { readListed } from "../../../lib/trading/items/listed-executions.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { deployOddToken } from "../../support/odd-tokens.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";

const db = tableForTests();
const { moon } = localAddresses;

let chain: TestChain;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(() => chain.restore());

const units = (text = "") => coinUnitsFrom("eth", text, "amount");

async function positionOf({ userID }: TradingDesk): Promise<Position | undefined> {
  const { executions } = await readListed(db.table, { userID, kind: "position" }, { filter: {}, limit: 9 });
  return executions[0] as Position | undefined;
}

const transferOf = (to: string, amount: bigint) =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`;

/** Sends another program's transaction, to be mined in the next block. */
async function send(from: string, to: string, data: string): Promise<void> {
  await chain.request("anvil_impersonateAccount", [from]);
  await chain.request("eth_sendTransaction", [{ from, to, data, gas: "0x30d40" }]);
}

describe("an order for a token with odd events", () => {
  it.each([
    "logs no transfers",
    "logs each transfer twice",
    "logs transfers with nothing indexed",
    "logs transfers with the amount indexed",
  ] as const)("takes amounts from the wallet's balance if the token %s", async (oddity) => {
    const token = await deployOddToken(chain, oddity);
    const desk = await openDesk(db.table, chain);
    const { orderId } = await desk.place({ token, amount: "0.1" });
    await desk.work();
    await desk.settle();
    const held = await desk.held(token);
    expect(held).toBeGreaterThan(0n);
    const bought = await desk.read(orderId);
    expect(bought).toMatchObject({
      order: { status: "filled", settled: true },
      report: { slippage: 0, flags: ["ODD_EVENTS"] },
    });
    expect(bought.report).not.toHaveProperty("unchecked");
    expect(units(bought.order.receivedAmount)).toBe(held);
    const position = await positionOf(desk);
    expect(position).toMatchObject({ status: "open", cost: "0.1", settled: true });
    expect(units(position?.amount)).toBe(held);

    const { orderId: sale } = await desk.place({ token, side: "sell", percent: 100 });
    await desk.work();
    await desk.settle();
    const { order, report } = await desk.read(sale);
    expect(order).toMatchObject({ status: "filled", filledAmount: order.amount });
    expect(report).toMatchObject({ approvalLeft: "0", flags: ["ODD_EVENTS"] });
    expect(units(order.amount)).toBe(held);
    const closed = await positionOf(desk);
    const pnl = units(order.receivedAmount) - units("0.1");
    expect(closed).toMatchObject({
      status: "closed",
      amount: "0",
      realizedPnl: `-${closed?.realizedPnl.slice(1)}`,
    });
    expect(-units(closed?.realizedPnl.slice(1))).toBe(pnl);
  });
});

describe("a fill", () => {
  it("counts and flags tokens that a stranger sends to the wallet in the order's block", async () => {
    const desk = await openDesk(db.table, chain);
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    await send(deployer, moon, transferOf(desk.wallet, 7n * 10n ** 18n));
    await desk.settle();
    const { order, report } = await desk.read(orderId);
    expect(units(order.receivedAmount)).toBe(await desk.held());
    expect(report).toMatchObject({ flags: ["ODD_EVENTS"] });
  });

  it("excludes tokens that another program's transaction moves in the same block", async () => {
    const desk = await openDesk(db.table, chain);
    const { order: first } = await bought(desk);
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    // The transfer uses the next nonce, so that it lands in the same block.
    await send(desk.wallet, moon, transferOf(deployer, 3n * 10n ** 18n));
    await desk.settle();
    const { order, report } = await desk.read(orderId);
    expect(order).toMatchObject({ status: "filled" });
    expect(units(first.receivedAmount) + units(order.receivedAmount)).toBe(
      (await desk.held()) + 3n * 10n ** 18n,
    );
    expect(report).not.toHaveProperty("flags");
    expect(report).not.toHaveProperty("unchecked");
  });

  it.each([
    [
      "does not keep the state",
      { code: -32000, message: "missing trie node 12 (path ) state is not available" },
    ],
    ["sells access to the state", { code: -32602, message: "Archive requests need another plan" }],
  ])("trusts the token's events and marks the order as unchecked if a host %s", async (_, refusal) => {
    const desk = await openDesk(db.table, chain, { see: withoutBalances(refusal) });
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    // A refusal counts only after some time.
    await chain.mine();
    await chain.request("anvil_mine", ["0x10", "0x2"]);
    await desk.settle();
    const { order, report } = await desk.read(orderId);
    expect(order).toMatchObject({ settled: true });
    expect(units(order.receivedAmount)).toBe(await desk.held());
    expect(report).toMatchObject({ unchecked: true });
    expect(report).not.toHaveProperty("flags");
  });

  it("settles an order only after the hosts agree about its balances", async () => {
    let isLying = true;
    const hosts: RpcHost[] = [];
    const desk = await openDesk(db.table, chain, {
      async see(host, reader, question) {
        if (!hosts.includes(host)) hosts.push(host);
        const seen = await snapshotOfEvm(host, reader, question);
        return isLying && host === hosts[0] ? seen && withMoved(seen, 1n) : seen;
      },
    });
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    await chain.mine();
    await desk.work();
    // Only the first host supplies the amount until both must agree.
    expect(await desk.read(orderId)).toMatchObject({
      order: { status: "filled", settled: false, receivedAmount: "0.000000000000000001" },
      report: { flags: ["ODD_EVENTS"] },
    });
    await chain.mine(12);
    await desk.work();
    expect(await desk.read(orderId)).toMatchObject({ order: { settled: false } });
    isLying = false;
    await desk.work();
    const { order, report } = await desk.read(orderId);
    expect(order).toMatchObject({ settled: true });
    expect(units(order.receivedAmount)).toBe(await desk.held());
    expect(report).not.toHaveProperty("flags");
  });

  it("queries each host only once for balances", async () => {
    const asked: string[] = [];
    const desk = await openDesk(db.table, chain, {
      see: (host, reader, question) =>
        snapshotOfEvm(
          {
            async request(calls, signal) {
              asked.push(calls.map(({ method }) => method).join());
              return host.request(calls, signal);
            },
          },
          reader,
          question,
        ),
    });
    await bought(desk);
    const looks = "eth_call,eth_getTransactionCount,eth_call,eth_getTransactionCount";
    expect(asked.filter((methods) => methods === looks)).toHaveLength(2);
  });
});

async function bought(desk: TradingDesk) {
  const { orderId } = await desk.place({ amount: "0.5" });
  await desk.work();
  await desk.settle();
  return desk.read(orderId);
}

const withMoved = (snapshot: EvmSnapshot, moved: bigint): EvmSnapshot => ({
  ...snapshot,
  receipts: new Map(
    [...snapshot.receipts].map(([hash, receipt]): [string, EvmReceipt] => [
      hash,
      receipt.status === "ok" ? { ...receipt, moved } : receipt,
    ]),
  ),
});

/** Makes the second host refuse queries about earlier blocks, with the block's number in each refusal. */
function withoutBalances(refusal: { code: number; message: string }): typeof snapshotOfEvm {
  const hosts: RpcHost[] = [];
  return (host, reader, question) => {
    if (!hosts.includes(host)) hosts.push(host);
    const pruned: RpcHost = {
      async request(calls, signal) {
        const numbers = new Set(
          calls.flatMap(({ method, params }) => (method === "eth_getTransactionCount" ? [params[1]] : [])),
        );
        if (numbers.size === 2 && !numbers.has("pending")) throw new RpcRefusal("eth_call", refusal);
        return host.request(calls, signal);
      },
    };
    return snapshotOfEvm(host === hosts[1] ? pruned : host, reader, question);
  };
}
