import { emulate, onlyApi } from "../cloudformation/resources/apis.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { type Handle, json } from "../http/handle.ts";
import type { Invoke } from "../lambda/invoke.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import { createRestApi } from "./rest-api.ts";

/**
 * The REST API of the stacks. Without one, nothing is found.
 * @throws StartupError when there are several, or something of it is not emulated
 */
export function openRestApi(
  resources: Resources,
  invoke: Invoke,
  usagePlans: UsagePlans,
  report: (line: string) => void,
): Handle {
  const several = "There is more than one REST API, and one base URL for them.";
  const api = onlyApi(resources, "AWS::ApiGateway::RestApi", several);
  if (api === undefined) return async () => json(404, { message: "There is no REST API" });
  return emulate(() => createRestApi({ ...api, invoke, usagePlans, report })).handle;
}
