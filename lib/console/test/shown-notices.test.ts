import { describe, expect, it } from "vitest";
import { type Notice, withNotice } from "../app/shown-notices.ts";

describe("notices", () => {
  const notice = (id: number, kind: Notice["kind"], about?: string): Notice => ({
    id,
    kind,
    about,
    text: "",
  });

  it("replace the step of an order by its outcome, whichever is reported first", () => {
    const [step, outcome] = [notice(1, "step", "a"), notice(2, "bad", "a")];
    expect(withNotice([step, notice(3, "step", "b")], outcome)).toEqual([notice(3, "step", "b"), outcome]);
    expect(withNotice([outcome], step)).toEqual([outcome]);
  });

  it("are the newest three, also without a subject", () => {
    const all = [1, 2, 3].map((id) => notice(id, "good"));
    expect(withNotice(all, notice(4, "good")).map(({ id }) => id)).toEqual([2, 3, 4]);
  });
});
