import { isBase58 } from "../../core/base58.ts";

export const solAddresses = {
  problem: (text: string): string | undefined =>
    isMeantForSol(text) ? undefined : "must be an address: base58 of 32 bytes",
  stored: foldedSolAddress,
};

/** Keeps the case, which matters in base58. An address has only one spelling. */
export function foldedSolAddress(text: string): string {
  return text;
}

export function isMeantForSol(text: string): boolean {
  return isBase58(text, 32);
}
