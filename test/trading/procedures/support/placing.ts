import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import { evmOrderSettingsOf } from "../../../../lib/chains/evm/rules/order-settings.ts";
import type { EvmTradeFacts } from "../../../../lib/chains/evm/rules/trade-facts.ts";
import type { Wei } from "../../../../lib/core/units.ts";
import type { PlacingView } from "../../../../lib/orders/effects.ts";
import type { ChainLimits } from "../../../../lib/orders/trading-chain.ts";
import { openPolicy, type WalletPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { type PlaceRequest, placing, type trying } from "../../../../lib/trading/procedures/placing.ts";
import { type PlainRequest, placeRequest, tradeFacts } from "../../../support/place-request.ts";
import { playPlacing, type Results } from "../../../support/play-placing.ts";
import { intent, noLimits } from "../../../support/trading.ts";

export const { orderId, userID, wallet, token } = intent();
const plainRequest: PlainRequest = {
  orderId,
  userID,
  wallet,
  token,
  side: "buy",
  amount: 1000n,
  maxGasPrice: 2n,
  gasPreset: "medium",
  isPrivate: true,
  validUntil: 1120,
  key: "k-1",
  fingerprint: "body",
  slippage: 1,
  nowMs: 1_000_000,
};
export const plain = placeRequest(plainRequest);

export const request = (changes: Partial<PlaceRequest["trade"]> = {}): PlaceRequest => ({
  ...plain,
  trade: { ...plain.trade, ...changes },
});
/** Requests to give away all coins for one unit of a thief's token, without a fresh sign-in. */
export const gift = (changes: Partial<PlaceRequest> = {}): PlaceRequest => ({
  ...request({
    maxPriceImpact: 100,
    allowUnsafe: true,
    slippage: undefined,
    minAmountOut: "0.000000000000000001",
  }),
  mayLose: false,
  ...changes,
});
export const limited = (limits: ChainLimits<Wei>): PlaceRequest => placeRequest({ ...plainRequest, limits });
export const sale = (amount: string) => request({ side: "sell", amount });

export const swap = { estimate: 100n, gasLimit: 100n, l1Fee: 0n };
export const approve = { estimate: 50n, gasLimit: 50n, l1Fee: 0n };

export const view = (changes: Partial<PlacingView<Evm>> = {}): PlacingView<Evm> => ({
  used: undefined,
  order: undefined,
  hasWallet: true,
  laneOrders: [],
  jobs: undefined,
  settings: evmOrderSettingsOf("eth"),
  isStopped: false,
  cutoffs: {},
  limits: noLimits,
  ...changes,
});

/** Returns a view of a wallet with a policy. */
export const viewWith = (changes: Partial<WalletPolicy>) => {
  const key = { chain: "eth", wallet, userID } as const;
  const stored = { ...key, policy: { ...openPolicy, ...changes }, revision: 1 };
  return view({ limits: { stored, count: undefined } });
};

export const used = { userID: "alice", key: "k-1", orderId: "o1", fingerprint: "body" };

export type LaneState = Results<Evm> & { of?: PlaceRequest };

export const play = (
  { views = [view()], quotes = [[tradeFacts(), tradeFacts()]], written }: LaneState,
  procedure: ReturnType<typeof placing | typeof trying>,
) => playPlacing(procedure, { views, quotes, written });

export const place = (scene: LaneState = {}) => play(scene, placing(scene.of ?? request()));
export const both = (changes: Partial<EvmTradeFacts>) =>
  [[tradeFacts(changes), tradeFacts(changes)]] as const;
