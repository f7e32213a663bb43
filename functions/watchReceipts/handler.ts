import type { Context } from "aws-lambda";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { leaseOf, type Tick } from "../../lib/runtime/lease.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";
import { openChains } from "../../lib/trading/chains/open-chains.ts";
import { chainSnapshotEffect } from "../../lib/trading/execution/chain-snapshot-effect.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { watchChains } from "../../lib/trading/execution/watch-chains.ts";

const table = openTable(environment("TABLE_NAME"));
const chains = openChains(environment("TRADING"));
const onFault = (error: unknown) => logFault("watchReceipts", error);
const effects = {
  ...tableEffects(table),
  ...chainSnapshotEffect(chains),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), onFault),
};

/** The next run takes over after a minute. If it is missing, this one goes on a little longer. */
const longestRunMs = 100_000;

/** Time for the last round. */
const shutdownMs = 15_000;

export const handler = background("watchReceipts", (event: Tick, context: Context) =>
  watchChains(
    { table, effects, onFault, onSilence: (error) => logWarning("watchReceipts", error) },
    [...chains.keys()],
    {
      lease: leaseOf(event),
      untilMs: Date.now() + Math.min(longestRunMs, context.getRemainingTimeInMillis() - shutdownMs),
    },
  ),
);
