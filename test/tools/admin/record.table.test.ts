import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { recordExecutions } from "../../../lib/runtime/executions.ts";
import { targets } from "../../../lib/tools/admin/program.ts";
import { readExecutions } from "../../../lib/trading/items/execution-records.ts";
import { executionRecorder } from "../../../lib/trading/record-executions.ts";
import { register } from "../../../lib/users/register.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { linesOf, now, run } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";
import { serve } from "./support/http.ts";
import { type Handler, runnerWithFunction } from "./support/lambda.ts";

const examples = new URL("../../../lib/tools/admin/examples/executions.json", import.meta.url).pathname;

let engine: Engine;
let folder: string;
let target: ReturnType<typeof targetWith>;

beforeAll(async () => {
  engine = await startTable();
  folder = await mkdtemp(join(tmpdir(), "executions-"));
}, engineStart);
beforeEach(async () => {
  target = targetWith(await engine.newTable());
  await register(target.table, { userID: "alice", names: ["alice"], ref: undefined }, now);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await rm(folder, { recursive: true });
  await engine.stop();
});

const order = (orderId: string, rest: object = {}) => ({
  kind: "order",
  userID: "alice",
  orderId,
  wallet: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
  chain: "eth",
  symbol: "ETH/USDC",
  side: "buy",
  type: "market",
  status: "open",
  amount: "1",
  filledAmount: "0",
  createdAt: "2026-11-18T11:59:00.000Z",
  updatedAt: "2026-11-18T11:59:00.000Z",
  version: 1,
  ...rest,
});

/** Runs the deployed function's code on the test's table. The `failing` records fail as if DynamoDB did not respond. */
const deployed = (failing: readonly string[] = []) =>
  recordExecutions((time) => {
    const record = executionRecorder(target.table, time);
    return async (reported) => {
      const { execution } = reported;
      if ("orderId" in execution && failing.includes(execution.orderId)) throw new Error("no answer");
      return record(reported);
    };
  });

/** Fakes a function that stores nothing and rejects the order `stray`. */
const standIn: Handler = async ({ records }) => ({
  results: records.map((record, index) => {
    const { kind, orderId: id } = record as ReturnType<typeof order>;
    const error = { code: "UNKNOWN_USER", message: "no such user" };
    return id === "stray"
      ? { index, kind, id, status: "rejected", error }
      : { index, kind, id, status: "recorded" };
  }),
});

async function recordFile(file: string, handler: Handler) {
  await using runner = await serve(runnerWithFunction(engine, "the-function", handler));
  const options = { local: runner.port };
  return await run(target, ["record", file], { openFunctions: () => targets.openFunctions(options) });
}

async function record(content: unknown, handler: Handler = deployed()) {
  const file = join(folder, "executions.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  const finished = await recordFile(file, handler);
  return { ...finished, err: finished.err.replaceAll(file, "FILE") };
}

const stored = async (kind: "order" | "position") => readExecutions(target.table, "alice", kind);

describe("record", () => {
  it.each([
    ["an object with the records", (records: unknown[]) => ({ records })],
    ["the list alone", (records: unknown[]) => records],
  ])("accepts %s as a file of records", async (_, content) => {
    expect(await record(content([order("o-1"), order("o-2")]))).toEqual({
      code: 0,
      out: "recorded: 2, unchanged: 0, rejected: 0, failed: 0\n",
      err: "",
    });
    expect(await stored("order")).toMatchObject([{ orderId: "o-1" }, { orderId: "o-2" }]);
  });

  it("prints a line for each record that was not stored, and fails", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    await record([order("old")]);
    const { code, out, err } = await record(
      [
        order("old"),
        order("new"),
        order("stray", { userID: "nobody" }),
        order("bad", { amount: "one" }),
        order("down"),
      ],
      deployed(["down"]),
    );
    expect(linesOf(out)).toEqual([
      "records[0] order old: unchanged",
      "records[2] order stray: rejected, UNKNOWN_USER: No user with this userID has signed in",
      "records[3]: rejected, INVALID_REQUEST: amount must be a decimal number of at least 0, as text",
      "records[4] order down: failed, INTERNAL_ERROR: Internal server error",
      "recorded: 1, unchanged: 1, rejected: 2, failed: 1",
    ]);
    expect({ code, err }).toEqual({
      code: 1,
      err: "error: Records not recorded: 3; correct the rejected ones, run the same command again\n",
    });
  });

  it("sends any number of records in consecutive batches of a hundred", async () => {
    const sizes: number[] = [];
    let running = 0;
    const records = Array.from({ length: 201 }, (_, index) => order(`o-${index}`));
    const { code, out } = await record(
      records.with(107, order("stray")).with(200, order("stray")),
      async (event) => {
        expect(++running).toBe(1);
        sizes.push(event.records.length);
        await new Promise(setImmediate);
        running--;
        return standIn(event);
      },
    );
    expect(code).toBe(1);
    expect(sizes).toEqual([100, 100, 1]);
    expect(linesOf(out)).toEqual([
      "records[107] order stray: rejected, UNKNOWN_USER: no such user",
      "records[200] order stray: rejected, UNKNOWN_USER: no such user",
      "recorded: 199, unchanged: 0, rejected: 2, failed: 0",
    ]);
  });

  it("invokes no function for an empty list of records", async () => {
    const handler = vi.fn();
    expect(await record([], handler)).toMatchObject({ code: 0, out: expect.stringMatching(/^recorded: 0/) });
    expect(handler).not.toHaveBeenCalled();
  });
});

describe("record, when its function fails", () => {
  const records = Array.from({ length: 250 }, (_, index) => order(`o-${index}`));

  it.each([
    [Object.assign(new Error("event is odd"), { name: "InvalidRequest" }), "event is odd"],
    [new Error("alice's o-100"), "The function failed; its log has the reason"],
  ])(
    "prints the results so far, and gives the reason only if the request is to blame (%s)",
    async (error, line) => {
      const handler = vi.fn(standIn).mockImplementationOnce(standIn).mockRejectedValueOnce(error);
      expect(await record(records, handler)).toEqual({
        code: 1,
        out: "recorded: 100, unchanged: 0, rejected: 0, failed: 0, unknown: 150\n",
        err: `error: ${line}\n`,
      });
      expect(handler).toHaveBeenCalledTimes(2);
    },
  );

  it.each([null, { results: [] }, { results: [{ index: 0, status: "fine" }] }])(
    "rejects a malformed response of the function: %j",
    async (answer) => {
      const { code, err } = await record([order("o-1")], async () => answer);
      expect({ code, err }).toEqual({
        code: 1,
        err: "error: Function the-function did not answer as recordExecutions does\n",
      });
    },
  );
});

describe("the input file of record", () => {
  const unused = () => Promise.reject(new Error("It was invoked"));

  it.each([
    ['{"userID": "alice", }', "FILE is not JSON (line 1 column 21)"],
    ["top secret", "FILE is not JSON"],
    ...['"top secret"', "{}", '{"records": {}}', '{"records": [], "more": 1}'].map((content) => [
      content,
      'FILE must be a list of records, or an object whose only field "records" is a list',
    ]),
  ])("rejects a malformed file with one line that does not quote its content: %s", async (content, line) => {
    expect(await record(content, unused)).toEqual({ code: 1, out: "", err: `error: ${line}\n` });
  });

  it("reports a missing file in one line", async () => {
    const missing = join(folder, "none.json");
    expect(await recordFile(missing, unused)).toEqual({
      code: 1,
      out: "",
      err: `error: ${missing} cannot be read (ENOENT)\n`,
    });
  });
});

describe("the example orders and positions", () => {
  it("records the example orders and positions once, with every state and chain among them", async () => {
    const total: unknown[] = JSON.parse(await readFile(examples, "utf8")).records;
    expect(await recordFile(examples, deployed())).toMatchObject({
      code: 0,
      out: `recorded: ${total.length}, unchanged: 0, rejected: 0, failed: 0\n`,
    });
    const [orders, positions] = [await stored("order"), await stored("position")];
    expect(new Set(orders.map(({ status }) => status)).size).toBe(6);
    expect(new Set(positions.map(({ status }) => status)).size).toBe(2);
    expect(new Set([...orders, ...positions].map(({ chain }) => chain)).size).toBe(5);

    const again = await recordFile(examples, deployed());
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining(`unchanged: ${total.length},`) });
  });
});
