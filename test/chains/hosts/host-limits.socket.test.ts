import { beforeEach, describe, expect, it } from "vitest";
import { coinsCall, gasPriceCall, nonceCall } from "../../../lib/chains/evm/calls/rpc-call.ts";
import { simulateCall } from "../../../lib/chains/evm/calls/simulation.ts";
import { attempt, type RpcCall } from "../../../lib/chains/hosts/rpc-call.ts";
import { failure, hostUnderTest, wallet } from "../../support/host-under-test.ts";
import {
  answering,
  type Misbehaviour,
  RpcFailure,
  type RpcRequest,
  reshaped,
} from "../../support/json-rpc-server.ts";

const { server, host, now } = await hostUnderTest();

describe("a host that limits its batches", () => {
  const tenMinutes = 600_000;
  const error = (code: number, message: string) => ({ error: { code, message } });
  const json = (body: unknown, status = 200) => answering(JSON.stringify(body), status);

  /** Makes the server refuse batches with more calls than this. */
  function limitTo(most: number, refuse: (requests: RpcRequest[]) => Misbehaviour) {
    server.misbehaviour = (response, requests) =>
      (requests.length > most
        ? refuse(requests)
        : reshaped((items) => (requests.length > 1 ? items : items[0])))(response, requests);
  }
  const sizes = () => server.requests.splice(0).map(({ length }) => length);
  const ask = (count: number) => host.request(Array.from({ length: count }, () => gasPriceCall()));
  const prices = (count: number) => Array.from({ length: count }, () => 16n);

  it.each<[string, number, number[], (requests: RpcRequest[]) => Misbehaviour]>([
    ["one error of base's host", 10, [12, 10, 2], () => json(error(-32014, "maximum 10 calls in 1 batch"))],
    [
      "one error that names the limit",
      3,
      [12, 3, 3, 3, 3],
      () => json(error(31, "Batch of more than 3 requests are not allowed on free tier")),
    ],
    ["one error that names none", 5, [12, 6, 6, 3, 3, 3, 3], () => json(error(-32600, "invalid request"))],
    [
      "an error for each call",
      10,
      [12, 10, 2],
      (requests) => json(requests.map(({ id }) => ({ id, ...error(-32014, "maximum 10 calls in 1 batch") }))),
    ],
    [
      "status 500 and an error for each call",
      3,
      [12, 3, 3, 3, 3],
      (requests) =>
        json(
          requests.map(({ id }) => ({ jsonrpc: "2.0", id, ...error(31, "Batch of more than 3 requests") })),
          500,
        ),
    ],
    ["status 413", 10, [12, 6, 6], () => answering("", 413)],
    ["status 400", 10, [12, 6, 6], () => answering("", 400)],
  ])(
    "splits calls for a host that limits batches by %s, and remembers the limit",
    async (_, most, expected, refuse) => {
      limitTo(most, refuse);
      expect(await ask(11)).toEqual(prices(11));
      expect(sizes()).toEqual(expected);
      const { mostCalls } = host.abilities();
      expect(await ask(11)).toEqual(prices(11));
      expect(Math.max(...sizes())).toBe(mostCalls);
      expect(mostCalls).toBeLessThanOrEqual(most);
      now.ms = tenMinutes;
      expect(host.abilities().mostCalls).toBe(Number.POSITIVE_INFINITY);
    },
  );

  it("sends a limited host its last call after all others are answered", async () => {
    let [open, openAtLast] = [0, -1];
    server.misbehaviour = (response, requests) => {
      if (requests.length > 3)
        return json(error(31, "Batch of more than 3 requests are not allowed"))(response, requests);
      if (requests.some(({ method }) => method === "eth_getTransactionCount")) openAtLast = open;
      open++;
      setTimeout(() => {
        open--;
        reshaped((items) => (requests.length > 1 ? items : items[0]))(response, requests);
      }, 10);
    };
    const last = { ...nonceCall(wallet, 57), isLast: true } as const;
    expect(await host.request([...Array.from({ length: 7 }, () => gasPriceCall()), last])).toEqual([
      ...prices(7),
      16,
    ]);
    expect(sizes()).toEqual([9, 3, 3, 2, 1]);
    expect(openAtLast).toBe(0);
  });

  it("sends no further requests to a host that limits rates", async () => {
    server.misbehaviour = json(error(-32005, "rate limit exceeded"));
    expect(await failure(ask(11))).toMatchObject({ code: "REFUSED" });
    expect(sizes()).toEqual([12]);
    expect(host.abilities().mostCalls).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a host that cannot simulate", () => {
  const simulation = () =>
    attempt(simulateCall([[{ from: wallet, to: wallet }]], { number: 57, time: 101, baseFee: 7n }));
  const asked = () => server.requests.flat().filter(({ method }) => method === "eth_simulateV1").length;

  it("requests no simulation for ten minutes from a host that cannot simulate", async () => {
    server.answers.eth_simulateV1 = new RpcFailure(
      -32600,
      "Unsupported method: eth_simulateV1 on ETH_MAINNET",
    );
    for (now.ms of [0, 599_999]) {
      const [price, refusal] = await host.request([gasPriceCall(), simulation()]);
      expect(price).toBe(16n);
      expect(refusal).toMatchObject({ kind: "unsupported" });
    }
    expect(asked()).toBe(1);
    expect(host.abilities().lacks).toEqual(["simulation"]);
    now.ms = 600_000;
    await host.request([simulation()]);
    expect(asked()).toBe(2);
  });

  it("requests a simulation again if the host refused only one that was too large", async () => {
    server.answers.eth_simulateV1 = new RpcFailure(-38015, "block gas limit reached");
    for (let times = 0; times < 2; times++)
      expect(await host.request([simulation()])).toMatchObject([{ kind: "unsupported" }]);
    expect(asked()).toBe(2);
  });
});

describe("a call that exceeds a host's limits", () => {
  const mostItems = 2;
  /** Adds numbers, and splits the call in two if the host refuses so many. */
  const sumOf = (items: readonly number[]): RpcCall<number> => ({
    method: "sum",
    params: items,
    read: Number,
    split(refusal) {
      if (refusal.kind !== "call") return undefined;
      const half = Math.ceil(items.length / 2);
      return {
        calls: [sumOf(items.slice(0, half)), sumOf(items.slice(half))],
        join: (sums) => (sums as number[]).reduce((a, b) => a + b),
      };
    },
  });
  beforeEach(() => {
    server.answers.sum = (...items: number[]) =>
      items.length > mostItems ? new RpcFailure(3, "execution reverted") : items.reduce((a, b) => a + b);
  });

  it("sends a call in parts, together with other calls' parts and before the last call", async () => {
    let prices = 0;
    server.answers.eth_gasPrice = () => `0x${++prices}`;
    const calls = [
      sumOf([1, 2, 3, 4, 5]),
      attempt(sumOf([6, 7, 8])),
      { ...gasPriceCall(), isLast: true },
    ] as const;
    expect(await host.request(calls)).toEqual([15, 21, 3n]);
    expect(server.requests.map(({ length }) => length)).toEqual([4, 5, 3]);
  });

  it("sends a call only once if it succeeds or is refused for another reason", async () => {
    expect(await host.request([sumOf([1, 2])])).toEqual([3]);
    server.answers.sum = new RpcFailure(-32000, "busy");
    expect(await failure(host.request([sumOf([1, 2])]))).toMatchObject({ kind: "host" });
    expect(server.requests.map(({ length }) => length)).toEqual([2, 1]);
  });
});

describe("a host that briefly lacks a block", () => {
  it.each(["header not found", "missing trie node 0102 (path ) state 0x03 is not available"])(
    "repeats a call once, immediately, after %j",
    async (message) => {
      let calls = 0;
      server.answers.eth_getBalance = () => (calls++ === 0 ? new RpcFailure(-32000, message) : "0x20");
      expect(await host.request([gasPriceCall(), coinsCall(wallet, 57)])).toEqual([16n, 32n]);
      expect(server.requests.map(({ length }) => length)).toEqual([3, 1]);
      server.answers.eth_getBalance = new RpcFailure(-32000, message);
      expect(await failure(host.request([coinsCall(wallet, 57)]))).toMatchObject({ kind: "host" });
      expect(server.requests.map(({ length }) => length)).toEqual([3, 1, 1, 1]);
    },
  );
});

describe("the last call of a batch", () => {
  it("repeats the last call if other calls before it were repeated", async () => {
    let calls = 0;
    server.answers.eth_getBalance = () =>
      calls++ === 0 ? new RpcFailure(-32000, "header not found") : "0x20";
    server.answers.eth_getTransactionCount = () => `0x${calls}`;
    const last = { ...nonceCall(wallet, 57), isLast: true } as const;
    expect(await host.request([gasPriceCall(), coinsCall(wallet, 57), last])).toEqual([16n, 32n, 2]);
  });
});
