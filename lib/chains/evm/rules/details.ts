import type { Network } from "../../../core/network.ts";
import type { TokenUnits, Wei } from "../../../core/units.ts";
import { coinText, formatAmount } from "../../../orders/decimal-text.ts";
import { shortfallPercent, submissionOf } from "../../../orders/order-details.ts";
import type { TradeOrder } from "../../../orders/trade-order.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import type { Evm } from "./family.ts";
import { gweiText } from "./fees.ts";
import { type EvmCall, isSameEvmRoute } from "./intent.ts";
import { swapSlotOf } from "./order-life.ts";
import { evmRouteSteps } from "./route-steps.ts";
import type { EvmDetails, EvmFillReport, ShownEvmAttempt } from "./shown-details.ts";
import { type EvmAttempt, type EvmSlot, minedAttempt, newestAttempt, swapResultOf } from "./slot.ts";

/** @param own The order's own slots. */
export function evmDetails(order: TradeOrder<Evm>, own: readonly EvmSlot[]): EvmDetails {
  const made = own
    .flatMap((slot) => slot.attempts.map((attempt) => ({ slot, attempt })))
    .toSorted((a, b) => a.slot.place - b.slot.place || a.attempt.signedAtMs - b.attempt.signedAtMs);
  const report = reportOf(order, own);
  return {
    attempts: made.map(({ slot, attempt }, index) => shownAttempt(slot, attempt, index + 1)),
    ...(report && { report }),
  };
}

function shownAttempt(slot: EvmSlot, attempt: EvmAttempt, number: number): ShownEvmAttempt {
  const { purpose, hash, maxFeePerGas, maxPriorityFeePerGas, gasLimit, sentAtMs } = attempt;
  return {
    attempt: number,
    purpose,
    nonce: slot.place,
    txHash: hash,
    maxFeePerGas: gweiText(maxFeePerGas),
    maxPriorityFeePerGas: gweiText(maxPriorityFeePerGas),
    gasLimit: Number(gasLimit),
    submission: submissionOf({ ...slot, isPrivate: slot.isPrivate && purpose !== "clear" }),
    ...(sentAtMs !== undefined && { sentAt: new Date(sentAtMs).toISOString() }),
    outcome: outcomeOf(slot, attempt),
  };
}

function outcomeOf(slot: EvmSlot, attempt: EvmAttempt): ShownEvmAttempt["outcome"] {
  if (slot.state === "mined" && attempt === minedAttempt(slot))
    return slot.receipt?.status === "ok" ? "mined" : "reverted";
  return slot.state === "signed" && attempt === newestAttempt(slot) ? "pending" : "replaced";
}

function reportOf(order: TradeOrder<Evm>, own: readonly EvmSlot[]): EvmFillReport | undefined {
  const { intent, placed, quoted } = order;
  const slot = swapSlotOf(order, own);
  const result = slot && swapResultOf(slot);
  if (slot === undefined || result === undefined) return undefined;
  const { receipt, spent, received, doubt } = result;
  const inCoins = (units: Wei) => coinText(intent.chain, units);
  const tokenText = (units: TokenUnits) => formatAmount(units, placed.decimals);
  const [[spentIn, spentText], [receivedIn, receivedText]] =
    intent.side === "buy"
      ? ([
          [nativeToken, inCoins],
          [intent.token, tokenText],
        ] as const)
      : ([
          [intent.token, tokenText],
          [nativeToken, inCoins],
        ] as const);
  const { allowance = 0n } = slot;
  return {
    spent: { token: spentIn, amount: spentText(spent) },
    received: { token: receivedIn, amount: receivedText(received) },
    quotedAmountOut: receivedText(intent.quotedOut),
    slippage: shortfallPercent(intent.quotedOut, received),
    ...(quoted.priceImpact !== undefined && { priceImpact: quoted.priceImpact }),
    ...(quoted.marketImpact !== undefined && { marketImpact: quoted.marketImpact }),
    ...routeTaken(order, slot),
    ...(doubt === "events are odd" && { flags: ["ODD_EVENTS"] }),
    ...(doubt === "balances are unknown" && { unchecked: true }),
    networkFee: feesPaid(intent.chain, own),
    gasUsed: Number(receipt.gasUsed),
    effectiveGasPrice: gweiText(receipt.gasPrice),
    submission: submissionOf(slot),
    block: receipt.block.number,
    blockTime: new Date(receipt.block.time * 1000).toISOString(),
    approvalLeft: tokenText(allowance > spent ? allowance - spent : 0n),
  };
}

function routeTaken({ intent, quoted }: TradeOrder<Evm>, { call }: EvmSlot): Pick<EvmFillReport, "route"> {
  if (call.purpose !== "swap") return {};
  const pools = quoted.pools?.[intent.routes.findIndex((route) => isSameEvmRoute(route, call))];
  return pools ? { route: evmRouteSteps(intent, call, pools) } : {};
}

function feesPaid(chain: Network, own: readonly EvmSlot[]): EvmFillReport["networkFee"] {
  const paid = own.flatMap((slot) => {
    const purpose = minedAttempt(slot)?.purpose;
    return purpose === undefined || slot.receipt === undefined ? [] : [{ purpose, ...slot.receipt }];
  });
  const sum = (of: (each: (typeof paid)[number]) => Wei) =>
    coinText(
      chain,
      paid.reduce((total, each) => total + of(each), 0n),
    );
  const sumOf = (purpose: EvmCall["purpose"]) => sum((each) => (each.purpose === purpose ? each.fee : 0n));
  return {
    total: sum(({ fee }) => fee),
    swap: sumOf("swap"),
    approve: sumOf("approve"),
    clear: sumOf("clear"),
    l1: sum(({ l1Fee }) => l1Fee),
  };
}
