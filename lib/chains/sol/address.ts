import { isBase58 } from "../../core/base58.ts";

export const solAddresses = {
  problem: (text: string): string | undefined =>
    isMeantForSol(text) ? undefined : "must be an address: base58 of 32 bytes",
  stored: foldedSolAddress,
};

/** Keeps upper and lower case, which differ in base58, so an address has only one spelling. */
export function foldedSolAddress(text: string): string {
  return text;
}

export function isMeantForSol(text: string): boolean {
  return isBase58(text, 32);
}
