import { describe, expect, it } from "vitest";
import { aboutNumber, problemOf } from "../app/number-range.ts";

describe("the text of a number field", () => {
  it.each(["0.0001", "100", "1.5", ".5", "007"])("may be %j, which the service accepts", (text) => {
    expect(problemOf(text, [0.0001, 100])).toBeUndefined();
  });

  it.each(["", " ", "x", "1,5", "-1", "1e3", "1.", "100 %"])("must be a number, unlike %j", (text) => {
    expect(problemOf(text, [0.0001, 100])).toMatch("A number is needed");
  });

  it("must be within limits, which the problem names without an exponent", () => {
    expect(problemOf("0", [1e-9, 1e9])).toBe("Only 0.000000001 to 1\u00a0000\u00a0000\u00a0000 is accepted.");
    expect(problemOf("500", [0.0001, 100])).toBe("Only 0.0001 to 100 is accepted.");
    expect(problemOf("500", undefined)).toBeUndefined();
  });
});

describe("aboutNumber", () => {
  it("names the limits and the meaning of an empty field, and accepts one only if it has a meaning", () => {
    const range = [0, 50] as const;
    expect(aboutNumber("", { range, whenEmpty: "any" })).toEqual({
      hint: "0 to 50, empty for any",
      problem: undefined,
    });
    expect(aboutNumber("60", { range, whenEmpty: "any" }).problem).toBe("Only 0 to 50 is accepted.");
    expect(aboutNumber("", {})).toEqual({ hint: undefined, problem: expect.stringMatching("A number") });
  });
});
