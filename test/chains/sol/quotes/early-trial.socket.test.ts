import type { Address } from "@solana/web3.js";
import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ask } from "../../../../lib/chains/hosts/ask-together.ts";
import type { RpcCall } from "../../../../lib/chains/hosts/rpc-call.ts";
import { bytesOfAddress } from "../../../../lib/chains/sol/calls/addresses.ts";
import { exchangeBetween } from "../../../../lib/chains/sol/calls/blockhash-exchange.ts";
import { lookForSolQuote, TrialMemory } from "../../../../lib/chains/sol/quotes/early-trial.ts";
import { quoteOnSol } from "../../../../lib/chains/sol/quotes/quote-on-chain.ts";
import { quotesOfSolHosts } from "../../../../lib/chains/sol/quotes/quotes-of-hosts.ts";
import type { SolTradeFacts } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import type { SolReader } from "../../../../lib/chains/sol/venues/reader.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import {
  naming,
  olderBlockhash,
  scaling,
  solDeskForTests,
  solReaderOf,
  type TestSolHost,
} from "../../../support/sol-reader.ts";
import { addMint, addPool, holdTokens } from "../../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();
const coin = 10n ** 9n;

let reader: SolReader;
let payer: Address;
let wallet: Address;
let another: Address;
let memory: TrialMemory;
let nowMs: number;
/** Methods of each request. */
let requests: string[][];

beforeAll(async () => {
  payer = (await chain.newWallet(1000n * coin)).address;
  wallet = (await chain.newWallet(10n * coin)).address;
  another = (await chain.newWallet(10n * coin)).address;
});
beforeEach(async () => {
  reader = await solReaderOf(chain, hosts, { payer });
  nowMs = 0;
  memory = new TrialMemory(() => nowMs);
  requests = [];
});

type Asked = {
  token?: string;
  side?: "buy" | "sell";
  amount?: string;
  percent?: number;
  pool?: string;
  wallet?: Address;
};

/** Quotes a trade, by default a purchase of MOON, with the first host. */
function quote({ side = "buy", percent, ...asked }: Asked = {}, known?: TrialMemory) {
  const token = asked.token ?? chain.deployment.tokens.MOON.mint;
  const ask = (async (calls: readonly RpcCall<unknown>[]) => {
    if (calls.length > 0) requests.push(calls.map(({ method }) => method));
    return reader.client.hosts[0]?.request(calls);
  }) as Ask;
  const size = percent === undefined ? { amount: asked.amount ?? "1" } : { percent };
  const trade = { side, token, pool: asked.pool, ...size };
  const question = { trade, wallet: asked.wallet ?? wallet, orders: [], memory: known };
  return quoteOnSol(ask, reader, question, undefined, exchangeBetween(1));
}

/** Replaces what differs from slot to slot. */
const lasting = ({ forPlanning, ...facts }: SolTradeFacts) => ({
  ...facts,
  slot: 0,
  forPlanning: forPlanning && { ...forPlanning, slot: 0, blockhash: "" },
});

/** Quotes with the memory and without it. Returns the number of requests with it. */
async function requestsFor(asked: Asked = {}): Promise<number> {
  const shown = (quoted: Promise<SolTradeFacts>) =>
    quoted.then(lasting, (error: unknown) => {
      expect(error).toBeInstanceOf(DomainError);
      return error;
    });
  requests = [];
  const facts = await shown(quote(asked, memory));
  const { length } = requests;
  expect(facts).toEqual(await shown(quote(asked)));
  return length;
}

async function hasEarlyCalls(asked: Asked): Promise<boolean> {
  requests = [];
  await quote(asked, memory);
  return requests[0]?.includes("simulateTransaction") === true;
}

/** True for the simulation of a purchase and sale, which only the configured account pays. */
const isTrip = ([transaction]: readonly unknown[]) =>
  Buffer.from(String(transaction), "base64").includes(Buffer.from(bytesOfAddress(payer)));

/** Refuses the first of these simulations. */
function refusing(isOf: (params: readonly unknown[]) => boolean = () => true): TestSolHost["lie"] {
  let count = 0;
  return (method, result, params) => {
    if (method !== "simulateTransaction" || !isOf(params) || count++ > 0) return result;
    throw new ChainRefusal(method, { code: -32601, message: "Method not found" });
  };
}

describe("a purchase of a token that is remembered", () => {
  it("takes one request, also of another wallet and for another amount", async () => {
    expect(await requestsFor()).toBe(2);
    expect(await requestsFor()).toBe(1);
    expect(await requestsFor({ wallet: another, amount: "0.5" })).toBe(1);
    hosts[0].lie = scaling(chain.deployment.tokens.MOON.vaults.token, 900n);
    expect(await requestsFor()).toBe(1);
  });

  it("takes no more calls in one request than in two", async () => {
    await quote();
    requests = [];
    await quote({}, memory);
    const methods = requests.splice(0).flat();
    await quote({}, memory);
    const once = requests.flat();
    // Hosts need not name the base fee again.
    expect([...once, "getFeeForMessage"].toSorted()).toEqual(methods.toSorted());
  });

  it.each<[string, () => Asked | Promise<Asked>]>([
    ["another token", () => ({ token: chain.deployment.tokens.FEEZ.mint })],
    ["a purchase in a pool that the request names", () => ({ pool: chain.deployment.tokens.MOON.pool })],
    [
      "a sale of a percentage",
      async () => {
        await holdTokens(chain, another, chain.deployment.tokens.MOON, 10n ** 9n);
        return { side: "sell", wallet: another, percent: 50 };
      },
    ],
  ])("does not help %s", async (_, asked) => {
    await quote({}, memory);
    expect(await requestsFor(await asked())).toBe(2);
  });

  it("is forgotten after five minutes, however often it is made", async () => {
    await quote({}, memory);
    nowMs = 299_999;
    expect(await requestsFor()).toBe(1);
    nowMs = 300_000;
    expect(await requestsFor()).toBe(2);
  });

  it("is not remembered for a minute after early calls were useless twice in a row", async () => {
    await quote({}, memory);
    for (const count of [2, 2]) {
      hosts[0].lie = refusing();
      expect(await requestsFor()).toBe(count);
    }
    hosts[0].lie = (_, result) => result;
    for (const [ms, count] of [
      [59_999, 2],
      [60_000, 2],
      [60_001, 1],
    ] as const) {
      nowMs = ms;
      expect(await requestsFor()).toBe(count);
    }
  });

  it("asks Jupiter while the first request is under way", async () => {
    const token = chain.deployment.tokens.MOON.mint;
    const begun: unknown[] = [];
    const jupiter = { begin: (swap: object) => begun.push(swap) };
    const silent: Ask = () => new Promise(() => undefined);
    const trade = { side: "buy", token, amount: "1" } as const;
    const look = () => lookForSolQuote(silent, reader, { trade, wallet }, memory, jupiter);
    void look();
    await quote({}, memory);
    expect(begun).toEqual([]);
    void look();
    const swap = { wallet, side: "buy", mint: token, amountIn: coin, decimals: 6 };
    await vi.waitFor(() => expect(begun).toMatchObject([swap]));
  });

  it("is quoted as usual when another pool pays more", async () => {
    const token = await addMint(chain, 6);
    const pool = { mint: token, coins: 500n * coin, tokens: 5n * 10n ** 12n };
    await addPool(chain, pool);
    await addPool(chain, { ...pool, index: 1, tokens: 4n * 10n ** 12n });
    expect(await requestsFor({ token })).toBe(2);
    expect(await requestsFor({ token })).toBe(1);
    await addPool(chain, { ...pool, index: 1, tokens: 6n * 10n ** 12n });
    expect(await requestsFor({ token })).toBe(2);
    expect(await requestsFor({ token })).toBe(1);
  });

  it("is quoted as usual when the simulated sale would be of more tokens than are bought", async () => {
    await quote({}, memory);
    hosts[0].lie = scaling(chain.deployment.tokens.MOON.vaults.token, 200n);
    expect(await requestsFor()).toBe(2);
  });

  it("is quoted as usual by a wallet that cannot pay, and not remembered for it", async () => {
    const { address: poor } = await chain.newWallet(coin);
    await quote({ wallet: poor }, memory);
    expect(await hasEarlyCalls({ wallet: poor })).toBe(false);
    await quote({}, memory);
    expect(await requestsFor({ wallet: poor })).toBe(2);
  });

  it("is quoted as usual once its token cannot be sold, and then not remembered", async () => {
    const token = await addMint(chain, 6);
    await addPool(chain, { mint: token, coins: 500n * coin, tokens: 5n * 10n ** 12n });
    await quote({ token }, memory);
    const failure = { context: { slot: 1 }, value: { err: { InstructionError: [6, { Custom: 1 }] } } };
    hosts[0].lie = (method, result, params) =>
      method === "simulateTransaction" && isTrip(params) ? failure : result;
    expect(await requestsFor({ token })).toBe(2);
    memory = new TrialMemory();
    expect(await quote({ token }, memory)).toMatchObject({ safety: { sellable: false } });
    expect(await hasEarlyCalls({ token })).toBe(false);
  });

  it.each<[string, typeof isTrip]>([
    ["the wallet's trade", (params) => !isTrip(params)],
    ["a purchase and sale", isTrip],
  ])("is quoted as usual if the host refuses to simulate %s early", async (_, isOf) => {
    await quote({}, memory);
    hosts[0].lie = refusing(isOf);
    expect(await requestsFor()).toBe(2);
  });

  it("is quoted as usual if the host names another rent", async () => {
    await quote({}, memory);
    // Opens the host again, because it keeps rents for an hour.
    reader = await solReaderOf(chain, hosts, { payer });
    hosts[0].lie = (method, result, [bytes]) =>
      method === "getMinimumBalanceForRentExemption" && bytes === 165 ? Number(result) - 1 : result;
    expect(await requestsFor()).toBe(2);
  });
});

describe("hosts that agree on a remembered purchase", () => {
  it("are asked once more only about a blockhash that one of them must know", async () => {
    const methods: string[][] = [[], []];
    const memories = new Map<object, TrialMemory>();
    const memoryFor = (host: object) => {
      const known = memories.get(host) ?? new TrialMemory();
      memories.set(host, known);
      return known;
    };
    async function ask(lies: readonly TestSolHost["lie"][]) {
      for (const [index, host] of hosts.entries()) {
        methods[index] = [];
        host.lie = (method, result, params) => {
          methods[index]?.push(method);
          return lies[index]?.(method, result, params) ?? result;
        };
      }
      const trade = { side: "buy", token: chain.deployment.tokens.MOON.mint, amount: "1" } as const;
      return quotesOfSolHosts(reader, { trade, wallet, orders: [] }, 1, Date.now, undefined, memoryFor);
    }
    await ask([]);
    const old = await olderBlockhash(chain, hosts[0]);
    const quotes = await ask([naming(old)]);
    const simulations = methods.map((each) => each.filter((method) => method === "simulateTransaction"));
    expect(simulations.map(({ length }) => length)).toEqual([2, 2]);
    expect(methods[0]).not.toContain("isBlockhashValid");
    expect(methods[1]?.slice(-2).toSorted()).toEqual(["getEpochInfo", "isBlockhashValid"]);
    for (const each of quotes) expect(each).toMatchObject({ forPlanning: { blockhash: { hash: old.hash } } });
  });
});
