import type { Quote, TokenName } from "trading-terminal-client";
import { marketOf } from "trading-terminal-client/markets";
import { Field } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { amount, coinOf } from "../format.ts";
import { useRestMarket } from "../market/use-market.ts";

type LeastProps = TokenName & {
  symbol: string;
  side: Quote["side"];
  least: string;
  onEdit: (least: string) => void;
};

/**
 * Asks for the smallest acceptable amount if only a router's server prices the token. The field starts empty, because
 * nothing else confirms the quote. If another source has a price, it is shown as a hint.
 */
export function LeastField({ chain, token, symbol, side, least, onEdit }: LeastProps) {
  const { state } = useDesk();
  const { market } = useRestMarket({ chain, token });
  const { price } = (state && marketOf(state, { chain, token })) ?? market ?? {};
  const coin = coinOf[chain];
  return (
    <Field
      label={`At least, ${side === "buy" ? symbol : coin}`}
      hint={
        price === undefined
          ? "no other source has a price"
          : `last price elsewhere: ${amount(price)} ${coin} for one ${symbol}`
      }
    >
      <input
        inputMode="decimal"
        pattern="[0-9]*[.]?[0-9]+"
        title="A number, such as 0.5"
        value={least}
        onInput={({ currentTarget }) => onEdit(currentTarget.value.trim())}
      />
    </Field>
  );
}
