import { type Command, CommanderError, InvalidArgumentError } from "commander";

/** Exit status for a command line that cannot be understood. */
const USAGE = 2;

export function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535)
    throw new InvalidArgumentError("It has to be a port, 0 to 65535.");
  return number;
}

export function seconds(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("It has to be a whole number of seconds.");
  return Number(text);
}

/** Bounded by what a timer can wait. */
export function patience(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 86_400)
    throw new InvalidArgumentError("It has to be a whole number of seconds, 1 to 86400.");
  return number;
}

/** Reads the command line of this process. Ends the process when there is nothing to be done with it. */
export function parseArguments<Options>(command: Command): Options {
  try {
    return command.exitOverride().allowExcessArguments(false).parse().opts() as Options;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exit(error.exitCode === 0 ? 0 : USAGE);
  }
}
