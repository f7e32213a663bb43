import * as v from "valibot";
import { type Context, findKey, findPlan, notFound, operation, replaced } from "./operation.ts";

type Tags = Record<string, string>;

export const tags = v.record(
  v.pipe(v.string(), v.regex(/^(?!aws:).{1,128}$/s, "Invalid tag key specified")),
  v.pipe(v.string(), v.maxLength(256, "Invalid tag value specified")),
);

const resource = { resourceArn: v.string() };

export function tagOperations(context: Context) {
  const { state } = context;

  /** @throws ControlPlaneError NotFoundException unless it is the ARN of a key or of a plan */
  function tagged(resourceArn: string): { tags: Tags; change(tags: Tags): void } {
    const [, kind, id = ""] =
      /^arn:[\w-]+:apigateway:[\w-]+::\/(apikeys|usageplans)\/([^/]+)$/.exec(resourceArn) ?? [];
    if (kind === "apikeys") {
      const key = findKey(context, id);
      const change = (tags: Tags) =>
        state.change({ apiKeys: replaced(state.current.apiKeys, { ...key, tags }) });
      return { tags: key.tags, change };
    }
    if (kind === "usageplans") {
      const plan = findPlan(context, id);
      const change = (tags: Tags) =>
        state.change({ usagePlans: replaced(state.current.usagePlans, { ...plan, tags }) });
      return { tags: plan.tags, change };
    }
    throw notFound("Invalid resource ARN specified");
  }

  return {
    GetTags: operation(200, v.strictObject(resource), ({ resourceArn }) => ({
      tags: tagged(resourceArn).tags,
    })),

    TagResource: operation(204, v.strictObject({ ...resource, tags }), ({ resourceArn, tags: added }) => {
      const found = tagged(resourceArn);
      found.change({ ...found.tags, ...added });
      return undefined;
    }),

    UntagResource: operation(
      204,
      v.strictObject({ ...resource, tagKeys: v.array(v.string()) }),
      ({ resourceArn, tagKeys }) => {
        const found = tagged(resourceArn);
        const left = Object.entries(found.tags).filter(([key]) => !tagKeys.includes(key));
        found.change(Object.fromEntries(left));
        return undefined;
      },
    ),
  };
}
