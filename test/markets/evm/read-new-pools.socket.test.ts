import { getAddress } from "ethers/address";
import { creationOfToken, deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, v2Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lookSeconds, type NewTokens, newTokensIn } from "../../../lib/markets/core/new-tokens.ts";
import { openEvmNewPools } from "../../../lib/markets/evm/read-new-pools.ts";
import { figures } from "../../../lib/tools/documents/assumptions.ts";
import { unitsOf } from "../../../lib/tools/documents/host-units.ts";
import { readerOf } from "../../support/chain-reader.ts";

let chain: TestChain;
let first: SecondHost;
let second: SecondHost;
/** Methods that both hosts were asked for. */
let asked: string[];
beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
  const chainUrl = chain.url;
  [first, second] = await Promise.all([startSecondHost({ chainUrl }), startSecondHost({ chainUrl })]);
});
afterAll(() => Promise.all([chain.close(), first.close(), second.close()]));

type Lie = SecondHost["lie"];

/** Lets the second host change its replies. */
function letSecondHost(lie: Lie = (_, reply) => reply): void {
  const noting =
    (next: Lie): Lie =>
    (question, reply) => {
      if (question.method !== "eth_chainId") asked.push(question.method);
      return next(question, reply);
    };
  first.lie = noting((_, reply) => reply);
  second.lie = noting(lie);
}

beforeEach(async () => {
  asked = [];
  letSecondHost();
  await chain.restore();
});

const coins = (count: number) => BigInt(count) * 10n ** 18n;
const { v2Router, moon, taxd, trap } = localAddresses;

/** Makes a token with a pool on Uniswap v2. */
async function makeToken(name: string, symbol: string, pooled = coins(20)): Promise<string> {
  const [token] = await chain.deploy(creationOfToken("Token", name, symbol, 18, coins(1000)));
  if (token == null) throw new Error("The token was not created");
  await chain.deploy(
    approval(token, v2Router),
    v2Liquidity({ v2Router }, deployer, { token, coins: pooled, tokens: coins(500) }),
  );
  return getAddress(token);
}

function discovery() {
  const read = openEvmNewPools(readerOf(chain, { hosts: [first.url, second.url] }));
  let known: NewTokens | undefined;
  let nowMs = Date.now();
  /** Reads until all tokens have been looked at. */
  return async (turns = 10) => {
    for (let turn = 0; turn < turns; turn++) {
      nowMs += lookSeconds.between * 1000;
      known = await read(known, nowMs);
    }
    return newTokensIn(known as NewTokens, nowMs / 1000);
  };
}

describe("openEvmNewPools", () => {
  it("finds a pool that was just made, with its token's depth, flags and taxes, and the chain's other new pools", async () => {
    const read = discovery();
    const before = await read();
    const of = (token: string) => before.find((each) => each.token === token);
    expect(of(moon)).toMatchObject({
      symbol: "MOON",
      listed: true,
      liquidity: "2",
      pool: { isConfirmed: true },
    });
    expect(of(taxd)).toMatchObject({
      buyTax: 5,
      sellTax: 5,
      sellable: true,
      flags: expect.arrayContaining(["TAXED"]),
    });
    expect(of(trap)).toMatchObject({ sellable: false, flags: expect.arrayContaining(["CANNOT_SELL"]) });

    const token = await makeToken("\u{1f680}".repeat(32), "\u202eNEW");
    const [newest, ...others] = await read(1);
    expect(newest).toMatchObject({
      token,
      sellable: true,
      listed: false,
      flags: expect.arrayContaining(["NOT_LISTED", "ODD_METADATA"]),
      pool: { venue: "uniswap-v2", isConfirmed: true },
    });
    expect(newest?.symbol).not.toContain("\u202e");
    expect(Number(newest?.liquidity)).toBeGreaterThan(0.1);
    expect(others).toHaveLength(before.length);
  });

  it("shows a pool of one host as unconfirmed until the other host shows it, too", async () => {
    const read = discovery();
    await read();
    letSecondHost(({ method }, reply) => (method === "eth_getLogs" ? { result: [] } : reply));
    const token = await makeToken("New", "NEW");
    expect((await read(1))[0]).toMatchObject({ token, pool: { isConfirmed: false } });
    letSecondHost();
    expect((await read(1))[0]).toMatchObject({ token, pool: { isConfirmed: true } });
  });

  it("drops a pool that a reorganisation takes back", async () => {
    const read = discovery();
    await read();
    const snapshot = await chain.request("evm_snapshot");
    const token = await makeToken("New", "NEW");
    expect((await read(1))[0]).toMatchObject({ token });
    await chain.request("evm_revert", [snapshot]);
    await chain.mine(3);
    expect((await read(1)).map((each) => each.token)).not.toContain(token);
  });

  it("shows no pool that is empty", async () => {
    const read = discovery();
    await read();
    const token = await makeToken("New", "NEW", 10n ** 15n);
    expect((await read(2)).map((each) => each.token)).not.toContain(token);
  });

  it("does not believe a host that claims blocks that do not exist, and continues with one that answers", async () => {
    const read = discovery();
    const far = { number: "0xffffff", hash: `0x${"1".repeat(64)}`, timestamp: "0x1" };
    letSecondHost(({ method }, reply) => (method === "eth_getBlockByNumber" ? { result: far } : reply));
    expect(await read()).not.toEqual([]);
    const refusal = { error: { code: -32601, message: "the method does not exist" } };
    letSecondHost(({ method }, reply) => (method === "eth_getLogs" ? refusal : reply));
    const token = await makeToken("New", "NEW");
    expect((await read(1))[0]).toMatchObject({ token, pool: { isConfirmed: false } });
  });

  it("asks each of two hosts for one range in a turn, and looks at one token at most", async () => {
    const read = discovery();
    await read();
    asked = [];
    await read(1);
    // The call reads what empty pools hold, which may be filled later.
    expect(asked.toSorted()).toEqual([
      "eth_call",
      ...["eth_getBlockByNumber", "eth_getBlockByNumber"],
      ...["eth_getLogs", "eth_getLogs"],
    ]);
    await makeToken("One", "ONE");
    await makeToken("Two", "TWO");
    asked = [];
    await read(1);
    expect(unitsOf(asked)).toBeLessThanOrEqual(figures.newPoolUnits);
    expect(unitsOf(asked)).toBeGreaterThan(0.8 * figures.newPoolUnits);
  });
});
