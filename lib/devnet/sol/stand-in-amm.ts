import { anchorErrors, type Value, type Variable } from "./program-values.ts";
import { ProgramWriter } from "./program-writer.ts";
import { programs, raydium } from "./published.ts";
import { amountAt, demandTokens, moveTokens } from "./pump-parts.ts";
import { inRegister } from "./sbpf-assembler.ts";

/** Error codes with which Raydium's program refuses swaps. */
export const ammErrors = {
  notApproved: 6000,
  slippage: 6005,
  nothing: 6006,
  otherVault: 6008,
  otherPool: 2003,
} as const;

const accounts = [
  ...["payer s", "authority", "config", "pool w", "source w", "target w", "vaultIn w", "vaultOut w"],
  ...["programIn", "programOut", "mintIn", "mintOut", "observation w"],
];

/** Kinds of accounts, by the names with which their data begins. */
export const ammKinds = {
  pool: "f7ede3f5d7c3de46",
  config: "daf42168cbcb2b6f",
  observation: "7aaec5358109a584",
} as const;

/** Places in the data of a configuration, whose rates are in millionths. */
export const configAt = { trade: 12, protocol: 20, fund: 28, creator: 108 } as const;

/** Places in the data of a pool. Those of a side are followed by those of the other side. */
const poolAt = {
  config: 8,
  vaults: [72, 104],
  observation: 296,
  status: 329,
  protocolFees: [341, 349],
  fundFees: [357, 365],
  openTime: 373,
  creatorFeeOn: 389,
  hasCreatorFee: 390,
  creatorFees: [397, 405],
} as const;

/** Bit of the status that stops swaps. */
const swapsAreStopped = 4;

const millionths = 1_000_000;

const names = [
  ...(["bump", "now", "reserveIn", "reserveOut", "before", "arrived", "creatorRate", "rate"] as const),
  ...(["total", "fee", "creatorFee", "protocolFee", "fundFee", "paid", "isOnInput"] as const),
] as const;
type Kept = Record<(typeof names)[number], Variable>;

type Side = 0 | 1;

const inPool = (at: number, size: 1 | 8 = 8) => ({ of: "pool", at, size });
const inConfig = (part: keyof typeof configAt) => ({ of: "config", at: configAt[part] });
const tokensOf = (account: string) => ({ of: account, at: amountAt });

/**
 * Builds a program with the interface of Raydium CPMM, because no package contains the original. Swaps check the
 * accounts and the state of the pool, and keep the fees that the pool owes out of its reserves. The program writes no
 * observations and emits no events.
 */
export function standInAMM(): Buffer {
  const writer = new ProgramWriter();
  const kept = Object.fromEntries(names.map((name) => [name, writer.variable()])) as Kept;
  writer.instructions(["8fbe5adac41e33de"], accounts, 24, () => {
    demandAccounts(writer, kept);
    bySide(
      writer,
      (from) => readReserves(writer, kept, from),
      () => writer.demand(0, "above", 0, ammErrors.otherPool),
    );
    swap(writer, kept);
    bySide(writer, (from) => noteFees(writer, kept, from));
  });
  return writer.link();
}

/** Writes a body for each side that the swap may pay into. */
function bySide(writer: ProgramWriter, body: (from: Side) => void, otherwise?: () => void): void {
  const vaultOf = (side: Side) => ({ of: "pool", at: poolAt.vaults[side] });
  const isFrom = (side: Side, otherwise?: () => void) =>
    writer.whenKey({ key: "vaultIn" }, vaultOf(side), () => body(side), otherwise);
  isFrom(0, () => isFrom(1, otherwise));
}

function demandAccounts(writer: ProgramWriter, { bump, now }: Kept): void {
  const own = programs.raydiumCpmm;
  writer.demandSeeds("authority", own, [raydium.authoritySeed], bump);
  for (const kind of ["pool", "config", "observation"] as const) writer.demandKind(kind, own, ammKinds[kind]);
  for (const part of ["config", "observation"] as const)
    writer.demandKey({ key: part }, { of: "pool", at: poolAt[part] }, anchorErrors.otherAddress);
  for (const side of ["In", "Out"] as const) {
    demandTokens(writer, `vault${side}`, `program${side}`, `mint${side}`);
    writer.demandKey({ of: `vault${side}`, at: 32 }, { key: "authority" }, anchorErrors.otherTokenOwner);
  }
  writer.demandClearBit(inPool(poolAt.status, 1), swapsAreStopped, ammErrors.notApproved);
  // The time follows four other numbers of the clock.
  writer.callWithData("sol_get_clock_sysvar");
  writer.code.load(1, writer.filled(32)).store(writer.placeOf(now), inRegister(1));
  writer.demand(now, "atLeast", inPool(poolAt.openTime), ammErrors.notApproved);
}

/** Reads what belongs to the pool itself, and the rate of the creator's fee. */
function readReserves(writer: ProgramWriter, kept: Kept, from: Side): void {
  const { reserveIn, reserveOut, creatorRate, isOnInput } = kept;
  const to = from === 0 ? 1 : 0;
  const out = { of: "pool", at: poolAt.vaults[to] };
  writer.demandKey({ key: "vaultOut" }, out, ammErrors.otherVault);
  for (const [reserve, vault, side] of [
    [reserveIn, "vaultIn", from],
    [reserveOut, "vaultOut", to],
  ] as const) {
    writer.set(reserve, tokensOf(vault));
    for (const fees of [poolAt.protocolFees, poolAt.fundFees, poolAt.creatorFees])
      writer.subtract(reserve, inPool(fees[side]));
  }
  writer.set(creatorRate, 0);
  writer.when(inPool(poolAt.hasCreatorFee, 1), "unequal", 0, () =>
    writer.set(creatorRate, inConfig("creator")),
  );
  // The fee is taken from what is paid in, from the first token or from the second.
  const mode = inPool(poolAt.creatorFeeOn, 1);
  writer.set(isOnInput, 0);
  for (const each of [0, from + 1]) writer.when(mode, "equal", each, () => writer.set(isOnInput, 1));
}

function swap(writer: ProgramWriter, kept: Kept): void {
  const { bump, reserveIn, reserveOut, before, arrived, creatorRate, rate, total } = kept;
  const { fee, creatorFee, protocolFee, fundFee, paid, isOnInput } = kept;
  writer.set(before, tokensOf("vaultIn"));
  move("source", "vaultIn", "payer", { argument: 8 });
  // The token may have withheld a part.
  writer.set(arrived, tokensOf("vaultIn"));
  writer.subtract(arrived, before);
  const onInput = (then: () => void, otherwise?: () => void) =>
    writer.when(isOnInput, "unequal", 0, then, otherwise);
  writer.set(rate, inConfig("trade"));
  onInput(() => writer.add(rate, creatorRate));
  writer.setRatio(total, arrived, rate, millionths, "up");
  writer.set(creatorFee, 0);
  onInput(() => writer.when(rate, "unequal", 0, () => writer.setRatio(creatorFee, total, creatorRate, rate)));
  writer.set(fee, total);
  writer.subtract(fee, creatorFee);
  writer.setRatio(protocolFee, fee, inConfig("protocol"), millionths);
  writer.setRatio(fundFee, fee, inConfig("fund"), millionths);
  writer.demand(arrived, "atLeast", total, ammErrors.nothing);
  writer.subtract(arrived, total);
  writer.add(reserveIn, arrived);
  writer.demand(reserveIn, "above", 0, ammErrors.nothing);
  writer.setRatio(paid, reserveOut, arrived, reserveIn);
  onInput(
    () => {},
    () => {
      writer.setRatio(creatorFee, paid, creatorRate, millionths, "up");
      writer.subtract(paid, creatorFee);
    },
  );
  writer.demand(paid, "above", 0, ammErrors.nothing);
  writer.set(before, tokensOf("target"));
  move("vaultOut", "target", "authority", paid);
  writer.set(arrived, tokensOf("target"));
  writer.subtract(arrived, before);
  writer.demand(arrived, "atLeast", { argument: 16 }, ammErrors.slippage);

  function move(from: string, to: string, owner: "payer" | "authority", amount: Value): void {
    const side = owner === "payer" ? "In" : "Out";
    const parts = { program: `program${side}`, mint: `mint${side}`, from, to, owner, amount };
    moveTokens(writer, owner === "payer" ? parts : { ...parts, signer: [raydium.authoritySeed, { bump }] });
  }
}

/** Adds the fees to those that the pool owes. */
function noteFees(
  writer: ProgramWriter,
  { protocolFee, fundFee, creatorFee, isOnInput }: Kept,
  from: Side,
): void {
  const to = from === 0 ? 1 : 0;
  writer.add(inPool(poolAt.protocolFees[from]), protocolFee);
  writer.add(inPool(poolAt.fundFees[from]), fundFee);
  const addCreatorFee = (side: Side) => () => writer.add(inPool(poolAt.creatorFees[side]), creatorFee);
  writer.when(isOnInput, "unequal", 0, addCreatorFee(from), addCreatorFee(to));
}
