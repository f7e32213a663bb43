import { signEvmTransaction } from "../../../lib/chains/evm/rules/sign.ts";
import type { Network } from "../../../lib/core/network.ts";
import { cancelling } from "../../../lib/orders/cancelling.ts";
import { type PrepareEvent, prepareRun } from "../../../lib/trading/execution/prepare.ts";
import { placing } from "../../../lib/trading/procedures/placing.ts";
import { newReader, newSweepMemory, readChain, sweepLanes } from "../../../lib/trading/procedures/reading.ts";
import { workIfNotBegun, workLane } from "../../../lib/trading/procedures/work-lane.ts";
import { cancellingAll } from "./cancelling-all.ts";
import { inParts, isOdd } from "./in-parts.ts";
import type { ModelTable } from "./table.ts";

/** All that a run can reach while it gets ready for an order. */
type Surroundings = {
  chains: Parameters<typeof prepareRun>[0];
  startSigner: () => Promise<void>;
  table: ModelTable;
};

/** Procedures under test. A mutant replaces one of them. */
export type System = {
  place: typeof placing;
  cancel: typeof cancelling;
  cancelAll: typeof cancellingAll;
  work: typeof workLane;
  twin: typeof workIfNotBegun;
  sign: typeof signEvmTransaction;
  prepare: (event: PrepareEvent, around: Surroundings) => Promise<void>;
  watch: (chain: Network) => ReturnType<typeof readChain>;
  sweep: (chain: Network) => ReturnType<typeof sweepLanes>;
};

export const theSystem: System = {
  place: placing,
  cancel: cancelling,
  cancelAll: cancellingAll,
  work: (lane, holder, ...rest) => inParts(workLane(lane, holder, ...rest), isOdd(holder)),
  twin: workIfNotBegun,
  sign: signEvmTransaction,
  prepare: (event, { chains, startSigner }) => prepareRun(chains, startSigner, event),
  watch: (chain) => readChain(chain, newReader()),
  sweep: (chain) => sweepLanes(chain, newSweepMemory()),
};
