import { greatest } from "../../orders/bigints.ts";
import { longestValidSeconds } from "../../orders/intent.ts";
import { planningFactsIn } from "../../orders/placed-facts.ts";
import type { PlacingFamily } from "../../orders/placing-family.ts";
import { gasPriceOf, isHasty } from "../../orders/resting/terms.ts";
import { checkEvmTrade, evmSettingsForTrade } from "./rules/check-trade.ts";
import type { Evm } from "./rules/family.ts";
import { feeOfSale, gweiText, type PlannedGas, usualGasLimit } from "./rules/fees.ts";
import { isSameEvmRoute, poolsOf } from "./rules/intent.ts";
import { jointEvmQuote } from "./rules/joint-facts.ts";
import { evmFactsText } from "./rules/placed-facts.ts";
import { routesToBind } from "./rules/route-choice.ts";
import { addressesOf, type EvmTradeFacts } from "./rules/trade-facts.ts";

const validSeconds = { slow: longestValidSeconds, medium: 120, fast: 120, turbo: 120 } as const;

/** Plans the gas of an approval even if none is needed now, because another order may use up the allowance first. */
const approvalGasOf = ({ transactions }: EvmTradeFacts): bigint =>
  greatest(usualGasLimit.approve, ...transactions.slice(0, -1).map(({ gasLimit }) => gasLimit));

/** Places orders on EVM chains. */
export const evmPlacing: PlacingFamily<Evm> = {
  questionAbout({ chain, wallet }, trade, trader) {
    const { gasPreset } = evmSettingsForTrade(trade, trader);
    return { chain, wallet, trade, gasPreset, orders: trader.orders };
  },
  jointAnswer: ([a, b], { trade }) => jointEvmQuote(a, b, trade.side),
  byOwnPools: (answer) => answer,
  check: checkEvmTrade,
  gasPriceIn: ({ maxGasPrice }) => maxGasPrice,
  feesBps: ({ routes: [best] }) => poolsOf(best).map(({ feeBps }) => feeBps),
  feeOfSale: ({ facts, check }) => feeOfSale(facts.transactions.at(-1) as PlannedGas, check.fees),
  markerRent: () => undefined,
  secondsFor: ({ settings }) => validSeconds[settings.gasPreset],
  /** Makes stops and exits pay at least as much as the preset `fast`, because prices keep moving in the meantime. */
  childFees(leg, mandate, { gasPreset }) {
    const most = gasPriceOf(mandate, leg);
    const isSlow = gasPreset === "slow" || gasPreset === "medium";
    return {
      gasPreset: isSlow && isHasty(mandate, leg) ? "fast" : gasPreset,
      ...(most !== undefined && { maxGasPrice: Number(gweiText(most)) }),
    };
  },
  intentOf(terms, { facts, check }) {
    const { side, amount, minAmountOut } = terms;
    const { nextNonce } = facts;
    // Previews lack the nonce. With 0 instead, the wallet would seem to have sent too many other transactions.
    if (nextNonce === undefined) throw new Error("An intent needs the wallet's next nonce");
    const trade = { side, amountIn: amount, isListed: facts.identity.isListed };
    return {
      ...terms,
      routes: routesToBind(facts.routes, trade, minAmountOut),
      gasLimit: facts.transactions.at(-1)?.gasLimit ?? 0n,
      approvalGas: side === "sell" ? approvalGasOf(facts) : 0n,
      maxGasPrice: check.maxGasPrice,
      gasPreset: check.settings.gasPreset,
      nextNonce,
    };
  },
  orderPart: { approveNonces: [] },
  quotedPart: ({ routes }, { facts }) => ({
    pools: routes.map((route) => addressesOf(facts.routes.find((each) => isSameEvmRoute(each, route)))),
  }),
  /** Undefined if the hosts did not see the same block, or if a host's answers are incomplete. */
  factsForRun({ setup, quotes = [undefined, undefined] }, { intent }, jobs) {
    const [one, other] = planningFactsIn(quotes);
    if (one === undefined || one.latest.hash !== other?.latest.hash) return undefined;
    return evmFactsText({ setup: setup.name, jobs, hosts: [one, other] }, intent);
  },
};
