import type { Quote, Token } from "trading-terminal-client";
import { marketOf } from "trading-terminal-client/markets";
import { Facts } from "../controls.tsx";
import { useDesk, type Warning } from "../desk.ts";
import { feeFacts } from "../facts.ts";
import { amount, percent, shortened, stepText, unitsOf, words } from "../format.ts";
import { marketDifference } from "./market-difference.ts";
import { feeTier, impactTier, type Quoted } from "./verdict.ts";

export function Warnings({ about, warnings }: { about: string; warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="flags" aria-label={`Warnings about ${about}`}>
      {warnings.map((warning) => (
        <li key={warning} class="badge warn">
          {words(warning)}
        </li>
      ))}
    </ul>
  );
}

/** Names the pools of a route, and the tokens between them. */
const wayOf = (route: Quote["route"], tokens: readonly Token[]) =>
  route
    .map((each, index) => {
      const pool = stepText(each);
      const symbol = tokens.find(({ token }) => token === each.tokenIn)?.symbol ?? shortened(each.tokenIn);
      return index === 0 ? pool : `${symbol} → ${pool}`;
    })
    .join(" → ");

/** Computes the network fee as a percentage of the coins traded. */
const feeShare = ({ side, amount: spent, amountOut, networkFee }: Quote) =>
  (Number(networkFee.expected) / Number(side === "buy" ? spent : amountOut)) * 100;

type ViewProps = { quoted: Quoted | undefined; tokens: readonly Token[]; nowMs: number };

/** Shows everything that a user should know before a trade. The order gets exactly the shown minimum. */
export function QuoteView({ quoted, tokens, nowMs }: ViewProps) {
  const { state } = useDesk();
  const { quote, quotedMs = nowMs } = quoted ?? {};
  if (quote === undefined) return quoted?.problem ? null : <p class="quote quiet">Asking for a quote …</p>;
  const { spent, received, price } = unitsOf(quote);
  const impact = Math.max(quote.priceImpact, quote.marketImpact ?? 0);
  const difference = marketDifference(quote, state && marketOf(state, quote));
  const ageSeconds = Math.max(0, Math.floor((nowMs - quotedMs) / 1000));
  return (
    <div class="quote" aria-busy={ageSeconds > 13}>
      <p class="receive">
        <span class="quiet">You get about</span>
        <strong>
          {amount(quote.amountOut)} {received}
        </strong>
      </p>
      <Facts
        facts={[
          // Hides the quote's minimum if the user must set one, because it would mislead.
          ...(quote.wouldBeRefused?.code === "NO_REFERENCE"
            ? []
            : [
                [
                  "At least",
                  <span key="least" title={`${quote.minAmountOut} ${received}`}>
                    {amount(quote.minAmountOut)} {received}
                  </span>,
                ] as const,
              ]),
          ["Price", `${amount(quote.price)} ${price}`],
          [quote.side === "buy" ? "You pay" : "You sell", `${amount(quote.amount, 12)} ${spent}`],
          [
            "Price impact",
            <span key="impact" class={impactTier(impact)}>
              {percent(impact)}
            </span>,
          ],
          ...(difference === undefined
            ? []
            : [
                [
                  "Your price",
                  <span key="difference" class={difference.tier}>
                    {difference.text}
                  </span>,
                ] as const,
              ]),
          ...feeFacts(quote).map(([name, text]) =>
            name === "Network fee"
              ? ([
                  name,
                  <span key="fee" class={feeTier(feeShare(quote))}>
                    {text}
                  </span>,
                ] as const)
              : ([name, text] as const),
          ),
          ["Route", wayOf(quote.route, tokens)],
          ["Quoted", ageSeconds < 2 ? "now" : `${ageSeconds} s ago`],
        ]}
      />
      {quote.approval && (
        <p class="notice">
          This sale takes two blocks: an approval, then the sale. The least that you get is fixed before both.
        </p>
      )}
      <Warnings about="the trade" warnings={quote.warnings} />
    </div>
  );
}
