import type { Network } from "../../core/network.ts";
import type { AskedTrade } from "../trade.ts";

/** A stop as users give it: it fires at or below `stopPrice`, and sells for at least `price`. */
export type GivenStop = { stopPrice: string; price?: string | undefined };

type GivenPrices =
  | { type: "limit"; price: string }
  | ({ type: "stop" } & GivenStop)
  | { type: "oco"; takeProfit: { price: string }; stopLoss: GivenStop };

/** A request for a resting order. Prices are decimal text, in whole coins for one whole token. */
export type RestingRequest = Omit<
  AskedTrade,
  "pool" | "minAmountOut" | "maxPriceImpact" | "validForSeconds"
> &
  GivenPrices & {
    chain: Network;
    wallet: string;
    /** Lifetime of the order. */
    expiresInSeconds?: number | undefined;
    /** Coin for all transactions of all children. */
    maxNetworkFee?: string | undefined;
    dryRun?: boolean | undefined;
  };

type RestingType = RestingRequest["type"];

type Fields = { required: readonly string[]; optional?: readonly string[] };

/** The sides and fields of each type, beside those of all types. */
const types: Readonly<Record<RestingType, Fields & { sides: readonly RestingRequest["side"][] }>> = {
  limit: { sides: ["buy", "sell"], required: ["price"] },
  stop: { sides: ["sell"], required: ["stopPrice"], optional: ["price"] },
  oco: { sides: ["sell"], required: ["takeProfit", "stopLoss"] },
};

const parts: Readonly<Record<string, Fields>> = {
  takeProfit: { required: ["price"] },
  stopLoss: { required: ["stopPrice"], optional: ["price"] },
};

const common = ["chain", "wallet", "type", "side", "token"];
const choices = [
  ...["amount", "percent", "slippage", "gasPreset", "maxGasPrice", "priorityFee", "mevProtection"],
  ...["allowUnsafe", "expiresInSeconds", "maxNetworkFee", "dryRun"],
];

const shortestRestSeconds = 60;
const longestRestSeconds = 7_776_000;
const mostSlippage = 50;

type Problem = readonly [field: string, message: string];

/** A body whose fields have the right forms, but may be those of another type. */
export type GivenResting = { chain: Network; type: RestingType; side: string } & Readonly<
  Record<string, unknown>
>;

/** Returns the field at fault and the reason if a request's fields do not fit its type or each other. */
export function restingProblem(request: GivenResting): Problem | undefined {
  const { sides, ...ofType } = types[request.type];
  const nested = Object.entries(parts).filter(([name]) => request[name] !== undefined);
  return (
    fieldProblem(request, {
      required: [...common, ...ofType.required],
      optional: [...choices, ...(ofType.optional ?? [])],
    }) ??
    nested
      .map(([name, fields]) => fieldProblem(request[name] as object, fields, `${name}.`))
      .find((each) => each !== undefined) ??
    (sides.some((side) => side === request.side)
      ? undefined
      : (["side", `must be ${sides.join(" or ")} with this type`] as const)) ??
    amountProblem(request) ??
    feeProblem(request) ??
    rangeProblem(request)
  );
}

function fieldProblem(given: object, { required, optional = [] }: Fields, prefix = ""): Problem | undefined {
  const known = [...required, ...optional];
  const present = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const stranger = present.find((name) => !known.includes(name));
  if (stranger !== undefined) return [prefix + stranger, "is not for this type of order"];
  const missing = required.find((name) => !present.includes(name));
  return missing === undefined ? undefined : [prefix + missing, "is required with this type"];
}

function amountProblem({ amount, percent, side }: GivenResting): Problem | undefined {
  if (amount === undefined && percent === undefined) return ["amount", "is required"];
  if (percent === undefined) return undefined;
  if (amount !== undefined) return ["percent", "must not be given together with amount"];
  return side === "buy" ? ["percent", "is for sales only; use amount instead"] : undefined;
}

function feeProblem({ chain, priorityFee, gasPreset, maxGasPrice }: GivenResting): Problem | undefined {
  if (chain !== "sol")
    return priorityFee === undefined
      ? undefined
      : ["priorityFee", "is for sol only; use gasPreset and maxGasPrice instead"];
  if (gasPreset !== undefined) return ["gasPreset", "is not for sol; use priorityFee instead"];
  return maxGasPrice === undefined ? undefined : ["maxGasPrice", "is not for sol; use priorityFee instead"];
}

function rangeProblem({ slippage, expiresInSeconds }: GivenResting): Problem | undefined {
  if (typeof slippage === "number" && slippage > mostSlippage)
    return ["slippage", `must be at most ${mostSlippage}`];
  if (typeof expiresInSeconds !== "number") return undefined;
  const isInRange = expiresInSeconds >= shortestRestSeconds && expiresInSeconds <= longestRestSeconds;
  return isInRange && Number.isInteger(expiresInSeconds)
    ? undefined
    : ["expiresInSeconds", `must be a whole number from ${shortestRestSeconds} to ${longestRestSeconds}`];
}
