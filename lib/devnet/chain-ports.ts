import { setTimeout as pause } from "node:timers/promises";
import { type Handle, listen, StartupError } from "cdk-local-runner";

/**
 * Waits briefly for a port. If the previous runner was killed, its chain may still be shutting down.
 *
 * @throws StartupError if the port is in use
 */
export async function waitForPort(port: number): Promise<number> {
  const silent: Handle = () => new Promise(() => {});
  for (let attempt = 1; ; attempt++) {
    try {
      await (await listen(port, silent, () => {}, { option: "--chain-port" })).close();
      return port;
    } catch (error) {
      if (attempt === 20) throw error;
      await pause(50);
    }
  }
}

/** Opens a server on the preferred port, or on any free port if that one is in use. */
export const preferring = <Server>(port: number, open: (port: number) => Promise<Server>): Promise<Server> =>
  open(port).catch((error) => {
    if (!(error instanceof StartupError)) throw error;
    return open(0);
  });
