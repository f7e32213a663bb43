import { emulate, onlyApi } from "../cloudformation/resources/apis.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { Invoke } from "../lambda/invoke.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
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
  const several = "There is more than one WebSocket API, and one stream URL for them.";
  const api = onlyApi(resources, "AWS::ApiGatewayV2::Api", several);
  return api && emulate(() => createWebSocketApi({ ...api, invoke, usagePlans, report }));
}
