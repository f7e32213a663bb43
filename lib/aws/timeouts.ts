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
