/**
 * `npm run bench:http`: what plans promise their users and what they are given when many ask for more, then latency and
 * throughput of each operation, and where the processor time goes, on a local runner. Fails when a plan is not kept.
 */
import { parseArgs } from "node:util";
import { operationFigures } from "./operation-latency.ts";
import { type Admission, loadPlans } from "./plan-load.ts";
import { processorTime, timeBetween } from "./processor-time.ts";
import { machine } from "./report.ts";
import { startService } from "./service.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "20" },
    "requests-per-minute": { type: "string", default: "120" },
    seconds: { type: "string", default: "60" },
    calls: { type: "string", default: "200" },
    "at-once": { type: "string", default: "8" },
  },
});
const [users, requestsPerMinute, seconds] = [
  Number(values.users),
  Number(values["requests-per-minute"]),
  Number(values.seconds),
];
const [calls, atOnce] = [Number(values.calls), Number(values["at-once"])];

/** How far what is admitted may be from what was promised. */
const tolerance = 0.02;

const keeps = ({ atOnce, admitted, promised }: Admission) =>
  atOnce >= requestsPerMinute && Math.abs(admitted - promised) <= Math.max(1, tolerance * promised);

console.log(`${machine()}\n`);
const service = await startService(1);
let admissions: Admission[];
try {
  admissions = await loadPlans(service, { users, requestsPerMinute, seconds });
  console.log(`${users} users on plans of ${requestsPerMinute} requests a minute, for ${seconds} s
${textTable(
  ["user", "before the first 429", "admitted", "promised", "admitted/promised", "refused"],
  admissions.map(({ atOnce, admitted, promised, refused }, index) => [
    `${index + 1}`,
    `${atOnce}`,
    `${admitted}`,
    figure(promised),
    figure(admitted / promised),
    `${refused}`,
  ]),
)}
`);

  const before = processorTime(service.pid);
  const figures = await operationFigures(service, { calls, atOnce });
  const spent = timeBetween(before, processorTime(service.pid));
  console.log(`Operations: ${calls} calls one after the other, then ${calls} with ${atOnce} at once
${textTable(
  ["operation", "p50 ms", "p95 ms", "p99 ms", "calls/s"],
  figures.map(({ name, latency: { p50, p95, p99 }, perSecond }) => [
    name,
    ...[p50, p95, p99, perSecond].map(figure),
  ]),
)}
`);
  if (spent !== undefined)
    console.log(`Processor time of these calls\n${shares(spent, 2 * calls * figures.length)}`);
} finally {
  await service.stop();
}
if (!admissions.every(keeps)) {
  console.error("A plan was not kept");
  process.exitCode = 1;
}

/** Ours is what the functions use, the runner's what plays API Gateway, Lambda and KMS. */
function shares(spent: ReadonlyMap<string, number>, allCalls: number): string {
  const parts = { ours: 0, "the runner's": 0, "DynamoDB Local's": 0 };
  for (const [use, time] of spent)
    parts[use === "server" ? "the runner's" : use === "DynamoDB Local" ? "DynamoDB Local's" : "ours"] += time;
  const all = Object.values(parts).reduce((sum, time) => sum + time, 0);
  return textTable(
    ["whose", "ms/call", "share"],
    Object.entries(parts).map(([whose, time]) => [
      whose,
      figure(time / allCalls),
      `${Math.round((100 * time) / all)} %`,
    ]),
  );
}
