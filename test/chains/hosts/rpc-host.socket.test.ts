import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  blockCall,
  chainIdentity,
  coinsCall,
  contractCall,
  feeHistoryCall,
  gasEstimateCall,
  gasPriceCall,
  nonceCall,
  publishCall,
  suggestedTipCall,
} from "../../../lib/chains/evm/calls/rpc-call.ts";
import { simulateCall } from "../../../lib/chains/evm/calls/simulation.ts";
import { HostFault } from "../../../lib/chains/hosts/host-fault.ts";
import { attempt } from "../../../lib/chains/hosts/rpc-call.ts";
import { rpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { failure, hash, hostUnderTest, secret, wallet } from "../../support/host-under-test.ts";
import {
  answering,
  flooding,
  hangingUp,
  hangingUpMidway,
  RpcFailure,
  reshaped,
  result,
  silent,
  startRpcServer,
} from "../../support/json-rpc-server.ts";

const { server, host, now } = await hostUnderTest();

describe("request", () => {
  it("only asks for the chain's id, once a minute, if there are no calls", async () => {
    const before = server.requests.length;
    expect(await host.request([])).toEqual([]);
    expect(await host.request([])).toEqual([]);
    expect(server.requests.slice(before).map((calls) => calls.map(({ method }) => method))).toEqual([
      ["eth_chainId"],
    ]);
    now.ms += 60_000;
  });

  it("sends its calls and a query for the chain id in one batch, and reads every result", async () => {
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

  it("sends a relay a single call, without a batch or a query for the chain id", async () => {
    server.answers.eth_sendRawTransaction = hash;
    expect(await rpcHost({ url: server.url }).request([publishCall("0x02")])).toEqual([hash]);
    expect(server.isBatch).toEqual([false]);
    expect(server.requests[0]).toMatchObject([{ method: "eth_sendRawTransaction", params: ["0x02"] }]);
  });

  it("accepts the answers of a batch in any order", async () => {
    server.misbehaviour = reshaped((items) => items.toReversed());
    expect(await host.request([gasPriceCall()])).toEqual([16n]);
  });

  it("never reuses a request id", async () => {
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
  ])("fails if a host returns %s", async (_, misbehaviour, code) => {
    server.misbehaviour = misbehaviour;
    const error = await failure(host.request([gasPriceCall()]));
    expect(error).toBeInstanceOf(HostFault);
    expect(error).toMatchObject({ code, name: "HostFault" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  });

  it.each(["0x", "0xzz", "16", 16, null, {}, [], `0x1${"0".repeat(64)}`, secret, "0x-1"])(
    "rejects %j as a quantity",
    async (value) => {
      server.answers.eth_gasPrice = value;
      expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ code: "BAD_RESULT" });
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
  ])("rejects a result of %s that is %j", async (method, value, call) => {
    server.answers[method] = value;
    expect(await failure(host.request([call]))).toMatchObject({ code: "BAD_RESULT" });
  });

  it("stops reading an answer of 50 MB at its size limit", async () => {
    server.misbehaviour = flooding(50);
    const before = process.memoryUsage().arrayBuffers;
    expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ code: "TOO_LARGE" });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25 * 1024 * 1024);
  });

  it("counts the bytes of an answer after decompression", async () => {
    server.misbehaviour = (response) =>
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000)));
    expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ code: "TOO_LARGE" });
  });

  it("returns the refusal of an attempted call, unless the host is at fault", async () => {
    server.answers.eth_call = new RpcFailure(3, "execution reverted", "0x08c379a0");
    const [price, refusal] = await host.request([
      gasPriceCall(),
      attempt(contractCall({ to: wallet }, "latest")),
    ]);
    expect(price).toBe(16n);
    expect(refusal).toMatchObject({ kind: "call", revertData: "0x08c379a0" });
    server.answers.eth_call = new RpcFailure(-32005, "limit exceeded");
    const call = attempt(contractCall({ to: wallet }, "latest"));
    expect(await failure(host.request([call]))).toMatchObject({ kind: "host" });
  });

  it("repeats a request without its simulation if the simulation's result is too large", async () => {
    server.answers.eth_simulateV1 = "0".repeat(2 * 1024 * 1024);
    const simulation = attempt(
      simulateCall([[{ from: wallet, to: wallet }]], { number: 57, time: 101, baseFee: 7n }),
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

  it("does not repeat a request with a simulation after any other fault", async () => {
    server.misbehaviour = (...exchange) => {
      server.misbehaviour = undefined;
      return answering(secret, 500)(...exchange);
    };
    const simulation = attempt(
      simulateCall([[{ from: wallet, to: wallet }]], { number: 57, time: 101, baseFee: 7n }),
    );
    expect(await failure(host.request([gasPriceCall(), simulation]))).toMatchObject({ code: "BAD_STATUS" });
    expect(server.requests).toHaveLength(1);
  });

  it("fills a key into its URL for each request, and sends nothing while the key cannot be read", async () => {
    const address = `${server.url}/v2/key`;
    let isKnown = false;
    const keyed = rpcHost({
      url: () => (isKnown ? Promise.resolve(address) : Promise.reject(new Error(secret))),
    });
    const before = server.requests.length;
    const fault = await keyed.request([gasPriceCall()]).catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: "HostFault", code: "NO_KEY" });
    expect(inspect(fault)).not.toContain(secret);
    expect(server.requests).toHaveLength(before);
    isKnown = true;
    server.answers = { ...server.answers, eth_gasPrice: "0x7" };
    expect(await keyed.request([gasPriceCall()])).toEqual([7n]);
  });

  it.each<[string, number, AbortSignal | undefined]>([
    ["its own time limit", 20, undefined],
    ["the caller's signal", 40_000, AbortSignal.timeout(20)],
    ["a signal that has already aborted", 40_000, AbortSignal.abort()],
  ])("waits for a key no longer than %s allows", async (_, timeoutMs, signal) => {
    const keyless = rpcHost({ url: () => new Promise(() => {}), timeoutMs });
    const fault = await failure(keyless.request([gasPriceCall()], signal));
    expect(fault).toMatchObject({ name: "HostFault", code: "NO_KEY" });
  });

  it("does not follow redirects", async () => {
    server.misbehaviour = (response) => response.writeHead(307, { Location: server.url }).end();
    expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ code: "BROKEN_OFF" });
    expect(server.requests).toHaveLength(1);
  });

  it("ends a silent request after its time limit, or earlier on a signal", async () => {
    server.misbehaviour = silent;
    const brief = rpcHost({ url: server.url, identity: chainIdentity(1), timeoutMs: 20 });
    expect(await failure(brief.request([gasPriceCall()]))).toMatchObject({ code: "TIMEOUT" });
    const signal = AbortSignal.timeout(20);
    expect(await failure(host.request([gasPriceCall()], signal))).toMatchObject({ code: "TIMEOUT" });
  });

  it("fails if no server listens", async () => {
    const gone = await startRpcServer();
    await gone.stop();
    const error = await failure(rpcHost({ url: gone.url }).request([gasPriceCall()]));
    expect(error).toMatchObject({ code: "UNREACHABLE" });
  });
});

describe("the chain of a host", () => {
  const minute = 60_000;
  const methods = () => server.requests.map((calls) => calls.map(({ method }) => method).join());

  it("checks a host's chain id once a minute", async () => {
    for (now.ms of [0, 1, minute - 1, minute]) await host.request([gasPriceCall()]);
    expect(methods()).toEqual([
      "eth_chainId,eth_gasPrice",
      "eth_gasPrice",
      "eth_gasPrice",
      "eth_chainId,eth_gasPrice",
    ]);
  });

  it("notices a changed chain id within a minute, and checks it again until it is right", async () => {
    await host.request([gasPriceCall()]);
    server.answers.eth_chainId = "0x38";
    for (now.ms of [minute, minute + 1])
      expect(await failure(host.request([gasPriceCall()]))).toMatchObject({ code: "WRONG_CHAIN" });
    server.answers.eth_chainId = "0x1";
    expect(await host.request([gasPriceCall()])).toEqual([16n]);
  });

  it("checks the chain id with each transaction, and before the first one of a minute", async () => {
    server.answers.eth_sendRawTransaction = hash;
    await host.request([publishCall("0x02")]);
    await host.request([publishCall("0x02")]);
    const sent = "eth_chainId,eth_sendRawTransaction";
    expect(methods()).toEqual(["eth_chainId", sent, sent]);
  });

  it("sends no transaction to a host with another chain id", async () => {
    server.answers = { eth_chainId: "0x38", eth_sendRawTransaction: hash };
    for (now.ms of [0, 1])
      expect(await failure(host.request([publishCall("0x02")]))).toMatchObject({ code: "WRONG_CHAIN" });
    expect(methods()).toEqual(["eth_chainId", "eth_chainId"]);
  });
});
