import { describe, expect, it } from "vitest";
import { browserName } from "../app/devices/browser-name.ts";

describe("browserName", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537 Chrome/140.0 Safari/537 Edg/140.0", "Edge on Linux"],
    ["Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 Chrome/140.0 Mobile Safari/537", "Chrome on Android"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/19.0 Safari/605", "Safari on Mac"],
    ["curl/8", "Browser"],
  ])("reads %s as %s", (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });
});
