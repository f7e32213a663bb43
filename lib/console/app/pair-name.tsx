import type { Network } from "trading-terminal-client";
import { amount, pairUnits, shortened } from "./format.ts";

type Pair = { chain: Network; symbol: string; baseSymbol?: string; quoteSymbol?: string; token?: string };

/**
 * Names a pair and its chain. A name may be long, empty, or written from right to left: it is cut off, replaced by the
 * address, and kept from turning the text around it.
 */
export function PairName({ pair }: { pair: Pair }) {
  const { chain, symbol, baseSymbol = symbol, token } = pair;
  const isNamed = baseSymbol.trim() !== "";
  const name = isNamed || token === undefined ? symbol : `${shortened(token)}/${pairUnits(pair).quote}`;
  return (
    <span class="pair-name">
      <strong title={symbol}>
        <bdi>{name}</bdi>
      </strong>
      <span class="badge">{chain}</span>
    </span>
  );
}

/** Shows an amount with the symbol of its unit, which may be a long name. */
export const Amount = ({ text, unit }: { text: string | undefined; unit: string }) =>
  text === undefined || text === "" ? (
    "–"
  ) : (
    <>
      {amount(text)} <bdi class="unit">{unit}</bdi>
    </>
  );
