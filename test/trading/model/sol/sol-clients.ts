import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import { runOn } from "./sol-play.ts";
import { chain, type SolWorld } from "./sol-world.ts";

export const owners = [
  ["alice", "A1"],
  ["alice", "B2"],
  ["bob", "B2"],
] as const;
export const wallets = ["A1", "B2"];
export const tokens = ["MOON", "FEEZ"];

/** Places an order with these terms, or with random ones, and returns its intent. */
export async function placeNew(
  world: SolWorld,
  wanted: Partial<Pick<SolIntent, "userID" | "wallet" | "token" | "side">> = {},
): Promise<SolIntent> {
  const { random } = world;
  const [owner, ofOwner] = random.pick(owners) ?? owners[0];
  const { userID = owner, wallet = ofOwner, token = random.pick(tokens) as string } = wanted;
  const side = wanted.side ?? (random.chance(0.5) ? "buy" : "sell");
  const { unit } = world.chain.scale;
  const amount = unit * BigInt(100 + random.below(side === "buy" ? 30_000 : 40_000));
  const { coins, tokens: inPool } = world.chain.poolOf(token);
  const fair = side === "buy" ? (amount * inPool) / coins : (amount * coins) / inPool;
  const orderId = world.newId("order");
  const isByJupiter = world.chain.scale.hasJupiter && Number(orderId.slice("order".length)) % 3 === 0;
  const intent: SolIntent = {
    chain,
    wallet,
    userID,
    orderId,
    side,
    token,
    amount,
    minAmountOut: (fair * 80n) / 100n + 1n,
    quotedOut: fair,
    isPrivate: random.chance(0.3),
    validUntil: Math.floor(world.nowMs / 1000) + 5 + random.below(90),
    tokenProgram: "Token",
    routes: [
      isByJupiter
        ? { venue: "jupiter-metis" }
        : { venue: "raydium-cpmm", pool: `pool of ${token}`, config: "config" },
    ],
    budgetLamports: unit * BigInt(random.below(300)),
    attempts: 1 + random.below(6),
  };
  await world.place(intent);
  return intent;
}

export async function cancel(world: SolWorld): Promise<void> {
  const { intent } = world.random.pick(world.table.all("order")) ?? {};
  if (intent === undefined) return;
  const procedure = world.system.cancel(intent.userID, intent.orderId);
  const started = world.start({ name: "cancel", procedure });
  if (started !== undefined && world.random.chance(0.7)) await runOn(world, started, 0.3);
}
