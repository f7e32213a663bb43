import { anchorErrors, type Value, type Variable } from "./program-values.ts";
import type { ProgramWriter } from "./program-writer.ts";
import { programs } from "./published.ts";
import { feeConfig, feeTier, globalVolume, userVolume, userVolumeSize } from "./pump-layouts.ts";
import { inRegister, type Register } from "./sbpf-assembler.ts";

/** Parts that both of Pump's programs share. */

export const wholeBps = 10_000;

/** Rates of a trade in basis points. */
export type Rates = { lp: Variable; protocol: Variable; creator: Variable };

/** Address that stands for none. */
export const noKey = programs.system;

/** Place of the amount in the data of a token account, and of a mint's decimals. */
export const amountAt = 64;
const decimalsAt = 44;

/** Reads the rates of the highest tier that a market cap reaches, or of the first tier. */
export function readTier(writer: ProgramWriter, account: string, cap: Variable, rates: Rates): void {
  const { code } = writer;
  const [next, skip, done] = [writer.newLabel(), writer.newLabel(), writer.newLabel()];
  writer.demand(
    { of: account, at: feeConfig.at.tierCount, size: 4 },
    "atLeast",
    1,
    anchorErrors.notInitialized,
  );
  writer.pointToData(7, account, feeConfig.at.tierCount);
  code.loadWord(8, [7, 0]).do("add", 7, 4).load(6, writer.placeOf(cap));
  copyRates(writer, 7, rates);
  code.label(next).jumpIf("equal", 8, 0, done);
  code.load(1, [7, feeTier.leastCap + 8]).jumpIf("unequal", 1, 0, skip);
  code.load(1, [7, feeTier.leastCap]).jumpIf("below", 6, inRegister(1), skip);
  copyRates(writer, 7, rates);
  code.label(skip).do("add", 7, feeTier.size).do("sub", 8, 1).jump(next).label(done);
}

function copyRates(writer: ProgramWriter, from: Register, { lp, protocol, creator }: Rates): void {
  for (const [index, rate] of [lp, protocol, creator].entries())
    writer.code.load(1, [from, feeTier.fees + 8 * index]).store(writer.placeOf(rate), inRegister(1));
}

/** Fails unless an account is an owner's usual one for a mint. */
export function demandAssociated(
  writer: ProgramWriter,
  account: string,
  [owner, program, mint]: readonly [owner: string, program: string, mint: string],
  error?: number,
): void {
  const seeds = [{ key: owner }, { key: program }, { key: mint }];
  writer.demandSeeds(account, programs.associatedToken, seeds, undefined, error);
}

/** Fails unless the account holds tokens of a mint. */
export function demandTokens(writer: ProgramWriter, account: string, program: string, mint: string): void {
  writer.demandKey({ ownerOf: account }, { key: program }, anchorErrors.notInitialized);
  writer.demandKey({ of: account, at: 0 }, { key: mint }, anchorErrors.otherMint);
}

/** Creates an owner's usual account for a mint if it is missing. The user pays. */
export function createAssociated(
  writer: ProgramWriter,
  account: string,
  [owner, program, mint]: readonly [owner: string, program: string, mint: string],
): void {
  writer.when({ sizeOf: account }, "equal", 0, () =>
    writer.invoke({
      program: "associatedTokenProgram",
      accounts: [
        ["user", "ws"],
        [account, "w"],
        [owner, ""],
        [mint, ""],
        ["systemProgram", ""],
        [program, ""],
      ],
      data: [[0, 1]],
      length: 1,
    }),
  );
}

const transferChecked = 12;

/** Moves tokens with an owner's signature, or the program's for the owner. */
export function moveTokens(
  writer: ProgramWriter,
  move: {
    program: string;
    mint: string;
    from: string;
    to: string;
    owner: string;
    amount: Value;
    signer?: Parameters<ProgramWriter["invoke"]>[0]["signer"];
  },
): void {
  const { program, mint, from, to, owner, amount, signer } = move;
  writer.invoke({
    program,
    accounts: [
      [from, "w"],
      [mint, ""],
      [to, "w"],
      [owner, "s"],
    ],
    data: [
      [0, transferChecked],
      [1, amount],
      [9, { of: mint, at: decimalsAt, size: 1 }],
    ],
    length: 10,
    ...(signer && { signer }),
  });
}

/** Moves coins of the user. */
export const payCoins = (writer: ProgramWriter, to: string, amount: Value): void =>
  writer.invoke({
    program: "systemProgram",
    accounts: [
      ["user", "ws"],
      [to, "w"],
    ],
    data: [
      [0, 2],
      [4, amount],
    ],
    length: 12,
  });

/** Sets a variable to the rent of an account by its number of bytes. Also fits rents whose threshold is not two years. */
export function setRent(writer: ProgramWriter, to: Variable, bytes: number): void {
  const { code } = writer;
  const doubled = writer.newLabel();
  writer.callWithData("sol_get_rent_sysvar");
  code
    .load(1, writer.filled(0))
    .do("mul", 1, 128 + bytes)
    .load(2, writer.filled(8));
  // Compares the bits of the threshold, which is a fraction, with those of 1.
  code.constant(3, 0x3ff0_0000_0000_0000n).jumpIf("equal", 2, inRegister(3), doubled);
  code.do("mul", 1, 2).label(doubled).store(writer.placeOf(to), inRegister(1));
}

/** Creates the user's account of volumes if it is missing. The user pays. */
export function createUserVolume(writer: ProgramWriter, bump: Variable, rent: Variable): void {
  const account = "userVolume";
  const seeds = ["user_volume_accumulator", { key: "user" }] as const;
  const [user, own] = [["user", "ws"] as const, [account, "ws"] as const];
  const size = (at: number) => [at, userVolumeSize] as const;
  writer.demandSeeds(account, { key: "program" }, seeds, bump);
  writer.when(
    { sizeOf: account },
    "equal",
    0,
    () => {
      setRent(writer, rent, userVolumeSize);
      const called = { program: "systemProgram", signer: [...seeds, { bump }] };
      const payment = { ...called, accounts: [user, own] };
      writer.when(
        { lamportsOf: account },
        "equal",
        0,
        () => writer.invoke({ ...payment, data: [[0, 0], [4, rent], size(12)], length: 20, key: "program" }),
        () => {
          // The System program creates no account that holds lamports. Anchor then adds the rest and makes it in parts.
          writer.subtract(rent, { lamportsOf: account });
          writer.invoke({
            ...payment,
            data: [
              [0, 2],
              [4, rent],
            ],
            length: 12,
          });
          writer.invoke({ ...called, accounts: [own], data: [[0, 8], size(4)], length: 12 });
          writer.invoke({ ...called, accounts: [own], data: [[0, 1]], length: 4, key: "program" });
        },
      );
      writer.set({ of: account, at: 0 }, Buffer.from(userVolume.name, "hex").readBigUInt64LE());
      writer.copyKey(account, userVolume.at.user, "user");
    },
    () => {
      writer.demandKind(account, { key: "program" }, userVolume.name);
      writer.demandKey({ of: account, at: userVolume.at.user }, { key: "user" }, anchorErrors.otherRelation);
    },
  );
}

/** Checks the accounts that each trade of both programs names. */
export function demandFixed(writer: ProgramWriter, hasVolumes: boolean): void {
  writer.demandKey({ key: "associatedTokenProgram" }, programs.associatedToken, anchorErrors.otherProgram);
  writer.demandKey({ key: "systemProgram" }, programs.system, anchorErrors.otherProgram);
  writer.demandKey({ key: "feeProgram" }, programs.pumpFees, anchorErrors.otherAddress);
  writer.demandProgram("program");
  writer.demandSeeds("eventAuthority", { key: "program" }, ["__event_authority"]);
  writer.demandSeeds("feeConfig", { key: "feeProgram" }, ["fee_config", { key: "program" }]);
  writer.demandKind("feeConfig", { key: "feeProgram" }, feeConfig.name);
  if (!hasVolumes) return;
  writer.demandSeeds("globalVolume", { key: "program" }, ["global_volume_accumulator"]);
  writer.demandKind("globalVolume", { key: "program" }, globalVolume.name);
}
