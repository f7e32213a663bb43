import { PutParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { type Command, Option } from "commander";
import webpush from "web-push";
import { putPublicPushKey } from "../../../devices/device-records.ts";
import { type PushKey, pushKeyParameter, readPushKey } from "../../../devices/push-key.ts";
import type { Table } from "../../../table/table.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";

export function makePushKey(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("make-push-key")
      .description(
        `Make the key that proves pushes to browsers, and keep its private part in the SSM parameter ${pushKeyParameter}, which only notifyOwner reads. A key that exists is kept, unless you agree to replace it.`,
      )
      .addOption(
        new Option(
          "--contact <url>",
          "where push services reach you: a mailto or https URL",
        ).makeOptionMandatory(),
      ),
  ).action(async ({ contact, ...target }: TargetOptions & { contact: string }) => {
    if (!/^(mailto:\S+@\S+|https:\/\/\S+)$/.test(contact))
      throw new OperatorError("--contact must be a mailto or https URL, such as mailto:ops@example.com");
    const { table } = await deps.openTarget(target);
    const { local } = target;
    const parameters = await deps.openParameters(local === undefined ? {} : { local });
    const { publicKey, isNew } = await storePushKey({ table, parameters }, contact, () =>
      deps.confirm("There is a key. All browsers would have to register again. Replace it?"),
    );
    print(deps.stdout, `${isNew ? "Made" : "Kept"} the key ${publicKey}`);
  });
}

type Stores = { table: Table; parameters: SSMClient };

/**
 * Makes a key, or keeps the one that exists, and writes its public part to the table. A run that was interrupted
 * between the two can be repeated.
 */
export async function storePushKey(
  { table, parameters }: Stores,
  subject: string,
  mayReplace: () => Promise<boolean>,
): Promise<{ publicKey: string; isNew: boolean }> {
  const known = await readPushKey(parameters);
  const isNew = known === undefined || (await mayReplace());
  const key: PushKey = isNew ? { subject, ...webpush.generateVAPIDKeys() } : known;
  if (isNew)
    await parameters.send(
      new PutParameterCommand({
        Name: pushKeyParameter,
        Value: JSON.stringify(key),
        Type: "SecureString",
        Overwrite: true,
      }),
    );
  await putPublicPushKey(table, key.publicKey);
  return { publicKey: key.publicKey, isNew };
}
