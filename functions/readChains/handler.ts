import type { Context } from "aws-lambda";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";
import { buildOf, longestMsOf } from "../../lib/runtime/long-run.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { openTable } from "../../lib/table/table.ts";
import { lookEffects } from "../../lib/trading/execution/look-effects.ts";
import { chainsOfRun, type ReaderStart, readChains } from "../../lib/trading/execution/read-chains.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";

const chains = openTrading("readChains");
const onFault = (error: unknown) => logFault("readChains", error);
const effects = { ...tableEffects(openTable(environment("TABLE_NAME"))), ...lookEffects(chains) };

const build = buildOf(import.meta.filename);

/** Reserves time to finish the last round of reading. */
const shutdownMs = 15_000;

export const handler = background("readChains", (start: ReaderStart, context: Context) =>
  readChains(
    {
      effects,
      // Gives each chain connections of its own.
      wakeOf: () => wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), onFault).wake,
      onFault,
      onSilence: (error) => logWarning("readChains", error),
    },
    chainsOfRun(start, [...chains.keys()], { isForOne: environment("READS_ONE_CHAIN") }),
    { build, longestMs: longestMsOf(context, shutdownMs) },
  ),
);
