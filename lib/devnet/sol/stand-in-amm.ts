import { argumentsAt, constantProduct, type SwapInterface } from "./constant-product.ts";
import { raydium } from "./published.ts";
import { inRegister } from "./sbpf-assembler.ts";

/** Error codes with which Raydium's program refuses swaps. */
export const ammErrors = { unknownInstruction: 6003, slippage: 6005 } as const;

/**
 * Interface of the instruction `swap_base_input`. Does not use the accounts of the configuration, pool and observation.
 */
const swapBaseInput: SwapInterface = {
  accounts: {
    payer: 0,
    authority: 1,
    source: 4,
    target: 5,
    vaultIn: 6,
    vaultOut: 7,
    programIn: 8,
    programOut: 9,
    mintIn: 10,
    mintOut: 11,
  },
  accountCount: 13,
  // Equals the first 8 bytes of the SHA-256 of `global:swap_base_input`.
  name: 0xde33_1ec4_da5a_be8fn,
  dataLength: 24,
  readArguments(program) {
    program.load(2, [6, 16]).store(argumentsAt.amountIn, inRegister(2));
    program.load(2, [6, 24]).store(argumentsAt.minimum, inRegister(2));
  },
  errors: ammErrors,
  authoritySeed: raydium.authoritySeed,
};

/**
 * Builds a program with the interface of Raydium CPMM, because no package contains the original.
 * @param bump Bump of {@link raydium.authority}.
 */
export const standInAMM = (bump: number): Buffer => constantProduct(swapBaseInput, bump);
