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
      // Must be true, because generated secrets contain no punctuation or spaces.
      ExcludePunctuation: v.optional(v.literal(true, "only true")),
      IncludeSpace: v.optional(v.literal(false, "only false")),
    }),
  ),
  Tags: v.optional(v.unknown()),
});

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A secret's ARN, and optionally a key in its JSON. Stages and versions are not emulated. */
const reference = /^(arn:[^:]+:secretsmanager:[^:]*:\d+:secret:[^:]+)(?::SecretString(?::([^:]*):?:?)?)?$/;

/**
 * Emulates Secrets Manager for references in templates: `{{resolve:secretsmanager:<ARN>}}`. Generated secrets are
 * stored.
 *
 * @returns a function that resolves a reference. It throws a StartupError if the reference is not emulated.
 */
export function openSecrets(resources: () => Resources, store: Store): (reference: string) => string {
  const generated: Record<string, string> = store.load("secrets") ?? {};

  function textOf(secret: Resource): string {
    const { SecretString, GenerateSecretString } = readProperties(properties, resolved(secret));
    if (SecretString !== undefined) return SecretString;
    const name = secretName(secret);
    const known = generated[name];
    if (known !== undefined) return known;
    const length = GenerateSecretString?.PasswordLength ?? 32;
    const value = Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
    generated[name] = value;
    store.save("secrets", generated);
    return value;
  }

  return (text) => {
    const [, id, key] = reference.exec(text) ?? [];
    if (id === undefined) throw new StartupError(`The reference to the secret ${text} is not emulated`);
    const secret = resources()
      .ofType("AWS::SecretsManager::Secret")
      .find((each) => secretArn(each) === id);
    if (secret === undefined) throw new StartupError(`There is no secret ${id}`);
    const secretText = textOf(secret);
    return key ? String(JSON.parse(secretText)[key]) : secretText;
  };
}
