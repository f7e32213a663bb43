import type { MintFlag, TokenSafety } from "../../../orders/token-safety.ts";
import { feeBpsOf, type Mint } from "./mint.ts";

/** Lists the powers that authorities have over a mint, in no particular order. */
export const flagsOfMint = (mint: Mint): MintFlag[] => {
  const holds: Record<MintFlag, boolean> = {
    FREEZABLE: mint.freezeAuthority !== undefined,
    MINTABLE: mint.mintAuthority !== undefined,
    HOOKED: mint.hookProgram !== undefined,
    HOOKABLE: mint.hookProgram === undefined && mint.hookAuthority !== undefined,
    TAXABLE: mint.feeAuthority !== undefined,
    SEIZABLE: mint.permanentDelegate !== undefined,
    FROZEN_BY_DEFAULT: mint.isDefaultFrozen,
    PAUSABLE: mint.isPausable,
    NON_TRANSFERABLE: mint.isNonTransferable,
    SCALED: mint.isScaled,
  };
  return (Object.keys(holds) as MintFlag[]).filter((flag) => holds[flag]);
};

/**
 * Combines a mint's data with the result of a simulated purchase and sale. The transfer fee is known exactly: the
 * higher of this epoch's fee and the next epoch's.
 *
 * @param simulated Whether the sale succeeded. Null if nothing was simulated.
 */
export function safetyOfMint(mint: Mint, epoch: bigint, simulated: boolean | null): TokenSafety {
  const tax = feeBpsOf(mint, epoch) / 100;
  const isStuck = mint.isDefaultFrozen || mint.isNonTransferable || mint.isPaused;
  return { sellable: isStuck ? false : simulated, buyTax: tax, sellTax: tax, hasLoss: false };
}
