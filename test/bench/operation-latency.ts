import { operationsOf } from "../../lib/operations/operations.ts";
import type { RestRow } from "../../lib/operations/types.ts";
import { changeUser } from "../../lib/tools/admin/commands/set-user.ts";
import { type ProcessorTime, processorTime, timeBetween } from "./processor-time.ts";
import type { Service } from "./service.ts";
import { now, type Spread, spreadOf } from "./statistics.ts";

/** Milliseconds of processor time per call, by process. NaN if unknown. */
export type Shares = {
  /** The functions, which also run on Lambda. */
  ours: number;
  /** The runner, which replaces API Gateway, Lambda, KMS and the issuer. */
  runner: number;
  dynamodb: number;
};

/** Latency in milliseconds of sequential calls, and throughput of concurrent ones. */
export type OperationFigures = { name: string; latency: Spread; perSecond: number; shares: Shares };

/** Private keys 1, 2, 3 and so on, of empty wallets. */
const testKey = (index: number) => `0x${(index + 1).toString(16).padStart(64, "0")}`;

/** Calls of each client before the measured ones. */
const callsToWarmUp = 10;

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
    // Each operation has its own user, far from the limits of plan and tier.
    const call = await caller(service, `latency-${name}`, row);
    // Starts as many instances as are needed below, and compiles their code.
    await each(atOnce * callsToWarmUp, atOnce, (index) => call(2 * calls + index));
    const before = processorTime(service.pid);
    const latencies: number[] = [];
    await each(calls, 1, async (index) => {
      const begun = now();
      await call(index);
      latencies.push(now() - begun);
    });
    const begun = now();
    await each(calls, atOnce, (index) => call(calls + index));
    const perSecond = calls / ((now() - begun) / 1000);
    const spent = timeBetween(before, processorTime(service.pid));
    figures.push({ name, latency: spreadOf(latencies), perSecond, shares: sharesOf(spent, 2 * calls) });
  }
  return figures;
}

async function each(count: number, atOnce: number, call: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, client));
}

function sharesOf(spent: ProcessorTime, calls: number): Shares {
  if (spent === undefined) return { ours: Number.NaN, runner: Number.NaN, dynamodb: Number.NaN };
  const shares: Shares = { ours: 0, runner: 0, dynamodb: 0 };
  for (const [use, time] of spent)
    shares[use === "server" ? "runner" : use === "DynamoDB Local" ? "dynamodb" : "ours"] += time / calls;
  return shares;
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
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  };
}
