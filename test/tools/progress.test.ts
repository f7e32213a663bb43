import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showSteps, unlessSilent } from "../../lib/tools/progress.ts";
import { stdioForTests } from "./runner/support/stdio.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const terminal = () => {
  const { stderr, printed } = stdioForTests();
  return { out: { ...stderr, isTTY: true }, lines: () => printed.err.split("\r\x1b[K").slice(1), printed };
};
const lineOf = (text: string) => expect.stringContaining(text) as string;

describe("showSteps", () => {
  it("prints a line for each step without a terminal", () => {
    const { stderr, printed } = stdioForTests();
    const { step, end } = showSteps(stderr);
    step("One");
    vi.advanceTimersByTime(5000);
    step("Two");
    end();
    expect(printed).toEqual({ out: "", err: "One\nTwo\n" });
  });

  it("updates a single line with its seconds on a terminal, and removes it at the end", () => {
    const { out, lines, printed } = terminal();
    const { step, end } = showSteps(out);
    step("One");
    vi.advanceTimersByTime(2000);
    step("Two");
    end();
    vi.advanceTimersByTime(2000);
    expect(lines()).toEqual([lineOf("One …"), lineOf("One … 1 s"), lineOf("One … 2 s"), lineOf("Two …"), ""]);
    expect(printed.err).not.toContain("\n");
  });
});

describe("unlessSilent", () => {
  it("shows nothing for work that takes less than two seconds", () => {
    const { out, printed } = terminal();
    const end = unlessSilent(out, "status is working");
    vi.advanceTimersByTime(1999);
    end();
    vi.advanceTimersByTime(5000);
    expect(printed.err).toBe("");
  });

  it("shows longer work until it ends, and ends once", () => {
    const { out, lines } = terminal();
    const end = unlessSilent(out, "status is working");
    vi.advanceTimersByTime(3000);
    end();
    end();
    expect(lines()).toEqual([lineOf("status is working …"), lineOf("status is working … 1 s"), ""]);
  });
});
