/**
 * `npm run bench:abuse`: one user opens as many connections as allowed and changes settings as fast as the plan allows,
 * on a local runner. Measures how late other users get TradingSettingsUpdated meanwhile, and when the user's own
 * connections have the last state. Fails if either takes too long.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { machine } from "./report.ts";
import { type Service, startService } from "./service.ts";
import { openClient, type SettingsClient, TooManyConnections } from "./settings-client.ts";
import { now, spreadOf } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "300" },
    bystanders: { type: "string", default: "20" },
    "at-once": { type: "string", default: "8" },
  },
});
const [changes, bystanders, atOnce] = [
  Number(values.changes),
  Number(values.bystanders),
  Number(values["at-once"]),
];

/** The longest that another user's event may take after the HTTP answer. */
const maxLateMs = 2000;
/** The longest until the user's own connections have the last state, after the last HTTP answer. */
const maxOwnMs = 10_000;

/** Between two changes of a bystander. */
const bystanderPauseMs = 1000;

console.log(`${machine()}\n`);
const service = await startService(4);
try {
  const others = await Promise.all(
    Array.from({ length: bystanders }, async (_, index) =>
      openClient(service, await service.token(`bystander-${index}`)),
    ),
  );
  // The first change of each starts processes.
  await Promise.all(others.map((other) => lateness(other)));
  const alone = await latenessUntil(others, pause(5000));

  const own = await asManyAsAllowed(service, await service.token("abuser"));
  const begun = now();
  const abuse = changeSettings(own[0] as SettingsClient);
  const during = await latenessUntil(others, abuse);
  const { last, answeredAt } = await abuse;
  const ownMs = await lastStateMs(own, last, answeredAt);
  const received = own.reduce((sum, { received }) => sum + received, 0);

  const row = (when: string, late: readonly number[]) => {
    const { p50, p95, max } = spreadOf(late);
    return [when, `${late.length}`, ...[p50, p95, max].map(figure)];
  };
  console.log(`One user with ${own.length} connections made ${changes} changes in ${figure((answeredAt - begun) / 1000)} s.
Their connections received ${received} messages (${changes * own.length} without leaving any out),
and all had the last state ${figure(ownMs / 1000)} s after the last answer (at most ${maxOwnMs / 1000} s).

TradingSettingsUpdated of ${others.length} other users, from the HTTP answer to receipt (at most ${maxLateMs} ms)
${textTable(["", "changes", "p50 ms", "p95 ms", "max ms"], [row("before", alone), row("meanwhile", during)])}`);

  const isLate = Math.max(...during) > maxLateMs || ownMs > maxOwnMs;
  if (isLate) console.error("One user holds up others, or their own connections");
  process.exitCode = isLate ? 1 : 0;
  for (const client of [...others, ...own]) client.close();
} finally {
  await service.stop();
}

async function asManyAsAllowed(service: Service, token: string): Promise<SettingsClient[]> {
  const clients: SettingsClient[] = [];
  for (;;) {
    try {
      clients.push(await openClient(service, token));
    } catch (error) {
      if (error instanceof TooManyConnections) return clients;
      throw error;
    }
  }
}

/** Makes all changes, several at a time, and waits when refused. */
async function changeSettings(client: SettingsClient): Promise<{ last: number; answeredAt: number }> {
  let [left, last] = [changes, 0];
  const worker = async () => {
    while (left-- > 0) last = Math.max(last, await client.change());
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { last, answeredAt: now() };
}

/** Milliseconds from the answer to a change to its event. */
async function lateness(client: SettingsClient): Promise<number> {
  const version = await client.change();
  const answeredAt = now();
  return Math.max(0, (await client.receipt(version)) - answeredAt);
}

/** The same, of many changes of each of them, until a promise settles. */
async function latenessUntil(clients: readonly SettingsClient[], end: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const all = await Promise.all(
    clients.map(async (client) => {
      const latenesses: number[] = [];
      await pause(Math.random() * bystanderPauseMs);
      while (!isOver) {
        latenesses.push(await lateness(client));
        await pause(bystanderPauseMs);
      }
      return latenesses;
    }),
  );
  await ended;
  return all.flat();
}

async function lastStateMs(
  clients: readonly SettingsClient[],
  version: number,
  answeredAt: number,
): Promise<number> {
  const receipts = await Promise.all(clients.map((client) => client.receipt(version)));
  return Math.max(0, Math.max(...receipts) - answeredAt);
}
