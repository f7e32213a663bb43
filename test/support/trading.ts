import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { QuoteToken } from "../../lib/chains/evm/rules/configuration.ts";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import {
  type EvmFees,
  type EvmIntent,
  type EvmRoute,
  swapBy,
  type UnsignedEvmTransaction,
} from "../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import type { SigningView } from "../../lib/orders/effects.ts";
import { type TradeOrder, unstarted } from "../../lib/orders/trade-order.ts";
import type { ChainLimits } from "../../lib/orders/trading-chain.ts";
import type { FeesOfDay, Limits } from "../../lib/orders/wallet-policy.ts";

/** Routers of eth and of the local chains. */
const [ethV2, ethV3] = defaultChains.eth.venues.map(({ router }) => router) as [string, string];
const { v2Router, v3Router } = localAddresses;

/** Routes through pools of eth. */
export const v2: EvmRoute = { venue: "uniswap-v2", feeBps: 30, router: ethV2 };
export const v3: EvmRoute = { venue: "uniswap-v3", feeBps: 30, router: ethV3 };

const [usdc] = defaultChains.eth.quoteTokens as [QuoteToken];
const bridge = { venue: "uniswap-v3", feeBps: 5, token: usdc.token } as const;

/** Routes on eth over USDC: through two v3 pools, and through one pool of each kind. */
export const v3OverUSDC: EvmRoute = { venue: "uniswap-v3", feeBps: 1, router: ethV3, bridge };
export const v2OverUSDC: EvmRoute = { venue: "uniswap-v2", feeBps: 30, router: ethV3, bridge };

/** Routes through local pools of the same venues and fees. */
export const localV2: EvmRoute = { ...v2, router: v2Router };
export const localV3: EvmRoute = { ...v3, router: v3Router };

/** Builds an intent to buy with these changes. */
export const intent = (changes: Partial<EvmIntent> = {}): EvmIntent => ({
  chain: "eth",
  wallet: "0xf39F",
  orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
  userID: "alice",
  side: "buy",
  token: "0x5FbD",
  amount: 500_000_000_000_000_000n,
  minAmountOut: 4_910_670_308_512_067_344_288n,
  quotedOut: 4_960_273_038_901_078_125_544n,
  routes: [v3, v2],
  gasLimit: 134_415n,
  approvalGas: changes.side === "sell" ? 90_000n : 0n,
  maxGasPrice: 100_000_000_000n,
  gasPreset: "medium",
  isPrivate: true,
  nextNonce: 0,
  createdAt: Date.parse("2026-11-21T20:00:00.000Z"),
  validUntil: Date.parse("2026-11-21T20:02:00.000Z") / 1000,
  ...changes,
});

/** Builds an order just placed, with these changes. */
export const tradeOrder = (changes: Partial<TradeOrder<Evm>> = {}): TradeOrder<Evm> => ({
  intent: intent(),
  mac: "mac",
  placed: {
    clientOrderId: "k-1",
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    decimals: 18,
    slippage: 1,
    createdAt: "2026-11-21T20:00:00.000Z",
  },
  quoted: { priceImpact: 0.496, networkFee: 235_226_250_000_000n },
  amount: intent().amount,
  approveNonces: [],
  isCancelling: false,
  life: unstarted,
  revision: 1,
  version: 1,
  updatedAt: "2026-11-21T20:00:00.000Z",
  ...changes,
});

/** Builds the planned slot of an order's swap with these changes. */
export const slot = (changes: Partial<EvmSlot> = {}, of: EvmIntent = intent()): EvmSlot => ({
  chain: of.chain,
  wallet: of.wallet,
  place: 7,
  orderId: of.orderId,
  userID: of.userID,
  state: "planned",
  call: swapBy(of, v3, of.amount),
  fees: { maxFeePerGas: 1_750_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  gasLimit: changes.call?.purpose === "approve" ? 60_000n : 134_415n,
  isPrivate: true,
  attempts: [],
  revision: 1,
  ...changes,
});

/** Builds the signer's ledger entry for a transaction with these fees. */
export const signedFee = (fees: EvmFees, gasLimit = slot().gasLimit) => ({
  ...fees,
  most: gasLimit * fees.maxFeePerGas,
});

/** Builds a slot's transaction with these changes. */
export const transaction = (changes: Partial<UnsignedEvmTransaction> = {}): UnsignedEvmTransaction => {
  const {
    chain,
    wallet,
    place: nonce,
    call,
    gasLimit,
    fees,
  } = slot(changes.call?.purpose === "approve" ? { call: changes.call } : {});
  return { chain, wallet, nonce, call, gasLimit, ...fees, ...changes };
};

/** Limits of a wallet without a policy and without buys today. */
export const noLimits: Limits = { stored: undefined, count: undefined };

/** Operators' limits that allow everything. */
export const wideLimits: ChainLimits<bigint> = { maxNetworkFee: 10n ** 24n };

/** Network fees of a day without signatures. */
export const freeFees: FeesOfDay = {
  counted: 0n,
  limit: 10n ** 25n,
  resetsAt: "2026-11-23T00:00:00.000Z",
};

/** Builds the signer's view of a slot with these changes. */
export const signingView = (changes: Partial<SigningView<Evm>> = {}): SigningView<Evm> => ({
  order: tradeOrder(),
  slot: slot(),
  ledger: undefined,
  isRetired: false,
  isStopped: false,
  isCancelled: false,
  cutoffs: {},
  maxGasPrice: 100_000_000_000n,
  limits: noLimits,
  chainLimits: wideLimits,
  ...changes,
});
