import type { Network } from "../../../lib/core/network.ts";
import { cancelling } from "../../../lib/trading/core/cancelling.ts";
import { placing } from "../../../lib/trading/core/placing.ts";
import { signTransaction } from "../../../lib/trading/core/signer.ts";
import { sweepLanes, watchReceipts } from "../../../lib/trading/core/waking.ts";
import { workLane } from "../../../lib/trading/core/work-lane.ts";

/** The procedures under test. A mutant replaces one. */
export type System = {
  place: typeof placing;
  cancel: typeof cancelling;
  work: typeof workLane;
  sign: typeof signTransaction;
  watch: (chain: Network) => ReturnType<typeof watchReceipts>;
  sweep: typeof sweepLanes;
};

export const theSystem: System = {
  place: placing,
  cancel: cancelling,
  work: workLane,
  sign: signTransaction,
  watch: (chain) => watchReceipts(chain, { wokenMs: new Map() }),
  sweep: sweepLanes,
};
