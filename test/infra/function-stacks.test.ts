import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { quickly, withoutCode } from "../../lib/infra/read-stacks.ts";
import { operationsOf } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import {
  customContext,
  type FunctionProperties,
  ownHosts,
  resourcesOf,
  type Template,
} from "./synthesized.ts";

/** Copies of rows of every kind in the table of operations, all in one subject. */
const added: Record<string, Operation> = Object.fromEntries(
  [
    ...copiesOf("rest", 26),
    ...copiesOf("websocket", 5),
    ...copiesOf("changes", 1),
    ...copiesOf("schedule", 2),
    ...copiesOf("internal", 3),
  ].map(([name, row]) => [`${name}Again`, row]),
);

function copiesOf(kind: Operation["kind"], count: number): [string, Operation][] {
  // Excludes rows that name usage plans, because plans depend on methods. Functions of wallets invoke those of trading,
  // so no row of trading may invoke them.
  const rows = operationsOf(kind).filter(
    ([, { opensWallets, plans, invokes }]) =>
      !opensWallets && plans.length === 0 && !invokes.includes("loosenGuards"),
  );
  return rows.slice(-count).map(([name, row]) => {
    if (row.kind === "rest") return [name, { ...row, path: `${row.path}/again` }];
    if (row.kind === "websocket") return [name, { ...row, route: `${name}Again` as typeof row.route }];
    return [name, row];
  });
}

/** The context that creates the most resources. */
const largest = {
  ...customContext,
  trading: evmChains,
  chains: { ...ownHosts, ...customContext.chains },
  importKeys: ["1", "2"],
};

const outdir = mkdtempSync(join(tmpdir(), "room-"));
/** Templates as they are deployed, by stack. */
let now: ReadonlyMap<string, string>;
let later: ReadonlyMap<string, string>;

beforeAll(async () => {
  [now, later] = await Promise.all([templatesWith({}), templatesWith(added)]);
});
afterAll(() => rmSync(outdir, { recursive: true }));

/** Synthesizes the stacks with additional rows in the table of operations. */
async function templatesWith(rows: Record<string, Operation>): Promise<ReadonlyMap<string, string>> {
  const folder = join(outdir, `${Object.keys(rows).length}`);
  const throttles = Object.fromEntries(
    [
      "preflight",
      ...Object.keys(rows).filter((name) => ["rest", "websocket"].includes(rows[name]?.kind ?? "")),
    ].map((name) => [name, { rateLimit: 1, burstLimit: 1 }]),
  );
  const context = { ...withoutCode, ...largest, throttles };
  const options = { ...quickly, outdir: folder, context };
  const thread = new Worker(new URL("./with-more-rows.ts", import.meta.url), {
    workerData: { rows, options },
  });
  // Rejects if an error ends the thread.
  await once(thread, "exit");
  const files = readdirSync(folder).filter((name) => name.endsWith(".template.json"));
  return new Map(files.map((file) => [file.replace(/\..*/, ""), readFileSync(join(folder, file), "utf8")]));
}

const templateOf = (text: string | undefined): Template => JSON.parse(text ?? "");

/** Logical ids of the functions, with the names in the templates, by stack. Physical names consist of both. */
const functionsIn = (texts: ReadonlyMap<string, string>) =>
  new Map(
    [...texts].map(([stack, text]) => [
      stack,
      Object.entries(
        resourcesOf<FunctionProperties & { FunctionName?: unknown }>(
          templateOf(text),
          "AWS::Lambda::Function",
        ),
      ).map(([id, { Properties }]) => `${id} ${JSON.stringify(Properties.FunctionName)}`),
    ]),
  );

/** Ids of the existing resources that an expression refers to. */
function referencesIn(resource: object, ids: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  JSON.stringify(resource, (key, value) => {
    if (key === "Ref") found.add(value);
    if (key === "Fn::GetAtt") found.add(value[0]);
    if (key === "DependsOn") for (const id of [value].flat()) found.add(id);
    return value;
  });
  return [...found].filter((id) => ids.has(id));
}

/** Ids of a template's resources, each listed after those it depends on. */
function orderOf({ Resources }: Template): string[] {
  const ids = new Set(Object.keys(Resources));
  const order = new Set<string>();
  const visit = (id: string, path: readonly string[]) => {
    if (path.includes(id)) throw new Error(`A cycle: ${[...path, id].join(" -> ")}`);
    if (order.has(id)) return;
    for (const other of referencesIn(Resources[id] ?? {}, ids)) visit(other, [...path, id]);
    order.add(id);
  };
  for (const id of ids) visit(id, []);
  return [...order];
}

describe("the stacks", () => {
  it("leaves room for 37 more rows of one subject in the largest configuration", () => {
    expect(Object.keys(added)).toHaveLength(37);
    expect([...functionsIn(later).values()].flat()).toHaveLength(
      [...functionsIn(now).values()].flat().length + 37,
    );
    for (const [stack, text] of later) {
      const { Resources, Outputs = {}, ...rest } = templateOf(text);
      const { Parameters = {} } = rest as { Parameters?: object };
      expect(Object.keys(Resources).length, `resources of ${stack}`).toBeLessThanOrEqual(350);
      expect(Object.keys(Outputs).length, `outputs of ${stack}`).toBeLessThanOrEqual(200);
      expect(Object.keys(Parameters).length, `parameters of ${stack}`).toBeLessThanOrEqual(200);
      expect(text.length, `bytes of ${stack}`).toBeLessThanOrEqual(1_000_000);
    }
  });

  it("keeps the name of each function when rows are added", () => {
    const after = functionsIn(later);
    for (const [stack, names] of functionsIn(now))
      expect(after.get(stack)).toEqual(expect.arrayContaining(names));
    expect([...after.keys()]).toEqual([...now.keys()]);
  });

  it("creates no cycle of stacks", () => {
    for (const text of later.values()) expect(orderOf(templateOf(text)).length).toBeGreaterThan(0);
  });

  it("adds functions before the methods that invoke them, and functions of plans after the plans", () => {
    const order = orderOf(templateOf(later.get("TerminalApi")));
    const placeOf = (id: string) =>
      order.findIndex((each) => new RegExp(`^${id}(\\w*[0-9a-f]{8,})?$`, "i").test(each));
    const ids = [
      "custody",
      "trading",
      "wallets",
      "ApiDeployment",
      "ApiDeploymentStagelive",
      "PlansStandard",
      "plans",
    ];
    const places = ids.map(placeOf);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});
