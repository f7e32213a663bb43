import { getAddress } from "ethers/address";
import { DomainError } from "../../core/domain-error.ts";

/** Describes the problem with an address, in words that follow the name of its field. */
export function addressProblem(text: string): string | undefined {
  if (!/^0x[\da-f]{40}$/i.test(text)) return "must be an address: 0x and 40 hex digits";
  if (/^0x0+$/.test(text)) return "must not be the zero address";
  try {
    getAddress(text);
    return undefined;
  } catch {
    return "has a wrong checksum. Compare it with its source, or write it in lower case";
  }
}

/**
 * Converts an address to EIP-55 form.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function readAddress(text: string, field: string): string {
  const problem = addressProblem(text);
  if (problem !== undefined) throw new DomainError("INVALID_REQUEST", `${field} ${problem}`, { field });
  return getAddress(text);
}
