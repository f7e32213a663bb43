import { Duration } from "aws-cdk-lib";

/** How to invoke what is worth nothing later, because the next message or the next run takes its place. */
export const freshOnly = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
