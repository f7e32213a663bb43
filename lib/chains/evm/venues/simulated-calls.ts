import { RecentMap } from "../../../core/recent-map.ts";
import type { Order } from "../../../orders/execution.ts";
import { type EvmCall, type EvmRoute, needsRefund, plainEvmRoute } from "../rules/intent.ts";
import { type CallTransaction, encodeCall } from "./calldata.ts";
import type { Contracts } from "./configured-routes.ts";

/** A call of a simulation, without its wallet and amount. */
type SimulatedCall =
  | { purpose: "approve"; token: string; router: string }
  | { purpose: "swap"; side: Order["side"]; token: string; route: EvmRoute };

/**
 * Marks of the wallet and of the amount in calldata. They follow no pattern, so that no other bytes contain them, or
 * begin like them in one place and end like them in the next.
 */
const anyWallet = "1d5e90b7c4a8f3627b06e9d1f85c3a42d7069be8";
const anyAmount = "1fa36c08e5d97b42f06c81e3a95d7f2460cb9e13d8470af5526be19c83f4d07a";

/** The latest time that fits into four bytes, because simulations do not check deadlines. */
const farDeadline = 2 ** 32 - 1;

type Templates = RecentMap<string, Pick<CallTransaction, "to" | "data">>;

/** Maximum number of calls to remember for a chain, about 1 kB each. */
const mostTemplates = 1000;

const templates = new WeakMap<Contracts, Templates>();

/**
 * Encodes a call that is only simulated. Remembers its calldata and fills in the wallet and the amount, because encoding
 * all calls from the start would take most of the time of a quote.
 *
 * @throws {Error} if the chain does not have the route or the router
 */
export function simulatedCall(
  contracts: Contracts,
  call: SimulatedCall,
  wallet: string,
  amount: bigint,
): CallTransaction {
  const { to, data } = templateOf(contracts, call);
  return {
    to,
    value: call.purpose === "swap" && call.side === "buy" ? amount : 0n,
    data: data
      .replaceAll(anyWallet, wallet.slice(2).toLowerCase())
      .replaceAll(anyAmount, amount.toString(16).padStart(64, "0")),
  };
}

function templateOf(contracts: Contracts, call: SimulatedCall): Pick<CallTransaction, "to" | "data"> {
  const known: Templates = templates.get(contracts) ?? new RecentMap(mostTemplates);
  templates.set(contracts, known);
  const name = JSON.stringify(call.purpose === "swap" ? { ...call, route: plainEvmRoute(call.route) } : call);
  const template = known.get(name) ?? encodeCall(contracts, markedCall(call), `0x${anyWallet}`);
  known.set(name, template);
  return template;
}

function markedCall(call: SimulatedCall): EvmCall {
  const amount = BigInt(`0x${anyAmount}`);
  if (call.purpose === "approve") return { ...call, amount };
  const { purpose, side, token, route } = call;
  return {
    purpose,
    side,
    token,
    ...plainEvmRoute(route),
    amountIn: amount,
    recipient: `0x${anyWallet}`,
    value: side === "buy" ? amount : 0n,
    minAmountOut: 0n,
    deadline: farDeadline,
    hasRefund: needsRefund(side, route),
  };
}
