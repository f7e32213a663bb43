import type { Context } from "aws-lambda";
import { callOf } from "../../lib/aws/call-function.ts";
import { tokenLooksOn } from "../../lib/chains/families/token-looks.ts";
import type { FireAnswer } from "../../lib/orders/resting/hand-over.ts";
import { shortenWaits } from "../../lib/orders/resting/times.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";
import { buildOf, longestMsOf } from "../../lib/runtime/long-run.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { openTable } from "../../lib/table/table.ts";
import { watchTriggers } from "../../lib/trading/execution/watch-triggers.ts";
import { WatchedChain } from "../../lib/trading/execution/watched-chain.ts";
import { changeReaderLease, readReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { readTriggers } from "../../lib/trading/items/triggers.ts";

if (environment("FAST_TRIGGERS")) shortenWaits();

const table = { ...openTable(environment("TABLE_NAME")), id: environment("TABLE_ID") };
const chains = openTrading("watchTriggers");

/** Allows a little more time than fireOrders may take. Does not retry, because the order is handed over again. */
const longestFiringMs = 26_000;
const fire = callOf(environment("FIRE_ORDERS_FUNCTION"), { maxAttempts: 1 }, longestFiringMs);

const build = buildOf(import.meta.filename);

/** Reserves time for the last hand-overs. */
const shutdownMs = 30_000;

export const handler = background("watchTriggers", (_: unknown, context: Context) =>
  watchTriggers(
    {
      leases: {
        readReaderLease: ({ chain }) => readReaderLease(table, chain),
        changeReaderLease: (change) => changeReaderLease(table, change),
      },
      chains: [...chains.values()].map((reader) => new WatchedChain(reader.chain, tokenLooksOn(reader))),
      readTriggers: (chain) => readTriggers(table, chain),
      fire: async (handOver) => (await fire(handOver)) as FireAnswer,
      onFault: (error) => logFault("watchTriggers", error),
      onSilence: (error) => logWarning("watchTriggers", error),
    },
    { build, longestMs: longestMsOf(context, shutdownMs) },
  ),
);
