import { type Command, Option } from "commander";
import { integer } from "./arguments.ts";
import { dataStack } from "./stack-outputs.ts";
import type { TargetOptions } from "./target.ts";

/**
 * Gives a command the two ways to name the service that it is for, of which it takes exactly one.
 *
 * @param stack the kind of stack whose outputs the command needs.
 */
export function targeted(command: Command, stack: { called: string; example: string } = dataStack): Command {
  return command
    .addOption(
      new Option("--local <port>", "the local runner whose base_url has that port")
        .argParser(integer(1, 65_535))
        .conflicts("stack"),
    )
    .addOption(
      new Option(
        "--stack <name>",
        `a deployed ${stack.called}, such as ${stack.example}; account, region and credentials come from ` +
          "AWS_PROFILE, AWS_REGION and the other variables that AWS programs read",
      ),
    )
    .hook("preAction", (_, chosen) => {
      const { local, stack } = chosen.opts<TargetOptions>();
      if (local === undefined && stack === undefined) {
        chosen.error("error: one of --local <port> and --stack <name> is required");
      }
    });
}
