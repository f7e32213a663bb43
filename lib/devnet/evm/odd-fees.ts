import type { RpcQuestion, RpcReply } from "../rpc-service.ts";

/** How a host's fees differ from anvil's. */
export type OddFees = {
  /** Suggests no tip, and sees none in blocks, like hosts of bsc whose blocks contain free transactions. */
  zeroTips?: boolean | undefined;
  /** Lists the base fees of past blocks only, like old nodes of avax: N entries instead of N + 1. */
  shortFeeHistory?: boolean | undefined;
};

type FeeHistory = { baseFeePerGas: string[]; reward?: string[][] };

/** Changes a host's reply to a question about fees. */
export function withOddFees(
  { zeroTips = false, shortFeeHistory = false }: OddFees,
  { method }: RpcQuestion,
  reply: RpcReply,
): RpcReply {
  if (!("result" in reply)) return reply;
  if (zeroTips && (method === "eth_gasPrice" || method === "eth_maxPriorityFeePerGas"))
    return { result: "0x0" };
  if (method !== "eth_feeHistory") return reply;
  const history = reply.result as FeeHistory;
  return {
    result: {
      ...history,
      ...(zeroTips && { reward: history.reward?.map((tips) => tips.map(() => "0x0")) }),
      ...(shortFeeHistory && { baseFeePerGas: history.baseFeePerGas.slice(0, -1) }),
    },
  };
}
