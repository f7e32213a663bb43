import { setTimeout as pause } from "node:timers/promises";
import type { Service } from "../service.ts";
import type { Item } from "../table-audit.ts";
import type { ChainAccess } from "./chain-access.ts";
import type { Trader } from "./traders.ts";

/** Returns items of these wallets that exist only while an order is in progress. */
export function leftoversIn(items: readonly Item[], wallets: ReadonlySet<string>): string[] {
  return items
    .filter(
      ({ PK, SK }) => /^LANES?#/.test(PK) && [...`${PK}#${SK}`.split("#")].some((part) => wallets.has(part)),
    )
    .map(({ PK, SK }) => `${PK} ${SK}`);
}

/** Milliseconds between runs of the scheduled functions while settling. */
const sweepMs = 3000;

/** Number of attempts to make each call after the faults, because the last fault may still have effects. */
const attempts = 15;

/** How much longer to pause than to read the table, because DynamoDB Local can do little else meanwhile. */
const pausesPerScan = 4;

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
 * Waits until no order is in progress and no lane looks for moved tokens. Returns the keys of items left over. Runs
 * scheduled functions more often than usual to keep a short run short.
 */
export async function settleAll(
  service: Service,
  chains: readonly ChainAccess[],
  traders: readonly Trader[],
  { patienceMs }: { patienceMs: number },
): Promise<string[]> {
  const wallets = new Set(traders.flatMap((trader) => trader.wallets.map(({ address }) => address)));
  const deadline = Date.now() + patienceMs;
  // Starts the reader again, because the last crash may have ended it.
  await repeated(() => service.runSchedule("readChains", { isAwaited: false }));
  for (let sweptAt = 0; ; ) {
    const startMs = Date.now();
    const left = leftoversIn(await repeated(() => service.scan()), wallets);
    const scanMs = Date.now() - startMs;
    if (left.length === 0 || Date.now() > deadline) return left;
    if (Date.now() - sweptAt > sweepMs) {
      await repeated(() => service.runSchedule("sweepLanes"));
      sweptAt = Date.now();
      // Mines a block on idle chains, whose time would otherwise stand still.
      await Promise.all(chains.map(({ wake }) => wake()));
    }
    await pause(Math.max(300, pausesPerScan * scanMs));
  }
}
