import { createRestApi } from "./gateway/rest-api.ts";
import { type Handle, json } from "./http/handle.ts";
import type { Invoke } from "./lambda/invoke.ts";
import { readPermissions } from "./resources/permissions.ts";
import { StartupError } from "./startup-error.ts";
import type { Resource } from "./template/resource-type.ts";
import type { Resources } from "./template/resources.ts";
import type { UsagePlans } from "./usage/usage-plans.ts";

/**
 * The REST API of the stacks. Without one, nothing is found.
 * @throws StartupError when there are several, or something of it is not emulated
 */
export function openApi(
  resources: Resources,
  invoke: Invoke,
  usagePlans: UsagePlans,
  report: (line: string) => void,
): Handle {
  const [api, ...others] = resources.ofType("AWS::ApiGateway::RestApi");
  if (others.length > 0)
    throw new StartupError("There is more than one REST API, and one base URL for them.");
  if (api === undefined) return async () => json(404, { message: "There is no REST API" });

  const parts = resources.all.filter(
    ({ stackName, type }) => stackName === api.stackName && type.startsWith("AWS::ApiGateway::"),
  );
  try {
    return createRestApi({
      api: plain(api),
      resources: parts.map(plain),
      invoke,
      mayInvoke: readPermissions(resources),
      usagePlans,
      report,
    }).handle;
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
}

/** A resource with all of its properties resolved. */
export function plain(resource: Resource) {
  return { logicalId: resource.logicalId, type: resource.type, properties: resource.properties() };
}
