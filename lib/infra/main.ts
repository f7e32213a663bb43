import type { AppProps } from "aws-cdk-lib";
import { terminalApp } from "./app.ts";
import { ConfigurationError } from "./config.ts";

type Reports = {
  /** Region that the CDK CLI found. */
  region?: string | undefined;
  /** Receives each step that takes seconds. */
  onStep?: ((text: string) => void) | undefined;
};

/** Synthesizes the stacks and returns the exit code. Prints one plain message for an invalid configuration. */
export function main(
  props: AppProps,
  warn: (message: string) => void,
  { region, onStep = () => {} }: Reports = {},
): number {
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  try {
    onStep("Making the stacks and bundling the functions, which can take half a minute");
    const app = terminalApp(props, region);
    onStep(`Checking and writing the templates, after ${elapsed()}`);
    app.synth();
    onStep(`The stacks are ready, after ${elapsed()}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    warn(error.message);
    return 1;
  }
}
