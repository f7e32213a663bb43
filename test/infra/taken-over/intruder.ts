import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, type SwapCall, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import type { Key } from "../../../lib/table/keys.ts";
import { walletKey } from "../../../lib/table/wallet-keys.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import {
  cancellationKey,
  dayKey,
  ledgerKey,
  policyKey,
  slotKey,
  tradeKey,
  tradingStopKey,
  usedKeyKey,
} from "../../../lib/trading/items/keys.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { signedFee, slot, v2, v2OverUSDC, v3, v3OverUSDC } from "../../support/trading.ts";
import type { Random } from "../../trading/model/random.ts";
import { mallory, nowMs, type SigningDesk, worthless } from "./desk.ts";

/** Returns whether a role's policy allows an action on an item of this partition. */
export type Allows = (action: "PutItem" | "DeleteItem", partition: string) => boolean;

const routes = [
  v2,
  { ...v3, feeBps: 5 },
  v3,
  { ...v2, router: mallory.address },
  v3OverUSDC,
  v2OverUSDC,
  { ...v3OverUSDC, bridge: { venue: "uniswap-v3", feeBps: 5, token: worthless } } as const,
];

const { fees } = slot();

/** An attacker with the rights of executeOrders who knows everything but the keys. */
export class Intruder {
  denials = 0;
  readonly #desk: SigningDesk;
  readonly #allows: Allows;
  readonly #random: Random;

  constructor(desk: SigningDesk, allows: Allows, random: Random) {
    this.#desk = desk;
    this.#allows = allows;
    this.#random = random;
  }

  async put(key: Key, content: object): Promise<void> {
    if (!this.#allows("PutItem", key.PK)) return void this.denials++;
    const { table } = this.#desk;
    // Restores the bytes of a wallet's sealed key.
    const Item = { ...("encryptedPrivateKey" in content ? content : (packed(content) as object)), ...key };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }

  async read(Key: Key): Promise<object> {
    const { table } = this.#desk;
    return (await table.client.send(new GetCommand({ TableName: table.name, Key }))).Item ?? {};
  }

  async remove(Key: Key): Promise<void> {
    if (!this.#allows("DeleteItem", Key.PK)) return void this.denials++;
    const { table } = this.#desk;
    await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
  }

  /** Writes an order and a slot where the signer reads them, and sends it a request that claims this order. */
  async askWith(order: TradeOrder<Evm>, planned: EvmSlot, request: Partial<SignRequest<Evm>> = {}) {
    const { userID, orderId, chain, wallet } = planned;
    const { place, call } = planned;
    const claimed = { intent: order.intent, mac: order.mac };
    const asked = { userID, orderId, chain, wallet, place, purpose: call.purpose, fees, claimed, ...request };
    await this.put(tradeKey(asked.userID, asked.orderId), order);
    await this.put(slotKey(asked, asked.place), planned);
    return this.#desk.ask(asked);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return this.#random.pick(items) as Item;
  }

  /** Performs one random action, usually a signature request that nearly fits an order. */
  async move(): Promise<void> {
    const order = this.#pick(this.#desk.orders);
    if (this.#random.chance(0.15)) return this.#tamper(order);
    const shown = this.#random.chance(0.7) ? order : this.#lieAbout(order);
    const nonce = this.#random.below(3);
    const planned = slot({ place: nonce, call: this.#callFor(shown.intent), isPrivate: false }, shown.intent);
    const state = this.#random.chance(0.3) ? "signed" : "planned";
    const gasLimit = planned.gasLimit * this.#pick([1n, 1n, 1n, 1n, 2n, 3n]);
    const isClear = this.#random.chance(0.2);
    const { userID, orderId, chain, wallet } = this.#random.chance(0.8)
      ? order.intent
      : this.#pick(this.#desk.orders).intent;
    const factor = this.#pick([1n, 1n, 2n, 4n, 57n, 10n ** 6n]);
    await this.askWith(
      { ...shown },
      { ...planned, state, gasLimit, userID, orderId, chain, wallet } as EvmSlot,
      {
        fees: {
          maxFeePerGas: fees.maxFeePerGas * factor,
          maxPriorityFeePerGas: fees.maxPriorityFeePerGas * factor,
        },
        ...(isClear && { purpose: "clear" }),
      },
    );
  }

  #lieAbout(order: TradeOrder<Evm>): TradeOrder<Evm> {
    const { intent } = order;
    const other = this.#pick(this.#desk.orders);
    const lies: Partial<EvmIntent>[] = [
      { minAmountOut: 0n },
      { amount: 10n ** 24n },
      { token: worthless, minAmountOut: 1n },
      { validUntil: nowMs / 1000 + 600 },
      { maxGasPrice: 10n ** 15n, gasLimit: 10n ** 6n },
      { ...other.intent, userID: intent.userID, wallet: intent.wallet, orderId: intent.orderId },
      other.intent,
      { orderId: "ANOTHER".padEnd(26, "0") },
      { chain: "base" },
    ];
    const mac = this.#random.chance(0.5) ? order.mac : other.mac;
    return { ...order, mac, intent: { ...intent, ...this.#pick(lies) } };
  }

  #callFor(intent: EvmIntent): EvmSlot["call"] {
    const { token, amount, side } = intent;
    const { router } = this.#pick(routes);
    if (side === "sell" && this.#random.chance(0.4)) return { purpose: "approve", token, router, amount };
    const swap = swapBy(intent, this.#pick(routes), amount / this.#pick([1n, 1n, 1n, 2n]));
    const lies: Partial<SwapCall>[] = [
      { recipient: mallory.address },
      { minAmountOut: 0n },
      { deadline: 2 ** 32 },
      { token: worthless },
      { hasRefund: false },
      { amountIn: 10n ** 24n, value: 10n ** 24n },
    ];
    return this.#random.chance(0.8) ? swap : { ...swap, ...this.#pick(lies) };
  }

  /** Changes data that the signer reads. */
  async #tamper({ intent }: TradeOrder<Evm>): Promise<void> {
    const { userID, orderId, chain, wallet } = intent;
    const empty = { ...emptyEvmLedger(intent), revision: 1 };
    await this.#pick([
      () => this.remove(ledgerKey(orderId)),
      () => this.put(ledgerKey(orderId), empty),
      () =>
        this.put(ledgerKey(orderId), {
          ...empty,
          fees: { 0: signedFee(fees), 1: signedFee(fees), 2: signedFee(fees) },
        }),
      () => this.remove(cancellationKey(intent)),
      () => this.remove(tradingStopKey("base")),
      () => this.remove(policyKey(intent)),
      () => this.remove(dayKey({ ...intent, day: "2026-11-21" })),
      () => this.put(settingsKey(userID, "eth"), { slippage: 100, maxGasPrice: 10 ** 9 }),
      () => this.remove(usedKeyKey(userID, "placeOrder", `key ${orderId}`)),
      () => this.remove(slotKey(intent, this.#random.below(6))),
      () => this.put(walletKey("mallory", chain, wallet), { _id: "wallet of alice" }),
    ])();
  }
}
