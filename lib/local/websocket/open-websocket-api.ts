import { plain } from "../api.ts";
import type { Invoke } from "../lambda/invoke.ts";
import { readPermissions } from "../resources/permissions.ts";
import { StartupError } from "../startup-error.ts";
import type { Resources } from "../template/resources.ts";
import type { UsagePlans } from "../usage/usage-plans.ts";
import { createWebSocketApi, type WebSocketApi } from "./websocket-api.ts";

/**
 * The WebSocket API of the stacks, if they have one.
 * @throws StartupError when there are several, or something of it is not emulated
 */
export function openWebSocketApi(
  resources: Resources,
  invoke: Invoke,
  usagePlans: UsagePlans,
  report: (line: string) => void,
): WebSocketApi | undefined {
  const [api, ...others] = resources.ofType("AWS::ApiGatewayV2::Api");
  if (others.length > 0) {
    throw new StartupError("There is more than one WebSocket API, and one stream URL for them.");
  }
  if (api === undefined) return undefined;

  const parts = resources.all.filter(
    ({ stackName, type }) => stackName === api.stackName && type.startsWith("AWS::ApiGatewayV2::"),
  );
  try {
    return createWebSocketApi({
      api: plain(api),
      resources: parts.map(plain),
      invoke,
      mayInvoke: readPermissions(resources),
      usagePlans,
      report,
    });
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
}
