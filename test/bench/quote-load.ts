import { quoteBasis, quotePauseMs } from "trading-terminal-client/markets";
import { quoteMemory, shared } from "../../lib/chains/evm/calls/quote-memory.ts";
import type { RpcCall } from "../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../lib/chains/hosts/rpc-host.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";
import { seededRandom } from "../../lib/local/src/random.ts";
import { inVirtualTime } from "../support/virtual-clock.ts";
import { countsOf } from "./host-requests.ts";
import type { QuoteShape, ShapeCall } from "./quote-shapes.ts";
import { TimedChain } from "./timed-chain.ts";

export type LoadOptions = {
  chain: EvmChain;
  /** Users with an open form. */
  users: number;
  /** Containers of quoteOrder. Each quote runs in one of them at random. */
  containers: number;
  /** Milliseconds between two quotes of a form, or the pace of the client. */
  asks: number | "on change";
  remembers: boolean;
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

/** Users choose among ten tokens, the first one most often, and among three amounts, as the console offers them. */
const tokens = Array.from({ length: 10 }, (_, index): Token => `0x${String(index).padStart(40, "0")}`);
const amounts = ["0.1", "0.5", "1"] as const;

/** A user changes the trade after this time. */
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

type Trade = { token: Token; amount: string };

class QuoteLoad {
  readonly #options: LoadOptions;
  readonly #chain: TimedChain;
  readonly #random;
  /** The newest price of each token that clients know, with its block. */
  readonly #prices = tokens.map(() => ({ price: "0", block: 0 }));
  readonly #containers;
  #isCounting = false;
  #isOver = false;
  #quotes = 0;
  #units = 0;

  constructor(options: LoadOptions) {
    const { chain, containers, seed = 1 } = options;
    this.#options = options;
    this.#random = seededRandom(seed);
    this.#chain = new TimedChain(chain, { lateSeconds: 0, jumpSeconds: 1 });
    this.#containers = Array.from({ length: containers }, () => {
      const hosts = [this.#host(), this.#host()] as const;
      return { hosts, memory: quoteMemory(chain, { hosts, inOrder: () => [...hosts] }) };
    });
  }

  async run(): Promise<Load> {
    const { users, minutes = 5 } = this.#options;
    const all = [this.#market(), ...Array.from({ length: users }, (_, wallet) => this.#user(String(wallet)))];
    await pause(warmUpMs);
    this.#isCounting = true;
    await pause(minutes * 60_000);
    this.#isCounting = false;
    this.#isOver = true;
    await Promise.all(all);
    return { quotes: this.#quotes / users / minutes, units: this.#units / users / minutes };
  }

  /** Stands in for a host: answers each question in the same way at each block, and counts its units. */
  #host(): RpcHost {
    const answer = ({ method, params }: RpcCall<unknown>) => {
      if (method !== "eth_getBlockByNumber") return `${params.join()} at ${this.#chain.latest().number}`;
      const { number, hash, time } = this.#chain.latest();
      return { number: `0x${number.toString(16)}`, hash, timestamp: `0x${time.toString(16)}` };
    };
    return {
      request: (async (calls: readonly RpcCall<unknown>[]) => {
        if (this.#isCounting) this.#units += countsOf([{ calls, at: 0 }]).units;
        const values = calls.map((call) => call.read(answer(call)));
        await pause(roundTripMs);
        return values;
      }) as RpcHost["request"],
    };
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

  async #user(wallet: string): Promise<void> {
    await pause(this.#random() * tradeMs);
    while (!this.#isOver) {
      // The first tokens are the most popular ones.
      const trade: Trade = {
        token: tokens[Math.floor(this.#random() ** 2 * tokens.length)] as Token,
        amount: amounts[Math.floor(this.#random() * amounts.length)] ?? amounts[0],
      };
      await this.#form(wallet, trade);
    }
  }

  /** Keeps a form with one trade open, and quotes it as the console does. */
  async #form(wallet: string, trade: Trade): Promise<void> {
    const { chain, asks } = this.#options;
    const { token } = trade;
    const untilMs = Date.now() + tradeMs;
    const record = { chain, token, flags: [], revision: 0, asOf: "2026-11-21T20:00:00.000Z" } as const;
    const state = () => ({ markets: [{ ...record, ...this.#prices[tokens.indexOf(token)] }] }) as never;
    let basis: ReturnType<typeof quoteBasis> | undefined;
    let arrivedMs = 0;
    while (Date.now() < untilMs && !this.#isOver) {
      const pauseMs = asks === "on change" ? quotePauseMs(basis, state()) : asks;
      if (Date.now() - arrivedMs >= pauseMs) {
        basis = quoteBasis({ chain, token, block: await this.#quote(wallet, trade) }, state());
        arrivedMs = Date.now();
      }
      await pause(500);
    }
  }

  /** Asks a quote's questions, and returns its block. */
  async #quote(wallet: string, { token, amount }: Trade): Promise<number> {
    if (this.#isCounting) this.#quotes++;
    const container = this.#containers[Math.floor(this.#random() * this.#containers.length)];
    if (container === undefined) throw new Error("There is no container");
    const { memory, hosts } = container;
    const named = this.#options.remembers ? await memory.atNamedBlock(token) : undefined;
    const number = named?.number ?? this.#chain.latest().number;
    const call = ({ method, scope }: ShapeCall, place: string) => {
      const params = [token, ...(scope === "token" ? [] : [amount]), ...(scope === "wallet" ? [wallet] : [])];
      const asked: RpcCall<unknown> = { method, params: [...params, place], read: String };
      return scope === "wallet" ? asked : shared(asked, [params, place, number]);
    };
    for (const [round, calls] of this.#options.shape.entries())
      await (named?.ask ?? hosts[0].request)(calls.map((each, index) => call(each, `${round} ${index}`)));
    return number;
  }
}
