import { inspect } from "node:util";
import { StartupError } from "cdk-local-runner";
import { type Command, CommanderError, InvalidArgumentError } from "commander";
import { networks } from "../../core/network.ts";

/** Parts of `process` to which a program prints. */
export type Stdio = {
  stdout: Output;
  stderr: Output & { isTTY?: boolean };
};
type Output = { write(text: string): unknown };

/**
 * Runs a program.
 *
 * @returns the exit status: 0 for success, 1 for failure, 2 for wrong usage. Failures are explained on stderr.
 */
export async function runProgram<Options>(
  command: Command,
  args: readonly string[],
  { stdout, stderr }: Stdio,
  action: (options: Options) => Promise<void>,
): Promise<number> {
  try {
    await command
      .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
      .exitOverride()
      .allowExcessArguments(false)
      .action(action)
      .parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // Prints no stack trace for errors that users can fix.
    stderr.write(`${error instanceof StartupError ? error.message : inspect(error)}\n`);
    return 1;
  }
}

export const portUpTo =
  (most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number > most) throw new InvalidArgumentError(`Give a port, 0 to ${most}.`);
    return number;
  };

export const port = portUpTo(65_535);

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError("Give a whole number.");
  return number;
}

/** Values of the option `--context`, which add to those of cdk.json. */
export type Context = Readonly<Record<string, string>>;

export function withContext(text: string, before: Context): Context {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Give a key and a value, such as publicHosts=true.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Adds an explorer's site for a chain to the sites given before. */
export function withSite(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [, name = "", site = ""] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (!networks.some((network) => network === name) || !/^https?:$/.test(URL.parse(site)?.protocol ?? ""))
    throw new InvalidArgumentError("Give a chain and a site, such as eth=https://etherscan.io.");
  return { ...before, [name]: site.replace(/\/+$/, "") };
}

/** Parses a number of seconds, which may be negative. */
export function seconds(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number of seconds.");
  return Number(text);
}

/** Parses a number of seconds that a timer can wait. */
export function timeLimit(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 86_400)
    throw new InvalidArgumentError("Give a whole number of seconds, 1 to 86400.");
  return number;
}
