import type { Address } from "@solana/web3.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quotesOfSolHosts } from "../../../../lib/chains/sol/quotes/quotes-of-hosts.ts";
import { jointSolQuote } from "../../../../lib/chains/sol/rules/joint-facts.ts";
import type { SolHostQuote, SolQuoteQuestion } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import {
  scaling,
  seeing,
  solDeskForTests,
  solReaderOf,
  startTestSolHost,
  type TestSolHost,
} from "../../../support/sol-reader.ts";

const { chain, hosts } = solDeskForTests();
let third: TestSolHost;
let wallet: Address;
beforeAll(async () => {
  third = await startTestSolHost(chain);
  wallet = (await chain.newWallet(10n ** 10n)).address;
});
afterAll(() => third.close());

const slippage = 1;
const fair = 9_955_139_496n;

/** Makes a clock that expires after this many rounds. */
const rounds = (count: number) => {
  let reads = 0;
  return () => 700 * (reads++ >= count ? 10 : 0);
};

async function ask(
  asked: readonly TestSolHost[],
  changes: Partial<SolQuoteQuestion["trade"]> = {},
  count = 1,
) {
  const token = chain.deployment.tokens.MOON.mint;
  const trade = { side: "buy", token, amount: "1", ...changes } as const;
  const reader = await solReaderOf(chain, asked);
  const question = { trade, wallet, orders: [] };
  const quotes = await quotesOfSolHosts(reader, question, slippage, rounds(count));
  return { quotes, joint: jointSolQuote(...quotes, slippage) };
}

const codesOf = (quotes: readonly SolHostQuote[]) =>
  quotes.map((quote) => (quote instanceof Error ? quote.code : quote && "quoted"));

/** Scales what the pool pays, in thousandths. */
const paying = (thousandths: bigint) => scaling(chain.deployment.tokens.MOON.vaults.token, thousandths);

const behind = (slots: number) =>
  seeing((answer) => {
    answer.context.slot -= slots;
  });

describe("quotesOfSolHosts", () => {
  it("returns the quotes of two hosts that agree", async () => {
    const { quotes, joint } = await ask(hosts);
    expect(codesOf(quotes)).toEqual(["quoted", "quoted"]);
    expect(joint).toMatchObject({ amountOut: fair, held: { coins: 10n ** 10n, tokens: 0n } });
  });

  it("accepts the answers of a single host", async () => {
    const { quotes } = await ask(hosts.slice(0, 1));
    expect(quotes[0]).toBe(quotes[1]);
  });

  it("uses the greater output if the hosts differ by only a part of the slippage", async () => {
    hosts[1].lie = paying(998n);
    expect((await ask(hosts)).joint).toMatchObject({ amountOut: fair });
    hosts[1].lie = paying(1002n);
    const { joint } = await ask(hosts);
    expect(joint).toMatchObject({ amountOut: expect.toSatisfy((out: bigint) => out > fair) });
  });

  it.each<[string, () => TestSolHost["lie"]]>([
    ["pays much less", () => paying(990n)],
    ["pays twice as much", () => paying(2000n)],
    ["is 21 slots and more behind", () => behind(60)],
    [
      "shows another mint",
      () =>
        seeing(({ value }, addresses) => {
          const account = value[addresses.indexOf(chain.deployment.tokens.MOON.mint)];
          if (!account) return;
          const data = Buffer.from(account.data[0], "base64");
          data.writeUInt8(7, 44);
          account.data[0] = data.toString("base64");
        }),
    ],
    [
      "shows another balance",
      () =>
        seeing(({ value }, addresses) => {
          const account = value[addresses.indexOf(wallet)];
          if (account) account.lamports += 1;
        }),
    ],
    [
      "shows no accounts",
      () =>
        seeing((answer) => {
          answer.value = answer.value.map(() => null);
        }),
    ],
    [
      "shows no pool",
      () =>
        seeing(({ value }, addresses) => {
          value[addresses.indexOf(chain.deployment.tokens.MOON.pool)] = null;
        }),
    ],
    ["answers null", () => () => null],
    [
      "is of another cluster",
      () => (method, result) =>
        method === "getGenesisHash" ? "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d" : result,
    ],
  ])("finds no agreement with a host that %s, and queries a third host", async (_, lie) => {
    hosts[1].lie = lie();
    expect((await ask(hosts)).joint).toBeUndefined();
    const { joint, quotes } = await ask([...hosts, third], {}, 3);
    expect(joint).toMatchObject({ amountOut: fair });
    expect(codesOf(quotes)).toEqual(["quoted", "quoted"]);
  });

  it("tolerates a host that lags a few slots behind", async () => {
    hosts[1].lie = behind(2);
    expect((await ask(hosts)).joint).toMatchObject({ amountOut: fair });
  });

  it("queries again until the hosts agree", async () => {
    let looks = 0;
    const lie = paying(900n);
    hosts[1].lie = (method, result, params) =>
      method === "getMultipleAccounts" && looks++ === 0 ? lie(method, result, params) : result;
    expect((await ask(hosts, {}, 3)).joint).toMatchObject({ amountOut: fair });
  });

  it("agrees on a refusal that two hosts share", async () => {
    const { quotes, joint } = await ask(hosts, { token: wallet });
    expect(codesOf(quotes)).toEqual(["TOKEN_NOT_FOUND", "TOKEN_NOT_FOUND"]);
    expect(joint).toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });
});
