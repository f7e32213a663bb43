import { argumentsAt, constantProduct, type SwapInterface } from "./constant-product.ts";
import { inRegister } from "./sbpf-assembler.ts";
import { inAccount } from "./sbpf-parts.ts";

/** Seed of the address that owns the vaults of this program. Jupiter's real program has no pools. */
export const jupiterAuthoritySeed = "local pools";

/** Error codes with which Jupiter's program refuses swaps. */
const jupiterErrors = { unknownInstruction: 6010, slippage: 6001 };

/** Bytes of a route with one swap, after the amounts. This program does not read them. */
export const localPlan = Buffer.from("010000001a0110270001", "hex");

/**
 * Number of accounts that Jupiter's real interface requires. All further accounts belong to the route: the user, its
 * accounts and mints again, as exchanges need them, and a pool's vaults with their owner.
 */
const fixedAccounts = 10;
const vaultsAt = fixedAccounts + 5;

/**
 * Positions of the account that is paid in place of the user's, and of the program, whose address means that there is
 * no such account.
 */
const [otherAt, programAt] = [7, 9];

const amountsAt = 8;
const amountsLength = 22;
const wholeBps = 10_000;

/**
 * Interface of `route_v2`. Like a bonding curve, it writes to the user. It cannot pay another account than the user's.
 */
const routeV2: SwapInterface = {
  accounts: {
    payer: 0,
    source: 1,
    target: 2,
    mintIn: 3,
    mintOut: 4,
    programIn: 5,
    programOut: 6,
    vaultIn: vaultsAt,
    vaultOut: vaultsAt + 1,
    authority: vaultsAt + 2,
  },
  accountCount: vaultsAt + 3,
  name: 0x14af_c431_ccfa_64bbn,
  dataLength: amountsAt + amountsLength + localPlan.length,
  check(program, account) {
    account(1, 0).loadByte(2, [1, inAccount.isWritable]).jumpIf("equal", 2, 0, "unknown");
    account(1, otherAt);
    account(2, programAt);
    for (const offset of [0, 8, 16, 24]) {
      program.load(3, [1, inAccount.key + offset]).load(4, [2, inAccount.key + offset]);
      program.jumpIf("unequal", 3, inRegister(4), "unknown");
    }
  },
  readArguments(program) {
    program.load(2, [6, 16]).store(argumentsAt.amountIn, inRegister(2));
    // Computes the minimum output: the quoted output minus the slippage, which is a number of two bytes.
    program.load(2, [6, 24]).loadByte(3, [6, 32]).loadByte(4, [6, 33]).do("shiftLeft", 4, 8);
    program.do("or", 3, inRegister(4)).do("move", 4, wholeBps).do("sub", 4, inRegister(3));
    program.do("mul", 2, inRegister(4)).do("div", 2, wholeBps);
    program.store(argumentsAt.minimum, inRegister(2));
  },
  errors: jupiterErrors,
  authoritySeed: jupiterAuthoritySeed,
};

/**
 * Builds a program with the interface of Jupiter's `route_v2`, which trades with pools of its own. The signing
 * authority spends from the source, as its owner or its delegate.
 *
 * @param bump Bump of the address of {@link jupiterAuthoritySeed}.
 */
export const standInJupiter = (bump: number): Buffer => constantProduct(routeV2, bump);
