import { callAnvil } from "trading-terminal-devnet/evm/call-anvil";
import { openEvmMarket } from "trading-terminal-devnet/evm/evm-market";
import { startTestChain } from "trading-terminal-devnet/evm/test-chain";
import { openSolMarket } from "trading-terminal-devnet/sol/sol-market";
import { expect, it } from "vitest";
import { EvmPrices } from "../../../lib/chains/evm/quotes/prices.ts";
import type { TokenPrices } from "../../../lib/chains/hosts/token-prices.ts";
import { SolPrices } from "../../../lib/chains/sol/quotes/prices.ts";
import { judgedTokens } from "../../replay/places.ts";
import { outOf, type PriceRecord } from "../../replay/pools.ts";
import { recordEvm } from "../../replay/record-evm.ts";
import { recordSol } from "../../replay/record-sol.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";

/** Amounts so large that rounding to units of USDX does not show. */
const amounts = { buy: [10n ** 16n, 5n * 10n ** 16n], sell: [50n * 10n ** 18n, 300n * 10n ** 18n] } as const;

const { chain: surfnet, hosts } = solDeskForTests();

type Judged = { records: readonly PriceRecord[]; prices: Pick<TokenPrices, "priceWords">; scale?: bigint };

/** Compares what amounts bring according to the judge and according to the service. */
async function compared({ records, prices, scale = 1n }: Judged) {
  const found: number[] = [];
  for (const [token, market] of records[0]?.markets ?? [])
    for (const side of ["buy", "sell"] as const) {
      const asked = amounts[side].map((each) => ({ side, token, amount: each / scale, distances: [] }));
      const words = await prices.priceWords(asked);
      for (const [index, { amount }] of asked.entries())
        found.push(outOf(market, side, amount) / Number(words[index]?.[0]?.out));
    }
  return found;
}

const equal = (count: number) => Array.from({ length: count }, () => expect.closeTo(1, 4));

it.each(["base", "avax"] as const)(
  "the judge computes on %s what the service asks the pools",
  async (name) => {
    await using stack = new AsyncDisposableStack();
    const chain = await startTestChain({ chain: name });
    stack.defer(() => chain.close());
    const { url } = chain;
    for (const token of Object.keys(judgedTokens)) {
      const market = await openEvmMarket({ chain: name, url, token, patienceMs: 0 });
      await market.moveTo(1.07);
    }
    const records: PriceRecord[] = [];
    await recordEvm({ chain: name, requestAll: (calls) => callAnvil(url, calls) }, records)();
    const prices = new EvmPrices(readerOf(chain));
    expect(await compared({ records, prices })).toEqual(equal(16));
  },
);

it("the judge computes on sol what the service computes from accounts", async () => {
  const records: PriceRecord[] = [];
  const request = <Result>(method: string, ...params: unknown[]) =>
    surfnet.request(method, params) as Promise<Result>;
  const { deployment } = surfnet;
  for (const { mint } of [deployment.tokens.FEEZ, deployment.pump.curves.BEND]) {
    const market = await openSolMarket(surfnet.request, deployment, mint);
    // Raises BEND into another tier of fees.
    await market.moveTo(1.4);
  }
  await recordSol({ deployment, request }, records)();
  const prices = new SolPrices(await solReaderOf(surfnet, hosts, { pumpTable: deployment.pump.table }));
  expect(await compared({ records, prices, scale: 10n ** 9n })).toEqual(equal(16));
});
