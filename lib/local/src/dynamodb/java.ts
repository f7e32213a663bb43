import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../startup-error.ts";

const OLDEST_VERSION = 17;
const FIX = "install one with `apt-get install openjdk-17-jre-headless` or `brew install openjdk@17`";

/**
 * The `java` to run: from JAVA_HOME, or else from the PATH.
 * @throws StartupError if there is none, or it is too old for DynamoDB Local
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

/** `java -version` prints e.g. `openjdk version "17.0.15"`, or `"1.8.0_392"` for Java 8. A stub without Java fails. */
async function versionOf(java: string): Promise<number | undefined> {
  try {
    const { stderr } = await promisify(execFile)(java, ["-version"]);
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr) ?? [];
    return Number(first === "1" ? second : first) || undefined;
  } catch {
    return undefined;
  }
}
