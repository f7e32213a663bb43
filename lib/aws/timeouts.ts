/**
 * Limits for one attempt of an SDK client, in milliseconds. Three attempts and their pauses fit into a function's 10
 * seconds. deadline.ts limits several calls together.
 */
export const timeouts = { connectionTimeout: 1000, requestTimeout: 2500, throwOnRequestTimeout: true };

/**
 * Maximum number of attempts per call. DynamoDB's client makes four by default, and the last one would exceed the
 * function's time limit.
 */
export const maxAttempts = 3;

/**
 * Settings of a client that are the same wherever functions run. Without each of them, the SDK would look for it in the
 * environment and in files during a cold start.
 */
export const fixedSettings = {
  retryMode: "standard" as const,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  authSchemePreference: [] as string[],
  userAgentAppId: "",
};
