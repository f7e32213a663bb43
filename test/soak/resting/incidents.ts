import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import type { Period } from "../../replay/points.ts";
import { createTable } from "../../support/create-table.ts";
import { putItems } from "../../support/items.ts";
import type { Service } from "../service.ts";
import type { ChainAccess } from "../trade/chain-access.ts";
import { repeated } from "../trade/settle.ts";
import type { PriceWalk } from "./walk-prices.ts";

/**
 * Milliseconds of a halt. A chain that halts for hours passes the same limits: the age of a head by which orders fire, and
 * the ends of all children.
 */
const haltMs = 100_000;

/** Lets a chain make no blocks for a while. */
export async function halt({ chain, setHostFaults }: ChainAccess, walk: PriceWalk): Promise<Period> {
  const fromMs = Date.now();
  walk.setHalted(chain, true);
  await setHostFaults({ isHalted: true });
  await pause(haltMs);
  await setHostFaults({});
  walk.setHalted(chain, false);
  return { fromMs, toMs: Date.now() };
}

/** Milliseconds from the copy of the table to its restore, in which orders fire and are placed. */
const sinceCopyMs = 20_000;

const run = promisify(execFile);

/**
 * Copies the table, and restores it from the copy later, like an operator after a loss.
 *
 * @param whileClosed Keeps users from placing orders while the program runs, since its time then decides which it ends.
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
