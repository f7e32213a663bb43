import { randomBytes, randomInt } from "node:crypto";
import * as v from "valibot";
import type { Wei, WeiPerGas } from "../../../core/units.ts";
import type { Block } from "../../../orders/block.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import {
  Bytes,
  type CallRequest,
  type ContractLog,
  callObject,
  Hash,
  LogSchema,
  Quantity,
  tagText,
} from "./rpc-call.ts";

export type SimulatedTransaction = CallRequest & { from: string };

/** The result of a simulated transaction. */
export type SimulatedOutcome = {
  isOk: boolean;
  /** The contract's answer or revert data. */
  returned: string;
  gasUsed: bigint;
  logs: readonly ContractLog[];
};

const OutcomeSchema = v.pipe(
  v.object({
    status: Quantity,
    gasUsed: Quantity,
    returnData: v.optional(Bytes, "0x"),
    logs: v.optional(v.array(LogSchema), []),
    error: v.nullish(v.object({ data: v.nullish(Bytes) })),
  }),
  v.transform(
    ({ status, gasUsed, returnData, logs, error }): SimulatedOutcome => ({
      isOk: status === 1n,
      returned: error?.data ?? returnData,
      gasUsed,
      logs,
    }),
  ),
);

const SimulationSchema = v.array(v.object({ parentHash: v.optional(Hash), calls: v.array(OutcomeSchema) }));

/** The parent's hash from nodes that name no parent. */
const noHash = `0x${"0".repeat(64)}`;

/** Time between simulated blocks. */
const blockSeconds = 60;

/** The block on top of which transactions are simulated, and the base fee of the next block. */
export type SimulatedAfter = Pick<Block, "number" | "time"> & { baseFee: WeiPerGas };

/** As {@link SimulatedAfter}, for the host's newest block. The time is not before that block's. */
export type SimulatedNow = { number: "latest"; time: number; baseFee: WeiPerGas };

/** The outcomes of all simulated blocks in one list, and the hash of the block before them if the host names it. */
export type Simulated = { parent: string | undefined; outcomes: readonly SimulatedOutcome[] };

/** Gives the sender the coins that it spends, and a random amount of up to three coins more. */
function balanceOf(sender: string, transactions: readonly SimulatedTransaction[], gasPrice: WeiPerGas): Wei {
  const own = transactions.filter(({ from }) => from === sender);
  return own.reduce(
    (sum, { value = 0n, gas = 0n }) => sum + value + gas * gasPrice,
    BigInt(randomInt(5e13, 3e14)) * 10_000n,
  );
}

/** Picks a tip in the range that users pay: 0.1 to 2 gwei. */
const usualTip = () => BigInt(randomInt(1e8, 2e9));

/**
 * Simulates transactions one after another on top of a block, as if their senders had enough coin. If one reverts, the
 * others still run. Balances, gas prices and the block look real, because zeros would let a token recognize a
 * simulation.
 *
 * @param blocks The transactions of each block. The blocks are a minute apart but have consecutive numbers, because
 * hosts would fill a gap in the numbers with blocks at times of their own.
 */
export function simulateCall(
  blocks: readonly (readonly SimulatedTransaction[])[],
  { number, time, baseFee }: SimulatedAfter | SimulatedNow,
): RpcCall<Simulated> {
  const transactions = blocks.flat();
  const tip = usualTip();
  const maxFeePerGas = 2n * baseFee + tip;
  const fees = { maxFeePerGas: tagText(maxFeePerGas), maxPriorityFeePerGas: tagText(tip) };
  return {
    method: "eth_simulateV1",
    mayBeHuge: true,
    needs: "simulation",
    params: [
      {
        blockStateCalls: blocks.map((calls, index) => ({
          ...(index === 0 && {
            stateOverrides: Object.fromEntries(
              transactions.map(({ from }) => [
                from,
                { balance: tagText(balanceOf(from, transactions, maxFeePerGas)) },
              ]),
            ),
          }),
          // Sets a later time than the real block's, because some hosts would reuse that time, and pools skip a costly
          // part of their bookkeeping when no time has passed.
          blockOverrides: {
            // Hosts count on from the newest block.
            ...(number !== "latest" && { number: tagText(number + 1 + index) }),
            time: tagText(time + 1 + index * blockSeconds),
            baseFeePerGas: tagText(baseFee),
            prevRandao: `0x${randomBytes(32).toString("hex")}`,
          },
          calls: calls.map(({ data, ...rest }) => ({
            ...callObject(rest),
            ...fees,
            ...(data !== undefined && { input: data }),
          })),
        })),
        validation: false,
        traceTransfers: false,
      },
      tagText(number),
    ],
    read(result) {
      const simulated = v.parse(SimulationSchema, result);
      const isWhole = blocks.every((block, index) => simulated[index]?.calls.length === block.length);
      if (!isWhole || simulated.length !== blocks.length) throw new Error("Outcomes are missing");
      const [{ parentHash } = {}] = simulated;
      return {
        parent: parentHash === noHash ? undefined : parentHash,
        outcomes: simulated.flatMap(({ calls }) => calls),
      };
    },
  };
}
