import { wordOfReserves } from "../rules/pool-price.ts";
import { kindOf, type SwapVenue } from "../rules/swap-venues.ts";
import type { ContractQuestion } from "./multicall.ts";

/** Selectors of `getReserves()` of v2 pools, and of `slot0()` of the other pools without bins. */
const getReserves = "0x0902f1ac";
const slot0 = "0x3850c7bd";

/** Asks for the state of a pool without bins, as one word. Every answer to `slot0` begins with the price. */
export const stateQuestion = ({
  pool,
  venue,
}: {
  pool: string;
  venue: SwapVenue;
}): ContractQuestion<bigint> =>
  kindOf({ venue }) === "v2"
    ? {
        to: pool,
        data: getReserves,
        read: (answer) => wordOfReserves(numberAt(answer, 0, 112), numberAt(answer, 1, 112)),
      }
    : { to: pool, data: slot0, read: (answer) => numberAt(answer, 0, 160) };

/** Reads a word as a number of at most the given number of bits. */
function numberAt(answer: string, index: number, bits: number): bigint {
  const hex = answer.slice(2 + 64 * index, 66 + 64 * index);
  const value = BigInt(`0x${hex}`);
  if (hex.length < 64 || value >> BigInt(bits) !== 0n) throw new Error("A pool gave no number");
  return value;
}
