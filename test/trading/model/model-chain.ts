import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { UnsignedEvmTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import type { Question, Recipients } from "../../../lib/orders/effects.ts";
import type {
  Belongings,
  ChainUnderTest,
  Events,
  ForeignTransaction,
  Lie,
  RelayState,
  SendAnswer,
} from "./chain-under-test.ts";
import {
  type Account,
  execute,
  gasUsed,
  l1Fee,
  mostCost,
  type Outcome,
  type State,
  type Transaction,
  traded,
} from "./ledger-state.ts";
import { snapshotOf } from "./model-snapshot.ts";
import { type ModelBlock, ModelNode, nonceAt, sendAnswer } from "./node.ts";
import type { Random } from "./random.ts";
import { Relay } from "./relay.ts";

/** Number of blocks until a block is final. */
const depthOfFinality = 4;

/** Simulates a chain in memory. */
export class ModelChain implements ChainUnderTest {
  readonly seen = new Set<string>();
  readonly nodes: readonly [ModelNode, ModelNode];
  readonly l1Fee = l1Fee;
  baseFee = 10n;
  private readonly random: Random;
  private readonly known = new Map<string, Transaction>();
  private readonly relay = new Relay<Transaction>();
  private readonly delegated = new Set<string>();
  /** Blocks that include each transaction, on any fork. */
  private readonly inclusions = new Map<string, ModelBlock[]>();
  /** Amount of coin for which other traders buy tokens at the start of the next block. */
  private readonly buysOfOthers: { token: string; coins: bigint }[] = [];
  private isTorn = false;
  private events: Events = "right";
  /** Newest block. */
  tip: ModelBlock;
  private finalized: ModelBlock;
  private latest: number;
  private blocks = 0;

  constructor(random: Random, genesis: State, time: number) {
    this.random = random;
    this.latest = time;
    const block = { number: 0, hash: "b0", time, parent: undefined, state: genesis };
    this.tip = { ...block, receipts: new Map(), transactions: [] };
    this.finalized = this.tip;
    this.nodes = [new ModelNode(this.tip), new ModelNode(this.tip)];
  }

  sign(unsigned: UnsignedEvmTransaction): { hash: string; raw: string } {
    const { wallet, nonce, call, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = unsigned;
    const details =
      call.purpose === "clear"
        ? ""
        : call.purpose === "approve"
          ? `${call.token}:${call.amount}`
          : Object.values(call).join(":");
    const hash = `${wallet}/${nonce}/${call.purpose}/${maxFeePerGas}/${maxPriorityFeePerGas}/${gasLimit}/${details}`;
    const raw = `raw:${hash}`;
    this.known.set(raw, { hash, raw, wallet, nonce, call, gasLimit, maxFeePerGas, maxPriorityFeePerGas });
    return { hash, raw };
  }

  hostSnapshot(host: 0 | 1, question: Question<Evm>): EvmSnapshot | undefined {
    const node = this.nodes[host];
    if (node.isDown) return undefined;
    const { head, finalized } = node;
    const receipts = () => {
      if (this.isTorn) {
        this.seen.add("torn answer");
        this.mine(this.latest + 1, false);
      }
      const found = question.hashes.flatMap((hash) => {
        const receipt = this.receiptAt(node.head, hash);
        return receipt === undefined ? [] : [[hash, this.shownBy(node, receipt, question)] as const];
      });
      return new Map(found);
    };
    return snapshotOf({ node, head, finalized, baseFee: this.baseFee, question, receipts, seen: this.seen });
  }

  send(raw: string, to: Recipients): SendAnswer {
    const transaction = this.known.get(raw);
    if (transaction === undefined) return "unreached";
    if (to !== "hosts") {
      const isToOneself = transaction.call.purpose === "clear";
      const answer = this.relay.take(transaction, isToOneself, this.tip);
      this.seen.add(`relay ${this.relay.state}`).add(`relay: ${answer}`);
    }
    if (to === "relay") return this.relay.answer();
    const isDelegated = this.delegated.has(transaction.wallet);
    const answers = this.nodes.map((node) => node.take(transaction, isDelegated));
    for (const answer of answers) this.seen.add(`send ${answer}`);
    return sendAnswer(answers);
  }

  /** Lets other traders buy a token first in the next block, so that its price rises. */
  buyByOthers(token: string, coins: bigint): void {
    this.buysOfOthers.push({ token, coins });
  }

  mine(time: number, isAll: boolean): void {
    let { state } = this.tip;
    for (const { token, coins } of this.buysOfOthers.splice(0)) state = traded(state, token, coins);
    const blockTime = Math.max(time, this.tip.time + 1);
    const hash = `b${++this.blocks}`;
    const block = { number: this.tip.number + 1, hash, time: blockTime, parent: this.tip };
    const receipts = new Map<string, EvmReceipt>();
    const transactions: Transaction[] = [];
    let waiting = this.waiting().filter(() => isAll || this.random.chance(0.6));
    for (let isIncluded = true; isIncluded; ) {
      const next = waiting.filter((transaction) => this.isIncludable(state, transaction));
      // Builders prefer the best price. Which of two attempts arrives first is random.
      const chosen = isAll ? next.toSorted(byPrice)[0] : this.random.pick(next);
      isIncluded = chosen !== undefined;
      if (chosen === undefined) break;
      const price = this.priceOf(chosen);
      const gas = gasUsed(chosen.gasLimit);
      const fee = gas * price + l1Fee;
      const { state: after, outcome } = execute(state, chosen, fee, blockTime);
      if (outcome.status === "failed" && this.isHidden(chosen)) {
        this.seen.add("relay: left out");
        waiting = waiting.filter((each) => each !== chosen);
        continue;
      }
      if (outcome.status === "failed") this.seen.add(`reverted: ${outcome.reason}`);
      state = after;
      const { number } = block;
      receipts.set(chosen.hash, {
        ...this.logged(chosen, outcome),
        hash: chosen.hash,
        block: { number, hash, time: blockTime },
        fee,
        l1Fee,
        gasUsed: gas,
        gasPrice: price,
      });
      transactions.push(chosen);
    }
    this.tip = { ...block, state, receipts, transactions };
    for (const transaction of transactions) {
      const blocks = this.inclusions.get(transaction.hash);
      if (blocks === undefined) this.inclusions.set(transaction.hash, [this.tip]);
      else blocks.push(this.tip);
    }
    this.latest = Math.max(this.latest, blockTime);
    while (this.tip.number - this.finalized.number > depthOfFinality)
      this.finalized = ancestor(this.tip, this.finalized.number + 1);
    this.follow();
  }

  /** Adds the amount that really moved to a swap, and lets its events differ. */
  private logged({ call }: Transaction, outcome: Outcome): Outcome {
    if (outcome.status === "failed" || call.purpose !== "swap") return outcome;
    const side = call.side === "buy" ? "received" : "spent";
    const moved = outcome[side];
    if (this.events !== "right") this.seen.add(`events: ${this.events}`);
    const factor = { right: 1n, missing: 0n, doubled: 2n }[this.events];
    return { ...outcome, moved, [side]: moved * factor };
  }

  /** Returns a receipt as a host would. Balances are included only while no two hosts have agreed on them. */
  private shownBy(
    { isForgetting, head }: ModelNode,
    receipt: EvmReceipt,
    { agreed }: Question<Evm>,
  ): EvmReceipt {
    if (receipt.status === "failed") return receipt;
    const { moved: _, ...rest } = receipt;
    const isForgotten = isForgetting && head.number > receipt.block.number;
    if (isForgotten) this.seen.add("balances are forgotten");
    return isForgotten || agreed?.get(receipt.hash) === receipt.block.hash ? rest : receipt;
  }

  setEvents(events: Events): void {
    this.events = events;
  }

  forget(host: 0 | 1, isForgetting: boolean): void {
    this.nodes[host].isForgetting = isForgetting;
  }

  leastHeld(wallet: string, token: string): bigint {
    let least = this.belongings(wallet).tokens.get(token) ?? 0n;
    for (let block: ModelBlock | undefined = this.tip; block !== undefined; block = block.parent) {
      const held = block.state.accounts.get(wallet)?.tokens.get(token) ?? 0n;
      if (held < least) least = held;
    }
    return least;
  }

  tokensOf(hash: string): { logged: bigint; moved: bigint } | undefined {
    const receipt = this.receiptAt(this.tip, hash);
    const call = [...this.known.values()].find((each) => each.hash === hash)?.call;
    if (receipt?.status !== "ok" || call?.purpose !== "swap") return undefined;
    return { moved: receipt.moved ?? 0n, logged: call.side === "buy" ? receipt.received : receipt.spent };
  }

  private follow(): void {
    for (const node of this.nodes) node.follow(this.tip, this.finalized);
    this.relay.forget(({ wallet, nonce }) => nonceAt(this.finalized, wallet) > nonce);
  }

  /** Returns true if only the relay has the transaction. The relay includes nothing that reverts. */
  private isHidden({ hash }: Transaction): boolean {
    return this.relay.has(hash) && this.nodes.every(({ pool }) => !pool.has(hash));
  }

  private waiting(): Transaction[] {
    const [a, b] = this.nodes;
    const all = [...a.pool.values(), ...b.pool.values(), ...this.relay.waiting(this.tip)];
    return [...new Map(all.map((each) => [each.hash, each])).values()];
  }

  private priceOf({ maxFeePerGas, maxPriorityFeePerGas }: Transaction): bigint {
    const price = this.baseFee + maxPriorityFeePerGas;
    return price < maxFeePerGas ? price : maxFeePerGas;
  }

  private isIncludable(state: State, transaction: Transaction): boolean {
    const { wallet, nonce, maxFeePerGas } = transaction;
    const account = state.accounts.get(wallet) as Account;
    return (
      account.nonce === nonce &&
      maxFeePerGas >= this.baseFee &&
      account.coins >= mostCost(transaction) + l1Fee
    );
  }

  reorganise(time: number): void {
    const depth = this.random.below(this.tip.number - this.finalized.number + 1);
    if (depth === 0) return;
    for (let undone = 0; undone < depth; undone++) {
      const { transactions, parent } = this.tip;
      if (transactions.length > 0) this.seen.add("transactions taken back");
      if (transactions.some(({ call }) => call.purpose === "approve")) this.seen.add("approval taken back");
      // Nodes that remember undone transactions put them back into their pools.
      for (const transaction of transactions)
        if (this.random.chance(0.5))
          for (const node of this.nodes) node.pool.set(transaction.hash, transaction);
      this.tip = parent as ModelBlock;
    }
    this.follow();
    for (let mined = this.random.below(depth + 2); mined > 0; mined--) this.mine(time, false);
  }

  drop(): void {
    for (const node of this.nodes) node.pool.clear();
    this.relay.clear();
  }

  lag(host: 0 | 1, isLagging: boolean): void {
    this.nodes[host].isLagging = isLagging;
    this.follow();
  }

  setDown(host: 0 | 1, isDown: boolean): void {
    this.nodes[host].isDown = isDown;
  }

  lie(host: 0 | 1, lie: Lie | undefined): void {
    this.nodes[host].lie = lie;
    this.nodes[host === 0 ? 1 : 0].lie = undefined;
  }

  tear(isTorn: boolean): void {
    this.isTorn = isTorn;
  }

  setRelay(relay: RelayState): void {
    this.relay.state = relay;
  }

  delegate(wallet: string): void {
    this.delegated.add(wallet);
  }

  setBaseFee(baseFee: bigint): void {
    this.baseFee = baseFee;
  }

  sendForeign({ wallet, isAbove, token, amount }: ForeignTransaction): void {
    const nonce = nonceAt(this.tip, wallet);
    const ours = this.waiting().find((each) => each.wallet === wallet && each.nonce === nonce);
    const fee = ours === undefined ? this.baseFee * 2n : isAbove ? ours.maxFeePerGas * 2n : ours.maxFeePerGas;
    const raw = `raw:foreign${this.known.size}`;
    const hash = raw.slice(4);
    const call = { purpose: "foreign", amount, ...(token !== undefined && { token }) } as const;
    const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee };
    this.known.set(raw, { hash, raw, wallet, nonce, call, gasLimit: 21_000n, ...fees });
    this.seen.add(ours === undefined ? "foreign alone" : `foreign ${isAbove ? "above" : "below"}`);
    this.send(raw, "hosts");
  }

  resendForeign(): void {
    for (const transaction of this.known.values())
      if (
        transaction.call.purpose === "foreign" &&
        nonceAt(this.tip, transaction.wallet) <= transaction.nonce
      ) {
        this.seen.add("foreign sent again");
        for (const node of this.nodes) node.pool.set(transaction.hash, transaction);
      }
  }

  private receiptAt(head: ModelBlock, hash: string): EvmReceipt | undefined {
    const block = this.inclusions.get(hash)?.find((each) => isOn(head, each));
    return block?.receipts.get(hash);
  }

  belongings(wallet: string): Belongings {
    const { coins, tokens, nonce } = this.tip.state.accounts.get(wallet) as Account;
    const pending = Math.max(...this.nodes.map((node) => node.pendingNonce(wallet)));
    return { coins, tokens, nonce, pending };
  }

  foreignEffect(wallet: string): { coins: bigint; tokens: ReadonlyMap<string, bigint> } {
    const tokens = new Map<string, bigint>();
    let coins = 0n;
    for (let block: ModelBlock | undefined = this.tip; block !== undefined; block = block.parent)
      for (const transaction of block.transactions) {
        const { call, hash } = transaction;
        if (call.purpose !== "foreign" || transaction.wallet !== wallet) continue;
        const receipt = block.receipts.get(hash);
        coins -= receipt?.fee ?? 0n;
        const moved = receipt?.status === "ok" ? receipt.spent : 0n;
        if (call.token === undefined) continue;
        tokens.set(call.token, (tokens.get(call.token) ?? 0n) - moved);
      }
    return { coins, tokens };
  }

  strayCoins(): bigint {
    return this.tip.state.strayCoins;
  }

  isForeign(wallet: string, nonce: number): boolean {
    for (let block: ModelBlock | undefined = this.tip; block !== undefined; block = block.parent)
      for (const transaction of block.transactions)
        if (transaction.wallet === wallet && transaction.nonce === nonce)
          return transaction.call.purpose === "foreign";
    return false;
  }

  latestTime(): number {
    return this.latest;
  }

  isFinal(hash: string): boolean {
    return this.inclusions.get(hash)?.some((block) => isOn(this.finalized, block)) ?? false;
  }

  finalNonce(wallet: string): number {
    return nonceAt(this.finalized, wallet);
  }
}

const byPrice = (a: Transaction, b: Transaction) =>
  a.maxPriorityFeePerGas > b.maxPriorityFeePerGas ? -1 : 1;

function ancestor(block: ModelBlock, number: number): ModelBlock {
  let found = block;
  while (found.number > number) found = found.parent as ModelBlock;
  return found;
}

const isOn = (head: ModelBlock, block: ModelBlock) =>
  block.number <= head.number && ancestor(head, block.number) === block;
