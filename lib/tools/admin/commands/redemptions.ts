import { type Command, Option } from "commander";
import { everyRedemption } from "../../../rewards/item-keys.ts";
import { type Redemption, type RedemptionStatus, redemptionStatuses } from "../../../rewards/redemption.ts";
import { settleRedemption } from "../../../rewards/settle-redemption.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { readAllRedemptions, redemptionLine } from "../redemption-sheet.ts";
import { scan } from "../scan.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";

type ListOptions = TargetOptions & { status: RedemptionStatus | "all"; user?: string; json?: true };

export function listRedemptionsCommand(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("list-redemptions")
      .description("List all purchases with points, oldest first. Without --user, reads the whole table.")
      .addOption(
        new Option("--status <status>", "only those with this status")
          .choices([...redemptionStatuses, "all"])
          .default("pending"),
      )
      .option("--user <id>", "only those of this user")
      .option("--json", "as a JSON array"),
  ).action(async ({ status, user, json, ...options }: ListOptions) => {
    const { table } = await deps.openTarget(options);
    const all =
      user === undefined
        ? await collected(scan<Redemption>(table, everyRedemption, attributes))
        : await readAllRedemptions(table, user);
    const listed = all
      .filter((each) => status === "all" || each.status === status)
      .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    if (json) print(deps.stdout, JSON.stringify(listed.map(shown), null, 2));
    else for (const each of listed) print(deps.stdout, `${redemptionLine(each)}  ${each.userID}`);
  });
}

async function collected<Element>(elements: AsyncIterable<Element>): Promise<Element[]> {
  const all: Element[] = [];
  for await (const element of elements) all.push(element);
  return all;
}

const attributes = [
  ...(["redemptionId", "userID", "rewardId", "name", "cost"] as const),
  ...(["status", "createdAt", "updatedAt", "version"] as const),
];

const shown = (redemption: Redemption) =>
  Object.fromEntries(attributes.map((name) => [name, redemption[name]]));

export const fulfilCommand = settling(
  "fulfilled",
  "fulfil <id>",
  "Mark a purchase as delivered. The user is notified.",
);

export const refundCommand = settling(
  "refunded",
  "refund <id>",
  "Refund the points of a redemption, and return the piece to the stock unless it was fulfilled.",
);

function settling(status: "fulfilled" | "refunded", usage: string, description: string) {
  return (program: Command, deps: AdminDeps) =>
    void targeted(program.command(usage).description(description)).action(
      async (redemptionId: string, options: TargetOptions) => {
        const { table } = await deps.openTarget(options);
        const settlement = await settleRedemption(table, { redemptionId, status, now: deps.now() });
        if (settlement.outcome === "unknown")
          throw new OperatorError(`There is no redemption ${redemptionId}; list-redemptions lists them`);
        if (settlement.outcome === "busy")
          throw new OperatorError(
            `Redemption ${redemptionId} kept changing, and nothing was changed; try again`,
          );
        const { outcome, redemption } = settlement;
        if (outcome === "not allowed")
          throw new OperatorError(
            `Redemption ${redemptionId} is ${redemption.status}, and nothing was changed`,
          );
        if (outcome === "unchanged") print(deps.stdout, `Nothing changed: it is ${status} already`);
        else print(deps.stdout, `${redemptionLine(redemption)}  ${redemption.userID}`);
      },
    );
}
