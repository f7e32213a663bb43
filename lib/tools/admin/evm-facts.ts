import type { Evm } from "../../chains/evm/rules/family.ts";
import { gweiText } from "../../chains/evm/rules/fees.ts";
import type { EvmFees, EvmRoute, PoolKey } from "../../chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../chains/evm/rules/slot.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import { coinText } from "../../orders/decimal-text.ts";
import type { Ledger } from "../../orders/table-step.ts";
import type { TradeOrder } from "../../orders/trade-order.ts";
import type { HiddenFacts } from "./hidden-facts.ts";

/** Facts of orders on EVM chains that clients do not see. */
export const evmOrderFacts: HiddenFacts<Evm> = {
  blockWord: "block",
  intentFacts: evmFacts,
  slotFacts,
  ledgerFacts,
  linesOf,
};

const feesText = ({ maxFeePerGas, maxPriorityFeePerGas }: EvmFees) =>
  `at most ${gweiText(maxFeePerGas)} gwei, tip ${gweiText(maxPriorityFeePerGas)}`;

const poolText = ({ venue, feeBps, spacing }: PoolKey) =>
  `${venue} at ${feeBps} bps${spacing === undefined ? "" : ` with spacing ${spacing}`}`;

/** Names the pools of a route from the coin to the token. */
const routeText = ({ bridge, ...pool }: EvmRoute) =>
  bridge === undefined ? poolText(pool) : `${poolText(bridge)} > ${bridge.token} > ${poolText(pool)}`;

function evmFacts({ intent, ...order }: TradeOrder<Evm>) {
  return {
    routes: intent.routes.map(routeText).join(", "),
    gasLimit: intent.gasLimit,
    gasPreset: intent.gasPreset,
    maxGasPrice: `${gweiText(intent.maxGasPrice)} gwei`,
    approveNonces: order.approveNonces.join(", ") || "none",
    swapNonce: order.swapNonce ?? "none",
  };
}

function slotFacts({ state, call, fees, gasLimit, receipt, revision, ...slot }: EvmSlot) {
  return {
    state,
    call: call.purpose,
    route: call.purpose === "swap" ? routeText(call) : undefined,
    router: call.router,
    fees: feesText(fees),
    gasLimit,
    isUndelivered: slot.isUndelivered,
    refusal: slot.refusal,
    receipt:
      receipt && `${receipt.status} in block ${receipt.block.number}, ${receipt.block.hash}: ${receipt.hash}`,
    revision,
  };
}

function ledgerFacts(ledger: Ledger<Evm>) {
  const fees = Object.entries(ledger.fees).map(([nonce, each]) => [`fees at ${nonce}`, feesText(each)]);
  return {
    approveNonces: ledger.approveNonces.join(", ") || "none",
    swapNonce: ledger.swap?.nonce ?? "none",
    ...Object.fromEntries(fees),
  };
}

function linesOf({ orderId, userID, chain, fees, swap }: Ledger<Evm>, from: number) {
  const nonces = Object.entries(fees).map(([nonce, { most }]) => ({ nonce: Number(nonce), most }));
  return nonces
    .filter(({ nonce }) => !(nonce < from))
    .map(({ nonce, most }) => {
      const purpose = swap?.nonce === nonce ? "swap" : "approval";
      const fee = `${coinText(chain, most)} ${chainFacts[chain].coin.symbol}`;
      return { nonce, orderId, text: `${nonce}  ${purpose}  at most ${fee}  order ${orderId} of ${userID}` };
    });
}
