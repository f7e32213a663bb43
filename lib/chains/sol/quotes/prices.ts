import type { Address } from "@solana/web3.js";
import type { LegQuestion, SumsQuestion } from "../../../orders/resting/firing.ts";
import type { Ladders } from "../../../orders/resting/selection.ts";
import type { PriceWords } from "../../../orders/resting/touch.ts";
import { askHost } from "../../hosts/host-group.ts";
import type { TokenPrices } from "../../hosts/token-prices.ts";
import { cpmmConfigsOf } from "../calls/cpmm-configs.ts";
import { final } from "../calls/rpc-call.ts";
import { paymentsOf, type TokenView, tokenViewCall } from "../calls/token-view.ts";
import { areSlotsNear, blockOfSlot } from "../rules/host-snapshot.ts";
import type { SolReader } from "../venues/reader.ts";

const freshMs = 1000;

type Views = readonly [TokenView | undefined, TokenView | undefined];

/** Computes from the accounts that two hosts show what a token's pools pay. Serves one run about a few orders. */
export class SolPrices implements TokenPrices {
  readonly #reader: Pick<SolReader, "configuration" | "client">;
  readonly #nowMs: () => number;
  readonly #views = new Map<string, { views: Promise<Views>; untilMs: number }>();

  constructor(reader: Pick<SolReader, "configuration" | "client">, nowMs: () => number = Date.now) {
    this.#reader = reader;
    this.#nowMs = nowMs;
  }

  priceWords(questions: readonly LegQuestion[]): Promise<PriceWords[]> {
    return Promise.all(questions.map((question) => this.#wordsOf(question)));
  }

  async quoteSums({ side, token, sums }: SumsQuestion): Promise<Ladders> {
    const ladderOf = (view: TokenView | undefined) =>
      view?.pools.map((pool) =>
        sums.map((sum) => paymentsOf({ pools: [pool] }, side, sum)[0]?.amountOut ?? 0n),
      );
    const [a, b] = await this.#viewsOf(token);
    return [ladderOf(a), ladderOf(b)];
  }

  async #wordsOf({ side, token, amount }: LegQuestion): Promise<PriceWords> {
    const wordOf = (view: TokenView | undefined) =>
      view && {
        head: { ...blockOfSlot(view.slot), time: Number(view.time) },
        out: paymentsOf(view, side, amount)[0]?.amountOut,
        before: new Map(),
        // All pools are computed from one answer.
        hasBest: true,
      };
    const [a, b] = await this.#viewsOf(token);
    return [wordOf(a), wordOf(b)];
  }

  #viewsOf(token: string): Promise<Views> {
    const known = this.#views.get(token);
    if (known !== undefined && this.#nowMs() < known.untilMs) return known.views;
    const views = this.#read(token as Address);
    this.#views.set(token, { views, untilMs: this.#nowMs() + freshMs });
    return views;
  }

  /** Reads the token at two hosts that see about the same slot. Asks the other hosts only if the first two do not. */
  async #read(mint: Address): Promise<Views> {
    const { configuration, client } = this.#reader;
    const hosts = client.inOrder();
    const configs = cpmmConfigsOf(configuration);
    const pumpTable = configuration.pumpTable as Address | undefined;
    const call = await tokenViewCall(mint, { cpmmConfigs: await configs.toRead(), pumpTable }, final);
    const seen: TokenView[] = [];
    for (const asked of [hosts.slice(0, 2), hosts.slice(2)]) {
      const answers = await Promise.all(asked.map((host) => askHost(host, [call] as const)));
      const views = answers.flatMap((answer) => ("values" in answer ? (answer.values[0] ?? []) : []));
      for (const view of views) configs.note(view);
      seen.push(...views);
      const [only] = seen;
      if (hosts.length === 1) return [only, only];
      for (const [index, a] of seen.entries()) {
        const b = seen.slice(index + 1).find((each) => areSlotsNear(a.slot, each.slot));
        if (b !== undefined) return [a, b];
      }
    }
    return [seen[0], undefined];
  }
}
