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
 * Settings of the SDK's clients that are the same in all functions. The SDK would look for a missing one in the
 * environment and in files, which would slow each cold start.
 */
export const fixedSettings = {
  retryMode: "standard" as const,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  authSchemePreference: [] as string[],
  userAgentAppId: "",
};
