import { AsyncLocalStorage } from "node:async_hooks";
import { createSolNode } from "trading-terminal-devnet/sol/sol-node";
import { markerOf } from "../../../lib/chains/sol/calls/addresses.ts";
import { landedCall } from "../../../lib/chains/sol/calls/transaction-call.ts";
import { solEffects } from "../../../lib/chains/sol/look.ts";
import { sightOfSol } from "../../../lib/chains/sol/looks/snapshot-of-host.ts";
import { composeFor } from "../../../lib/chains/sol/messages/order-message.ts";
import { readReceipt } from "../../../lib/chains/sol/messages/read-receipt.ts";
import { joinTransaction, signMessageAndWipe } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import type { SolReader } from "../../../lib/chains/sol/venues/reader.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import type { Objection, Question, Recipients } from "../../../lib/orders/effects.ts";
import type { Random } from "../model/random.ts";
import type {
  Signed,
  SolBelongings,
  SolChainUnderTest,
  SolFlaws,
} from "../model/sol/sol-chain-under-test.ts";
import { type SolLie, solLies, withLie } from "../model/sol/sol-lies.ts";
import { SurfpoolAccounts } from "./surfpool-accounts.ts";
import { type Branch, finalAfter, otherThan, type SurfpoolFork } from "./surfpool-fork.ts";
import { SurfpoolHost } from "./surfpool-host.ts";
import { SurfpoolNames, type SurfpoolSetup, surfpoolScale } from "./surfpool-setup.ts";

/** Lies about the life of a blockhash. Such a lie takes effect only in an answer that combines both hosts. */
const liesOfLife: readonly SolLie[] = [
  ...(["an invented blockhash", "a short life", "a long life", "an endless life"] as const),
];

/** Probability of undoing a transaction. Without this, reorganisations would rarely undo one. */
const undoneShare = 0.1;
const branches = [0, 1] as const;

type Sights = readonly (SolSnapshot | undefined)[];

/** Runs real programs on two real chains. At each fork one chain loses. Both hosts fail like the model's. */
export class SurfpoolChain implements SolChainUnderTest {
  readonly seen = new Set<string>();
  readonly scale = surfpoolScale;
  readonly flaws: SolFlaws = {};
  private readonly fork: SurfpoolFork;
  private readonly names: SurfpoolNames;
  private readonly accounts: SurfpoolAccounts;
  private readonly random: Random;
  private readonly hosts: readonly [SurfpoolHost, SurfpoolHost];
  private readonly effects: ReturnType<typeof solEffects>;
  private readonly node: ReturnType<typeof createSolNode>;
  private readonly branch = new AsyncLocalStorage<Branch>();
  private readonly signed = new Map<string, Signed>();
  private readonly waiting = new Map<string, Signed>();
  private readonly receipts = [new Map<string, SolReceipt>(), new Map<string, SolReceipt>()] as const;
  private readonly hadEffect = new Map<string, boolean>();
  private readonly asked = new WeakMap<object, Sights>();
  /** Host that still follows a losing branch. */
  private late: 0 | 1 | undefined;
  private isRelayUp = true;

  /** Opens the chain with new wallets. */
  static async open(setup: SurfpoolSetup, random: Random): Promise<SurfpoolChain> {
    const { fork } = setup;
    const names = new SurfpoolNames(fork.chains[0].deployment, `history ${++setup.histories}`);
    await fork.unite();
    fork.forget();
    const chain = new SurfpoolChain(fork, names, random);
    await chain.begin();
    return chain;
  }

  private constructor(fork: SurfpoolFork, names: SurfpoolNames, random: Random) {
    this.fork = fork;
    this.names = names;
    this.accounts = new SurfpoolAccounts(fork, names);
    this.random = random;
    const { branch } = this;
    this.node = createSolNode({
      request: (method, params) => fork.request(branch.getStore() ?? fork.main, method, params),
    });
    const common: ConstructorParameters<typeof SurfpoolHost>[0] = {
      fork,
      node: this.node,
      flaws: this.flaws,
      onBranch: (on, run) => branch.run(on, run),
      take: (raw) => this.take(raw),
    };
    const hostOf = (index: 0 | 1) =>
      new SurfpoolHost(common, () => (this.late === index ? otherThan(fork.main) : fork.main));
    this.hosts = [hostOf(0), hostOf(1)];
    const reader = { chain: "sol", configuration: defaultSol, client: { hosts: this.hosts } } as const;
    this.effects = solEffects(reader as unknown as SolReader, async (host, ...asked) => {
      const sight = await sightOfSol(host, ...asked);
      const { lie } = host as SurfpoolHost;
      if (sight === undefined || lie === undefined) return sight;
      this.seen.add(`lie: ${lie}`);
      return { ...sight, snapshot: withLie(sight.snapshot, lie, asked[1]) };
    });
  }

  private async begin(): Promise<void> {
    const { fork } = this;
    await this.accounts.begin();
    await fork.tick();
    await fork.unite();
    await this.noteBlock();
    await this.accounts.readPools();
  }

  get head(): { hash: string; height: number } {
    return { hash: this.fork.blockhash, height: this.fork.height };
  }

  async sign(intent: SolIntent, message: SolMessage): Promise<Signed | Objection> {
    const { names, flaws, signed: earlier } = this;
    const orderId = flaws.makesNoMarker ? `${intent.orderId} ${earlier.size}` : intent.orderId;
    const composed = await composeFor(names.intent({ ...intent, orderId }), names.message(message, intent));
    if (!("message" in composed)) return composed;
    const signature = signMessageAndWipe(composed.message, names.seed(intent.wallet));
    const { id, bytes } = joinTransaction(composed.message, [signature]);
    const signed = { hash: id, raw: Buffer.from(bytes).toString("base64"), intent, message };
    this.signed.set(signed.raw, signed);
    return signed;
  }

  async hostSnapshot(host: 0 | 1, question: Question<Sol>, run: object): Promise<SolSnapshot | undefined> {
    const both = (host === 1 && this.asked.get(run)) || (await this.sights(question));
    this.asked.set(run, both);
    return both[host];
  }

  private async sights(question: Question<Sol>): Promise<Sights> {
    const { names, hosts, seen } = this;
    const asked = names.question(question);
    const both = await Promise.all(this.effects.snapshots(asked));
    for (const { laggingAt, isPruned, isSplit } of hosts) {
      if (laggingAt !== undefined) seen.add("a host lags");
      if (isPruned) seen.add("history pruned");
      if (isSplit) seen.add("a host of several nodes");
    }
    if (this.late !== undefined) seen.add("hosts on two forks");
    return both.map((snapshot, index) => {
      const { lie } = hosts[index] as SurfpoolHost;
      const shown = snapshot && lie && liesOfLife.includes(lie) ? withLie(snapshot, lie, asked) : snapshot;
      return shown && names.snapshot(shown);
    });
  }

  async send(raw: string, to: Recipients): Promise<"reached" | "unreached"> {
    const answers = to === "relay" ? [] : await Promise.all(this.effects.publish(raw));
    if (to !== "hosts" && this.isRelayUp) this.take(raw);
    const isTaken = to === "relay" ? this.isRelayUp : answers.includes("reached");
    if (!isTaken) this.seen.add("send unreached");
    return isTaken ? "reached" : "unreached";
  }

  /** Drops half of the messages, as a leader may. */
  private take(raw: string): void {
    const signed = this.signed.get(raw);
    if (signed !== undefined && this.random.chance(0.5)) this.waiting.set(raw, signed);
  }

  resendOld(kept: readonly string[]): void {
    const signed = this.signed.get(this.random.pick(kept) ?? "");
    if (signed !== undefined) this.waiting.set(signed.raw, signed);
    this.seen.add("old bytes sent");
  }

  async mine(_time: number, isAll: boolean, blocks = this.scale.blocksAtOnce): Promise<void> {
    const { fork, random } = this;
    if (this.lost.length > 0 && random.chance(undoneShare)) await this.changeBranch();
    if (fork.slot + blocks - fork.equalSlot >= finalAfter) await this.unite();
    const at = random.below(blocks);
    let sent: readonly Signed[] = [];
    for (let block = 0; block < blocks; block++) {
      if (block === at) sent = await this.include(isAll);
      await fork.tick();
    }
    await this.noteBlock();
    if (sent.length === 0) return;
    for (const branch of branches)
      for (const hash of await fork.confirm(branch, sent)) await this.noteReceipt(branch, hash);
    await this.accounts.readPools();
  }

  private async unite(): Promise<void> {
    await this.fork.unite();
    this.late = undefined;
  }

  /** Puts waiting messages into blocks of the main branch, and some of them also into the other branch. */
  private async include(isAll: boolean): Promise<readonly Signed[]> {
    const { fork, random, waiting } = this;
    const ready = [...waiting.values()].filter(() => isAll || random.chance(0.6));
    const sorted = ready
      .map((signed) => ({ signed, order: random.next() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ signed }) => signed);
    for (const { raw } of sorted) waiting.delete(raw);
    const onBoth = sorted.filter(() => random.chance(0.3));
    await fork.execute(fork.main, sorted);
    await fork.execute(otherThan(fork.main), onBoth);
    return sorted;
  }

  private async noteReceipt(branch: Branch, hash: string): Promise<void> {
    const signed = [...this.signed.values()].find((each) => each.hash === hash) as Signed;
    const { method, params, read } = landedCall(hash);
    const reply = await this.branch.run(branch, () => this.node.replyTo({ id: 1, method, params }));
    const landed = "result" in reply ? read(reply.result) : undefined;
    const receipt = landed && (await readReceipt(this.names.wallet(signed.intent.wallet), hash, landed));
    if (receipt === undefined) throw new Error("A message in a block has no receipt");
    this.receipts[branch].set(hash, receipt);
    this.hadEffect.set(hash, receipt.status === "ok" || this.hadEffect.get(hash) === true);
    const { purpose } = signed.message;
    if (receipt.status === "ok") this.seen.add(`landed: ${purpose}`);
    else this.seen.add(receipt.isSlippage ? "failed: slippage" : `failed: ${purpose} at the marker`);
  }

  private async noteBlock(): Promise<void> {
    await this.fork.noteBlock();
    // A host accepts only blockhashes that one of the hosts has named.
    await this.node.replyTo({ id: 1, method: "getLatestBlockhash", params: [{ commitment: "finalized" }] });
  }

  async reorganise(time: number): Promise<void> {
    await this.changeBranch();
    for (let mined = this.random.below(3); mined > 0; mined--) await this.mine(time, false);
  }

  /** Finds the messages that the other branch lacks. */
  private get lost(): string[] {
    const { fresh, main } = this.fork;
    return [...fresh[main]].filter((hash) => !fresh[otherThan(main)].has(hash));
  }

  private async changeBranch(): Promise<void> {
    const { fork, random, lost } = this;
    fork.main = otherThan(fork.main);
    this.late = random.chance(0.3) ? (random.below(2) as 0 | 1) : undefined;
    for (const hash of lost) {
      this.seen.add("transaction taken back");
      const signed = [...this.signed.values()].find((each) => each.hash === hash);
      if (signed !== undefined && random.chance(0.5)) this.waiting.set(signed.raw, signed);
    }
    await this.accounts.readPools();
  }

  drop(): void {
    this.waiting.clear();
    this.seen.add("messages dropped");
  }

  setLag(host: 0 | 1, isLagging: boolean): void {
    const own = this.hosts[host];
    own.laggingAt = isLagging ? (own.laggingAt ?? this.fork.slot) : undefined;
  }

  setDown(host: 0 | 1, isDown: boolean): void {
    this.hosts[host].isDown = isDown;
  }

  setPruned(host: 0 | 1, isPruned: boolean): void {
    this.hosts[host].isPruned = isPruned;
    if (this.hosts.every((each) => each.isPruned)) this.seen.add("no host has a history");
  }

  setSplit(host: 0 | 1, isSplit: boolean): void {
    this.hosts[host].isSplit = isSplit;
  }

  setLie(host: 0 | 1, isLying: boolean): void {
    this.hosts[host].lie = isLying ? this.random.pick(solLies) : undefined;
    this.hosts[host === 0 ? 1 : 0].lie = undefined;
  }

  setRelay(isUp: boolean): void {
    this.isRelayUp = isUp;
  }

  async tradeByOthers(token: string, share: bigint): Promise<void> {
    await this.accounts.setPool(token, ({ coins, tokens }) => ({
      coins: (coins * share) / 100n,
      tokens: (tokens * 100n) / share,
    }));
    await this.accounts.readPools();
  }

  async depositOnMarker(orderId: string): Promise<void> {
    const { names, fork } = this;
    const job = [...this.signed.values()].find(({ intent }) => intent.orderId === orderId);
    // Strangers cannot know the wallet of an order without a signed message.
    if (job === undefined) return;
    const marker = await markerOf(names.wallet(job.intent.wallet), names.orderId(orderId));
    await fork.put(marker, ({ lamports, ...rest }) => ({
      ...rest,
      lamports: lamports + this.scale.rents.marker,
    }));
  }

  moveOut(wallet: string, token: string): Promise<void> {
    return this.accounts.moveOut(wallet, token);
  }

  moveCoins(wallet: string, left: bigint): Promise<void> {
    return this.accounts.moveCoins(wallet, left);
  }

  poolOf(token: string): { coins: bigint; tokens: bigint } {
    return this.accounts.poolOf(token);
  }

  belongings(wallet: string): Promise<SolBelongings> {
    return this.accounts.belongings(wallet);
  }

  strays(wallet: string, orderIds: readonly string[]): Promise<readonly string[]> {
    return this.accounts.strays(wallet, orderIds, (orderId) => this.isMarked(orderId));
  }

  isMarked(orderId: string): boolean {
    return this.isMarkedBy(orderId, [...this.fork.kept.keys(), ...this.fork.fresh[this.fork.main]]);
  }

  isMarkedForEver(orderId: string): boolean {
    return this.isMarkedBy(orderId, [...this.fork.kept.keys()]);
  }

  private isMarkedBy(orderId: string, hashes: readonly string[]): boolean {
    const own = [...this.signed.values()].filter(({ intent }) => intent.orderId === orderId);
    const isMaker = ({ hash }: Signed) => hashes.includes(hash) && this.receiptOf(hash)?.status === "ok";
    return own.some(isMaker);
  }

  private receiptOf(hash: string): SolReceipt | undefined {
    return this.receipts[this.fork.kept.get(hash) ?? this.fork.main].get(hash);
  }

  finalReceipt(hash: string): SolReceipt | undefined {
    return this.fork.kept.has(hash) ? this.receiptOf(hash) : undefined;
  }

  areSpent(attempts: readonly { hash: string; lastValidBlockHeight: number }[]): boolean {
    const isOver = ({ hash, lastValidBlockHeight }: (typeof attempts)[number]) =>
      this.hadEffect.has(hash) || this.fork.height > lastValidBlockHeight;
    return attempts.some(({ hash }) => this.hadEffect.get(hash) === true) || attempts.every(isOver);
  }

  isDead(hashes: readonly string[]): boolean {
    const { fork, scale } = this;
    const isOld = (blockhash: string) =>
      fork.height - finalAfter - (fork.heights.get(blockhash) ?? Number.NEGATIVE_INFINITY) >= scale.lifetime;
    return [...this.signed.values()]
      .filter(({ hash }) => hashes.includes(hash))
      .every(({ hash, message }) => fork.kept.has(hash) || isOld(message.blockhash));
  }
}
