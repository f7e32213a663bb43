/**
 * `npm run bench:http` compares each plan's limits with the requests admitted to users who exceed them. Then it
 * measures the latency, throughput and processor time of some operations on a local runner and on a single machine's
 * back end. It fails if a plan admits too many or too few requests.
 */
import { parseArgs } from "node:util";
import { requestsPerMinute } from "../../lib/plans/plan.ts";
import type { LoadFigures } from "./load.ts";
import { type OperationFigures, operationFigures } from "./operation-latency.ts";
import { type Admission, loadPlan, type PlanLoad } from "./plan-load.ts";
import { machine } from "./report.ts";
import { startService } from "./service.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    // Few users with the Standard plan, because a machine cannot serve many at its full rate.
    "standard-users": { type: "string", default: "4" },
    customers: { type: "string", default: "20" },
    "requests-per-minute": { type: "string", default: "120" },
    seconds: { type: "string", default: "90" },
    "load-seconds": { type: "string", default: "5" },
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
const loadSeconds = Number(values["load-seconds"]);

/** Tolerated difference between admitted and promised requests, as a fraction of the promised ones. */
const tolerance = 0.02;

const keeps = ({ plan }: PlanLoad, { atOnce, admitted, promised }: Admission) =>
  atOnce >= plan.requestsPerMinute && Math.abs(admitted - promised) <= Math.max(1, tolerance * promised);

console.log(`${machine()}\n`);
// Uses a new private key for each stored wallet.
const service = await startService(1, { walletLimits: { Enterprise: 100_000 } });
let kept = true;
try {
  for (const load of seconds > 0 ? loads : []) {
    const admissions = await loadPlan(service, load);
    kept &&= admissions.every((admission) => keeps(load, admission));
    console.log(planTable(load, admissions));
  }
  const figures = await operationFigures(service, loadSeconds);
  console.log(boxTable(figures));
  console.log(shareTable(figures));
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

type Figures = { perSecond: number; p50: number; p95: number; cpuMs: number };

function figuresOf({ calls, perSecond, latency: { p50, p95 }, used }: LoadFigures): Figures {
  const all = [...(used?.values() ?? [Number.NaN])].reduce((sum, ms) => sum + ms, 0);
  return { perSecond, p50, p95, cpuMs: all / calls };
}

/** Compares the local runner with a single machine's back end. */
function boxTable(figures: readonly OperationFigures[]): string {
  const rows = figures.map(({ name, atOnce, service, box }) => {
    const [ours, theirs] = [figuresOf(service), box && figuresOf(box)];
    const cells = (of: keyof Figures) => [
      figure(ours[of]),
      ...(theirs ? [figure(theirs[of]), `x ${figure(ours[of] / theirs[of])}`] : ["-", "-"]),
    ];
    return [`${name}, ${atOnce} at once`, ...(["perSecond", "p50", "p95", "cpuMs"] as const).flatMap(cells)];
  });
  const head = ["calls/s", "p50 ms", "p95 ms", "CPU ms/call"].flatMap((name) => [name, "box", "ratio"]);
  return `Operations for ${loadSeconds} s each, on the runner and on one box in turns
The box is a process with Express, jose, a token bucket in memory and SQLite on the same machine.
The runner emulates API Gateway, Lambda, DynamoDB and KMS, which AWS runs on other machines.
So compare money, as docs/benchmarks.md does, and not these times.
${textTable(["operation", ...head], rows)}
`;
}

/** Breaks down the processor time that the runner spent on operations. */
function shareTable(figures: readonly OperationFigures[]): string {
  const rows = figures.map(({ name, atOnce, service: { calls, used } }) => {
    const shares = { functions: 0, runner: 0, dynamodb: 0 };
    for (const [use, ms] of used ?? [["", Number.NaN]])
      shares[use === "server" ? "runner" : use === "DynamoDB Local" ? "dynamodb" : "functions"] += ms;
    const { functions, runner, dynamodb } = shares;
    const all = functions + runner + dynamodb;
    const percents = [functions, runner, dynamodb].map((share) => `${figure((100 * share) / all)} %`);
    return [`${name}, ${atOnce} at once`, figure(all / calls), ...percents];
  });
  return textTable(["on the runner", "CPU ms/call", "functions", "runner", "DynamoDB Local"], rows);
}
