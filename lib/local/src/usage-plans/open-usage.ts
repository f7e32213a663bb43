import { emulate, resolved } from "../cloudformation/resources/apis.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { createUsage, type UsageOptions, type UsageService } from "./usage.ts";

/**
 * The keys and plans of the stacks, for all of their APIs.
 * @throws StartupError when something of them is not emulated
 */
export function openUsage(resources: Resources, options: UsageOptions): UsageService {
  const parts = resources.all.filter(({ type }) => /^AWS::ApiGateway(V2)?::/.test(type)).map(resolved);
  return emulate(() => createUsage(parts, options));
}
