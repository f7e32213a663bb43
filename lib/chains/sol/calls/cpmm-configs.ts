import type { Address } from "@solana/web3.js";
import type { SolConfiguration } from "../rules/configuration.ts";
import { cpmmConfigOf } from "./cpmm-addresses.ts";
import type { TokenView } from "./token-view.ts";

/** Numbers of Raydium's fee configurations that may exist. One call can read a token's pools under all of them. */
const numbers = Array.from({ length: 16 }, (_, index) => index);

/** Time for which the existing configurations are remembered. */
const memoryMs = 60 * 60_000;

/** Number of looks without a configuration after which it counts as missing. An order looks at each of two hosts. */
export const leastLooks = 2;

/** The fee configurations of Raydium's program. Remembers which of them exist. */
class CpmmConfigs {
  readonly #numbers: readonly number[];
  readonly #existing = new Set<Address>();
  #looks = 0;
  #untilMs = 0;

  constructor({ cpmmConfigs }: Pick<SolConfiguration, "cpmmConfigs">) {
    this.#numbers = cpmmConfigs ?? numbers;
  }

  /** True if the next looks need not try all configurations. */
  areKnown(nowMs: number): boolean {
    return nowMs < this.#untilMs && this.#looks >= leastLooks && this.#existing.size > 0;
  }

  /** Returns the configurations whose pools are worth a look: all possible ones, unless it is known which exist. */
  async toRead(nowMs: number = Date.now()): Promise<readonly Address[]> {
    const all = await Promise.all(this.#numbers.map(cpmmConfigOf));
    if (nowMs >= this.#untilMs) {
      this.#untilMs = nowMs + memoryMs;
      this.#looks = 0;
      this.#existing.clear();
    }
    return this.areKnown(nowMs) ? all.filter((each) => this.#existing.has(each)) : all;
  }

  /** Notes what a host has shown. One host cannot hide a configuration that another one shows. */
  note({ configs }: Pick<TokenView, "configs">): void {
    this.#looks += 1;
    for (const each of configs) this.#existing.add(each);
  }
}

const opened = new WeakMap<object, CpmmConfigs>();

/** Returns the memory of a setup of sol. A function reads its setup once, and keeps it for its whole life. */
export function cpmmConfigsOf(configuration: Pick<SolConfiguration, "cpmmConfigs">): CpmmConfigs {
  const known = opened.get(configuration) ?? new CpmmConfigs(configuration);
  opened.set(configuration, known);
  return known;
}
