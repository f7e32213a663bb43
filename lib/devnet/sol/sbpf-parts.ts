import { inRegister, type Place, type Register, type SBPFAssembler } from "./sbpf-assembler.ts";

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

/** Bytes that the runtime reserves after an account's data, so that the data can grow. */
const growth = 10_240;

/** Value of the byte that marks the first occurrence of an account. */
const isFirst = 255;

/** Loads the address of a place. */
export const loadAddress = (program: SBPFAssembler, to: Register, [base, offset]: Place) =>
  program.do("move", to, inRegister(base)).do("add", to, offset);

/** Stores the address that lies at an offset from the address in a register. */
export const storeAddress = (program: SBPFAssembler, to: Place, from: Register, offset: number) =>
  program.do("move", 3, inRegister(from)).do("add", 3, offset).store(to, inRegister(3));

/**
 * Stores the address of each account in the runtime's input, which begins at r1, in a table. Afterwards, r6 points to
 * the first byte after the accounts, and r7 is their number.
 */
export function readAccounts(program: SBPFAssembler, table: Place): void {
  program.load(7, [1, 0]).do("move", 6, inRegister(1)).do("add", 6, 8).do("move", 8, 0);
  loadAddress(program, 9, table);
  program.label("next account").jumpIf("atLeast", 8, inRegister(7), "accounts read");
  program.loadByte(2, [6, 0]).jumpIf("equal", 2, isFirst, "first");
  // Handles a repeated account. The byte is the index of its first occurrence.
  program.do("shiftLeft", 2, 3);
  loadAddress(program, 3, table);
  program.do("add", 3, inRegister(2)).load(4, [3, 0]).store([9, 0], inRegister(4));
  program.do("add", 6, 8).jump("step");
  program.label("first").store([9, 0], inRegister(6)).load(3, [6, inAccount.size]);
  program.do("add", 3, 7).do("and", 3, -8).do("add", 6, inRegister(3));
  program.do("add", 6, inAccount.data + growth + 8);
  program.label("step").do("add", 9, 8).do("add", 8, 1).jump("next account").label("accounts read");
}

/** Describes the account in r1 in the format that the runtime expects for a call. */
export function describeAccount(program: SBPFAssembler, [base, at]: Place): void {
  storeAddress(program, [base, at], 1, inAccount.key);
  storeAddress(program, [base, at + 8], 1, inAccount.lamports);
  program.load(2, [1, inAccount.size]).store([base, at + 16], inRegister(2));
  storeAddress(program, [base, at + 24], 1, inAccount.data);
  storeAddress(program, [base, at + 32], 1, inAccount.owner);
  program.store([base, at + 40], 0).store([base, at + 48], 0);
  program.loadByte(2, [1, inAccount.isSigner]).storeByte([base, at + 48], inRegister(2));
  program.loadByte(2, [1, inAccount.isWritable]).storeByte([base, at + 49], inRegister(2));
}

/**
 * Computes r9 = r1 × r3 / r2, with a product of 128 bits in r8 and r9. The quotient must fit into 64 bits. Leaves the
 * remainder in r8.
 */
export function multiplyAndDivide(program: SBPFAssembler): void {
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
