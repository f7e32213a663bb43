/** The CDK app: synthesizes the stacks. Run by the CDK CLI. */
import type { AppProps } from "aws-cdk-lib";
import { terminalApp } from "../lib/infra/app.ts";
import { ConfigurationError } from "../lib/infra/config.ts";

/** Returns the exit code. A bad configuration is one plain message. */
export function main(props: AppProps, warn: (message: string) => void): number {
  try {
    terminalApp(props).synth();
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    warn(error.message);
    return 1;
  }
}

if (import.meta.main) process.exitCode = main({}, console.error);
