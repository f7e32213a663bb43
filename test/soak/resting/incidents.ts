import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import type { EvmChain } from "../../../lib/core/chain-facts.ts";
import { functionProcesses } from "../../e2e/support/runner.ts";
import type { Period } from "../../replay/points.ts";
import { createTable } from "../../support/create-table.ts";
import { putItems } from "../../support/items.ts";
import type { Chance } from "../chance.ts";
import type { Service } from "../service.ts";
import type { ChainAccess } from "../trade/chain-access.ts";
import { repeated } from "../trade/settle.ts";
import type { PriceWalk } from "./walk-prices.ts";

/**
 * Milliseconds of a halt. It is longer than all that a halt of hours outlasts: the age of a head by which orders fire, the
 * deadlines and orders of children, the times after which silent pools are read again, and the pauses of legs and
 * hand-overs. Only the hour after which a leg's pauses begin again is longer; the year in virtual time has such halts.
 */
const haltMs = 330_000;

/** Part of their prices to which tokens fall as a chain halts, which reaches stops and limits of buys. */
const fall = 0.9;

/** Milliseconds from that fall to the halt, in which children are signed that no block has. */
const signingMs = 1000;

/** Milliseconds after a halt in which prices stand still, so that all that is due then has to fire. */
const stillMs = 110_000;

export type Halt = Period & { chain: EvmChain };

/** Lets a chain make no blocks for a while, just after its prices have fallen. */
export async function halt({ chain, setHostFaults }: ChainAccess, walk: PriceWalk): Promise<Halt> {
  walk.setStill(chain, true);
  await walk.jump(chain, fall);
  await pause(signingMs);
  const fromMs = Date.now();
  await setHostFaults({ isHalted: true });
  await pause(haltMs);
  await setHostFaults({});
  const toMs = Date.now();
  await pause(stillMs);
  walk.setStill(chain, false);
  return { chain, fromMs, toMs };
}

/** Functions that carry out orders, and how often one is killed. Runs that read all the time are killed less often. */
const killed = {
  placeOrder: 3,
  fireOrders: 4,
  executeOrders: 4,
  signTransaction: 3,
  watchTriggers: 1,
  readChains: 1,
};

/**
 * Kills a process that runs a function, in the middle of what it does.
 *
 * @param runner the runner's process id
 * @returns the function's name. Undefined if no process was killed.
 */
export function killFunction(runner: number, chance: Chance): string | undefined {
  const name = chance.weighted(killed);
  const running = functionProcesses(runner).filter((each) => each.name.includes(`-${name}`));
  if (running.length === 0) return undefined;
  try {
    process.kill(chance.pick(running).pid, "SIGKILL");
    return name;
  } catch {
    // The process has just ended by itself.
    return undefined;
  }
}

/** Milliseconds from the copy of the table to its restore, in which orders fire and are placed. */
const sinceCopyMs = 20_000;

const run = promisify(execFile);

/**
 * Copies the table, and restores it from the copy later, like an operator after a loss.
 *
 * @param whileClosed Keeps users from placing orders while the program runs, because its time then decides which orders
 * it ends.
 */
export async function restoreTable(
  service: Service,
  whileClosed: (act: () => Promise<void>) => Promise<void>,
): Promise<Period> {
  const table = await service.table();
  const copy = await createTable({ ...table, name: `${table.name}-restored` });
  await putItems(copy, await repeated(() => service.scan()));
  await pause(sinceCopyMs);
  const period = { fromMs: 0, toMs: 0 };
  await whileClosed(async () => {
    period.fromMs = Date.now();
    const { port } = new URL(service.target.baseUrl);
    await run(process.execPath, ["bin/admin.ts", "restore", copy.name, "--fix", "--yes", "--local", port]);
    period.toMs = Date.now();
  });
  await table.client.send(new DeleteTableCommand({ TableName: copy.name }));
  return period;
}
