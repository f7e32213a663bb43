import type { SolLag } from "trading-terminal-devnet/sol/lagging-sol";
import { type LocalSol, startLocalSol } from "trading-terminal-devnet/sol/local-sol";
import { transactionIn } from "trading-terminal-devnet/sol/wire-message";
import { programs } from "../../../lib/chains/sol/calls/addresses.ts";

/** One of two chains that advance in step. */
export type Branch = 0 | 1;

/** An account as JSON text. Equal accounts have equal texts. */
type AccountText = string;

export type MadeAccount = { lamports: bigint; owner: string; data: Uint8Array };

type InContext<Value> = { context: { slot: number }; value: Value };
type Sent = { hash: string; raw: string };

/** Number of slots until a slot is final: enough for a fork that undoes the blocks of one call of `mine`. */
export const finalAfter = 12;

/** Waits an hour between blocks, so that the chain makes no block on its own. */
const slotMs = 3_600_000;

const branches = [0, 1] as const;
export const otherThan = (branch: Branch): Branch => (branch === 0 ? 1 : 0);

/**
 * Keeps two real chains in step, with the same blockhashes. Since they were last made equal, their contents may differ.
 * Only the main branch counts in the end.
 */
export class SurfpoolFork {
  readonly chains: readonly [LocalSol, LocalSol];
  /** Branch that counts in the end. */
  main: Branch = 0;
  slot = 0;
  height = 0;
  blockhash = "";
  /** Slot at which both chains were last equal. */
  equalSlot = 0;
  /** Branch of each transaction that can no longer be undone. */
  readonly kept = new Map<string, Branch>();
  /** Transactions in blocks of each branch since both were last equal. */
  readonly fresh: readonly [Set<string>, Set<string>] = [new Set(), new Set()];
  /** Block height by blockhash. */
  readonly heights = new Map<string, number>();
  private readonly answers = [
    new Map<string, Promise<unknown>>(),
    new Map<string, Promise<unknown>>(),
  ] as const;
  /** Earlier and current states of changed accounts, by the slot in which each began. */
  private readonly states = [
    new Map<string, { slot: number; text: AccountText }[]>(),
    new Map<string, { slot: number; text: AccountText }[]>(),
  ] as const;
  private readonly changed = new Set<string>();
  private readonly blockhashes: { slot: number; blockhash: string; lastValidBlockHeight: number }[] = [];

  static async start(): Promise<SurfpoolFork> {
    const chains = await Promise.all([startLocalSol({ slotMs }), startLocalSol({ slotMs })]);
    const fork = new SurfpoolFork(chains);
    fork.slot = (await chains[0].request("getSlot", [{ commitment: "processed" }])) as number;
    await fork.tick();
    await fork.noteBlock();
    return fork;
  }

  private constructor(chains: readonly [LocalSol, LocalSol]) {
    this.chains = chains;
  }

  async stop(): Promise<void> {
    await Promise.all(this.chains.map((chain) => chain.stop()));
  }

  /** Adds an empty block to both chains. */
  async tick(): Promise<void> {
    this.slot++;
    const travel = [{ absoluteSlot: this.slot }];
    await Promise.all(this.chains.map((chain) => chain.request("surfnet_timeTravel", travel)));
    for (const each of this.answers) each.clear();
  }

  /** Reads the newest block's height and blockhash. */
  async noteBlock(): Promise<void> {
    const [{ value }, other] = (await Promise.all(
      branches.map((branch) => this.ask(branch, "getLatestBlockhash", [{ commitment: "processed" }])),
    )) as [InContext<{ blockhash: string; lastValidBlockHeight: number }>, InContext<{ blockhash: string }>];
    if (value.blockhash !== other.value.blockhash) throw new Error("The chains are out of step");
    this.blockhash = value.blockhash;
    this.height = value.lastValidBlockHeight - 150;
    this.heights.set(this.blockhash, this.height);
    this.blockhashes.push({ slot: this.slot, ...value });
  }

  /** Answers requests like a node that has seen only one branch. */
  async request(branch: Branch, method: string, params: readonly unknown[] = []): Promise<unknown> {
    switch (method) {
      case "getTransaction": {
        const at = this.branchOf(branch, String(params[0]));
        return at === undefined ? null : this.ask(at, method, params);
      }
      case "getSignatureStatuses": {
        const [ids, options] = params as [string[], unknown];
        const answers = await Promise.all(
          ids.map((id) => this.ask(this.branchOf(branch, id) ?? branch, method, [[id], options])),
        );
        const value = answers.map((answer, index) => {
          const isKnown = this.branchOf(branch, ids[index] ?? "") !== undefined;
          return isKnown ? (answer as InContext<unknown[]>).value[0] : null;
        });
        return { context: { slot: this.slot }, value };
      }
      default:
        return this.ask(branch, method, params);
    }
  }

  /** Returns the chain that has a transaction, from the view of one branch. */
  private branchOf(branch: Branch, hash: string): Branch | undefined {
    return this.kept.get(hash) ?? (this.fresh[branch].has(hash) ? branch : undefined);
  }

  private ask(branch: Branch, method: string, params: readonly unknown[]): Promise<unknown> {
    const key = JSON.stringify([method, params]);
    const known = this.answers[branch].get(key);
    if (known !== undefined) return known;
    const answer = this.chains[branch].request(method, params);
    this.answers[branch].set(key, answer);
    return answer;
  }

  private async textsOf(branch: Branch, addresses: readonly string[]): Promise<AccountText[]> {
    if (addresses.length === 0) return [];
    const options = { encoding: "base64", commitment: "processed" };
    const { value } = (await this.ask(branch, "getMultipleAccounts", [addresses, options])) as InContext<
      unknown[]
    >;
    return value.map((each) => JSON.stringify(each));
  }

  /** Returns the newest state of an account. */
  async newest(address: string): Promise<MadeAccount | undefined> {
    const [text = "null"] = await this.textsOf(this.main, [address]);
    return accountIn(text);
  }

  /** Returns the accounts as they were at the end of a slot. */
  async accountsAt(branch: Branch, slot: number, addresses: readonly string[]): Promise<unknown[]> {
    const texts = await this.textsOf(branch, addresses);
    return addresses.map((address, index) => {
      const known = this.states[branch].get(address)?.findLast((each) => each.slot <= slot);
      return JSON.parse(known?.text ?? texts[index] ?? "null");
    });
  }

  past(branch: Branch): SolLag["past"] {
    return {
      accountsAt: (slot, addresses) => this.accountsAt(branch, slot, addresses),
      blockhashAt: (slot) =>
        this.blockhashes.findLast((each) => each.slot <= slot) ?? (this.blockhashes[0] as never),
    };
  }

  /** Records accounts before and after a change. */
  private async changing(
    branch: Branch,
    addresses: readonly string[],
    change: () => Promise<unknown>,
  ): Promise<void> {
    const states = this.states[branch];
    const before = await this.textsOf(branch, addresses);
    for (const [index, address] of addresses.entries())
      if (!states.has(address)) states.set(address, [{ slot: 0, text: before[index] ?? "null" }]);
    await change();
    this.answers[branch].clear();
    const after = await this.textsOf(branch, addresses);
    for (const [index, address] of addresses.entries()) {
      states.get(address)?.push({ slot: this.slot, text: after[index] ?? "null" });
      this.changed.add(address);
    }
  }

  /** Sets an account on both branches, or removes it if it has no lamports. */
  async put(address: string, account: MadeAccount | ((before: MadeAccount) => MadeAccount)): Promise<void> {
    for (const branch of branches) {
      const [text = "null"] = await this.textsOf(branch, [address]);
      const before = accountIn(text) ?? { lamports: 0n, owner: programs.system, data: new Uint8Array() };
      const made = typeof account === "function" ? account(before) : account;
      await this.changing(branch, [address], () => this.set(branch, address, made));
    }
  }

  private set(branch: Branch, address: string, { lamports, owner, data }: MadeAccount): Promise<unknown> {
    const terms = { lamports: Number(lamports), owner, data: Buffer.from(data).toString("hex") };
    return this.chains[branch].request("surfnet_setAccount", [address, terms]);
  }

  /** Executes new transactions on a branch. The next tick confirms them. */
  async execute(branch: Branch, sent: readonly Sent[]): Promise<void> {
    const fresh = sent.filter(({ hash }) => this.branchOf(branch, hash) === undefined);
    if (fresh.length === 0) return;
    const addresses = [...new Set(fresh.flatMap(({ raw }) => writableIn(raw)))];
    await this.changing(branch, addresses, async () => {
      for (const { raw } of fresh)
        await this.chains[branch]
          .request("sendTransaction", [raw, { encoding: "base64", skipPreflight: true }])
          // A branch that lost may have had it, and cannot have it again.
          .catch(() => undefined);
    });
  }

  /** Returns the given transactions that are in a block of a branch, and records them. */
  async confirm(branch: Branch, sent: readonly Sent[]): Promise<string[]> {
    const fresh = sent.map(({ hash }) => hash).filter((hash) => this.branchOf(branch, hash) === undefined);
    if (fresh.length === 0) return [];
    const answer = await this.ask(branch, "getSignatureStatuses", [fresh]);
    const { value } = answer as InContext<({ slot: number } | null)[]>;
    const landed = fresh.filter((_, index) => (value[index]?.slot ?? -1) >= this.equalSlot);
    for (const hash of landed) this.fresh[branch].add(hash);
    return landed;
  }

  /** Makes both branches equal, after which no transaction of the main branch can be undone. */
  async unite(): Promise<void> {
    const addresses = [...this.changed];
    const loser = otherThan(this.main);
    const [texts, others] = await Promise.all([
      this.textsOf(this.main, addresses),
      this.textsOf(loser, addresses),
    ]);
    for (const [index, address] of addresses.entries()) {
      const text = texts[index] ?? "null";
      const none = { lamports: 0n, owner: programs.system, data: new Uint8Array() };
      if (text !== others[index]) await this.set(loser, address, accountIn(text) ?? none);
      this.states[loser].set(address, [...(this.states[this.main].get(address) ?? [])]);
    }
    this.answers[loser].clear();
    for (const hash of this.fresh[this.main]) this.kept.set(hash, this.main);
    for (const each of this.fresh) each.clear();
    this.changed.clear();
    this.equalSlot = this.slot;
  }

  /** Forgets earlier states of accounts after a history. */
  forget(): void {
    for (const each of this.states) each.clear();
    this.blockhashes.splice(0, this.blockhashes.length - 1);
  }
}

function accountIn(text: AccountText): MadeAccount | undefined {
  const account = JSON.parse(text) as { lamports: number; owner: string; data: [string] } | null;
  if (account === null) return undefined;
  const { lamports, owner, data } = account;
  return { lamports: BigInt(lamports), owner, data: Buffer.from(data[0], "base64") };
}

/** Lists the accounts that a transaction may change. */
function writableIn(raw: string): string[] {
  const { message } = transactionIn([raw, { encoding: "base64" }]) ?? {};
  if (message === undefined) return [];
  const { header, staticAccounts } = message;
  const { numSignerAccounts: signers } = header;
  const writableSigners = signers - header.numReadonlySignerAccounts;
  const others = staticAccounts.length - header.numReadonlyNonSignerAccounts;
  return staticAccounts.filter((_, index) => index < writableSigners || (index >= signers && index < others));
}
