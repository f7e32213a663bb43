import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  attempt,
  blockCall,
  coinsCall,
  contractCall,
  feeHistoryCall,
  gasEstimateCall,
  gasPriceCall,
  nonceCall,
  publishCall,
  suggestedTipCall,
} from "../../../lib/trading/chains/evm/rpc-call.ts";
import { simulateCall } from "../../../lib/trading/chains/evm/simulation.ts";
import { HostFault, RpcRefusal } from "../../../lib/trading/chains/host-fault.ts";
import { rpcHost } from "../../../lib/trading/chains/rpc-host.ts";
import {
  answering,
  flooding,
  hangingUp,
  hangingUpMidway,
  type Misbehaviour,
  RpcFailure,
  type RpcRequest,
  type RpcServer,
  reshaped,
  result,
  silent,
  startRpcServer,
} from "../../support/json-rpc-server.ts";

const wallet = `0x${"a1".repeat(20)}`;
const hash = `0x${"0b".repeat(32)}`;
/** Stands for secrets that must not leak, such as an API key or a signed transaction. */
const secret = "c0ffee";

let server: RpcServer;
let host: ReturnType<typeof rpcHost>;
let nowMs: number;

beforeAll(async () => {
  server = await startRpcServer();
});
beforeEach(() => {
  nowMs = 0;
  // Far more time than any answer takes: only the tests of silence set less.
  const url = `${server.url}/${secret}`;
  host = rpcHost({ url, chainId: 1, timeoutMs: 40_000, nowMs: () => nowMs });
  server.misbehaviour = undefined;
  server.requests.length = server.isBatch.length = 0;
  server.answers = { eth_chainId: "0x1", eth_gasPrice: "0x10", eth_getBalance: "0x20" };
});
afterAll(() => server.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe("request", () => {
  it("sends its calls and the question for the chain in one batch, and reads every result", async () => {
    server.answers = {
      ...server.answers,
      eth_getBlockByNumber: { number: "0x39", hash, timestamp: "0x65", gasLimit: "0x1" },
      eth_getBalance: `0x${"f".repeat(64)}`,
      eth_getTransactionCount: "0x0",
      eth_call: "0xAB",
      eth_estimateGas: "0x5208",
      eth_maxPriorityFeePerGas: "0x3b9aca00",
      eth_feeHistory: {
        oldestBlock: "0x37",
        baseFeePerGas: ["0x7", "0x8", "0x9"],
        gasUsedRatio: [0.5, 0],
        reward: [
          ["0x1", "0x2"],
          ["0x0", "0x0"],
        ],
      },
    };
    const values = await host.request([
      blockCall("latest"),
      coinsCall(wallet, 57n),
      nonceCall(wallet, "pending"),
      contractCall({ to: wallet, data: "0x01", value: 255n }, 57),
      gasEstimateCall({ to: wallet, from: wallet }, "latest"),
      gasPriceCall(),
      suggestedTipCall(),
      feeHistoryCall(2, "latest", [25, 50]),
    ]);
    expect(values).toEqual([
      { number: 57, hash, time: 101 },
      2n ** 256n - 1n,
      0,
      "0xab",
      21000n,
      16n,
      1_000_000_000n,
      { baseFee: 9n, tips: [[1n, 2n]] },
    ]);
    expect(server.requests.map((requests) => requests.map(({ method, params }) => [method, params]))).toEqual(
      [
        [
          ["eth_chainId", []],
          ["eth_getBlockByNumber", ["latest", false]],
          ["eth_getBalance", [wallet, "0x39"]],
          ["eth_getTransactionCount", [wallet, "pending"]],
          ["eth_call", [{ to: wallet, data: "0x01", value: "0xff" }, "0x39"]],
          ["eth_estimateGas", [{ to: wallet, from: wallet }, "latest"]],
          ["eth_gasPrice", []],
          ["eth_maxPriorityFeePerGas", []],
          ["eth_feeHistory", ["0x2", "latest", [25, 50]]],
        ],
      ],
    );
  });

  it("sends a relay a single call, without a batch or a question for the chain", async () => {
    server.answers.eth_sendRawTransaction = hash;
    expect(await rpcHost({ url: server.url }).request([publishCall("0x02")])).toEqual([hash]);
    expect(server.isBatch).toEqual([false]);
    expect(server.requests[0]).toMatchObject([{ method: "eth_sendRawTransaction", params: ["0x02"] }]);
  });

  it("accepts the answers of a batch in any order", async () => {
    server.misbehaviour = reshaped((items) => items.toReversed());
    expect(await host.request([gasPriceCall()])).toEqual([16n]);
  });

  it("never reuses an id", async () => {
    await Promise.all([host.request([gasPriceCall()]), host.request([gasPriceCall()])]);
    const ids = server.requests.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it.each([
    ["nothing", answering(""), "EMPTY"],
    ["spaces", answering(" \n"), "EMPTY"],
    ["HTML", answering(`<html>${secret}</html>`), "NOT_JSON"],
    ["half of its JSON", answering(`[{"id":1,"result":"${secret}`), "NOT_JSON"],
    ["bytes that are no text", answering(Uint8Array.of(0xff, 0xfe, 0)), "NOT_JSON"],
    ["a number", answering("5"), "NOT_JSON_RPC"],
    ["null", answering("null"), "NOT_JSON_RPC"],
    ["a list of texts", answering(`["${secret}","${secret}"]`), "NOT_JSON_RPC"],
    ["an object without error", answering(`{"result":"${secret}"}`), "NOT_JSON_RPC"],
    ["one error for the whole batch", answering(`{"error":{"code":-1,"message":"${secret}"}}`), "REFUSED"],
    ["status 500", answering(secret, 500), "BAD_STATUS"],
    ["status 401", answering(secret, 401), "BAD_STATUS"],
    ["status 429", answering(secret, 429), "TOO_MANY_REQUESTS"],
    ["a closed connection", hangingUp, "BROKEN_OFF"],
    ["a part of its answer", hangingUpMidway, "BROKEN_OFF"],
    ["too few results", reshaped(([first]) => [first]), "WRONG_ID"],
    ["too many results", reshaped((items) => [...items, result(0, secret)]), "WRONG_ID"],
    ["one result twice", reshaped(([first]) => [first, first]), "WRONG_ID"],
    ["another id", reshaped((items) => items.map((item) => ({ ...item, id: item.id + 1 }))), "WRONG_ID"],
    ["ids as text", reshaped((items) => items.map((item) => ({ ...item, id: `${item.id}` }))), "WRONG_ID"],
    ["no results", reshaped((items) => items.map(({ id }) => ({ id }))), "NOT_JSON_RPC"],
    [
      "an error without a code",
      reshaped((items) => items.map(({ id }) => ({ id, error: secret, result: "0x1" }))),
      "NOT_JSON_RPC",
    ],
    ["another chain", reshaped((items) => items.map(({ id }) => result(id, "0x38"))), "WRONG_CHAIN"],
  ])("fails for %s", async (_, misbehaviour, reason) => {
    server.misbehaviour = misbehaviour;
    const error = await failure(host.request([gasPriceCall()]));
    expect(error).toBeInstanceOf(HostFault);
    expect(error).toMatchObject({ reason, name: `HostFault ${reason}` });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  });

  it.each(["0x", "0xzz", "16", 16, null, {}, [], `0x1${"0".repeat(64)}`, secret, "0x-1"])(
    "fails for %j as a quantity",
    async (value) => {
      server.answers.eth_gasPrice = value;
      expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ reason: "BAD_RESULT" });
    },
  );

  it.each([
    ["eth_getBlockByNumber", null, blockCall(9)],
    ["eth_getBlockByNumber", { number: "0x1", hash: "0x1", timestamp: "0x1" }, blockCall(9)],
    ["eth_getBlockByNumber", { number: `0x${"f".repeat(16)}`, hash, timestamp: "0x1" }, blockCall(9)],
    ["eth_getBlockByNumber", { number: "0x1", hash, timestamp: "0x4000000000000" }, blockCall(9)],
    ["eth_call", "0x123", contractCall({ to: wallet }, "latest")],
    ["eth_feeHistory", { baseFeePerGas: [], gasUsedRatio: [], reward: [] }, feeHistoryCall(1, "latest", [])],
    [
      "eth_feeHistory",
      { baseFeePerGas: ["0x1", "0x1"], gasUsedRatio: [1], reward: [["0x1"]] },
      feeHistoryCall(1, "latest", [25, 50]),
    ],
    ["eth_sendRawTransaction", "0x02", publishCall("0x02")],
  ])("fails for a result of %s that is %j", async (method, value, call) => {
    server.answers[method] = value;
    expect(await failure(host.request([call]))).toMatchObject({ reason: "BAD_RESULT" });
  });

  it("stops reading an answer of 50 MB at its limit", async () => {
    server.misbehaviour = flooding(50);
    const before = process.memoryUsage().arrayBuffers;
    expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ reason: "TOO_LARGE" });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25 * 1024 * 1024);
  });

  it("counts the decompressed bytes of an answer", async () => {
    server.misbehaviour = (response) =>
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000)));
    expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ reason: "TOO_LARGE" });
  });

  it("asks again without a simulation whose result is too large", async () => {
    server.answers.eth_simulateV1 = "0".repeat(2 * 1024 * 1024);
    const simulation = attempt(
      simulateCall([{ from: wallet, to: wallet }], { number: 57, time: 101, baseFee: 7n }),
    );
    const [before, simulated, after] = await host.request([
      gasPriceCall(),
      simulation,
      coinsCall(wallet, 57),
    ]);
    expect([before, after]).toEqual([16n, 32n]);
    expect(simulated).toMatchObject({ name: "RpcRefusal", kind: "unsupported" });
    expect(server.requests).toHaveLength(2);
  });

  it("does not follow redirects", async () => {
    server.misbehaviour = (response) => response.writeHead(307, { Location: server.url }).end();
    expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ reason: "BROKEN_OFF" });
    expect(server.requests).toHaveLength(1);
  });

  it("ends a silent request after its time limit, or earlier on a signal", async () => {
    server.misbehaviour = silent;
    const brief = rpcHost({ url: server.url, chainId: 1, timeoutMs: 20 });
    expect(await failure(brief.request([gasPriceCall()]))).toMatchObject({ reason: "TIMEOUT" });
    const signal = AbortSignal.timeout(20);
    expect(await failure(host.request([gasPriceCall()], signal))).toMatchObject({ reason: "TIMEOUT" });
  });

  it("fails if nothing listens", async () => {
    const gone = await startRpcServer();
    await gone.stop();
    const error = await failure(rpcHost({ url: gone.url }).request([gasPriceCall()]));
    expect(error).toMatchObject({ reason: "UNREACHABLE" });
  });
});

describe("the chain of a host", () => {
  const minute = 60_000;
  const methods = () => server.requests.map((calls) => calls.map(({ method }) => method).join());

  it("is asked for once a minute", async () => {
    for (nowMs of [0, 1, minute - 1, minute]) await host.request([gasPriceCall()]);
    expect(methods()).toEqual([
      "eth_chainId,eth_gasPrice",
      "eth_gasPrice",
      "eth_gasPrice",
      "eth_chainId,eth_gasPrice",
    ]);
  });

  it("is noticed within a minute if it changes, and asked for until it is right", async () => {
    await host.request([gasPriceCall()]);
    server.answers.eth_chainId = "0x38";
    for (nowMs of [minute, minute + 1])
      expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ reason: "WRONG_CHAIN" });
    server.answers.eth_chainId = "0x1";
    expect(await host.request([gasPriceCall()])).toEqual([16n]);
  });

  it("is asked for with each transaction, and before the first one of a minute", async () => {
    server.answers.eth_sendRawTransaction = hash;
    await host.request([publishCall("0x02")]);
    await host.request([publishCall("0x02")]);
    const sent = "eth_chainId,eth_sendRawTransaction";
    expect(methods()).toEqual(["eth_chainId", sent, sent]);
  });

  it("receives no transaction if it is another one", async () => {
    server.answers = { eth_chainId: "0x38", eth_sendRawTransaction: hash };
    for (nowMs of [0, 1])
      expect(await failure(host.request([publishCall("0x02")]))).toMatchObject({ reason: "WRONG_CHAIN" });
    expect(methods()).toEqual(["eth_chainId", "eth_chainId"]);
  });
});

describe("a host that limits its batches", () => {
  const tenMinutes = 600_000;
  const error = (code: number, message: string) => ({ error: { code, message } });
  const json = (body: unknown, status = 200) => answering(JSON.stringify(body), status);

  /** Refuses batches of more calls than this with a response. */
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
  ])("by %s gets the calls in parts at once, and is remembered", async (_, most, expected, refuse) => {
    limitTo(most, refuse);
    expect(await ask(11)).toEqual(prices(11));
    expect(sizes()).toEqual(expected);
    const { mostCalls } = host.abilities();
    expect(await ask(11)).toEqual(prices(11));
    expect(Math.max(...sizes())).toBe(mostCalls);
    expect(mostCalls).toBeLessThanOrEqual(most);
    nowMs = tenMinutes;
    expect(host.abilities().mostCalls).toBe(Number.POSITIVE_INFINITY);
  });

  it("gets the last call after it has answered the others", async () => {
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

  it("by rates gets no further requests", async () => {
    server.misbehaviour = json(error(-32005, "rate limit exceeded"));
    expect(await failure(ask(11))).toMatchObject({ reason: "REFUSED" });
    expect(sizes()).toEqual([12]);
    expect(host.abilities().mostCalls).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a host that cannot simulate", () => {
  const simulation = () =>
    attempt(simulateCall([{ from: wallet, to: wallet }], { number: 57, time: 101, baseFee: 7n }));
  const asked = () => server.requests.flat().filter(({ method }) => method === "eth_simulateV1").length;

  it("is not asked to for ten minutes", async () => {
    server.answers.eth_simulateV1 = new RpcFailure(
      -32600,
      "Unsupported method: eth_simulateV1 on ETH_MAINNET",
    );
    for (nowMs of [0, 599_999]) {
      const [price, refusal] = await host.request([gasPriceCall(), simulation()]);
      expect(price).toBe(16n);
      expect(refusal).toMatchObject({ kind: "unsupported" });
    }
    expect(asked()).toBe(1);
    expect(host.abilities().lacks).toEqual(["simulation"]);
    nowMs = 600_000;
    await host.request([simulation()]);
    expect(asked()).toBe(2);
  });

  it("is asked again if only one simulation was too much", async () => {
    server.answers.eth_simulateV1 = new RpcFailure(-38015, "block gas limit reached");
    for (let times = 0; times < 2; times++)
      expect(await host.request([simulation()])).toMatchObject([{ kind: "unsupported" }]);
    expect(asked()).toBe(2);
  });
});

describe("a host that lacks a block in between", () => {
  it.each(["header not found", "missing trie node 0102 (path ) state 0x03 is not available"])(
    "is asked once more at once, after %j",
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

describe("a last call", () => {
  it("is asked again after calls that are asked again", async () => {
    let calls = 0;
    server.answers.eth_getBalance = () =>
      calls++ === 0 ? new RpcFailure(-32000, "header not found") : "0x20";
    server.answers.eth_getTransactionCount = () => `0x${calls}`;
    const last = { ...nonceCall(wallet, 57), isLast: true } as const;
    expect(await host.request([gasPriceCall(), coinsCall(wallet, 57), last])).toEqual([16n, 32n, 2]);
  });
});

describe("RpcRefusal", () => {
  const refusalFor = async (code: number, message: string, data?: unknown) => {
    server.answers.eth_gasPrice = new RpcFailure(code, message, data);
    const error = await failure(host.request([gasPriceCall()]));
    expect(error).toBeInstanceOf(RpcRefusal);
    return error as RpcRefusal;
  };

  it.each([
    [3, "execution reverted: Too little received", "call"],
    [-32000, "execution reverted", "call"],
    [-32015, "VM execution error: reverted", "call"],
    [-32000, "out of gas", "call"],
    [-32603, "EVM error OutOfGas", "call"],
    [-32603, "EVM error InvalidFEOpcode", "call"],
    [-32603, "EVM error MemoryOOG", "call"],
    [-32000, "gas required exceeds allowance (21000)", "call"],
    [-32000, "insufficient funds for gas * price + value", "call"],
    [-32003, "Insufficient funds for gas * price + value", "call"],
    [-32601, "the method eth_simulateV1 does not exist/is not available", "unsupported"],
    [-32000, "Method eth_simulateV1 not supported", "unsupported"],
    [-32600, "Unsupported method: eth_simulateV1 on ETH_MAINNET", "unsupported"],
    [-32001, "method is not whitelisted", "unsupported"],
    [-38015, "block gas limit reached", "unsupported"],
    [-32000, "missing trie node 0102 (path ) state 0x03 is not available", "host"],
    [-32001, "block not found: 0x39", "host"],
    [-32005, "daily request count exceeded", "host"],
    [-32000, "header not found", "host"],
    [-32603, "internal error", "host"],
  ])("classifies code %i, %j, as %s", async (code, message, _kind) => {
    expect(await refusalFor(code, message)).toMatchObject({ code, kind: _kind });
  });

  it("keeps the host's message for searching, but never shows it", async () => {
    const refusal = await refusalFor(-32000, `nonce too low: ${secret}`, "0x08c379a0");
    expect(refusal.says(/nonce too low/)).toBe(true);
    expect(refusal.revertData).toBe("0x08c379a0");
    const shown = `${inspect(refusal, { depth: 9, showHidden: true })}${JSON.stringify(refusal)}`;
    expect(shown).not.toMatch(new RegExp(`${secret}|nonce|08c379a0`));
  });

  it("ignores revert data that is not hex", async () => {
    for (const data of [secret, { a: 1 }, 5, "0x1"])
      expect((await refusalFor(3, "execution reverted", data)).revertData).toBeUndefined();
  });

  it("is the value of an attempted call, unless the host is at fault", async () => {
    server.answers.eth_call = new RpcFailure(3, "execution reverted");
    const [price, refusal] = await host.request([
      gasPriceCall(),
      attempt(contractCall({ to: wallet }, "latest")),
    ]);
    expect(price).toBe(16n);
    expect(refusal).toMatchObject({ kind: "call" });
    server.answers.eth_call = new RpcFailure(-32005, "limit exceeded");
    const call = attempt(contractCall({ to: wallet }, "latest"));
    expect(await failure(host.request([call]))).toMatchObject({ kind: "host" });
  });
});
