import { amount, chainName, coinOf, day, usdText } from "../format.ts";
import { type Column, RecordTable } from "../record-table.tsx";
import type { ChainWorth, Worth } from "./worth.ts";

const columns: Column<ChainWorth>[] = [
  { name: "Chain", by: ({ chain }) => chainName[chain], cell: ({ chain }) => chainName[chain] },
  {
    name: "Coin in wallets",
    isNumber: true,
    cell: ({ chain, coins }) => (coins === undefined ? "unknown" : `${amount(coins)} ${coinOf[chain]}`),
  },
  {
    name: "Positions",
    isNumber: true,
    cell: ({ chain, positions }) => `${amount(positions)} ${coinOf[chain]}`,
  },
  {
    name: "Value",
    isNumber: true,
    by: ({ usd }) => Number(usd),
    cell: ({ usd }) => (usd === undefined ? "unknown" : usdText(usd)),
  },
];

/** Shows what wallets and open positions are worth, and what of it is unknown. */
export function WorthNow({ worth, onAgain }: { worth: Worth; onAgain: () => void }) {
  const { byChain, usd, reading, lacking, stored } = worth;
  return (
    <section aria-label="Value now">
      <header class="figure">
        <h3>Value now</h3>
        <strong class="sum">{usdText(usd)}</strong>
        {reading.length > 0 ? (
          <span class="quiet" role="status">
            without the wallets on {reading.join(", ")}, which are being read …
          </span>
        ) : (
          <button type="button" class="plain" onClick={onAgain}>
            Read the wallets again
          </button>
        )}
      </header>
      {lacking.length > 0 && (
        <div class="notice" role="status">
          <p>This sum lacks:</p>
          <ul>
            {lacking.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="list">
        <RecordTable name="Value by chain" rows={byChain} columns={columns} keyOf={({ chain }) => chain} />
      </div>
      <p class="quiet">
        Coin in wallets and open positions, which in a thin pool count as what a sale would get. Tokens that
        were not bought here are not counted.
        {stored.oldest !== undefined &&
          ` ${stored.count === 1 ? "One position has" : `${stored.count} positions have`} no live price and count by a stored one, the oldest of ${day(stored.oldest)}.`}
      </p>
    </section>
  );
}
