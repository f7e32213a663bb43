import type { Throttle } from "../usage-plans/model.ts";
import type { GatewayResponseOverrides } from "./gateway-response.ts";
import type { MockIntegration } from "./mock-integration.ts";

/** A REST API as its template describes it. */
export type ApiDefinition = {
  apiId: string;
  stage: { name: string; deploymentId: string; variables: Record<string, string> };
  binaryMediaTypes: readonly string[];
  /** Where the key of a method that requires one comes from. */
  apiKeySource: "HEADER" | "AUTHORIZER";
  /** Those that have methods. */
  resources: readonly ApiResource[];
  gatewayResponses: GatewayResponseOverrides;
};

export type ApiResource = {
  id: string;
  /** e.g. `/updateTradingSettings/{chain}` */
  path: string;
  /** By HTTP method or `ANY`. */
  methods: ReadonlyMap<string, Method>;
};

export type Method = {
  /** As usage plans write it, e.g. `/pets/{id}/GET`. */
  name: string;
  authorizer: Authorizer | undefined;
  apiKeyRequired: boolean;
  /** What the stage allows of it, whoever calls. */
  throttle: Throttle | undefined;
  integration: Integration;
};

export type Authorizer = { id: string; functionArn: string };

export type Integration = LambdaIntegration | MockIntegration;

export type LambdaIntegration = { type: "AWS_PROXY"; functionArn: string; timeoutMs: number };
