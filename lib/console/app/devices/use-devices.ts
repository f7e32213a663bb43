import { useState } from "preact/hooks";
import type { RestData, RestRequest } from "trading-terminal-client";
import { useDesk, useReading } from "../desk.ts";
import { type Failure, failureText } from "../format.ts";

export type Device = RestData<"listDevices">["devices"][number];

export type NewDevice = RestRequest<"createDevice">["body"];

/** The devices that count: a leaving one gets notices for a day only, and none of trades. */
export const stayingOf = (devices: readonly Device[]) => devices.filter(({ leavesAt }) => !leavesAt);

type Read = RestData<"listDevices"> | "off" | "unread";

/** Reads the user's devices, and again after each call of `again`. */
export function useDevices() {
  const { terminal } = useDesk();
  const [read, setRead] = useState<Read>();
  const [reads, setReads] = useState(0);
  useReading(
    (signal) =>
      void terminal.listDevices({ signal }).then(({ data, error }) => {
        if (signal.aborted) return;
        setRead(data ?? (error?.code === "DEVICES_DISABLED" ? "off" : "unread"));
      }),
    [reads],
  );
  return { read, again: () => setReads((count) => count + 1) };
}

/** Says why a device was not added. */
export const refusalText = (error: Failure & { details?: unknown }): string =>
  error.code === "DEVICE_LIMIT_REACHED"
    ? `${error.message}. Remove one: it makes room when it has left, a day later.`
    : error.code === "SIGN_IN_REQUIRED"
      ? "Adding a device needs a fresh sign-in. Sign in, and press the button again."
      : failureText(error);
