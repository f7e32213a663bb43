import { describe, expect, it } from "vitest";
import { ServiceError } from "../../lib/core/service-error.ts";

describe("a ServiceError", () => {
  it("has a name that follows from its code, however its class is called", () => {
    // Minification renames classes so.
    const a = class extends ServiceError {
      override readonly code = "KEY_NOT_IN_V2";
    };
    expect(new a()).toMatchObject({ name: "KeyNotInV2", code: "KEY_NOT_IN_V2" });
    expect(`${new ServiceError("Gone", { code: "GONE" })}`).toBe("Gone: Gone");
    expect(new ServiceError("Nothing more is known")).toMatchObject({ name: "Error", code: "ERROR" });
  });

  it("has the name that it is given, if its class has several codes", () => {
    expect(new ServiceError("-", { name: "HostFault", code: -32000 })).toMatchObject({
      name: "HostFault",
      code: -32000,
    });
  });

  it("keeps its cause", () => {
    const cause = new ServiceError("Inner", { code: "INNER" });
    expect(new ServiceError("Outer", { code: "OUTER", cause }).cause).toBe(cause);
  });
});
