import { signEvmTransaction } from "../../../lib/chains/evm/rules/sign.ts";
import type { Network } from "../../../lib/core/network.ts";
import { cancelling } from "../../../lib/orders/cancelling.ts";
import { placing } from "../../../lib/trading/procedures/placing.ts";
import { newReader, newSweepMemory, readChain, sweepLanes } from "../../../lib/trading/procedures/reading.ts";
import { workLane } from "../../../lib/trading/procedures/work-lane.ts";

/** Procedures under test. A mutant replaces one of them. */
export type System = {
  place: typeof placing;
  cancel: typeof cancelling;
  work: typeof workLane;
  sign: typeof signEvmTransaction;
  watch: (chain: Network) => ReturnType<typeof readChain>;
  sweep: (chain: Network) => ReturnType<typeof sweepLanes>;
};

export const theSystem: System = {
  place: placing,
  cancel: cancelling,
  work: workLane,
  sign: signEvmTransaction,
  watch: (chain) => readChain(chain, newReader()),
  sweep: (chain) => sweepLanes(chain, newSweepMemory()),
};
