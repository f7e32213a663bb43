import { describe, expect, it } from "vitest";
import { isNamed, matchedVersions, readEntityTags, tagOfVersion } from "../../lib/core/entity-tag.ts";
import { cpuMs } from "../support/cpu-time.ts";

const versionsIn = (text: string) => matchedVersions(readEntityTags(text) ?? []);

describe("matchedVersions", () => {
  it.each<[ifMatch: string, versions: number[] | undefined]>([
    ["*", undefined],
    [" * ", undefined],
    ['"5"', [5]],
    ['"0"', [0]],
    ['"5","6" , "5"', [5, 6]],
    [', "5",, "6",', [5, 6]],
    ['W/"5"', []],
    ['W/"5", "6"', [6]],
    ['W/"5", "05"', []],
    ['"05", "+5", "5.5", "1e3", "", "a,b", "9007199254740993"', []],
  ])("reads %s as the versions %j", (ifMatch, versions) => {
    expect(versionsIn(ifMatch)).toEqual(versions);
  });

  it("reads back the version from its own tag", () => {
    expect(versionsIn(tagOfVersion(12))).toEqual([12]);
  });
});

describe("readEntityTags", () => {
  it.each(["", " ", ",", "5", "'5'", '"5', '5"', '"5" "6"', '"5";"6"', '* , "5"', 'w/"5"', '"a b"', "**"])(
    "rejects [%s] as a list of tags",
    (text) => {
      expect(readEntityTags(text)).toBeUndefined();
    },
  );

  it("reads 10 KB of commas and spaces quickly", () => {
    const texts = [" ,".repeat(5000), `"5"${", ".repeat(5000)}x`, '"'.repeat(10_000)];
    expect(cpuMs(() => texts.map(readEntityTags))).toBeLessThan(1000);
  });
});

describe("isNamed", () => {
  it.each([
    ["*", true],
    ['"5"', true],
    ['W/"5"', true],
    ['"4", W/"5"', true],
    ['"4"', false],
    ['"55"', false],
  ])("compares the tag of version 5 with %s", (ifNoneMatch, expected) => {
    expect(isNamed(tagOfVersion(5), readEntityTags(ifNoneMatch) ?? [])).toBe(expected);
    expect(isNamed(`W/${tagOfVersion(5)}`, readEntityTags(ifNoneMatch) ?? [])).toBe(expected);
  });
});
