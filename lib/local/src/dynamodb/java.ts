import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../startup-error.ts";

const OLDEST_VERSION = 17;
const FIX = "install one with `apt-get install openjdk-17-jre-headless` or `brew install openjdk@17`";

/**
 * Finds the `java` to run: from JAVA_HOME, or else from the PATH.
 * @throws {StartupError} if Java is missing or too old for DynamoDB Local
 */
export async function findJava({ JAVA_HOME } = process.env): Promise<string> {
  const java = JAVA_HOME ? join(JAVA_HOME, "bin", "java") : "java";
  const version = await versionOf(java);
  if (version === undefined) {
    throw new StartupError(
      `DynamoDB Local needs Java ${OLDEST_VERSION} or newer, and ${java} does not run: ${FIX}.`,
    );
  }
  if (version < OLDEST_VERSION) {
    throw new StartupError(
      `DynamoDB Local needs Java ${OLDEST_VERSION} or newer, and ${java} is Java ${version}: ${FIX}.`,
    );
  }
  return java;
}

/**
 * Runs `java -version`, which prints e.g. `openjdk version "17.0.15"`, or `"1.8.0_392"` for Java 8. Fails for macOS's
 * stub without a Java.
 */
async function versionOf(java: string): Promise<number | undefined> {
  try {
    const { stderr } = await promisify(execFile)(java, ["-version"]);
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr) ?? [];
    return Number(first === "1" ? second : first) || undefined;
  } catch {
    return undefined;
  }
}
