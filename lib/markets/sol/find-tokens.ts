import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import { delay } from "../../core/time.ts";
import type { FindPools } from "../core/market.ts";
import type { TokenWithPools } from "../core/market-book.ts";
import { referenceFirst } from "../core/reference.ts";
import { decimalsOfCoin, type SolPool, SolPoolReader, type SolToken } from "./pools.ts";
import { agreedToken } from "./rules/agreed-token.ts";
import { priceAtState } from "./rules/sample-book.ts";
import { Witnesses } from "./rules/witnesses.ts";

/** Tokens on which the hosts agree. Undefined for an address that is not a token. */
export type FoundTokens = ReadonlyMap<string, TokenWithPools<SolPool> | undefined>;

/** The answer of a host. Undefined if it does not answer, or shows an older slot than before. */
type Shown = { host: string; tokens: ReadonlyMap<string, SolToken> | undefined };

/** Reads tokens at the two hosts whose last failures are longest ago, or at one if the chain has no other. */
export class SolTokenFinder {
  readonly #reader: SolReader;
  readonly #readers: ReadonlyMap<unknown, { host: string; reader: SolPoolReader }>;

  constructor(reader: SolReader) {
    this.#reader = reader;
    const { client } = reader;
    this.#readers = new Map(
      client.inOrder().map((host, index) => [
        host,
        {
          host: `host ${index}`,
          reader: new SolPoolReader({ ...reader, client: { ...client, inOrder: () => [host] } }),
        },
      ]),
    );
  }

  /**
   * Returns each host's answers.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  async shown(tokens: readonly string[], nowMs: number): Promise<Shown[]> {
    const readers = this.#reader.client.inOrder().flatMap((host) => this.#readers.get(host) ?? []);
    const faults: ChainUnavailable[] = [];
    const shown = await Promise.all(
      readers.slice(0, 2).map(async ({ host, reader }): Promise<Shown> => {
        try {
          return { host, tokens: await reader.read(tokens, nowMs) };
        } catch (error) {
          if (!(error instanceof ChainUnavailable)) throw error;
          faults.push(error);
          return { host, tokens: undefined };
        }
      }),
    );
    if (faults.length === shown.length && faults[0] !== undefined) throw faults[0];
    return shown;
  }

  /**
   * Finds tokens with their pools. Leaves out those on which the hosts do not agree.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  async find(tokens: readonly string[], nowMs = Date.now()): Promise<FoundTokens> {
    const [first, second] = await this.shown(tokens, nowMs);
    const [one, other] = [first?.tokens, this.isAlone ? first?.tokens : second?.tokens];
    if (one === undefined || other === undefined) return new Map();
    return new Map(
      tokens.flatMap((token) => {
        const agreed = agreedToken(one.get(token), other.get(token));
        return agreed === "not agreed" ? [] : [[token, agreed] as const];
      }),
    );
  }

  get isAlone(): boolean {
    return this.#readers.size === 1;
  }
}

/** Number of attempts to find a price on which two hosts agree, and the pause between them. */
const mostRounds = 5;
const pauseMs = 400;

/** Makes a function that finds a token with its pools and a price on which two hosts agree. */
export function openSolFinder(reader: SolReader): FindPools {
  const finder = new SolTokenFinder(reader);
  return async (token, nowMs, last) => {
    const witnesses = new Witnesses(finder.isAlone);
    for (let round = 0; round < mostRounds; round++) {
      if (round > 0) await delay(pauseMs);
      const shown = await finder.shown([token], Date.now());
      const [one, other] = [shown[0]?.tokens, shown[finder.isAlone ? 0 : 1]?.tokens];
      if (one === undefined || other === undefined) continue;
      const agreed = agreedToken(one.get(token), other.get(token));
      if (agreed === undefined) return undefined;
      if (agreed === "not agreed") continue;
      const [best, ...others] = referenceFirst(agreed.pools, last, nowMs);
      const { block } = one.get(token) as SolToken;
      if (best === undefined) return { ...agreed, pools: [], block };
      // Notes hosts by their own names, because their order changes when one fails.
      for (const { host, tokens } of shown) {
        const found = tokens?.get(token);
        const pool = found?.pools.find(({ pool: name }) => name === best.pool);
        if (found && pool)
          witnesses.note(host, { ...pool.amounts, slot: found.block.number, time: found.block.time });
      }
      const sighting = witnesses.takeAgreed().at(-1);
      const price =
        sighting &&
        priceAtState({ decimals: agreed.token.decimals, quoteDecimals: decimalsOfCoin }, sighting);
      if (sighting === undefined || price === undefined) continue;
      const pools = [best, ...others].map((pool) => ({ ...pool, price }));
      return { ...agreed, pools, block: { number: sighting.slot, time: sighting.time } };
    }
    throw new ChainUnavailable("No two hosts of sol agree");
  };
}
