import {
  anchorErrors,
  heap,
  heapAt,
  type Key,
  mostAccounts,
  onHeap,
  ProgramValues,
  table,
  type Value,
  type Variable,
} from "./program-values.ts";
import { inRegister, type Place } from "./sbpf-assembler.ts";
import {
  describeAccount,
  inAccount,
  loadAddress,
  multiplyAndDivide,
  readAccounts,
  storeAddress,
} from "./sbpf-parts.ts";

/** Part of the seeds of an address: a text, the address of an account, bytes of an account's data, or a bump. */
type Seed = string | { key: string } | { of: string; at: number; length: number } | { bump: Variable };

/** Part of the data of a call: a number and its place. Numbers must be in the order of their places. */
type Part = readonly [at: number, value: Value];

type Call = {
  program: string;
  /** Accounts and their roles: `w` is writable, and `s` signs. */
  accounts: readonly (readonly [name: string, roles: "" | "w" | "s" | "ws"])[];
  data: readonly Part[];
  length: number;
  /** Appends an account's address to the data. */
  key?: string;
  /** Seeds of an account that the program signs for. */
  signer?: readonly Seed[];
};

const nameOf = (name: string): bigint => Buffer.from(name, "hex").readBigUInt64LE();

/** Writes programs whose instructions name their accounts and keep numbers in variables. */
export class ProgramWriter extends ProgramValues {
  readonly #count = this.variable();
  /** Index of the next account that the instruction does not name. */
  readonly #next = this.variable();

  constructor() {
    super();
    const { code } = this;
    code.load(7, [1, 0]);
    this.failIf("above", 7, mostAccounts, anchorErrors.fewAccounts);
    readAccounts(code, [10, table]);
    code.constant(9, heapAt).store(this.placeOf(this.input), inRegister(6));
    code.store(this.placeOf(this.#count), inRegister(7));
  }

  /**
   * Writes instructions with the same accounts. The data begins with the name of the one that runs. Fails if too few
   * accounts or bytes are given.
   *
   * @param accounts Names of the accounts in order. A name may have its required roles after a space.
   */
  instructions(
    names: readonly string[],
    accounts: readonly string[],
    length: number,
    body: () => void,
  ): void {
    const [next, found] = [this.newLabel(), this.newLabel()];
    this.code.load(6, this.placeOf(this.input)).load(2, [6, 0]);
    this.failIf("below", 2, 8, anchorErrors.unknownInstruction);
    this.code.load(1, [6, 8]);
    for (const name of names) this.code.constant(3, nameOf(name)).jumpIf("equal", 1, inRegister(3), found);
    this.code.jump(next).label(found);
    this.failIf("below", 2, length, anchorErrors.shortData);
    const named = accounts.map((each) => each.split(" ")[0] ?? "");
    // Keeps the places of all accounts that can be given free, so that further accounts can be named after them.
    this.accounts = [...named, ...Array.from({ length: mostAccounts - named.length }, () => "")];
    this.set(this.#next, named.length);
    this.demand(this.#count, "atLeast", accounts.length, anchorErrors.fewAccounts);
    for (const each of accounts) {
      const [account = "", roles = ""] = each.split(" ");
      if (roles.includes("w")) this.#demandFlag(account, inAccount.isWritable, anchorErrors.notWritable);
      if (roles.includes("s")) this.#demandFlag(account, inAccount.isSigner, anchorErrors.notSigner);
    }
    body();
    this.code.do("move", 0, 0).exit().label(next);
  }

  /** Runs the first body if the data begins with the name of an instruction, and else the second one. */
  whenNamed(name: string, then: () => void, otherwise: () => void): void {
    this.when({ argument: 0 }, "equal", nameOf(name), then, otherwise);
  }

  /** Gives the next account after those of the instruction a name. Fails with the code if it is missing. */
  nameNext(account: string, error: number): void {
    const { code } = this;
    this.load(1, this.#next);
    this.load(2, this.#count);
    this.failIf("atLeast", 1, inRegister(2), error);
    code.do("shiftLeft", 1, 3).do("add", 1, inRegister(10));
    this.accounts = [...this.accounts, account];
    code.load(1, [1, table]).store([10, table + 8 * (this.accounts.length - 1)], inRegister(1));
    this.add(this.#next, 1);
  }

  link(): Buffer {
    const { code } = this;
    code.do("move", 0, anchorErrors.unknownInstruction).exit();
    for (const error of this.failures) code.label(`fail ${error}`).do("move", 0, error).exit();
    code.label("failed").exit();
    // Compares the 32 bytes at r4 with those at r5. Returns 0 if they are equal.
    code.label("compare").do("move", 0, 1);
    for (let word = 0; word < 32; word += 8)
      code.load(1, [4, word]).load(2, [5, word]).jumpIf("unequal", 1, inRegister(2), "differ");
    code.do("move", 0, 0).label("differ").exit();
    // Multiplies r1 by r2, and divides by r3. Returns the quotient, and the remainder in r1.
    code.label("mulDiv").do("move", 4, inRegister(2)).do("move", 2, inRegister(3));
    code.do("move", 3, inRegister(4));
    multiplyAndDivide(code);
    code.do("move", 0, inRegister(9)).do("move", 1, inRegister(8)).exit();
    return code.link();
  }

  /** Sets a variable to a × b / c, rounded down or up. The quotient must fit into eight bytes. */
  setRatio(to: Variable, a: Value, b: Value, c: Value, rounding: "down" | "up" = "down"): void {
    this.load(1, a);
    this.load(2, b);
    this.load(3, c);
    this.code.callFunction("mulDiv");
    if (rounding === "up") {
      const exact = this.newLabel();
      this.code.jumpIf("equal", 1, 0, exact).do("add", 0, 1).label(exact);
    }
    this.code.store(this.placeOf(to), inRegister(0));
  }

  demandKey(key: Key, other: Key, error: number): void {
    this.compare(key, other, this.failure(error));
  }

  /** Fails with the code unless the key is one of several. */
  demandOneOf(key: Key, others: readonly Key[], error: number): void {
    const found = this.newLabel();
    for (const other of others) {
      const next = this.newLabel();
      this.compare(key, other, next);
      this.code.jump(found).label(next);
    }
    this.code.jump(this.failure(error)).label(found);
  }

  /** Fails unless the account has its address from the seeds. Stores the bump, if asked for. */
  demandSeeds(account: string, program: Key, seeds: readonly Seed[], bump?: Variable, error = 2006): void {
    this.#findAddress(program, seeds);
    this.code.jumpIf("unequal", 0, 0, "failed");
    if (bump !== undefined) this.code.loadByte(1, onHeap("bump")).store(this.placeOf(bump), inRegister(1));
    this.pointTo(4, { key: account });
    loadAddress(this.code, 5, onHeap("found"));
    this.code.callFunction("compare");
    this.failIf("unequal", 0, 0, error);
  }

  /** Runs the first body if an address from the seeds equals the key, and else the second one. */
  whenSeeds(
    key: Key,
    program: Key,
    seeds: readonly Seed[],
    bodies: readonly [then: () => void, otherwise: () => void],
  ): void {
    const [not, end] = [this.newLabel(), this.newLabel()];
    this.#findAddress(program, seeds);
    this.code.jumpIf("unequal", 0, 0, "failed");
    this.pointTo(5, key);
    loadAddress(this.code, 4, onHeap("found"));
    this.code.callFunction("compare").jumpIf("unequal", 0, 0, not);
    bodies[0]();
    this.code.jump(end).label(not);
    bodies[1]();
    this.code.label(end);
  }

  /** Fails unless the account belongs to a program, and its data begins with the name of its kind. */
  demandKind(account: string, owner: Key, name: string): void {
    this.demandKey({ ownerOf: account }, owner, anchorErrors.otherOwner);
    this.demand({ sizeOf: account }, "atLeast", 8, anchorErrors.otherDiscriminator);
    this.demand({ of: account, at: 0 }, "equal", nameOf(name), anchorErrors.otherDiscriminator);
  }

  /** Fails with the code if a bit of the number is set. */
  demandClearBit(value: Value, bit: number, error: number): void {
    this.load(1, value);
    this.code.do("and", 1, bit);
    this.failIf("unequal", 1, 0, error);
  }

  /** Fails unless the account is the running program. */
  demandProgram(account: string): void {
    const { code } = this;
    code.load(5, this.placeOf(this.input)).load(1, [5, 0]).do("add", 5, 8).do("add", 5, inRegister(1));
    this.pointTo(4, { key: account });
    code.callFunction("compare");
    this.failIf("unequal", 0, 0, anchorErrors.otherProgram);
  }

  /** Copies the address of an account into another's data. */
  copyKey(to: string, at: number, account: string): void {
    this.pointToData(5, to, at);
    this.copyKeyTo([5, 0], account);
  }

  /** Calls another program. Fails as it does. */
  invoke({ program, accounts, data, length, key, signer }: Call): void {
    const { code } = this;
    for (const [at, value] of data) {
      this.load(1, value);
      code.store(onHeap("data", at), inRegister(1));
    }
    if (key !== undefined) this.copyKeyTo(onHeap("data", length), key);
    this.loadAccount(1, program);
    storeAddress(code, onHeap("instruction"), 1, inAccount.key);
    storeAddress(code, onHeap("instruction", 8), 9, heap.metas);
    code.store(onHeap("instruction", 16), accounts.length);
    storeAddress(code, onHeap("instruction", 24), 9, heap.data);
    code.store(onHeap("instruction", 32), length + (key === undefined ? 0 : 32));
    for (const [index, [name, roles]] of accounts.entries()) {
      this.loadAccount(1, name);
      storeAddress(code, onHeap("metas", 16 * index), 1, inAccount.key);
      code.store(onHeap("metas", 16 * index + 8), 0);
      code.storeByte(onHeap("metas", 16 * index + 8), roles.includes("w") ? 1 : 0);
      code.storeByte(onHeap("metas", 16 * index + 9), roles.includes("s") ? 1 : 0);
      describeAccount(code, onHeap("infos", 56 * index));
    }
    if (signer !== undefined) {
      this.#writeSeeds(signer);
      loadAddress(code, 4, onHeap("seeds"));
      code.store(onHeap("signer"), inRegister(4)).store(onHeap("signer", 8), signer.length);
    }
    loadAddress(code, 1, onHeap("instruction"));
    loadAddress(code, 2, onHeap("infos"));
    loadAddress(code, 4, onHeap("signer"));
    code.do("move", 3, accounts.length).do("move", 5, signer === undefined ? 0 : 1);
    code.call("sol_invoke_signed_c").jumpIf("unequal", 0, 0, "failed");
  }

  /** Calls a function of the runtime with the address of some free bytes, which it fills. */
  callWithData(name: string): void {
    loadAddress(this.code, 1, onHeap("data"));
    this.code.call(name);
  }

  /** Place of a byte that {@link callWithData} has filled. */
  filled = (at: number): Place => onHeap("data", at);

  #findAddress(program: Key, seeds: readonly Seed[]): void {
    this.#writeSeeds(seeds);
    this.pointTo(3, program);
    loadAddress(this.code, 1, onHeap("seeds"));
    loadAddress(this.code, 4, onHeap("found"));
    loadAddress(this.code, 5, onHeap("bump"));
    this.code.do("move", 2, seeds.length).call("sol_try_find_program_address");
  }

  #writeSeeds(seeds: readonly Seed[]): void {
    const { code } = this;
    for (const [index, seed] of seeds.entries()) {
      let length = 32;
      if (typeof seed === "string") {
        const text = Buffer.alloc(32);
        length = text.write(seed);
        this.writeBytes(onHeap("texts", 32 * index), text);
        loadAddress(code, 1, onHeap("texts", 32 * index));
      } else if ("key" in seed) {
        this.pointTo(1, seed);
      } else if ("of" in seed) {
        this.pointToData(1, seed.of, seed.at);
        ({ length } = seed);
      } else {
        loadAddress(code, 1, this.placeOf(seed.bump));
        length = 1;
      }
      code.store(onHeap("seeds", 16 * index), inRegister(1)).store(onHeap("seeds", 16 * index + 8), length);
    }
  }

  #demandFlag(account: string, at: number, error: number): void {
    this.loadAccount(1, account);
    this.code.loadByte(1, [1, at]);
    this.failIf("equal", 1, 0, error);
  }
}
