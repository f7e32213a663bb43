import { changeUser } from "../../lib/admin/change-user.ts";
import { operationsOf, type RestRow } from "../../lib/operations.ts";
import type { Service } from "./service.ts";
import { now, type Spread, spreadOf } from "./statistics.ts";

/** Latency of an operation, one call after the other, and how many are answered a second when some are under way at once. */
export type OperationFigures = { name: string; latency: Spread; perSecond: number };

/** A key that nobody holds: 32 bytes that count up from one. */
const testKey = (index: number) => `0x${(index + 1).toString(16).padStart(64, "0")}`;

const bodies: Record<string, (index: number) => object> = {
  "/storeWallet_v2": (index) => ({ network: "eth", privateKey: testKey(index) }),
  "/updateTradingSettings/{chain}": (index) => ({ slippage: 1 + (index % 100) / 100 }),
};

export async function operationFigures(
  service: Service,
  { calls, atOnce }: { calls: number; atOnce: number },
): Promise<OperationFigures[]> {
  const figures: OperationFigures[] = [];
  for (const [name, row] of operationsOf("rest")) {
    // A user each, far from the limits of plan and tier.
    const call = await caller(service, `latency-${name}`, row);
    await call(-1);
    const latencies: number[] = [];
    for (let index = 0; index < calls; index++) {
      const begun = now();
      await call(index);
      latencies.push(now() - begun);
    }
    let next = calls;
    const begun = now();
    const client = async () => {
      while (next < 2 * calls) await call(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    figures.push({ name, latency: spreadOf(latencies), perSecond: calls / ((now() - begun) / 1000) });
  }
  return figures;
}

async function caller({ baseUrl, table, token }: Service, user: string, { method, path }: RestRow) {
  const headers = {
    Authorization: `Bearer ${await token(user)}`,
    ...(method === "POST" && { "Content-Type": "application/json" }),
  };
  const url = baseUrl + path.replace("{chain}", "eth");
  await fetch(`${baseUrl}/getUserData`, { headers });
  await changeUser(table, user, { tier: "Enterprise", requestsPerMinute: 60_000 }, new Date());
  return async (index: number) => {
    const body = bodies[path]?.(index + 1);
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path} is answered by ${answer.status}`);
  };
}
