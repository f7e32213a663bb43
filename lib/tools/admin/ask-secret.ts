import type { Readable } from "node:stream";
import { read } from "read";
import { OperatorError } from "./operator-error.ts";
import type { Output } from "./terminal.ts";

type Terminal = {
  stdin: Readable & { isTTY?: boolean };
  /** Prints prompts to stderr, because stdout has the results. */
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
};

/** Prompt for a secret, and the environment variable that replaces it. */
type Question = { prompt: string; variable: string };

/**
 * Takes a secret from an environment variable, or else prompts for it without showing the input. There is no
 * command-line option, because other users of the machine can read command lines.
 *
 * @throws {OperatorError} if there is neither a variable nor a terminal.
 */
export async function askSecret(
  { prompt, variable }: Question,
  { stdin, stderr, env }: Terminal = process,
): Promise<string> {
  const given = env[variable];
  if (given) return given;
  if (!stdin.isTTY)
    throw new OperatorError(`${prompt} is needed: set ${variable}, or run this in a terminal`);
  const reading = read({ prompt: `${prompt}: `, silent: true, input: stdin, output: stderr });
  const answer = await reading.catch(() => {
    throw new OperatorError("Nothing was entered");
  });
  // Prints a line break, because the one that the user typed was not shown.
  stderr.write("\n");
  return answer;
}

/**
 * Asks a yes-or-no question. Only the answers `y` and `yes` count as yes.
 *
 * @throws {OperatorError} if there is no terminal.
 */
export async function confirm(
  question: string,
  { stdin, stderr }: Omit<Terminal, "env"> = process,
): Promise<boolean> {
  if (!stdin.isTTY) throw new OperatorError(`${question} Add --yes, or run this in a terminal`);
  const answer = await read({ prompt: `${question} [y/N] `, input: stdin, output: stderr }).catch(() => "");
  return /^y(es)?$/i.test(answer.trim());
}

/** Asks for a new password, twice on a terminal. */
export async function askNewPassword(question: Question, terminal: Terminal = process): Promise<string> {
  const password = await askSecret(question, terminal);
  if (terminal.env[question.variable]) return password;
  const repeated = await askSecret({ ...question, prompt: `${question.prompt} again` }, terminal);
  if (repeated === password) return password;
  throw new OperatorError("The two passwords differ, and nothing was changed");
}

export const passwordQuestion: Question = { prompt: "Password", variable: "TERMINAL_PASSWORD" };
export const newPasswordQuestion: Question = { prompt: "New password", variable: "TERMINAL_NEW_PASSWORD" };
export const codeQuestion: Question = { prompt: "Code of the authenticator", variable: "TERMINAL_CODE" };
