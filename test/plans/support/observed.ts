import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { MirrorDeps } from "../../../lib/plans/mirror.ts";
import type { UsagePlans } from "../../../lib/plans/usage-plans.ts";
import type { Table } from "../../../lib/table/table.ts";

export type Call = "read" | "write";

/** Intercepts each call and decides whether to make it. */
export type Observer = <Answer>(kind: Call, call: () => Promise<Answer>) => Promise<Answer>;

/** Runs an action with an observer of each call to the table and each attempt of a call to the control plane. */
export async function observed<Deps extends Pick<MirrorDeps, "table" | "plans">, Result>(
  deps: Deps,
  observer: Observer,
  run: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  const { table, plans } = deps;
  observePlans(plans, observer);
  try {
    return await run({ ...deps, table: observedTable(table, observer) });
  } finally {
    observePlans(plans, (_, call) => call());
  }
}

function observedTable({ name, client }: Table, observer: Observer): Table {
  const send = (command: unknown) => {
    const reads = command instanceof GetCommand || command instanceof QueryCommand;
    return observer(reads ? "read" : "write", () => client.send(command as never));
  };
  return {
    name,
    client: new Proxy(client, { get: (_, key) => (key === "send" ? send : Reflect.get(client, key)) }),
  };
}

function observePlans(plans: UsagePlans, observer: Observer): void {
  const options = { name: "observe", step: "deserialize", priority: "low", override: true } as const;
  for (const { middlewareStack } of [plans.client, plans.once])
    middlewareStack.add(
      (next, { commandName }) =>
        (args) =>
          observer(commandName?.startsWith("Get") ? "read" : "write", () => next(args)),
      options,
    );
}
