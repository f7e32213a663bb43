import { argumentsAt, constantProduct, type SwapInterface } from "./constant-product.ts";
import { inRegister } from "./sbpf-assembler.ts";

/** Seed of the address that owns the vaults of this program. Jupiter's real program has no pools. */
export const jupiterAuthoritySeed = "local pools";

/** Error codes with which Jupiter's program refuses swaps. */
const jupiterErrors = { unknownInstruction: 6010, slippage: 6001 };

/** Bytes of a route with one swap, after the amounts. This program does not read them. */
export const localPlan = Buffer.from("010000001a0110270001", "hex");

/** Number of accounts that Jupiter's real interface requires. All further accounts belong to the route. */
export const fixedAccounts = 10;

const amountsAt = 8;
const amountsLength = 22;
const wholeBps = 10_000;

/** Interface of `route_v2`. The accounts of the route are a pool's vaults and their owner. */
const routeV2: SwapInterface = {
  accounts: {
    payer: 0,
    source: 1,
    target: 2,
    mintIn: 3,
    mintOut: 4,
    programIn: 5,
    programOut: 6,
    vaultIn: fixedAccounts,
    vaultOut: fixedAccounts + 1,
    authority: fixedAccounts + 2,
  },
  accountCount: fixedAccounts + 3,
  name: 0x14af_c431_ccfa_64bbn,
  dataLength: amountsAt + amountsLength + localPlan.length,
  readArguments(program) {
    program.load(2, [6, 16]).store(argumentsAt.amountIn, inRegister(2));
    // Computes the least output: the quoted output minus the slippage, which is a number of two bytes.
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
