import https from "node:https";
import type { DeliveryFault } from "./device.ts";
import {
  type AddressRule,
  allowedAddresses,
  type FindAddresses,
  lookupOf,
  NotPublic,
} from "./public-address.ts";

/** A request that is ready to be sent. */
export type DeviceRequest = {
  url: string;
  headers: Readonly<Record<string, string | number>>;
  body: Buffer | string;
};

/** The status of the response, or the reason why there is none. */
export type Posted = { status: number } | { fault: Exclude<DeliveryFault, "BAD_STATUS" | "NO_PUSH_KEY"> };

export type PostOptions = {
  isAllowed: AddressRule;
  /** True if URLs without TLS are allowed. */
  isPlainAllowed?: boolean;
  find?: FindAddresses;
  timeoutMs?: number;
};

/** Time within which a device has to answer, including the time to connect. */
const answerMs = 10_000;

/**
 * Posts to an address that a user has given. Checks the host's addresses, and connects only to these. Follows no
 * redirect, sends nothing about us but the request, and reads no body.
 */
export async function postToDevice(
  { url, headers, body }: DeviceRequest,
  { isAllowed, isPlainAllowed = false, find, timeoutMs = answerMs }: PostOptions,
): Promise<Posted> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !isPlainAllowed) return { fault: "PRIVATE_ADDRESS" };
  const signal = AbortSignal.timeout(timeoutMs);
  const answered = async () => {
    const lookup = lookupOf(await allowedAddresses(hostname, isAllowed, find));
    return send(url, { headers, body, signal, lookup });
  };
  try {
    // Does not wait for the request to end: if the answer switches protocols, it never does.
    return { status: await Promise.race([answered(), aborted(signal)]) };
  } catch (error) {
    if (error instanceof NotPublic) return { fault: "PRIVATE_ADDRESS" };
    return { fault: signal.aborted ? "TOO_SLOW" : "UNREACHABLE" };
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

type Options = Pick<DeviceRequest, "headers" | "body"> & {
  signal: AbortSignal;
  lookup: ReturnType<typeof lookupOf>;
};

async function send(url: string, { headers, body, signal, lookup }: Options): Promise<number> {
  // Loads the other module only on the local runner, because it takes a while.
  const { request } = url.startsWith("https:") ? https : await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // Uses a connection of its own, because a kept one would outlive the check of its address.
  const sent = request(url, { method: "POST", agent: false, lookup, signal, headers }, (response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}
