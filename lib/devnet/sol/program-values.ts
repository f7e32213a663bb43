import type { Address } from "@solana/web3.js";
import { bytesOf } from "./published.ts";
import { inRegister, type Place, type Register, SBPFAssembler } from "./sbpf-assembler.ts";
import { inAccount, loadAddress } from "./sbpf-parts.ts";

/** A number of eight bytes that the program keeps until it ends. */
export type Variable = { readonly slot: number };

/** A number in the data of an account. Its usual size is eight bytes. */
export type Field = { of: string; at: number; size?: 1 | 4 | 8 };

/** A number in the instruction's data. */
type Argument = { argument: number; size?: 1 | 8 };

export type Value =
  | number
  | bigint
  | Variable
  | Field
  | Argument
  | { lamportsOf: string }
  | { sizeOf: string };

export type Condition = "equal" | "unequal" | "below" | "atLeast" | "above" | "atMost";

/** Thirty-two bytes: a constant, the address of an account, its owner, or a part of its data. */
export type Key = Address | { key: string } | { ownerOf: string } | { of: string; at: number };

/** Codes with which the framework of Pump's programs refuses accounts. */
export const anchorErrors = {
  unknownInstruction: 101,
  shortData: 102,
  notWritable: 2000,
  otherRelation: 2001,
  otherSeeds: 2006,
  otherAddress: 2012,
  otherMint: 2014,
  otherTokenOwner: 2015,
  otherDiscriminator: 3002,
  fewAccounts: 3005,
  otherOwner: 3007,
  otherProgram: 3008,
  notSigner: 3010,
  notInitialized: 3012,
} as const;

/** Distance of the table of accounts from the end of the stack frame. */
export const table = -512;

/** Number of accounts that the table has room for. */
export const mostAccounts = 48;

/** Address of the heap, and the places on it. */
export const heapAt = 0x3_0000_0000n;
export const heap = {
  variables: 0,
  found: 1024,
  bump: 1056,
  seeds: 1064,
  texts: 1160,
  signer: 1352,
  constant: 1368,
  instruction: 1400,
  data: 1440,
  metas: 1568,
  infos: 1824,
} as const;

export const onHeap = (name: keyof typeof heap, offset = 0): Place => [9, heap[name] + offset];

const opposite = {
  equal: "unequal",
  unequal: "equal",
  below: "atLeast",
  atLeast: "below",
  above: "atMost",
  atMost: "above",
} as const;

/** Writes the parts of a program that read, compare and keep numbers and addresses. */
export class ProgramValues {
  readonly code = new SBPFAssembler();
  protected accounts: readonly string[] = [];
  protected readonly failures = new Set<number>();
  #labels = 0;
  #variables = 0;
  /** Address of the instruction's data, which its length precedes. */
  protected readonly input = this.variable();

  variable(): Variable {
    if (this.#variables === 128) throw new RangeError("The heap has room for fewer variables");
    return { slot: 8 * this.#variables++ };
  }

  set(to: Variable | Field | { lamportsOf: string }, value: Value): void {
    this.load(1, value);
    this.store(to, 1);
  }

  add(to: Variable | Field | { lamportsOf: string }, value: Value): void {
    this.#change("add", to, value);
  }

  subtract(to: Variable | Field | { lamportsOf: string }, value: Value): void {
    this.#change("sub", to, value);
  }

  /** Fails with the code unless the condition holds. */
  demand(left: Value, condition: Condition, right: Value, error: number): void {
    this.load(1, left);
    this.load(2, right);
    this.failIf(opposite[condition], 1, inRegister(2), error);
  }

  when(left: Value, condition: Condition, right: Value, then: () => void, otherwise?: () => void): void {
    const [not, end] = [this.newLabel(), this.newLabel()];
    this.load(1, left);
    this.load(2, right);
    this.jumpIf(opposite[condition], 1, inRegister(2), not);
    then();
    if (otherwise !== undefined) this.code.jump(end);
    this.code.label(not);
    otherwise?.();
    this.code.label(end);
  }

  whenKey(account: Key, other: Key, then: () => void, otherwise?: () => void): void {
    const [not, end] = [this.newLabel(), this.newLabel()];
    this.compare(account, other, not);
    then();
    if (otherwise !== undefined) this.code.jump(end);
    this.code.label(not);
    otherwise?.();
    this.code.label(end);
  }

  /** Loads the address of the byte at an offset in the account's data. */
  pointToData(to: Register, account: string, at: number): void {
    this.loadAccount(to, account);
    this.code.do("add", to, inAccount.data + at);
  }

  #change(operation: "add" | "sub", to: Variable | Field | { lamportsOf: string }, value: Value): void {
    this.load(1, to);
    this.load(2, value);
    this.code.do(operation, 1, inRegister(2));
    this.store(to, 1);
  }

  protected writeBytes([base, at]: Place, bytes: Buffer): void {
    for (let word = 0; word < bytes.length; word += 8)
      this.code.constant(2, bytes.readBigUInt64LE(word)).store([base, at + word], inRegister(2));
  }

  protected copyKeyTo([base, at]: Place, account: string): void {
    this.pointTo(4, { key: account });
    for (let word = 0; word < 32; word += 8)
      this.code.load(1, [4, word]).store([base, at + word], inRegister(1));
  }

  /** Jumps unless both keys are equal. */
  protected compare(key: Key, other: Key, unequal: string): void {
    const { code } = this;
    this.pointTo(4, key);
    this.pointTo(5, other);
    code.callFunction("compare").jumpIf("unequal", 0, 0, unequal);
  }

  protected pointTo(to: Register, key: Key): void {
    if (typeof key === "string") {
      this.writeBytes(onHeap("constant"), Buffer.from(bytesOf(key)));
      loadAddress(this.code, to, onHeap("constant"));
    } else if ("key" in key) {
      this.loadAccount(to, key.key);
      this.code.do("add", to, inAccount.key);
    } else if ("ownerOf" in key) {
      this.loadAccount(to, key.ownerOf);
      this.code.do("add", to, inAccount.owner);
    } else this.pointToData(to, key.of, key.at);
  }

  protected load(to: Register, value: Value): void {
    const { code } = this;
    if (typeof value === "bigint") code.constant(to, value);
    else if (typeof value === "number") code.do("move", to, value);
    else if ("slot" in value) code.load(to, this.placeOf(value));
    else if ("lamportsOf" in value) {
      this.loadAccount(to, value.lamportsOf);
      code.load(to, [to, inAccount.lamports]);
    } else if ("sizeOf" in value) {
      this.loadAccount(to, value.sizeOf);
      code.load(to, [to, inAccount.size]);
    } else if ("argument" in value) {
      code.load(to, this.placeOf(this.input)).do("add", to, 8 + value.argument);
      if (value.size === 1) code.loadByte(to, [to, 0]);
      else code.load(to, [to, 0]);
    } else {
      this.pointToData(to, value.of, value.at);
      if (value.size === 1) code.loadByte(to, [to, 0]);
      else if (value.size === 4) code.loadWord(to, [to, 0]);
      else code.load(to, [to, 0]);
    }
  }

  protected store(to: Variable | Field | { lamportsOf: string }, from: Register): void {
    if ("slot" in to) this.code.store(this.placeOf(to), inRegister(from));
    else if ("lamportsOf" in to) {
      this.loadAccount(5, to.lamportsOf);
      this.code.store([5, inAccount.lamports], inRegister(from));
    } else {
      this.pointToData(5, to.of, to.at);
      if (to.size === 1) this.code.storeByte([5, 0], inRegister(from));
      else this.code.store([5, 0], inRegister(from));
    }
  }

  protected loadAccount(to: Register, name: string): void {
    const index = this.accounts.indexOf(name);
    if (index === -1) throw new Error(`The instruction has no account ${name}`);
    this.code.load(to, [10, table + 8 * index]);
  }

  protected failure(error: number): string {
    this.failures.add(error);
    return `fail ${error}`;
  }

  protected failIf(
    condition: Condition,
    left: Register,
    right: number | { register: Register },
    error: number,
  ): void {
    this.jumpIf(condition, left, right, this.failure(error));
  }

  protected jumpIf(
    condition: Condition,
    left: Register,
    right: number | { register: Register },
    label: string,
  ): void {
    const { code } = this;
    if (condition !== "above" && condition !== "atMost") {
      code.jumpIf(condition, left, right, label);
      return;
    }
    if (typeof right === "number") code.do("move", 3, right);
    const swapped = typeof right === "number" ? 3 : right.register;
    code.jumpIf(condition === "above" ? "below" : "atLeast", swapped, inRegister(left), label);
  }

  newLabel = (): string => `label ${++this.#labels}`;

  placeOf = ({ slot }: Variable): Place => onHeap("variables", slot);
}
