import { APIGatewayClient, APIGatewayServiceException } from "@aws-sdk/client-api-gateway";
import { afterAll, beforeAll, vi } from "vitest";
import { type Listener, listen } from "../../src/http/server.ts";
import { awsServices, type ServiceRoute } from "../../src/services.ts";
import {
  type ControlPlaneOptions,
  createControlPlane,
} from "../../src/usage-plans/control-plane/control-plane.ts";
import { createUsageState, noUsage, stageName, type Usage } from "../../src/usage-plans/model.ts";
import { live, START, socket } from "./fixture.ts";

/** Serves a control plane on a socket, with a clock that moves only when `pass` is called. */
export function servedControlPlane() {
  const credentials = { accessKeyId: "known", secretAccessKey: "any" };
  const faults: unknown[] = [];
  let server: Listener;
  let client: APIGatewayClient;
  let now = START;
  let route: ServiceRoute = controlPlane(noUsage, {});

  function controlPlane(usage: Usage, options: Partial<ControlPlaneOptions>) {
    const stages = new Set([live, socket].map(stageName));
    return createControlPlane({ state: createUsageState(usage), stages, now: () => now, ...options });
  }

  beforeAll(async () => {
    const services = awsServices(credentials, [(...call) => route(...call)]);
    server = await listen(0, services, (error) => faults.push(error));
    // Sets the variable that tells functions the control plane's address.
    vi.stubEnv("AWS_ENDPOINT_URL_API_GATEWAY", server.url);
    client = new APIGatewayClient({ region: "us-east-1", credentials, maxAttempts: 1 });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    client.destroy();
    await server.close();
    if (faults.length > 0) throw faults[0];
  });

  return {
    send: ((command: never) => client.send(command)) as APIGatewayClient["send"],
    /** Replaces the control plane. */
    serve(other: ServiceRoute) {
      route = other;
    },
    /** Replaces the control plane by one with these keys and plans. */
    reset(usage = noUsage, options: Partial<ControlPlaneOptions> = {}) {
      now = START;
      route = controlPlane(usage, options);
    },
    pass(ms: number) {
      now += ms;
    },
  };
}

/** Returns the name and message of the SDK's exception when a call fails. */
export async function failure(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIGatewayServiceException)) throw new Error("The call has not failed as expected");
  return `${error.constructor.name}: ${error.message}`;
}
