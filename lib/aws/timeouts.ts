/**
 * How long one attempt of an SDK client may take, in milliseconds. Three attempts and their pauses fit into a
 * function's 10 seconds, so that a service that hangs ends in a clean 500 rather than in the gateway's timeout.
 */
export const timeouts = { connectionTimeout: 1000, requestTimeout: 2500, throwOnRequestTimeout: true };

/** Attempts of one call. DynamoDB's client would make four by itself, and the last would outlast the function. */
export const maxAttempts = 3;
