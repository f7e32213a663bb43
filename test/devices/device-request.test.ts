import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import webpush from "web-push";
import { requestFor } from "../../lib/devices/device-request.ts";
import { pushReceiver, vapidClaims } from "../support/push-receiver.ts";

const notice = {
  id: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
  userID: "ann",
  type: "OrderFilled",
  time: "2026-11-22T10:00:00Z",
  data: { orderId: "o1", symbol: "MOON/ETH ☾" },
};
const payload = { id: notice.id, type: "OrderFilled", timestamp: notice.time, data: notice.data };
const pushKey = { subject: "mailto:ops@example.com", ...webpush.generateVAPIDKeys() };
const now = new Date();

describe("requestFor", () => {
  it("encrypts a notice so that only the browser can read it, and proves the sender to the push service", () => {
    const browser = pushReceiver();
    const url = "https://push.example/send/1";
    const { headers, body } = requestFor({ url, ...browser.keys }, notice, { pushKey, now }) ?? {};
    expect(JSON.parse(browser.decrypt(body as Buffer))).toEqual(payload);
    expect(() => pushReceiver().decrypt(body as Buffer)).toThrow();
    expect(headers).toMatchObject({
      "Content-Encoding": "aes128gcm",
      TTL: 86_400,
      Topic: notice.id,
      Urgency: "normal",
    });
    const { aud, exp, sub } = vapidClaims(String(headers?.Authorization), pushKey.publicKey);
    expect({ aud, sub }).toEqual({ aud: "https://push.example", sub: "mailto:ops@example.com" });
    expect(Number(exp) - Date.now() / 1000).toSatisfy((left: number) => left > 0 && left <= 86_400);
  });

  it("sends notices about custody urgently", () => {
    const address = { url: "https://push.example/send/1", ...pushReceiver().keys };
    const request = requestFor(address, { ...notice, type: "PolicyLoosened" }, { pushKey, now });
    expect(request?.headers.Urgency).toBe("high");
  });

  it("makes no push without a key", () => {
    const address = { url: "https://push.example/send/1", ...pushReceiver().keys };
    expect(requestFor(address, notice, { pushKey: undefined, now })).toBeUndefined();
  });

  it("signs a webhook's notice as the reference library verifies it, with one id for all attempts", () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const address = { url: "https://hooks.example/", secret };
    const attempts = [now, new Date(now.getTime() + 60_000)].map((time) =>
      requestFor(address, notice, { pushKey: undefined, now: time }),
    );
    for (const attempt of attempts) {
      const { headers = {}, body = "" } = attempt ?? {};
      const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      expect(new Webhook(secret).verify(String(body), given)).toEqual(payload);
      expect(() => new Webhook(`whsec_${"A".repeat(44)}`).verify(String(body), given)).toThrow();
      expect(given["webhook-id"]).toBe(notice.id);
    }
  });
});
