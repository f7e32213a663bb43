import { parseUnits } from "ethers/utils";
import { expect } from "vitest";
import type { RestData } from "../../lib/client/index.ts";
import type { SolDesk } from "./sol-desk.ts";

const tenCoins = 10n ** 10n;
/** Converts SOL to lamports. */
export const coins = (text = "0") => parseUnits(text, 9);
const tokens = (text = "0") => parseUnits(text, 6);

export async function placeAt(
  desk: SolDesk,
  asked: Parameters<SolDesk["ask"]>[0],
  key?: string,
): Promise<string> {
  const placed = await desk.ask(asked, key);
  if (!("order" in placed)) throw new Error("It was not placed");
  return placed.order.orderId;
}

/** Expects the chain to match a wallet's orders of one token exactly. */
export async function expectChainAgrees(
  desk: SolDesk,
  orderIds: readonly string[],
  token?: Parameters<SolDesk["units"]>[0],
): Promise<RestData<"getOrder">[]> {
  const shown = (await Promise.all(orderIds.map((id) => desk.read(id)))) as RestData<"getOrder">[];
  let [left, held] = [tenCoins, 0n];
  for (const { order } of shown) {
    expect(order.settled).toBe(true);
    left -= coins(order.networkFee) + coins(order.rent);
    if (order.side === "buy") {
      left -= coins(order.filledAmount);
      held += tokens(order.receivedAmount);
    } else {
      left += coins(order.receivedAmount);
      held -= tokens(order.filledAmount);
    }
  }
  expect({ coins: await desk.coins(), tokens: await desk.units(token) }).toEqual({
    coins: left,
    tokens: held,
  });
  return shown;
}
