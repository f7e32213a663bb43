import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EvmClientOptions, evmClient } from "../../../../lib/chains/evm/calls/hosts.ts";
import { contractCall, gasPriceCall } from "../../../../lib/chains/evm/calls/rpc-call.ts";
import { ChainUnavailable, RpcRefusal } from "../../../../lib/chains/hosts/host-fault.ts";
import { attempt } from "../../../../lib/chains/hosts/rpc-call.ts";
import {
  answering,
  RpcFailure,
  type RpcServer,
  silent,
  startRpcServer,
} from "../../../support/json-rpc-server.ts";

const pool = `0x${"b2".repeat(20)}`;
const hashOf = (number: number, fork = 0) => `0x${(number * 16 + fork).toString(16).padStart(64, "0")}`;

let servers: RpcServer[];
let [first, second, third] = [] as unknown as [RpcServer, RpcServer, RpcServer];

beforeAll(async () => {
  servers = await Promise.all([startRpcServer(), startRpcServer(), startRpcServer()]);
  [first, second, third] = servers as [RpcServer, RpcServer, RpcServer];
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

type View = { head?: number; fork?: number; price?: (block: number) => unknown };

/** Makes a host answer from a chain that ends at the host's head and has a price for each block. */
function show(server: RpcServer, { head = 100, fork = 0, price = (block) => block }: View = {}) {
  server.misbehaviour = undefined;
  server.answers = {
    eth_chainId: "0x1",
    eth_gasPrice: "0x10",
    eth_getBlockByNumber(tag: string) {
      const number = tag === "latest" ? head : Number(tag);
      if (number > head) return null;
      const time = `0x${(number + 1).toString(16)}`;
      return { number: `0x${number.toString(16)}`, hash: hashOf(number, fork), timestamp: time };
    },
    eth_call(_: unknown, tag: string) {
      const value = price(Number(tag));
      return typeof value === "number" ? `0x${value.toString(16).padStart(4, "0")}` : value;
    },
  };
}

beforeEach(() => {
  for (const server of servers) {
    show(server);
    server.requests.length = 0;
  }
});

/** Gives hosts enough time to agree, even on a busy machine. */
const clientOf = (hosts: RpcServer[], options: Partial<EvmClientOptions> = {}) =>
  evmClient({
    chain: "eth",
    hosts: hosts.map(({ url }) => url),
    timeoutMs: 20_000,
    agreeMs: 40_000,
    ...options,
  });

/** Lets tests give up early if hosts never agree. */
const impatient = { agreeMs: 250 };

const priceAt = ({ number }: { number: number }) => [contractCall({ to: pool }, number)] as const;

const counts = () => servers.map(({ requests }) => requests.length);

describe("read", () => {
  it("queries only the first host while it answers", async () => {
    expect(await clientOf(servers).read([gasPriceCall()])).toEqual([16n]);
    expect(counts()).toEqual([1, 0, 0]);
  });

  it.each([
    ["answers garbage", () => Object.assign(first, { misbehaviour: answering("<html>") })],
    ["is of another chain", () => Object.assign(first.answers, { eth_chainId: "0x38" })],
    ["refuses", () => Object.assign(first.answers, { eth_gasPrice: new RpcFailure(-32005, "limit") })],
    ["does not know the method", () => Object.assign(first.answers, { eth_gasPrice: undefined })],
    ["has no such result yet", () => Object.assign(first.answers, { eth_gasPrice: null })],
  ])("queries the next host if one %s", async (_, spoil) => {
    spoil();
    expect(await clientOf(servers).read([gasPriceCall()])).toEqual([16n]);
    expect(counts()).toEqual([1, 1, 0]);
  });

  it("queries a failed host last until ten seconds have passed", async () => {
    let nowMs = 0;
    const client = clientOf(servers, { nowMs: () => nowMs });
    first.misbehaviour = answering("");
    await client.read([gasPriceCall()]);
    first.misbehaviour = undefined;
    nowMs = 9999;
    await client.read([gasPriceCall()]);
    expect(counts()).toEqual([1, 2, 0]);
    nowMs = 10_000;
    await client.read([gasPriceCall()]);
    expect(counts()).toEqual([2, 2, 0]);
  });

  it("fails after querying each host once if none answers", async () => {
    for (const server of servers) server.misbehaviour = answering("");
    const failed = clientOf(servers).read([gasPriceCall()]);
    await expect(failed).rejects.toThrow(new ChainUnavailable("No host of eth answers"));
    await expect(failed).rejects.toMatchObject({ cause: { code: "EMPTY" } });
    expect(counts()).toEqual([1, 1, 1]);
  });

  it("queries only one host about a call that fails on the chain", async () => {
    show(first, { price: () => new RpcFailure(3, "execution reverted") });
    await expect(clientOf(servers).read(priceAt({ number: 1 }))).rejects.toMatchObject({ kind: "call" });
    expect(counts()).toEqual([1, 0, 0]);
  });

  it("reports a method that no host supports", async () => {
    for (const server of servers) server.answers.eth_gasPrice = undefined;
    await expect(clientOf(servers).read([gasPriceCall()])).rejects.toMatchObject({ kind: "unsupported" });
  });
});

describe("agree", () => {
  it("returns two hosts' values at the newest block, without querying the third", async () => {
    const agreed = await clientOf(servers).agree(priceAt);
    expect(agreed).toEqual({ block: { number: 100, hash: hashOf(100), time: 101 }, values: ["0x0064"] });
    expect(counts()).toEqual([2, 2, 0]);
  });

  it("queries both hosts at the older block if one is a block behind", async () => {
    show(second, { head: 99 });
    expect(await clientOf([first, second]).agree(priceAt)).toMatchObject({
      block: { number: 99 },
      values: ["0x0063"],
    });
  });

  it("queries again until a host leaves its fork", async () => {
    show(second, { fork: 1 });
    const agreed = clientOf([first, second]).agree((block) => {
      show(second);
      return priceAt(block);
    });
    expect(await agreed).toMatchObject({ block: { hash: hashOf(100) } });
  });

  it.each<[string, View]>([
    ["quotes less", { price: () => 1 }],
    ["is on a fork", { fork: 1 }],
    ["offers an old block", { head: 80 }],
    ["invents a future block", { head: 5000 }],
    ["fails the call", { price: () => new RpcFailure(3, "execution reverted") }],
    ["refuses the call", { price: () => new RpcFailure(-32005, "limit") }],
    ["answers garbage", { price: () => "0xzz" }],
  ])("ignores a host that %s, and uses two other hosts", async (_, view) => {
    show(second, view);
    const alone = clientOf([first, second], impatient).agree(priceAt);
    await expect(alone).rejects.toThrow(new ChainUnavailable("No two hosts of eth agree"));
    expect(await clientOf(servers).agree(priceAt)).toMatchObject({ values: ["0x0064"] });
  });

  it("gives up in time if a host stalls and no third host replaces it", async () => {
    second.misbehaviour = silent;
    const start = performance.now();
    await expect(clientOf([first, second], impatient).agree(priceAt)).rejects.toThrow(ChainUnavailable);
    expect(performance.now() - start).toBeGreaterThan(240);
    expect(await clientOf(servers, { timeoutMs: 500 }).agree(priceAt)).toMatchObject({
      values: ["0x0064"],
    });
    expect(third.requests.length).toBeGreaterThan(0);
  });

  it("accepts the answers of a single host", async () => {
    expect(await clientOf([first]).agree(priceAt)).toMatchObject({ values: ["0x0064"] });
  });

  it("fails with the call's own error if two hosts report the same failure", async () => {
    for (const server of servers) show(server, { price: () => new RpcFailure(3, "execution reverted") });
    await expect(clientOf(servers).agree(priceAt)).rejects.toBeInstanceOf(RpcRefusal);
  });

  it("compares failures by their reasons, not their wording", async () => {
    show(first, { price: () => new RpcFailure(3, "execution reverted", "0x01") });
    show(second, { price: () => new RpcFailure(-32000, "VM: revert", "0x01") });
    const attempted = ({ number }: { number: number }) => [attempt(contractCall({ to: pool }, number))];
    const agreed = await clientOf([first, second]).agree(attempted);
    expect(agreed.values).toMatchObject([{ kind: "call" }]);
    show(second, { price: () => new RpcFailure(3, "execution reverted", "0x02") });
    await expect(clientOf([first, second], impatient).agree(attempted)).rejects.toThrow(ChainUnavailable);
  });
});
