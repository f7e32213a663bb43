import { account } from "../../account.ts";
import type { GatewayRequest } from "../../http/messages.ts";
import { readTarget } from "../../http/paths.ts";
import type { AccessRequest } from "../../iam/caller.ts";
import type { Tags, UsageState } from "../model.ts";

const arnOf = (path: string) => `arn:${account.partition}:apigateway:${account.region}::${path}`;

/**
 * Lists the rights that a call of the control plane needs: IAM names it by method and path. None are needed for other
 * services, or for a key or plan that does not exist, which the operation itself refuses.
 */
export function controlPlaneRights(
  state: Pick<UsageState, "current">,
  { method, target, body }: GatewayRequest,
): AccessRequest[] {
  const { path } = readTarget(target);
  const [, kind, id, part] = /^\/(apikeys|usageplans|tags)(?:\/([^/]+))?(\/.*)?$/.exec(path) ?? [];
  if (kind === undefined) return [];
  const all = kind === "apikeys" ? state.current.apiKeys : state.current.usagePlans;
  const found = all.find((each) => each.id === id);
  if (id !== undefined && kind !== "tags" && found === undefined) return [];
  const sent = method === "GET" ? {} : tagsIn(body);
  const values = {
    ...tagValues("aws:RequestTag", sent),
    ...tagValues("aws:ResourceTag", part === undefined ? found?.tags : {}),
  };
  const needs = (action: string, resource: string) => ({
    action: `apigateway:${action}`,
    resource: arnOf(resource),
    values,
  });
  // Requires the right to tag from a caller that creates a key or a plan with tags. The new resource has no id yet and
  // counts as `*`.
  const tagging = kind !== "tags" && id === undefined && Object.keys(sent).length > 0;
  const tagged = `/tags/${encodeURIComponent(arnOf(`/${kind}/`))}*`;
  return [needs(method, path), ...(tagging ? [needs("PUT", tagged)] : [])];
}

const tagValues = (key: string, tags: Tags = {}) =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [`${key}/${name}`, [String(value)]]));

/** Reads the tags of a call. The operation refuses a body that is malformed. */
function tagsIn(body: Buffer): Tags {
  try {
    return Object(JSON.parse(body.toString("utf8"))).tags ?? {};
  } catch {
    return {};
  }
}
