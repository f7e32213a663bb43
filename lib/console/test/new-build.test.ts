import { describe, expect, it } from "vitest";
import { isOtherBuild, mayReload } from "../app/new-build.ts";

const page = (script: string, style: string) =>
  `<link href="/console/files/${style}"><script src="/console/files/${script}"></script><div id="console">`;
const files = ["/console/files/script-A.js", "/console/files/style-A.css"];

describe("isOtherBuild", () => {
  it.each([
    ["the same page", page("script-A.js", "style-A.css"), false],
    ["another script", page("script-B.js", "style-A.css"), true],
    ["another style", page("script-A.js", "style-B.css"), true],
    ["the page of a proxy or a firewall", "<h1>Sign in to the network</h1>", false],
    ["no answer", "", false],
  ])("tells %s", (_, fetched, expected) => {
    expect(isOtherBuild(files, fetched)).toBe(expected);
  });
});

describe("mayReload", () => {
  const idle = {
    placing: { isBusy: false, unanswered: undefined },
    hasUnsaved: false,
    isHidden: false,
    msSinceInput: 30_000,
  };

  it("waits until the user has paused, unless the page is hidden", () => {
    const moments = [idle, { ...idle, msSinceInput: 29_999 }, { ...idle, msSinceInput: 0, isHidden: true }];
    expect(moments.map(mayReload)).toEqual([true, false, true]);
  });

  it.each([
    ["an order is on its way", { placing: { isBusy: true, unanswered: undefined } }],
    ["an order is not answered", { placing: { isBusy: false, unanswered: {} } }],
    ["a dialog is open, or a private key is shown", { hasUnsaved: true }],
  ])("never reloads while %s", (_, change) => {
    expect(mayReload({ ...idle, ...change, isHidden: true })).toBe(false);
  });
});
