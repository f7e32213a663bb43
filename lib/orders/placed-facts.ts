import { DomainError } from "../core/domain-error.ts";
import type { LaneView } from "./effects.ts";
import type { FamilyTypes } from "./family.ts";
import type { TradeOrder } from "./trade-order.ts";

/** The facts that both hosts gave when an order was placed. Its job stores them for the first run, as text. */
export type PlacedFacts<Host> = {
  /** Identifies the configuration of the chain, including its hosts. */
  setup: string;
  /** The jobs of the lane, including the new one. */
  jobs: number;
  hosts: readonly [Host, Host];
};

/** Returns each host's facts for planning. Undefined for a host that refused the trade, or has none. */
export const planningFactsIn = <Facts>(
  quotes: readonly (DomainError | { forPlanning?: Facts } | undefined)[],
): (Facts | undefined)[] =>
  quotes.map((quote) => (quote instanceof DomainError ? undefined : quote?.forPlanning));

/** Maximum age of the facts, counted from the request that asked for them. */
const mostAgeMs = 2000;

const isFresh = ({ placed }: TradeOrder, nowMs: number): boolean => {
  const ageMs = nowMs - Date.parse(placed.createdAt);
  return ageMs >= 0 && ageMs <= mostAgeMs;
};

const separator = "|";

/** Writes the facts as short text, so that most jobs stay below a kilobyte. Hosts that say the same share their text. */
export function placedText<Host>(
  { setup, jobs, hosts: [a, b] }: PlacedFacts<Host>,
  textOf: (host: Host) => string,
): string {
  const [one, other] = [textOf(a), textOf(b)];
  return [setup, String(jobs), one, ...(other === one ? [] : [other])].join(separator);
}

/**
 * Reads the text of {@link placedText}. Undefined for any other text.
 *
 * @param hostIn Reads the text of one host, and throws a SyntaxError for any other text.
 */
export function readPlaced<Host>(
  text: string,
  hostIn: (text: string) => Host,
): PlacedFacts<Host> | undefined {
  const [setup = "", jobs = "", one = "", other = one, ...more] = text.split(separator);
  try {
    const hosts = [hostIn(one), hostIn(other)] as const;
    return more.length > 0 ? undefined : { setup, jobs: countIn(jobs), hosts };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @throws {SyntaxError} */
export function unitsIn(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,78}$/.test(text)) throw new SyntaxError("A fact is not a whole number");
  return BigInt(text);
}

/** @throws {SyntaxError} */
export function countIn(text: string | undefined): number {
  const count = Number(unitsIn(text));
  if (!Number.isSafeInteger(count)) throw new SyntaxError("A fact is too large");
  return count;
}

/**
 * True if the order can change only when the chain drops a transaction. An expired order also depends on the latest
 * block.
 */
const isOver = ({ life }: TradeOrder) => life.status !== "open" && life.status !== "expired";

/**
 * Returns a lane's newest order and the facts from its placing, provided that they still apply: they are fresh, no run
 * has touched the order, all other orders have ended, and the chain's configuration is the same. A function that can
 * write the job can invent the facts, so they serve only to plan, and the signer checks the plan.
 *
 * @param setup Identifies the chain's current configuration.
 */
export function placedFacts<F extends FamilyTypes, Host>(
  { jobs, orders }: LaneView<F>,
  { setup, nowMs }: { setup: string; nowMs: number },
  factsIn: (text: string, intent: F["intent"]) => PlacedFacts<Host> | undefined,
): { intent: F["intent"]; hosts: readonly [Host, Host] } | undefined {
  const order = orders.at(-1);
  const text = jobs.find(({ orderId }) => orderId === order?.intent.orderId)?.facts;
  const facts = order && text !== undefined ? factsIn(text, order.intent) : undefined;
  if (order === undefined || facts === undefined || order.revision > 1) return undefined;
  const isWhole = facts.setup === setup && facts.jobs === jobs.length;
  const areOver = orders.every((each) => each === order || isOver(each));
  return isFresh(order, nowMs) && isWhole && areOver
    ? { intent: order.intent, hosts: facts.hosts }
    : undefined;
}
