import type { Quote, TokenName } from "trading-terminal-client";
import { Field } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { coinOf } from "../format.ts";
import { useRestMarket } from "../market/use-market.ts";
import { leastHint } from "./least.ts";

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
  return (
    <Field
      label={`At least, ${side === "buy" ? symbol : coinOf[chain]}`}
      hint={leastHint({ chain, token }, symbol, state, market)}
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
