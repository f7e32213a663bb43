import { inRegister, type Place, type Register, SBPFAssembler } from "./sbpf-assembler.ts";
import {
  describeAccount,
  inAccount,
  loadAddress,
  multiplyAndDivide,
  readAccounts,
  storeAddress,
} from "./sbpf-parts.ts";

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
  /** Stores the amount and the minimum output, which it reads from the data that begins at r6 + 8. */
  readArguments: (program: SBPFAssembler) => void;
  /** Error codes of refused swaps. */
  errors: { unknownInstruction: number; slippage: number };
  /** Seed that, with a bump, gives the address that owns the vaults. */
  authoritySeed: string;
};

/** Loads the place of an account, given its position in the instruction, into a register. */
type ToAccount = (to: Register, position: number) => SBPFAssembler;

const amountInData = 64;
const decimalsInData = 44;

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
  program.load(7, [1, 0]).jumpIf("unequal", 7, face.accountCount, "unknown");
  readAccounts(program, at("accounts"));
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
    describeAccount(program, at("infos", 56 * index));
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
