import { Webhook } from "standardwebhooks";
import webpush from "web-push";
import type { DeviceAddress } from "./device.ts";
import { isOfCustody, type OwnNotice, payloadOf } from "./notice.ts";
import type { DeviceRequest } from "./post.ts";
import type { PushKey } from "./push-key.ts";

/** Seconds for which a push service keeps a notice for a browser that is away. */
const keptSeconds = 24 * 3600;

/**
 * Makes the request that brings a notice to a device: encrypted for a browser, and signed for a webhook. A repeated one
 * has the same id, which makes a push service replace the first.
 */
export function requestFor(
  address: DeviceAddress,
  notice: OwnNotice,
  { pushKey, now }: { pushKey: PushKey | undefined; now: Date },
): DeviceRequest | undefined {
  const text = payloadOf(notice);
  const { url } = address;
  if (address.secret !== undefined) return signedRequest(url, address.secret, { id: notice.id, text, now });
  if (pushKey === undefined) return undefined;
  const { p256dh, auth } = address;
  const { headers, body } = webpush.generateRequestDetails({ endpoint: url, keys: { p256dh, auth } }, text, {
    vapidDetails: pushKey,
    TTL: keptSeconds,
    topic: notice.id,
    urgency: isOfCustody(notice) ? "high" : "normal",
  });
  return { url, headers, body };
}

function signedRequest(
  url: string,
  secret: string,
  { id, text, now }: { id: string; text: string; now: Date },
): DeviceRequest {
  return {
    url,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      "User-Agent": "trading-terminal",
      "webhook-id": id,
      "webhook-timestamp": Math.floor(now.getTime() / 1000),
      "webhook-signature": new Webhook(secret).sign(id, now, text),
    },
    body: text,
  };
}
