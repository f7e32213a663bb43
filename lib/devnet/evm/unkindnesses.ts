import type { HostFaults } from "./second-host.ts";

/**
 * Odd behaviours of real hosts, which trading must survive. Real nodes keep the states of 128 blocks, and the host here
 * keeps 8: these include the newest final block, except on a fast base.
 */
export const unkindnesses = {
  "batches of 10": { batchLimit: "base" },
  "batches of 3": { batchLimit: "drpc" },
  "simulation unknown": { simulation: "unknown" },
  "simulation unsupported": { simulation: "unsupported" },
  "simulation not whitelisted": { simulation: "notWhitelisted" },
  "simulation short of gas": { simulation: "gasLimit" },
  "calls of 5 million gas": { mostGas: 5_000_000 },
  "lag of 0.3 s": { lagMs: 300 },
  "lag of 0.6 s": { lagMs: 600 },
  "lag of 1 s": { lagMs: 1000 },
  "lag of 3 s": { lagMs: 3000 },
  "tips of 0": { zeroTips: true },
  "short fee history": { shortFeeHistory: true },
  "pruned states": { keptStates: 8 },
  "header not found": { headerNotFound: 0.1 },
  "long errors": { longError: 0.2 },
  underpriced: { underpriced: 0.3 },
  "replacement underpriced": { replacementUnderpriced: 0.3 },
  "insufficient funds": { insufficientFunds: 0.3 },
} satisfies Record<string, HostFaults>;

export type UnkindnessName = keyof typeof unkindnesses;
