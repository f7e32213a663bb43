import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt, EvmSnapshot } from "../../lib/chains/evm/rules/host-snapshot.ts";
import { evmOrderSettingsOf } from "../../lib/chains/evm/rules/order-settings.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";
import type { Question } from "../../lib/orders/effects.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import { orderFacts, routeFacts, snapshot } from "../support/lane-states.ts";
import { noLimits, wideLimits } from "../support/trading.ts";
import type { ModelTable } from "../trading/model/table.ts";
import type { TimedChain } from "./timed-chain.ts";

const maxGasPrice = 10n ** 12n;

/** Reads the table of a wallet whose name is also the id of its user and of its only order. */
export function viewsOf(lane: LaneKey, table: ModelTable) {
  const { chain, wallet } = lane;
  const userID = wallet;
  return {
    placing: () => ({
      used: undefined,
      order: undefined,
      hasWallet: true,
      laneOrders: [],
      jobs: undefined,
      settings: evmOrderSettingsOf(chain as EvmChain),
      isStopped: false,
      cutoffs: {},
      limits: noLimits,
    }),
    lane: () => ({
      lane: table.get("lane", lane),
      jobs: table.all("job"),
      slots: table.all("slot"),
      orders: table.all("order"),
      books: table.all("book"),
      isStopped: false,
      retired: new Set<string>(),
      cancelled: new Set<string>(),
      bytes: new Map(table.all("bytes").map(({ hash, raw }) => [hash, raw])),
      maxGasPrices: new Map([[userID, maxGasPrice]]),
      limits: new Map([[userID, noLimits]]),
    }),
    signing: (place: number) => ({
      isClaimGenuine: true,
      order: table.get("order", { intent: { userID, orderId: wallet } }),
      slot: table.get("slot", { ...lane, place }),
      ledger: table.get("ledger", { orderId: wallet }),
      maxGasPrice,
      limits: noLimits,
      isRetired: false,
      isStopped: false,
      isCancelled: false,
      cutoffs: {},
      chainLimits: wideLimits,
    }),
  };
}

/** Shows a wallet whose transactions have all succeeded once they are in a block. */
export function snapshotOf(chain: TimedChain, question: Question<Evm>): EvmSnapshot {
  const receipts = question.hashes.flatMap((hash) => {
    const block = chain.blockOf(hash);
    const amounts = { fee: 1n, l1Fee: 0n, gasUsed: 1n, gasPrice: 1n, spent: 1n, received: 1n };
    return block === undefined
      ? []
      : [[hash, { hash, block, status: "ok", ...amounts, moved: 1n } as EvmReceipt] as const];
  });
  const nonce = receipts.length;
  const [finalized, latest] = [chain.finalized(), chain.latest()];
  const facts = question.orders.map((intent) => {
    const routes = intent.routes.map((route) => routeFacts(route));
    return [intent.orderId, orderFacts({ routes })] as const;
  });
  return snapshot(undefined, {
    latest,
    finalized,
    orders: new Map(facts),
    receipts: new Map(receipts),
    nonce: { latest: nonce, pending: question.hashes.length },
  });
}
