import type { MessageErrorCode } from "../api/errors.ts";
import { errorMessage, type ServerMessage } from "../api/server-messages.ts";
import { addressProblem, readAddress } from "../chains/families/address.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import type { TokenName } from "../markets/core/market.ts";
import { isSameToken } from "../markets/core/market-subscription.ts";
import { nativeToken } from "../orders/trading-chain.ts";

/** A problem with a field of a message, in words that follow the field's name. */
export type FieldProblem = { field: string; code: MessageErrorCode; text: string };

/** A token in a message. Errors refer to the token by its position in the message. */
export type NamedToken = TokenName & { field: string; candles?: boolean | undefined };

type GivenToken = { chain: string; token: string; candles?: boolean | undefined };

/** Separates the tokens of a message from the problems with tokens that cannot be followed. */
export function readTokens(
  given: readonly GivenToken[],
  chains: readonly TradingChain[],
): { tokens: NamedToken[]; problems: FieldProblem[] } {
  const tokens: NamedToken[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, { chain: name, token, candles }] of given.entries()) {
    const field = `tokens.${index}`;
    const chain = chains.find((each) => each === name);
    if (chain === undefined) {
      const text = `must be one of ${chains.join(", ")}`;
      problems.push({ field: `${field}.chain`, code: "UNSUPPORTED_CHAIN", text });
      continue;
    }
    const text =
      token === nativeToken
        ? "must be an address: the channel has the prices of all coins"
        : addressProblem(chain, token);
    if (text !== undefined) {
      problems.push({ field: `${field}.token`, code: "INVALID_MESSAGE", text });
      continue;
    }
    const read = { chain, token: readAddress(chain, token, field), field, candles };
    if (tokens.some((other) => isSameToken(other, read)))
      problems.push({ field, code: "INVALID_MESSAGE", text: "must not repeat an earlier token" });
    else tokens.push(read);
  }
  return { tokens, problems };
}

/** Maximum number of fields that an error names. */
const mostFields = 5;

/**
 * Builds an error for each kind of problem. The errors name fields but quote no values, because values may be secrets.
 */
export function errorsOf(problems: readonly FieldProblem[]): ServerMessage[] {
  const kinds = Map.groupBy(problems, ({ code, text }) => `${code} ${text}`).values();
  return [...(kinds as Iterable<[FieldProblem, ...FieldProblem[]]>)].map((alike) => {
    const [{ code, text }] = alike;
    const others = alike.length - mostFields;
    const fields = alike.slice(0, mostFields).map(({ field }) => field);
    const list = [...fields, ...(others > 0 ? [`${others} other${others > 1 ? "s" : ""}`] : [])];
    return errorMessage(code, `${list.join(", ")} ${text}`);
  });
}
