import type { Quote } from "trading-terminal-client";
import { Facts } from "../controls.tsx";
import { cappedFee } from "../facts.ts";
import { amount, coinOf, day } from "../format.ts";
import { Warnings } from "./quote-view.tsx";
import type { Quoted } from "./verdict.ts";

type ViewProps = { quote: Quote; resting: NonNullable<Quoted["resting"]> };

/** Shows what an order that waits may cost, and until when it waits. */
export function RestingView({ quote, resting }: ViewProps) {
  const { chain, warnings } = quote;
  const { price, expiresAt, maxNetworkFee, rents } = resting;
  const coins = (text: string) => `${amount(text)} ${coinOf[chain]}`;
  return (
    <div class="quote">
      <Facts
        facts={[
          ["Price for this amount", coins(price)],
          cappedFee(quote, maxNetworkFee),
          ...(rents === undefined ? [] : [["Rents that stay", coins(rents)] as const]),
          ["Waits until", day(expiresAt)],
        ]}
      />
      <Warnings about="the trade" warnings={warnings} />
    </div>
  );
}
