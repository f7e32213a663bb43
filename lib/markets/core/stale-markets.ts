import { ServiceError } from "../../core/service-error.ts";

/** Age of a chain's newest block from which its markets mislead, and time between two warnings of it. */
const mostMs = 60_000;

/** Reports that followers see old prices. An alarm counts these reports. */
export const staleMarkets = (): ServiceError =>
  new ServiceError("Followers of tokens get no new prices", { code: "MARKETS_STALE" });

type Read = { chain: string; isWanted: boolean; head: { time: number } | undefined };

/** Notices chains whose newest block is a minute old although somebody follows their tokens. */
export class StaleHeads {
  /** Time until which a chain is not looked at: it has just become wanted, or was reported. */
  readonly #quietUntilMs = new Map<string, number>();

  /** @returns the chains to report, with the ages of their newest blocks in seconds, if they have one */
  note(chains: readonly Read[], nowMs: number): { chain: string; ageSeconds?: number }[] {
    return chains.flatMap(({ chain, isWanted, head }) => {
      const quietUntilMs = this.#quietUntilMs.get(chain);
      if (!isWanted) {
        this.#quietUntilMs.delete(chain);
        return [];
      }
      if (quietUntilMs === undefined) this.#quietUntilMs.set(chain, nowMs + mostMs);
      if (quietUntilMs === undefined || nowMs < quietUntilMs) return [];
      const ageMs = head === undefined ? undefined : nowMs - head.time * 1000;
      if (ageMs !== undefined && ageMs <= mostMs) return [];
      this.#quietUntilMs.set(chain, nowMs + mostMs);
      return [{ chain, ...(ageMs !== undefined && { ageSeconds: Math.round(ageMs / 1000) }) }];
    });
  }
}
