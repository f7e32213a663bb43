import { randomInt } from "node:crypto";
import * as v from "valibot";
import { type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import { secretArn, secretName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { StartupError } from "../startup-error.ts";
import type { Store } from "../storage/store.ts";

const properties = v.strictObject({
  Name: v.optional(v.string()),
  Description: v.optional(v.string()),
  SecretString: v.optional(v.string()),
  GenerateSecretString: v.optional(
    v.strictObject({
      PasswordLength: v.optional(v.number(), 32),
      // What is generated here has neither.
      ExcludePunctuation: v.optional(v.literal(true, "only true")),
      IncludeSpace: v.optional(v.literal(false, "only false")),
    }),
  ),
  Tags: v.optional(v.unknown()),
});

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An id of a secret, then its text, of which JSON may be read. Stages and versions are not emulated. */
const reference = /^(arn:[^:]+:secretsmanager:[^:]*:\d+:secret:[^:]+)(?::SecretString(?::([^:]*):?:?)?)?$/;

/**
 * Secrets Manager, as far as templates refer to it: `{{resolve:secretsmanager:<ARN>}}`. Generated secrets are kept.
 *
 * @returns the value of a reference. Throws StartupError for one that is not emulated.
 */
export function openSecrets(resources: () => Resources, store: Store): (reference: string) => string {
  const kept: Record<string, string> = store.load("secrets") ?? {};

  function textOf(secret: Resource): string {
    const { SecretString, GenerateSecretString } = readProperties(properties, resolved(secret));
    if (SecretString !== undefined) return SecretString;
    const name = secretName(secret);
    const known = kept[name];
    if (known !== undefined) return known;
    const length = GenerateSecretString?.PasswordLength ?? 32;
    const made = Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
    kept[name] = made;
    store.save("secrets", kept);
    return made;
  }

  return (text) => {
    const [, id, key] = reference.exec(text) ?? [];
    if (id === undefined) throw new StartupError(`The reference to the secret ${text} is not emulated`);
    const secret = resources()
      .ofType("AWS::SecretsManager::Secret")
      .find((each) => secretArn(each) === id);
    if (secret === undefined) throw new StartupError(`There is no secret ${id}`);
    const value = textOf(secret);
    return key ? String(JSON.parse(value)[key]) : value;
  };
}
