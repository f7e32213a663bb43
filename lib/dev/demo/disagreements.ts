import type { Order, Position } from "../../domain/execution.ts";
import { coinDecimals, formatAmount } from "../../domain/trading/decimal-text.ts";
import type { Holdings } from "./demo-chain.ts";
import type { Balance, DemoAttempt } from "./demo-service.ts";

/** What the chain, the orders and the position say of a buy and the sale of all of it. */
export type Facts = {
  token: string;
  before: Holdings;
  between: Holdings;
  after: Holdings;
  /** All orders, those that expired included. */
  placed: readonly Order[];
  buy: Order;
  sell: Order;
  attempts: readonly DemoAttempt[];
  position: Position | undefined;
  balances: readonly Balance[];
};

/** The example token has as many decimals as the coin. */
const decimals = coinDecimals;

const amountText = (units: bigint) => formatAmount(units, decimals);

/** Of decimal text, which may have a sign. */
export function unitsOf(text = "0"): bigint {
  const [, sign, whole = "0", places = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const units = BigInt(whole + places.padEnd(decimals, "0"));
  return sign === "-" ? -units : units;
}

/** Where they do not agree, to the last unit. */
export function disagreements(facts: Facts): string[] {
  const { before, between, after, placed, buy, sell, attempts, position, balances, token } = facts;
  const fees = placed.reduce((sum, { networkFee }) => sum + unitsOf(networkFee), 0n);
  const [spent, bought] = [unitsOf(buy.filledAmount), unitsOf(buy.receivedAmount)];
  const [sold, received] = [unitsOf(sell.filledAmount), unitsOf(sell.receivedAmount)];
  const used = attempts.filter(({ outcome }) => outcome === "mined" || outcome === "reverted").length;
  const balanceOf = (name: string) => unitsOf(balances.find((each) => each.token === name)?.amount);
  const amounts: [string, bigint, bigint][] = [
    ["coins by the orders", before.coins - spent + received - fees, after.coins],
    ["tokens bought by the orders", before.tokens + bought, between.tokens],
    ["tokens left by the orders", between.tokens - sold, after.tokens],
    ["coins by the balances", balanceOf("native"), after.coins],
    ["tokens by the balances", balanceOf(token), after.tokens],
    ["PnL of the position", unitsOf(position?.realizedPnl), received - spent],
    [
      "fees of the position",
      unitsOf(position?.networkFees),
      unitsOf(buy.networkFee) + unitsOf(sell.networkFee),
    ],
    ["amount of the position", unitsOf(position?.amount), 0n],
    ["cost of the position", unitsOf(position?.cost), 0n],
  ];
  const texts: [string, unknown, unknown][] = [
    ...amounts.map(([what, said, is]): [string, string, string] => [what, amountText(said), amountText(is)]),
    ["transactions by the attempts", used, after.nonce - before.nonce],
    ["state of the position", position?.status, "closed"],
    ["finality of the position", position?.settled, true],
  ];
  return texts.filter(([, said, is]) => said !== is).map(([what, said, is]) => `${what}: ${said}, not ${is}`);
}
