import { PutParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { type Command, Option } from "commander";
import * as v from "valibot";
import type { HostKeys } from "../../../chains/hosts/keyed-text.ts";
import { readHostKeys, StoredHostKeys } from "../../../runtime/host-keys.ts";
import { OperatorError } from "../operator-error.ts";
import { localOption } from "../options.ts";
import type { AdminDeps, ParameterOptions } from "../target.ts";
import { print } from "../terminal.ts";

/** Maximum size of an SSM parameter that costs nothing. */
const mostBytes = 4096;

export function setHostKeys(program: Command, deps: AdminDeps): void {
  program
    .command("set-host-keys <parameter>")
    .description(
      "Store the keys that URLs of hosts name, in the SSM parameter of the context hostKeys. Asks for JSON such as " +
        '{"alchemy":"..."}, or takes it from HOST_KEYS. Replaces all keys, and asks before it removes one. Busy functions use new keys within ten minutes.',
    )
    .addOption(localOption("region"))
    .addOption(
      new Option(
        "--region <region>",
        "the region of the deployed service. Account and credentials come from the standard AWS variables",
      ),
    )
    .action(async (parameter: string, options: ParameterOptions, command: Command) => {
      if (options.local === undefined && options.region === undefined)
        command.error("error: one of --local [port] and --region <region> is required");
      const prompt = "Keys of hosts, as JSON";
      const text = await deps.askSecret({ prompt, variable: "HOST_KEYS" });
      const client = await deps.openParameters(options);
      const changes = await storeHostKeys(client, parameter, text, (removed) =>
        deps.confirm(`Hosts that name ${removed.join(", ")} will fail. Remove?`),
      );
      for (const change of changes) print(deps.stdout, change);
      if (changes.length === 0) print(deps.stdout, "Nothing changed");
    });
}

/**
 * Stores keys of hosts.
 *
 * @param mayRemove Decides whether to remove these keys.
 * @returns a line for each changed key, without its value
 * @throws {OperatorError} if the text is malformed or too long, or no key may be removed. The message quotes no key.
 */
export async function storeHostKeys(
  client: SSMClient,
  parameter: string,
  text: string,
  mayRemove: (names: readonly string[]) => Promise<boolean>,
): Promise<string[]> {
  const keys = v.safeParse(StoredHostKeys, text);
  if (!keys.success)
    throw new OperatorError(
      'The keys must be JSON such as {"alchemy":"..."}. Names have lower-case letters, digits and dashes; keys have letters, digits and -._~',
    );
  const value = JSON.stringify(keys.output);
  if (Buffer.byteLength(value) > mostBytes)
    throw new OperatorError(`The keys must fit into ${mostBytes} bytes of JSON`);
  const before = await knownKeys(client, parameter);
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(keys.output, name));
  if (removed.length > 0 && !(await mayRemove(removed)))
    throw new OperatorError(`Nothing was changed: give the keys ${removed.join(", ")}, too`);
  const changes = [...changesOf(before, keys.output), ...removed.map((name) => `removed ${name}`)];
  if (changes.length > 0)
    await client.send(
      new PutParameterCommand({ Name: parameter, Value: value, Type: "SecureString", Overwrite: true }),
    );
  return changes;
}

/** Reads the stored keys. Empty if there are none, or if they are malformed. */
async function knownKeys(client: SSMClient, parameter: string): Promise<HostKeys> {
  try {
    return await readHostKeys(client, parameter);
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === "ParameterNotFound" || code === "BAD_HOST_KEYS") return {};
    throw error;
  }
}

function changesOf(before: HostKeys, after: HostKeys): string[] {
  const changed = Object.keys(after).filter((name) => before[name] !== after[name]);
  return changed.map((name) => `${Object.hasOwn(before, name) ? "replaced" : "added"} ${name}`);
}
