import type { TerminalState } from "trading-terminal-client";
import { expect } from "vitest";
import type { FaultyService } from "./faulty-service.ts";

type Versions = Map<string, number>;

/** Lists each record's version by kind and id. */
function versionsOf({ orders, positions, prices, markets, settings, wallets }: TerminalState): Versions {
  return new Map([
    ...orders.map(({ orderId, version }) => [`order ${orderId}`, version] as const),
    ...positions.map(({ positionId, version }) => [`position ${positionId}`, version] as const),
    ...Object.entries(prices).map(([chain, { asOf }]) => [`price ${chain}`, Date.parse(asOf)] as const),
    ...markets.map(({ token, revision, block }) => [`price of ${token}`, revision * 1000 + block] as const),
    ...Object.entries(settings).map(([chain, { version }]) => [`settings ${chain}`, version] as const),
    ...wallets.map(({ _id, version }) => [`wallet ${_id}`, version] as const),
  ]);
}

/** Checks that each state a client sees is complete, at least as new as its connection, and never goes back. */
export function watched(service: FaultyService): {
  onState(state: TerminalState): void;
  count(): number;
  problems: readonly unknown[];
} {
  const newest: Versions = new Map();
  let before: Versions = new Map();
  let count = 0;
  const hasGone = (name: string, version: number) => {
    const wallet = name.startsWith("wallet ") && service.table.wallets.get(name.slice("wallet ".length));
    return wallet && wallet.version > version;
  };
  const problems: unknown[] = [];
  return {
    problems,
    count: () => count,
    onState(state) {
      count++;
      try {
        check(state);
      } catch (error) {
        problems.push(error);
      }
    },
  };

  function check(state: TerminalState): void {
    const now = versionsOf(state);
    for (const [name, version] of versionsOf(service.links.at(-1)?.floor ?? state))
      if (!hasGone(name, version) && !name.startsWith("price"))
        expect(now.get(name), `${name} is behind`).toBeGreaterThanOrEqual(version);
    for (const [name, version] of before)
      if (!hasGone(name, version)) expect(now.has(name), `${name} has gone`).toBe(true);
    for (const [name, version] of now) {
      expect(version, `${name} goes back`).toBeGreaterThanOrEqual(newest.get(name) ?? 0);
      // A removed record must not return.
      if (!before.has(name) && newest.has(name))
        expect(version, `${name} is back`).toBeGreaterThan(newest.get(name) ?? 0);
      newest.set(name, version);
    }
    before = now;
  }
}
