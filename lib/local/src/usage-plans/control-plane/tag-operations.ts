import * as v from "valibot";
import { account } from "../../account.ts";
import type { Tags } from "../model.ts";
import { badRequest, type Context, findKey, findPlan, operation, tags } from "./operation.ts";

const tagged = new RegExp(
  `^arn:${account.partition}:apigateway:${account.region}::/(apikeys|usageplans)/([^/]+)$`,
);

export function tagOperations(context: Context) {
  const { state } = context;
  return {
    /** Adds tags to a key or a plan, and replaces its tags of the same names. */
    TagResource: operation(
      204,
      v.strictObject({ resourceArn: v.string(), tags }),
      ({ resourceArn, tags }) => {
        const [, kind, id = ""] = tagged.exec(resourceArn) ?? [];
        if (kind === undefined) throw badRequest("Invalid resourceArn specified");
        const { apiKeys, usagePlans } = state.current;
        const withTags = <Tagged extends { tags?: Tags | undefined }>(
          resources: readonly Tagged[],
          found: Tagged,
        ) => resources.map((each) => (each === found ? { ...each, tags: { ...each.tags, ...tags } } : each));
        if (kind === "apikeys") state.change({ apiKeys: withTags(apiKeys, findKey(context, id)) });
        else state.change({ usagePlans: withTags(usagePlans, findPlan(context, id)) });
        return undefined;
      },
    ),
  };
}
