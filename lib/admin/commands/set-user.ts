import { type Command, Option } from "commander";
import { mostRequestsPerMinute } from "../../domain/plan.ts";
import { tierNames } from "../../domain/tier.ts";
import type { Admin } from "../admin.ts";
import { integer, username } from "../arguments.ts";
import { changeLine } from "../change.ts";
import { changeUser, type UserValues } from "../change-user.ts";
import { print } from "../output.ts";
import type { TargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";

const count = integer(0, Number.MAX_SAFE_INTEGER);

export function setUser(program: Command, admin: Admin): void {
  targeted(
    program
      .command("set-user <id>")
      .description("Change a user; id is the sub of their token. A lower tier takes no wallets away.")
      .addOption(new Option("--tier <tier>", "the subscription tier").choices(tierNames))
      .option(
        "--requests-per-minute <number>",
        "what an Enterprise customer may call for; other tiers have their plan's number",
        integer(1, mostRequestsPerMinute),
      )
      .option("--points <number>", "the points that the user can spend", count)
      .option(
        "--xp <number>",
        "the XP in total; what is gained counts today, this week and this month",
        count,
      )
      .option("--username <name>", "the name that others see; lists of referrals keep the old one", username),
  ).action(
    async (userID: string, { local, stack, ...wanted }: TargetOptions & UserValues, command: Command) => {
      if (Object.keys(wanted).length === 0) {
        command.error(
          "error: nothing to change: give --tier, --requests-per-minute, --points, --xp or --username",
        );
      }
      const { table } = await admin.openTarget({ local, stack });
      const changes = await changeUser(table, userID, wanted, admin.now());
      for (const change of changes) print(admin.stdout, changeLine(change));
      if (changes.length === 0) print(admin.stdout, `Nothing changed: ${userID} has these values already`);
    },
  );
}
