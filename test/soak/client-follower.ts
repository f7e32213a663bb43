import { createTerminal } from "trading-terminal-client";
import { WebSocket } from "ws";
import { type Clock, realClock } from "../../lib/client/clock.ts";
import type { Follower, FollowerCounts } from "./follower.ts";
import type { Patch } from "./model.ts";
import type { Service } from "./service.ts";

/** Shortens the client's waits to a quarter, because a soak is short. */
const clock: Clock = { ...realClock, after: (ms, act) => realClock.after(ms / 4, act) };

/**
 * Follows a user's data with the published client, so that the audit also covers its state.
 *
 * @param check called with each text sent to the user and the settings in it
 */
export function followWithClient(
  { target: { baseUrl, streamUrl, keep } }: Service,
  user: { token: string },
  check: (text: string, settings: Patch | undefined) => void,
): Follower {
  const counts: FollowerCounts = { connections: 0, refusals: 0, closes: 0, messages: 0 };
  let isLive = false;
  const terminal = createTerminal({ baseUrl, streamUrl, WebSocket, token: async () => user.token }, clock);
  const stream = terminal.follow({
    channels: ["orders", "positions", "prices", "settings"],
    onMessage(message) {
      const text = JSON.stringify(message);
      counts.messages++;
      keep(text);
      check(text, message.type === "TradingSettingsUpdated" ? (message.data.settings as Patch) : undefined);
    },
    onStatus(status) {
      isLive = status.status === "live";
      if (status.status === "syncing") counts.connections++;
      if (status.status !== "waiting") return;
      if (status.code === "CLOSED" || status.code === "SILENT") counts.closes++;
      else counts.refusals++;
    },
  });
  return {
    executions: () =>
      new Map([
        ...(stream.state?.orders ?? []).map(({ orderId, version }) => [orderId, version] as const),
        ...(stream.state?.positions ?? []).map(({ positionId, version }) => [positionId, version] as const),
      ]),
    settings: () =>
      new Map(
        Object.entries(stream.state?.settings ?? {}).map(([chain, { version: _, ...values }]) => [
          chain,
          values as Patch,
        ]),
      ),
    isReady: () => isLive,
    pricesAsOf: () =>
      Math.max(0, ...Object.values(stream.state?.prices ?? {}).map(({ asOf }) => Date.parse(asOf))),
    // Does nothing, because the client subscribes only once.
    fidget() {},
    counts,
    stop: () => stream.close(),
  };
}
