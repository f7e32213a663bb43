/**
 * `npm run bench:snapshot` measures what it takes to make the snapshot of a trader with many orders. It fails if that does
 * not fit into the time and the memory of subscribe.
 */
import { parseArgs } from "node:util";
import { encodeMessage } from "../../lib/api/server-messages.ts";
import { openTable } from "../../lib/aws/table.ts";
import { operations } from "../../lib/operations.ts";
import { snapshotsOf } from "../../lib/realtime/snapshots.ts";
import { startChild } from "./child.ts";
import { machine } from "./report.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({ options: { orders: { type: "string", default: "50000" } } });

const { memoryMB, timeoutSeconds } = operations.subscribe;

/** The processors of subscribe: Lambda gives one for 1769 MB. */
const processors = memoryMB / 1769;

/** About what a push takes. They are made one after the other. */
const pushSeconds = 0.025;

console.log(`${machine()}\n`);
const database = await startChild<never, never, { url: string }>("orders-process.ts", values.orders);
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const table = openTable("table", { endpoint: database.first.url, region: "us-east-1", credentials });
const rows: string[][] = [];
try {
  for (const userID of ["all-ended", "all-open"]) {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const messages = (await snapshotsOf(table, "orders", userID, new Date())).map(encodeMessage);
    const { user, system } = process.cpuUsage(used);
    const processorSeconds = (user + system) / 1e6;
    const waitSeconds = Math.max(0, (performance.now() - begun) / 1000 - processorSeconds);
    const total = waitSeconds + processorSeconds / processors + messages.length * pushSeconds;
    const usedMB = process.memoryUsage().rss / 2 ** 20;
    rows.push([userID, ...[processorSeconds, total, usedMB].map(figure), `${messages.length}`]);
    if (total > timeoutSeconds || usedMB > memoryMB) process.exitCode = 1;
  }
} finally {
  await database.stop();
  table.client.destroy();
}
const head = ["user", "processor s", "in subscribe s", "memory MB", "messages"];
console.log(`Snapshots of ${values.orders} orders\n${textTable(head, rows)}`);
if (process.exitCode) console.error("A snapshot does not fit into the time and the memory of subscribe");
