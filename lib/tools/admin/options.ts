import { type Command, InvalidArgumentError, Option } from "commander";
import { dataStack, type StackKind, type TargetOptions } from "./target.ts";

/** Makes a parser for whole numbers in a range, including both ends. */
export function integer(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  };
}

/** Port of `npm start` without options. */
const usualPort = 3000;

/**
 * Makes the option that names a local runner.
 *
 * @param other Name of the option that names a deployed service instead
 */
export const localOption = (other: string): Option =>
  new Option(
    "--local [port]",
    `the port of the base_url of a local runner, or ${usualPort} if it is left out`,
  )
    .argParser(integer(1, 65_535))
    .preset(`${usualPort}`)
    .conflicts(other);

/**
 * Adds the options that name the service. A command requires exactly one of them.
 *
 * @param kind Kind of stack whose outputs the command needs.
 */
export function targeted(command: Command, kind: Pick<StackKind, "label" | "example"> = dataStack): Command {
  return command
    .addOption(localOption("stack"))
    .addOption(
      new Option(
        "--stack <name>",
        `the name of a deployed ${kind.label}, such as ${kind.example}. Account, region and credentials come from ` +
          "AWS_PROFILE, AWS_REGION and the other standard AWS variables",
      ),
    )
    .hook("preAction", (_, chosen) => {
      const { local, stack } = chosen.opts<Partial<TargetOptions>>();
      if (local === undefined && stack === undefined) {
        chosen.error("error: one of --local [port] and --stack <name> is required");
      }
    });
}
