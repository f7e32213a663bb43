import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../../lib/aws/table.ts";
import type { UsagePlans } from "../../../lib/aws/usage-plans.ts";
import type { Mirror } from "../../../lib/plans/mirror.ts";

export type Call = "read" | "write";

/** Hears of each call before it is made, and makes it or not. */
export type Observer = <Answer>(kind: Call, call: () => Promise<Answer>) => Promise<Answer>;

/** Runs something while an observer sees each call to the table, and each attempt of a call to the control plane. */
export async function observed<World extends Pick<Mirror, "table" | "plans">, Result>(
  world: World,
  observer: Observer,
  run: (world: World) => Promise<Result>,
): Promise<Result> {
  const { table, plans } = world;
  observePlans(plans, observer);
  try {
    return await run({ ...world, table: observedTable(table, observer) });
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
