import { formatUnits } from "../../../lib/core/decimal.ts";
import type { ProgramKey } from "../../../lib/orders/program-key.ts";
import { keyId, tradingKey } from "../../support/trading-keys.ts";
import { interleave } from "./cancel-all.ts";
import { type Clients, tokens, wallets } from "./clients.ts";
import { runOn, runUntil } from "./play.ts";
import { chain, type World } from "./world.ts";

const userID = "alice";

/** Lets a program buy with two wallets at once, while its key's day has room for one or two buys, or is revoked. */
export async function racingPrograms(world: World, clients: Clients): Promise<void> {
  const { random, table } = world;
  const key = tradingKey({
    userID,
    endsAt: new Date(world.nowMs + 3_600_000).toISOString(),
    // The network fees of a swap may reach millions.
    maxPerDay: formatUnits(BigInt(2_000_000 * (1 + random.below(4))), 18),
    ...(random.chance(0.1) && { tokens: ["MOON"] }),
  });
  table.put("programKey", key);
  for (const wallet of wallets)
    for (let buys = 1 + random.below(2); buys > 0; buys--) {
      const token = random.pick(tokens) as string;
      clients.trade(wallet, "buy", token, BigInt(100 + random.below(900)), keyId);
    }
  for (const process of world.processes.filter(({ name }) => name === "place"))
    await runOn(world, process, 0);
  const workOn = (wallet: string) => world.startWork(world.eventFor({ chain, wallet }));
  const runs = wallets.map(workOn);
  if (random.chance(0.4) && (await runUntil(world, runs[0], "write signature"))) revoke(world, key);
  await interleave(world, runs);
  await interleave(world, wallets.map(workOn));
}

function revoke({ table, nowMs, seen }: World, key: ProgramKey): void {
  const revokedAt = new Date(nowMs).toISOString();
  table.put("programKey", { ...key, revokedAt, revision: key.revision + 1 });
  seen.add("a program key was revoked");
}
