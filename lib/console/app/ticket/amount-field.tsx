import type { Balance, Quote } from "trading-terminal-client";
import type { TicketEntry } from "../desk.ts";
import { cut, minus, share } from "../exact.ts";
import { amount, coinOf } from "../format.ts";
import { NumberField } from "../number-field.tsx";
import { Chips } from "./chips.tsx";

const percents = [25, 50] as const;

type AmountProps = {
  ticket: TicketEntry;
  symbol: string;
  /** The balance that the wallet can spend. */
  spent: Pick<Balance, "token" | "available"> | undefined;
  quote: Quote | undefined;
  problem: string | undefined;
  onEdit: (change: Partial<TicketEntry>) => void;
};

/** Edits the size of the trade: coins, tokens or a percentage of the balance. */
export function AmountField({ ticket, symbol, spent, quote, problem, onEdit }: AmountProps) {
  const { chain, side, unit, given } = ticket;
  const unitName = side === "buy" ? coinOf[chain] : symbol;
  const exactly = (text: string) => () => onEdit({ unit: "amount", given: text });
  const ofSale = [...percents, 100].map((percent) => ({
    text: `${percent} %`,
    isPressed: unit === "percent" && given === String(percent),
    onPick: () => onEdit({ unit: "percent", given: String(percent) }),
  }));
  const ofBuy = (spent === undefined ? [] : percents).map((percent) => {
    const text = cut(share(spent?.available ?? "0", percent));
    return { text: `${percent} %`, isPressed: given === text, onPick: exactly(text) };
  });
  const all = spent && {
    text: side === "buy" ? "Max" : "Exact",
    onPick: exactly(most(spent, quote)),
    label: side === "buy" ? `Max: all that can be spent` : `Exact: ${amount(spent.available)} ${symbol}`,
  };
  const chips = [...(side === "buy" ? ofBuy : ofSale), ...(all ? [all] : [])];
  return (
    <>
      <NumberField
        id="amount"
        label={unit === "percent" ? `Part of the ${symbol}, %` : `Amount, ${unitName}`}
        hint={spent && `${amount(spent.available)} ${unitName} to spend`}
        problem={problem}
        value={given}
        onEdit={(text) => onEdit({ given: text })}
      />
      {chips.length > 0 && <Chips label="Amounts" chips={chips} />}
    </>
  );
}

/**
 * Computes the largest amount to spend: all tokens, or the coins left after fees, rents and a reserve for a later sale.
 */
function most({ token, available }: Pick<Balance, "token" | "available">, quote: Quote | undefined): string {
  const needed = quote?.balances?.find((each) => each.token === token)?.needed;
  if (token !== "native" || quote === undefined || needed === undefined) return available;
  const besides = minus(needed, quote.amount);
  const left = minus(minus(available, besides), quote.exitReserve ?? "0");
  return left.startsWith("-") ? share(available, 90) : left;
}
