import { chainIdentity } from "../../../lib/chains/evm/calls/rpc-call.ts";
import { snapshotOfEvm } from "../../../lib/chains/evm/looks/snapshot-of-host.ts";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { UnsignedEvmTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import { rpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import type { Question, Recipients } from "../../../lib/orders/effects.ts";
import type {
  Belongings,
  ChainUnderTest,
  ForeignTransaction,
  Lie,
  RelayState,
  SendAnswer,
} from "../model/chain-under-test.ts";
import { lyingSnapshot } from "../model/lies.ts";
import { type NodeAnswer, outbids, sendAnswer } from "../model/node.ts";
import type { Random } from "../model/random.ts";
import { Relay } from "../model/relay.ts";
import { AnvilHost, type MinedBlock } from "./anvil-host.ts";
import { AnvilNode, type Signed } from "./anvil-node.ts";
import { type AnvilSetup, tokenMoves } from "./anvil-setup.ts";

/** Number of blocks until a block is final. */
const depthOfFinality = 4;

/** Recipient of tokens that the owners' other programs send. */
const stranger = "0x000000000000000000000000000000000000dEaD";

/** Runs real contracts on a real node, behind two hosts and a relay that fail like the model's. */
export class AnvilChain implements ChainUnderTest {
  readonly seen = new Set<string>();
  private readonly node: AnvilNode;
  private readonly random: Random;
  private readonly hosts: readonly [AnvilHost, AnvilHost];
  private readonly blocks: MinedBlock[];
  /** This relay includes transactions that revert; real relays do not. */
  private readonly relay = new Relay<Signed>();
  private readonly delegated = new Set<string>();
  private isTorn = false;
  private baseFee = 10n;
  private finalized: number;
  private latest: number;

  /** Opens the chain, undoing the changes of the last history. */
  static async open(setup: AnvilSetup, random: Random): Promise<AnvilChain> {
    await setup.chain.restore();
    const node = new AnvilNode(setup);
    const chain = new AnvilChain(node, random, await node.newestBlock());
    await node.setBaseFee(chain.baseFee);
    return chain;
  }

  private constructor(node: AnvilNode, random: Random, genesis: MinedBlock) {
    this.node = node;
    this.random = random;
    this.blocks = [genesis];
    this.finalized = genesis.number;
    this.latest = genesis.time;
    const common: AnvilHost["common"] = {
      node: rpcHost({ url: node.setup.chain.url, identity: chainIdentity(1), timeoutMs: 30_000 }),
      answers: node.answers,
      tip: () => this.tip,
      isOnChain: (block) => this.blocks.includes(block),
      finalized: () => this.finalized,
      beforeReceipts: () => this.tearAnswer(),
    };
    this.hosts = [new AnvilHost(common), new AnvilHost(common)];
  }

  private get tip(): MinedBlock {
    return this.blocks.at(-1) as MinedBlock;
  }

  sign(transaction: UnsignedEvmTransaction): { hash: string; raw: string } {
    return this.node.signCall(transaction);
  }

  async hostSnapshot(index: 0 | 1, question: Question<Evm>): Promise<EvmSnapshot | undefined> {
    const host = this.hosts[index];
    const configuration = { ...this.node.setup.configuration, hosts: [] };
    const seen = await snapshotOfEvm(host, { chain: "eth", configuration }, this.node.realQuestion(question));
    const { missed = [] } = question;
    const held = missed.map((name) => [name, seen?.held?.get(this.node.at(name)) ?? 0n] as const);
    const snapshot = seen && { ...seen, held: new Map(held) };
    if (snapshot === undefined || host.lie === undefined) return snapshot;
    this.seen.add(`lie: ${host.lie}`);
    return lyingSnapshot(snapshot, host.lie, question);
  }

  private async tearAnswer(): Promise<void> {
    if (!this.isTorn) return;
    this.seen.add("torn answer");
    await this.mine(this.latest + 1, false);
  }

  async send(raw: string, to: Recipients): Promise<SendAnswer> {
    const transaction = this.node.byRaw(raw);
    if (transaction === undefined) return "unreached";
    if (to !== "hosts") {
      const answer = this.relay.take(transaction, transaction.purpose === "clear", this.tip);
      this.seen.add(`relay ${this.relay.state}`).add(`relay: ${answer}`);
    }
    if (to === "relay") return this.relay.answer();
    const answer = this.hosts.every(({ isDown }) => isDown) ? "down" : await this.offer(transaction);
    this.seen.add(`send ${answer}`);
    return sendAnswer([answer]);
  }

  /** Offers a transaction to the pool under the rules of other nodes, which are stricter than anvil's. */
  private async offer(transaction: Signed): Promise<NodeAnswer> {
    const { wallet, nonce, hash } = transaction;
    // A delegated wallet may have only its next transaction in the pool.
    if (this.delegated.has(wallet) && nonce !== (await this.node.nonce(wallet, "latest")))
      return "in-flight limit";
    const rival = (await this.node.pool()).find(
      (other) => other.wallet === wallet && other.hash !== hash && other.nonce === nonce,
    );
    // Anvil accepts any higher fee, but other nodes require 10 % more.
    if (rival !== undefined && !outbids(transaction, rival)) return "underpriced";
    return this.node.publish(transaction);
  }

  async mine(time: number, isAll: boolean): Promise<void> {
    const isChosen = () => isAll || this.random.chance(0.6);
    const left = (await this.node.pool()).filter(() => !isChosen());
    for (const transaction of left) await this.node.drop(transaction);
    const relayed = this.relay.waiting(this.tip).filter(isChosen);
    for (const transaction of relayed) await this.node.publish(transaction);
    this.latest = Math.max(time, this.latest + 1);
    this.blocks.push(await this.node.mine(this.latest));
    this.finalized = Math.max(this.finalized, this.tip.number - depthOfFinality);
    // A relay keeps its transactions out of the public pool.
    for (const transaction of relayed)
      if (!this.tip.transactions.includes(transaction.hash)) await this.node.drop(transaction);
    for (const transaction of left) await this.offer(transaction);
    await this.node.setBaseFee(this.baseFee);
    const nonces = new Map<string, number>();
    for (const { wallet } of this.relay.waiting(this.tip)) nonces.set(wallet, await this.finalNonce(wallet));
    this.relay.forget(({ wallet, nonce }) => (nonces.get(wallet) ?? 0) > nonce);
  }

  async reorganise(time: number): Promise<void> {
    const depth = this.random.below(this.tip.number - this.finalized + 1);
    if (depth === 0) return;
    const undone = this.blocks.splice(-depth).flatMap((block) => block.transactions.map(this.node.byHash));
    await this.node.takeBack(depth);
    if (undone.length > 0) this.seen.add("transactions taken back");
    if (undone.some(({ purpose }) => purpose === "approve")) this.seen.add("approval taken back");
    // Nodes that remember undone transactions put them back into their pools.
    for (const transaction of undone) if (this.random.chance(0.5)) await this.offer(transaction);
    await this.node.setBaseFee(this.baseFee);
    for (let mined = this.random.below(depth + 2); mined > 0; mined--) await this.mine(time, false);
  }

  async drop(): Promise<void> {
    for (const transaction of await this.node.pool()) await this.node.drop(transaction);
    this.relay.clear();
  }

  lag(host: 0 | 1, isLagging: boolean): void {
    this.hosts[host].setLagging(isLagging);
  }

  setDown(host: 0 | 1, isDown: boolean): void {
    this.hosts[host].isDown = isDown;
  }

  lie(host: 0 | 1, lie: Lie | undefined): void {
    this.hosts[host].lie = lie;
    this.hosts[host === 0 ? 1 : 0].lie = undefined;
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

  async setBaseFee(baseFee: bigint): Promise<void> {
    this.baseFee = baseFee;
    await this.node.setBaseFee(baseFee);
  }

  async sendForeign(transaction: ForeignTransaction): Promise<void> {
    const { wallet, isAbove } = transaction;
    const nonce = await this.node.nonce(wallet, "latest");
    const waiting = [...(await this.node.pool()), ...this.relay.waiting(this.tip)];
    const ours = waiting.find((each) => each.wallet === wallet && each.nonce === nonce);
    const fee = ours === undefined ? this.baseFee * 2n : ours.maxFeePerGas * (isAbove ? 2n : 1n);
    const terms = {
      wallet,
      nonce,
      maxFeePerGas: fee,
      maxPriorityFeePerGas: fee,
      purpose: "foreign",
    } as const;
    const call = await this.foreignCall(transaction);
    this.seen.add(ours === undefined ? "foreign alone" : `foreign ${isAbove ? "above" : "below"}`);
    await this.send(this.node.sign({ ...terms, ...call }).raw, "hosts");
  }

  private async foreignCall({ wallet, token, amount }: ForeignTransaction) {
    if (token === undefined) return { to: this.node.at(wallet), value: 0n, data: "0x", gasLimit: 21_000n };
    const held = await this.node.held(token, wallet);
    const data = tokenMoves.encodeFunctionData("transfer", [stranger, amount < held ? amount : held]);
    return { to: this.node.at(token), value: 0n, data, gasLimit: 80_000n };
  }

  async resendForeign(): Promise<void> {
    for (const transaction of this.node.foreign) {
      if ((await this.node.nonce(transaction.wallet, "latest")) > transaction.nonce) continue;
      this.seen.add("foreign sent again");
      await this.offer(transaction);
    }
  }

  belongings(wallet: string): Promise<Belongings> {
    return this.node.belongings(wallet);
  }

  foreignEffect(wallet: string): ReturnType<AnvilNode["foreignEffect"]> {
    return this.node.foreignEffect(wallet);
  }

  async strayCoins(): Promise<bigint> {
    const routers = this.node.setup.configuration.venues.map(({ router }) => this.node.coins(router));
    return (await Promise.all(routers)).reduce((sum, coins) => sum + coins, 0n);
  }

  async isForeign(wallet: string, nonce: number): Promise<boolean> {
    const rivals = this.node.foreign.filter((each) => each.wallet === wallet && each.nonce === nonce);
    const receipts = await Promise.all(rivals.map(({ hash }) => this.node.receipt(hash)));
    return receipts.some((receipt) => receipt !== undefined);
  }

  latestTime(): number {
    return this.latest;
  }

  async isFinal(hash: string): Promise<boolean> {
    const receipt = await this.node.receipt(hash);
    return receipt !== undefined && Number(receipt.blockNumber) <= this.finalized;
  }

  finalNonce(wallet: string): Promise<number> {
    return this.node.nonce(wallet, this.finalized);
  }
}
