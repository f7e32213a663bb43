import { greatest } from "../../core/bigints.ts";
import { checksArrival, type SwapCall } from "../../core/intent.ts";
import type { ChainConfiguration } from "../chain-configuration.ts";
import type { ContractLog } from "./rpc-call.ts";

/** `Transfer(address,address,uint256)` of tokens. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of the wrapped coin. */
const depositTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const withdrawalTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";

/**
 * `Swap(address,uint256,uint256,uint256,uint256,address)` of v2 pools: amounts in and out, of the lower address's token
 * first.
 */
const swapTopic = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";

const topicOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

/** Reads the amount that an event moved. Other contracts' events may have the same topic in another form. */
const amountOf = ({ data }: ContractLog) => (/^0x[\da-f]{64}$/.test(data) ? BigInt(data) : 0n);

const sum = (logs: readonly ContractLog[]) => logs.reduce((total, log) => total + amountOf(log), 0n);

/**
 * Returns the coin that a router unwrapped last, to pay it out. During its transfer a token may sell some of its own
 * units by the same router, but none of its code runs after that.
 */
export function unwrappedBy(router: string, wrapped: string, logs: readonly ContractLog[]): bigint {
  const own = eventsOf(wrapped, withdrawalTopic, logs).filter(({ topics }) => topics[1] === topicOf(router));
  return sum(own.slice(-1));
}

/**
 * Returns the units of a token that its v2 pool with another token took last. The token may have sold some of its own
 * units before.
 */
export function takenByPool(
  pool: string,
  other: string,
  token: string,
  logs: readonly ContractLog[],
): bigint {
  const start = 2 + (BigInt(token) < BigInt(other) ? 0 : 64);
  const last = eventsOf(pool, swapTopic, logs).at(-1);
  return last === undefined ? 0n : BigInt(`0x${last.data.slice(start, start + 64)}`);
}

const eventsOf = (address: string, topic: string, logs: readonly ContractLog[]) =>
  logs.filter((log) => log.address === address && log.topics[0] === topic);

/** A token may log any numbers. */
const atLeast0 = (amount: bigint) => greatest(amount, 0n);

/**
 * Computes from its logs how much a swap spent and received: tokens by the transfers from and to the wallet, native
 * coin by the amounts that the router wrapped and unwrapped.
 */
export function fillOf(
  { wrapped }: Pick<ChainConfiguration, "wrapped">,
  { side, token, ...route }: SwapCall,
  wallet: string,
  logs: readonly ContractLog[],
): { spent: bigint; received: bigint } {
  const transfers = eventsOf(token, transferTopic, logs);
  const taken = sum(transfers.filter(({ topics }) => topics[1] === topicOf(wallet)));
  const given = sum(transfers.filter(({ topics }) => topics[2] === topicOf(wallet)));
  if (side === "sell")
    return { spent: atLeast0(taken - given), received: unwrappedBy(route.router, wrapped.token, logs) };
  const deposits = eventsOf(wrapped.token, depositTopic, logs);
  const own = deposits.filter(({ topics }) => topics[1] === topicOf(route.router));
  // A token may wrap coin by the same router during its transfer: on its own v3 pool that is before the payment, else
  // after it.
  const isPaidFirst = checksArrival(route) || route.bridge !== undefined;
  const spent = sum(isPaidFirst ? own.slice(0, 1) : own.slice(-1));
  return { spent, received: atLeast0(given - taken) };
}
