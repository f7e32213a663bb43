import type { AppProps } from "aws-cdk-lib";
import { terminalApp } from "./app.ts";
import { ConfigurationError } from "./config.ts";

/** Synthesizes the stacks and returns the exit code. Prints one plain message for an invalid configuration. */
export function main(props: AppProps, warn: (message: string) => void, region?: string): number {
  try {
    terminalApp(props, region).synth();
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    warn(error.message);
    return 1;
  }
}
