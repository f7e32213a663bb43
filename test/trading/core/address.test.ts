import { describe, expect, it } from "vitest";
import { readAddress } from "../../../lib/trading/core/address.ts";

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

describe("readAddress", () => {
  it.each([address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])(
    "returns %s in EIP-55 form",
    (text) => {
      expect(readAddress(text, "wallet")).toBe(address);
    },
  );

  it.each([
    [
      address.replace("F", "f"),
      "wallet has a wrong checksum. Compare it with its source, or write it in lower case",
    ],
    [`0x${"0".repeat(40)}`, "wallet must not be the zero address"],
    [address.slice(0, -1), "wallet must be an address: 0x and 40 hex digits"],
    ["", "wallet must be an address: 0x and 40 hex digits"],
  ])("rejects %j", (text, message) => {
    expect(() => readAddress(text, "wallet")).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message, details: { field: "wallet" } }),
    );
  });
});
