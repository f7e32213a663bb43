/**
 * Runs a synthesized CDK app on one machine.
 *
 *     const runner = await start({ assembly: "cdk.out", port: 3000 });
 *     console.log(await (await fetch(`${runner.baseUrl}/pets`)).json());
 *     await runner.stop();
 */
export { type LeadingKeys, leadingKeysOptions } from "./dynamodb/access-requests.ts";
export { ratesSchema, strikesOf } from "./faults.ts";
export {
  type GatewayRequest,
  type GatewayResponse,
  type Handle,
  header,
  json,
  pathOf,
  type Route,
} from "./http/messages.ts";
export { freePort, listen } from "./http/server.ts";
export type { TokenRequest } from "./issuer/issuer.ts";
export type { LogEntry } from "./lambda/lambda.ts";
export { faultsRoute, readOwn } from "./own-route.ts";
export { createReaper, type Reaper } from "./processes.ts";
export { seededRandom } from "./random.ts";
export { requestToken } from "./request-token.ts";
export { start } from "./start.ts";
export type { Runner, Site, StartOptions } from "./start-options.ts";
export { StartupError } from "./startup-error.ts";
export { stopOnSignal } from "./stop-on-signal.ts";
export { type Synthesis, synthesize } from "./synthesize.ts";
