import { quoteBasis, quotePauseMs } from "trading-terminal-client/markets";
import type { EvmChain } from "../../lib/core/chain-facts.ts";
import { seededRandom } from "../../lib/local/src/random.ts";
import { inVirtualTime } from "../support/virtual-clock.ts";
import { countsOf } from "./host-requests.ts";
import type { QuoteShape } from "./quote-shapes.ts";
import { TimedChain } from "./timed-chain.ts";

export type LoadOptions = {
  chain: EvmChain;
  /** Users with an open form. */
  users: number;
  /** Milliseconds between two quotes of a form, or the pace of the client. */
  asks: number | "on change";
  shape: QuoteShape;
  minutes?: number;
  seed?: number;
};

export type Load = {
  /** Quotes of a user in a minute. */
  quotes: number;
  /** Units that all hosts bill for a user in a minute. */
  units: number;
};

const startMs = Date.UTC(2026, 10, 21, 20);

const roundTripMs = 40;

type Token = `0x${string}`;

/** Users choose among ten tokens, the first one most often. */
const tokens = Array.from({ length: 10 }, (_, index): Token => `0x${String(index).padStart(40, "0")}`);

/** A user changes the token after this time. */
const tradeMs = 30_000;

/** Share of the tokens whose price changes in each second, as in `npm run bench:markets`. */
const traded = 0.2;

/** Time from a block until clients have its prices. */
const marketLagMs = 1300;

const warmUpMs = 30_000;

const pause = (ms: number) => new Promise<void>((end) => void setTimeout(end, ms));

/** Lets users quote with open forms in virtual time, and counts what hosts are asked. */
export const loadOfQuotes = (options: LoadOptions): Promise<Load> =>
  inVirtualTime(startMs, () => new QuoteLoad(options).run());

class QuoteLoad {
  readonly #options: LoadOptions;
  readonly #chain: TimedChain;
  readonly #random;
  /** The newest price of each token that clients know, with its block. */
  readonly #prices = tokens.map(() => ({ price: "0", block: 0 }));
  #isCounting = false;
  #isOver = false;
  #quotes = 0;
  #units = 0;

  constructor(options: LoadOptions) {
    const { chain, seed = 1 } = options;
    this.#options = options;
    this.#random = seededRandom(seed);
    this.#chain = new TimedChain(chain, { lateSeconds: 0, jumpSeconds: 1 });
  }

  async run(): Promise<Load> {
    const { users, minutes = 5 } = this.#options;
    const all = [this.#market(), ...Array.from({ length: users }, () => this.#user())];
    await pause(warmUpMs);
    this.#isCounting = true;
    await pause(minutes * 60_000);
    this.#isCounting = false;
    this.#isOver = true;
    await Promise.all(all);
    return { quotes: this.#quotes / users / minutes, units: this.#units / users / minutes };
  }

  /** Changes prices at random, and tells clients later. */
  async #market(): Promise<void> {
    for (let second = 0; !this.#isOver; second++) {
      await pause(1000);
      for (const index of tokens.keys()) {
        if (this.#random() >= traded) continue;
        // A swap is in the next block.
        const block = this.#chain.latest().number + 1;
        const lagMs = Math.max(0, this.#chain.msOf(block) - Date.now()) + marketLagMs;
        void pause(lagMs).then(() => {
          this.#prices[index] = { price: String(second), block };
        });
      }
    }
  }

  async #user(): Promise<void> {
    await pause(this.#random() * tradeMs);
    // The first tokens are the most popular ones.
    while (!this.#isOver) await this.#form(tokens[Math.floor(this.#random() ** 2 * tokens.length)] as Token);
  }

  /** Keeps a form for one token open, and quotes it as the console does. */
  async #form(token: Token): Promise<void> {
    const { chain, asks } = this.#options;
    const untilMs = Date.now() + tradeMs;
    const record = { chain, token, flags: [], revision: 0, asOf: "2026-11-21T20:00:00.000Z" } as const;
    const state = () => ({ markets: [{ ...record, ...this.#prices[tokens.indexOf(token)] }] }) as never;
    let basis: ReturnType<typeof quoteBasis> | undefined;
    let arrivedMs = 0;
    while (Date.now() < untilMs && !this.#isOver) {
      const pauseMs = asks === "on change" ? quotePauseMs(basis, state()) : asks;
      if (Date.now() - arrivedMs >= pauseMs) {
        basis = quoteBasis({ chain, token, block: await this.#quote() }, state());
        arrivedMs = Date.now();
      }
      await pause(500);
    }
  }

  /** Counts a quote's questions, waits for the answers, and returns the block. */
  async #quote(): Promise<number> {
    const { number } = this.#chain.latest();
    if (this.#isCounting) this.#quotes++;
    for (const methods of this.#options.shape) {
      const calls = methods.map((method) => ({ method, params: [] }));
      if (this.#isCounting) this.#units += countsOf([{ calls, at: 0 }]).units;
      await pause(roundTripMs);
    }
    return number;
  }
}
