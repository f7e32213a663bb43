import { createHttpServer, type HttpServerOptions } from "../rest-api/http-server.ts";
import { StartupError } from "../startup-error.ts";
import type { Handle } from "./handle.ts";

export type Listener = { port: number; url: string; close(): Promise<void> };

export type ListenOptions = {
  /** The option of the command line that chooses the port, for who has to choose another. */
  option?: "--port" | "--stream-port";
  upgrade?: HttpServerOptions["upgrade"];
};

/**
 * Serves on 127.0.0.1. Port 0 takes any that is free.
 * @throws StartupError when the port is in use, or is not for us
 */
export async function listen(
  port: number,
  handle: Handle,
  onFault: (error: unknown) => void,
  { option = "--port", upgrade }: ListenOptions = {},
): Promise<Listener> {
  const server = createHttpServer({ handle, upgrade, onFault });
  try {
    const taken = await server.listen(port);
    return { port: taken, url: `http://127.0.0.1:${taken}`, close: server.close };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartupError(
        `Port ${port} is in use; stop what listens on it, or choose another with ${option}.`,
      );
    }
    throw new StartupError(`Cannot listen on port ${port} (${code}); choose another with ${option}.`);
  }
}
