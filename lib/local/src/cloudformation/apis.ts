import { account } from "../account.ts";
import { StartupError } from "../startup-error.ts";
import { type MayInvoke, readPermissions } from "./permissions.ts";
import { type ResolvedResource, resolved } from "./resource.ts";
import type { Resources } from "./resources.ts";

/** An API, the resources of its stack and service, and the functions that it may invoke. */
type Api = { api: ResolvedResource; resources: ResolvedResource[]; mayInvoke: MayInvoke };

/** Address of an API: its id is in the host name, its stage in the path. */
export type ApiPlace = { apiId: string; stage: string };

export const hostOf = ({ apiId }: ApiPlace) => `${apiId}.execute-api.${account.region}.${account.urlSuffix}`;

type ApiType = "AWS::ApiGateway::RestApi" | "AWS::ApiGatewayV2::Api";

/**
 * Finds the only API of a type, if the stacks have one.
 * @param several message of the StartupError for several APIs, since the runner has one address for each type
 */
export function onlyApi(resources: Resources, type: ApiType, several: string): Api | undefined {
  const [api, ...others] = resources.ofType(type);
  if (others.length > 0) throw new StartupError(several);
  if (api === undefined) return undefined;
  const service = type.slice(0, type.lastIndexOf("::") + 2);
  const parts = resources.all.filter(
    (part) => part.stackName === api.stackName && part.type.startsWith(service),
  );
  return { api: resolved(api), resources: parts.map(resolved), mayInvoke: readPermissions(resources) };
}
