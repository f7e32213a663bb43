import { firingOf } from "../../chains/families/fire.ts";
import type { FireAnswer, FireRequest } from "../../orders/resting/hand-over.ts";
import { firing } from "../procedures/firing.ts";
import { type FireDeps, FiringRun } from "./firing-run.ts";
import { runEffects } from "./run-procedure.ts";

/** Fires the orders whose prices are reached, and moves those whose children have an outcome. */
export async function fireOrders(deps: FireDeps, request: FireRequest): Promise<FireAnswer> {
  const { chain, orders } = request;
  const reader = deps.chains.get(chain);
  if (reader === undefined) return {};
  const run = new FiringRun(deps, reader, request);
  const orderIds = orders.map(({ orderId }) => orderId);
  const { random = Math.random } = deps;
  await runEffects(firing(firingOf(chain), { chain, orderIds, random }), run.performers);
  await run.publishFacts();
  return run.answer();
}
