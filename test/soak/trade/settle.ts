import { setTimeout as pause } from "node:timers/promises";
import type { Service } from "../service.ts";
import type { Item } from "../table-audit.ts";
import type { ChainAccess } from "./chain-access.ts";
import type { Report, Trader } from "./traders.ts";

/** Items that are there only while something is in flight, of these wallets. */
export function leftoversIn(items: readonly Item[], wallets: ReadonlySet<string>): string[] {
  return items
    .filter(
      ({ PK, SK }) => /^LANES?#/.test(PK) && [...`${PK}#${SK}`.split("#")].some((part) => wallets.has(part)),
    )
    .map(({ PK, SK }) => `${PK} ${SK}`);
}

/** How often what the service does each minute is done meanwhile. */
const sweepMs = 3000;

/** How often a call is repeated after the faults. The last of them may still be felt. */
const attempts = 5;

export async function repeated<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === attempts) throw error;
      await pause(1000);
    }
  }
}

/**
 * Waits until nothing is in flight any more. The functions that run each minute run more often here, so that a short run is
 * short.
 */
export async function settleAll(
  service: Service,
  chains: readonly ChainAccess[],
  traders: readonly Trader[],
  { patienceMs, report }: { patienceMs: number; report: Report },
): Promise<void> {
  const wallets = new Set(traders.flatMap((trader) => trader.wallets.map(({ address }) => address)));
  const deadline = Date.now() + patienceMs;
  // The last crash or kill may have ended it.
  await repeated(() => service.runSchedule("watchReceipts", { isAwaited: false }));
  for (let sweptAt = 0; ; ) {
    const left = leftoversIn(await repeated(() => service.scan()), wallets);
    if (left.length === 0) return;
    if (Date.now() > deadline) {
      report(`after ${patienceMs / 1000} s, ${left.length} items of lanes are left`);
      return;
    }
    if (Date.now() - sweptAt > sweepMs) {
      await repeated(() => service.runSchedule("sweepLanes"));
      sweptAt = Date.now();
      // Time must pass on chains where nothing happens.
      await Promise.all(chains.map(({ wake }) => wake()));
    }
    await pause(300);
  }
}
