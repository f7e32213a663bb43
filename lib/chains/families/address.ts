import { familyOf } from "../../core/chain-facts.ts";
import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";
import { evmAddresses, foldedEvmAddress, isMeantForEvm } from "../evm/address.ts";
import { foldedSolAddress, isMeantForSol, solAddresses } from "../sol/address.ts";

type Addresses = {
  /** Describes what is wrong with a text, in words that follow the name of its field. */
  problem: (text: string) => string | undefined;
  /** Converts an address to the form in which it is stored and shown. */
  stored: (text: string) => string;
};

// Keeps one table for each function, so that the bundle of a Lambda function contains only the code that it uses.
const addresses = { evm: evmAddresses, sol: solAddresses } satisfies Record<string, Addresses>;
const folded = { evm: foldedEvmAddress, sol: foldedSolAddress };
const isMeant = { evm: isMeantForEvm, sol: isMeantForSol };

/** Describes what is wrong with an address of a network, in words that follow the name of its field. */
export const addressProblem = (network: Network, text: string): string | undefined =>
  addresses[familyOf(network)].problem(text);

/**
 * Converts an address to the form in which it is stored and shown.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function readAddress(network: Network, text: string, field: string): string {
  const { problem, stored }: Addresses = addresses[familyOf(network)];
  const found = problem(text);
  if (found !== undefined) throw new DomainError("INVALID_REQUEST", `${field} ${found}`, { field });
  return stored(text);
}

/** Converts an address to the form that all its spellings share. */
export const foldedAddress = (network: Network, text: string): string => folded[familyOf(network)](text);

/** True if two texts are the same address, in any spelling. */
export const isSameAddress = (network: Network, one: string, other: string): boolean =>
  foldedAddress(network, one) === foldedAddress(network, other);

/** True if a text is clearly intended as an address of a network, even with a wrong checksum. */
export const isMeantAsAddress = (network: Network, text: string): boolean => isMeant[familyOf(network)](text);
