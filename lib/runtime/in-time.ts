import type { Context } from "aws-lambda";
import { withDeadline } from "../aws/deadline.ts";

/** The time to answer once AWS has failed to. The SDK may pause for a second before it notices. */
const answerMs = 1500;

/**
 * Runs the work of a request so that it fails while there is time to answer. Otherwise Lambda would end the function, and
 * the caller would get API Gateway's 502.
 *
 * @param context says how much time is left. Absent: there is no limit.
 * @param reserveMs the time to leave.
 */
export function inTime<Result>(
  context: Pick<Context, "getRemainingTimeInMillis"> | undefined,
  work: () => Promise<Result>,
  reserveMs = answerMs,
): Promise<Result> {
  if (context === undefined) return work();
  return withDeadline(context.getRemainingTimeInMillis() - reserveMs, work);
}
