import { UndiciHttpHandler } from "@smithy/undici-http-handler";
import { timeouts } from "./timeouts.ts";

/**
 * An HTTP handler for a client that sends to thousands of connections. Its requests take half the processor time of the
 * SDK's default handler, but loading it takes 20 ms more, too long for functions that clients wait for.
 */
export const fanOutHandler = (connections: number) =>
  new UndiciHttpHandler({
    dispatcher: {
      connections,
      connect: { timeout: timeouts.connectionTimeout },
      headersTimeout: timeouts.requestTimeout,
      bodyTimeout: timeouts.requestTimeout,
      // Keeps connections open for longer than the default of 4 s, since prices may pause.
      keepAliveTimeout: 30_000,
    },
  });
