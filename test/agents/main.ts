/**
 * `npm run agents`: an agent without a language model trades on a local service only through the MCP server. It plays
 * all scenarios of docs/agents.md, and fails if one fails, or if all of them together take more than 90 seconds.
 */
import { textTable } from "../bench/text-table.ts";
import type { Agent } from "./agent.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { openWorld } from "./world.ts";

/** Time that all scenarios may take on a quiet machine, with the start of the service. */
const mostSeconds = 90;

const secondsSince = (startMs: number) => (performance.now() - startMs) / 1000;

const startMs = performance.now();
const world = await openWorld();
const readySeconds = secondsSince(startMs);

type Outcome = { name: string; calls: number; seconds: number; failure?: unknown };

async function played({ name, own, chain, play }: Scenario, usual: Agent): Promise<Outcome> {
  const begunMs = performance.now();
  const agent = own ? await world.agent(own) : usual;
  agent.calls = 0;
  const failure: { failure?: unknown } = await play(agent, { world, chain }).then(
    () => ({}),
    (failure: unknown) => ({ failure }),
  );
  return { name, calls: agent.calls, seconds: secondsSince(begunMs), ...failure };
}

const outcomes = await Promise.all(
  [...Map.groupBy(scenarios, ({ chain }) => chain).values()].map(async (ofChain) => {
    const usual = await world.agent();
    const outcomes: Outcome[] = [];
    for (const scenario of ofChain) outcomes.push(await played(scenario, usual));
    return outcomes;
  }),
).finally(() => world.close());
const all = outcomes.flat();
const failed = all.filter((outcome) => "failure" in outcome);
const seconds = secondsSince(startMs);

const rows = all.map(({ name, calls, seconds, failure }) => [
  name,
  `${calls}`,
  seconds.toFixed(1),
  failure === undefined ? "done" : "failed",
]);
console.log(textTable(["Scenario", "Calls", "Seconds", "Outcome"], rows));
for (const { name, failure } of failed) console.error(name, failure);
console.log(
  `${all.length - failed.length} of ${all.length} in ${seconds.toFixed(0)} seconds, ${readySeconds.toFixed(0)} of them until the service was ready`,
);
if (seconds > mostSeconds) console.error(`That is more than ${mostSeconds} seconds`);
process.exitCode = failed.length > 0 || seconds > mostSeconds ? 1 : 0;
