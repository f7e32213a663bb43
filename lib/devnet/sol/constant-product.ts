import { inRegister, type Place, type Register, SBPFAssembler } from "./sbpf-assembler.ts";

/** Accounts that a swap uses. */
type AccountName =
  | ("payer" | "authority" | "source" | "target" | "vaultIn" | "vaultOut")
  | ("programIn" | "programOut" | "mintIn" | "mintOut");

/** Interface through which callers ask a program for a swap. */
export type SwapInterface = {
  /** Positions of the used accounts. */
  accounts: Readonly<Record<AccountName, number>>;
  accountCount: number;
  /** First eight bytes of the instruction data, as a number. */
  name: bigint;
  dataLength: number;
  /** Refuses accounts with which the real program would fail. May use the registers r1 to r5. */
  check?: (program: SBPFAssembler, account: ToAccount) => void;
  /** Stores the amount and the least output, which it reads from the data that begins at r6 + 8. */
  readArguments: (program: SBPFAssembler) => void;
  /** Error codes of refused swaps. */
  errors: { unknownInstruction: number; slippage: number };
  /** Seed that, with a bump, gives the address that owns the vaults. */
  authoritySeed: string;
};

/** Loads the place of an account, given its position in the instruction, into a register. */
type ToAccount = (to: Register, position: number) => SBPFAssembler;

/** Offsets in the runtime's input, from the beginning of an account. */
export const inAccount = {
  isSigner: 1,
  isWritable: 2,
  key: 8,
  owner: 40,
  lamports: 72,
  size: 80,
  data: 88,
} as const;
const amountInData = 64;
const decimalsInData = 44;

/** Bytes that the runtime reserves after an account's data, so that the data can grow. */
const growth = 10_240;

/** Value of the byte that marks the first occurrence of an account. */
const isFirst = 255;

/** Fee of a trade in millionths, as in Raydium's first configuration. */
export const tradeFee = 2500;
const millionths = 1_000_000;

const transferChecked = 12;

/** Layout of the stack frame, by the distance from its end. */
const frame = {
  accounts: -832,
  amountIn: -136,
  minimum: -144,
  reserveIn: -152,
  reserveOut: -160,
  before: -168,
  amount: -192,
  instruction: -240,
  metas: -320,
  infos: -560,
  seedText: -600,
  bump: -608,
  seeds: -640,
  signer: -656,
} as const;

const at = (name: keyof typeof frame, offset = 0): Place => [10, frame[name] + offset];

/** Places on the stack where a swap's arguments belong. */
export const argumentsAt = { amountIn: at("amountIn"), minimum: at("minimum") } as const;

/** Maximum number of accounts that fit into the stack frame. */
const mostAccounts = 20;

type Transfer = {
  from: AccountName;
  mint: AccountName;
  to: AccountName;
  owner: AccountName;
  by: AccountName;
  /** True if the program signs for the owner. */
  isSigned: boolean;
};

/**
 * Builds a program that trades at a constant product of its vaults' balances and keeps all fees there. It measures the
 * received amount, so that tokens which withhold part of each transfer trade as on real exchanges.
 *
 * @param bump Bump of the authority's address.
 */
export function constantProduct(face: SwapInterface, bump: number): Buffer {
  if (face.accountCount > mostAccounts) throw new RangeError("The frame has room for fewer accounts");
  const program = new SBPFAssembler();
  const { errors } = face;
  readAccounts(program, face);
  readData(program, face);
  face.check?.(program, (to, position) => program.load(to, at("accounts", 8 * position)));
  const [r1, r2, r3] = [inRegister(1), inRegister(2), inRegister(3)];

  loadTokens(program, face, 1, "vaultIn");
  loadTokens(program, face, 2, "vaultOut");
  loadTokens(program, face, 3, "target");
  program.store(at("reserveIn"), r1).store(at("reserveOut"), r2);
  program.store(at("before"), r3).load(1, at("amountIn")).store(at("amount"), r1);
  transfer(program, face, bump, {
    from: "source",
    mint: "mintIn",
    to: "vaultIn",
    owner: "payer",
    by: "programIn",
    isSigned: false,
  });

  // Sets r1 to the received amount after the fee, and r2 to the reserve including it.
  loadTokens(program, face, 1, "vaultIn");
  program.load(2, at("reserveIn")).do("sub", 1, r2).do("move", 3, r1);
  program
    .do("mul", 3, tradeFee)
    .do("add", 3, millionths - 1)
    .do("div", 3, millionths);
  program.do("sub", 1, r3).do("add", 2, r1).load(3, at("reserveOut"));
  multiplyAndDivide(program);
  program.store(at("amount"), inRegister(9));
  transfer(program, face, bump, {
    from: "vaultOut",
    mint: "mintOut",
    to: "target",
    owner: "authority",
    by: "programOut",
    isSigned: true,
  });

  loadTokens(program, face, 1, "target");
  program.load(2, at("before")).do("sub", 1, r2).load(2, at("minimum"));
  program.jumpIf("below", 1, r2, "slippage").do("move", 0, 0).exit();
  program.label("unknown").do("move", 0, errors.unknownInstruction).exit();
  program.label("slippage").do("move", 0, errors.slippage).exit();
  return program.label("failed").exit().link();
}

/**
 * Stores the address of each account in the runtime's input, which begins at r1. Afterwards, r6 points to the first
 * byte after the accounts.
 */
function readAccounts(program: SBPFAssembler, { accountCount }: SwapInterface): void {
  program.load(7, [1, 0]).jumpIf("unequal", 7, accountCount, "unknown");
  program.do("move", 6, inRegister(1)).do("add", 6, 8).do("move", 8, 0);
  loadAddress(program, 9, at("accounts"));
  program.label("next").jumpIf("atLeast", 8, inRegister(7), "arguments");
  program.loadByte(2, [6, 0]).jumpIf("equal", 2, isFirst, "first");
  // Handles a repeated account. The byte is the index of its first occurrence.
  program.do("shiftLeft", 2, 3);
  loadAddress(program, 3, at("accounts"));
  program.do("add", 3, inRegister(2)).load(4, [3, 0]).store([9, 0], inRegister(4));
  program.do("add", 6, 8).jump("step");
  program.label("first").store([9, 0], inRegister(6)).load(3, [6, inAccount.size]);
  program.do("add", 3, 7).do("and", 3, -8).do("add", 6, inRegister(3));
  program.do("add", 6, inAccount.data + growth + 8);
  program.label("step").do("add", 9, 8).do("add", 8, 1).jump("next").label("arguments");
}

function readData(program: SBPFAssembler, { name, dataLength, readArguments }: SwapInterface): void {
  program.load(2, [6, 0]).jumpIf("unequal", 2, dataLength, "unknown");
  program.load(2, [6, 8]).constant(3, name).jumpIf("unequal", 2, inRegister(3), "unknown");
  readArguments(program);
}

const loadAccount = (program: SBPFAssembler, { accounts }: SwapInterface, to: Register, name: AccountName) =>
  program.load(to, at("accounts", 8 * accounts[name]));

/** Loads an account's number of tokens into a register. */
const loadTokens = (program: SBPFAssembler, face: SwapInterface, to: Register, name: AccountName) =>
  loadAccount(program, face, to, name).load(to, [to, inAccount.data + amountInData]);

const loadAddress = (program: SBPFAssembler, to: Register, [base, offset]: Place) =>
  program.do("move", to, inRegister(base)).do("add", to, offset);

/** Stores the address that lies at an offset from the address in a register. */
const storeAddress = (program: SBPFAssembler, to: Place, from: Register, offset: number) =>
  program.do("move", 3, inRegister(from)).do("add", 3, offset).store(to, inRegister(3));

/** Calls a token program to move the amount in the stack frame. */
function transfer(
  program: SBPFAssembler,
  face: SwapInterface,
  bump: number,
  { from, mint, to, owner, by, isSigned }: Transfer,
): void {
  program.storeByte(at("amount", -1), transferChecked);
  loadAccount(program, face, 1, mint).loadByte(1, [1, inAccount.data + decimalsInData]);
  program.storeByte(at("amount", 8), inRegister(1));

  loadAccount(program, face, 1, by);
  storeAddress(program, at("instruction"), 1, inAccount.key);
  storeAddress(program, at("instruction", 8), 10, frame.metas);
  program.store(at("instruction", 16), 4);
  storeAddress(program, at("instruction", 24), 10, frame.amount - 1);
  program.store(at("instruction", 32), 10);
  for (const [index, name] of [from, mint, to, owner].entries()) {
    const meta = 16 * index;
    loadAccount(program, face, 1, name);
    storeAddress(program, at("metas", meta), 1, inAccount.key);
    program.store(at("metas", meta + 8), 0);
    program.storeByte(at("metas", meta + 8), name === from || name === to ? 1 : 0);
    program.storeByte(at("metas", meta + 9), name === owner ? 1 : 0);
    describeAccount(program, 56 * index);
  }

  loadAddress(program, 1, at("instruction"));
  loadAddress(program, 2, at("infos"));
  program
    .do("move", 3, 4)
    .do("move", 4, 0)
    .do("move", 5, isSigned ? 1 : 0);
  if (isSigned) storeSeeds(program, face, bump);
  program.call("sol_invoke_signed_c").jumpIf("unequal", 0, 0, "failed");
}

/** Describes the account in r1 in the format that the runtime expects for a call. */
function describeAccount(program: SBPFAssembler, info: number): void {
  storeAddress(program, at("infos", info), 1, inAccount.key);
  storeAddress(program, at("infos", info + 8), 1, inAccount.lamports);
  program.load(2, [1, inAccount.size]).store(at("infos", info + 16), inRegister(2));
  storeAddress(program, at("infos", info + 24), 1, inAccount.data);
  storeAddress(program, at("infos", info + 32), 1, inAccount.owner);
  program.store(at("infos", info + 40), 0).store(at("infos", info + 48), 0);
  program.loadByte(2, [1, inAccount.isSigner]).storeByte(at("infos", info + 48), inRegister(2));
  program.loadByte(2, [1, inAccount.isWritable]).storeByte(at("infos", info + 49), inRegister(2));
}

/** Stores the authority's seeds and points r4 to them. */
function storeSeeds(program: SBPFAssembler, { authoritySeed }: SwapInterface, bump: number): void {
  const text = Buffer.alloc(32);
  text.write(authoritySeed);
  for (let offset = 0; offset < text.length; offset += 8)
    program.constant(4, text.readBigUInt64LE(offset)).store(at("seedText", offset), inRegister(4));
  program.storeByte(at("bump"), bump);
  loadAddress(program, 4, at("seedText")).store(at("seeds"), inRegister(4));
  program.store(at("seeds", 8), authoritySeed.length);
  loadAddress(program, 4, at("bump")).store(at("seeds", 16), inRegister(4)).store(at("seeds", 24), 1);
  loadAddress(program, 4, at("seeds")).store(at("signer"), inRegister(4)).store(at("signer", 8), 2);
  loadAddress(program, 4, at("signer"));
}

/** Computes r9 = r1 × r3 / r2, with a product of 128 bits in r8 and r9. The quotient must fit into 64 bits. */
function multiplyAndDivide(program: SBPFAssembler): void {
  const low = (to: Register, from: Register) =>
    program.do("move", to, inRegister(from)).do("shiftLeft", to, 32).do("shiftRight", to, 32);
  const high = (to: Register, from: Register) =>
    program.do("move", to, inRegister(from)).do("shiftRight", to, 32);
  low(4, 1);
  high(5, 1);
  low(6, 3);
  high(7, 3);
  program.do("move", 9, inRegister(4)).do("mul", 9, inRegister(6));
  program.do("move", 8, inRegister(5)).do("mul", 8, inRegister(7));
  program.do("mul", 4, inRegister(7)).do("mul", 5, inRegister(6));
  // Sums up in r0 the partial products that begin at bit 32.
  high(0, 9);
  for (const product of [4, 5] as const) {
    low(1, product);
    program.do("add", 0, inRegister(1));
  }
  low(9, 9);
  program.do("move", 1, inRegister(0)).do("shiftLeft", 1, 32).do("or", 9, inRegister(1));
  for (const product of [4, 5, 0] as const) {
    high(1, product);
    program.do("add", 8, inRegister(1));
  }
  program.do("move", 7, 64).label("divide").jumpIf("equal", 7, 0, "divided");
  program.do("shiftLeft", 8, 1).do("move", 1, inRegister(9)).do("shiftRight", 1, 63);
  program.do("or", 8, inRegister(1)).do("shiftLeft", 9, 1).jumpIf("below", 8, inRegister(2), "smaller");
  program.do("sub", 8, inRegister(2)).do("or", 9, 1);
  program.label("smaller").do("sub", 7, 1).jump("divide").label("divided");
}
