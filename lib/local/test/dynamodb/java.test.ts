import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findJava } from "../../src/dynamodb/java.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

/** Creates a JAVA_HOME whose `java` is this shell script. */
function javaHome(script: string): string {
  const home = temporaryFolder();
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "java"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(home, "bin", "java"), 0o755);
  return home;
}

const javaOfVersion = (version: string) => javaHome(`echo 'openjdk version "${version}" 2025-04-15' >&2`);

describe("findJava", () => {
  it.each(["17.0.15", "17", "21.0.1", "25-ea"])("accepts Java %s", async (version) => {
    const JAVA_HOME = javaOfVersion(version);
    expect(await findJava({ JAVA_HOME })).toBe(join(JAVA_HOME, "bin", "java"));
  });

  it.each([
    ["Java 8", javaOfVersion("1.8.0_392"), "is Java 8"],
    ["Java 11", javaOfVersion("11.0.2"), "is Java 11"],
    ["a missing Java", "/absent", "/absent/bin/java does not run"],
    ["a stub that fails", javaHome("echo 'Unable to locate a Java Runtime.' >&2; exit 1"), "does not run"],
  ])("rejects %s with a message of one line that names the fix", async (_, JAVA_HOME, reason) => {
    const failure = findJava({ JAVA_HOME });
    await expect(failure).rejects.toThrow(reason);
    await expect(failure).rejects.toThrow("apt-get install openjdk-17-jre-headless");
    await expect(failure).rejects.not.toThrow("\n");
  });
});
