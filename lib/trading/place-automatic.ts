import { readAddress } from "../chains/families/address.ts";
import { DomainError } from "../core/domain-error.ts";
import { automaticLimits } from "../orders/automatic-buy.ts";
import { warningsOfLimits } from "../orders/preset.ts";
import type { AutomaticRequest, PlaceOrderRequest } from "../orders/trade-request.ts";
import { readInstructions } from "./items/automatic-view.ts";
import { readLimits } from "./items/policy-records.ts";
import {
  keyed,
  type PlacedMarketOrder,
  type Placement,
  type PlacingDeps,
  performersOf,
  shownPlaced,
  tradeRequest,
  unrefused,
} from "./place-order.ts";
import { placing } from "./procedures/placing.ts";

/**
 * Places the buy that the user's preset describes, once for each user and key.
 *
 * @throws {DomainError} for each reason to refuse the order. In that case nothing is recorded, and the key stays
 * unused.
 * @throws {ChainUnavailable} if no two hosts of the chain agree.
 */
export async function placeAutomatic(
  deps: PlacingDeps,
  { key, ...asked }: Placement<AutomaticRequest>,
): Promise<PlacedMarketOrder> {
  const { userID, now, body } = asked;
  const { chain } = body;
  for (const name of ["token", "wallet"] as const)
    if (body[name] !== undefined) readAddress(chain, body[name], name);
  const ofKey = keyed({ ...asked, key });
  const { isUsed, switches, preset } = await readInstructions(deps.table, { userID, chain, key: ofKey.key });
  if (!isUsed && !switches.autoBuy)
    throw new DomainError("AUTO_BUY_OFF", `Automatic buys are switched off on ${chain}`);
  if (preset === undefined) throw new DomainError("NO_PRESET", `You have no preset of chain ${chain}`);
  const buy: PlaceOrderRequest = {
    chain,
    wallet: body.wallet ?? preset.wallet,
    type: "market",
    side: "buy",
    token: body.token,
    amount: preset.buyAmount,
    slippage: preset.slippage,
  };
  const request = tradeRequest(deps, { ...asked, body: buy });
  const ofTable = { tableId: deps.tableId };
  const placement = { ...request, ...ofKey, ...ofTable, automatic: automaticLimits(chain, preset) };
  const placed = shownPlaced(await unrefused(placing(placement), performersOf(deps, request)));
  const { wallet } = placed.order;
  const [limits] = await readLimits(deps.table, [{ userID, chain, wallet }], now);
  return { ...placed, warnings: [...placed.warnings, ...warningsOfLimits(limits?.stored?.policy)] };
}
