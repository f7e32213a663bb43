import { getAddress } from "ethers/address";

const pattern = /^0x[\da-f]{40}$/i;

export const evmAddresses = {
  problem(text: string): string | undefined {
    if (!pattern.test(text)) return "must be an address: 0x and 40 hex digits";
    if (/^0x0+$/i.test(text)) return "must not be the zero address";
    try {
      checksummed(text);
      return undefined;
    } catch {
      return "has a wrong checksum. Compare it with its source, or write it in lower case";
    }
  },
  /** Converts an address to its EIP-55 form. */
  stored: checksummed,
};

/** Accepts the prefix `0X`, because some programs write hexadecimal in upper case. */
function checksummed(text: string): string {
  return getAddress(text.replace(/^0X/, "0x"));
}

export const foldedEvmAddress = (text: string): string => text.toLowerCase();

export const isMeantForEvm = (text: string): boolean => pattern.test(text);
