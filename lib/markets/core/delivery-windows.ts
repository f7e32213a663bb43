import { type Least, type MarketDelivery, phases } from "./market-delivery.ts";

/** Maximum time until clients get the heads of the chains again, and until they get everything again. */
const headsMs = 10_000;
const everythingMs = 30_000;

/** Maximum number of new connections that a delivery serves. Others follow a second later. */
const mostNewConnections = 1000;

/** Progress of connections that share a pace and a phase. */
type Group = { sinceMs: number; headsMs: number; everythingMs: number };

const newGroup = (): Group => ({ sinceMs: 0, headsMs: 0, everythingMs: 0 });

/** Parts of a delivery that decide which changes are new to its connections. */
export type Due = Pick<MarketDelivery["markets"], "fast" | "slow" | "newConnections" | "listSinceMs">;

/**
 * Keeps track of what the connections of a shard already have. A window moves only when a delivery succeeds, so the
 * next delivery repeats what a failed one did not bring.
 */
export class DeliveryWindows {
  readonly #fast = newGroup();
  readonly #slow = Array.from({ length: phases }, newGroup);
  /** Connections that get everything in the next delivery, each with the time when it last changed its tokens. */
  readonly #newConnections = new Map<string, number>();
  #listSinceMs = 0;

  /** Notes connections that have changed their tokens, so that the next delivery brings them everything. */
  addConnections(connectionIds: readonly string[], nowMs: number): void {
    if (connectionIds.length === 0) return;
    for (const connectionId of connectionIds) this.#newConnections.set(connectionId, nowMs);
    this.#listSinceMs = nowMs;
  }

  /** Returns the changes that are due at a time. */
  dueAt(atMs: number): Due {
    const phase = Math.floor(atMs / 1000) % phases;
    const window = ({ sinceMs, ...group }: Group) => ({ sinceMs, least: leastOf(group, atMs) });
    return {
      fast: window(this.#fast),
      slow: { ...window(this.#slow[phase] as Group), phase },
      newConnections: [...this.#newConnections.keys()].slice(0, mostNewConnections),
      listSinceMs: this.#listSinceMs,
    };
  }

  /** Notes that the delivery due at a time has arrived. */
  delivered({ fast, slow, newConnections }: Due, atMs: number): void {
    advance(this.#fast, fast.least, atMs);
    advance(this.#slow[slow.phase] as Group, slow.least, atMs);
    // Keeps connections that have changed their tokens again in the meantime, because they have not got everything yet.
    for (const connectionId of newConnections)
      if ((this.#newConnections.get(connectionId) ?? atMs) <= atMs) this.#newConnections.delete(connectionId);
  }
}

const leastOf = (group: Omit<Group, "sinceMs">, atMs: number): Least => {
  if (atMs - group.everythingMs >= everythingMs) return "everything";
  return atMs - group.headsMs >= headsMs ? "heads" : "changes";
};

function advance(group: Group, least: Least, atMs: number): void {
  // Goes back a millisecond, because something may have changed later in the same millisecond.
  group.sinceMs = atMs - 1;
  if (least !== "changes") group.headsMs = atMs;
  if (least === "everything") group.everythingMs = atMs;
}
