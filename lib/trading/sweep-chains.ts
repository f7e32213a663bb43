import type { TradingChain } from "../domain/trading/trading-chain.ts";
import { sweepLanes } from "../domain/trading/waking.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";

/** Wakes every lane of these chains. One that fails does not keep the others waiting. */
export async function sweepChains(effects: Performers, chains: readonly TradingChain[]): Promise<void> {
  const swept = await Promise.allSettled(chains.map((chain) => runProcedure(sweepLanes(chain), effects)));
  const failed = swept.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
