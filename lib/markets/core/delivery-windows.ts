import { type Least, type MarketDelivery, phases } from "./market-delivery.ts";

/** Clients get the heads at least this often, and everything at least this often. */
const headsMs = 10_000;
const everythingMs = 30_000;

/** The state of connections of one pace and phase. */
type Group = { sinceMs: number; headsMs: number; everythingMs: number };

const newGroup = (): Group => ({ sinceMs: 0, headsMs: 0, everythingMs: 0 });

/** Parts of a delivery that determine which changes its connections already have. */
export type Due = Pick<MarketDelivery["markets"], "fast" | "slow" | "newConnections" | "listSinceMs">;

/**
 * Knows how far the connections of a shard are. Windows stay where they are until a delivery succeeds, so the next one has what
 * the last one failed to bring.
 */
export class DeliveryWindows {
  readonly #fast = newGroup();
  readonly #slow = Array.from({ length: phases }, newGroup);
  /** Connections that get everything, with the time at which they last changed their tokens. */
  readonly #newConnections = new Map<string, number>();
  #listSinceMs = 0;

  /** Notes connections that have changed their tokens, so that they get everything. */
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
      newConnections: [...this.#newConnections.keys()],
      listSinceMs: this.#listSinceMs,
    };
  }

  /** Notes that the delivery due at a time has arrived. */
  delivered({ fast, slow, newConnections }: Due, atMs: number): void {
    advance(this.#fast, fast.least, atMs);
    advance(this.#slow[slow.phase] as Group, slow.least, atMs);
    // One that has changed again meanwhile has not got everything.
    for (const connectionId of newConnections)
      if ((this.#newConnections.get(connectionId) ?? atMs) <= atMs) this.#newConnections.delete(connectionId);
  }
}

const leastOf = (group: Omit<Group, "sinceMs">, atMs: number): Least => {
  if (atMs - group.everythingMs >= everythingMs) return "everything";
  return atMs - group.headsMs >= headsMs ? "heads" : "changes";
};

function advance(group: Group, least: Least, atMs: number): void {
  // Something may have changed in the same millisecond, but later.
  group.sinceMs = atMs - 1;
  if (least !== "changes") group.headsMs = atMs;
  if (least === "everything") group.everythingMs = atMs;
}
