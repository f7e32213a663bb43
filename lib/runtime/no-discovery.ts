/**
 * Replaces `@aws-sdk/middleware-endpoint-discovery` in the functions' bundles. DynamoDB's client can ask for endpoints
 * and remember them, which is off by default, and its memory is a lot of code.
 */
export const resolveEndpointDiscoveryConfig = <Settings extends object>(settings: Settings): Settings =>
  settings;

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};
