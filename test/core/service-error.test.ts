import { describe, expect, it } from "vitest";
import { ServiceError } from "../../lib/core/service-error.ts";

describe("a ServiceError", () => {
  it("derives its name from its code, whatever the name of its class", () => {
    // Simulates a class that minification has renamed.
    const a = class extends ServiceError {
      override readonly code = "KEY_NOT_IN_V2";
    };
    expect(new a()).toMatchObject({ name: "KeyNotInV2", code: "KEY_NOT_IN_V2" });
    expect(`${new ServiceError("Gone", { code: "GONE" })}`).toBe("Gone: Gone");
    expect(new ServiceError("Nothing more is known")).toMatchObject({ name: "Error", code: "ERROR" });
  });

  it("takes a given name instead if its class has several codes", () => {
    expect(new ServiceError("-", { name: "HostFault", code: -32000 })).toMatchObject({
      name: "HostFault",
      code: -32000,
    });
  });

  it("keeps the cause of an error", () => {
    const cause = new ServiceError("Inner", { code: "INNER" });
    expect(new ServiceError("Outer", { code: "OUTER", cause }).cause).toBe(cause);
  });
});
