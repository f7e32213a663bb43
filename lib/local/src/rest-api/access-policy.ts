import * as v from "valibot";
import { wildcard } from "../wildcard.ts";

const oneOrMore = v.union([v.string(), v.array(v.string())]);

/** Strict, because a condition that is passed over would let callers in whom API Gateway keeps out. */
const statement = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(["Allow", "Deny"]),
  Action: oneOrMore,
  Resource: oneOrMore,
});

export const accessPolicy = v.strictObject({
  Version: v.optional(v.string()),
  Id: v.optional(v.string()),
  Statement: v.union([v.array(statement), statement]),
});

type AccessPolicy = v.InferOutput<typeof accessPolicy>;
export type Verdict = "allowed" | "denied explicitly" | "denied implicitly";

/** What a policy says about calling the method of that ARN. A single Deny outweighs any number of Allows. */
export function evaluatePolicy(policy: AccessPolicy, methodArn: string): Verdict {
  const effects = [policy.Statement]
    .flat()
    .filter(({ Action }) => matchesAny(Action, "execute-api:Invoke", "i"))
    .filter(({ Resource }) => matchesAny(Resource, methodArn))
    .map(({ Effect }) => Effect);
  if (effects.includes("Deny")) return "denied explicitly";
  return effects.includes("Allow") ? "allowed" : "denied implicitly";
}

function matchesAny(patterns: string | readonly string[], text: string, flags = ""): boolean {
  return [patterns].flat().some((pattern) => wildcard(pattern, flags).test(text));
}
