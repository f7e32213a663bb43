import type { Network } from "../../../lib/domain/network.ts";
import { cancelling } from "../../../lib/domain/trading/cancelling.ts";
import { placing } from "../../../lib/domain/trading/placing.ts";
import { signTransaction } from "../../../lib/domain/trading/signer.ts";
import { sweepLanes, watchReceipts } from "../../../lib/domain/trading/waking.ts";
import { workLane } from "../../../lib/domain/trading/work-lane.ts";

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
