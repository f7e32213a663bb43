/**
 * `npm run bench:http` compares the limits of plans with the admitted requests of users who exceed them, then
 * measures latency, throughput and processor time of each operation, on a local runner. It fails if a plan is
 * not kept.
 */
import { parseArgs } from "node:util";
import { requestsPerMinute } from "../../lib/plans/plan.ts";
import { type OperationFigures, operationFigures } from "./operation-latency.ts";
import { type Admission, loadPlan, type PlanLoad } from "./plan-load.ts";
import { machine } from "./report.ts";
import { startService } from "./service.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    // A machine can serve only a few users at the rate of a whole plan, but more users with smaller plans.
    "standard-users": { type: "string", default: "4" },
    customers: { type: "string", default: "20" },
    "requests-per-minute": { type: "string", default: "120" },
    seconds: { type: "string", default: "90" },
    calls: { type: "string", default: "200" },
    "at-once": { type: "string", default: "8" },
  },
});
const seconds = Number(values.seconds);
const loads: PlanLoad[] = [
  {
    plan: { name: "Standard", requestsPerMinute: requestsPerMinute.Standard },
    users: Number(values["standard-users"]),
    seconds,
  },
  {
    plan: { name: "Enterprise", requestsPerMinute: Number(values["requests-per-minute"]) },
    users: Number(values.customers),
    seconds,
  },
];
const [calls, atOnce] = [Number(values.calls), Number(values["at-once"])];

/** The tolerated difference between admitted and promised requests, as a share of the promised ones. */
const tolerance = 0.02;

const keeps = ({ plan }: PlanLoad, { atOnce, admitted, promised }: Admission) =>
  atOnce >= plan.requestsPerMinute && Math.abs(admitted - promised) <= Math.max(1, tolerance * promised);

console.log(`${machine()}\n`);
const service = await startService(1);
let kept = true;
try {
  for (const load of loads) {
    const admissions = await loadPlan(service, load);
    kept &&= admissions.every((admission) => keeps(load, admission));
    console.log(planTable(load, admissions));
  }
  console.log(operationTable(await operationFigures(service, { calls, atOnce })));
} finally {
  await service.stop();
}
if (!kept) {
  console.error("A plan was not kept, or its users were too slow to exceed it");
  process.exitCode = 1;
}

function planTable({ plan, users, seconds }: PlanLoad, admissions: readonly Admission[]): string {
  const rows = admissions.map(({ atOnce, admitted, promised, refused }, index) => [
    `${index + 1}`,
    `${atOnce}`,
    `${admitted}`,
    figure(promised),
    figure(admitted / promised),
    `${refused}`,
  ]);
  return `${users} users, each on a plan ${plan.name} of ${plan.requestsPerMinute} requests a minute, for ${seconds} s
${textTable(["user", "before the first 429", "admitted", "promised", "admitted/promised", "refused"], rows)}
`;
}

function operationTable(figures: readonly OperationFigures[]): string {
  const rows = figures.map(({ name, latency: { p50, p95, p99 }, perSecond, shares }) => {
    const { ours, runner, dynamodb } = shares;
    const all = ours + runner + dynamodb;
    const percent = (share: number) => `${figure((100 * share) / all)} %`;
    return [name, ...[p50, p95, p99, perSecond, all].map(figure), ...[ours, runner, dynamodb].map(percent)];
  });
  return `Operations: ${calls} calls one after another, then ${calls} with ${atOnce} at once
${textTable(
  ["operation", "p50 ms", "p95 ms", "p99 ms", "calls/s", "CPU ms/call", "ours", "runner", "DynamoDB Local"],
  rows,
)}`;
}
