import { decodeBytes32String, type FunctionFragment, type Interface } from "ethers/abi";
import { binPoolABI, multicallABI, tokenABI } from "./contract-abi.ts";
import { type ContractQuestion, contractQuestion, multicallAddress } from "./multicall.ts";

/** Keeps selectors by function and not by name, since contracts may give one name to several functions. */
const selectors = new WeakMap<FunctionFragment, string>();

function selectorOf(abi: Interface, name: string): string {
  const named = abi.getFunction(name);
  if (named === null) throw new Error(`There is no function ${name}`);
  const selector = selectors.get(named) ?? named.selector;
  selectors.set(named, selector);
  return selector;
}

/** Encodes an address as a word of calldata, in 64 digits. */
export const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, "0");

/**
 * Asks a function for a number. Encodes its arguments, which are addresses, by hand: a general encoder hashes each of
 * them to check its spelling.
 */
const numberFrom = (
  abi: Interface,
  name: string,
  to: string,
  ...addresses: readonly string[]
): ContractQuestion<bigint> => ({
  to,
  data: selectorOf(abi, name) + addresses.map(addressWord).join(""),
  read(answer) {
    const [number] = abi.decodeFunctionResult(name, answer);
    return number;
  },
});

/** Asks for the native coin that an address holds. */
export const coinsOf = (account: string) =>
  numberFrom(multicallABI, "getEthBalance", multicallAddress, account);

/** Asks for the number of the block at which Multicall runs. */
export const blockNumberOf = () => numberFrom(multicallABI, "getBlockNumber", multicallAddress);

/** Asks for the time of the block at which Multicall runs, in seconds. */
export const blockTimeOf = () => numberFrom(multicallABI, "getCurrentBlockTimestamp", multicallAddress);

export const balanceOf = (token: string, account: string) =>
  numberFrom(tokenABI, "balanceOf", token, account);

export const allowanceOf = (token: string, owner: string, spender: string) =>
  numberFrom(tokenABI, "allowance", token, owner, spender);

export const decimalsOf = (token: string) => numberFrom(tokenABI, "decimals", token);

export const totalSupplyOf = (token: string) => numberFrom(tokenABI, "totalSupply", token);

/** Maximum length of a text to decode, in hexadecimal characters. */
const longestText = 1000;

const bytes32Length = 66;

/** Asks for a token's `symbol` or `name`. Old tokens answer with 32 bytes instead of a string. */
export function textOf(name: "symbol" | "name", token: string): ContractQuestion<string> {
  const question = contractQuestion(tokenABI, name, {
    to: token,
    values: [],
    read: ([text]): string => text,
  });
  return {
    ...question,
    read(answer) {
      if (answer.length > longestText) throw new Error("The text is too long");
      return answer.length === bytes32Length ? decodeBytes32String(answer) : question.read(answer);
    },
  };
}

/** Asks for the number of the active bin. */
export const activeBinOf = (pool: string) => numberFrom(binPoolABI, "getActiveId", pool);

/** Asks for the token whose price a pool's bins state, in units of the pool's other token. */
export const firstTokenOf = (pool: string) =>
  contractQuestion(binPoolABI, "getTokenX", { to: pool, values: [], read: ([token]): string => token });
