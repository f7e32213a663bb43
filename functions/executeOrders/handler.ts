import { callOf } from "../../lib/aws/call-function.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { takeUnits } from "../../lib/chains/hosts/spent-units.ts";
import { background, idleEvent } from "../../lib/runtime/background.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault, logHostUnits, logLandings } from "../../lib/runtime/log.ts";
import { openJupiter } from "../../lib/runtime/open-jupiter.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { chainEffects } from "../../lib/trading/execution/chain-effects.ts";
import { executeOrders } from "../../lib/trading/execution/execute-orders.ts";
import {
  connectHosts,
  isPrepareEvent,
  type PrepareEvent,
  prepareRun,
  startedSigner,
} from "../../lib/trading/execution/prepare.ts";
import type { ReaderStart } from "../../lib/trading/execution/read-chains.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import type { WakeEvent } from "../../lib/trading/execution/wake-effect.ts";
import { remoteSigner } from "../../lib/trading/signing/remote-signer.ts";

const table = { ...openCheckingTable(), laneShards: environment("LANE_SHARDS") };
const trading = environment("TRADING");
const recordsEarnings = environment("RECORDS_EARNINGS");
const chains = openTrading("executeOrders", openJupiter("executeOrders"));
const effects = { ...tableEffects(table), ...chainEffects(chains) };
const onFault = (error: unknown, details?: object) => logFault("executeOrders", error, details);
const callSigner = callOf(environment("SIGN_TRANSACTION_FUNCTION"));
const started = startedSigner(() => callSigner(idleEvent), callSigner);
const signer = remoteSigner(started.call, onFault);
const start = handOverTo<ReaderStart>(environment("READ_CHAINS_FUNCTION"));

export const handler = background("executeOrders", (event: WakeEvent | PrepareEvent) => {
  if (isPrepareEvent(event)) return prepareRun(chains, started.start, event);
  // Opens connections while the lane is read, in case no announcement has named the chain.
  if (event.reservation !== undefined) connectHosts(chains, event.chain);
  return executeOrders(
    {
      effects,
      signer,
      trading,
      recordsEarnings,
      startReader: () => start({ chain: event.chain }),
      onFault,
      onLandings: logLandings,
      onBroadcast: (broadcast) => logHostUnits("executeOrders", takeUnits(), broadcast),
    },
    event,
  );
});
