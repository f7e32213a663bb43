import bs58 from "bs58";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import type { Question, Recipients } from "../../../../lib/orders/effects.ts";
import type { Random } from "../random.ts";
import { ModelHelpers } from "./model-helpers.ts";
import type { Signed, SolBelongings, SolChainUnderTest, SolFlaws, SolScale } from "./sol-chain-under-test.ts";
import { type SolLie, solLies, withLie } from "./sol-lies.ts";
import {
  baseFee,
  belongings,
  execute,
  factsOf,
  genesis,
  rents,
  type SolAccount,
  type SolState,
} from "./sol-state.ts";

/** Number of blocks for which a blockhash stays valid. */
const lifetime = 8;
const depthOfFinality = 2;

type SolBlock = {
  /** Slot of the block. Some slots have no block. */
  number: number;
  height: number;
  hash: string;
  time: number;
  parent: SolBlock | undefined;
  state: SolState;
  receipts: ReadonlyMap<string, SolReceipt>;
};

const modelScale: SolScale = {
  unit: 1n,
  genesis: () => belongings,
  limits: {
    maxNetworkFee: 1_000_000n,
    baseFeeLamports: 2n * baseFee,
    relay: { tipAccounts: ["tips"], leastTipLamports: 1n },
  },
  baseFee,
  rents,
  computeUnitLimit: 1000,
  lifetime,
  blocksAtOnce: 1,
  hasJupiter: true,
  keepsFacts: true,
};

/** Returns a block's hash, in the form of real ones. */
function hashOf(number: number): string {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, number);
  return bs58.encode(bytes);
}

class Node {
  head: SolBlock;
  finalized: SolBlock;
  isLagging = false;
  isDown = false;
  /** True if the host has lost its history, and answers null for all transactions. */
  isPruned = false;
  /** True if several nodes answer for the host, with one of them lagging behind. */
  isSplit = false;
  lie: SolLie | undefined;

  constructor(block: SolBlock) {
    this.head = block;
    this.finalized = block;
  }
}

/** Simulates a chain like Solana in memory, with forks, dropped messages and two hosts. */
export class SolChain implements SolChainUnderTest {
  readonly seen = new Set<string>();
  readonly scale = modelScale;
  readonly helpers = new ModelHelpers();
  private readonly nodes: readonly [Node, Node];
  private tip: SolBlock;
  private finalized: SolBlock;
  private readonly random: Random;
  /** Records for each message in a block of any fork whether it had an effect there. */
  private readonly hadEffect = new Map<string, boolean>();
  private greatestHeight = 1;
  private readonly known = new Map<string, Signed>();
  private readonly waiting = new Map<string, Signed>();
  private blocks = 0;
  private isRelayUp = true;
  readonly flaws: SolFlaws = {};
  /** Blockhash last offered to each run. */
  private readonly offered = new WeakMap<object, string>();

  constructor(random: Random, time: number) {
    this.random = random;
    const state = genesis;
    this.tip = { number: 1, height: 1, hash: hashOf(0), time, parent: undefined, state, receipts: new Map() };
    this.finalized = this.tip;
    this.nodes = [new Node(this.tip), new Node(this.tip)];
  }

  sign(intent: SolIntent, message: SolMessage): Signed {
    const { purpose, blockhash, microLamportsPerUnit: price } = message;
    const parts = [intent.orderId, purpose, blockhash, price, "amountIn" in message && message.amountIn];
    const hash = [...parts, ...("build" in message ? [message.build.helper] : [])].join("/");
    const signed = { hash, raw: `raw:${hash}`, intent, message };
    this.known.set(signed.raw, signed);
    return signed;
  }

  get head(): { hash: string; height: number } {
    return this.tip;
  }

  hostSnapshot(host: 0 | 1, question: Question<Sol>, run: object): SolSnapshot | undefined {
    const snapshot = this.snapshotBy(host, question, this.offered.get(run));
    if (host === 0) this.offered.set(run, snapshot?.blockhash?.hash ?? "");
    return snapshot;
  }

  /** @param offered Blockhash named by the other host. */
  private snapshotBy(host: 0 | 1, question: Question<Sol>, offered?: string): SolSnapshot | undefined {
    const node = this.nodes[host];
    if (node.isDown) return undefined;
    const isUnfinal = this.flaws.readsUnfinal === true || node.lie === "a block that is not final";
    const shown = isUnfinal ? node.head : node.finalized;
    const account = shown.state.accounts.get(question.wallet) as SolAccount;
    const blockhash = question.wantsBlockhash ? this.blockhashBy(shown, host, offered) : undefined;
    const snapshot: SolSnapshot = {
      height: { slot: shown.number, blockHeight: shown.height },
      coins: account.coins,
      rentLamports: { marker: rents.marker },
      ...(blockhash && { blockhash }),
      orders: new Map(
        question.orders.map((intent) => [
          intent.orderId,
          factsOf(shown.state, intent, this.helpers.of(intent.orderId)),
        ]),
      ),
      held: new Map((question.missed ?? []).map((token) => [token, heldIn(shown, question.wallet, token)])),
      receipts: new Map(question.hashes.flatMap((hash) => seenBy(node, shown, hash) ?? [])),
      markers: new Map(question.marked.map((orderId) => [orderId, this.markersBy(node, shown).has(orderId)])),
    };
    if (node.isPruned) this.seen.add("history pruned");
    if (node.isSplit) this.seen.add("a host of several nodes");
    if (node.lie === undefined) return snapshot;
    this.seen.add(`lie: ${node.lie}`);
    return withLie(snapshot, node.lie, question);
  }

  /** A lagging node may answer for a split host, and ignore the requested slot. */
  private markersBy({ isSplit }: Node, shown: SolBlock): ReadonlySet<string> {
    const { readsMarkersFirst, acceptsOldSlots, countsDeposits } = this.flaws;
    const isOld = readsMarkersFirst || (acceptsOldSlots && isSplit);
    const { markers, deposits } = (isOld ? before(shown) : shown).state;
    return countsDeposits ? new Set([...markers, ...deposits]) : markers;
  }

  private blockhashBy(shown: SolBlock, host: 0 | 1, offered: string | undefined) {
    const lastValidBlockHeight = shown.height + lifetime;
    if (host === 0) return { hash: shown.hash, lastValidBlockHeight };
    const isKnown = offered !== undefined && isAlive(shown, offered);
    return isKnown ? { hash: offered, lastValidBlockHeight } : undefined;
  }

  send(raw: string, to: Recipients): "reached" | "unreached" {
    const signed = this.known.get(raw);
    if (signed === undefined) return "unreached";
    const isTaken = to === "hosts" ? this.nodes.some(({ isDown }) => !isDown) : this.isRelayUp;
    if (!isTaken) this.seen.add("send unreached");
    // Drops half of the messages, as a leader may.
    if (isTaken && this.random.chance(0.7)) this.waiting.set(raw, signed);
    return isTaken ? "reached" : "unreached";
  }

  resendOld(kept: readonly string[]): void {
    const signed = this.known.get(this.random.pick(kept) ?? "");
    if (signed !== undefined) this.waiting.set(signed.raw, signed);
    this.seen.add("old bytes sent");
  }

  mine(time: number, isAll: boolean): void {
    let { state } = this.tip;
    const height = this.tip.height + 1;
    const number = this.tip.number + (this.random.chance(0.2) ? 2 : 1);
    const hash = hashOf(++this.blocks);
    const blockTime = Math.max(time, this.tip.time);
    const receipts = new Map<string, SolReceipt>();
    const ready = [...this.waiting.values()].filter(() => isAll || this.random.chance(0.6));
    for (const signed of shuffled(ready, this.random)) {
      const isNew = !receipts.has(signed.hash) && receiptOn(this.tip, signed.hash) === undefined;
      if (!isNew || !isAlive(this.tip, signed.message.blockhash)) {
        this.waiting.delete(signed.raw);
        continue;
      }
      const done = execute(state, this.asSigned(signed), { number, hash: String(number), time: blockTime });
      if (done === undefined) continue;
      if (done.receipt.status === "failed")
        this.seen.add(
          done.receipt.isSlippage ? "failed: slippage" : `failed: ${signed.message.purpose} at the marker`,
        );
      else this.seen.add(`landed: ${signed.message.purpose}`);
      state = done.state;
      receipts.set(signed.hash, done.receipt);
      this.waiting.delete(signed.raw);
    }
    this.tip = { number, height, hash, time: blockTime, parent: this.tip, state, receipts };
    this.greatestHeight = Math.max(this.greatestHeight, height);
    for (const [each, { status }] of receipts) this.hadEffect.set(each, status === "ok");
    while (this.tip.height - this.finalized.height > depthOfFinality)
      this.finalized = ancestor(this.tip, this.finalized.height + 1);
    this.follow();
  }

  /** Gives each message a different order id, so that none makes the order's marker. */
  private asSigned(signed: Signed): Signed {
    if (!this.flaws.makesNoMarker) return signed;
    return { ...signed, intent: { ...signed.intent, orderId: signed.hash } };
  }

  reorganise(time: number): void {
    const depth = this.random.below(this.tip.height - this.finalized.height + 1);
    for (let undone = 0; undone < depth; undone++) {
      for (const hash of this.tip.receipts.keys()) {
        this.seen.add("transaction taken back");
        const signed = this.known.get(`raw:${hash}`);
        if (signed !== undefined && this.random.chance(0.5)) this.waiting.set(signed.raw, signed);
      }
      this.tip = this.tip.parent as SolBlock;
    }
    this.follow();
    for (let mined = this.random.below(depth + 2); mined > 0; mined--) this.mine(time, false);
  }

  private follow(): void {
    for (const node of this.nodes) {
      if (!node.isLagging) {
        node.head = this.tip;
        node.finalized = this.finalized;
      } else this.seen.add("a host lags");
    }
  }

  setLag(host: 0 | 1, isLagging: boolean): void {
    this.nodes[host].isLagging = isLagging;
    this.follow();
  }

  setDown(host: 0 | 1, isDown: boolean): void {
    this.nodes[host].isDown = isDown;
  }

  setPruned(host: 0 | 1, isPruned: boolean): void {
    this.nodes[host].isPruned = isPruned;
    if (this.nodes.every((node) => node.isPruned)) this.seen.add("no host has a history");
  }

  setSplit(host: 0 | 1, isSplit: boolean): void {
    this.nodes[host].isSplit = isSplit;
  }

  setLie(host: 0 | 1, isLying: boolean, lie?: SolLie): void {
    this.nodes[host].lie = isLying ? (lie ?? this.random.pick(solLies)) : undefined;
    this.nodes[host === 0 ? 1 : 0].lie = undefined;
  }

  setRelay(isUp: boolean): void {
    this.isRelayUp = isUp;
  }

  drop(): void {
    this.waiting.clear();
    this.seen.add("messages dropped");
  }

  tradeByOthers(token: string, share: bigint): void {
    const pool = this.poolOf(token);
    const pools = new Map(this.tip.state.pools);
    pools.set(token, { coins: (pool.coins * share) / 100n, tokens: (pool.tokens * 100n) / share });
    this.tip = { ...this.tip, state: { ...this.tip.state, pools } };
    this.follow();
  }

  depositOnMarker(orderId: string): void {
    const isBlocked = this.flaws.isBlockedByDeposits === true;
    this.foreign(({ markers, deposits, ...state }) => ({
      ...state,
      deposits: new Set(deposits).add(orderId),
      markers: isBlocked ? new Set(markers).add(orderId) : markers,
    }));
  }

  moveOut(wallet: string, token: string): void {
    this.changeAccount(wallet, ({ tokens: held }) => ({ tokens: new Map(held).set(token, 0n) }));
  }

  moveCoins(wallet: string, left: bigint): void {
    this.changeAccount(wallet, () => ({ coins: left }));
  }

  private changeAccount(wallet: string, change: (account: SolAccount) => Partial<SolAccount>): void {
    this.foreign((state) => {
      const account = state.accounts.get(wallet) as SolAccount;
      const changed = { ...account, ...change(account) };
      return { ...state, accounts: new Map(state.accounts).set(wallet, changed) };
    });
  }

  private foreign(change: (state: SolState) => SolState): void {
    this.tip = { ...this.tip, state: change(this.tip.state) };
    this.follow();
  }

  poolOf(token: string): { coins: bigint; tokens: bigint } {
    return this.tip.state.pools.get(token) as { coins: bigint; tokens: bigint };
  }

  belongings(wallet: string): SolBelongings {
    return this.tip.state.accounts.get(wallet) as SolAccount;
  }

  leastHeld(wallet: string, token: string): bigint {
    let least = heldIn(this.tip, wallet, token);
    for (let block: SolBlock | undefined = this.tip; block !== undefined; block = block.parent) {
      const held = heldIn(block, wallet, token);
      if (held < least) least = held;
    }
    return least;
  }

  strays(): readonly string[] {
    return [];
  }

  isMarked(orderId: string): boolean {
    return this.tip.state.markers.has(orderId);
  }

  isMarkedForEver(orderId: string): boolean {
    return this.nodes[0].finalized.state.markers.has(orderId);
  }

  finalReceipt = (hash: string): SolReceipt | undefined => receiptOn(this.finalized, hash);

  areSpent = (attempts: readonly { hash: string; lastValidBlockHeight: number }[]): boolean =>
    attempts.some(({ hash }) => this.hadEffect.get(hash) === true) ||
    attempts.every(
      ({ hash, lastValidBlockHeight }) =>
        this.hadEffect.has(hash) || this.greatestHeight > lastValidBlockHeight,
    );

  isDead = (hashes: readonly string[]): boolean =>
    hashes.every((hash) => {
      const { blockhash } = (this.known.get(`raw:${hash}`) as Signed).message;
      return !isAlive(this.finalized, blockhash) || receiptOn(this.finalized, hash) !== undefined;
    });
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

function ancestor(block: SolBlock, height: number): SolBlock {
  let found = block;
  while (found.height > height) found = found.parent as SolBlock;
  return found;
}

/** Highest number of blocks by which a node lags behind its host's other nodes. */
const mostBehind = 6;

const before = (block: SolBlock): SolBlock => ancestor(block, Math.max(1, block.height - mostBehind));

/** Returns true if the next block may include a message with this blockhash. */
function isAlive(head: SolBlock, hash: string): boolean {
  for (let block: SolBlock | undefined = head; block !== undefined; block = block.parent) {
    if (head.height - block.height >= lifetime) return false;
    if (block.hash === hash) return true;
  }
  return false;
}

const heldIn = ({ state }: SolBlock, wallet: string, token: string): bigint =>
  state.accounts.get(wallet)?.tokens.get(token) ?? 0n;

function receiptOn(head: SolBlock, hash: string): SolReceipt | undefined {
  for (let block: SolBlock | undefined = head; block !== undefined; block = block.parent) {
    const receipt = block.receipts.get(hash);
    if (receipt !== undefined) return receipt;
  }
  return undefined;
}

function seenBy(
  { isPruned, isSplit }: Node,
  shown: SolBlock,
  hash: string,
): [[string, SolReceipt]] | undefined {
  const receipt = receiptOn(isSplit ? before(shown) : shown, hash);
  return receipt === undefined || isPruned ? undefined : [[hash, receipt]];
}
