import { StartupError } from "../../startup-error.ts";
import type { ResolvedResource } from "../resolved-resource.ts";
import type { Resource } from "../resource-type.ts";
import type { Resources } from "../resources.ts";
import { type MayInvoke, readPermissions } from "./permissions.ts";

/** An API, all resources of its service in its stack, and which functions it may invoke. */
type Api = { api: ResolvedResource; resources: ResolvedResource[]; mayInvoke: MayInvoke };

/** How CloudFormation calls the kinds of APIs. */
type ApiType = "AWS::ApiGateway::RestApi" | "AWS::ApiGatewayV2::Api";

/**
 * The API of a kind, if the stacks have one.
 * @param several says that there are several: the runner has one address for them
 * @throws StartupError
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

/**
 * Makes what plays some resources.
 * @throws StartupError that names what of them is not emulated
 */
export function emulate<Emulated>(create: () => Emulated): Emulated {
  try {
    return create();
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
}

export function resolved(resource: Resource): ResolvedResource {
  return { logicalId: resource.logicalId, type: resource.type, properties: resource.properties() };
}
