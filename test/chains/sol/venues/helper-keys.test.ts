import { inspect } from "node:util";
import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { isSignatureOf } from "../../../../lib/chains/sol/messages/signed-message.ts";
import { HelperKeys, newHelper } from "../../../../lib/chains/sol/venues/helper-keys.ts";

const message = Uint8Array.of(1, 2, 3);

describe("HelperKeys", () => {
  it("signs only once with each key", () => {
    const keys = new HelperKeys();
    const helper = keys.make();
    expect(keys.make()).not.toBe(helper);
    expect(keys.has(helper)).toBe(true);
    const signature = keys.sign(helper, message) ?? "";
    expect(isSignatureOf(bs58.decode(signature), message, helper)).toBe(true);
    expect([keys.has(helper), keys.sign(helper, message)]).toEqual([false, undefined]);
  });

  it("rejects unknown keys, and forgets the oldest of many keys", () => {
    const keys = new HelperKeys();
    const oldest = keys.make();
    expect(keys.sign(newHelper().address, message)).toBeUndefined();
    for (let made = 0; made < 99; made++) keys.make();
    expect(keys.has(oldest)).toBe(true);
    keys.make();
    expect(keys.has(oldest)).toBe(false);
  });

  it("never reveals a key", () => {
    const keys = new HelperKeys();
    keys.make();
    expect(JSON.stringify(keys) + inspect(keys, { depth: 9 })).not.toMatch(/KeyObject|Map|seed/);
  });
});
