import { describe, expect, it } from "vitest";
import { identityOf } from "../../lib/runtime/identity.ts";

const claims = { sub: "u1", exp: 2_000_000_000 };

describe("who a token is about", () => {
  it("is its subject, with the names in the order in which they are wanted, and who brought them", () => {
    const named = { preferred_username: "Ann", nickname: "annie", username: "ann1", ref: "CODE" };
    expect(identityOf({ ...claims, ...named })).toEqual({
      userID: "u1",
      names: ["Ann", "annie", "ann1"],
      ref: "CODE",
    });
  });

  it("has no name in a username that is the subject over again", () => {
    expect(identityOf({ ...claims, username: "u1" }).names).toEqual([undefined, undefined, undefined]);
  });
});
